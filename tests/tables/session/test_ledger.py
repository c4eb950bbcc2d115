"""Sessions with a ledger: charged before a row is read, repeated bit by bit, whatever is restarted."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import privet as pv
from privet.accounting.losses.pure import PureLoss
from privet.errors import (
    BudgetExceededError,
    InvalidError,
    LedgerError,
    UnavailableError,
    WrongTypeError,
)
from privet.ledger.account import Account
from privet.tables.curator.ledger_charges import LedgerCharges
from tests.ledger.files import tamper

ROWS = [{"ward": "ab"[n % 2], "age": n % 90, "person": n // 2} for n in range(600)]
COLUMNS = {
    "ward": pv.column("text", categories=("a", "b")),
    "age": pv.column("integer", bounds=(0, 100)),
    "person": pv.column("integer"),
}
PERSONS = pv.Codebook(columns=COLUMNS, unit=pv.Persons("person", rows=3))
OLDER = pv.Codebook(columns={**COLUMNS, "age": pv.column("integer", bounds=(0, 120))}, unit=PERSONS.unit)
EACH_ROW = pv.Codebook(columns=COLUMNS, unit=pv.Rows())
LIMIT = pv.budget(epsilon=4, delta=1e-6)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "budget.db"


def opened(
    path: Path, book: pv.Codebook = PERSONS, limit: Any = LIMIT, analyst: str | None = "ann", **more: Any
) -> pv.Session:
    """Open the data as a process does that was started anew."""
    return pv.Session(ROWS, book, limit, ledger=pv.Ledger(path), dataset="visits", analyst=analyst, **more)


def spent(session: pv.Session) -> object:
    return session.spent.point().cost


def counted(session: pv.Session, **more: Any) -> pv.Release:
    return session.query().group_by("ward").agg(pv.count()).release(epsilon=0.5, **more)


SQL = "SELECT ward, COUNT(*) AS n FROM data GROUP BY ward ORDER BY n DESC LIMIT 1"
KINDS: dict[str, tuple[int, Callable[..., Any]]] = {
    "aggregates": (1, lambda s, **k: s.query().agg(pv.count(), pv.mean("age")).release(epsilon=0.1, **k)),
    "gaussian": (1, lambda s, **k: s.query().agg(pv.count()).release(rho=0.01, delta=1e-7, **k)),
    "quantiles": (1, lambda s, **k: s.query().agg(pv.median("age"), pv.top_k("ward", 1)).release(epsilon=0.2, **k)),
    "sql": (1, lambda s, **k: s.sql(SQL).release(epsilon=0.1, **k)),
    "sql with private keys": (
        2,
        lambda s, **k: s.sql(SQL, keys=pv.private(delta=1e-8)).release(epsilon=1.5, delta=1e-7, **k),
    ),
    "auto": (3, lambda s, **k: s.query().cap(rows=pv.auto()).agg(pv.sum("age", bounds=pv.auto())).release(0.5, **k)),
    "bias": (
        3,
        lambda s, **k: (
            s.query().cap(rows=1).agg(pv.sum("age", bounds=(0, 50))).release(0.1, bias=0.2, most_rows=9, **k)
        ),
    ),
    "batch": (
        1,
        lambda s, **k: s.batch(a=s.query().agg(pv.count()), b=s.query().agg(pv.median("age"))).release(0.1, **k),
    ),
    "roll-up": (1, lambda s, **k: s.query().rollup("ward").agg(pv.count()).release(epsilon=0.1, **k)),
    "keys": (1, lambda s, **k: s.query().private_keys("ward").release(epsilon=0.5, delta=1e-7, **k)),
    "private groups": (
        2,
        lambda s, **k: (
            s.query().group_by("ward", keys=pv.private(delta=1e-8)).agg(pv.count()).release(1.5, delta=1e-7, **k)
        ),
    ),
    "plan of a file": (
        1,
        lambda s, **k: s.read_plan(s.query().agg(pv.count()).plan(epsilon=0.1).to_yaml()).release(**k),
    ),
    "imputed": (
        1,
        lambda s, **k: (
            s.query()
            .impute("age", by=["ward"], guess=pv.Guess(incomplete=5, changes=5), default=40)
            .agg(pv.mean("age"))
            .release(epsilon=0.5, **k)
        ),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_release_is_repeated_bit_by_bit(kind: str, path: Path) -> None:
    """Each charge of it has a key of its own; ``again=True`` pays for all of them once more."""
    charges, release = KINDS[kind]
    first = release(opened(path))
    session = opened(path)
    before = session.spent
    assert len(session.history) == charges
    second = release(session)
    assert (second, second.to_json(), str(second)) == (first, first.to_json(), str(first))
    assert (session.spent, len(session.history)) == (before, charges)
    assert release(session, again=True).to_json() != first.to_json() or kind == "keys"
    assert (session.spent.point().cost, len(session.history)) == (2 * before.point().cost, 2 * charges)
    assert release(opened(path)) == first, "the first release stays that of its key"


def test_a_restart_finds_what_was_spent(path: Path) -> None:
    counted(opened(path))
    session = opened(path, limit=None)
    assert (spent(session), session.remaining) == (Fraction(1, 2), pv.budget(epsilon=3.5, delta=1e-6))
    assert [entry.query for entry in session.history] == ["count of data; by ward (2 groups)"]
    assert session.history[0].left == session.remaining
    assert "spent: epsilon = 0.5 in 1 charge" in session.describe()
    assert session.loss.epsilon() == Fraction(1, 2)


def test_another_request_is_charged(path: Path) -> None:
    """Whatever changes the release changes the key: noise, filter, groups, order of columns, codebook, analyst."""
    session = opened(path)
    counted(session)
    asks: list[Callable[[], object]] = [
        lambda: session.query().group_by("ward").agg(pv.count()).release(epsilon=0.25),
        lambda: session.query().filter("age < 50").group_by("ward").agg(pv.count()).release(epsilon=0.25),
        lambda: session.query().filter("age < 51").group_by("ward").agg(pv.count()).release(epsilon=0.25),
        lambda: session.query().group_by("ward", groups=["a"]).agg(pv.count()).release(epsilon=0.25),
        lambda: session.query().cap(rows=1).group_by("ward").agg(pv.count()).release(epsilon=0.25),
        lambda: session.query().agg(pv.count(), total=pv.sum("age")).release(epsilon=0.25),
        lambda: session.query().agg(total=pv.sum("age"), count=pv.count()).release(epsilon=0.25),
        lambda: counted(opened(path, analyst="bob")),
        lambda: counted(opened(path, OLDER)),
    ]
    for number, ask in enumerate(asks, 2):
        ask()
        assert len(session.history) == number


def test_public_tables_are_part_of_the_key(path: Path) -> None:
    for floors, charges in (([1, 2], 1), ([1, 2], 1), ([1, 3], 2)):
        wards = [{"ward": ward, "floor": floor} for ward, floor in zip("ab", floors, strict=True)]
        session = opened(path, public={"wards": wards})
        rows = session.query().join_public("wards", on="ward")
        rows.group_by("floor", groups=[1, 2, 3]).agg(pv.count()).release(epsilon=0.1)
        assert len(session.history) == charges


def test_a_repeated_release_reads_no_row(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, session = counted(opened(path)), opened(path)
    reads: list[object] = []
    engine = type(session._curator.tables.database.engine)
    monkeypatch.setattr(engine, "execute", lambda *_, **__: reads.append(1))
    monkeypatch.setattr(engine, "arrays", lambda *_, **__: reads.append(1))
    assert counted(session) == first
    assert reads == []


def test_a_release_is_paid_before_a_row_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies while it reads has paid; the query then runs under the same charge, three times in all."""

    class Killed(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        assert pv.Ledger(path).spent("visits") == pv.budget(epsilon=0.5), "the charge is durable by now"
        raise Killed

    session = opened(path)
    with monkeypatch.context() as patched:
        patched.setattr("privet.tables.nodes.group_totals.Grouping.read", die)
        for _ in range(2):
            with pytest.raises(Killed):
                counted(session)
    release = counted(session)
    assert (len(session.history), counted(opened(path))) == (1, release)


def test_a_release_that_fails_three_times_is_spent(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(path)

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("privet.tables.nodes.group_totals.Grouping.read", die)
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                counted(session)
    with pytest.raises(LedgerError, match="again=True"):
        counted(session)
    counted(session, again=True)
    assert spent(session) == 1


def test_an_interrupt_while_a_release_is_stored_says_what_becomes_of_the_charge(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = opened(path)

    def stop(*_: object) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Account, "store", stop)
        with pytest.raises(KeyboardInterrupt) as caught:
            counted(session)
    assert ["the charge stays" in note for note in caught.value.__notes__] == [True]
    counted(session)
    assert len(session.history) == 1


def test_nothing_is_shown_that_could_not_be_stored(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = opened(path)

    def fail(*_: object) -> str:
        raise LedgerError("the ledger could not be used")

    with monkeypatch.context() as patched:
        patched.setattr(Account, "store", fail)
        with pytest.raises(LedgerError, match="could not be used"):
            counted(session)
    assert [each.state for each in pv.Ledger(path).charges()] == ["charged"]


def test_a_changed_ledger_shows_nothing(path: Path) -> None:
    counted(opened(path))
    session = opened(path)
    tamper(path, "UPDATE releases SET text = replace(text, '1', '2')")
    for ask in (lambda: counted(session), lambda: counted(session, again=True), lambda: session.remaining):
        with pytest.raises(LedgerError, match="was changed"):
            ask()


def test_the_budget_holds_across_sessions(path: Path) -> None:
    for _ in range(8):
        counted(opened(path), again=True)
    session = opened(path)
    with pytest.raises(BudgetExceededError, match="privet budget grant"):
        session.query().agg(pv.count()).release(epsilon=0.5)
    assert session.remaining == pv.budget(epsilon=0, delta=1e-6)


def test_what_is_paid_is_given_when_the_budget_is_spent(path: Path) -> None:
    """Also where several charges belong to one release: the room for all of them is asked for before the first only."""
    ask = KINDS["auto"][1]
    first = ask(opened(path))
    session = opened(path)
    session.query().agg(pv.count()).release(epsilon=3.5)
    assert session.remaining.epsilon == 0
    assert ask(session) == first
    with pytest.raises(BudgetExceededError, match="together need"):
        ask(session, again=True)


def test_an_analyst_has_an_allowance(path: Path) -> None:
    ledger = pv.Ledger(path)
    ledger.grant("visits", LIMIT)
    ledger.allow("visits", "ann", share=0.125)
    ann, bob = opened(path, limit=None), opened(path, analyst="bob")
    counted(ann)
    assert (ann.remaining.epsilon, bob.remaining.epsilon, spent(bob)) == (0, Fraction(7, 2), Fraction(1, 2))
    with pytest.raises(BudgetExceededError):
        counted(ann, again=True)
    counted(bob)


@pytest.mark.parametrize("kind", ["aggregates", "sql", "auto", "batch", "private groups", "imputed"])
def test_a_shared_release_is_free_for_other_analysts(kind: str, path: Path) -> None:
    """Also where the budget is spent, or the other analyst may spend nothing; by default nothing is shared."""
    _, release = KINDS[kind]
    first = release(opened(path))
    ledger = pv.Ledger(path)
    ledger.allow("visits", "bob", share=0)
    bob = opened(path, analyst="bob")
    with pytest.raises(BudgetExceededError):
        release(bob)
    ledger.share("visits")
    before = (bob.spent, len(bob.history))
    assert release(bob) == first
    assert (bob.spent, len(bob.history)) == before
    with pytest.raises(BudgetExceededError):
        release(bob, again=True)
    assert release(opened(path)) == first


def test_a_shared_release_is_that_of_its_own_data_and_codebook(path: Path) -> None:
    counted(opened(path))
    pv.Ledger(path).share("visits")
    counted(opened(path, OLDER, analyst="bob"))
    other = pv.Session(ROWS, PERSONS, LIMIT, ledger=pv.Ledger(path), dataset="other", analyst="bob")
    counted(other)
    assert len(pv.Ledger(path).charges()) == 3


def test_parts_of_rows_are_opened_again_with_what_is_left_of_them(path: Path) -> None:
    for already in (Fraction(0), Fraction(1, 2)):
        session = opened(path, EACH_ROW)
        parts = session.partition("ward").release(epsilon=1)
        assert spent(parts["a"]) == already
        first = parts["a"].query().agg(pv.count()).release(epsilon=0.5)
        assert parts["a"].query().agg(pv.count()).release(epsilon=0.5) == first
        assert (spent(session), len(session.history), len(parts["a"].history)) == (1, 1, 1)
        assert parts["b"].remaining.epsilon == 1
    fresh = opened(path, EACH_ROW).partition("ward").release(epsilon=1, again=True)
    assert spent(fresh["a"]) == 0
    with pytest.raises(BudgetExceededError):
        fresh["a"].query().agg(pv.count()).release(epsilon=1.1)
    assert pv.Ledger(path).spent("visits").point().cost == 2


def test_parts_of_persons_are_paid_anew_in_a_new_session(path: Path) -> None:
    """Which parts a person is in is drawn in each session, so two sessions are two releases."""
    session = opened(path)
    first = session.partition("ward").release(epsilon=1)
    first["a"].query().agg(pv.count()).release(epsilon=0.5)
    same = session.partition("ward").release(epsilon=1)
    assert (spent(same["a"]), spent(session)) == (Fraction(1, 2), 1)
    other = opened(path).partition("ward").release(epsilon=1)
    assert (spent(other["a"]), spent(session)) == (0, 2)


def test_a_part_is_opened_by_a_partition_alone(path: Path) -> None:
    session = opened(path)
    charges = session._curator._charges
    assert isinstance(charges, LedgerCharges)
    with pytest.raises(UnavailableError, match="session.partition"):
        charges.part(session._curator.tables, LIMIT)


class OwnRequest:
    """A request of a later layer, without words."""

    delta = None

    def __init__(self, session: pv.Session) -> None:
        self.tables = session._curator.tables
        self.plan = self
        self.loss = PureLoss(0.5)

    def measure(self, _: object) -> Callable[[], int]:
        return lambda: 42


def test_a_request_without_words_is_charged_each_time(path: Path) -> None:
    session = opened(path)
    assert [session.release(OwnRequest(session)) for _ in range(2)] == [42, 42]
    assert spent(session) == 1
    assert {each.result for each in pv.Ledger(path).charges()} == {"unrepeated"}


def test_public_groups_are_noted_at_no_cost(path: Path) -> None:
    session = opened(path)
    session.sql("SELECT DISTINCT ward FROM data").release()
    assert ([entry.cost.point().cost for entry in session.history], spent(session)) == ([0], 0)


def test_a_different_budget_is_refused_with_both(path: Path) -> None:
    opened(path)
    with pytest.raises(InvalidError, match=r"epsilon = 4 and delta = 1e-6 for 'visits'.*epsilon = 5"):
        opened(path, limit=pv.budget(epsilon=5, delta=1e-6))


def test_what_is_missing_is_named(path: Path) -> None:
    ledger = pv.Ledger(path)
    more: Any
    for more, error, match in (
        ({"ledger": ledger}, WrongTypeError, "dataset is missing"),
        ({"dataset": "visits"}, WrongTypeError, "ledger must be a ledger"),
        ({"analyst": "ann"}, WrongTypeError, "got nothing"),
        ({"ledger": "budget.db", "dataset": "visits"}, WrongTypeError, "got str"),
        ({"ledger": ledger, "dataset": ""}, InvalidError, "printable"),
        ({"ledger": ledger, "dataset": "visits", "analyst": 3}, WrongTypeError, "got int"),
    ):
        with pytest.raises(error, match=match):
            pv.Session(ROWS, PERSONS, LIMIT, **more)
    with pytest.raises(WrongTypeError, match="a ledger keeps budgets"):
        opened(path, limit=pv.InfiniteBudget())
    with pytest.raises(UnavailableError, match="no data set 'visits'"):
        opened(path, limit=None)
    assert ledger.datasets == ()


def test_again_without_a_ledger_changes_nothing() -> None:
    session = pv.Session(ROWS, PERSONS, LIMIT)
    counted(session, again=True)
    counted(session)
    assert spent(session) == 1
