"""Caps and bounds estimated privately: distances through the engine, charges, parity, what is found."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, PrivetError, UnavailableError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.covariance import covariance
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import median
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as total
from privet.tables.columns.auto import Auto, auto
from privet.tables.columns.column import Column
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.curator.allowance import read_allowance
from privet.tables.queries import estimates
from privet.tables.queries.aggregate_query import AggregateQuery, aggregate
from privet.tables.queries.estimates import cap_search
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.queries.own_caps import CAP_NAMES
from privet.tables.queries.two_stage import TwoStageQuery
from privet.tables.relations.caps import Caps
from privet.tables.releases.release import Release
from privet.tables.session.session import Session
from tests.tables.opened import database_of, exact_totals, fix_key

WARDS = ("a", "b", "c")
PERSONS = Persons(id="person")
QUIET = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
FEW = settings(QUIET, max_examples=6)  # each opens sessions
ROWS = st.fixed_dictionaries(
    {
        "person": st.one_of(st.none(), st.integers(1, 4)),
        "ward": st.sampled_from([*WARDS, "zzz", None]),
        "minutes": st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.integers(-3, 99)),
        "cost": st.sampled_from([0.25, -3.1, 0.0, 1e300, -math.inf, math.nan, None, 9.99]),
    }
)


def book(unit: PrivacyUnit, **more: Any) -> pv.Codebook:
    return pv.Codebook(
        unit=unit,
        columns={
            "person": pv.column("integer"),
            "ward": pv.column("text", categories=WARDS),
            "minutes": pv.column("integer"),
            "cost": pv.column("real", bounds=(-1000, 10**6)),
            **more,
        },
    )


def opened(rows: Any, unit: PrivacyUnit = PERSONS, **budget: Any) -> Session:
    session = Session(rows, book(unit), pv.budget(**(budget or {"epsilon": 10**7})))
    fix_key(session, 12345)
    return session


def ask(session: Session, **caps: Any) -> Any:
    query = session.query().filter("minutes is null or minutes <> 7")
    if caps:
        query = query.cap(**caps)
    return query.group_by("ward").agg(
        count(), time=total("minutes", bounds=auto()), average=mean("cost", bounds=auto())
    )


def all_caps() -> dict[str, Any]:
    return {"groups": auto(), "rows_per_group": auto(), "rows": auto()}


def measured(session: Session, question: Any) -> list[int]:
    plan = question.plan(epsilon=1)
    exact = exact_totals(question, plan)
    return [int(item) for item in plan.planned[0].measured.exact(exact, 1)]


def counted(rows: Any, unit: PrivacyUnit, known: Caps, caps: dict[str, Any]) -> list[list[int]]:
    """The exact counts of every estimate."""
    session = opened(rows, unit)
    later = ask(session, **caps)
    assert isinstance(later, TwoStageQuery)
    found = [measured(session, search.query(later.grouped, known)) for search in later.searches]
    session.close()
    return found


def moved(first: list[list[int]], second: list[list[int]]) -> int:
    return max(sum(abs(a - b) for a, b in zip(*pair, strict=True)) for pair in zip(first, second, strict=True))


@FEW
@given(st.lists(ROWS, max_size=25), st.sampled_from([Caps(), Caps(groups=1), Caps(groups=2, rows_per_group=1)]))
def test_one_person_moves_one_count_of_each_estimate_by_one(rows: Any, known: Caps) -> None:
    without = [row for row in rows if row["person"] != 1]
    assert moved(counted(rows, PERSONS, known, all_caps()), counted(without, PERSONS, known, all_caps())) <= 1


@FEW
@given(st.lists(ROWS, max_size=25), st.integers(1, 3))
def test_rows_move_as_many_counts_of_bounds(rows: Any, number: int) -> None:
    unit = Rows(count=number)
    assert moved(counted(rows, unit, Caps(), {}), counted(rows[number:], unit, Caps(), {})) <= number


def _with_a_large_person() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    others = [{"person": n % 50, "ward": "ab"[n % 2], "minutes": n, "cost": math.nan} for n in range(100)]
    large = [{"person": 99, "ward": WARDS[n % 3], "minutes": n, "cost": n / 7} for n in range(10_000)]
    return others, large


def test_a_person_with_10000_rows_moves_one_count_by_one_and_nobody_moves_none() -> None:
    others, large = _with_a_large_person()
    nobody = [{**row, "person": None} for row in large]
    base = counted(others, PERSONS, Caps(), all_caps())
    assert moved(base, counted(others + large, PERSONS, Caps(), all_caps())) == 1
    assert moved(base, counted(others + nobody, PERSONS, Caps(), all_caps())) == 0


def test_the_laws_catch_rows_that_are_counted_instead_of_persons() -> None:
    def by_row(rows: Any) -> list[list[int]]:
        session = opened(rows)
        query = session.query().cap(rows=10**6).derive(size="minutes % 5 + 1")
        found = measured(session, query.agg(bins=histogram("size", cap_search("rows", auto(), 5).cuts)))
        session.close()
        return [found]

    others, large = _with_a_large_person()
    assert moved(by_row(others), by_row(others + large)) == 10_000


def test_the_laws_catch_counts_without_a_cap_of_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def uncapped(query: Any, name: str, edges: Any) -> Any:
        rows = GroupedRows(query=evolve(query, caps=Caps(rows=10**6)))
        return aggregate(rows, {"bins": histogram(name, edges)})

    others, large = _with_a_large_person()
    monkeypatch.setattr(estimates, "_counted", uncapped)
    first, second = (counted(rows, PERSONS, Caps(), all_caps()) for rows in (others, others + large))
    assert moved(first, second) > 1


def _cuts(rows: list[dict[str, Any]], *, from_data: bool) -> tuple[int, ...]:
    most = max(sum(row["person"] == other["person"] for other in rows[::500]) for row in rows) if from_data else 2**62
    return cap_search("rows", auto(), most).cuts


def test_bins_are_public_and_bins_from_the_largest_person_are_caught() -> None:
    others, large = _with_a_large_person()
    assert _cuts(others, from_data=False) == _cuts(others + large, from_data=False)
    assert _cuts(others, from_data=True) != _cuts(others + large, from_data=True)


def test_the_engine_finds_cap_and_bounds_of_a_heavy_tailed_table() -> None:
    rng = np.random.default_rng(6)
    sizes = np.minimum(np.ceil(rng.lognormal(1, 1, 10_000)), 5000).astype(int)
    person = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.lognormal(3, 1, len(person))
    table = {"person": person, "ward": rng.choice(WARDS, len(person)), "minutes": values.astype(int), "cost": values}
    session = opened(pa.table(table), epsilon=3)
    wanted = auto(quantile=0.95, beta=1e-9)
    query = session.query().cap(rows=wanted)
    answer = query.agg(count(), mean("cost", bounds=auto(quantile=0.95, beta=1e-9))).release(epsilon=1)
    cap, (lower, upper) = (each.value for each in answer.estimates)  # type: ignore[misc]
    assert np.quantile(sizes, 0.95) / 2 <= cap <= np.quantile(sizes, 0.95) * 2
    assert 0 <= lower <= np.quantile(values, 0.025) * 2
    assert np.quantile(values, 0.975) / 2 <= upper <= np.quantile(values, 0.975) * 2
    assert answer.plan.contribution.l1 == cap
    assert session.spent.epsilon == 1  # type: ignore[attr-defined]


def test_an_empty_table_gives_valid_caps_and_the_widest_bounds() -> None:
    session = opened([])
    sure = auto(beta=1e-9)
    query = session.query().cap(groups=sure, rows_per_group=sure)
    answer = query.group_by("ward").agg(total("cost", bounds=sure), total("minutes", bounds=sure)).release(epsilon=1)
    assert [each.value for each in answer.estimates] == [1, 1, (-1000, 10**6), estimates.WIDEST]


def test_rows_are_counted_after_the_caps_that_come_before() -> None:
    rows = [{"person": n, "ward": ward, "minutes": 1} for n in range(200) for ward in WARDS for _ in range(4)]
    known: list[tuple[dict[str, Any], int]] = [({}, 12), ({"groups": 1}, 4), ({"groups": 2, "rows_per_group": 1}, 2)]
    for caps, wanted in known:
        query = opened(rows).query().cap(rows=auto(quantile=1), **caps)
        answer = query.group_by("ward").agg(count()).release(epsilon=10**6)
        assert answer.estimates[0].value == wanted


@pytest.mark.parametrize("lost", [{"epsilon": 1}, {"epsilon": Fraction(1, 3), "delta": 1e-7}, {"rho": 0.5}])
def test_estimates_and_query_cost_what_was_asked_together(lost: dict[str, Any]) -> None:
    rows = [{"person": n, "ward": "a", "minutes": n % 60, "cost": 2.0} for n in range(2000)]
    limit = {"rho": 5} if "rho" in lost else {"epsilon": 5, "delta": 1e-6}
    session = opened(rows, **limit)
    answer = ask(session, rows=auto(share=0.2)).release(**lost)
    spent, wanted = session.spent.point(), pv.budget(**lost).point()
    assert wanted.cost * Fraction(999, 1000) < spent.cost <= wanted.cost
    assert spent.delta <= wanted.delta
    shares = [each.loss.rho() if "rho" in lost else each.loss.epsilon() for each in answer.estimates]
    expected = [wanted.cost * Fraction(share) for share in ("1/5", "1/10", "1/10")]
    assert all(found <= share for found, share in zip(shares, expected, strict=True))
    pure = answer.loss.rho() if "rho" in lost else answer.loss.epsilon(wanted.delta)
    assert pure <= wanted.cost


def test_the_description_adds_up_what_estimates_and_query_cost() -> None:
    text = ask(opened([], epsilon=1), rows=auto()).describe(epsilon=1)
    assert "together with the estimates: epsilon 1" in text.splitlines()
    assert "95 % half-width" in text


@pytest.mark.parametrize("lost", [{"epsilon": 2}, {"epsilon": 0.5, "delta": 1e-3}, {"rho": 0.1}, {"epsilon": 0}])
def test_nothing_is_read_or_spent_where_not_all_of_it_fits(lost: dict[str, Any]) -> None:
    session = opened([{"person": 1, "ward": "a", "minutes": 1, "cost": 1.0}], epsilon=1, delta=1e-6)
    question = ask(session, rows=auto())
    database_of(session).engine.execute = lambda *_: pytest.fail("the table was read")
    with pytest.raises((BudgetExceededError, UnavailableError, InvalidError)):
        question.release(**lost)
    assert session.spent.epsilon == 0  # type: ignore[attr-defined]


def test_stages_in_rho_share_the_delta_at_which_a_session_of_epsilon_reads_them() -> None:
    session = opened([], epsilon=20, delta=1e-6)
    release = ask(session, rows=auto()).release(rho=0.1, delta=1e-6)
    stages = [*(each.loss for each in release.estimates), release.plan.loss]
    apart = sum(stage.epsilon(Fraction(1e-6) / 4) for stage in stages)
    assert session.spent.delta == pytest.approx(1e-6)  # type: ignore[attr-defined]
    assert float(session.spent.epsilon) == pytest.approx(float(apart))  # type: ignore[attr-defined]


def capped(session: Session) -> Any:
    return session.query().cap(groups=auto(), rows_per_group=auto()).group_by("ward").agg(count())


@pytest.mark.parametrize("rho", [0.1, 1])
def test_stages_in_rho_are_refused_together_or_not_at_all(rho: float) -> None:
    """Noise for larger caps costs more on its grid: a budget that only fits caps of one is refused before a stage."""
    query = capped(opened([], epsilon=99, delta=1e-3))
    allowed, delta = read_allowance("release", rho=rho).budget, Fraction(1, 3000)
    stages = [plan.loss for _, plan in query._plans(allowed)] + [query.at_widest().planned(query._rest(allowed)).loss]
    least = sum((Fraction(stage.epsilon(delta)) for stage in stages), Fraction(1, 10**9))
    rows = [{"person": n % 300, "ward": "abc"[n % 7 % 3], "minutes": 1, "cost": 1.0} for n in range(3000)]
    session = opened(rows, epsilon=least, delta=1e-2)
    with pytest.raises(BudgetExceededError, match="Nothing was spent"):
        capped(session).release(rho=rho, delta=1e-3)
    assert session.spent.epsilon == 0  # type: ignore[attr-defined]
    assert capped(opened(rows, epsilon=2 * least, delta=1e-2)).release(rho=rho, delta=1e-3).estimates


def test_describe_reads_nothing_and_is_the_same_for_every_table() -> None:
    told = []
    for rows in ([], [{"person": 1, "ward": "a", "minutes": 1, "cost": 1.0}] * 1000):
        session = opened(rows, epsilon=1)
        database_of(session).engine.execute = lambda *_: pytest.fail("the table was read")
        told.append(ask(session, rows=auto(share=0.2), groups=2).describe(epsilon=1, group_size=100))
        assert session.spent.epsilon == 0  # type: ignore[attr-defined]
    assert told[0] == told[1]
    assert "cap on rows: epsilon 0.2, persons by their number of rows, 40 bins up to 1048576" in told[0]
    assert "bounds of 'cost': epsilon 0.1, one row of each unit" in told[0]
    assert "left for the query: epsilon 0.6" in told[0]


@FEW
@given(st.lists(ROWS, max_size=12))
def test_neighbours_give_the_same_shapes_notes_and_charges(rows: Any) -> None:
    seen = []
    for table in (rows, [row for row in rows if row["person"] != 1]):
        session = opened(table, epsilon=1)
        answer = ask(session, rows=auto()).release(epsilon=1)
        shapes = [each.histogram.numbers[0].shape for each in answer.estimates]
        notes = [note.split(" at a cost of ")[1:] for note in answer.notes]
        seen.append((list(answer.to_dict()), answer.groups, shapes, notes, session.spent, answer.loss.epsilon()))
        session.close()
    assert seen[0] == seen[1]


def test_what_two_aggregates_want_alike_is_estimated_once() -> None:
    columns = opened([]).query().cap(rows=5)
    asked = columns.agg(total("cost", bounds=auto()), mean("cost", bounds=auto()), std("cost", bounds=auto(share=0.2)))
    assert isinstance(asked, TwoStageQuery)
    assert [search.auto.share for search in asked.searches] == [Fraction(1, 10), Fraction(1, 5)]


def test_one_candidate_costs_nothing() -> None:
    session = opened([{"person": 1, "ward": "a"}], epsilon=1)
    answer = session.query().cap(groups=auto(), rows_per_group=1).agg(count()).release(epsilon=1)
    assert answer.estimates == ()
    assert answer.loss.epsilon() == 1


def test_every_aggregate_with_bounds_takes_auto_and_the_answer_round_trips() -> None:
    rows = [{"person": n, "ward": "a", "minutes": n % 60, "cost": n / 9} for n in range(3000)]
    query = opened(rows).query().cap(rows=auto(beta=1e-9))
    few: Auto = auto(share=0.01, beta=1e-9)
    answer = query.agg(
        std("minutes", bounds=few),
        covariance("minutes", "cost", first_bounds=few, second_bounds=few),
        median("cost", bounds=few),
        histogram("minutes", 4, bounds=few),
    ).release(epsilon=50)
    assert [each.name for each in answer.estimates] == ["cap on rows", "bounds of 'minutes'", "bounds of 'cost'"]
    assert abs(float(answer.values("std_minutes")[0]) - 17.3) < 1
    assert Release.from_json(answer.to_json()) == answer


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda _: auto(share=0), "auto.share must be above zero and below one, got 0"),
        (lambda _: auto(share=1), "auto.share must be above zero and below one, got 1"),
        (lambda _: auto(share="x"), "Auto.share"),
        (lambda _: auto(beta=0), "auto.beta must be above zero"),
        (lambda _: auto(quantile=0), "auto.quantile must be above zero and at most one"),
        (lambda _: auto(quantile=(0.5, 1.5)), "auto.quantile must lie between zero and one"),
        (lambda _: auto(quantile=(0.9, 0.1)), "lower must be below upper"),
        (lambda _: auto(most=0), "auto.most must be 1 or more"),
        (lambda _: auto(most=2.5), "auto.most must be a whole number"),
        (lambda q: q.cap(rows=auto(quantile=(0.1, 0.9))).agg(count()), "of a cap is one share such as 0.99"),
        (lambda q: q.cap(rows=auto(share=0.6), groups=auto(share=0.5)).group_by("ward").agg(count()), "smaller shares"),
        (lambda q: q.cap(groups=auto()).group_by("ward").agg(count()), "not bounded"),
        (
            lambda q: q.cap(rows=auto()).private_keys("person").release(epsilon=1, delta=1e-6),
            "cannot be estimated here",
        ),
        (lambda q: q.cap(rows=1).agg(total("open", bounds=auto())), "put wide bounds of 'open' in the codebook"),
        (lambda q: q.cap(rows=1).agg(total("day", bounds=auto())), "'day' is date"),
        (lambda q: q.cap(rows=1).agg(total("ward", bounds=auto())), "'ward' is text"),
        (lambda q: q.cap(rows=1).agg(total("none", bounds=auto())), "there is no column 'none'"),
        (lambda q: q.cap(rows=1).agg(total("cost", bounds=auto(most=5))), "is for caps"),
        (lambda q: q.cap(rows=auto()).agg(count()).plan(epsilon=1), "see describe"),
        (lambda _: total("x", bounds=auto()).bind({"x": Column(kind="integer")}), "give a pair"),
        (lambda _: opened([], Rows()).query().cap(rows=auto()), "the unit is rows"),
    ],
)
def test_what_cannot_be_estimated_is_refused_before_anything_is_read(make: Any, message: str) -> None:
    with pytest.raises(PrivetError, match=message.replace("(", r"\(")):
        make(Session([], book(PERSONS, open=pv.column("real"), day=pv.column("date")), pv.budget(epsilon=1)).query())


def test_caps_are_estimated_in_the_order_in_which_they_are_applied() -> None:
    asked = opened([]).query().cap(rows=auto(), rows_per_group=auto(), groups=auto()).group_by("ward").agg(count())
    assert isinstance(asked, TwoStageQuery)
    assert [search.name for search in asked.searches] == [f"cap on {name}" for name in CAP_NAMES]
    assert CAP_NAMES == ("groups", "rows_per_group", "rows")


def test_the_last_word_on_a_cap_counts_and_the_codebook_fills_in_the_rest() -> None:
    unit = Persons(id="person", groups=2, rows_per_group=3, rows=5)
    query = opened([], unit).query().cap(rows=auto()).cap(groups=1)
    asked = query.group_by("ward").agg(count())
    assert isinstance(asked, TwoStageQuery)
    assert [search.cuts[-1] - 1 for search in asked.searches] == [3]  # one group, three rows in it
    assert isinstance(query.cap(rows=2).group_by("ward").agg(count()), AggregateQuery)
    assert opened([], unit).query().cap(rows=2).cap(rows=auto()).caps.rows is None


def test_rows_of_the_other_group_are_one_group() -> None:
    rows = [{"person": n, "ward": ward, "minutes": 1} for n in range(200) for ward in WARDS for _ in range(2)]
    query = opened(rows).query().cap(groups=auto(quantile=1), rows_per_group=auto(quantile=1))
    answer = query.group_by("ward", groups=["a"], other="rest").agg(count()).release(epsilon=10**6)
    assert [each.value for each in answer.estimates] == [2, 4]
    assert answer.values("count").tolist() == [400, 800]


def test_where_each_person_has_one_row_nothing_is_estimated() -> None:
    session = opened([{"person": n, "ward": "a"} for n in range(9)])
    answer = session.query().summarize(visits="count(*)").cap(rows=auto()).agg(count()).release(epsilon=10**6)
    assert answer.estimates == ()
    assert answer.values("count")[0] == 9


def test_batches_and_rollups_want_numbers() -> None:
    session = opened([])
    asked = session.query().cap(rows=auto()).agg(count())
    with pytest.raises(UnavailableError, match="batch: a: caps and bounds must be known here"):
        session.batch(a=asked)
    with pytest.raises(UnavailableError, match="rollup: caps and bounds must be known here"):
        session.query().cap(rows=auto()).rollup("ward").agg(count())
