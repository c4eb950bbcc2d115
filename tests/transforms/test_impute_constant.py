"""A public value in place of what is missing."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
from privet.core.domain import VectorDomain
from privet.core.space import Space
from privet.errors import Invalid, Mismatch, NotExact, WrongType
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

NAN = float("nan")
REALS = pv.vector(float, bounds=(-1, 0.1))
CASES = [
    Case(name="constant for integers", chain=pv.vector(int) >> pv.ImputeConstant(value=7)),
    Case(name="constant for bounded reals", chain=REALS >> pv.ImputeConstant(value=0.1)),
    Case(name="constant for booleans", chain=pv.vector(bool, size=3, ordered=True) >> pv.ImputeConstant(value=True)),
    Case(name="constant for text", chain=pv.vector(str) >> pv.ImputeConstant(value="?")),
    Case(
        name="constants for a matrix",
        chain=pv.matrix(2, bounds=[(0, 1), (5, 9)]) >> pv.ImputeConstant(value=[0.5, 7]),
    ),
]


@frozen
class ObservedMean(TwinOf):
    """Fills in the mean of the rows that are there: one row moves all the filled ones."""

    def apply(self, value: Any, space: Space) -> Any:
        seen = value.compressed()
        with np.errstate(over="ignore"):
            mean = seen[np.isfinite(seen)].mean() if np.isfinite(seen).any() else 0.0
        return np.where(np.ma.getmaskarray(value) | np.isnan(value.data), mean, value.data)


@frozen
class NaNByEquality(TwinOf):
    """Looks for NaN with ==, which finds none."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.where(np.ma.getmaskarray(value) | (value.data == NAN), -1.0, value.data)


@frozen
class OffBounds(TwinOf):
    """Fills in zero although the bounds do not hold it."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.filled(value, 0)


@frozen
class Masked(TwinOf):
    """Gives a masked array where something was missing, a plain one elsewhere."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        return np.ma.MaskedArray(right) if np.ma.getmaskarray(value).any() else right


TWINS = [
    Twin(
        law="map",
        case=Case(name="the observed mean", chain=pv.vector(float) >> ObservedMean(pv.ImputeConstant(value=0))),
    ),
    Twin(law="map", case=Case(name="NaN by equality", chain=REALS >> NaNByEquality(pv.ImputeConstant(value=-1)))),
    Twin(
        law="map",
        case=Case(
            name="a constant out of bounds",
            chain=pv.vector(int, bounds=(5, 9)) >> OffBounds(pv.ImputeConstant(value=5)),
        ),
    ),
    Twin(law="parity", case=Case(name="masked or not", chain=pv.vector(int) >> Masked(pv.ImputeConstant(value=5)))),
]


def test_nulls_and_nan_are_filled_and_nothing_else_changes() -> None:
    filled = (pv.vector(float) >> pv.ImputeConstant(value=2))([1.5, None, math.nan, math.inf])
    assert filled.tolist() == [1.5, 2.0, 2.0, math.inf]
    assert type(filled) is np.ndarray


def test_nothing_is_missing_in_the_output_space() -> None:
    domain = (REALS >> pv.ImputeConstant(value=0)).output.domain
    assert isinstance(domain, VectorDomain)
    assert (domain.nullable, domain.nan, domain.bounds) == (False, False, (Fraction(-1), Fraction(1, 10)))


def test_a_value_is_rounded_to_the_grid_within_the_bounds() -> None:
    chain = pv.vector(float, bounds=(0, 0.8), grid=0.25) >> pv.ImputeConstant(value=0.8)
    assert chain([None]).tolist() == [0.75]


def test_a_matrix_takes_one_value_or_one_for_each_column() -> None:
    rows = [[1, None], [None, 2]]
    assert (pv.matrix(2) >> pv.ImputeConstant(value=[8, 9]))(rows).tolist() == [[1, 9], [8, 2]]
    assert (pv.matrix(2) >> pv.ImputeConstant(value=5))(rows).tolist() == [[1, 5], [5, 2]]


@pytest.mark.parametrize(
    ("space", "value", "error", "message"),
    [
        (REALS, 2, Invalid, r"must lie within the bounds of the column, \(-1, 0.1\), got 2"),
        (pv.vector(int), 0.5, Invalid, "must be a whole number"),
        (pv.vector(int), 2**63, Invalid, "64 bits"),
        (pv.vector(int), "a", WrongType, "must be a number, got str"),
        (pv.vector(float), True, WrongType, "must be a number, got bool"),
        (pv.vector(str), 3, WrongType, "must be of kind str"),
        (pv.vector(bool), 1, WrongType, "must be of kind bool"),
        (pv.vector(int, categories=[1, 2]), 3, Invalid, "one of the categories of the column, got 3"),
        (pv.vector(str, categories=["a", "b"]), 0, Invalid, "one of the categories"),
        (pv.vector(int), [1, 2], WrongType, "must be one number for a column, got a list of 2"),
        (pv.matrix(3), [1, 2], WrongType, "a list of 3, one for each column; got 2"),
        (pv.matrix(2, bounds=[(0, 1), (5, 9)]), 1, Invalid, "got 1"),
    ],
)
def test_a_value_that_the_column_cannot_hold_is_refused(
    space: Space, value: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        space >> pv.ImputeConstant(value=value)


@pytest.mark.parametrize(("value", "label"), [(math.nan, "value:"), ([1, math.inf], r"value\[1\]:"), (None, "value:")])
def test_only_finite_numbers_are_read(value: Any, label: str) -> None:
    with pytest.raises(NotExact, match=f"ImputeConstant.{label}"):
        pv.ImputeConstant(value=value)


def test_records_are_refused_with_a_hint() -> None:
    with pytest.raises(Mismatch, match="put Select"):
        pv.records(age=int) >> pv.ImputeConstant(value=0)
