"""Recorded randomness for the laws: the same input meets the same coins, so that a failure can be found again."""

import contextlib
from collections.abc import Iterator

from privet.noise import entropy as door
from tests.noise.doubles import RecordingEntropy


@contextlib.contextmanager
def replayed(seed: int) -> Iterator[RecordingEntropy]:
    """Give the package recorded randomness for a while."""
    source, before = RecordingEntropy(seed=seed), door._shared
    door._shared = source  # type: ignore[assignment]
    try:
        yield source
    finally:
        door._shared = before
