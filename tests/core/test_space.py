"""Spaces are described in one call, and wrong descriptions are refused."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet.calculus as pc
from privet.core.frames import PartitionDomain
from privet.core.metric import PartitionDistance
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"kind": complex}, WrongTypeError, "vector.kind must be int, float, bool or str"),
        ({"kind": "int"}, WrongTypeError, "vector.kind must be int, float, bool or str"),
        ({"size": -1}, InvalidError, "vector.size must be zero or more, got -1."),
        ({"size": 2.0}, WrongTypeError, "vector.size must be a whole number, got float."),
        ({"size": True}, WrongTypeError, "vector.size must be a whole number, got bool."),
        ({"bounds": (3, 1)}, InvalidError, "vector.bounds: lower must be below upper, got lower=3, upper=1."),
        ({"bounds": (0, math.inf)}, NotExactError, "finite"),
        ({"grid": 0.5}, InvalidError, "vector.grid needs bounds"),
        ({"bounds": (0, 1), "grid": 0.3}, InvalidError, "power of two"),
        ({"bounds": (0, 1), "grid": -1}, InvalidError, "power of two"),
        ({"kind": bool, "bounds": (0, 1)}, InvalidError, "column of numbers, got bool"),
        ({"kind": str, "categories": "abc"}, WrongTypeError, "a list of values, got one string"),
        ({"kind": str, "categories": ["a"]}, InvalidError, "two or more different values"),
        ({"kind": str, "categories": ["a", "a"]}, InvalidError, "two or more different values"),
        ({"kind": str, "categories": [["a"], ["b"]]}, WrongTypeError, "plain values"),
        ({"ordered": True}, InvalidError, "needs a public size"),
        ({"bounds": (0, 10), "categories": [1.0, 2.0]}, InvalidError, "bounds or categories, not both"),
        ({"kind": int, "categories": ["a", "b"]}, InvalidError, "must all be of kind int"),
        ({"kind": int, "categories": [True, False]}, InvalidError, "must all be of kind int"),
        ({"kind": int, "categories": [1, 2**70]}, InvalidError, "64-bit"),
        ({"kind": float, "categories": [1.0, math.nan]}, InvalidError, "finite"),
        ({"bounds": (0, 10**400)}, InvalidError, "within the floats"),
    ],
)
def test_wrong_columns_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.vector(**arguments)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: pc.scalar(str), WrongTypeError, "scalar.kind must be int or float"),
        (lambda: pc.scalar(float), WrongTypeError, "scalar.grid is needed for real numbers"),
        (lambda: pc.numbers(3, float), WrongTypeError, "numbers.grid is needed for real numbers"),
        (lambda: pc.scalar(float, grid=0), InvalidError, "scalar.grid must be above zero, got 0."),
        (lambda: pc.scalar(int, grid=2), InvalidError, "scalar.grid is 1 for whole numbers, got 2"),
        (lambda: pc.scalar(float, grid=math.nan), NotExactError, "scalar.grid: expected a finite number"),
        (lambda: pc.numbers(-1), InvalidError, "numbers.length must be zero or more"),
        (lambda: pc.numbers(1.5), WrongTypeError, "numbers.length must be a whole number"),  # type: ignore[arg-type]
        (lambda: pc.persons("who", name=str), InvalidError, "must be one of the fields name, got 'who'"),
        (pc.records, WrongTypeError, "at least one field"),
        (lambda: pc.matrix(2, bounds=(0, None)), InvalidError, "matrix.bounds need both sides in a matrix"),
        (lambda: pc.matrix(2, bounds=[(0, 1), (None, 1)]), InvalidError, "need both sides in a matrix"),
        (lambda: pc.records(a=3), WrongTypeError, "records.a must be a kind"),
        (lambda: pc.matrix(0), InvalidError, "matrix.columns must be one or more"),
        (lambda: pc.choice([1]), InvalidError, "choice.categories must be two or more"),
        (lambda: pc.choice(3), WrongTypeError, "choice.categories must be a list"),  # type: ignore[arg-type]
    ],
)
def test_wrong_spaces_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def anything(space: Any) -> Any:
    """A space as an untyped program sees it."""
    return space


def test_only_units_follow_a_space() -> None:
    with pytest.raises(WrongTypeError, match="Sum is a class: write Sum\\(...\\) after `>>`, with parentheses."):
        anything(pc.vector(int)) >> pc.Sum
    with pytest.raises(WrongTypeError, match="only a measurement may be post-processed"):
        anything(pc.vector(int)) >> len
    with pytest.raises(WrongTypeError, match="only a unit can follow a space, got int."):
        anything(pc.vector(int)) >> 3


def test_spaces_print_briefly() -> None:
    assert repr(pc.vector(int, bounds=(0, 10), size=5)) == "vector(int, bounds=(0, 10), size=5)"
    assert repr(pc.vector(float)) == "vector(float)"
    assert repr(pc.scalar(float, grid=0.5)) == "scalar(float, grid=0.5)"
    assert repr(pc.numbers(3)) == "numbers(3, int)"
    assert repr(pc.choice(["a", "b"])) == "choice(['a', 'b'])"
    chain = pc.vector(int) >> pc.Clamp(bounds=(0, 10)) >> pc.Sum() >> pc.Laplace(scale=0.5)
    assert repr(chain) == "vector(int) >> Clamp(bounds=(0, 10)) >> Sum() >> Laplace(scale=0.5)"


ORDERED = pc.vector(int, size=3, ordered=True).domain
UNORDERED = pc.vector(int, size=3).domain


@pytest.mark.parametrize(
    ("domain", "metric"),
    [
        (ORDERED, pc.SymmetricDistance()),
        (pc.matrix(2, size=3, ordered=True).domain, pc.SymmetricDistance()),
        (UNORDERED, pc.HammingDistance()),
        (pc.vector(int).domain, pc.HammingDistance()),
        (UNORDERED, pc.InsertDelete()),
        (pc.matrix(2, size=3).domain, pc.InsertDelete()),
    ],
)
def test_positions_count_for_the_domain_and_the_metric_or_for_neither(domain: Any, metric: Any) -> None:
    with pytest.raises(MismatchError, match="ordered"):
        pc.Space(domain, metric)


def test_rows_in_order_are_cut_to_a_size_in_order() -> None:
    space = pc.Space(ORDERED, pc.InsertDelete())
    assert repr(space) == "Space(vector(int, size=3, ordered=True), InsertDelete())"
    assert space.reached(1) == 2
    for x, y in (([3, 2, 1], [9, 3, 2, 1]), ([3, 2, 1], [3, 2, 1, 0]), ([3, 2], [3, 9, 2]), ([], [5])):
        apart: Any = space.metric.distance(space.domain.admit(x), space.domain.admit(y), space.domain)
        assert apart <= 2


def test_parts_of_a_public_size_are_replaced() -> None:
    space = pc.Space(PartitionDomain(parts=2, inner=UNORDERED), PartitionDistance())
    one = pc.Parts(l0=1, l1=1, l2_squared=1, linf=1)
    x, y = space.domain.admit([[1, 2, 3], []]), space.domain.admit([[0, 1, 2, 3], []])
    allowed: Any = space.reached(one)
    assert space.metric.distance(x, y, space.domain) <= allowed
    assert space.reached(0) == pc.Parts(l0=0, l1=0, l2_squared=0, linf=0)


def test_identifiers_are_read_strictly_however_the_space_was_made() -> None:
    fields = {"id": int, "v": int}
    by_hand = pc.Space(pc.records(**fields).domain, pc.IdentifierDistance("id"))
    for space in (pc.persons("id", **fields), by_hand):
        assert space.domain.admit([(1.2, 3), (1, 4), (0.9, 5)]).columns["id"].tolist() == [None, 1, None]
    assert by_hand == pc.persons("id", **fields)
    assert pc.records(**fields).domain.admit([(1.2, 3.6)]).columns["id"].tolist() == [1]


def test_numbers_of_any_length_can_be_named_in_a_message() -> None:
    huge = Fraction(10**5000, 3)
    for attempt in (
        lambda: pc.vector(float, bounds=(0, 1), grid=1 / huge),
        lambda: pc.vector(int, size=-(10**5000)),
        lambda: pc.scalar(float, grid=-huge),
        lambda: pc.Laplace(scale=-huge),
        lambda: (pc.scalar(int) >> pc.Laplace(scale=1)).map(-huge),
    ):
        with pytest.raises(InvalidError, match="about -?10\\^-?"):
            attempt()
    assert repr(pc.Laplace(scale=huge)) == "Laplace(scale=about 10^5000)"
