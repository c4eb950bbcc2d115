"""Questions about completed rows: no neighbour moves an exact total further than the influence says."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from attrs import evolve

import privet.calculus as pc
from privet.errors import InvalidError
from privet.imputation.imputed_total import ImputedTotal
from privet.imputation.influence import Influence
from privet.imputation.queries import (
    CentredSum,
    ImputedRange,
    ImputedTotalQuery,
    PlainSum,
    Products,
    RowCount,
    SquaredDeviations,
    correlation_from,
    mean_from,
    proportion_from,
)
from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme

# two cells, one label, values at both ends, in the middle or missing, two groups, an observed column of two values
LOW, HIGH = -2, 6
SPACE = pc.records(
    id=int,
    age=pc.vector(int, bounds=(0, 1)),
    y=pc.vector(int, bounds=(LOW, HIGH)),
    group=pc.vector(str, categories=["in", "out"]),
    z=pc.vector(int, bounds=(-1, 3)),
)
ROWS = [
    (1, age, y, group, z)
    for age, y, (group, z) in product((0, 1), (LOW, HIGH, None), (("in", 3), ("in", -1), ("out", 3)))
]
QUERIES: list[ImputedTotalQuery] = [
    RowCount(),
    PlainSum(),
    CentredSum(),
    SquaredDeviations(mean=0),
    SquaredDeviations(mean=6),
    Products(mean=1, other_mean=0),
]
SCHEMES: list[Scheme] = [NearestNeighbour(), MeanOfNeighbours(k=2), MajorityOfNeighbours(k=2)]
GROUPS: list[dict[str, Any]] = [
    {},
    {"where": ("group", "in")},
    {"within": (0, 7)},
    {"within": (-2, 2), "where": ("group", "in")},
]


def data(most: int) -> Iterator[list[Any]]:
    """All multisets of up to so many rows."""
    for size in range(most + 1):
        yield from map(list, combinations_with_replacement(ROWS[::2] if size == most else ROWS, size))


@cache
def completed(scheme: Scheme, rows: tuple[Any, ...]) -> tuple[Any, Any]:
    """Records and what they are completed to, which does not depend on the question."""
    completion = ImputedTotal(features=["age"], label="id", value="y", beta=1, scheme=scheme)._completion(SPACE)
    value = SPACE.domain.admit(list(rows))
    return value, completion.complete(completion.read(value))


def worst_excess(unit: ImputedTotal, influence: Influence, most: int = 3) -> Fraction:
    """By how much some neighbour moves the total further than own + donee min(L1, rows that lack a value)."""
    terms = unit.terms(SPACE)
    columns = [name for name, _ in SPACE.domain.columns]  # type: ignore[attr-defined]
    low, high = unit._limits(unit._completion(SPACE))

    @cache
    def at(rows: tuple[Any, ...]) -> tuple[Fraction, int, int]:
        _, found = completed(unit.scheme, rows)
        chosen = [
            (value, row[columns.index("z")])
            for value, row in zip(found.values.tolist(), rows, strict=True)
            if (unit.within is None or low <= value <= high) and (unit.where is None or row[3] == unit.where[1])
        ]
        total = terms.add([value for value, _ in chosen], [second for _, second in chosen])
        return total * terms.grid, found.changes, found.incomplete

    worst = -Fraction(10**9)
    for rows in data(most - 1):
        for row in ROWS:
            (one, changes, lacking), (other, more, still) = at(_sorted(rows)), at(_sorted([*rows, row]))
            for reach, number in ((changes, lacking), (more, still)):
                worst = max(worst, abs(one - other) - influence.at(0, reach, number))
    return worst


def _sorted(rows: list[Any]) -> tuple[Any, ...]:
    return tuple(sorted(rows, key=repr))


@pytest.mark.parametrize("group", GROUPS, ids=["all", "group", "range", "both"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=["nearest", "mean", "majority"])
@pytest.mark.share(2)
def test_no_neighbour_moves_a_total_further(scheme: Scheme, group: dict[str, Any]) -> None:
    for query in QUERIES:
        other = "z" if isinstance(query, Products) else None
        unit = ImputedTotal(
            features=["age"], label="id", value="y", beta=1, scheme=scheme, query=query, other=other, **group
        )
        assert worst_excess(unit, unit.influence(SPACE)) <= 0, query


def attained(query: ImputedTotalQuery, group: dict[str, Any], **change: Fraction) -> Fraction:
    unit = ImputedTotal(
        features=["age"],
        label="id",
        value="y",
        beta=1,
        query=query,
        other="z" if isinstance(query, Products) else None,
        **group,
    )
    return worst_excess(unit, evolve(unit.influence(SPACE), **change))


def test_the_influence_of_a_sum_is_attained() -> None:
    assert attained(PlainSum(), {}) == attained(CentredSum(), {}) == attained(RowCount(), {"within": (0, 7)}) == 0


@pytest.mark.parametrize(
    ("query", "group", "wrong"),
    [
        (PlainSum(), {"within": (0, 7)}, {"donee": Fraction(HIGH - LOW, 2)}),  # a donee that leaves takes all of it
        (RowCount(), {"within": (0, 7)}, {"donee": Fraction(0)}),  # as if the group did not depend on it
        (CentredSum(), {}, {"donee": Fraction(HIGH - LOW, 2)}),  # half the width for a donee too
        (SquaredDeviations(mean=0), {}, {"donee": Fraction(18)}),  # half of the largest square for a donee
        (Products(mean=1, other_mean=0), {}, {"donee": Fraction(9)}),  # as if products had one sign
        (PlainSum(), {}, {"own": Fraction(2)}),  # the smaller bound of a range with both signs
    ],
)
def test_wrong_influences_are_caught(
    query: ImputedTotalQuery, group: dict[str, Any], wrong: dict[str, Fraction]
) -> None:
    assert attained(query, group, **wrong) > 0


@pytest.mark.parametrize("move", [Fraction(0), Fraction(1), Fraction(7, 2), Fraction(10)])
@pytest.mark.parametrize("mean", [0, 3, 5, 10, 20, -7])
def test_squares_swing_no_further_than_stated(move: Fraction, mean: int) -> None:
    terms = SquaredDeviations(mean=mean).terms(ImputedRange(low=0, high=10, move=move), None)
    halves = [Fraction(at, 2) for at in range(21)]
    near = Fraction(min(max(mean, 0), 10))
    swings = [abs((a - near) ** 2 - (b - near) ** 2) for a in halves for b in halves if abs(a - b) <= move]
    assert max(swings) == terms.addend.swing
    assert all(terms.addend.low <= terms.add([item], []) <= terms.addend.high for item in range(11))


def test_what_is_made_of_totals() -> None:
    values = [2, 6, 6, -2]
    place = ImputedRange(low=LOW, high=HIGH, move=Fraction(8))
    total = CentredSum().terms(place, None)
    assert mean_from(total.add(values, []), 4, total, (LOW, HIGH)) == 3.0
    squares = SquaredDeviations(mean=3).terms(place, None)
    assert mean_from(squares.add(values, []), 4, squares, (0, 25)) == (1 + 9 + 9 + 25) / 4
    products = Products(mean=3, other_mean=1).terms(place, ImputedRange(low=-1, high=3))
    covariance = mean_from(products.add(values, [3, 3, -1, -1]), 4, products, (-20, 20))
    assert covariance == (-2 + 6 - 6 + 10) / 4
    assert correlation_from(covariance, 11.0, 4.0) == covariance / 44**0.5
    assert proportion_from(30, 120) == 0.25


def test_what_is_made_of_noisy_totals_stays_in_range() -> None:
    total = CentredSum().terms(ImputedRange(low=0, high=10), None)
    assert mean_from(1e9, -5.0, total, (0, 10)) == 10.0
    assert mean_from(float("-inf"), 3.0, total, (0, 10)) == 0.0
    assert (proportion_from(-3, 10), proportion_from(30, 10), proportion_from(1, 0)) == (0.0, 1.0, 1.0)
    assert (correlation_from(5, 1, 1), correlation_from(1, -1, 1), correlation_from(1, 0, 1)) == (1.0, 0.0, 0.0)


def test_products_need_a_second_column() -> None:
    with pytest.raises(InvalidError, match="Products needs a second column"):
        Products(mean=0, other_mean=0).terms(ImputedRange(low=0, high=1), None)
