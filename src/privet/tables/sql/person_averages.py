"""Averages of persons: each person's rows of a group become one row first, and the aggregates are of these.

Under the privacy clause ``AVG`` is, as ZetaSQL defines it, the average of the averages of persons in a group, each
within its bounds. A statement with such an ``AVG`` is computed from one row for each person and group. What can be
computed from such rows may stand beside it: ``COUNT``, ``SUM`` with bounds of a person's share, and the number of
persons.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import final

from attrs import field, frozen
from sqlglot import exp

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.expressions import describe
from privet.tables.queries.row_query import RowQuery
from privet.tables.sql.aggregates import refuse_aggregates
from privet.tables.sql.call_bounds import CallBounds, bounds_of
from privet.tables.sql.tree import free_name, number, only, refuse

NOTE = (
    "AVG of persons: the rows of a person in a group are averaged first, then the averages of persons, as under the "
    "privacy clause of ZetaSQL"
)
ROWS_NOTE = (
    "AVG of rows: contribution_bounds_per_row averages rows, so that a person with more rows counts for more; AVG of "
    "ZetaSQL averages persons"
)
_ALONE = (
    "AVG is that of persons here. Beside it there may be COUNT, COUNT(DISTINCT id) and SUM(x, "
    "contribution_bounds_per_group => (0, 100)). Ask for the others in a statement of their own."
)


def averages_persons(nodes: Iterable[exp.Expr], bounds: Sequence[CallBounds]) -> bool:
    """Tell whether a call in some expressions is an AVG without bounds of rows."""
    return any(not of_rows for node in nodes for of_rows in _averages(node, bounds))


def averages_rows(nodes: Iterable[exp.Expr], bounds: Sequence[CallBounds]) -> bool:
    """Tell whether a call in some expressions is an AVG with bounds of rows."""
    return any(of_rows for node in nodes for of_rows in _averages(node, bounds))


def _averages(node: exp.Expr, bounds: Sequence[CallBounds]) -> list[bool]:
    """Give, for each AVG, whether it has bounds of rows."""
    kinds = []
    for call in node.find_all(exp.Avg):
        marked = None if call.parent is None else bounds_of(call.parent, bounds)
        kinds.append(marked is not None and not marked[0].per_group)
    return kinds


@final
@frozen
class PersonCalls:
    """Reads the aggregates of a statement that is computed from one row for each person and group.

    Args:
        id_columns: The columns that tell persons apart.
        column_of: Names the column that holds the values of an expression.
        bounds: The bounds written within calls.
        most_rows: How many rows of a person count in a group; None if nothing bounds them.
        summaries: From new columns to the calls that summarize a person's rows, as ``summarize`` takes them.
        taken: Names of columns, in lower case.
    """

    id_columns: tuple[str, ...]
    column_of: Callable[..., str]
    bounds: Sequence[CallBounds]
    most_rows: int | None
    summaries: dict[str, str] = field(factory=dict)
    taken: set[str] = field(factory=set)

    def read(self, node: exp.Expr) -> Aggregate:
        """Read one call."""
        call, condition = node, None
        if isinstance(call, exp.Filter):
            condition, call = call.expression.this, call.this
        marked = bounds_of(call, self.bounds)
        limits, call = marked if marked is not None else (None, call)
        if limits is not None and not limits.per_group:
            raise refuse(f"{limits.written} beside an AVG of persons", node, _ALONE)
        if type(call) not in (exp.Avg, exp.Sum, exp.Count, exp.CountIf):
            raise refuse(f"{describe(call)} beside an AVG of persons", node, _ALONE)
        for part in (call.this, condition):
            if isinstance(part, exp.Expr):
                refuse_aggregates(part, f"within {describe(call)}", node)
        if type(call) in (exp.Count, exp.CountIf):
            return self._count(call, condition, limits)
        only(call, "this")
        argument = call.this
        if argument is None or isinstance(argument, exp.Distinct | exp.Star):
            raise refuse(f"{describe(call)} without a column", call)
        column = self._column(argument, condition)
        if column in self.id_columns:
            raise refuse(f"{describe(call)} of {column!r}, which tells whose rows are protected", call, _ALONE)
        if type(call) is exp.Avg:
            return mean(self._summary("mean", column), bounds=_pair(limits))
        if limits is None:
            raise refuse("SUM without contribution_bounds_per_group beside an AVG of persons", call, _ALONE)
        return total(self._summary("sum", column), bounds=_pair(limits))

    def _count(self, call: exp.Expr, condition: exp.Expr | None, limits: CallBounds | None) -> Aggregate:
        only(call, "this", "big_int")
        argument = call.this
        if isinstance(argument, exp.Distinct):
            name = self.column_of(argument.expressions[0]) if len(argument.expressions) == 1 else None
            if name not in self.id_columns[:1] or condition is not None:
                raise refuse(f"{describe(call)} beside an AVG of persons", call, _ALONE)
            return count_ids()
        if argument is None:
            raise refuse(f"{describe(call)} without an argument", call, "Write COUNT(*) for the number of rows.")
        if isinstance(call, exp.CountIf):
            both = argument if condition is None else exp.and_(argument.copy(), condition.copy())
            column = self._column(exp.Literal.number(1), both)
        elif isinstance(argument, exp.Star | exp.Literal):
            column = "" if condition is None else self._column(exp.Literal.number(1), condition)
        else:
            column = self._column(argument, condition)
        bounds = _pair(limits) or (None if self.most_rows is None else (0, self.most_rows))
        if bounds is None:
            hint = "Write COUNT(*, contribution_bounds_per_group => (0, 10)), or OPTIONS(max_rows_per_group = 10)."
            raise refuse("COUNT of any number of rows of a person beside an AVG of persons", call, hint)
        return total(self._summary("count", column), bounds=bounds)

    def _column(self, argument: exp.Expr, condition: exp.Expr | None) -> str:
        """Name the column of an argument, null where a condition does not hold."""
        if condition is None:
            return self.column_of(argument)
        return self.column_of(exp.Case(ifs=[exp.If(this=condition.copy(), true=argument.copy())]))

    def _summary(self, call: str, column: str) -> str:
        """Name the column of a summary of a person's rows; add the summary if it is new."""
        quoted = column.replace('"', '""')
        text = f'{call}("{quoted}")' if column else "count(*)"
        for name, each in self.summaries.items():
            if each == text:
                return name
        name = free_name(f"{call}_{column or 'rows'}", self.taken)
        self.taken.add(name.lower())
        self.summaries[name] = text
        return name


def person_rows(query: RowQuery, keys: Sequence[str], summaries: dict[str, str]) -> RowQuery:
    """Make one row for each person and group; of each person one counts in a group."""
    return query.summarize(*keys, **summaries).cap(rows_per_group=1)


def _pair(limits: CallBounds | None) -> tuple[int | float, int | float] | None:
    return None if limits is None else (number(limits.lower), number(limits.upper))
