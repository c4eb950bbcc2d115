"""The curator: it charges, and only then lets a request read; nothing else touches the budget."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet as pv
from privet.accounting.losses.pure import PureLoss
from privet.errors import BudgetExceededError, UnavailableError
from privet.tables.curator.private_tables import PrivateTables

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
