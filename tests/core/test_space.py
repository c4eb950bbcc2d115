"""Spaces are described in one call, and wrong descriptions are refused."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.core.frames import PartitionDomain
from privet.core.metric import PartitionDistance
from privet.errors import Invalid, Mismatch, NotExact, WrongType


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"kind": complex}, WrongType, "vector.kind must be int, float, bool or str"),
        ({"kind": "int"}, WrongType, "vector.kind must be int, float, bool or str"),
        ({"size": -1}, Invalid, "vector.size must be zero or more, got -1."),
        ({"size": 2.0}, WrongType, "vector.size must be a whole number, got float."),
        ({"size": True}, WrongType, "vector.size must be a whole number, got bool."),
        ({"bounds": (3, 1)}, Invalid, "vector.bounds: lower must be below upper, got lower=3, upper=1."),
        ({"bounds": (0, math.inf)}, NotExact, "finite"),
        ({"grid": 0.5}, Invalid, "vector.grid needs bounds"),
        ({"bounds": (0, 1), "grid": 0.3}, Invalid, "power of two"),
        ({"bounds": (0, 1), "grid": -1}, Invalid, "power of two"),
        ({"kind": bool, "bounds": (0, 1)}, Invalid, "column of numbers, got bool"),
        ({"kind": str, "categories": "abc"}, WrongType, "a list of values, got one string"),
        ({"kind": str, "categories": ["a"]}, Invalid, "two or more different values"),
        ({"kind": str, "categories": ["a", "a"]}, Invalid, "two or more different values"),
        ({"kind": str, "categories": [["a"], ["b"]]}, WrongType, "plain values"),
        ({"ordered": True}, Invalid, "needs a public size"),
        ({"bounds": (0, 10), "categories": [1.0, 2.0]}, Invalid, "bounds or categories, not both"),
        ({"kind": int, "categories": ["a", "b"]}, Invalid, "must all be of kind int"),
        ({"kind": int, "categories": [True, False]}, Invalid, "must all be of kind int"),
        ({"kind": int, "categories": [1, 2**70]}, Invalid, "64-bit"),
        ({"kind": float, "categories": [1.0, math.nan]}, Invalid, "finite"),
        ({"bounds": (0, 10**400)}, Invalid, "within the floats"),
    ],
)
def test_wrong_columns_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pv.vector(**arguments)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: pv.scalar(str), WrongType, "scalar.kind must be int or float"),
        (lambda: pv.scalar(float), WrongType, "scalar.grid is needed for real numbers"),
        (lambda: pv.numbers(3, float), WrongType, "numbers.grid is needed for real numbers"),
        (lambda: pv.scalar(float, grid=0), Invalid, "scalar.grid must be above zero, got 0."),
        (lambda: pv.scalar(int, grid=2), Invalid, "scalar.grid is 1 for whole numbers, got 2"),
        (lambda: pv.scalar(float, grid=math.nan), NotExact, "scalar.grid: expected a finite number"),
        (lambda: pv.numbers(-1), Invalid, "numbers.length must be zero or more"),
        (lambda: pv.numbers(1.5), WrongType, "numbers.length must be a whole number"),  # type: ignore[arg-type]
        (lambda: pv.persons("who", name=str), Invalid, "must be one of the fields name, got 'who'"),
        (pv.records, WrongType, "at least one field"),
        (lambda: pv.records(a=3), WrongType, "records.a must be a kind"),
        (lambda: pv.matrix(0), Invalid, "matrix.columns must be one or more"),
        (lambda: pv.choice([1]), Invalid, "choice.categories must be two or more"),
        (lambda: pv.choice(3), WrongType, "choice.categories must be a list"),  # type: ignore[arg-type]
    ],
)
def test_wrong_spaces_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def anything(space: Any) -> Any:
    """A space as an untyped program sees it."""
    return space


def test_only_units_follow_a_space() -> None:
    with pytest.raises(WrongType, match="Sum is a class: write Sum\\(...\\) after `>>`, with parentheses."):
        anything(pv.vector(int)) >> pv.Sum
    with pytest.raises(WrongType, match="only a measurement may be post-processed"):
        anything(pv.vector(int)) >> len
    with pytest.raises(WrongType, match="only a unit can follow a space, got int."):
        anything(pv.vector(int)) >> 3


def test_spaces_print_briefly() -> None:
    assert repr(pv.vector(int, bounds=(0, 10), size=5)) == "vector(int, bounds=(0, 10), size=5)"
    assert repr(pv.vector(float)) == "vector(float)"
    assert repr(pv.scalar(float, grid=0.5)) == "scalar(float, grid=0.5)"
    assert repr(pv.numbers(3)) == "numbers(3, int)"
    assert repr(pv.choice(["a", "b"])) == "choice(['a', 'b'])"
    chain = pv.vector(int) >> pv.Clamp(bounds=(0, 10)) >> pv.Sum() >> pv.Laplace(scale=0.5)
    assert repr(chain) == "vector(int) >> Clamp(bounds=(0, 10)) >> Sum() >> Laplace(scale=0.5)"


ORDERED = pv.vector(int, size=3, ordered=True).domain
UNORDERED = pv.vector(int, size=3).domain


@pytest.mark.parametrize(
    ("domain", "metric"),
    [
        (ORDERED, pv.SymmetricDistance()),
        (pv.matrix(2, size=3, ordered=True).domain, pv.SymmetricDistance()),
        (UNORDERED, pv.HammingDistance()),
        (pv.vector(int).domain, pv.HammingDistance()),
        (UNORDERED, pv.InsertDelete()),
        (pv.matrix(2, size=3).domain, pv.InsertDelete()),
    ],
)
def test_positions_count_for_the_domain_and_the_metric_or_for_neither(domain: Any, metric: Any) -> None:
    with pytest.raises(Mismatch, match="ordered"):
        pv.Space(domain, metric)


def test_rows_in_order_are_cut_to_a_size_in_order() -> None:
    space = pv.Space(ORDERED, pv.InsertDelete())
    assert repr(space) == "Space(vector(int, size=3, ordered=True), InsertDelete())"
    assert space.reached(1) == 2
    for x, y in (([3, 2, 1], [9, 3, 2, 1]), ([3, 2, 1], [3, 2, 1, 0]), ([3, 2], [3, 9, 2]), ([], [5])):
        apart: Any = space.metric.distance(space.domain.admit(x), space.domain.admit(y), space.domain)
        assert apart <= 2


def test_parts_of_a_public_size_are_replaced() -> None:
    space = pv.Space(PartitionDomain(parts=2, inner=UNORDERED), PartitionDistance())
    one = pv.Parts(l0=1, l1=1, l2_squared=1, linf=1)
    x, y = space.domain.admit([[1, 2, 3], []]), space.domain.admit([[0, 1, 2, 3], []])
    allowed: Any = space.reached(one)
    assert space.metric.distance(x, y, space.domain) <= allowed
    assert space.reached(0) == pv.Parts(l0=0, l1=0, l2_squared=0, linf=0)


def test_identifiers_are_read_strictly_however_the_space_was_made() -> None:
    fields = {"id": int, "v": int}
    by_hand = pv.Space(pv.records(**fields).domain, pv.IdentifierDistance("id"))
    for space in (pv.persons("id", **fields), by_hand):
        assert space.domain.admit([(1.2, 3), (1, 4), (0.9, 5)]).columns["id"].tolist() == [None, 1, None]
    assert by_hand == pv.persons("id", **fields)
    assert pv.records(**fields).domain.admit([(1.2, 3.6)]).columns["id"].tolist() == [1]


def test_numbers_of_any_length_can_be_named_in_a_message() -> None:
    huge = Fraction(10**5000, 3)
    for attempt in (
        lambda: pv.vector(float, bounds=(0, 1), grid=1 / huge),
        lambda: pv.vector(int, size=-(10**5000)),
        lambda: pv.scalar(float, grid=-huge),
        lambda: pv.Laplace(scale=-huge),
        lambda: (pv.scalar(int) >> pv.Laplace(scale=1)).map(-huge),
    ):
        with pytest.raises(Invalid, match="about -?10\\^-?"):
            attempt()
    assert repr(pv.Laplace(scale=huge)) == "Laplace(scale=about 10^5000)"
