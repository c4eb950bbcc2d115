"""Helpers of the interactive combinators: read a query, check its distance, make its release."""

from typing import Any

import numpy as np

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.core import Distance, Placeable, Space, TurnNumbers, bind, short, within_turns
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms import Stream


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
        member = value.again() if isinstance(value, Stream) else value  # a stream starts anew for each query
        if chain.links:
            member = TransformationChain(chain.links).run(member)
        release = bind(chain.mechanism.release(member, chain.place), turns)
    for function in chain.after:
        release = function(release)
    return release


def stated_distance(d_in: object, space: Space) -> Distance:
    """Read the distance for which losses are stated."""
    return space.reached(d_in)


def within_distance(label: str, loss: Loss, d_in: Any, stated: object, space: Space) -> Loss:
    """Return a loss that holds up to the stated distance; refuse a larger distance."""
    if isinstance(d_in, int) and d_in == 0:
        return loss.group(0)
    limit: Any = stated_distance(stated, space)
    if not d_in <= limit:
        raise InvalidError(
            f"{label}.d_in is {short(limit)}: its queries are checked at that distance, and nothing is known at "
            f"{short(d_in)}. Create it with the larger d_in."
        )
    return loss
