"""Chains: units placed one after the other on a space.

``space >> unit`` places a unit, ``chain >> unit`` appends another unit, and ``unit >> unit`` makes a pipeline to be
placed later. A chain is flat, so the order in which it is assembled does not matter.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast, final

import numpy as np
from attrs import evolve, frozen

from privet.core.checks import read_number, short
from privet.core.exact import to_float_up
from privet.core.metric import Distance
from privet.core.space import Placeable, Placed, Space, not_a_unit
from privet.errors import InvalidError, UnavailableError, WrongTypeError

if TYPE_CHECKING:
    from privet.accounting.losses.loss import Loss
    from privet.core.measurement import Measurement
    from privet.core.transformation import Transformation

Function = Callable[[Any], Any]


@final
@frozen
class Link:
    """A transformation with its input and output space."""

    unit: "Transformation"
    input: Space
    output: Space


@final
@frozen(repr=False)
class TransformationChain:
    """Transformations placed on a space.

    Calling it gives the exact, *private* result: for tests and for building measurements, never for release.
    """

    links: tuple[Link, ...]

    @property
    def input(self) -> Space:
        """Where the data live."""
        return self.links[0].input

    @property
    def output(self) -> Space:
        """Where the result lives."""
        return self.links[-1].output

    def __call__(self, data: Any) -> Any:
        with np.errstate(all="ignore"):  # what numpy warns of depends on the values
            return self.output.domain.release(self.run(self.input.domain.admit(data)))

    def run(self, value: Any) -> Any:
        """Apply every unit to a member of the input domain; the result is a member of the output domain."""
        for link in self.links:
            value = link.unit.apply(value, link.input)
        return value

    def map(self, d_in: Any) -> Distance:
        """Return the largest distance between the results of inputs at distance ``d_in``."""
        distance = self.input.reached(d_in)
        for link in self.links:
            distance = link.unit.stability(distance, link.input)
        return distance

    def bound(self, d_in: Distance, then: "Callable[[Distance], Loss]") -> "Loss":
        """Return the privacy loss of this chain and its sequel; ``then`` gives the loss of the sequel."""
        follow = then
        for link in reversed(self.links):
            follow = _before(link, follow)
        return follow(d_in)

    def __rshift__(self, unit: Placeable[Placed]) -> Placed:
        if not isinstance(unit, Placeable):
            raise WrongTypeError(not_a_unit(unit, "a transformation"))
        placed: Any = unit.place(self.output)
        joined: Any = evolve(placed, links=self.links + placed.links)
        return cast("Placed", joined)

    def __repr__(self) -> str:
        return " >> ".join([repr(self.input), *(repr(link.unit) for link in self.links)])


def _before(link: Link, then: "Callable[[Distance], Loss]") -> "Callable[[Distance], Loss]":
    return lambda distance: link.unit.bound(distance, link.input, then)


@final
@frozen(repr=False)
class MeasurementChain:
    """Transformations, a mechanism, and post-processing: data in, a release out.

    Args:
        links: The transformations, possibly none.
        mechanism: The unit that makes the release.
        place: The space that the mechanism reads.
        after: Functions applied to the release.
    """

    links: tuple[Link, ...]
    mechanism: "Measurement"
    place: Space
    after: tuple[Function, ...] = ()

    @property
    def input(self) -> Space:
        """Where the data live."""
        return self.links[0].input if self.links else self.place

    def __call__(self, data: Any) -> Any:
        with np.errstate(all="ignore"):  # what numpy warns of depends on the values
            value = self.input.domain.admit(data)
            if self.links:
                value = TransformationChain(self.links).run(value)
            release = self.mechanism.release(value, self.place)
        for function in self.after:
            release = function(release)
        return release

    def map(self, d_in: Any) -> "Loss":
        """Return the privacy loss of a release for neighbours at distance ``d_in``."""
        distance = self.input.reached(d_in)

        def last(reached: Distance) -> "Loss":
            return self.mechanism.loss(reached, self.place)

        return TransformationChain(self.links).bound(distance, last) if self.links else last(distance)

    def accuracy(self, beta: Any) -> Fraction:
        """Return the error that a release (or one coordinate of it) exceeds with probability at most ``beta``."""
        share = read_number("accuracy.beta", beta)
        if not 0 < share < 1:
            raise InvalidError(f"accuracy.beta must be between zero and one, got {short(share)}.")
        if self.after:
            raise UnavailableError("the accuracy of a post-processed release is not known; ask before post-processing.")
        return self.mechanism.accuracy(share, self.place)

    def interval(self, release: Any, level: Any = Fraction(95, 100)) -> Any:
        """Return an interval around a release that contains the exact answer with probability ``level`` or more.

        The interval is a pair (low, high) of numbers, or of arrays for a vector. Counts by key have one pair for each
        key. The exact answer refers to the clamped data on their grid; sampling error is not included.
        """
        share = read_number("interval.level", level)
        if not 0 < share < 1:
            raise InvalidError(f"interval.level must be between zero and one, got {short(share)}.")
        half = self.accuracy(1 - share)
        if isinstance(release, Mapping):
            return {key: _around(value, half) for key, value in release.items()}
        return _around(release, half)

    def __rshift__(self, function: Any) -> "MeasurementChain":
        if isinstance(function, type):
            raise WrongTypeError(
                f"{function.__name__} is a class. After a measurement comes a function of the release; "
                f"to call {function.__name__} on it write `lambda release: {function.__name__}(release)`."
            )
        if isinstance(function, Placeable | Space | TransformationChain | MeasurementChain):
            raise WrongTypeError(
                f"{type(function).__name__} cannot follow a measurement: its release is already private. "
                "Only functions, for post-processing, may follow."
            )
        if not callable(function):
            raise WrongTypeError(f"only a function can follow a measurement, got {type(function).__name__}.")
        return MeasurementChain(self.links, self.mechanism, self.place, (*self.after, function))

    def __repr__(self) -> str:
        names = [getattr(function, "__name__", repr(function)) for function in self.after]
        return " >> ".join([repr(self.input), *(repr(link.unit) for link in self.links), repr(self.mechanism), *names])


def _around(release: Any, half: Fraction) -> tuple[Any, Any]:
    if isinstance(release, int):
        return release - half.numerator, release + half.numerator
    # rounding to a float moved a real release by at most half the gap between adjacent floats
    width = np.nextafter(to_float_up(half) + np.spacing(np.abs(release)), np.inf)
    return np.nextafter(release - width, -np.inf), np.nextafter(release + width, np.inf)


@final
@frozen(repr=False)
class Pipeline(Placeable[Any]):
    """Units in a row, not yet placed on a space.

    Args:
        steps: Units, and after a mechanism possibly functions.
    """

    steps: tuple[Any, ...]

    def place(self, space: Space) -> Any:
        """Place the units one after the other."""
        chain: Any = space
        for step in self.steps:
            chain = chain >> step
        return chain

    def __rshift__(self, step: Any) -> "Pipeline":
        return join(self.steps, step)

    def __repr__(self) -> str:
        return " >> ".join(getattr(step, "__name__", repr(step)) for step in self.steps)


def join(steps: tuple[Any, ...], step: Any) -> Pipeline:
    """Append a unit, a pipeline or (after a mechanism) a function."""
    ended = any(getattr(unit, "ends_chain", False) or not isinstance(unit, Placeable) for unit in steps)
    if isinstance(step, Pipeline) and not ended:
        return Pipeline(steps + step.steps)
    if isinstance(step, Placeable):
        if ended:
            raise WrongTypeError(f"{type(step).__name__} cannot follow a measurement: its release is already private.")
        return Pipeline((*steps, step))
    if isinstance(step, type) or not ended or not callable(step):
        raise WrongTypeError(not_a_unit(step, "a transformation"))
    return Pipeline((*steps, step))
