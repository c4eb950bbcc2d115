"""Totals and smooth bounds against a model of a few lines: sorted donors, every neighbour, every pair of values."""

import math
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import privet.calculus as pc
from privet.imputation.imputed_total import ImputedTotal
from privet.imputation.queries import CentredSum, ImputedTotalQuery, PlainSum, Products, RowCount, SquaredDeviations
from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme

Row = tuple[int, int, int | None, int]  # label, age, value, observed second column
LOW, HIGH, SIDE = -1, 3, (-2, 1)
SPACE = pc.records(
    id=int, age=pc.vector(int, bounds=(0, 2)), y=pc.vector(int, bounds=(LOW, HIGH)), z=pc.vector(int, bounds=SIDE)
)
CIRCLE = 2**63
ROWS = st.tuples(
    st.integers(0, 3), st.integers(0, 2), st.sampled_from([LOW, HIGH, 1, None, None]), st.sampled_from(SIDE)
)
# every row that matters as a neighbour: all labels between those that occur, all cells, values at the ends or missing
NEIGHBOURS = [
    (label, age, value, side)
    for label in range(5)
    for age in range(3)
    for value in (LOW, HIGH, None)
    for side in SIDE
]  # fmt: skip
Case = tuple[Scheme, ImputedTotalQuery, tuple[int, int] | None]
MODELLED: list[Case] = [
    (NearestNeighbour(), PlainSum(), None),
    (NearestNeighbour(), SquaredDeviations(mean=0), None),
    (NearestNeighbour(), Products(mean=1, other_mean=0), (0, 3)),
    (MeanOfNeighbours(k=2), CentredSum(), None),
    (MeanOfNeighbours(k=2), SquaredDeviations(mean=2), (0, 3)),
    (MeanOfNeighbours(k=3), Products(mean=0, other_mean=-1), None),
    (MajorityOfNeighbours(k=2), RowCount(), (0, 3)),
    (MajorityOfNeighbours(k=2), SquaredDeviations(mean=3), (-1, 2)),
]


def donors(rows: list[Row], k: int) -> list[tuple[int, ...]]:
    """The places of the donors of each incomplete row; equal rows are told apart by their place."""
    complete = [at for at, row in enumerate(rows) if row[2] is not None]

    def nearness(row: Row, at: int) -> tuple[Any, ...]:
        label, age, value, _ = rows[at]
        return (age - row[1]) ** 2, (label - row[0]) % CIRCLE, value, age, at

    return [tuple(sorted(complete, key=partial(nearness, row))[:k]) for row in rows if row[2] is None]


def imputed(rows: list[Row], places: tuple[int, ...], scheme: Scheme) -> Fraction:
    """The value of a row, in the units of the data; the middle of the bounds stands in for missing donors."""
    values = [int(rows[at][2] or 0) for at in places] + [(LOW + HIGH) // 2] * (scheme.k - len(places))
    if isinstance(scheme, MeanOfNeighbours):
        return Fraction(sum(values), scheme.k)
    return Fraction(min(values, key=lambda value: (-values.count(value), value)))


def ends(case: Case) -> tuple[Fraction, Fraction]:
    """The smallest and the largest value of the group."""
    scheme, _, within = case
    if within is None:
        return Fraction(LOW), Fraction(HIGH)
    return Fraction(within[0]), Fraction(within[1]) - Fraction(1, scheme.parts)


def middle(least: Fraction, most: Fraction, grid: Fraction) -> Fraction:
    return math.floor((least / grid + most / grid) / 2) * grid


def term(case: Case, value: Fraction, side: int) -> Fraction:
    """What a row adds: by the words of the queries, not by their code."""
    (scheme, query, _), (low, high) = case, ends(case)
    unit = Fraction(1, scheme.parts)
    if isinstance(query, RowCount):
        return Fraction(1)
    if isinstance(query, PlainSum):
        return value
    if isinstance(query, CentredSum):
        return value - middle(low, high, unit)
    if isinstance(query, SquaredDeviations):
        mean = min(max(query.mean, low), high)
        largest = max((low - mean) ** 2, (high - mean) ** 2)
        return (value - mean) ** 2 - middle(Fraction(0), largest, unit**2)
    assert isinstance(query, Products)
    mean, other = min(max(query.mean, low), high), query.other_mean
    corners = [(end - mean) * (edge - other) for end in (low, high) for edge in SIDE]
    return (value - mean) * (side - other) - middle(min(corners), max(corners), unit)


def in_group(case: Case, value: Fraction) -> bool:
    return case[2] is None or case[2][0] <= value < case[2][1]


def total_of(rows: list[Row], case: Case) -> Fraction:
    """Impute and add up, row by row."""
    rows = sorted(rows, key=repr)
    incomplete = iter(donors(rows, case[0].k))
    total = Fraction(0)
    for row in rows:
        value = Fraction(row[2]) if row[2] is not None else imputed(rows, next(incomplete), case[0])
        total += term(case, value, row[3]) if in_group(case, value) else 0
    return total


def bounds_of(case: Case) -> tuple[Fraction, Fraction]:
    """Own and donee by brute force over all values, and all pairs of values within reach of one donor."""
    unit, reach = Fraction(1, case[0].parts), (HIGH - LOW) * case[0].influence
    grid = [LOW + at * unit for at in range(int((HIGH - LOW) / unit) + 1)]
    terms = {(value, side): term(case, value, side) * in_group(case, value) for value in grid for side in SIDE}
    pairs = [(a, b, side) for side in SIDE for a in grid for b in grid if abs(a - b) <= reach]
    return max(map(abs, terms.values())), max(abs(terms[a, side] - terms[b, side]) for a, b, side in pairs)


@pytest.mark.parametrize("case", MODELLED, ids=lambda case: f"{type(case[0]).__name__}-{type(case[1]).__name__}")
@given(rows=st.lists(ROWS, max_size=6), beta=st.sampled_from([0.1, 0.5, 1]))
@settings(
    max_examples=5, deadline=None, database=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
)
def test_no_neighbour_of_any_kind_moves_a_total_further(case: Case, rows: list[Row], beta: float) -> None:
    scheme, query, within = case
    unit = ImputedTotal(
        features=["age"],
        label="id",
        value="y",
        beta=beta,
        scheme=scheme,
        query=query,
        other="z" if isinstance(query, Products) else None,
        within=within,
    )
    chain = SPACE >> unit
    total, bound = chain.run(SPACE.domain.admit(rows))
    grid = unit.terms(SPACE).grid
    exact, (own, donee) = total_of(rows, case), bounds_of(case)
    assert total * grid == exact
    influence = unit.influence(SPACE)
    assert influence.own == own
    assert donee <= influence.donee
    assert donee == influence.donee or within is not None  # in a group by imputed values not every row can enter
    neighbours = [rows[:at] + rows[at + 1 :] for at in range(len(rows))] + [[*rows, row] for row in NEIGHBOURS]
    for other in neighbours:
        moved = abs(total_of(other, case) - exact)
        other_bound = chain.run(SPACE.domain.admit(other))[1]
        assert moved <= min(bound, other_bound)
        assert abs(math.log(bound / other_bound)) <= beta * (1 + 1e-9)
