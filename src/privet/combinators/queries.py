"""Helpers of the interactive combinators: read a query, check its distance, make its release."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import InteractiveMeasurement, MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.combinators.inner_measurement import bound_release
from privet.core import (
    Placeable,
    Queryable,
    Space,
    TurnNumbers,
    enclosing_turns,
    frozen_copy,
    within_turns,
)
from privet.errors import MismatchError, WrongTypeError


class _Meter(Protocol):
    """A filter or an odometer."""

    def charge(self, loss: Loss, *, delta: object = None) -> None:
        """Spend a loss, or refuse it."""


def read_query(label: str, query: object, space: Space) -> MeasurementChain:
    """Read a query: a chain that starts from the same space, or a measurement that is placed on it."""
    chain = space >> query if isinstance(query, Placeable) else query
    if isinstance(chain, TransformationChain):
        raise MismatchError(f"{label} answers with private releases only: put a mechanism at the end of the chain.")
    if not isinstance(chain, MeasurementChain):
        raise WrongTypeError(
            f"{label} takes a chain such as `space >> Count() >> Laplace(scale=1)` as a query, "
            f"got {type(chain).__name__}."
        )
    if chain.input != space:
        raise MismatchError(f"a query must start from {space!r}, the space of {label}, got {chain.input!r}.")
    return chain


def answer_query(chain: MeasurementChain, value: Any, turns: TurnNumbers) -> Any:
    """Make a release from admitted data, and bind its queryables to these turns."""
    with np.errstate(all="ignore"), within_turns(turns):  # numpy's warnings depend on the values
        release = bound_release(chain, value, turns)
    return chain.post_process(release)


def open_charged(
    unit: InteractiveMeasurement, meter: _Meter, free: dict[str, Callable[[], Any]], value: object, space: Space
) -> Queryable:
    """Keep a copy of the data, and answer queries that a meter has charged.

    Args:
        unit: The measurement that opens it.
        meter: What is charged before each release.
        free: The answers to queries that cost nothing, by their names.
        value: The data.
        space: Where they live.
    """
    outer, data = enclosing_turns(), frozen_copy(value)

    def answer(query: object) -> Any:
        if isinstance(query, str) and query in free:
            return free[query]()
        measurement, delta = query if isinstance(query, tuple) and len(query) == 2 else (query, None)
        chain = read_query(type(unit).__name__, measurement, space)
        meter.charge(chain.map(unit.d_in), delta=delta)
        return answer_query(chain, data, outer)

    return Queryable(answer)
