"""Answers from totals: what numpy says of the completed column, and intervals that hold it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.covariance import covariance
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import quantile
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.variance import variance
from privet.tables.columns.column import Column
from privet.tables.impute.answers import Answer, answer_to
from privet.tables.statistics.statistic import Statistic

COLUMNS = {
    "x": Column(kind="integer", bounds=(-4, 7), nullable=False),
    "y": Column(kind="integer", bounds=(0, 5), nullable=False),
}
Numbers = np.ndarray[Any, Any]


def _correlation(x: Numbers, y: Numbers) -> float:
    return float(np.corrcoef(x, y)[0, 1]) if x.std() and y.std() else 0.0


ASKED: list[tuple[Any, Callable[[Numbers, Numbers], float]]] = [
    (count(), lambda x, y: len(x)),
    (total("x"), lambda x, y: x.sum()),
    (mean("x"), lambda x, y: x.mean()),
    (variance("x"), lambda x, y: x.var(ddof=1) if len(x) > 1 else 0.0),
    (variance("x", ddof=0), lambda x, y: x.var()),
    (std("x"), lambda x, y: x.std(ddof=1) if len(x) > 1 else 0.0),
    (covariance("x", "y"), lambda x, y: np.cov(x, y)[0, 1] if len(x) > 1 else 0.0),
    (correlation("x", "y"), _correlation),
]


def answer(aggregate: Any) -> Answer:
    return answer_to("x", aggregate.bind(COLUMNS), COLUMNS)


def exact(statistic: Statistic, rows: dict[str, Numbers]) -> Numbers:
    """Count and add up by the definition of a statistic."""
    if statistic.kind != "sum":
        return np.array([float(len(rows["x"]))])
    product = np.ones(len(rows["x"]))
    for steps in statistic.of:
        product = product * (rows[steps.column] - float(steps.origin))
    return np.array([(product - statistic.origin).sum()])


ROWS = st.lists(st.tuples(st.integers(-4, 7), st.integers(0, 5)), min_size=1, max_size=30)


@pytest.mark.parametrize(("aggregate", "expected"), ASKED, ids=lambda each: getattr(each, "name", ""))
@given(pairs=ROWS)
@settings(max_examples=40)
def test_without_noise_the_answer_is_that_of_numpy(aggregate: Any, expected: Any, pairs: Any) -> None:
    rows = dict(zip("xy", np.array(pairs, dtype=float).T, strict=True))
    formula = answer(aggregate)
    numbers = {each: exact(each, rows) for each in formula.statistics}
    assert formula.value(numbers)[0] == pytest.approx(expected(rows["x"], rows["y"]), abs=1e-6)


@pytest.mark.parametrize(("aggregate", "expected"), ASKED, ids=lambda each: getattr(each, "name", ""))
@given(pairs=ROWS, data=st.data())
@settings(max_examples=40)
def test_intervals_hold_the_answer_where_all_totals_are_within_theirs(
    aggregate: Any, expected: Any, pairs: Any, data: st.DataObject
) -> None:
    rows = dict(zip("xy", np.array(pairs, dtype=float).T, strict=True))
    formula = answer(aggregate)
    ends = {}
    for each in formula.statistics:
        below, above = (data.draw(st.floats(0, 40)) for _ in range(2))
        ends[each] = (exact(each, rows) - below, exact(each, rows) + above)
    low, high = formula.interval(ends)
    assert low[0] - 1e-6 <= expected(rows["x"], rows["y"]) <= high[0] + 1e-6


@pytest.mark.parametrize(("aggregate", "expected"), ASKED, ids=lambda each: getattr(each, "name", ""))
@given(data=st.data())
@settings(max_examples=40)
def test_every_noise_gives_a_finite_answer(aggregate: Any, expected: Any, data: st.DataObject) -> None:
    formula = answer(aggregate)
    huge = st.one_of(st.floats(-1e308, 1e308), st.sampled_from([-1.7e308, 0.0, 1.7e308]))
    numbers = {each: np.array([data.draw(huge)]) for each in formula.statistics}
    with np.errstate(all="ignore"):
        assert np.isfinite(formula.value(numbers)).all()


def test_a_median_of_imputed_values_is_not_answered() -> None:
    with pytest.raises(InvalidError, match="median is not answered about imputed values"):
        answer_to("median", quantile("x", Fraction(1, 2)).bind(COLUMNS), COLUMNS)
