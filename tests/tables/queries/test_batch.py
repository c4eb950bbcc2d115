"""Batches: the total is certified and charged once, before anything is read, and less noise is needed than in parts."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.errors import BudgetExceededError, InvalidError, MismatchError, UnavailableError, WrongTypeError
from privet.tables.aggregates.count import count
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import median
from privet.tables.aggregates.sum import sum as total
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns.auto import auto
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.curator.allowance import read_allowance
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.noise.batch_plan import BatchPlan
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.batch import Batch
from privet.tables.session.session import Session
from tests.tables.opened import database_of

DELTA = Fraction(1, 10**6)
WARDS = ("a", "b", "c")
ROWS = [{"person": n % 20, "ward": WARDS[n % 3], "age": n % 10} for n in range(60)]


def opened(unit: PrivacyUnit | None = None, rows: Any = ROWS, **lost: Any) -> Session:
    book = Codebook(
        columns={
            "person": column("integer"),
            "ward": column("text", categories=WARDS),
            "age": column("integer", bounds=(0, 9)),
        },
        unit=unit or Rows(),
    )
    return Session(rows, book, pv.budget(**(lost or {"epsilon": 1, "delta": DELTA})))


def counts(session: Session, number: int) -> dict[str, Any]:
    return {f"q{n}": session.query().filter(f"age <= {n % 10}").agg(count()) for n in range(number)}


def deviation(plan: NoisePlan) -> float:
    return plan.planned[0].noise.deviation


@pytest.mark.parametrize(
    "lost", [{"epsilon": 1}, {"epsilon": 1, "delta": DELTA}, {"rho": 0.1}, {"epsilon": 20, "delta": 0.1}]
)
@pytest.mark.parametrize("number", [1, 50])
def test_the_total_fits_what_may_be_lost(lost: dict[str, Any], number: int) -> None:
    session = opened()
    asked = counts(session, number) | {"many": session.query().group_by("ward").agg(mean("age"), middle=median("age"))}
    assert session.batch(**asked).plan(**lost).loss <= pv.budget(**lost)


def test_questions_planned_together_have_less_noise_than_with_parts_of_the_budget() -> None:
    session = opened(Persons(id="person", groups=3, rows_per_group=1))
    asked = {f"q{n}": session.query().filter(f"age <= {n % 10}").group_by("ward").agg(count()) for n in range(50)}
    apart = asked["q0"].plan(epsilon=Fraction(1, 50), delta=DELTA / 50)
    together = session.batch(**asked).plan(epsilon=1, delta=DELTA)
    assert {part.noise.kind for plan in together.plans.values() for part in plan.planned} == {"gaussian"}
    assert all(deviation(plan) < 0.5 * deviation(apart) for plan in together.plans.values())


def test_the_noise_is_that_of_one_gaussian_release() -> None:
    session = opened()
    asked = {f"q{n}": session.query().group_by("ward").agg(count(), total("age")) for n in range(50)}
    plan = session.batch(**asked).plan(epsilon=1, delta=DELTA)
    # 100 numbers of equal share: ten times the deviation of one, which is 4.2247
    assert 42.2 < deviation(plan.plans["q7"]) < 42.3
    lower, upper = plan.loss.interval(delta=DELTA)
    assert lower > Fraction(99, 100) * upper


def test_a_pure_budget_is_shared_out() -> None:
    session = opened()
    plan = session.batch(**counts(session, 5)).plan(epsilon=1)
    assert [each.planned[0].noise.scale for each in plan.plans.values()] == [5] * 5


def test_a_batch_of_one_is_the_question_itself() -> None:
    session = opened()
    question = session.query().agg(count())
    lost: dict[str, Any] = {"epsilon": 1, "delta": DELTA}
    assert session.batch(only=question).plan(**lost).plans["only"].planned == question.plan(**lost).planned


def test_weights_share_out_the_loss() -> None:
    session = opened()
    plan = session.batch(**counts(session, 2)).plan(epsilon=1, weights={"q0": 3})
    assert [each.planned[0].noise.scale for each in plan.plans.values()] == [Fraction(4, 3), 4]


def test_the_caps_of_each_question_count_for_itself() -> None:
    session = opened(Persons(id="person", rows=1))
    small, large = session.query().agg(count()), session.query().cap(rows=10).agg(count())
    plan = session.batch(small=small, large=large).plan(epsilon=1)
    assert [plan.plans[name].contribution.l1 for name in ("small", "large")] == [1, 10]
    assert [plan.plans[name].planned[0].noise.scale for name in ("small", "large")] == [2, 20]


def test_two_hundred_questions_are_planned() -> None:
    session = opened()
    plan = session.batch(**counts(session, 200)).plan(epsilon=1, delta=DELTA, weights={"q1": 2})
    assert deviation(plan.plans["q1"]) < deviation(plan.plans["q0"])


def test_noise_that_has_no_room_in_a_float_is_planned() -> None:
    book = Codebook(columns={"x": column("real", bounds=(0, 1e300))}, unit=Rows())
    session = Session([], book, pv.budget(epsilon=1))
    plan = session.batch(a=session.query().agg(total("x")), b=session.query().agg(count())).plan(epsilon=1e-12)
    assert plan.plans["a"].planned[0].noise.scale > 10**312


def test_answers_are_those_of_the_questions() -> None:
    session = opened(epsilon=10**9)
    asked = counts(session, 10) | {"wards": session.query().group_by("ward").agg(count())}
    found = session.batch(**asked).release(epsilon=10**9)
    assert [int(np.ravel(found[f"q{n}"].values("count"))[0]) for n in range(10)] == [6 * (n + 1) for n in range(10)]
    assert np.ravel(found["wards"].values("count")).tolist() == [20, 20, 20]
    assert list(found) == list(asked)
    assert len(found) == 11


@pytest.mark.parametrize("lost", [{"epsilon": 1, "delta": DELTA}, {"rho": 0.1}, {"epsilon": Fraction(1, 3)}])
def test_one_charge_for_all(lost: dict[str, Any]) -> None:
    session = opened(**lost)
    found = session.batch(**counts(session, 12)).release(**lost)
    form = pv.budget(**lost)
    assert session.spent == form.like(form.price(found.loss, lost.get("delta")))
    with pytest.raises(BudgetExceededError):
        session.batch(**counts(session, 1)).release(**lost)


def watched(session: Session, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Write down what was spent whenever the engine reads."""
    seen: list[Any] = []
    engine = database_of(session).engine
    execute: Callable[..., Any] = engine.execute

    def reading(*asked: Any, **more: Any) -> Any:
        seen.append(session.spent)
        return execute(*asked, **more)

    monkeypatch.setattr(engine, "execute", reading)
    return seen


def test_everything_is_charged_before_the_first_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened()
    seen = watched(session, monkeypatch)
    session.batch(**counts(session, 4)).release(epsilon=1)
    assert seen == [pv.budget(epsilon=1, delta=0)] * 4


def test_what_does_not_fit_is_refused_and_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(epsilon=1)
    seen = watched(session, monkeypatch)
    with pytest.raises(BudgetExceededError):
        session.batch(**counts(session, 4)).release(epsilon=1.001)
    assert seen == []
    assert session.spent == pv.budget(epsilon=0)


def test_what_was_charged_stays_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise UnavailableError("the disk is full.")

    monkeypatch.setattr(DuckDBEngine, "execute", fail)
    session = opened(epsilon=1)
    batch = session.batch(**counts(session, 2))
    with pytest.raises(UnavailableError, match="disk"):
        batch.release(epsilon=1)
    assert session.remaining == pv.budget(epsilon=0)


def test_of_two_threads_one_gets_the_budget() -> None:
    session = opened(epsilon=1)
    batch = session.batch(**counts(session, 3))

    def attempt(_: int) -> bool:
        try:
            batch.release(epsilon=1)
        except BudgetExceededError:
            return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert sum(threads.map(attempt, range(4))) == 1


def test_what_is_asked_cannot_be_changed_after_planning() -> None:
    session = opened()
    asked = counts(session, 2)
    batch = Batch(curator=session._curator, queries=asked)
    asked["q0"] = session.query().group_by("ward").agg(count())
    assert batch.queries["q0"].grouped.keys == ()
    with pytest.raises(TypeError):
        batch.queries["q0"] = asked["q0"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda session: session.batch(), InvalidError, "at least one query"),
        (lambda session: session.batch(a=session.query()), WrongTypeError, "a must be an aggregate query.*got Query"),
        (lambda session: session.batch(a=opened().query().agg(count())), InvalidError, "belongs to another session"),
        (
            lambda session: session.batch(a=session.query().agg(mean("age", bounds=auto()))),
            UnavailableError,
            "instead of auto",
        ),
        (lambda session: session.batch(**counts(session, 1)).plan(), WrongTypeError, "needs epsilon"),
        (
            lambda session: session.batch(**counts(session, 1)).plan(epsilon=0),
            InvalidError,
            "above zero, got 0",
        ),
        (lambda session: _weighted(session, {"zz": 1}), InvalidError, "'zz', which is no query"),
        (lambda session: _weighted(session, {"q0": 0}), InvalidError, "above zero, got 0"),
        (lambda session: _weighted(session, {"q0": 1e13}), InvalidError, "within a factor of"),
        (
            lambda session: _weighted(session, "equal errors"),
            WrongTypeError,
            "numbers by name, got str",
        ),
    ],
)
def test_wrong_batches_are_refused_and_nothing_is_spent(make: Any, error: type[Exception], message: str) -> None:
    session = opened()
    with pytest.raises(error, match=message):
        make(session)
    assert session.spent == pv.budget(epsilon=0, delta=0)


def _weighted(session: Session, weights: Any) -> Any:
    return session.batch(**counts(session, 2)).release(epsilon=1, weights=weights)


def test_a_description_names_every_question_and_the_total() -> None:
    session = opened()
    told = session.batch(**counts(session, 2)).describe(epsilon=1, group_size=10).splitlines()
    assert [line for line in told if line.startswith(("q0", "q1", "together"))] == [
        "q0",
        "q1",
        "together: epsilon = 1",
    ]
    assert session.spent == pv.budget(epsilon=0, delta=0)
    assert repr(session.batch(**counts(session, 2))) == "Batch(q0, q1)"


def _each_for_all(batch: Batch) -> BatchPlan:
    """A wrong plan: every question is planned as if it were the only one."""
    return BatchPlan(plans={name: each.plan(epsilon=1, delta=DELTA) for name, each in batch.queries.items()})


def _by_the_largest(plan: BatchPlan) -> pv.Loss:
    """A wrong total: that of the dearest question."""
    return max((each.loss for each in plan.plans.values()), key=lambda loss: loss.epsilon(DELTA))


def test_questions_planned_as_if_alone_are_caught() -> None:
    session = opened()
    batch = session.batch(**counts(session, 3))
    wrong = _each_for_all(batch)
    assert _by_the_largest(wrong) <= pv.budget(epsilon=1, delta=DELTA)
    assert not wrong.loss <= pv.budget(epsilon=1, delta=DELTA)
    with pytest.raises(BudgetExceededError):
        session.release(batch.request_for(wrong, read_allowance("batch", epsilon=1, delta=DELTA)))


def test_the_plan_of_other_questions_is_refused() -> None:
    session = opened(Persons(id="person", rows=1))
    small = session.batch(q=session.query().agg(count()))
    large = session.batch(q=session.query().cap(rows=10).agg(count()))
    for other in (large, session.batch(p=session.query().agg(count()))):
        with pytest.raises(MismatchError, match="for (another query|other queries)"):
            session.release(other.request_for(small.plan(epsilon=1), read_allowance("batch", epsilon=1)))
    assert session.spent == pv.budget(epsilon=0, delta=0)


@given(st.lists(st.sampled_from(ROWS), max_size=5), st.lists(st.sampled_from(ROWS), max_size=5))
@settings(deadline=None, max_examples=5)
def test_nothing_but_numbers_depends_on_the_rows(one: list[Any], other: list[Any]) -> None:
    seen = []
    for rows in (one, other):
        session = opened(Persons(id="person", rows=2), rows)
        asked = counts(session, 2) | {"wards": session.query().group_by("ward").agg(count(), mean("age"))}
        found = session.batch(**asked).release(epsilon=1)
        frames = [each.to_pandas() for each in found.values()]
        seen.append(
            (repr(found), repr(session), [(list(frame), list(map(str, frame.dtypes)), len(frame)) for frame in frames])
        )
        session.close()
    assert seen[0] == seen[1]
