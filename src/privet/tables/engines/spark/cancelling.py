"""Work of Spark that Ctrl-C stops.

A connection to Java that is broken off in the middle of a call fails the calls that clean up after it, and their errors
take the place of the interrupt. So Spark works in a thread of its own. The thread that waits has no call under way
when the interrupt comes, and a third thread cancels the jobs.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from privet.errors import UnavailableError
from privet.tables.engines.engine import fresh_name

_T = TypeVar("_T")
_AGAIN = 0.2  # seconds until jobs are cancelled again that started since
_PATIENCE = 20.0  # seconds to wait for the jobs to end


def run_cancellable(context: Any, properties: Any, work: Callable[[], _T]) -> _T:
    """Run something in a thread of its own; an interrupt cancels its jobs.

    Args:
        context: The context of Spark.
        properties: The properties of Java's thread to work with, such as the pool of a fair scheduler.
        work: What to run.
    """
    tag, results, errors, ended = fresh_name("job"), list[_T](), list[Exception](), threading.Event()

    def run() -> None:
        try:
            context._jsc.sc().setLocalProperties(properties.clone())  # tags are written into them
            context.addJobTag(tag)
            try:
                results.append(work())
            finally:
                context.removeJobTag(tag)  # Java may use its thread for others, where threads are not pinned
        except Exception as error:  # noqa: BLE001 - raised by the thread that waits
            errors.append(error)
        finally:
            ended.set()

    try:
        threading.Thread(target=run, name=tag, daemon=True).start()
        ended.wait()  # no join: after an interrupt it takes a thread that runs for one that has ended
    except KeyboardInterrupt:
        _cancel(context, tag, ended)
        raise
    if not results:
        raise errors.pop() if errors else UnavailableError("the query of Spark ended without a result.")
    return results.pop()


def _cancel(context: Any, tag: str, ended: threading.Event) -> None:
    """Cancel jobs until the work ends: a query may be planned still, and start its jobs later."""

    def run() -> None:
        deadline = time.monotonic() + _PATIENCE
        while not ended.is_set() and time.monotonic() < deadline:
            with suppress(Exception):  # the interrupt is what counts, also where the application has ended
                context.cancelJobsWithTag(tag)
            ended.wait(_AGAIN)

    threading.Thread(target=run, name=f"cancel {tag}", daemon=True).start()
    ended.wait(_PATIENCE)
