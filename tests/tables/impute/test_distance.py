"""Neighbouring tables: answers are at most the smaller smooth bound apart, and bounds at most a factor e^beta."""

from functools import partial
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import exp

from privet.imputation.scheme import MeanOfNeighbours
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.variance import variance
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.impute.totals import total_of
from privet.tables.nodes import imputing
from privet.tables.statistics.statistic import ROWS
from privet.tables.vocabulary.literals import keyed_hash
from tests.tables.imputed_tables import Ask, Row, exactly, people, within_a_step

GUESS = Guess(incomplete=5, changes=2)
ROW = st.fixed_dictionaries(
    {
        "age": st.sampled_from([0, 1, 3, None]),
        "sex": st.sampled_from(["f", "m"]),
        "income": st.sampled_from([-4, 6, 6, None, None]),
    }
)


def _all(query: Any) -> Any:
    found = query.impute("income", by=["age", "sex"], guess=GUESS)
    return found.agg(mean("income"), total("income"), variance("income"), correlation("income", "age"))


def _mean_of_two(query: Any) -> Any:
    found = query.impute("income", by="age", scheme=MeanOfNeighbours(k=2), guess=GUESS, default=6)
    return found.agg(mean("income"), total("income"), variance("income"))


def _filtered(query: Any) -> Any:
    found = query.impute("income", by="age", guess=GUESS).filter("income > 0").filter("sex = 'f'")
    return found.agg(count(), mean("income"), total("age"))


def _grouped(query: Any) -> Any:
    found = query.impute("income", by="age", guess=GUESS).bin("income", edges=[-4, 0, 6])
    return found.group_by("sex", "income_bin").agg(count(), total("income"))


def _strata(query: Any) -> Any:
    found = query.impute("income", by="age", within="sex", scheme=MeanOfNeighbours(k=2), guess=GUESS)
    return found.group_by("sex").agg(mean("income"))


ASKED: dict[str, Ask] = {
    "all": _all,
    "mean of two": _mean_of_two,
    "filtered": _filtered,
    "grouped": _grouped,
    "strata": _strata,
}


def worst(rows: list[Row], gone: int, ask: Ask, unit: PrivacyUnit, beta: float = 0.5) -> tuple[float, bool]:
    """Give the largest ratio of a difference to the smaller bound, and whether bounds are smooth."""
    sessions = [people(each, unit) for each in (rows, rows[:gone] + rows[gone + 1 :])]
    (totals, bounds), (others, changed) = (exactly(session, ask, beta) for session in sessions)
    ratio, smooth = 0.0, True
    for statistic, found in bounds.items():
        for at, bound in enumerate(found):
            other = changed[statistic][at]
            ratio = max(ratio, abs(totals[statistic][at] - others[statistic][at]) / float(min(bound, other)))
            smooth = smooth and within_a_step(float(bound), float(other), beta)
    for session in sessions:
        session.close()
    return ratio, smooth


@pytest.mark.parametrize("name", list(ASKED))
@given(rows=st.lists(ROW, min_size=1, max_size=8), data=st.data())
@settings(max_examples=8, deadline=None)
@pytest.mark.share(2)
def test_rows(name: str, rows: list[Row], data: st.DataObject) -> None:
    gone, beta = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.sampled_from([0.05, 0.5, 1.0]))
    ratio, smooth = worst(rows, gone, ASKED[name], Rows(), beta)
    assert ratio <= 1
    assert smooth


@given(rows=st.lists(ROW, min_size=1, max_size=8), data=st.data())
@settings(max_examples=8, deadline=None)
def test_persons(rows: list[Row], data: st.DataObject) -> None:
    owned = [{**row, "id": number} for number, row in enumerate(rows)]
    ratio, smooth = worst(owned, data.draw(st.integers(0, len(rows) - 1)), ASKED["filtered"], Persons(id="id", rows=1))
    assert ratio <= 1
    assert smooth


def _hub(number: int) -> list[Row]:
    """One donor far away from many who lack a value, and another one next to them, which goes."""
    near = {"age": 0, "sex": "f", "income": 6}
    return [near, {"age": 3, "sex": "f", "income": -4}, *[{"age": 0, "sex": "f", "income": None}] * number]


@pytest.mark.parametrize("name", ["all", "filtered", "strata"])
def test_a_donor_of_many_is_covered(name: str) -> None:
    ratio, smooth = worst(_hub(30), 0, ASKED[name], Rows())
    assert 0.5 < ratio <= 1
    assert smooth


def _by_sex(query: Any, **how: Any) -> Any:
    return query.impute("income", by="age", guess=GUESS, **how).group_by("sex").agg(total("income"))


@given(rows=st.lists(ROW, min_size=1, max_size=8), data=st.data())
@settings(max_examples=6, deadline=None)
def test_a_row_moves_nothing_in_other_strata(rows: list[Row], data: st.DataObject) -> None:
    gone = data.draw(st.integers(0, len(rows) - 1))
    found = [exactly(people(each), partial(_by_sex, within="sex")) for each in (rows, rows[:gone] + rows[gone + 1 :])]
    other = 1 - "fm".index(str(rows[gone]["sex"]))
    totals = [next(iter(each[0].values()))[other] for each in found]
    bounds = [next(iter(each[1].values()))[other] for each in found]
    assert totals[0] == totals[1]
    assert bounds[0] == bounds[1]


def test_without_strata_a_row_may_move_a_group_that_it_is_not_in() -> None:
    rows = [{"age": 0, "sex": "f", "income": 6}, {"age": 0, "sex": "m", "income": None}]
    found = [next(iter(exactly(people(each), _by_sex)[0].values())) for each in (rows, rows[1:])]
    assert found[0][1] != found[1][1]


def test_only_incomplete_rows_of_a_group_make_its_bound_larger() -> None:
    bounds = next(iter(exactly(people(_hub(30)), _by_sex)[1].values()))
    assert bounds[1] < 6 + 10  # nobody of that group lacks a value
    assert bounds[0] > 30 * 10


def test_an_analysis_that_forgets_who_enters_is_caught() -> None:
    (totals, _), (others, _) = (exactly(people(rows), _filtered) for rows in (_hub(30), _hub(30)[1:]))
    apart = abs(totals[ROWS][0] - others[ROWS][0])
    query = _filtered(people([]).query())
    grouped = query.groups.grouped.query
    claimed = {
        entered: total_of(ROWS, grouped.columns, evolve(query.groups.facts, rows=entered)) for entered in (False, True)
    }
    assert apart > claimed[False].own  # and its donees would count nothing
    assert (claimed[False].donee, claimed[True].donee) == (0, 1)


def _sum(query: Any, **how: Any) -> Any:
    return query.impute("income", by="age", guess=GUESS, **how).agg(total("income"))


def test_labels_of_positions_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where labels are hashes of places in the table, one row that goes gives others new donors."""

    known = keyed_hash

    def positions(key: int, names: Any) -> exp.Expr:
        order = exp.Order(expressions=[exp.Ordered(this=known(key, names))])
        return exp.Anonymous(this="hash", expressions=[exp.Window(this=exp.RowNumber(), order=order, over="OVER")])

    rows: list[Row] = [{"age": 0, "sex": "f", "income": income} for income in (-4, 6) * 1000]
    rows += [{"age": 0, "sex": "f", "income": None}] * 2000
    assert max(worst(rows, gone, _sum, Rows())[0] for gone in (0, 1)) <= 1
    monkeypatch.setattr(imputing, "keyed_hash", positions)
    assert max(worst(rows[gone:], 0, _sum, Rows())[0] for gone in range(5)) > 1


def test_a_mean_of_those_that_are_there_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def present_only(self: Any, values: Any, given: Any, default: int) -> Any:
        number = given.sum(axis=1)
        found = (values * given).sum(axis=1) * self.k // number.clip(1)
        found[number == 0] = default * self.k
        return found

    rows: list[Row] = [{"age": 0, "sex": "f", "income": income} for income in (6, -4)]
    rows += [{"age": 0, "sex": "f", "income": None}] * 30
    query = partial(_sum, scheme=MeanOfNeighbours(k=8), default=1)
    assert worst(rows, 0, query, Rows())[0] <= 1
    monkeypatch.setattr(MeanOfNeighbours, "combine", present_only)
    assert worst(rows, 0, query, Rows())[0] > 1
