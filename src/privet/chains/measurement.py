"""Measurements: random functions whose output may be released, and the chains that end in one."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.chains.pipeline import Unit
from privet.chains.transformation import Link, TransformationChain
from privet.core import Distance, Placeable, Space, read_share, short, to_float_up
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.noise import distinct_keys

Function = Callable[[Any], Any]


class Measurement(Unit["MeasurementChain"]):
    """A private mechanism, specified without its input space.

    A subclass is final, frozen and keyword-only, and defines ``accept``, ``release`` and ``loss``. The laws of
    ``tests/laws`` check the loss against exact output probabilities and the releases against those probabilities.
    """

    ends_chain = True

    @abstractmethod
    def accept(self, space: Space) -> None:
        """Raise ``MismatchError``, saying what would fix it, unless the mechanism can read this space."""

    @abstractmethod
    def release(self, value: Any, space: Space) -> Any:
        """Make a release from a member of the input domain."""

    @abstractmethod
    def loss(self, d_in: Any, space: Space) -> Loss:
        """Give the loss for inputs at distance ``d_in``."""

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """Give the error exceeded with probability at most ``beta``, where the mechanism has one."""
        raise UnavailableError(f"{type(self).__name__} has no accuracy: its release is not a number plus noise.")

    def place(self, space: Space) -> "MeasurementChain":
        """Put this mechanism on a space."""
        self.accept(space)
        return MeasurementChain((), self, space)

    def map(self, d_in: Any) -> Loss:
        """Answer on the default space."""
        return self.on_default().map(d_in)


class InteractiveMeasurement(Measurement):
    """A measurement whose release answers queries that are checked at one stated distance.

    A subclass has the field ``d_in``, that distance.
    """

    d_in: Any

    def accept(self, space: Space) -> None:
        """Any space with such a distance."""
        space.reached(self.d_in)

    def within_distance(self, loss: Loss, d_in: Any, space: Space) -> Loss:
        """Return a loss that holds up to the stated distance; refuse a larger distance."""
        if isinstance(d_in, int) and d_in == 0:
            return loss.group(0)
        limit: Any = space.reached(self.d_in)
        if not d_in <= limit:
            raise InvalidError(
                f"{type(self).__name__}.d_in is {short(limit)}: its queries are checked at that distance, and nothing "
                f"is known at {short(d_in)}. Create it with the larger d_in."
            )
        return loss


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
    mechanism: Measurement
    place: Space
    after: tuple[Function, ...] = ()

    @property
    def input(self) -> Space:
        """Where the data live."""
        return self.links[0].input if self.links else self.place

    def __call__(self, data: Any) -> Any:
        with np.errstate(all="ignore"):  # what numpy warns of depends on the values
            value = self.input.domain.admit_sample(data, distinct_keys)
            if self.links:
                value = TransformationChain(self.links).run(value)
            release = self.mechanism.release(value, self.place)
        return self.post_process(release) if self.after else release

    def post_process(self, release: Any) -> Any:
        """Apply the functions that follow the mechanism."""
        for function in self.after:
            release = function(release)
        return release

    def map(self, d_in: Any) -> Loss:
        """What a release costs when neighbours lie at distance ``d_in``."""

        def last(reached: Distance) -> Loss:
            return self.mechanism.loss(reached, self.place)

        return TransformationChain(self.links).bound(self.input.reached(d_in), last)

    def accuracy(self, beta: object) -> Fraction:
        """Return the error that a release (or one coordinate of it) exceeds with probability at most ``beta``."""
        share = read_share("accuracy.beta", beta)
        if self.after:
            raise UnavailableError("the accuracy of a post-processed release is not known; ask before post-processing.")
        return self.mechanism.accuracy(share, self.place)

    def interval(self, release: Any, level: object = Fraction(95, 100)) -> Any:
        """Return an interval around a release that contains the exact answer with probability ``level`` or more.

        The interval is a pair (low, high) of numbers, or of arrays for a vector. Counts by key have one pair for each
        key. The exact answer refers to the clamped data on their grid; sampling error is not included.
        """
        half = self.accuracy(1 - read_share("interval.level", level))
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
