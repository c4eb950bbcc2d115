"""What donors give: one changed donor moves the result by no more than the scheme says."""

import sys
import warnings
from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen

from privet.core.rows import Array
from privet.errors import InvalidError, WrongTypeError
from privet.imputation.scheme import CustomScheme, MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme

VALUES = (0, 1, 2, 6)
NONE = None


def combined(scheme: Scheme, donors: list[Any], default: int = 3) -> Fraction:
    """The result for one row, in steps; None stands for a donor that is not there."""
    values = np.array([[0 if value is None else value for value in donors]])
    there = np.array([[value is not None for value in donors]])
    return Fraction(int(scheme.combine(values, there, default)[0]), scheme.parts)


def largest_move(scheme: Scheme) -> Fraction:
    """Over all donors, one of them replaced, added or gone: donors that are there come first."""
    k, worst = scheme.k, Fraction(0)
    for number in range(1, k + 1):
        for donors in product(VALUES, repeat=number):
            here = combined(scheme, [*donors, *[NONE] * (k - number)])
            for at, other in product(range(number), (*VALUES, None)):
                changed = [*donors[:at], *([] if other is None else [other]), *donors[at + 1 :]]
                there = combined(scheme, [*changed, *[NONE] * (k - len(changed))])
                worst = max(worst, abs(here - there))
    return worst


def middle(values: Any) -> Any:
    return np.sort(values, axis=1)[:, values.shape[1] // 2]


SCHEMES: list[Scheme] = [
    NearestNeighbour(),
    MeanOfNeighbours(k=1),
    MeanOfNeighbours(k=3),
    MajorityOfNeighbours(k=1),
    MajorityOfNeighbours(k=3),
    CustomScheme(k=3, function=middle),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: f"{type(scheme).__name__} of {scheme.k}")
def test_one_donor_moves_no_more_than_the_influence(scheme: Scheme) -> None:
    assert largest_move(scheme) <= scheme.influence * (max(VALUES) - min(VALUES))


@frozen
class MeanOfThosePresent(Scheme):
    """Averages fewer donors where there are fewer, and claims a k-th of the range."""

    @property
    def k(self) -> int:
        return 3

    @property
    def influence(self) -> Fraction:
        return Fraction(1, 3)

    @property
    def parts(self) -> int:
        return 6

    def combine(self, values: Array, given: Array, default: int) -> Array:
        number = given.sum(axis=1)
        return np.where(number > 0, 6 * np.where(given, values, 0).sum(axis=1) // np.maximum(number, 1), 6 * default)


def test_averaging_those_present_is_caught() -> None:
    scheme = MeanOfThosePresent()
    assert largest_move(scheme) > scheme.influence * (max(VALUES) - min(VALUES))


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_majority_is_the_smallest_of_the_most_frequent(k: int) -> None:
    for donors in product(VALUES, repeat=k):
        counts = Counter(donors)
        wanted = min(value for value, number in counts.items() if number == max(counts.values()))
        assert combined(MajorityOfNeighbours(k=k), list(donors)) == wanted


def test_results_for_no_rows_are_empty() -> None:
    for scheme in SCHEMES:
        nothing = np.zeros((0, scheme.k), dtype=np.int64)
        assert scheme.combine(nothing, nothing.astype(bool), 0).shape == (0,)


@pytest.mark.parametrize(
    "function",
    [
        lambda values: 1 // 0,
        lambda values: sys.exit(1),
        lambda values: "text",
        lambda values: values,
        lambda values: values[:, 0] / 2,
        lambda values: None,
    ],
)
def test_whatever_a_function_does_is_a_number(function: Any) -> None:
    assert combined(CustomScheme(k=2, function=function), [1, 2]) == 3


def test_a_function_sees_one_row_at_a_time() -> None:
    scheme = CustomScheme(k=1, function=lambda values: values[:, 0] - values[:, 0].min())
    values = np.array([[5], [9], [5]])
    assert scheme.combine(values, np.ones((3, 1), dtype=bool), 0).tolist() == [0, 0, 0]


def test_a_function_sees_a_set() -> None:
    """A function of the place of a donor would move with all of them when one comes in before the others."""
    scheme = CustomScheme(k=2, function=lambda values: values[:, 0])
    assert combined(scheme, [6, 1]) == combined(scheme, [1, 6]) == 1


def test_a_function_warns_nobody() -> None:
    def warns(values: Any) -> Any:
        warnings.warn("this row", stacklevel=1)
        return values[:, 0]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert combined(CustomScheme(k=1, function=warns), [6]) == 6
    assert caught == []


def test_large_numbers_saturate() -> None:
    huge = CustomScheme(k=1, function=lambda values: np.array([2**64 - 1], dtype=np.uint64))
    assert combined(huge, [1]) == 2**63 - 1


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: MeanOfNeighbours(k=0), InvalidError, "MeanOfNeighbours.k must be above zero"),
        (lambda: MajorityOfNeighbours(k=1.5), WrongTypeError, "MajorityOfNeighbours.k must be a whole number"),
        (lambda: CustomScheme(k=1, function=3), WrongTypeError, "function must be a function"),  # type: ignore[arg-type]
        (lambda: CustomScheme(k=1, function=middle, stated=2), InvalidError, "stated must be at most one"),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
