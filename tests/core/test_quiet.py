"""Calling users' code: exceptions become None."""

import sys
from typing import Any

import pytest

from privet.core.quiet import quietly


def raises(error: type[BaseException]) -> Any:
    raise error


@pytest.mark.parametrize("error", [ValueError, SystemExit, GeneratorExit, RecursionError, MemoryError, StopIteration])
def test_a_failure_returns_none(error: type[BaseException]) -> None:
    assert quietly(raises, error) is None
    assert quietly(sys.exit, 3) is None


def test_an_interrupt_passes() -> None:
    with pytest.raises(KeyboardInterrupt):
        quietly(raises, KeyboardInterrupt)
