"""Who charges the releases of a curator: a filter in memory, or a ledger."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from privet.accounting.losses.loss import Budget
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.infinite import InfiniteBudget
from privet.combinators.privacy_filter import PrivacyFilter
from privet.tables.curator.history import History, HistoryEntry
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import enter_phase
from privet.tables.curator.request import Answer, Request, title_of

READING = "charged, reading the data"


class Charges(ABC):
    """A budget, what was spent of it, and the one function that spends it."""

    @property
    @abstractmethod
    def budget(self) -> AdditiveBudget:
        """What all releases together may cost."""

    @property
    @abstractmethod
    def spent(self) -> AdditiveBudget:
        """What was spent."""

    @property
    @abstractmethod
    def remaining(self) -> AdditiveBudget:
        """What may still be spent."""

    @property
    @abstractmethod
    def endless(self) -> bool:
        """Whether no budget limits the releases."""

    @property
    @abstractmethod
    def at_home(self) -> bool:
        """Whether this process may know what was spent."""

    @property
    @abstractmethod
    def history(self) -> History:
        """All charges, the oldest first."""

    @abstractmethod
    def answer(self, request: Request[Answer], read: Callable[[], Answer], *, again: bool) -> Answer:
        """Charge a request and then read; or give the release that was paid for before.

        Args:
            request: What to charge.
            read: The function that reads the data and adds noise. It is called after the charge, or not at all.
            again: Whether to charge for a fresh release where there is one.
        """

    @abstractmethod
    def is_paid(self, request: Request[Any]) -> bool:
        """Say whether a request was charged before, so that it costs nothing now."""

    @abstractmethod
    def note_free(self, title: str) -> None:
        """Write a release that costs nothing into the history."""

    @abstractmethod
    def part(self, tables: PrivateTables, budget: Budget) -> "Charges":
        """Open the charges of a part of a table, with a budget of its own; while that part's request is read."""


@final
class SessionCharges(Charges):
    """A budget that ends with its session.

    Args:
        budget: What all releases together may cost.

    >>> from privet.accounting.planning.budget import budget
    >>> SessionCharges(budget(epsilon=1)).remaining
    ApproximateBudget(epsilon=1, delta=0)
    """

    def __init__(self, budget: Budget) -> None:
        self._filter = PrivacyFilter(budget)
        self._budget = self._filter.remaining  # nothing is spent yet
        self._entries: list[HistoryEntry] = []

    @property
    def budget(self) -> AdditiveBudget:
        """What all releases together may cost."""
        return self._budget

    @property
    def spent(self) -> AdditiveBudget:
        """What was spent."""
        return self._filter.spent

    @property
    def remaining(self) -> AdditiveBudget:
        """What may still be spent."""
        return self._filter.remaining

    @property
    def endless(self) -> bool:
        """Whether no budget limits the releases."""
        return isinstance(self._budget, InfiniteBudget)

    @property
    def at_home(self) -> bool:
        """Whether this is the process that opened the tables."""
        return self._filter.at_home

    @property
    def history(self) -> History:
        """All charges so far, the oldest first."""
        return History(tuple(self._entries))

    def answer(self, request: Request[Answer], read: Callable[[], Answer], *, again: bool) -> Answer:
        """Charge a request, write it into the history, and then read; every release is a fresh one."""
        title = title_of(request)

        def record(cost: AdditiveBudget, left: AdditiveBudget) -> None:
            self._entries.append(HistoryEntry(query=title, cost=cost, left=left))

        if self.endless:
            record(self._filter.spent, self._filter.remaining)
        else:
            self._filter.charge(request.plan.loss, delta=request.delta, record=record)
        enter_phase(READING)
        return read()

    def is_paid(self, request: Request[Any]) -> bool:
        """Every release is charged."""
        return False

    def note_free(self, title: str) -> None:
        """Write a release that costs nothing into the history."""
        nothing = self._budget.like(Point(Fraction(0), Fraction(0)))
        self._entries.append(HistoryEntry(query=title, cost=nothing, left=self._filter.remaining))

    def part(self, tables: PrivateTables, budget: Budget) -> "SessionCharges":
        """Open a budget that ends with the session too."""
        return SessionCharges(budget)

    def __repr__(self) -> str:
        return repr(self._filter)
