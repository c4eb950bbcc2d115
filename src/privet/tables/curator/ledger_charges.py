"""Charges of a ledger: durable before any row is read, and a release that was paid for is given again."""

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, final

from privet.accounting.losses.loss import Budget
from privet.accounting.planning.budget import AdditiveBudget
from privet.errors import LedgerError, PrivetError, PrivetWarning, UnavailableError
from privet.ledger.account import Account, Claim
from privet.ledger.amounts import write_budget
from privet.noise import uniform_below
from privet.tables.curator.charges import READING, Charges
from privet.tables.curator.history import History, HistoryEntry
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import enter_phase
from privet.tables.curator.request import Answer, Request, title_of
from privet.tables.curator.request_words import digest_of, key_of

_UNKNOWN = (
    "this query has no form in which the ledger could recognise it: its release is not stored, and asking it again is "
    "charged again. Keep the release: release.to_json()."
)
_opening: ContextVar[Claim | None] = ContextVar("the charge of the parts that are opened now", default=None)


@final
class LedgerCharges(Charges):
    """A budget in a ledger.

    Args:
        account: The account of the data set, or of a part of it.
        tables: The tables that are behind it.
        opened: What sets this opening of the tables apart from all others; drawn by default.

    Guarantee: that of ``Account``; ``read`` is called when the charge is durable, and its release is given to nobody
        before it is stored.
    Proof: docs/ledger/ledger.md.
    """

    def __init__(self, account: Account, tables: PrivateTables, opened: str | None = None) -> None:
        self._account, self._tables = account, tables
        self._opened = f"{uniform_below(2**128):032x}" if opened is None else opened

    @property
    def budget(self) -> AdditiveBudget:
        """What all releases together may cost."""
        return self._account.budget

    @property
    def spent(self) -> AdditiveBudget:
        """What was spent, by all analysts and in all sessions."""
        return self._account.spent

    @property
    def remaining(self) -> AdditiveBudget:
        """What this analyst may still spend."""
        return self._account.remaining

    @property
    def endless(self) -> bool:
        """A ledger keeps limits."""
        return False

    @property
    def at_home(self) -> bool:
        """Every process may know what was spent: it is in the ledger."""
        return True

    @property
    def history(self) -> History:
        """All charges of the data set, by all analysts and in all sessions."""
        return History(
            tuple(
                HistoryEntry(query=each.query, cost=each.cost, left=each.left, time=each.when)
                for each in self._account.charges
            )
        )

    def answer(self, request: Request[Answer], read: Callable[[], Answer], *, again: bool) -> Answer:
        """Charge a request durably, read, store the release and give it; or give the one that is stored."""
        opens = _opens_parts(request)
        key, digest = self._key(request)
        if key is None:
            warnings.warn(_UNKNOWN, PrivetWarning, stacklevel=2)
        claim = self._account.charge(
            request.plan.loss,
            key=key,
            digest=digest,
            delta=request.delta,
            query=title_of(request),
            result="parts" if opens else "release",
            again=again,
        )
        if claim.text is not None:
            enter_phase("reading a release that was stored")
            return _read_back(request, claim.text)
        enter_phase(READING)
        if opens or key is None:
            return self._open(claim, read)
        made = read()
        enter_phase("storing the release")
        text = _text_of(made)
        stored = self._account.store(claim, text)
        return made if stored == text else _read_back(request, stored)

    def _open(self, claim: Claim, read: Callable[[], Answer]) -> Answer:
        token = _opening.set(claim)
        try:
            return read()
        finally:
            _opening.reset(token)

    def is_paid(self, request: Request[Any]) -> bool:
        """Say whether a request was charged before, and can be repeated."""
        key, digest = self._key(request)
        made = None if key is None else self._account.find(key, digest)
        return made is not None and not made.closed

    def _key(self, request: Request[Any]) -> tuple[str | None, str]:
        """Give the key of a request and its digest; no key where it cannot be repeated."""
        opens = _opens_parts(request)
        if not opens and not hasattr(request, "read_back"):
            return None, ""
        price = self._account.limit.price(request.plan.loss, request.delta)
        more = self._opened if getattr(request, "draws_persons", False) else ""
        digest = digest_of(request, self._tables, price, more)
        if digest is None:
            return None, ""
        place = self._account.place
        return key_of(place.dataset, place.part, *place.periods, self._account.analyst, digest), digest

    def note_free(self, title: str) -> None:
        """Write a release that costs nothing into the ledger."""
        self._account.note(title)

    def part(self, tables: PrivateTables, budget: Budget) -> "LedgerCharges":
        """Open the account of a part; its name has the charge that opened it."""
        claim = _opening.get()
        if claim is None or not isinstance(budget, AdditiveBudget):
            raise UnavailableError("a part of a table is opened by session.partition(...).release(...), with a budget.")
        write_budget(budget)  # a form that the ledger cannot keep is refused now
        name = f"{claim.number}: {tables.part[-1].removeprefix('part: ')}"
        return LedgerCharges(self._account.part(name, budget), tables, self._opened)

    def __repr__(self) -> str:
        return f"LedgerCharges(spent={self.spent!r}, remaining={self.remaining!r})"


def _opens_parts(request: object) -> bool:
    return bool(getattr(request, "opens_parts", False))


def _text_of(made: object) -> str:
    """Write a release, or fail closed: what cannot be stored is not shown."""
    try:
        text: str = made.to_json()  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError, PrivetError):
        raise LedgerError("the release was charged and cannot be written down, so it is not shown.") from None
    return text


def _read_back(request: Request[Answer], text: str) -> Answer:
    read: Callable[[str], Answer] = request.read_back  # type: ignore[attr-defined]
    return read(text)
