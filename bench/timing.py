"""CPU seconds of a piece of work. Imports nothing but the standard library: peers' environments use it too."""

import statistics
import time
from collections.abc import Callable
from typing import Any


def cpu(work: Callable[[], Any], *, times: int) -> tuple[float, float]:
    """Measure a piece of work several times, after once without measuring.

    Returns:
        The best and the median, in CPU seconds of this process (all of its threads).
    """
    work()
    seconds = []
    for _ in range(times):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds), statistics.median(seconds)
