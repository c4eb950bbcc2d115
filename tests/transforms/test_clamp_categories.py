"""What is not a category becomes the null value; nulls are kept."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

CASES = [
    Case(name="categories of text", chain=pc.vector(str) >> pc.ClampCategories(categories=["a", ""])),
    Case(
        name="categories with a null value",
        chain=pc.vector(str, nullable=False, size=3) >> pc.ClampCategories(categories=["a", "b"], null_value="other"),
    ),
    Case(
        name="categories of integers",
        chain=pc.vector(int, size=3, ordered=True) >> pc.ClampCategories(categories=[0, 7], null_value=-1),
    ),
    Case(
        name="categories of reals", chain=pc.vector(float) >> pc.ClampCategories(categories=[0.0, 0.1], null_value=1.0)
    ),
]


@frozen
class Commonest(TwinOf):
    """Replaces other values by the most frequent category, which one row can change."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        seen = Counter(item for item in right.tolist() if item in ("a", "b"))
        top = max(("a", "b"), key=lambda item: seen[item])
        return np.ma.MaskedArray([top if item is None else item for item in right.tolist()], dtype=object)


@frozen
class Unchecked(TwinOf):
    """Claims categories that it does not enforce."""

    def apply(self, value: Any, space: Space) -> Any:
        return value


@frozen
class Unknown(TwinOf):
    """Warns about values outside the list."""

    def apply(self, value: Any, space: Space) -> Any:
        for item in value.tolist():
            if item not in ("a", "b", None):
                raise KeyError(item)
        return self.right.apply(value, space)


RIGHT = pc.ClampCategories(categories=["a", "b"])
TWINS = [
    Twin(law="map", case=Case(name="sent to the commonest", chain=pc.vector(str) >> Commonest(RIGHT))),
    Twin(law="map", case=Case(name="categories not enforced", chain=pc.vector(str) >> Unchecked(RIGHT))),
    Twin(law="parity", case=Case(name="unknown category", chain=pc.vector(str) >> Unknown(RIGHT))),
]


def test_values_outside_the_list_become_null_or_the_null_value() -> None:
    rows = ["a", "x", None, "b"]
    assert (pc.vector(str) >> RIGHT)(rows).tolist() == ["a", None, None, "b"]
    named = pc.vector(str) >> pc.ClampCategories(categories=["a", "b"], null_value="x")
    assert named([*rows, "y"]).tolist() == ["a", "x", None, "b", "x"]


def test_nan_is_null_and_both_zeros_are_one_category() -> None:
    chain = pc.vector(float) >> pc.ClampCategories(categories=[0.0, 1.0], null_value=9.0)
    assert chain([math.nan, -0.0, 1.0, math.inf, None]).tolist() == [None, 0.0, 1.0, 9.0, None]


@pytest.mark.parametrize(
    ("space", "null_value", "categories", "nullable"),
    [
        (pc.vector(str), None, ("a", "b"), True),
        (pc.vector(str, nullable=False), None, ("a", "b"), True),
        (pc.vector(str, nullable=False), "c", ("a", "b", "c"), False),
        (pc.vector(str), "b", ("a", "b"), True),
    ],
)
def test_the_output_has_the_categories(
    space: Space, null_value: Any, categories: tuple[str, ...], nullable: bool
) -> None:
    domain = (space >> pc.ClampCategories(categories=["a", "b"], null_value=null_value)).output.domain
    assert isinstance(domain, VectorDomain)
    assert (domain.categories, domain.nullable) == (categories, nullable)


def test_bounds_are_forgotten() -> None:
    domain = (pc.vector(float, bounds=(0, 1)) >> pc.ClampCategories(categories=[0.1, 0.2])).output.domain
    assert isinstance(domain, VectorDomain)
    assert (domain.bounds, domain.grid) == (None, None)


@pytest.mark.parametrize(
    ("categories", "error", "message"),
    [
        ([], WrongTypeError, "ClampCategories.categories must be a list of one or more values."),
        ("ab", WrongTypeError, "a list of one or more"),
        (["a", 1], WrongTypeError, "of one kind"),
        ([True, 1], WrongTypeError, "of one kind"),
        ([None], WrongTypeError, "of one kind"),
        (["a", "a"], InvalidError, "different values, got 2 of which 1 differ"),
        ([math.nan], InvalidError, "NaN is not a category"),
        ([2**63], InvalidError, "64-bit"),
    ],
)
def test_wrong_categories_are_refused(categories: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.ClampCategories(categories=categories)


def test_numpy_values_are_plain_values() -> None:
    assert pc.ClampCategories(categories=np.array([1, 2])) == pc.ClampCategories(categories=[1, 2])


def test_categories_must_fit_the_column() -> None:
    with pytest.raises(MismatchError, match="must be of kind int, the kind of the column"):
        pc.vector(int) >> RIGHT
    with pytest.raises(MismatchError, match="null_value must be of kind str"):
        pc.vector(str) >> pc.ClampCategories(categories=["a"], null_value=0)
    with pytest.raises(MismatchError, match="column of records"):
        pc.matrix(2) >> RIGHT
