"""Schemes: how the values of donors become the value that a row lacks."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.core import INT_MAX, INT_MIN, Array, not_negative, number, positive, short, whole
from privet.errors import InvalidError, WrongTypeError


class Scheme(ABC):
    """A function of the values of k donors, the same for every row. Values are whole numbers: grid steps or codes."""

    @property
    @abstractmethod
    def k(self) -> int:
        """How many donors a row has."""

    @property
    @abstractmethod
    def influence(self) -> Fraction:
        """The share of the range of values by which the result moves at most when one donor changes."""

    @property
    def parts(self) -> int:
        """How many parts of a grid step make a step: results are whole numbers of such parts."""
        return 1

    @abstractmethod
    def combine(self, values: Array, given: Array, default: int) -> Array:
        """Impute: one result for each row, in parts of a grid step.

        Args:
            values: The values of the donors, one row for each incomplete row; any number for a missing donor.
            given: Whether there is a donor.
            default: The public value that stands in for a missing donor.
        """


@final
@frozen
class NearestNeighbour(Scheme):
    """Copy the value of the nearest complete row.

    >>> NearestNeighbour().influence
    Fraction(1, 1)
    """

    @property
    def k(self) -> int:
        """One."""
        return 1

    @property
    def influence(self) -> Fraction:
        """Another donor may have any value."""
        return Fraction(1)

    def combine(self, values: Array, given: Array, default: int) -> Array:
        """The donor's value, or the public one where there is no donor at all."""
        return np.where(given[:, 0], values[:, 0], default)


@final
@frozen(kw_only=True)
class MeanOfNeighbours(Scheme):
    """Average the values of the k nearest complete rows; a public value stands in for each missing donor.

    The divisor is always k. A mean of the present donors alone would move by more than a k-th of the range when one
    row is added or removed.

    Args:
        k: How many.

    >>> MeanOfNeighbours(k=4).influence
    Fraction(1, 4)
    """

    k: int = field(converter=whole, validator=positive)

    @property
    def influence(self) -> Fraction:
        """One of k equal shares."""
        return Fraction(1, self.k)

    @property
    def parts(self) -> int:
        """Results are in k-ths of a step."""
        return self.k

    def combine(self, values: Array, given: Array, default: int) -> Array:
        """Add up in whole steps."""
        total: Array = np.where(given, values, default).sum(axis=1)
        return total


@final
@frozen(kw_only=True)
class MajorityOfNeighbours(Scheme):
    """Take the most frequent value of the k nearest complete rows; of several, the smallest.

    Args:
        k: How many.

    >>> MajorityOfNeighbours(k=3).combine(np.array([[2, 5, 5]]), np.ones((1, 3), dtype=bool), 0).tolist()
    [5]
    """

    k: int = field(converter=whole, validator=positive)

    @property
    def influence(self) -> Fraction:
        """One vote may decide between any two values."""
        return Fraction(1)

    def combine(self, values: Array, given: Array, default: int) -> Array:
        """Count the votes; a missing donor votes for the public value."""
        votes = np.sort(np.where(given, values, default), axis=1)
        best, most, run = votes[:, 0].copy(), np.ones(len(votes), dtype=np.int64), np.ones(len(votes), dtype=np.int64)
        for at in range(1, self.k):
            run = np.where(votes[:, at] == votes[:, at - 1], run + 1, 1)
            best[run > most] = votes[run > most, at]
            most = np.maximum(most, run)
        return best


@final
@frozen(kw_only=True)
class CustomScheme(Scheme):
    """A function of the user's own, whose influence the user states.

    Args:
        k: How many donors it reads.
        function: From an array of one row, the values of k donors in rising order, to an array of one whole number;
            it must depend on those numbers alone. What it gives is clamped to the bounds of the values.
        stated: The share of the range by which a result moves at most when one donor changes; 1 is always true.

    >>> middle = CustomScheme(k=3, function=lambda values: np.median(values, axis=1).astype(int))
    >>> middle.combine(np.array([[9, 1, 4]]), np.ones((1, 3), dtype=bool), 0).tolist()
    [4]
    """

    k: int = field(converter=whole, validator=positive)
    function: Callable[[Array], object]
    stated: Fraction = field(default=Fraction(1), converter=number, validator=not_negative, repr=short)

    def __attrs_post_init__(self) -> None:
        if not callable(self.function):
            raise WrongTypeError(f"CustomScheme.function must be a function, got {type(self.function).__name__}.")
        if self.stated > 1:
            raise InvalidError(f"CustomScheme.stated must be at most one, the whole range, got {short(self.stated)}.")

    @property
    def influence(self) -> Fraction:
        """As stated."""
        return self.stated

    def combine(self, values: Array, given: Array, default: int) -> Array:
        """Call the function with one row at a time; where it fails, the result is the public value.

        Rows of equal numbers share a call, so that a result cannot depend on how often a row occurs.
        """
        # donors are a set: when one of them changes, their order may change too
        complete = np.sort(np.where(given, values, default).astype(np.int64), axis=1)
        rows, which = np.unique(complete, axis=0, return_inverse=True)
        with warnings.catch_warnings():  # a warning would reveal the row that caused it
            warnings.simplefilter("ignore")
            results = [self._call(row[None, :]) for row in rows]
        numbers = np.array([default if result is None else result for result in results], dtype=np.int64)
        return numbers[which.ravel()]

    def _call(self, row: Array) -> int | None:
        try:
            answer = np.asarray(self.function(row.copy()))
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - whatever a row makes a function raise, sys.exit too, must not be seen
            return None
        fits = answer.shape == (1,) and answer.dtype.kind in "iu"
        return min(max(int(answer[0]), INT_MIN), INT_MAX) if fits else None
