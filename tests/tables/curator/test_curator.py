"""The curator: it charges, and only then lets a request read; nothing else touches the budget."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve, frozen

import privet as pv
from privet.accounting.losses.pure import PureLoss
from privet.core import Parts
from privet.errors import BudgetExceededError, MismatchError, PrivetError, UnavailableError, WrongTypeError
from privet.tables.curator.allowance import read_allowance
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.impute.aggregate_query import ImputedRequest
from privet.tables.keys.key_query import KeyRequest
from privet.tables.noise.key_round import RowsOfKeys
from privet.tables.rollup.query import RollupRequest

BOOK = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
ROWS = [{"ward": "a"}] * 9


@frozen
class StatedPlan:
    """The least a plan has."""

    loss: pv.Loss


@frozen(eq=False)
class Recorder:
    """A request of another layer: it writes down in which order it is used."""

    plan: StatedPlan
    seen: list[Any]
    session: pv.Session
    delta: Fraction | None = None
    fails: bool = False

    @property
    def tables(self) -> PrivateTables:
        return self.session._curator.tables

    def measure(self, tables: PrivateTables) -> Callable[[], str]:
        self.seen.append(("measured", self.session.spent))
        if self.fails:
            raise UnavailableError("cannot be rehearsed")
        return self._read

    def _read(self) -> str:
        self.seen.append(("read", self.session.spent))
        return "released"


def recorder(session: pv.Session, epsilon: Any, **more: Any) -> Recorder:
    return Recorder(StatedPlan(PureLoss(epsilon)), [], session, **more)


def test_a_request_is_measured_then_charged_then_read() -> None:
    session = pv.Session(ROWS, BOOK, pv.budget(epsilon=1))
    request = recorder(session, Fraction(3, 4))
    assert session.release(request) == "released"
    assert request.seen == [("measured", pv.budget(epsilon=0)), ("read", pv.budget(epsilon=Fraction(3, 4)))]


def test_what_does_not_fit_is_never_read() -> None:
    session = pv.Session(ROWS, BOOK, pv.budget(epsilon=1))
    request = recorder(session, 2)
    with pytest.raises(BudgetExceededError):
        session.release(request)
    assert [what for what, _ in request.seen] == ["measured"]
    assert session.spent == pv.budget(epsilon=0)


def test_what_cannot_be_rehearsed_costs_nothing() -> None:
    session = pv.Session(ROWS, BOOK, pv.budget(epsilon=1))
    with pytest.raises(UnavailableError, match="rehearsed"):
        session.release(recorder(session, 1, fails=True))
    assert session.spent == pv.budget(epsilon=0)


def test_a_failure_after_the_charge_refunds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    session = pv.Session(ROWS, BOOK, pv.budget(epsilon=1))

    def fail(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    query = session.query().agg(pv.count())
    monkeypatch.setattr(type(session._curator.tables.database.engine), "execute", fail)
    with pytest.raises(KeyboardInterrupt):
        query.release(epsilon=0.5)
    assert session.spent == pv.budget(epsilon=Fraction(1, 2))


def test_a_curator_is_not_copied_and_shows_no_key() -> None:
    session = pv.Session(ROWS, BOOK, pv.budget(epsilon=1))
    import copy
    import pickle

    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(Exception, match="cannot be copied or pickled|pickle"):
            make(session._curator)
    key = str(session._curator.tables.key)
    shown = [repr(session), repr(session._curator), repr(session._curator.tables), repr(session.query())]
    assert not any(key in text for text in shown)


PERSON_BOOK = pv.Codebook(
    table="t",
    unit=pv.Persons("id", rows=3),
    columns={
        "id": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "age": pv.column("integer", bounds=(0, 9)),
    },
)
PERSONS = [{"id": n, "ward": "ab"[n % 2], "age": None if n % 5 == 0 else n % 10} for n in range(60)]
ONE = read_allowance("release", epsilon=1)


def request_of(kind: str, session: Any) -> Any:
    """A request of one kind, planned in a session."""
    query = session.query()
    if kind == "totals":
        return query.group_by("ward").agg(pv.count()).request(ONE)
    if kind == "batch":
        batch = session.batch(a=query.agg(pv.count()))
        return batch.request_for(batch.plan(epsilon=1), ONE)
    if kind == "rollup":
        rolled = query.rollup("ward").agg(pv.count())
        return RollupRequest(plan=rolled.plan(epsilon=1), totals=rolled.finest.grouped.totals)
    if kind == "keys":
        keys = query.private_keys("age")
        return KeyRequest(plan=keys.plan(epsilon=1, delta=1e-6), query=keys)
    if kind == "imputed":
        return ImputedRequest(query=query.impute("age", by="ward").agg(pv.mean("age")), epsilon=1)
    return session.partition("ward").query.request(epsilon=1)


@pytest.mark.parametrize("kind", ["totals", "batch", "rollup", "keys", "imputed", "partition"])
def test_no_session_pays_for_another(kind: str) -> None:
    budget = pv.budget(epsilon=9, delta=1e-5)
    mine, other = pv.Session(PERSONS, PERSON_BOOK, budget), pv.Session(PERSONS, PERSON_BOOK, budget)
    endless = pv.Session(PERSONS, PERSON_BOOK, pv.InfiniteBudget())
    parts = other.partition("ward").release(epsilon=1)
    spent, request = other.spent, request_of(kind, mine)
    for wrong in (other, endless, *parts.values()):
        with pytest.raises(MismatchError, match="belongs to another session"):
            wrong.release(request)
    for part in parts.values():  # neither a sibling nor the parent
        with pytest.raises(MismatchError, match="belongs to another session"):
            other.release(part.query().agg(pv.count()).request(ONE))
    assert (mine.spent, other.spent) == (pv.budget(epsilon=0), spent)
    assert mine.release(request) is not None


def test_the_plan_of_other_rows_is_refused() -> None:
    rows = pv.Codebook(table="t", unit=pv.Rows(), columns=PERSON_BOOK.columns)
    planner, session = (
        pv.Planner(rows, pv.budget(epsilon=1)),
        pv.Session(PERSONS, PERSON_BOOK, pv.budget(epsilon=9, delta=1e-5)),
    )
    foreign = planner.query().private_keys("age").plan(epsilon=1, delta=1e-6)
    with pytest.raises(MismatchError, match="plan this query"):
        session.release(KeyRequest(plan=foreign, query=session.query().private_keys("age")))
    imputed: Any = session.query().impute("age", by="ward").agg(pv.mean("age"))
    request: Any = ImputedRequest(query=imputed, epsilon=1)
    with pytest.raises(TypeError):  # it plans for its own query
        evolve(request, plan=imputed.plan(epsilon=9))
    assert session.spent == pv.budget(epsilon=0)


def test_a_plan_with_smaller_distances_is_refused() -> None:
    session = pv.Session(PERSONS, PERSON_BOOK, pv.budget(epsilon=9))
    query: Any = session.query().agg(pv.sum("age"), pv.count())
    plan = query.plan(epsilon=1)
    part = plan.planned[0]
    tiny = evolve(part.measured, row=evolve(part.measured.row, l1=Fraction(1, 10**6)))
    with pytest.raises(MismatchError, match="for another query"):
        query.request_for(evolve(plan, planned=(evolve(part, measured=tiny), *plan.planned[1:])), ONE)
    with pytest.raises(MismatchError, match="for another query"):
        query.request_for(evolve(plan, planned=plan.planned[:0]), ONE)
    assert query.request_for(plan, ONE).plan == plan
    assert query.request_for(query.plan(rho=1), ONE) is not None
    assert query.request_for(query.plan(epsilon=1, weights={"count": 3}), ONE) is not None


def test_noise_on_another_grid_is_refused() -> None:
    """Its loss would be that of large steps, and its draws would be smaller than one row."""
    session = pv.Session(PERSONS, PERSON_BOOK, pv.budget(epsilon=9))
    query: Any = session.query().agg(pv.count())
    part = query.plan(epsilon=1).planned[0]
    with pytest.raises(MismatchError, match="another grid"):
        evolve(part, noise=evolve(part.noise, scale=10**7, grid=10**9))


def test_a_plan_of_keys_with_smaller_distances_is_refused() -> None:
    session = pv.Session(PERSONS, PERSON_BOOK, pv.budget(epsilon=9, delta=1e-3))
    for how in ({}, {"method": "weighted"}, {"method": "weighted", "noise": "gaussian", "rounds": 2}):
        query: Any = session.query().private_keys("age", **how)
        plan = query.plan(epsilon=1, delta=1e-6)
        one = RowsOfKeys(distance=Parts(l0=1, l1=Fraction(1, 9), l2_squared=Fraction(1, 9), linf=Fraction(1, 9)))
        changed = [
            evolve(plan, rounds=tuple(evolve(each, moved=one) for each in plan.rounds)),
            evolve(plan, rounds=plan.rounds * 2),
            evolve(plan, keys=("ward",)),
        ]
        for wrong in changed:
            with pytest.raises(MismatchError, match="plan this query"):
                query.release_plan(wrong)
        assert query.release_plan(plan) is not None
    assert 2.99 < session.spent.epsilon <= 3  # type: ignore[attr-defined]


def test_the_rows_of_keys_are_those_of_the_query() -> None:
    session = pv.Session(PERSONS, PERSON_BOOK, pv.budget(epsilon=10**6, delta=1e-1))
    nobody: Any = session.query().filter("age < 0").private_keys("ward")
    plan = session.query().private_keys("ward").plan(epsilon=10**5, delta=1e-2)
    assert nobody.release_plan(plan).groups == ()


def test_a_query_keeps_the_unit_of_its_codebook() -> None:
    session = pv.Session(PERSONS, PERSON_BOOK, pv.budget(epsilon=9))
    with pytest.raises(MismatchError, match="unit of its codebook"):
        evolve(session.query(), unit=pv.Rows())
    with pytest.raises(TypeError):
        evolve(session.partition("ward").query, parts=1)  # type: ignore[call-arg]


def test_an_imputed_query_that_is_too_deep_costs_nothing() -> None:
    session = pv.Session(PERSONS, PERSON_BOOK, pv.budget(epsilon=9))
    query = session.query().impute("age", by="ward")
    for _ in range(120):
        query = query.filter("age >= 0")
    with pytest.raises(PrivetError, match="nested too deeply"):
        query.agg(pv.mean("age")).release(epsilon=1)
    assert session.spent == pv.budget(epsilon=0)


def test_a_query_is_no_request() -> None:
    session: Any = pv.Session(ROWS, BOOK, pv.budget(epsilon=1))
    with pytest.raises(WrongTypeError, match="queries have a verb of their own"):
        session.release(session.query().agg(pv.count()))


def test_groups_of_a_release_go_by_the_names_of_its_keys() -> None:
    session = pv.Session(PERSONS * 40, PERSON_BOOK, pv.budget(epsilon=10**6, delta=1e-5))
    keys = session.query().private_keys("ward", "age").release(epsilon=1000, delta=1e-6)
    straight = session.query().group_by("ward", "age", groups=keys)
    swapped = session.query().group_by("age", "ward", groups=keys)
    assert straight.groups == keys.groups
    assert swapped.groups == tuple((age, ward) for ward, age in keys.groups)
    with pytest.raises(PrivetError, match="there is no column 'id'"):
        session.query().group_by("ward", "id", groups=keys)


def test_an_interrupt_says_that_the_charge_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    session = pv.Session(ROWS, BOOK, pv.budget(epsilon=2))

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session._curator.tables.database.engine, "execute", stop)
    with pytest.raises(KeyboardInterrupt) as caught:
        session.query().agg(pv.count()).release(epsilon=1)
    assert ["the charge stays" in note for note in caught.value.__notes__] == [True]
    assert session.spent.epsilon == 1  # type: ignore[attr-defined]
