"""Sample and aggregate."""

import math
import sys
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.combinators.sample_and_aggregate import SampleAndAggregate
from privet.core.metric import Distance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin, check_map, check_parity
from tests.transforms.random_twins import RandomTwinOf

UNIT_INTERVAL = pc.vector(float, bounds=(0, 1))


def first(part: Any) -> Any:
    """The most delicate function of a part: it depends on the order, and fails where there is nothing."""
    return part[0]


def size(part: Any) -> int:
    return len(next(iter(part.values()))) if isinstance(part, dict) else len(part)


def digest(part: Any) -> float:
    """A function that every change of a part changes, in all likelihood."""
    text = repr({name: column.tolist() for name, column in part.items()} if isinstance(part, dict) else part.tolist())
    return (sum(ord(letter) * (at + 1) for at, letter in enumerate(text)) % 1009) / 1009


THREE = SampleAndAggregate(parts=3, function=digest, to=UNIT_INTERVAL)
FIRST = SampleAndAggregate(parts=2, function=first, to=pc.vector(int, bounds=(-5, 5)), default=3)
PEOPLE = pc.persons("id", id=str, x=int)
CASES = [
    Case(name="the first of a part", chain=pc.vector(int) >> FIRST),
    Case(name="a known size", chain=pc.vector(bool, size=3) >> THREE),
    Case(name="rows in order", chain=pc.vector(int, size=3, ordered=True) >> FIRST),
    Case(
        name="a matrix",
        chain=pc.matrix(2) >> SampleAndAggregate(parts=2, function=first, to=pc.matrix(2, bounds=(0, 9))),
    ),
    Case(name="persons", chain=PEOPLE >> THREE),
]


@frozen
class OrderKept(RandomTwinOf):
    """Passes the rows in their given order, which is not part of the distance."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return self.right.combine(value, (coins[0], np.arange(len(value))), space)


@frozen
class EqualParts(RandomTwinOf):
    """Shuffles and cuts into parts of equal size: one row more moves the cuts (errata B14)."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        part = np.argsort(np.argsort(coins[1])) * 3 // max(len(value), 1)
        return self.right.combine(value, (part, coins[1]), space)


@frozen
class RecordByRecord(RandomTwinOf):
    """Deals out the records of persons one by one, and still charges one part for a person."""

    def output(self, space: Space) -> Space:
        return (Space(space.domain, pc.SymmetricDistance()) >> self.right).output

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        return self.right.combine(value, coins, Space(space.domain, pc.SymmetricDistance()))


@frozen
class HalfCharged(RandomTwinOf):
    """Charges two added rows as one."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return int(d_in + 1) // 2


@frozen
class Fragile(RandomTwinOf):
    """Lets the function's errors out."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        for part in range(2):
            first(value[coins[0] == part])
        return self.right.combine(value, coins, space)


TWINS = [
    Twin(law="map", case=Case(name="order kept", chain=pc.vector(int) >> OrderKept(FIRST))),
    Twin(law="map", case=Case(name="equal parts", chain=pc.vector(int) >> EqualParts(THREE))),
    Twin(law="map", case=Case(name="persons torn apart", chain=PEOPLE >> RecordByRecord(THREE))),
    Twin(law="map", case=Case(name="half charged", chain=pc.vector(int) >> HalfCharged(THREE))),
    Twin(law="parity", case=Case(name="errors let out", chain=pc.vector(int) >> Fragile(FIRST))),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_map_holds(case: Case) -> None:
    check_map(case)


@pytest.mark.parametrize("case", [CASES[0], CASES[-1]], ids=lambda case: case.name)
def test_neighbours_behave_the_same(case: Case) -> None:
    check_parity(case)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.case.name)
def test_a_broken_twin_is_caught(twin: Twin) -> None:
    law: Any = {"map": partial(check_map, quick=True), "parity": partial(check_parity, quick=True)}[twin.law]
    with pytest.raises(AssertionError, match=f"^{twin.law} law"):
        law(twin.case)


def test_the_map() -> None:
    assert (pc.vector(int) >> THREE).map(1) == 1
    assert (pc.vector(int) >> THREE).map(100) == 3
    assert (pc.vector(int, size=9) >> THREE).map(2) == 1
    assert (PEOPLE >> THREE).map(2) == 2


def test_a_private_median_follows() -> None:
    unit = SampleAndAggregate(parts=100, function=np.median, to=pc.vector(float, bounds=(0, 100)))
    by = pc.PermuteAndFlip(scale=1)
    chain = pc.vector(float) >> unit >> pc.Quantile(candidates=[float(x) for x in range(101)], alpha=0.5, by=by)
    assert chain.map(1).epsilon() == 2  # one result replaced: two steps of the scores' range
    assert abs(chain([float(x % 81) for x in range(8000)]) - 40) < 12
    mean = pc.vector(float) >> unit >> pc.Mean() >> pc.Laplace(scale=1)
    assert float(mean.map(1).epsilon()) == pytest.approx(1.0)


def test_every_record_is_in_one_part_and_a_person_in_one() -> None:
    sizes = pc.vector(int) >> SampleAndAggregate(parts=4, function=size, to=int)
    assert sum(sizes(list(range(100)))) == 100
    together = PEOPLE >> SampleAndAggregate(parts=4, function=size, to=int)
    data = {"id": ["a"] * 30 + ["b"] * 20 + [None] * 5, "x": list(range(55))}
    assert sorted(together(data))[-1] in (50, 30)
    assert sum(together(data)) == 50


def test_parts_of_persons_are_equally_likely() -> None:
    """Each of 3,000 persons is in one of 3 parts: 1,000 in each, within 7 standard deviations."""
    sizes = PEOPLE >> SampleAndAggregate(parts=3, function=size, to=int)
    found = sizes({"id": [str(at // 2) for at in range(6000)], "x": [0] * 6000})
    assert all(abs(count / 2 - 1000) < 7 * 26 for count in found)


def leave(part: Any) -> Any:
    sys.exit(3)


class Hostile:
    def __float__(self) -> float:
        raise MemoryError

    @property
    def __class__(self) -> Any:
        raise SystemExit

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise SystemExit


@pytest.mark.parametrize(
    "function",
    [leave, lambda part: 1 / 0, lambda part: math.nan, lambda part: "text", lambda part: None, lambda part: Hostile()],
)
def test_unreadable_results_become_the_default(function: Any) -> None:
    unit = SampleAndAggregate(parts=3, function=function, to=UNIT_INTERVAL, default=0.25)
    assert (pc.vector(int) >> unit)([1, 2, 3]).tolist() == [0.25] * 3
    rows = SampleAndAggregate(parts=1, function=function, to=pc.matrix(2, bounds=(0, 1)), default=[0.5, 0.25])
    assert (pc.vector(int) >> rows)([1, 2, 3]).tolist() == [[0.5, 0.25]]


def test_results_are_clamped_to_their_domain() -> None:
    chain = pc.vector(int) >> SampleAndAggregate(parts=1, function=np.sum, to=pc.vector(int, bounds=(0, 5)))
    assert chain([100]).tolist() == [5]
    assert chain([-(10**9)]).tolist() == [0]
    infinite = pc.vector(float) >> SampleAndAggregate(parts=1, function=np.sum, to=UNIT_INTERVAL)
    assert infinite([math.inf]).tolist() == [1]


def test_rows_of_numbers_and_categories_are_results_too() -> None:
    rows = SampleAndAggregate(parts=2, function=lambda part: [50, 2], to=pc.matrix(2, bounds=(0, 5)))
    chain = pc.vector(int) >> rows
    assert chain([1]).tolist() == [[5, 2], [5, 2]]
    assert chain.output.domain.member(chain([1]))
    wrong = SampleAndAggregate(parts=1, function=lambda part: [1, 2, 3], to=pc.matrix(2, bounds=(0, 5)), default=[1, 1])
    assert (pc.vector(int) >> wrong)([1]).tolist() == [[1, 1]]
    votes = SampleAndAggregate(parts=5, function=lambda part: "z", to=pc.vector(str, categories=["y", "x"]))
    assert Counter((pc.vector(int) >> votes)([1])) == {"y": 5}


def test_the_function_sees_nothing_hidden() -> None:
    seen = []

    def look(part: Any) -> int:
        seen.append((part.data.tolist(), np.ma.getmask(part).tolist()))
        part[:] = 7  # its own copy
        return 0

    data = np.ma.MaskedArray([5, 6], mask=[True, False])
    (pc.vector(int) >> SampleAndAggregate(parts=1, function=look, to=int))(data)
    assert sorted(seen[0][0]) == [0, 6]
    assert data.data.tolist() == [5, 6]


def test_minus_zero_looks_like_zero() -> None:
    signs = SampleAndAggregate(
        parts=1, function=lambda part: math.copysign(1, part[0]), to=pc.vector(int, bounds=(-1, 1))
    )
    assert (pc.vector(float) >> signs)([-0.0]).tolist() == [1]


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidError, match="SampleAndAggregate.parts must be above zero, got 0."):
        SampleAndAggregate(parts=0, function=len, to=int)
    with pytest.raises(WrongTypeError, match="SampleAndAggregate.function must be a function"):
        SampleAndAggregate(parts=1, function=3, to=int)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="SampleAndAggregate.to must be int, float"):
        SampleAndAggregate(parts=1, function=len, to=pc.scalar(int))
    with pytest.raises(InvalidError, match="SampleAndAggregate.to must be a space with no size"):
        SampleAndAggregate(parts=1, function=len, to=pc.vector(int, size=3))
    with pytest.raises(InvalidError, match="SampleAndAggregate.default must be a result of kind float"):
        pc.vector(int) >> SampleAndAggregate(parts=1, function=len, to=UNIT_INTERVAL, default="none")
    with pytest.raises(MismatchError, match="SampleAndAggregate reads rows"):
        pc.scalar(int) >> THREE


@pytest.mark.parametrize("columns", [2, 9, 100])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("last", [pc.VectorMean(), pc.VectorSum()])
@pytest.mark.parametrize("size", [1e300, 1.0, 0.7])
def test_results_in_a_ball_lie_in_it(columns: int, order: Any, last: Any, size: float) -> None:
    ball = (pc.matrix(columns) >> pc.ClampNorm(radius=1, order=order)).output
    unit = SampleAndAggregate(
        parts=1, function=lambda part: np.full(columns, size if part.max() > 0 else -size), to=ball
    )
    chain = pc.vector(int, bounds=(0, 1), nullable=False, size=50) >> unit >> last
    x, y = (chain.run(chain.input.domain.admit([0] * 49 + [end])) for end in (0, 1))
    allowed: Any = chain.map(2)
    assert chain.output.metric.distance(x, y, chain.output.domain) <= allowed


def test_a_default_lies_in_the_ball_too() -> None:
    ball = (pc.matrix(2) >> pc.ClampNorm(radius=1, origin=[10, 10])).output
    for default in (None, [0, 0], [11, 11]):
        unit = SampleAndAggregate(parts=2, function=lambda part: "none", to=ball, default=default)
        chain = pc.vector(int) >> unit
        assert chain.output.domain.member(chain([1]))
