"""What the interactive combinators share: reading a question, its price at the stated distance, its release."""

from typing import Any

import numpy as np

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.core.checks import short
from privet.core.metric import Distance
from privet.core.reentrancy import Held, hold, within
from privet.core.space import Placeable, Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.stream_space import Stream


def read_question(owner: str, question: Any, space: Space) -> MeasurementChain:
    """Read a question: a chain that starts from the same space, or a measurement that is placed on it."""
    if isinstance(question, Placeable):
        question = space >> question
    if isinstance(question, TransformationChain):
        raise MismatchError(f"{owner} answers with private releases only: put a mechanism at the end of the chain.")
    if not isinstance(question, MeasurementChain):
        raise WrongTypeError(
            f"{owner} is asked with a chain such as `space >> Count() >> Laplace(scale=1)`, "
            f"got {type(question).__name__}."
        )
    if question.input != space:
        raise MismatchError(f"a question must start from {space!r}, as {owner} does, got {question.input!r}.")
    return question


def released(chain: MeasurementChain, value: Any, held: Held) -> Any:
    """Make a release from data that were admitted before, and tie what is interactive in it to the turns held."""
    with np.errstate(all="ignore"), within(held):  # what numpy warns of depends on the values
        seen = value.again() if isinstance(value, Stream) else value  # each question meets the stream from its start
        if chain.links:
            seen = TransformationChain(chain.links).run(seen)
        release = hold(chain.mechanism.release(seen, chain.place), held)
    for function in chain.after:
        release = function(release)
    return release


def stated_distance(d_in: Any, space: Space) -> Distance:
    """Read the distance that losses are stated for."""
    return space.reached(d_in)


def within_distance(owner: str, loss: Loss, d_in: Any, stated: Any, space: Space) -> Loss:
    """Give a loss that holds up to the stated distance; nothing is known beyond it."""
    if isinstance(d_in, int) and d_in == 0:
        return loss.group(0)
    limit: Any = stated_distance(stated, space)
    if not d_in <= limit:
        told = short(limit)
        raise InvalidError(
            f"{owner}.d_in is {told}: its questions are checked at that distance, and nothing is known of them at "
            f"{short(d_in)}. Make it with the larger d_in."
        )
    return loss
