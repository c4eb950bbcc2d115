"""Questions about imputed rows: what they cost, what is charged when, and that nothing else depends on the data."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, PrivetError, UnavailableError
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.top_k import top_k
from privet.tables.aggregates.variance import variance
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns.unit import Persons, Rows
from privet.tables.session.imputed_query import ImputedQuery
from privet.tables.session.session import Session
from tests.tables.imputed_tables import COLUMNS, Row, people
from tests.tables.opened import database_of

GUESS = Guess(incomplete=20, changes=3)


def imputed(session: Session, **how: Any) -> ImputedQuery:
    return session.query().impute("income", **{"by": "age", "guess": GUESS, **how})


def person(number: int, **more: Any) -> Row:
    return {"id": number, "age": number % 4, "sex": "fm"[number % 2], "income": 2, "job": "a", **more}


MANY = [person(number, income=None if number % 5 == 0 else number % 7 - 2) for number in range(400)]


def epsilon_of(query: Any, epsilon: Any, **more: Any) -> Fraction:
    return Fraction(query.loss(epsilon=epsilon, **more).epsilon())


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 4])
@pytest.mark.parametrize("interval", [0, 0.25])
def test_a_release_costs_nearly_what_is_asked_and_never_more(epsilon: Any, interval: Any) -> None:
    query = imputed(people([])).group_by("sex").agg(count(), mean("income"), histogram("job"))
    assert 0.999 * epsilon < epsilon_of(query, epsilon, interval=interval) <= epsilon


def test_everything_is_charged_once_before_the_data_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    session = people(MANY)
    query = imputed(session).agg(mean("income"))

    def fail(*_: Any) -> Any:
        raise UnavailableError("stopped")

    monkeypatch.setattr(database_of(session).engine, "hold", fail)
    with pytest.raises(UnavailableError, match="stopped"):
        query.release(epsilon=1)
    assert session.spent.loss().epsilon() == query.loss(epsilon=1).epsilon()


def test_what_does_not_fit_the_budget_spends_nothing() -> None:
    session = people(MANY, epsilon=1)
    with pytest.raises(BudgetExceededError):
        imputed(session).agg(mean("income")).release(epsilon=2)
    assert session.spent.loss().epsilon() == 0


@pytest.mark.parametrize("budget", [pv.budget(rho=50), pv.budget(epsilon=9, delta=1e-6)], ids=["rho", "delta"])
def test_budgets_of_every_form_are_charged(budget: Any) -> None:
    session = Session([], Codebook(unit=Rows(), columns=COLUMNS), budget)
    before = session.remaining
    imputed(session).agg(mean("income")).release(epsilon=1)
    assert session.remaining != before


def test_persons_with_several_rows_pay_for_each() -> None:
    plans = [imputed(people([], Persons(id="id", rows=rows))).agg(mean("income")).plan(epsilon=1) for rows in (1, 3)]
    costs = [plan.imputed[0].choice.calibration.cost for plan in plans]
    assert costs[0] == pytest.approx(3 * costs[1], rel=1e-6)
    assert plans[1].loss.epsilon() <= 1


def test_rows_that_come_in_numbers_pay_for_each() -> None:
    query = imputed(people([], Rows(count=4))).agg(mean("income"))
    assert query.groups.rows_of_a_unit == 4
    assert epsilon_of(query, 1) <= 1


def test_persons_without_a_cap_are_refused() -> None:
    with pytest.raises(InvalidError, match="not bounded"):
        imputed(people([], Persons(id="id"))).agg(mean("income"))


def test_persons_may_be_summarized_to_one_row_first() -> None:
    rows = [person(number % 9, age=number % 4) for number in range(40)]
    session = people(rows, Persons(id="id"))
    query = session.query().summarize(income="max(income)", age="max(age)")
    aggregate_query = query.impute("income", by="age", guess=GUESS).agg(mean("income"), count())
    assert aggregate_query.groups.rows_of_a_unit == 1
    assert aggregate_query.release(epsilon=500).values("count")[0] == pytest.approx(9, abs=1)


def test_groups_share_epsilon_where_a_donor_may_give_to_any_of_them() -> None:
    whole = imputed(people([])).agg(mean("income")).plan(epsilon=1)
    grouped = imputed(people([])).group_by("sex").agg(mean("income")).plan(epsilon=1)
    assert (whole.together, grouped.together) == (1, 2)
    assert grouped.imputed[0].choice.calibration.cost < whole.imputed[0].choice.calibration.cost * Fraction(54, 100)


@pytest.mark.parametrize(
    ("within", "keys", "together"),
    [
        (["sex"], ["sex"], 1),
        (["sex"], ["sex", "job"], 3),
        (["sex"], ["job"], 3),
        (["sex", "job"], ["job"], 1),
        (["sex"], ["other"], 1),
        (["sex"], ["changed"], 2),
    ],
)
def test_groups_of_whole_strata_are_paid_for_once(within: list[str], keys: list[str], together: int) -> None:
    found = imputed(people([]), within=within).derive(other="sex = 'f'", changed="sex = 'f' and age > 1")
    assert found.group_by(*keys).agg(mean("income")).plan(epsilon=1).together == together


def test_a_stratum_that_is_computed_anew_is_none() -> None:
    found = imputed(people([]), within="sex").derive(sex="case when age > 1 then 'f' else 'm' end")
    assert found.group_by("sex").agg(mean("income")).plan(epsilon=1).together == 2


def test_a_size_that_is_asked_for_is_released_once() -> None:
    query = imputed(people([])).agg(count(), mean("income"))
    assert not query.plain
    assert len(query.totals) == 2


def test_a_mean_and_a_variance_share_sums() -> None:
    query = imputed(people([]), k=3).agg(mean("income"), variance("income"))
    assert len(query.totals) == 3


def test_answers_are_near_where_epsilon_is_large() -> None:
    session = people(MANY)
    found = imputed(session).group_by("sex").agg(count(), mean("income"), histogram("job"), total("age"))
    release = found.release(epsilon=500)
    assert release.values("count") == pytest.approx([200, 200], abs=1)
    assert np.all(np.abs(release.values("mean_income") - 0.9) < 0.6)
    assert release.values("histogram_job_a") == pytest.approx([200, 200], abs=1)
    assert release.names == ("count", "mean_income", "histogram_job_a", "histogram_job_b", "histogram_job_c", "sum_age")


def test_persons_are_counted_as_ever() -> None:
    session = people(MANY + MANY, Persons(id="id", rows=2))
    release = imputed(session).agg(count_ids(), mean("income")).release(epsilon=500)
    assert release.values("count_ids")[0] == pytest.approx(400, abs=2)


def test_error_bars_are_refused_unless_they_are_paid_for() -> None:
    session = people(MANY)
    query = imputed(session).agg(count(), mean("income"))
    free = query.release(epsilon=20)
    assert np.isnan(free.interval()["mean_income"]).all()
    assert np.isnan(free.errors("mean_income")).all()
    assert free.interval()["count"][0][0] < free.interval()["count"][1][0]
    with pytest.raises(UnavailableError, match=r"level 0\.95 alone"):
        free.interval(0.9)
    assert any("no error bars" in note for note in free.notes)
    paid = query.release(epsilon=20, interval=0.3)
    low, high = paid.interval()["mean_income"]
    assert low[0] <= paid.values("mean_income")[0] <= high[0]
    assert not any("no error bars" in note for note in paid.notes)


def test_intervals_hold_the_answer_as_often_as_they_say() -> None:
    session = people(MANY, epsilon=10**9)
    query = imputed(session).filter("income > 0").agg(count())
    exact = query.release(epsilon=499).values("count")[0]
    held = 0
    for _ in range(12):
        low, high = (end[0] for end in query.release(epsilon=6, interval=0.3).interval()["count"])
        held += low <= exact <= high
    assert held >= 6  # 95 % or more each: fewer than 6 of 12 have a probability below 1e-6


TABLES: dict[str, list[Row]] = {
    "empty": [],
    "one": [person(1)],
    "one without": [person(1, income=None)],
    "all missing": [person(number, income=None) for number in range(30)],
    "none missing": [person(number) for number in range(30)],
    "nulls everywhere": [{"id": number} for number in range(30)],
    "nobody": [person(0, id=None)] * 5,
    "strange": [person(1, income=float("nan")), person(2, income=10**30), person(3, age=-5, sex="x")],
    "one person with many rows": [person(1, income=number % 3) for number in range(1_000)],
}


def shape(session: Session, epsilon: Any) -> Any:
    found = imputed(session, within="job").filter("income > 1 or age = 2").group_by("sex")
    release = found.agg(count(), mean("income"), variance("income")).release(epsilon=epsilon, interval=0.2)
    plain = imputed(session).group_by("sex").agg(count(), mean("age")).release(epsilon=epsilon)
    spent = session.spent.loss().epsilon()
    for each in (release, plain):
        assert all(math.isfinite(value) for name in each.names for value in each.values(name))
    columns = [(each.names, each.keys, each.groups, each.notes, sorted(each.to_dict())) for each in (release, plain)]
    return columns, spent, repr(database_of(session).engine)


@pytest.mark.parametrize("unit", [Rows(), Persons(id="id", rows=2)], ids=["rows", "persons"])
def test_nothing_but_the_numbers_depends_on_the_data(unit: Any) -> None:
    found = [shape(people(rows, unit), 2) for rows in TABLES.values()]
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda query: query.agg(mean("nosuch")), "nosuch"),
        (lambda query: query.agg(mean("income"), income=top_k("job", 2)), "no numbers"),
        (lambda query: query.group_by("sex").agg(sex=count()), "two columns of the result are called 'sex'"),
        (lambda query: query.agg(n=count(), n_low=mean("income")), "two columns of the result are called 'n_low'"),
        (lambda query: query.group_by("income").agg(pv.median("income")), "not answered about imputed values"),
        (lambda query: query.group_by("id").agg(count()), "groups of 'id' are not known"),
        (lambda query: query.agg(), "at least one aggregate"),
        (lambda query: query.agg(count_ids()), "the unit is rows"),
        (lambda query: query.agg(mean("income")).release(epsilon=0), "above zero"),
        (lambda query: query.agg(mean("income")).release(epsilon=1, interval=1), "a share"),
    ],
)
@pytest.mark.parametrize("rows", [TABLES["empty"], TABLES["strange"]], ids=["empty", "strange"])
def test_what_is_wrong_is_said_before_anything_is_charged(rows: list[Row], ask: Any, message: str) -> None:
    session = people(rows)
    with pytest.raises(PrivetError, match=message):
        ask(imputed(session))
    assert session.spent.loss().epsilon() == 0


def test_the_description_says_what_would_cost_less() -> None:
    found = [imputed(people([]), **how).group_by("sex").agg(mean("income")) for how in ({}, {"within": "sex"})]
    assert ["donors within sex" in each.describe(epsilon=1) for each in found] == [True, False]


def test_the_description_names_costs_and_expected_errors_and_reads_nothing() -> None:
    session = people(MANY)
    session.close()
    description = imputed(session, within="sex").group_by("sex").agg(mean("income")).describe(epsilon=1, interval=0.1)
    for words in (
        "10 rows of a group lack a value",
        "a row may move 1 group, ",
        "half-width",
        "loss:",
        "sex (the same)",
    ):
        assert words in description


def test_the_description_expects_half_widths_of_the_columns_of_the_release_in_order() -> None:
    query = imputed(people([])).agg(mean("income"), pv.count(), total=pv.sum("income"))
    lines = [line.split() for line in query.describe(epsilon=1).splitlines()]
    start = next(at for at, line in enumerate(lines) if line[:1] == ["column"])
    shown = {line[0]: line[1:] for line in lines[start + 1 : start + 4]}
    assert list(shown) == ["mean_income", "count", "total"]
    assert shown["mean_income"] == ["needs", "group_size=..."]
    assert shown["total"][1:] == ["at", "the", "guesses"]
    text = query.describe(epsilon=1, group_size=10**9)
    wide = next(line.split() for line in text.splitlines() if line.startswith("mean_income"))
    total = next(line.split() for line in text.splitlines() if line.startswith("total"))
    expected = float(total[1].replace(",", "")) / 10**9  # the sum of deviations has about the noise of the sum
    assert 0.3 * expected < float(wide[1]) < 1.2 * expected
    with pytest.raises(PrivetError, match="has a private size"):
        query.epsilon_for(total=5)
