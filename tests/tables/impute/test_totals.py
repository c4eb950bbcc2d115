"""What depends on imputed values, and both bounds of how far one row moves a total."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.imputation.queries import (
    CentredSum,
    Group,
    ImputedRange,
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
from privet.tables.impute.query import ImputedQuery, impute
from privet.tables.impute.totals import Dependence
from privet.tables.statistics.statistic import ROWS, GridColumn, Statistic
from tests.tables.imputed_tables import people


def imputed(**how: Any) -> ImputedQuery:
    return impute(people([]).query(), "income", by="age", **how)


def bounds(question: Any) -> dict[str, tuple[Any, Any]]:
    return {each.told: (each.own * each.step, each.donee * each.step) for each in question.totals}


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
            "sum of (income - 1)": (5, 10), "sum of (income - 1) x (income - 1)": (25, 25), "rows": (1, 0)
        }),
        (lambda: imputed().agg(mean("income", bounds=(0, 2))), {"sum of (income - 1)": (1, 2), "rows": (1, 0)}),
        (lambda: imputed(k=5).agg(mean("income", bounds=(0, 2))), {"sum of (income - 1)": (1, 2), "rows": (1, 0)}),
    ],
)  # fmt: skip
def test_both_bounds(ask: Any, expected: dict[str, tuple[int, int]]) -> None:
    assert bounds(ask()) == expected


def test_the_mean_of_neighbours_moves_a_donee_by_a_part_of_the_range() -> None:
    question = imputed(scheme=MeanOfNeighbours(k=5)).agg(mean("income"))
    found = next(each for each in question.totals if each.donee)
    assert 2 <= found.donee * found.step <= 2 + 2 * found.step
    assert found.own * found.step == 5


def test_where_rows_enter_by_imputed_values_a_mean_of_neighbours_moves_all_of_a_row() -> None:
    question = imputed(scheme=MeanOfNeighbours(k=5)).filter("income > 0").agg(mean("income"))
    found = next(each for each in question.totals if each.statistic.kind == "sum")
    assert found.donee == found.own


def test_a_function_of_the_imputed_column_may_move_over_its_whole_range() -> None:
    question = imputed(scheme=MeanOfNeighbours(k=5)).derive(other="income + 0").agg(total("other"))
    assert question.totals[0].donee * question.totals[0].step == 10


def test_a_copy_of_the_imputed_column_moves_as_it_does() -> None:
    question = imputed(scheme=MeanOfNeighbours(k=5)).derive(other="income").agg(total("other"))
    assert question.totals[0].donee * question.totals[0].step < 3


def test_what_does_not_touch_imputed_values_is_answered_as_ever() -> None:
    question = imputed().filter("age > 0").group_by("sex").agg(count(), mean("age"), histogram("job"))
    assert list(question.plain) == ["count", "mean_age", "histogram_job"]
    assert not question.totals


def test_a_column_that_is_computed_anew_depends_on_nothing_old() -> None:
    question = imputed().derive(income="age").filter("income > 1").agg(count())
    assert not question.totals


def test_groups_by_imputed_values_are_entered_through_them() -> None:
    question = imputed().bin("income", edges=[-4, 0, 6]).group_by("income_bin").agg(count())
    assert bounds(question) == {"rows": (Fraction(1), Fraction(1))}


def test_a_correlation_pays_for_what_depends_on_imputed_values_alone() -> None:
    question = imputed().agg(correlation("income", "age"))
    free = {each.told for each in question.totals if not each.donee}
    assert free == {"sum of (age - 1)", "sum of (age - 1) x (age - 1)", "rows with age"}


COLUMN = Column(kind="integer", bounds=(-4, 6), nullable=False)
KINDS = {"income": COLUMN, "age": COLUMN}


@pytest.mark.parametrize("entered", [False, True])
@given(low=st.integers(-9, 9), width=st.integers(1, 9), move=st.integers(1, 9))
def test_the_bounds_are_those_of_the_same_queries_on_records(low: int, width: int, move: int, entered: bool) -> None:
    high, move = low + width, min(move, width)
    values = ImputedRange(low=low, high=high, move=Fraction(move))
    dependence = Dependence(
        columns=KINDS, tainted=frozenset({"income"}), reach={"income": Fraction(move - 1)}, entered=entered
    )  # a step is added for rounding
    plain = GridColumn(column="income", grid=Fraction(1), low=low, high=high)
    middle = GridColumn(column="income", grid=Fraction(1), low=low, high=high, origin=values.middle)
    group: Group = "imputed" if entered else "fixed"
    asked: list[tuple[GridColumn, Any]] = [(plain, PlainSum()), (middle, CentredSum())]
    for steps, query in asked:
        found = dependence.total(Statistic(kind="sum", of=(steps,)))
        wanted = query.terms(values, None).influence(group)
        assert found.influence == wanted
    if entered:
        known = RowCount().terms(values, None).influence(group)
        assert dependence.total(ROWS).influence == known
    square = dependence.total(Statistic(kind="sum", of=(middle, middle)))
    terms = SquaredDeviations(mean=values.middle).terms(values, None)
    assert square.donee == (max(square.own, terms.swing) if entered else terms.swing)
    other = GridColumn(column="age", grid=Fraction(1), low=-2, high=3)
    product = dependence.total(Statistic(kind="sum", of=(middle, other)))
    swing: Fraction = Products(mean=values.middle, other_mean=0).terms(values, ImputedRange(low=-2, high=3)).swing
    assert Fraction(product.donee) >= min(swing, Fraction(product.own)) if entered else product.donee <= swing


@given(
    ends=st.lists(st.tuples(st.integers(-6, 6), st.integers(1, 6)), min_size=1, max_size=2), data=st.data()
)  # fmt: skip
def test_no_row_moves_further_than_is_said(ends: list[tuple[int, int]], data: st.DataObject) -> None:
    """Every pair of values within reach of each other, of one imputed column and of one observed."""
    factors = tuple(
        GridColumn(column=name, grid=Fraction(1), low=low, high=low + width)
        for name, (low, width) in zip(("income", "age"), ends, strict=False)
    )
    if len(factors) == 1 and data.draw(st.booleans()):
        factors *= 2
    reach = data.draw(st.integers(0, 6))
    dependence = Dependence(
        columns=KINDS, tainted=frozenset({"income"}), reach={"income": Fraction(reach)}, entered=False
    )
    found = dependence.total(Statistic(kind="sum", of=factors))
    squared = len(factors) == 2 and factors[0] == factors[1]
    values = np.arange(factors[0].low, factors[0].high + 1)
    others = np.arange(factors[1].low, factors[1].high + 1) if len(factors) == 2 and not squared else np.ones(1)
    terms = (values**2 if squared else values)[:, None] * others
    near = np.abs(values[:, None] - values) <= reach + 1
    moved = np.abs(terms[:, None] - terms[None, :]).max(axis=2)[near].max()
    assert np.abs(terms).max() <= found.own
    assert moved <= found.donee
