"""What the combinators share: a measurement inside another, given placed or to be placed, and run on members."""

from typing import Any

from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.core.queryable import Queryable
from privet.core.reentrancy import around, hold
from privet.core.space import Placeable, Space
from privet.errors import MismatchError, WrongTypeError
from privet.transforms.stream_space import Stream


def is_measurement(label: str, given: Any) -> None:
    """Refuse what cannot become a measurement on a space."""
    if not isinstance(given, MeasurementChain | Placeable):
        raise WrongTypeError(
            f"{label} must be a measurement such as pc.vector(int) >> pc.Count() >> pc.Laplace(scale=2), "
            f"got {type(given).__name__}."
        )


def placed(label: str, given: Any, space: Space) -> MeasurementChain:
    """Give the measurement on this space: the one that is there already, or one that is placed now."""
    if isinstance(given, MeasurementChain):
        if given.input != space:
            raise MismatchError(f"{label} reads {given.input!r}, but stands behind {space!r}.")
        return given
    chain = space >> given
    if not isinstance(chain, MeasurementChain):
        raise MismatchError(
            f"{label} must end in a mechanism, got {given!r}: put one such as Laplace(scale=2) behind it."
        )
    return chain


def home(given: Any) -> Space | None:
    """Give the space of a measurement that is placed already, or None."""
    return given.input if isinstance(given, MeasurementChain) else None


def released(chain: MeasurementChain, value: Any) -> Any:
    """Make a release from a member of the chain's input domain; a stream is met from its start each time."""
    if isinstance(value, Stream):
        value = value.again()
    if chain.links:
        value = TransformationChain(chain.links).run(value)
    # tied to the compositors around before a function sees it: a function could keep it
    release = hold(chain.mechanism.release(value, chain.place), around())
    for function in chain.after:
        release = function(release)
    return release


def finished(label: str, release: Any) -> Any:
    """Refuse an interactive release, also inside a list, a tuple or a dict; only types are looked at."""
    if isinstance(release, Queryable):
        raise WrongTypeError(
            f"{label} must give finished releases, got a Queryable, which answers questions one by one."
        )
    if type(release) in (list, tuple, dict):
        for item in release.values() if isinstance(release, dict) else release:
            finished(label, item)
    return release
