"""The curator: the one place that charges a budget and lets data be read."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, final

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.infinite import InfiniteBudget
from privet.accounting.planning.shortfall import describe_shortfall
from privet.combinators.privacy_filter import PrivacyFilter
from privet.errors import BudgetExceededError, MismatchError, UnavailableError
from privet.tables.codebook.codebook import Codebook
from privet.tables.curator.advisor import Advisor
from privet.tables.curator.allowance import Allowance, Amount, read_allowance
from privet.tables.curator.history import History, HistoryEntry
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import enter_phase, progress
from privet.tables.curator.request import Answer, Plan, Request, title_of
from privet.tables.curator.sampling import for_population
from privet.tables.vocabulary import Relation

_ENDLESS = "NOT PRIVATE: no budget limits this session; for tests on public data only"


@final
class Curator:
    """Private tables behind one budget.

    Args:
        tables: The tables; a planner has empty ones.
        budget: What all releases together may cost.
        releases: Whether there are data; a planner has none.
        advisor: Who warns of unusual losses; that of another curator if these tables are a part of its tables.

    Guarantee: all releases together cost no more than the budget, for neighbours that differ in one privacy unit.
    Proof: docs/tables/session.md.
    """

    def __init__(
        self, tables: PrivateTables, budget: Budget, *, releases: bool = True, advisor: Advisor | None = None
    ) -> None:
        self.tables = tables
        self.advisor = Advisor(tables.codebooks) if advisor is None else advisor
        self._filter = PrivacyFilter(budget)
        self._budget = self._filter.remaining  # nothing is spent yet
        self._entries: list[HistoryEntry] = []
        self._releases = releases

    def release(self, request: Request[Answer]) -> Answer:
        """Charge the loss of a request, then let it read. No other code charges the budget or starts to read.

        The request writes and rehearses its queries first, so a query that cannot run costs nothing.
        """
        self._check_data()
        if request.tables is not self.tables:  # its loss holds for the unit, the caps and the rows of its own tables
            raise MismatchError("release: the request belongs to another session, with a budget of its own.")
        with progress("preparing the queries"):
            read = request.measure(self.tables)
            self.tables.check_sources()
            enter_phase("charging the budget")
            self._charge(request)
            enter_phase("charged, reading the data")
            with self.tables.one_snapshot():
                return read()

    def _charge(self, request: Request[Any]) -> None:
        """Charge a request, and then write it into the history: what is charged stays there, whatever follows."""
        title = title_of(request)

        def record(cost: AdditiveBudget, left: AdditiveBudget) -> None:
            self._entries.append(HistoryEntry(query=title, cost=cost, left=left))

        if self.endless:
            record(self._filter.spent, self._filter.remaining)
        else:
            self._filter.charge(request.plan.loss, delta=request.delta, record=record)

    def note_free(self, title: str) -> None:
        """Write a release that reads no row into the history, at a cost of zero; a planner releases nothing."""
        if self._releases:
            nothing = self._budget.like(Point(Fraction(0), Fraction(0)))
            self._entries.append(HistoryEntry(query=title, cost=nothing, left=self._filter.remaining))

    @property
    def history(self) -> History:
        """All charges so far, the oldest first."""
        return History(tuple(self._entries))

    def allow(
        self,
        where: str,
        *,
        epsilon: Amount = None,
        delta: Amount = None,
        rho: Amount = None,
        rows: Fraction | None = None,
    ) -> Allowance:
        """Read what one release may lose, and warn of what is unusual; spend nothing.

        Args:
            where: The call, for messages.
            epsilon: The largest epsilon, with or without ``delta``.
            delta: The probability of a larger loss; none by default.
            rho: Or the largest loss in concentrated privacy.
            rows: About how many rows there are, as far as that is public.
        """
        allowance = read_allowance(where, epsilon=epsilon, delta=delta, rho=rho)
        if not self.endless:
            self.advisor.warn_of_loss(where, allowance.budget, allowance.delta, rows)
        return allowance

    def advice(self, budget: Budget | None, rows: Fraction | None = None) -> tuple[str, ...]:
        """Say what is unusual about the loss of one release, one line for each rule; nothing without a limit.

        Args:
            budget: What the release may lose.
            rows: About how many rows there are, as far as that is public.
        """
        return () if self.endless else self.advisor.lines(budget, rows)

    def check_room(self, allowance: Allowance, plans: Sequence[tuple[Plan, Allowance]]) -> None:
        """Refuse several releases that together exceed the budget, before the first is charged; spend nothing.

        Args:
            allowance: What all of them together may lose.
            plans: Their plans, each with its allowance.
        """
        self._check_data()
        left = self._filter.remaining
        total = Point.total((left.price(plan.loss, each.delta), 1) for plan, each in plans)
        if type(allowance.budget) is type(left):
            total = allowance.budget.point()
        room = left.point()
        if total.cost > room.cost or total.delta > room.delta:
            raise BudgetExceededError(describe_shortfall("the estimates and the query together need", total, left))

    def _check_data(self) -> None:
        if not self._releases:
            raise UnavailableError(
                "Planner: there are no data here; open pv.Session(source, codebook, budget) to release."
            )

    @property
    def spent(self) -> AdditiveBudget:
        """What was spent."""
        return self._filter.spent

    @property
    def remaining(self) -> AdditiveBudget:
        """What may still be spent."""
        return self._filter.remaining

    @property
    def loss(self) -> Loss:
        """The privacy loss of all releases so far; for persons of the population where the data are a sample."""
        return for_population(self._filter.spent.loss(), self.codebooks)

    @property
    def at_home(self) -> bool:
        """Whether this is the process that opened the tables."""
        return self._filter.at_home

    @property
    def budget(self) -> AdditiveBudget:
        """What all releases together may cost."""
        return self._budget

    @property
    def codebooks(self) -> Mapping[str, Codebook]:
        """What is publicly known of the tables."""
        return self.tables.codebooks

    @property
    def endless(self) -> bool:
        """Say whether no budget limits the releases."""
        return isinstance(self._budget, InfiniteBudget)

    def notes(self, description: Sequence[str]) -> tuple[str, ...]:
        """Give the notes of a release: a warning without a budget, its description, what is open, what is assumed."""
        first = (_ENDLESS,) if self.endless else ()
        return (*first, *description, *self.advisor.unit_lines, *self.tables.assumptions)

    def child(self, name: str, relation: Relation, budget: Budget, words: str) -> "Curator":
        """Guard some rows of one table by a budget of their own."""
        return Curator(self.tables.portion(name, relation, words), budget, advisor=self.advisor)

    def __repr__(self) -> str:
        return repr(self._filter)

    def __reduce__(self) -> Any:
        raise UnavailableError("a curator holds private data and a budget and cannot be copied or pickled.")
