"""The curator: the one place that charges a budget and lets data be read."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, final

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.numerics import Point
from privet.accounting.planning.budget import AdditiveBudget
from privet.accounting.planning.shortfall import describe_shortfall
from privet.errors import BudgetExceededError, MismatchError, UnavailableError
from privet.tables.codebook.codebook import Codebook
from privet.tables.curator.advisor import Advisor
from privet.tables.curator.allowance import Allowance, Amount, read_allowance
from privet.tables.curator.charges import Charges
from privet.tables.curator.history import History
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.curator.progress import enter_phase, progress
from privet.tables.curator.request import Answer, Plan, Request
from privet.tables.curator.sampling import for_population
from privet.tables.vocabulary import Relation

_ENDLESS = "NOT PRIVATE: no budget limits this session; for tests on public data only"
_INTERRUPTED = (
    "Privet: the release was interrupted. If it was charged by then, the charge stays, since rows may have been read; "
    "session.spent tells. With a ledger, the same query runs again under its charge if the ledger recognises it, "
    "unless it was asked with again=True."
)


@final
class Curator:
    """Private tables behind one budget.

    Args:
        tables: The tables; a planner has empty ones.
        charges: What all releases together may cost, and who charges them.
        releases: Whether there are data; a planner has none.
        advisor: Who warns of unusual losses; that of another curator if these tables are a part of its tables.

    Guarantee: all releases together cost no more than the budget, for neighbours that differ in one privacy unit.
    Proof: docs/tables/session.md.
    """

    def __init__(
        self,
        tables: PrivateTables,
        charges: Charges,
        *,
        releases: bool = True,
        advisor: Advisor | None = None,
    ) -> None:
        self.tables = tables
        self.advisor = Advisor(tables.codebooks) if advisor is None else advisor
        self._charges = charges
        self._releases = releases

    def release(self, request: Request[Answer], *, again: bool = False) -> Answer:
        """Charge the loss of a request, then let it read. No other code charges the budget or starts to read.

        The request writes and rehearses its queries first, so a query that cannot run costs nothing. With a ledger, a
        request that was paid for gets the release that is stored.

        Args:
            request: The release to make.
            again: Whether to charge for a fresh release where one is stored.
        """
        self._check_data()
        if request.tables is not self.tables:  # its loss holds for the unit, the caps and the rows of its own tables
            raise MismatchError("release: the request belongs to another session, with a budget of its own.")
        with progress("preparing the queries"):
            read = request.measure(self.tables)
            self.tables.check_sources()
            enter_phase("charging the budget")
            try:
                return self._charges.answer(request, lambda: self._in_one_snapshot(read), again=again)
            except KeyboardInterrupt as stopped:
                stopped.add_note(_INTERRUPTED)
                raise

    def _in_one_snapshot(self, read: Callable[[], Answer]) -> Answer:
        with self.tables.one_snapshot():
            return read()

    def note_free(self, title: str) -> None:
        """Write a release that reads no row into the history, at a cost of zero; a planner releases nothing."""
        if self._releases:
            self._charges.note_free(title)

    @property
    def history(self) -> History:
        """All charges so far, the oldest first."""
        return self._charges.history

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

    def check_room(
        self,
        allowance: Allowance,
        plans: Sequence[tuple[Plan, Allowance]],
        *,
        first: Request[Any],
        again: bool = False,
    ) -> None:
        """Refuse several releases that together exceed the budget, before the first is charged; spend nothing.

        Where a ledger has the first already, the others may be paid for too, and each is checked by itself.

        Args:
            allowance: What all of them together may lose.
            plans: Their plans, each with its allowance.
            first: The request of the first.
            again: Whether all of them are charged anew.
        """
        self._check_data()
        if not again and self._charges.is_paid(first):
            return
        left = self._charges.remaining
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
        return self._charges.spent

    @property
    def remaining(self) -> AdditiveBudget:
        """What may still be spent."""
        return self._charges.remaining

    @property
    def loss(self) -> Loss:
        """The privacy loss of all releases so far; for persons of the population where the data are a sample."""
        return for_population(self._charges.spent.loss(), self.codebooks)

    @property
    def at_home(self) -> bool:
        """Whether this is the process that opened the tables."""
        return self._charges.at_home

    @property
    def budget(self) -> AdditiveBudget:
        """What all releases together may cost."""
        return self._charges.budget

    @property
    def codebooks(self) -> Mapping[str, Codebook]:
        """What is publicly known of the tables."""
        return self.tables.codebooks

    @property
    def endless(self) -> bool:
        """Say whether no budget limits the releases."""
        return self._charges.endless

    def notes(self, description: Sequence[str]) -> tuple[str, ...]:
        """Give the notes of a release: a warning without a budget, its description, what is open, what is assumed."""
        first = (_ENDLESS,) if self.endless else ()
        return (*first, *description, *self.advisor.unit_lines, *self.tables.assumptions)

    def child(self, name: str, relation: Relation, budget: Budget, words: str) -> "Curator":
        """Guard some rows of one table by a budget of their own."""
        tables = self.tables.portion(name, relation, words)
        return Curator(tables, self._charges.part(tables, budget), advisor=self.advisor)

    def __repr__(self) -> str:
        return repr(self._charges)

    def __reduce__(self) -> Any:
        raise UnavailableError("a curator holds private data and a budget and cannot be copied or pickled.")
