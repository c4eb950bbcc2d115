"""What an engine computes over the rows of one privacy unit."""

from typing import final

from attrs import frozen
from sqlglot import exp

from privet.tables.columns import Column


@final
@frozen(kw_only=True)
class OverRows:
    """A number of each row of a group, computed before the group is summed up.

    Args:
        name: What to call it.
        function: What is computed over the rows of the group.
        order: What the rows are ordered by; None where no order matters.
        within: What divides the group further; None for the whole group.
    """

    name: str
    function: exp.Expr
    order: exp.Expr | None = None
    within: exp.Expr | None = None

    def sql(self, group: list[exp.Expr]) -> exp.Expr:
        """Write it for the columns that make a group; nulls come last."""
        parts = [*(each.copy() for each in group), *([self.within.copy()] if self.within is not None else [])]
        order = exp.Ordered(this=self.order, desc=False, nulls_first=False) if self.order is not None else None
        return exp.Window(
            this=self.function,
            partition_by=parts,
            order=None if order is None else exp.Order(expressions=[order]),
            over="OVER",
        )


@final
@frozen(kw_only=True)
class Summary:
    """One value of the rows of a privacy unit.

    Args:
        sql: What the engine computes over the rows of a group.
        column: What is known of it.
        width: How many characters all texts together have that it computes for one row.
        over: What is computed of each row first.
        reads: The columns that it reads.
    """

    sql: exp.Expr
    column: Column
    width: int = 0
    over: tuple[OverRows, ...] = ()
    reads: frozenset[str] = frozenset()
