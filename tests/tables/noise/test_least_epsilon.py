"""The least epsilon meets the wanted half-widths, and the next smaller number does not."""

from datetime import timedelta
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.accounting.numerics import Decimals
from privet.accounting.planning.budget import ApproximateBudget
from privet.errors import InvalidError, PrivetError, UnavailableError, WrongTypeError
from privet.tables.noise.least_epsilon import least_epsilon
from privet.tables.noise.plan import LEVEL

BOOK = pv.Codebook(
    columns={
        "visitor": pv.column("integer"),
        "region": pv.column("text", categories=("north", "south")),
        "town": pv.column("text", categories=("a", "b", "c")),
        "spent": pv.column("real", bounds=(0, 60)),
        "day": pv.column("date", bounds=("2024-01-01", "2024-12-31")),
    },
    unit=pv.Persons("visitor", rows=5),
)
PLANNER = pv.Planner(BOOK, pv.budget(epsilon=1, delta=1e-6))
GROUPED: Any = (
    PLANNER.query()
    .group_by("town")
    .agg(pv.count(), average=pv.mean("spent"), day=pv.median("day"), top=pv.mode("region"))
)
ROWS = 5000


def before(epsilon: float) -> Fraction:
    """Give the next smaller number of three digits."""
    grid = Decimals(3)
    index = round(grid.position(float(epsilon)))
    assert grid.value(index) == Fraction(str(epsilon)), "read as a decimal, it is a number of three digits"
    return Fraction(grid.value(index - 1))


@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize(
    "targets", [{"count": 50}, {"average": 0.5}, {"count": 50, "average": 0.5}, {"day": 10}, {"count": 7.5}]
)
def test_the_answer_is_enough_and_less_is_not(targets: dict[str, float], delta: float | None) -> None:
    answer = GROUPED.epsilon_for(**targets, group_size=ROWS, delta=delta)

    def worst(epsilon: float | Fraction) -> Any:
        plan = GROUPED.plan(epsilon=epsilon, delta=delta)
        seconds = {"day": 86400.0}
        return max(
            plan.half_width(name, LEVEL, Fraction(ROWS)).most / (size * seconds.get(name, 1.0))
            for name, size in targets.items()
        )

    assert worst(answer) <= 1 < worst(before(answer))


def test_a_delta_allows_less_loss_where_there_are_many_numbers() -> None:
    many: Any = PLANNER.query().agg(pv.histogram("spent", 20), *(pv.quantile("spent", n / 9) for n in range(1, 2)))
    pure = many.epsilon_for({"histogram_spent": 20})
    assert many.epsilon_for({"histogram_spent": 20}, delta=1e-6) <= pure


def test_narrower_and_surer_intervals_cost_more() -> None:
    assert GROUPED.epsilon_for(count=10) > GROUPED.epsilon_for(count=20)
    assert GROUPED.epsilon_for(count=10, level=0.99) > GROUPED.epsilon_for(count=10)
    assert GROUPED.epsilon_for(average=1, group_size=100) > GROUPED.epsilon_for(average=1, group_size=1000)


def test_dates_take_days_or_spans() -> None:
    spans = GROUPED.epsilon_for(day=timedelta(days=10), group_size=ROWS)
    assert spans == GROUPED.epsilon_for(day=10, group_size=ROWS)


def test_weights_are_those_of_the_release() -> None:
    weights = {"count": 9}
    answer = GROUPED.epsilon_for(count=50, weights=weights)
    assert GROUPED.plan(epsilon=answer, weights=weights).half_width("count", LEVEL).most <= 50
    assert answer < GROUPED.epsilon_for(count=50)


def test_batches_take_half_widths_by_query() -> None:
    batch = PLANNER.batch(towns=GROUPED, all=PLANNER.query().agg(pv.count()))
    answer = batch.epsilon_for(towns={"count": 100}, all={"count": 30})
    plans = batch.plan(epsilon=answer).plans
    assert plans["towns"].half_width("count", LEVEL).most <= 100
    assert plans["all"].half_width("count", LEVEL).most <= 30
    smaller = batch.plan(epsilon=before(answer)).plans
    assert any(smaller[name].half_width("count", LEVEL).most > size for name, size in (("towns", 100), ("all", 30)))


def test_sql_takes_the_names_of_its_columns() -> None:
    query = PLANNER.sql("SELECT town, COUNT(*) AS n, SUM(spent) / COUNT(*) AS per FROM data GROUP BY town")
    answer = query.epsilon_for(n=50)
    assert query.plan(epsilon=answer).half_width("n", LEVEL).most <= 50
    with pytest.raises(InvalidError) as error:
        query.epsilon_for(per=1)
    assert str(error.value).startswith("epsilon_for: 'per' is computed from sum_spent, ")


def test_roll_ups_are_narrow_enough_at_every_level() -> None:
    query = PLANNER.query().rollup("region", "town").agg(pv.count(), total=pv.sum("spent"))
    answer = query.epsilon_for(count=60)
    plan, less = query.plan(epsilon=answer), query.plan(epsilon=before(answer))
    assert max(plan.half_width("count", at, LEVEL).most for at in range(3)) <= 60
    assert max(less.half_width("count", at, LEVEL).most for at in range(3)) > 60


def test_nothing_is_read_and_nothing_is_spent() -> None:
    session = pv.Session([], BOOK, pv.budget(epsilon=1))
    query: Any = session.query().agg(pv.count())
    query.epsilon_for(count=50)
    assert session.spent == pv.budget(epsilon=0)


def test_queries_in_two_stages_and_imputed_ones_refuse() -> None:
    staged: Any = PLANNER.query().agg(pv.mean("spent", bounds=pv.auto()))
    with pytest.raises(UnavailableError, match="estimated from the data first"):
        staged.epsilon_for(mean_spent=1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            GROUPED.epsilon_for,
            WrongTypeError,
            "epsilon_for needs a half-width of one column or more, such as",
        ),
        (lambda: GROUPED.epsilon_for(cuont=5), InvalidError, "no column 'cuont'; did you mean 'count'\\?"),
        (
            lambda: GROUPED.epsilon_for(zzz=5),
            InvalidError,
            "no column 'zzz'; there are 'count', 'average', ",
        ),
        (lambda: GROUPED.epsilon_for(count=0), InvalidError, "is a half-width and must be above zero, got 0."),
        (lambda: GROUPED.epsilon_for(count="a"), InvalidError, "epsilon_for.count: expected a number"),
        (lambda: GROUPED.epsilon_for(average=1), InvalidError, "'average' depends on how many rows a group has."),
        (lambda: GROUPED.epsilon_for(top=1), InvalidError, "'top' has no interval"),
        (lambda: GROUPED.epsilon_for(count=5, delta=1), InvalidError, "delta is a probability"),
        (
            lambda: GROUPED.epsilon_for(day=0.01, group_size=ROWS),
            UnavailableError,
            "no epsilon up to 10,000 ",
        ),
    ],
)
def test_mistakes_are_named(call: Any, error: type[PrivetError], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_the_least_is_one_in_a_million() -> None:
    assert least_epsilon(lambda _: 0.5) == 1e-6


def test_budgets_that_cannot_be_planned_are_not_enough() -> None:
    def excess(budget: ApproximateBudget) -> float:
        if budget.epsilon < Fraction(1, 3):
            raise UnavailableError("too little")
        return 0.5

    assert least_epsilon(excess) == 0.334
