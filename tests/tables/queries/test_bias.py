"""Measuring what was left out: paid from the same budget, planned before anything is read, refused with reasons."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, PrivetWarning, WrongTypeError
from privet.tables.queries.bias import BiasShare, measures_of, read_bias

COLUMNS = {
    "visitor_id": pv.column("integer"),
    "spending": pv.column("real", bounds=(0, 500)),
    "minutes": pv.column("integer", bounds=(0, 240)),
    "day": pv.column("date"),
    "restaurant": pv.column("text", categories=("Bella", "Corner", "Mill")),
}
SHARE = "release.bias must be a share of the loss, above zero and below one"
NEEDS_CEILING = (
    "release.bias: say up to how many rows of a person are looked at, most_rows=..., such as 1,000. The noise of what "
    "is measured grows with it; rows beyond it are not covered."
)
BETWEEN = "release.most_rows must be between 1 and 1,099,511,627,776"
VISITS = pv.datasets.visits(4_000)


def open_visits(unit: Any = None, budget: Any = None) -> pv.Session:
    book = pv.Codebook(table="visits", unit=unit or pv.Persons(id="visitor_id", rows=10), columns=COLUMNS)
    return pv.Session(VISITS, book, budget or pv.budget(epsilon=10))


def test_the_share_is_part_of_what_the_release_may_lose() -> None:
    session = open_visits()
    release: Any = session.query().agg(pv.count()).release(epsilon=1, bias=0.25, most_rows=100)
    assert [release.plan.loss.epsilon(), release.bias[0].loss.epsilon()] == [Fraction(3, 4), Fraction(1, 4)]
    assert [release.loss.epsilon(), session.remaining.epsilon] == [1, 9]


def test_several_measurements_divide_the_share() -> None:
    session = open_visits()
    query = session.query().agg(a=pv.sum("spending", bounds=(0, 20)), b=pv.mean("minutes", bounds=(10, 60)))
    release: Any = query.release(epsilon=1, bias=0.3, most_rows=100)
    assert [each.column for each in release.bias] == [None, "spending", "minutes"]
    assert {each.loss.epsilon() for each in release.bias} == {Fraction(1, 10)}
    assert session.remaining.epsilon == 9


def test_one_person_moves_one_band_by_one() -> None:
    session = open_visits()
    release: Any = session.query().agg(a=pv.sum("spending", bounds=(0, 20))).release(epsilon=1, bias=0.3, most_rows=100)
    for each in release.bias:
        contribution = each.plan.contribution
        assert (contribution.l0, contribution.l1, contribution.linf) == (1, 1, 1)


@pytest.mark.parametrize(
    ("budget", "amounts"),
    [
        (pv.budget(epsilon=2, delta=1e-6), {"epsilon": 1, "delta": 1e-7}),
        (pv.budget(rho=1), {"rho": 0.5}),
        (pv.budget(epsilon=9, delta=1e-5), {"rho": 0.1, "delta": 1e-6}),
    ],
)
@pytest.mark.parametrize("estimated", [False, True])
def test_every_form_of_budget_pays(budget: Any, amounts: dict[str, Any], estimated: bool) -> None:
    session = open_visits(budget=budget)
    query = session.query().cap(rows=pv.auto()) if estimated else session.query()
    bounds = pv.auto() if estimated else (0, 50)
    release: Any = query.agg(pv.count(), m=pv.mean("spending", bounds=bounds)).release(
        **amounts, bias=0.2, most_rows=50
    )
    assert release.bias
    if "rho" in amounts and "delta" not in amounts:
        assert session.spent.point().cost <= amounts["rho"]
    if "delta" in amounts:
        assert session.spent.point().delta <= Fraction(str(amounts["delta"]))


def test_nothing_is_charged_unless_all_of_it_fits() -> None:
    session = open_visits(budget=pv.budget(epsilon=1))
    with pytest.raises(BudgetExceededError):
        session.query().agg(pv.count()).release(epsilon=1.1, bias=0.5, most_rows=100)
    with pytest.raises(BudgetExceededError):
        session.query().cap(rows=pv.auto()).agg(pv.count()).release(epsilon=1.1, bias=0.5, most_rows=100)
    assert session.remaining.epsilon == 1


def test_an_estimated_cap_may_lie_above_the_ceiling() -> None:
    release: Any = open_visits().query().cap(rows=pv.auto()).agg(pv.count()).release(epsilon=9, bias=0.2, most_rows=2)
    cap = release.estimates[0].value
    assert release.bias[0].most == max(2, cap + 1)


@pytest.mark.parametrize("amounts", [{"epsilon": 10}, {"rho": 2, "delta": 1e-6}])
def test_two_estimates_of_one_column_cost_no_more_than_is_stated(amounts: dict[str, Any]) -> None:
    budget = pv.budget(epsilon=100, delta=1e-4) if "rho" in amounts else pv.budget(epsilon=10)
    session: Any = open_visits(budget=budget)
    low, high = pv.auto(quantile=0.5), pv.auto(quantile=0.999)
    query: Any = session.query().agg(a=pv.sum("spending", bounds=low), b=pv.sum("spending", bounds=high))
    release = query.release(**amounts, bias=0.3, most_rows=100)
    assert [each.column for each in release.bias] == [None, "spending", "spending"]
    assert session.spent.epsilon == 10 if "epsilon" in amounts else session.spent.delta <= Fraction("1e-6")


def test_bounds_that_are_given_and_estimated_cost_no_more_than_is_stated() -> None:
    session: Any = open_visits(budget=pv.budget(epsilon=10))
    given = session.query().agg(a=pv.sum("spending", bounds=pv.auto())).at_narrowest()
    bounds = given.aggregates["a"].bounds
    query: Any = session.query().agg(a=pv.sum("spending", bounds=pv.auto()), b=pv.sum("spending", bounds=bounds))
    query.release(epsilon=10, bias=0.3, most_rows=100)
    assert session.spent.epsilon <= 10


def test_where_nothing_is_left_to_measure_after_estimates_nothing_is_measured() -> None:
    """The caps of a row each leave nothing out; bounds may be estimated as those of the codebook."""
    session = open_visits(unit=pv.Rows())
    query = session.query().agg(m=pv.mean("minutes", bounds=pv.auto(quantile=(0.001, 0.999))))
    release: Any = query.release(epsilon=5, bias=0.2)
    assert {each.column for each in release.bias} <= {"minutes"}


def test_sql_measures_too() -> None:
    statement = open_visits().sql("SELECT restaurant, count(*) AS n FROM visits GROUP BY restaurant")
    release = statement.release(epsilon=1, bias=0.2, most_rows=100)
    assert release.bias[0].column is None
    assert release.notes[-1].startswith("measured: the caps left out ")
    assert pv.SqlRelease.from_json(release.to_json()).bias == release.bias


def test_many_rows_left_out_are_a_warning() -> None:
    session = open_visits(unit=pv.Persons(id="visitor_id", rows=1))
    with pytest.warns(PrivetWarning, match=r"the caps left out between \d+ % and \d+ % of the rows"):
        session.query().agg(pv.count()).release(epsilon=5, bias=0.2, most_rows=20)


@pytest.mark.filterwarnings("error::privet.errors.PrivetWarning")
def test_a_release_that_was_paid_for_is_given_where_warnings_are_errors() -> None:
    """Only the warning about what was measured comes after the charge; the others come before it."""
    session = open_visits(unit=pv.Persons(id="visitor_id", rows=1), budget=pv.budget(epsilon=3))
    release: Any = session.query().agg(pv.count()).release(epsilon=3, bias=0.4, most_rows=20)
    assert release.bias[0].many
    assert "measured: the caps left out" in release.notes[-1]


def test_rows_that_are_protected_one_by_one_have_no_caps() -> None:
    session = open_visits(unit=pv.Rows())
    release: Any = session.query().agg(pv.sum("spending", bounds=(0, 20))).release(epsilon=1, bias=0.2)
    assert [each.column for each in release.bias] == ["spending"]
    low, high = release.bias[0].interval()
    exact = sum(max(0, value - 20) for value in VISITS["spending"].to_pylist())
    assert low < exact < high


def test_a_unit_within_a_period_is_measured_by_period() -> None:
    session = open_visits(unit=pv.Persons(id="visitor_id", rows=2, period=("day", "month")))
    release: Any = session.query().agg(pv.count()).release(epsilon=5, bias=0.2, most_rows=40)
    months: dict[tuple[int, int], int] = {}
    for person, day in zip(VISITS["visitor_id"].to_pylist(), VISITS["day"].to_pylist(), strict=True):
        months[person, day.month] = months.get((person, day.month), 0) + 1
    exact = sum(max(0, min(number, 40) - 2) for number in months.values())
    low, high = release.bias[0].interval(0.999999)
    assert low <= exact <= high
    assert "of each visitor_id in a month" in release.notes[-1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"most_rows": 5},
            WrongTypeError,
            "release: most_rows needs bias=..., the share of the loss to pay, such as bias=0.1.",
        ),
        (
            {"bias": 1, "most_rows": 50},
            InvalidError,
            "release.bias must be a share of the loss, above zero and below one, got 1.",
        ),
        (
            {"bias": 0, "most_rows": 50},
            InvalidError,
            "release.bias must be a share of the loss, above zero and below one, got 0.",
        ),
        (
            {"bias": 0.1},
            InvalidError,
            NEEDS_CEILING,
        ),
        (
            {"bias": 0.1, "most_rows": 10},
            InvalidError,
            "release.most_rows must be above 10, the rows of a person that count, got 10.",
        ),
        (
            {"bias": 0.1, "most_rows": 0},
            InvalidError,
            f"{BETWEEN}, got 0.",
        ),
        ({"bias": 0.1, "most_rows": 2.5}, WrongTypeError, "release.most_rows must be a whole number, got float."),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    session = open_visits()
    with pytest.raises(error) as caught:
        session.query().agg(pv.count()).release(epsilon=1, **arguments)
    assert str(caught.value) == message
    assert session.remaining.epsilon == 10


def test_a_query_with_nothing_to_measure_says_so() -> None:
    session = open_visits(unit=pv.Rows())
    with pytest.raises(InvalidError, match="nothing can be measured here: no cap leaves out rows, and no"):
        session.query().agg(pv.count(), pv.mean("spending")).release(epsilon=1, bias=0.1)


def test_one_row_for_each_person_leaves_nothing_out() -> None:
    rows = open_visits().query().summarize(n="count(*)")
    with pytest.raises(InvalidError, match="nothing can be measured here"):
        rows.agg(pv.count()).release(epsilon=1, bias=0.1, most_rows=100)


def test_nothing_is_read_from_no_arguments() -> None:
    assert read_bias("release", None, None) is None


def test_values_are_those_of_the_rows_that_the_release_counts() -> None:
    """Which rows of a person count depends on the columns that are read: here they must be the same ones."""
    session = open_visits(unit=pv.Persons(id="visitor_id", rows=3), budget=pv.InfiniteBudget())
    query: Any = (
        session.query()
        .group_by("restaurant")
        .agg(
            total=pv.sum("spending", bounds=(0, 20)),
            m=pv.mean("minutes"),
            p=pv.sum_by_person("spending", bounds=(0, 9)),
        )
    )
    measure = measures_of(query.grouped, query.aggregates, BiasShare(share=Fraction(1, 10), most_rows=50))[1]
    assert measure.column == "spending"
    rows = measure.rows.derive(x='"privet beyond"')
    beyond: Any = rows.agg(x=pv.sum("x", bounds=(-(10**6), 10**6))).release(epsilon=10**9)
    wide: Any = session.query().group_by("restaurant").agg(total=pv.sum("spending"), m=pv.mean("minutes"))
    sums = [sum(each.release(epsilon=10**9).values("total")) for each in (wide, query)]
    assert beyond.values("x")[0] == pytest.approx(sums[0] - sums[1], abs=1e-3)


def open_numbers(kind: str, bounds: tuple[Any, Any], rows: int) -> pv.Session:
    columns = {"id": pv.column("integer"), "x": pv.column(kind, bounds=bounds)}
    data = [{"id": at, "x": bounds[1]} for at in range(100) for _ in range(2)]
    return pv.Session(data, pv.Codebook(columns=columns, unit=pv.Persons("id", rows=rows)), pv.budget(epsilon=100))


def test_whole_numbers_that_are_moved_by_one_are_measured() -> None:
    query: Any = open_numbers("integer", (0, 3), 2).query().agg(pv.sum("x", bounds=(1, 2)))
    release: Any = query.release(epsilon=100, bias=0.5, most_rows=10)
    low, high = release.bias[1].interval()
    assert release.bias[1].column == "x"
    assert low <= 200 <= high


@pytest.mark.parametrize(("kind", "largest"), [("integer", 2**62), ("real", 1e300), ("real", 1e308)])
def test_bounds_that_are_too_far_apart_are_refused_before_anything_is_charged(kind: str, largest: Any) -> None:
    session: Any = open_numbers(kind, (0, largest), 3)
    with pytest.raises(InvalidError, match="the codebook's bounds of 'x' are too far apart"):
        session.query().agg(pv.sum("x", bounds=(0, 1))).release(epsilon=1, bias=0.5, most_rows=10)
    assert session.spent.epsilon == 0
