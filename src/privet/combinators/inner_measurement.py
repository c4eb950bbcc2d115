"""A measurement inside another: placed on its space, or to be placed, and run on members of its input domain."""

from typing import Any

from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import TransformationChain
from privet.core import Placeable, Queryable, Space, TurnNumbers, bind, enclosing_turns, is_a
from privet.errors import MismatchError, WrongTypeError
from privet.transforms.stream_space import Stream

is_measurement = is_a(
    MeasurementChain | Placeable, "a measurement such as pc.vector(int) >> pc.Count() >> pc.Laplace(scale=2)"
)


def place_measurement(label: str, measurement: Any, space: Space) -> MeasurementChain:
    """Return the measurement on this space; place it if it is not placed already."""
    if isinstance(measurement, MeasurementChain):
        if measurement.input != space:
            raise MismatchError(f"{label} reads {measurement.input!r}, but follows {space!r}.")
        return measurement
    chain = space >> measurement
    if not isinstance(chain, MeasurementChain):
        raise MismatchError(
            f"{label} must end in a mechanism, got {measurement!r}: put one such as Laplace(scale=2) after it."
        )
    return chain


def input_space(measurement: object) -> Space | None:
    """Return the input space of a placed measurement, or None if it is not placed."""
    return measurement.input if isinstance(measurement, MeasurementChain) else None


def run_measurement(chain: MeasurementChain, value: Any) -> Any:
    """Make a release from a member of the chain's input domain; a stream always starts anew."""
    return chain.post_process(bound_release(chain, value, enclosing_turns()))


def bound_release(chain: MeasurementChain, value: Any, turns: TurnNumbers) -> Any:
    """Make the release of the mechanism, and bind its queryables to these turns before any function sees it.

    A function could keep a reference to an unbound queryable.
    """
    member = value.again() if isinstance(value, Stream) else value
    return bind(chain.mechanism.release(TransformationChain(chain.links).run(member), chain.place), turns)


def require_finished(label: str, release: Any) -> Any:
    """Refuse an interactive release, also inside a list, a tuple or a dict; the check reads types only."""
    if isinstance(release, Queryable):
        raise WrongTypeError(f"{label} must make finished releases, got a Queryable, which answers queries one by one.")
    if type(release) in (list, tuple, dict):
        for item in release.values() if isinstance(release, dict) else release:
            require_finished(label, item)
    return release
