"""Keys that are not publicly known."""

from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError, PrivetError, UnavailableError
from privet.tables.columns.column import Column
from privet.tables.columns.unit import PrivacyUnit
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.keys.private_keys import COUNT, KeyPlan, plan_private_keys
from privet.tables.statistics.contribution import Contribution
from privet.tables.vocabulary.relation import Relation, table
from tests.tables.one_engine import fresh, one_engine

PERSONS = pv.Persons(id="person", groups=2, rows_per_group=1)
COLUMNS = {"person": Column(kind="integer"), "key": Column(kind="text")}
WAYS: list[dict[str, Any]] = [
    {"method": "plain"},
    {"method": "weighted", "noise": "laplace"},
    {"method": "weighted", "noise": "gaussian"},
    {"method": "weighted", "noise": "laplace", "rounds": 3},
    {"method": "weighted", "noise": "gaussian", "rounds": 3},
]
TOPS: list[dict[str, Any]] = [
    {"top": 9},
    {"top": 9, "noise": "gumbel"},
    {"top": 9, "noise": "laplace"},
    {"top": 9, "method": "weighted"},
]
Rows = list[dict[str, Any]]


def planned(relation: Relation | None = None, *, most: int = 3, **options: Any) -> KeyPlan:
    asked = {"epsilon": 1, "delta": 1e-6, "id_columns": ("person",), "secret": 99, **options}
    contribution = Contribution(l0=most, l1=most, linf=1)
    return plan_private_keys(relation or table("t", COLUMNS), ["key"], contribution=contribution, **asked)


def released(rows: Rows, **options: Any) -> tuple[Any, ...]:
    engine = one_engine()
    return planned(engine.load(rows, COLUMNS, fresh()), **options).release(engine.execute)


def zipf(persons: int, keys: int, length: int) -> Rows:
    """Lists of random keys, the n-th of them n times rarer than the first; the same in every run."""
    state, rows = 1, []
    bounds = [sum(Fraction(1, n) for n in range(1, key + 2)) for key in range(keys)]
    edges = [int(edge / bounds[-1] * 2**31) for edge in bounds]
    for person in range(persons):
        for _ in range(length):
            state = (1103515245 * state + 12345) % 2**31
            rows.append({"person": person, "key": f"{next(at for at, edge in enumerate(edges) if state <= edge)}"})
    return rows


@pytest.mark.parametrize("way", [*WAYS, *TOPS])
def test_common_keys_show_in_order_and_rare_ones_do_not(way: dict[str, Any]) -> None:
    rows: Rows = [{"person": n, "key": "ba"[n % 2]} for n in range(4000)] + [{"person": 5000, "key": "rare"}] * 3000
    rows += [{"person": n, "key": None} for n in range(999)] + [{"person": None, "key": "nobody's"}] * 5000
    assert released(rows, delta=1e-9, **way) == (("a",), ("b",))


@pytest.mark.parametrize("way", [*WAYS, *TOPS])
@pytest.mark.parametrize(
    "rows", [[], [{"person": 1, "key": None}] * 9, [{"person": 1, "key": f"é{n}"} for n in range(999)]]
)
def test_tables_with_nothing_to_show(way: dict[str, Any], rows: Rows) -> None:
    assert released(rows, delta=1e-9, **way) == ()


@pytest.mark.parametrize("way", [*WAYS, *TOPS])
def test_texts_of_all_scripts_show_in_the_order_of_their_characters(way: dict[str, Any]) -> None:
    keys = ["", "'", "Z", "a", "é", "日本", "🙂"]
    rows = [{"person": n, "key": keys[n % 7]} for n in range(14_000)]
    assert released(rows, **way) == tuple((key,) for key in keys)


def test_weights_find_more_keys_and_rounds_still_more() -> None:
    rows = zipf(4000, 400, 12)
    plain, weighted, repeated = (len(released(rows, most=12, **way)) for way in (WAYS[0], WAYS[2], WAYS[4]))
    assert plain + 30 < weighted  # about 38, 99 and 145, with deviations below 5
    assert weighted + 14 < repeated


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("epsilon", "delta", "most"), [(0.1, 1e-9, 5), (1, 1e-6, 1), (5, 1e-3, 1000)])
@pytest.mark.share(2)
def test_the_loss_is_within_what_was_asked(way: dict[str, Any], epsilon: float, delta: float, most: int) -> None:
    plan = planned(most=most, epsilon=epsilon, delta=delta, **way)
    spent = plan.loss.epsilon(pc.exact(delta) if plan.delta is None else plan.delta)
    assert spent <= pc.exact(epsilon)
    assert spent > pc.exact(epsilon) * Fraction(999, 1000)
    assert plan.delta in (None, pc.exact(delta))


def test_the_loss_of_rounds_is_their_sum() -> None:
    plan = planned(**WAYS[3])
    total: Loss = plan.rounds[0].loss + plan.rounds[1].loss + plan.rounds[2].loss
    assert plan.loss.pure() == total.pure()
    assert [each.loss.pure().cost for each in plan.rounds] == [Fraction(1, 13), Fraction(3, 13), Fraction(9, 13)]


@pytest.mark.parametrize(("most", "noise"), [(1, "laplace"), (50, "gaussian")])
def test_the_noise_that_needs_fewer_persons_is_chosen(most: int, noise: str) -> None:
    assert planned(most=most, method="weighted").rounds[0].noise == noise


def test_keys_that_were_found_are_not_weighed_again() -> None:
    rows = [{"person": n, "key": key} for n in range(9000) for key in ("common", f"rare {n % 300}")]
    seen: list[dict[str, int]] = []
    with DuckDBEngine() as engine:
        plan = planned(engine.load(rows, COLUMNS), **WAYS[4])

        def run(query: Relation) -> Any:
            found = engine.execute(query)
            seen.append(dict(zip(found["key"], found[COUNT], strict=True)))
            return found

        plan.release(run)
    unit = plan.rounds[0].moved.unit  # type: ignore[attr-defined]
    assert ["common" in each for each in seen] == [True, False, False]
    assert seen[0]["rare 7"] < 30 * unit * Fraction(72, 100)
    assert seen[1]["rare 7"] == 30 * unit


def test_nothing_is_read_by_a_plan_or_its_description() -> None:
    told = planned(table("nowhere", COLUMNS), **WAYS[4]).describe()
    assert told.splitlines()[0].startswith("round 1: gaussian noise of scale ")
    assert "nowhere" not in told


def test_rows_have_the_loss_of_the_stable_histogram() -> None:
    contribution = Contribution(l0=2, l1=2, linf=2)
    plan = plan_private_keys(
        table("t", COLUMNS), ["key"], id_columns=(), contribution=contribution, secret=1, epsilon=1, delta=1e-6
    )
    each = plan.rounds[0]
    stable = pc.StableHistogram(scale=each.scale, threshold=each.threshold)
    assert plan.loss == stable.loss_of(contribution.rows(2**62))
    assert stable.loss_of(contribution.rows(2**62)).pure().delta <= Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "best"}, "method must be one of plain, weighted"),
        ({"method": "weighted", "noise": "cauchy"}, "noise must be one of laplace, gaussian, gumbel"),
        ({"rounds": 3}, "give method='weighted' too"),
        ({"noise": "laplace"}, "give method='weighted' or top=10 too"),
        ({"noise": "gumbel"}, "give method='weighted' or top=10 too"),
        ({"noise": "gaussian", "top": 3}, "noise must be laplace or gumbel for method='plain' with top, got"),
        ({"noise": "gumbel", "method": "weighted"}, "noise must be laplace or gaussian for method='weighted'"),
        ({"top": 3, "method": "weighted", "rounds": 2}, "top takes one round"),
        ({"top": 0}, "top must be between 1 and 10,000, got 0"),
        ({"top": 2.5}, "private_keys.top must be a whole number"),
        ({"top": True}, "private_keys.top must be a whole number"),
        ({"method": "weighted", "rounds": 0}, "between 1 and 10"),
        ({"method": "weighted", "rounds": 1.5}, "whole number"),
        ({"method": "weighted", "id_columns": ()}, "use method='plain', or a codebook with unit=Persons"),
        ({"epsilon": float("nan")}, "finite"),
        ({"delta": 1}, "below one"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PrivetError, match=message):
        planned(**options)


def opened(rows: Rows, unit: PrivacyUnit, budget: Any = None) -> pv.Session:
    columns = {"person": pv.column("integer"), "key": pv.column("text"), "more": pv.column("integer", bounds=(0, 9))}
    return pv.Session(rows, pv.Codebook(columns=columns, unit=unit), budget or pv.budget(epsilon=5, delta=1e-6))


@pytest.mark.parametrize("unit", [PERSONS, pv.Rows()])
def test_a_session_charges_what_was_asked(unit: PrivacyUnit) -> None:
    session = opened([{"person": n, "key": "ba"[n % 2], "more": 1} for n in range(2000)], unit)
    assert session.query().private_keys("key").release(epsilon=1, delta=1e-9).groups == (("a",), ("b",))
    assert session.query().private_keys("key", "more").release(epsilon=1, delta=1e-9).groups == (("a", 1), ("b", 1))
    assert session.spent.epsilon == 2  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda q: q.private_keys().release(epsilon=1, delta=1e-9), InvalidError, "at least one"),
        (lambda q: q.private_keys("nosuch").release(epsilon=1, delta=1e-9), PrivetError, "nosuch"),
        (lambda q: q.private_keys("key").release(epsilon=0, delta=1e-9), InvalidError, "epsilon must be above zero"),
        (lambda q: q.private_keys("key").release(epsilon=1, delta=0), InvalidError, "delta must be above zero"),
    ],
)
def test_wrong_questions_are_refused(ask: Any, error: type[Exception], message: str) -> None:
    session = opened([], PERSONS)
    with pytest.raises(error, match=message):
        ask(session.query())
    assert session.remaining == pv.budget(epsilon=5, delta=1e-6)


def test_a_budget_without_a_delta_has_no_private_keys() -> None:
    with pytest.raises(UnavailableError, match="rho"):
        opened([], PERSONS, pv.budget(rho=1)).query().private_keys("key").release(epsilon=1, delta=1e-9)
