"""What depends on imputed values, and both bounds of how far one row moves a total."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.imputation.queries import (
    CentredSum,
    ImputedRange,
    ImputedTotalQuery,
    PlainSum,
    Products,
    RowCount,
    SquaredDeviations,
)
from privet.imputation.scheme import MeanOfNeighbours
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from privet.tables.impute.totals import Total, product_of, total_of
from privet.tables.nodes.imputed_values import ImputedFacts, ImputedValues
from privet.tables.session.imputed_query import ImputedQuery
from privet.tables.statistics.statistic import ROWS, GridColumn, Statistic
from tests.tables.imputed_tables import exactly, people


def imputed(**how: Any) -> ImputedQuery:
    return people([]).query().impute("income", by="age", **how)


def bounds(query: Any) -> dict[str, tuple[Any, Any]]:
    return {each.description: (each.own * each.step, each.donee * each.step) for each in query.totals}


@pytest.mark.parametrize(
    ("ask", "expected"),
    [
        (lambda: imputed().agg(mean("income")), {"sum of (income - 1)": (5, 10), "rows": (1, 0)}),
        (lambda: imputed().agg(total("income")), {"sum of income": (6, 10)}),
        (lambda: imputed().agg(count("income")), {"rows with income": (1, 0)}),
        (lambda: imputed().filter("sex = 'f'").agg(mean("income")), {"sum of (income - 1)": (5, 10), "rows": (1, 0)}),
        (lambda: imputed().filter("income > 1").agg(mean("income")), {"sum of (income - 1)": (5, 10), "rows": (1, 1)}),
        (lambda: imputed().filter("income > 1").agg(total("age")), {"sum of age": (3, 3)}),
        (lambda: imputed().filter("income > 1").agg(count()), {"rows": (1, 1)}),
        (lambda: imputed().derive(rich="income > 1").agg(mean("rich")), {"sum of rich": (1, 1), "rows": (1, 0)}),
        (lambda: imputed().derive(part="10 // income").agg(count("part")), {"rows with part": (1, 1)}),
        (lambda: imputed().agg(variance("income")), {
            "sum of (income - 1)": (5, 10), "sum of (income - 1) x (income - 1) - 12": (13, 25), "rows": (1, 0)
        }),
        (lambda: imputed().filter("income > 1").agg(variance("income")), {
            "sum of (income - 1)": (5, 10), "sum of (income - 1) x (income - 1) - 12": (13, 25), "rows": (1, 1)
        }),
        (lambda: imputed().agg(mean("income", bounds=(0, 2))), {"sum of (income - 1)": (1, 2), "rows": (1, 0)}),
        (lambda: imputed(k=5).agg(mean("income", bounds=(0, 2))), {"sum of (income - 1)": (1, 2), "rows": (1, 0)}),
    ],
)  # fmt: skip
def test_both_bounds(ask: Any, expected: dict[str, tuple[int, int]]) -> None:
    assert bounds(ask()) == expected


def test_the_mean_of_neighbours_moves_a_donee_by_a_part_of_the_range() -> None:
    query = imputed(scheme=MeanOfNeighbours(k=5)).agg(mean("income"))
    found = next(each for each in query.totals if each.donee)
    assert 2 <= found.donee * found.step <= 2 + 2 * found.step
    assert found.own * found.step == 5


def test_where_rows_enter_by_imputed_values_a_mean_of_neighbours_moves_all_of_a_row() -> None:
    query = imputed(scheme=MeanOfNeighbours(k=5)).filter("income > 0").agg(mean("income"))
    found = next(each for each in query.totals if each.statistic.kind == "sum")
    assert found.donee == found.own


def test_a_function_of_the_imputed_column_may_move_over_its_whole_range() -> None:
    query = imputed(scheme=MeanOfNeighbours(k=5)).derive(other="income + 0").agg(total("other"))
    assert query.totals[0].donee * query.totals[0].step == 10


def test_a_copy_of_the_imputed_column_moves_as_it_does() -> None:
    query = imputed(scheme=MeanOfNeighbours(k=5)).derive(other="income").agg(total("other"))
    assert query.totals[0].donee * query.totals[0].step < 3


def test_what_does_not_touch_imputed_values_is_answered_as_ever() -> None:
    query = imputed().filter("age > 0").group_by("sex").agg(count(), mean("age"), histogram("job"))
    assert list(query.plain) == ["count", "mean_age", "histogram_job"]
    assert not query.totals


def test_a_column_that_is_computed_anew_depends_on_nothing_old() -> None:
    query = imputed().derive(income="age").filter("income > 1").agg(count())
    assert not query.totals


def test_groups_by_imputed_values_are_entered_through_them() -> None:
    query = imputed().bin("income", edges=[-4, 0, 6]).group_by("income_bin").agg(count())
    assert bounds(query) == {"rows": (Fraction(1), Fraction(1))}


def test_a_correlation_pays_for_what_depends_on_imputed_values_alone() -> None:
    query = imputed().agg(correlation("income", "age"))
    free = {each.description for each in query.totals if not each.donee}
    assert free == {"sum of (age - 1)", "sum of (age - 1) x (age - 1) - 2", "rows with age"}


def test_a_square_around_the_middle_costs_half_in_a_group_that_rows_enter() -> None:
    """Where one donor moves little, what counts is the row that enters: far^2 / 2 instead of far^2."""
    query = imputed(scheme=MeanOfNeighbours(k=9)).filter("income > 0").agg(variance("income"))
    square = next(each for each in query.totals if len(each.statistic.of) == 2)
    far = square.statistic.of[0].high - square.statistic.of[0].origin
    assert square.own == square.donee == -(-(far**2) // 2)


WHOLE = Column(kind="integer", bounds=(-99, 99), nullable=False)
REAL = Column(kind="real", bounds=(-99, 99), nullable=False)
QUARTERS = Column(kind="real", bounds=(-99, 99), grid=Fraction(1, 4), nullable=False)
KINDS = {"income": WHOLE, "age": WHOLE}


def total_from(statistic: Statistic, reach: Any, entered: bool = False, columns: Any = KINDS) -> Total:
    facts = ImputedFacts(columns={"income": ImputedValues(reach)}, rows=entered)
    return total_of(statistic, columns, facts)


@pytest.mark.parametrize("entered", [False, True])
@given(low=st.integers(-9, 9), width=st.integers(1, 9), move=st.integers(1, 9))
def test_the_bounds_are_those_of_the_same_queries_on_records(low: int, width: int, move: int, entered: bool) -> None:
    high = low + width
    values, others = ImputedRange(low=low, high=high, move=Fraction(move)), ImputedRange(low=-2, high=3)
    centre = values.addend.middle
    plain = GridColumn(column="income", grid=Fraction(1), low=low, high=high)
    middle = GridColumn(column="income", grid=Fraction(1), low=low, high=high, origin=centre)
    other = GridColumn(column="age", grid=Fraction(1), low=-2, high=3)
    queries: list[tuple[tuple[GridColumn, ...], ImputedTotalQuery]] = [
        ((plain,), PlainSum()),
        ((middle,), CentredSum()),
        ((middle, middle), SquaredDeviations(mean=centre)),
        ((middle, other), Products(mean=centre, other_mean=0)),
    ]
    for of, query in queries:
        origin = product_of(of).middle if len(of) > 1 else 0
        found = total_from(Statistic(kind="sum", of=of, origin=origin), Fraction(move), entered)
        assert found.influence == query.terms(values, others).influence("imputed" if entered else "fixed")
    if entered:
        assert total_from(ROWS, Fraction(move), entered).influence == RowCount().terms(values, None).influence(
            "imputed"
        )


@given(ends=st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 6)), min_size=1, max_size=2), data=st.data())
def test_no_row_moves_further_than_is_said(ends: list[tuple[int, int]], data: st.DataObject) -> None:
    """Every pair of values within reach of each other, of one imputed column and of one observed."""
    factors = tuple(
        GridColumn(column=name, grid=Fraction(1), low=low, high=low + width)
        for name, (low, width) in zip(("income", "age"), ends, strict=False)
    )
    if len(factors) == 1 and data.draw(st.booleans()):
        factors *= 2
    reach, origin = data.draw(st.integers(0, 6)), data.draw(st.integers(-20, 20)) if len(factors) == 2 else 0
    found = total_from(Statistic(kind="sum", of=factors, origin=origin), Fraction(reach))
    squared = len(factors) == 2 and factors[0] == factors[1]
    values = np.arange(factors[0].low, factors[0].high + 1)
    others = np.arange(factors[1].low, factors[1].high + 1) if len(factors) == 2 and not squared else np.ones(1)
    terms = (values**2 if squared else values)[:, None] * others - origin
    near = np.abs(values[:, None] - values) <= reach
    moved = np.abs(terms[:, None] - terms[None, :]).max(axis=2)[near].max()
    assert np.abs(terms).max() == found.own
    assert moved == found.donee


def rounded(value: Fraction, steps: GridColumn) -> int:
    return min(max(round(value / steps.grid), steps.low), steps.high) - steps.origin


@pytest.mark.parametrize("known", [WHOLE, REAL, QUARTERS], ids=["whole", "real", "quarters"])
@pytest.mark.parametrize("grid", [Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2)], ids=str)
@pytest.mark.parametrize("entered", [False, True])
def test_values_that_are_rounded_to_steps(known: Column, grid: Fraction, entered: bool) -> None:
    """Values between the steps, or on them, before they are rounded: every pair within reach, sums and squares."""
    finer = Fraction(1) if known is WHOLE else Fraction(1, 4)
    for low, width, reach in product((-3, 0, 1), (1, 4), (Fraction(0), Fraction(1, 2), Fraction(1), Fraction(9, 4))):
        steps = GridColumn(column="income", grid=grid, low=low, high=low + width)
        points = [at * finer for at in range(-60, 61) if abs(at * finer) <= 12]
        values = np.array([rounded(each, steps) for each in points])
        for of in ((steps,), (steps, steps)):
            found = total_from(Statistic(kind="sum", of=of), reach, entered, {"income": known})
            term = values ** len(of)
            within = range(int(reach / finer) + 1)  # how many points further a value may move
            moved = max(int(np.abs(term[each:] - term[: len(term) - each]).max()) for each in within)
            if entered:  # any of the values may be outside of the group
                moved = max(moved, int(np.abs(term).max()))
            assert moved <= found.donee


def test_a_reach_without_the_rounding_of_steps_is_caught() -> None:
    """0.5 and 1.5 are one apart, and two steps once they are rounded."""
    steps = GridColumn(column="income", grid=Fraction(1), low=-4, high=4)
    found = total_from(Statistic(kind="sum", of=(steps,)), Fraction(1), columns={"income": REAL})
    apart = abs(rounded(Fraction(1, 2), steps) - rounded(Fraction(3, 2), steps))
    assert apart == found.donee == 2
    assert total_from(Statistic(kind="sum", of=(steps,)), Fraction(1)).donee == 1  # whole numbers stay as they are


def test_a_value_that_may_be_null_decides_whether_its_row_counts() -> None:
    """The twin that forgets nulls would claim a donee of one."""
    steps = GridColumn(column="income", grid=Fraction(1), low=-4, high=6)
    nullable = {"income": Column(kind="integer", bounds=(-4, 6))}
    statistic = Statistic(kind="sum", of=(steps,))
    assert total_from(statistic, Fraction(1)).donee == 1
    assert total_from(statistic, Fraction(1), columns=nullable).donee == 6
    assert total_from(Statistic(kind="present", of=(steps,)), Fraction(1), columns=nullable).donee == 1


def test_the_engine_adds_up_products_less_the_middle_of_their_range() -> None:
    values = ((0, -4), (3, 6), (1, 2), (None, 5))
    rows = [{"age": age, "sex": "f", "income": income} for age, income in values]
    totals, _ = exactly(people(rows), lambda query: query.impute("income", by="sex").agg(correlation("income", "age")))
    pairs = [(income - 1, age - 1) for age, income in values if age is not None]  # around the middles
    expected = {
        ("income", "age"): sum(a * b for a, b in pairs),  # products from -10 to 10
        ("income", "income"): sum(a * a for a, _ in pairs) - 3 * 12,  # squares up to 25
        ("age", "age"): sum(b * b for _, b in pairs) - 3 * 2,  # squares up to 4
    }
    found = {tuple(each.column for each in key.of): value for key, value in totals.items() if len(key.of) == 2}
    assert found == {key: [value] for key, value in expected.items()}
