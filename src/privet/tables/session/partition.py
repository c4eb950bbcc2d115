"""Partitions: the parts of a table, each behind a session and a budget of its own."""

from typing import Any, Protocol, final

from attrs import frozen

from privet.accounting.planning.budget import ConcentratedBudget
from privet.core import Fact
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.curator import Curator
from privet.tables.files.written import QueryFile, Words
from privet.tables.queries.partition import PartitionPlan, PartitionQuery, PartitionRequest


class PrivateDoor(Protocol):
    """A session or planner of private tables."""

    _curator: Curator

    def _open_part(self, curator: Curator) -> Any:
        """Give the door of one part of a table."""


@final
@frozen(kw_only=True, repr=False)
class Partition(QueryFile):
    """The parts of a table, ready to describe, plan and open. Made by ``session.partition``.

    Args:
        door: The session of the whole table.
        query: The parts.
    """

    door: PrivateDoor
    query: PartitionQuery

    def facts(self) -> tuple[Fact, ...]:
        """Say what the parts are."""
        return self.query.facts()

    def words(self) -> Words:
        """The partition as plain data, in the words of a file."""
        return self.query.words()

    def plan(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> PartitionPlan:
        """Give the budget of each part and the loss of all of them; read no data and spend nothing."""
        return self.query.plan(epsilon=epsilon, delta=delta, rho=rho)

    def describe(self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None) -> str:
        """Write down the parts, their budgets and the loss of all of them; read no data and spend nothing."""
        return self.query.describe(epsilon=epsilon, delta=delta, rho=rho)

    def release(
        self, epsilon: Amount = None, *, delta: Amount = None, rho: Amount = None, again: bool = False
    ) -> dict[Any, Any]:
        """Charge the budget of the session, and open one child session for each part.

        Args:
            epsilon: What each child may lose, with or without ``delta``.
            delta: The probability of a larger loss; beside ``rho``, the delta at which a session of epsilon and delta
                reads what its children cost.
            rho: Or what each may lose in concentrated privacy.
            again: With a ledger, whether to charge for fresh budgets of the parts where they were opened before.
        """
        return self._open(self.query.request(epsilon=epsilon, delta=delta, rho=rho), again=again)

    def describe_plan(self, plan: PartitionPlan) -> str:
        """Write down the parts with the budget of a plan."""
        return self.query.describe_plan(plan)

    def release_plan(self, plan: PartitionPlan, allowance: Allowance | None, *, again: bool = False) -> dict[Any, Any]:
        """Charge a plan of this partition, and open one child session for each part."""
        read_at = allowance.delta if allowance is not None and isinstance(plan.budget, ConcentratedBudget) else None
        return self._open(self.query.request_for(plan, read_at), again=again)

    def _open(self, request: PartitionRequest, *, again: bool) -> dict[Any, Any]:
        parts = self.door._curator.release(request, again=again)
        return {value: self.door._open_part(curator) for value, curator in parts.items()}
