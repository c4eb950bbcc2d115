"""A public value in place of missing values."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

NAN = float("nan")
REALS = pc.vector(float, bounds=(-1, 0.1))
CASES = [
    Case(name="constant for integers", chain=pc.vector(int) >> pc.ImputeConstant(value=7)),
    Case(name="constant for bounded reals", chain=REALS >> pc.ImputeConstant(value=0.1)),
    Case(name="constant for booleans", chain=pc.vector(bool, size=3, ordered=True) >> pc.ImputeConstant(value=True)),
    Case(name="constant for text", chain=pc.vector(str) >> pc.ImputeConstant(value="?")),
    Case(
        name="constants for a matrix",
        chain=pc.matrix(2, bounds=[(0, 1), (5, 9)]) >> pc.ImputeConstant(value=[0.5, 7]),
    ),
]


@frozen
class ObservedMean(TwinOf):
    """Imputes the mean of the present rows: one row changes all imputed values."""

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
        case=Case(name="the observed mean", chain=pc.vector(float) >> ObservedMean(pc.ImputeConstant(value=0))),
    ),
    Twin(law="map", case=Case(name="NaN by equality", chain=REALS >> NaNByEquality(pc.ImputeConstant(value=-1)))),
    Twin(
        law="map",
        case=Case(
            name="a constant out of bounds",
            chain=pc.vector(int, bounds=(5, 9)) >> OffBounds(pc.ImputeConstant(value=5)),
        ),
    ),
    Twin(law="parity", case=Case(name="masked or not", chain=pc.vector(int) >> Masked(pc.ImputeConstant(value=5)))),
]


def test_nulls_and_nan_are_filled_and_nothing_else_changes() -> None:
    filled = (pc.vector(float) >> pc.ImputeConstant(value=2))([1.5, None, math.nan, math.inf])
    assert filled.tolist() == [1.5, 2.0, 2.0, math.inf]
    assert type(filled) is np.ndarray


def test_nothing_is_missing_in_the_output_space() -> None:
    domain = (REALS >> pc.ImputeConstant(value=0)).output.domain
    assert isinstance(domain, VectorDomain)
    assert (domain.nullable, domain.nan, domain.bounds) == (False, False, (Fraction(-1), Fraction(1, 10)))


def test_a_value_is_rounded_to_the_grid_within_the_bounds() -> None:
    chain = pc.vector(float, bounds=(0, 0.8), grid=0.25) >> pc.ImputeConstant(value=0.8)
    assert chain([None]).tolist() == [0.75]


def test_a_matrix_takes_one_value_or_one_for_each_column() -> None:
    rows = [[1, None], [None, 2]]
    assert (pc.matrix(2) >> pc.ImputeConstant(value=[8, 9]))(rows).tolist() == [[1, 9], [8, 2]]
    assert (pc.matrix(2) >> pc.ImputeConstant(value=5))(rows).tolist() == [[1, 5], [5, 2]]


@pytest.mark.parametrize(
    ("space", "value", "error", "message"),
    [
        (REALS, 2, InvalidError, r"must lie within the bounds of the column, \(-1, 0.1\), got 2"),
        (pc.vector(int), 0.5, InvalidError, "must be a whole number"),
        (pc.vector(int), 2**63, InvalidError, "64 bits"),
        (pc.vector(int), "a", WrongTypeError, "must be a number, got str"),
        (pc.vector(float), True, WrongTypeError, "must be a number, got bool"),
        (pc.vector(str), 3, WrongTypeError, "must be of kind str"),
        (pc.vector(bool), 1, WrongTypeError, "must be of kind bool"),
        (pc.vector(int, categories=[1, 2]), 3, InvalidError, "one of the categories of the column, got 3"),
        (pc.vector(str, categories=["a", "b"]), 0, InvalidError, "one of the categories"),
        (pc.vector(int), [1, 2], WrongTypeError, "must be one number for a column, got a list of 2"),
        (pc.matrix(3), [1, 2], WrongTypeError, "a list of 3, one for each column; got 2"),
        (pc.matrix(2, bounds=[(0, 1), (5, 9)]), 1, InvalidError, "got 1"),
    ],
)
def test_a_value_that_the_column_cannot_hold_is_refused(
    space: Space, value: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        space >> pc.ImputeConstant(value=value)


@pytest.mark.parametrize(("value", "label"), [(math.nan, "value:"), ([1, math.inf], r"value\[1\]:"), (None, "value:")])
def test_only_finite_numbers_are_read(value: Any, label: str) -> None:
    with pytest.raises(NotExactError, match=f"ImputeConstant.{label}"):
        pc.ImputeConstant(value=value)


def test_records_are_refused_with_a_hint() -> None:
    with pytest.raises(MismatchError, match="put Select"):
        pc.records(age=int) >> pc.ImputeConstant(value=0)
