"""Aggregates of a SELECT: the calls that are allowed, and the aggregates that they mean."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import final

from attrs import frozen
from sqlglot import exp

from privet.core import read_number
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.correlation import correlation
from privet.tables.aggregates.count import count
from privet.tables.aggregates.count_distinct import count_distinct
from privet.tables.aggregates.count_ids import count_ids
from privet.tables.aggregates.covariance import covariance
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.quantile import maximum, median, minimum, quantile, quantiles
from privet.tables.aggregates.standard_deviation import std
from privet.tables.aggregates.sum import sum as total
from privet.tables.aggregates.sum_by_person import sum_by_person
from privet.tables.aggregates.top_k import mode, top_k
from privet.tables.aggregates.variance import variance
from privet.tables.expressions import describe
from privet.tables.sql.call_bounds import CallBounds, bounds_of, is_marked, unmarked
from privet.tables.sql.instead import CLIP_EACH, NUMBER_OF_IDS, distinct_advice
from privet.tables.sql.tree import is_whole_literal, number, only, refuse

Bounds = tuple[int | float | Fraction, int | float | Fraction]
"""The lower and the upper bound of a value."""
Make = Callable[[str, Bounds | None], Aggregate]  # from a column and bounds to an aggregate
QUANTILES = (exp.PercentileCont, exp.PercentileDisc, exp.Quantile, exp.ApproxQuantile, exp.ApproxQuantiles)
_MOST = 100  # quantiles of one call
_NUMERIC: dict[type[exp.Expr], Callable[..., Aggregate]] = {
    exp.Avg: mean,
    exp.Sum: total,
    exp.Variance: variance,
    exp.VariancePop: lambda name, bounds: variance(name, bounds=bounds, ddof=0),
    exp.Stddev: std,
    exp.StddevSamp: std,
    exp.StddevPop: lambda name, bounds: std(name, bounds=bounds, ddof=0),
    exp.Median: median,
    exp.Min: minimum,
    exp.Max: maximum,
}
_PAIRS: dict[type[exp.Expr], Callable[[str, str], Aggregate]] = {
    exp.Corr: correlation,
    exp.CovarPop: lambda first, second: covariance(first, second, ddof=0),
    exp.CovarSamp: covariance,
}
_ALONE: dict[type[exp.Expr], Callable[[str], Aggregate]] = {  # the covariance of a column with itself
    exp.CovarPop: lambda name: variance(name, ddof=0),
    exp.CovarSamp: variance,
}
_COUNTS = (exp.Count, exp.CountIf, exp.ApproxDistinct)
_TOPS = (exp.Mode, exp.ApproxTopK)
_KNOWN = (*_NUMERIC, *_PAIRS, *_COUNTS, *_TOPS, *QUANTILES)
_WRAPPED = (exp.AggFunc, exp.Window, exp.Filter, exp.IgnoreNulls, exp.RespectNulls, exp.WithinGroup)
_MOST_TOP = 1000
_AVERAGES = (
    "BigQuery averages the averages of persons. For the average of rows write contribution_bounds_per_row => "
    "(lower, upper); for that of persons take AVG over a sub-query with one row for each person and group, with "
    "OPTIONS(max_rows_per_group = 1)."
)


def read_quantiles(call: exp.Expr, place: exp.Expr | None) -> tuple[exp.Expr, Make]:
    """Read a call: the argument of which it takes a quantile, and a function that makes the aggregate.

    Args:
        call: ``QUANTILE_CONT(x, 0.9)``, ``PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)`` and their like.
        place: ``[OFFSET(9)]`` behind it; only ``APPROX_QUANTILES`` has one.
    """
    if isinstance(call, exp.WithinGroup):
        return _within(call)
    if type(call) is exp.ApproxQuantiles:
        only(call, "this", "expression")
        return call.this, _several(call, place)
    only(call, "this", "expression", "quantile")
    levels = call.args.get("quantile") or call.args.get("expression")
    if isinstance(levels, exp.Array):
        only(levels, "expressions", "value_constructor")
        if not 1 <= len(levels.expressions) <= _MOST:
            raise refuse(f"{describe(call)} of {len(levels.expressions)} shares", call)
        shares = [_share(each, call) for each in levels.expressions]
        return call.this, lambda name, bounds: quantiles(name, shares, bounds=bounds)
    share = _share(levels, call)
    return call.this, lambda name, bounds: quantile(name, share, bounds=bounds)


def ordered_by(call: exp.WithinGroup) -> exp.Ordered:
    """Read ``WITHIN GROUP (ORDER BY x)`` with one column."""
    order = call.expression
    ordered = order.expressions[0] if isinstance(order, exp.Order) and len(order.expressions) == 1 else None
    if not isinstance(ordered, exp.Ordered):
        raise refuse("WITHIN GROUP without one column to order by", call)
    return ordered


def _within(call: exp.WithinGroup) -> tuple[exp.Expr, Make]:
    inside, ordered = call.this, ordered_by(call)
    only(inside, "this")
    if type(inside) not in (exp.PercentileCont, exp.PercentileDisc):
        raise refuse(f"WITHIN GROUP of {describe(inside)}", call)
    share = _share(inside.this, call)
    share = 1 - share if ordered.args.get("desc") else share
    return ordered.this, lambda name, bounds: quantile(name, share, bounds=bounds)


def _several(call: exp.Expr, place: exp.Expr | None) -> Make:
    """Read ``APPROX_QUANTILES(x, 4)``: the least, three quartiles and the largest; or one of them by its place."""
    count = int(call.expression.name)  # checked when the statement was parsed
    if place is not None:
        at = _place(place)
        if at > count:
            raise refuse("this place of the quantiles", place, "Places count from 0 to the second argument.")
        return lambda name, bounds: quantile(name, Fraction(at, count), bounds=bounds)
    if count >= _MOST:
        raise refuse(f"{describe(call)} of {count} parts", call, f"Ask for fewer than {_MOST}, or one by its place.")
    return lambda name, bounds: quantiles(name, [Fraction(at, count) for at in range(count + 1)], bounds=bounds)


def _place(node: exp.Expr) -> int:
    only(node, "this", "expressions", "offset", "safe")
    index = node.expressions[0] if len(node.expressions) == 1 else None
    offset = node.args.get("offset")
    if not is_whole_literal(index) or offset not in (0, 1) or int(index.name) < int(offset):
        raise refuse(describe(node), node, "Write [OFFSET(1)].")
    return int(index.name) - int(offset)


def _share(node: object, call: exp.Expr) -> Fraction:
    if not isinstance(node, exp.Literal) or node.is_string:
        raise refuse(f"{describe(call)} without a number from 0 to 1", call, "Write QUANTILE_CONT(x, 0.9).")
    share = read_number("SQL: the share of a quantile", number(node.name))
    if not 0 <= share <= 1:
        raise refuse(f"{describe(call)} of a share beyond 0 and 1", call, "Write QUANTILE_CONT(x, 0.9).")
    return share


def is_aggregate(node: object) -> bool:
    """Tell whether a node is a call that ``Calls.read`` can read."""
    if isinstance(node, exp.Filter | exp.WithinGroup | exp.Bracket):
        return is_aggregate(node.this)
    if is_marked(node):
        return len(node.expressions) == 1 and is_aggregate(node.expressions[0])
    return type(node) in _KNOWN


def holds_aggregate(node: exp.Expr) -> exp.Expr | None:
    """Find an aggregate, a window or a modified aggregate anywhere in an expression."""
    return next((each for each in node.walk() if isinstance(each, _WRAPPED) or is_marked(each)), None)


def grouped_items(items: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Give the items of a SELECT list by which GROUP BY ALL groups: those without aggregates that name a column."""
    return [item for item in items if holds_aggregate(item) is None and item.find(exp.Column) is not None]


def refuse_aggregates(node: exp.Expr, where: str, clause: exp.Expr, hint: str = "") -> None:
    """Refuse an expression that holds an aggregate, and say where that is not allowed.

    Args:
        node: The expression.
        where: Where it stands, such as ``in GROUP BY``.
        clause: What the message quotes.
        hint: What to write instead.
    """
    inner = holds_aggregate(node)
    if inner is not None:
        raise refuse(f"{describe(_bare(inner))} {where}", clause, hint)


def _bare(node: exp.Expr) -> exp.Expr:
    """Give the call that a message names: without marks, and without what the parser put around it."""
    node = unmarked(node)
    return node.this if isinstance(node, exp.IgnoreNulls | exp.RespectNulls | exp.Filter) else node


@final
@frozen
class Calls:
    """Reads the aggregates of one statement.

    Args:
        id_columns: The columns that tell persons apart; none if rows are protected.
        column_of: Names the column that holds the values of an expression. Its second argument names a new column.
        bounds: The bounds written within calls.
        most_rows: How many rows of a person count in a group; None if nothing bounds them.
        bigquery: Whether the statement has BigQuery's clause, with which AVG is the average of persons' averages.
        implied: Gives the bounds of a column that follow from the caps; None if it has its own, or none.
    """

    id_columns: tuple[str, ...]
    column_of: Callable[..., str]
    bounds: Sequence[CallBounds]
    most_rows: int | None
    bigquery: bool = False
    implied: Callable[[str], Bounds | None] = lambda _: None

    def read(self, node: exp.Expr) -> Aggregate:
        """Read one call, of a kind for which ``is_aggregate`` is true."""
        call, condition = node, None
        if isinstance(call, exp.Filter):
            condition, call = call.expression.this, call.this
        place = None
        if isinstance(call, exp.Bracket):
            place, call = call, call.this
        marked = bounds_of(call, self.bounds)
        limits, call = marked if marked is not None else (None, call)
        if isinstance(call, exp.Filter | exp.Bracket) or is_marked(call):
            raise refuse(f"{describe(call)} within {describe(node)}", node)
        for argument in call.iter_expressions() if not isinstance(call, exp.WithinGroup) else (call.expression,):
            refuse_aggregates(argument, f"within {describe(call)}", call)
        if condition is not None:
            refuse_aggregates(condition, "in FILTER", node)
        return self._read(call, condition, limits, place)

    def _read(
        self, call: exp.Expr, condition: exp.Expr | None, limits: CallBounds | None, place: exp.Expr | None
    ) -> Aggregate:
        """Read a call without what stood around it: FILTER, bounds and the place of a quantile."""
        inside = call.this if isinstance(call, exp.WithinGroup) else call
        if place is not None and type(inside) is not exp.ApproxQuantiles:
            raise refuse(describe(place), place)
        if type(inside) in QUANTILES:
            argument, make = read_quantiles(call, place)
            name = self._column(argument, condition, call)
            return make(name, self._row_bounds(limits, call) or self.implied(name))
        if type(inside) in _COUNTS:
            return self._count(call, condition, limits)
        if type(inside) in _TOPS:
            self._refuse_bounds(limits, call)
            return self._top(call, condition)
        if isinstance(call, exp.WithinGroup):
            raise refuse(f"WITHIN GROUP of {describe(inside)}", call)
        if type(call) in _PAIRS:
            only(call, "this", "expression")
            self._refuse_bounds(limits, call)
            first, second = (self._column(each, condition, call) for each in (call.this, call.expression))
            if first == second and type(call) in _ALONE:
                return _ALONE[type(call)](first)
            return _PAIRS[type(call)](first, second)
        return self._of_one_column(call, condition, limits)

    def _of_one_column(self, call: exp.Expr, condition: exp.Expr | None, limits: CallBounds | None) -> Aggregate:
        """Read a call with one numeric argument."""
        only(call, "this")
        several_rows = bool(self.id_columns) and self.most_rows != 1
        if type(call) is exp.Avg and limits is None and self.bigquery and several_rows:
            raise refuse("AVG where a person may have several rows in a group", call, _AVERAGES)
        if type(call) is exp.Sum and limits is None and condition is None and _is_one(call.this):
            return count()  # the same number, and one row moves it by as little as a count
        name = self._column(call.this, condition, call)
        if type(call) is exp.Sum and limits is not None and limits.per_group and self.id_columns:
            return sum_by_person(name, bounds=_pair(limits))
        return _NUMERIC[type(call)](name, bounds=self._row_bounds(limits, call) or self.implied(name))

    def _column(self, argument: exp.Expr | None, condition: exp.Expr | None, call: exp.Expr) -> str:
        """Name the column of an argument. It is null if the FILTER does not hold, and aggregates leave nulls out."""
        if argument is None:
            raise refuse(f"{describe(call)} without an argument", call, "Write COUNT(*) for the number of rows.")
        if isinstance(argument, exp.Distinct):
            raise refuse(f"DISTINCT in {describe(call)}", call, distinct_advice(call))
        name = self.column_of(argument)
        if name in self.id_columns:
            raise refuse(
                f"{describe(call)} of {name!r}, which tells whose rows are protected,",
                call,
                NUMBER_OF_IDS.format(id=name),
            )
        return name if condition is None else self.column_of(_where(condition, argument))

    def _count(self, call: exp.Expr, condition: exp.Expr | None, limits: CallBounds | None) -> Aggregate:
        only(call, "this", "big_int")
        argument = call.this
        if type(call) is exp.CountIf:
            if argument is None or isinstance(argument, exp.Distinct):
                raise refuse(f"{describe(call)} without a condition", call)
            both = argument if condition is None else exp.and_(argument.copy(), condition.copy())
            return self._rows(limits, call, _where(both, exp.Literal.number(1)))
        if argument is None:
            raise refuse(f"{describe(call)} without an argument", call, "Write COUNT(*) for the number of rows.")
        if isinstance(argument, exp.Distinct) or type(call) is exp.ApproxDistinct:
            return self._distinct(call, condition, limits)
        every = isinstance(argument, exp.Star | exp.Literal)  # COUNT(1) counts rows, as everyone who writes it knows
        if condition is None:
            return self._rows(limits, call, None if every else argument)
        return self._rows(limits, call, _where(condition, exp.Literal.number(1) if every else argument))

    def _distinct(self, call: exp.Expr, condition: exp.Expr | None, limits: CallBounds | None) -> Aggregate:
        argument = call.this
        if isinstance(argument, exp.Distinct):
            if len(argument.expressions) != 1:
                raise refuse("DISTINCT of several columns", call, "Write COUNT(DISTINCT CONCAT(a, ' ', b)).")
            argument = argument.expressions[0]
        if isinstance(argument, exp.Star):
            raise refuse("COUNT(DISTINCT *)", call, "Name a column.")
        name = self.column_of(argument)
        if name not in self.id_columns:
            self._refuse_bounds(limits, call)
            return count_distinct(name if condition is None else self.column_of(_where(condition, argument)))
        if name != self.id_columns[0]:
            raise refuse(f"{describe(call)} of {name!r}", call)
        if condition is not None:
            raise refuse(f"FILTER of COUNT(DISTINCT {name})", call, "Filter with WHERE.")
        if limits is not None and not (_pair(limits)[0] <= 0 and _pair(limits)[1] >= 1):
            raise refuse(limits.written, call, "A person counts once: write (0, 1), or leave it out.")
        return count_ids()

    def _top(self, call: exp.Expr, condition: exp.Expr | None) -> Aggregate:
        inside, argument = call, call.this
        if isinstance(call, exp.WithinGroup):
            inside, argument = call.this, ordered_by(call).this
            only(inside)
        if type(inside) is exp.Mode:
            only(inside, "this")
            return mode(self._column(argument, condition, inside))
        if isinstance(call, exp.WithinGroup):
            raise refuse(f"WITHIN GROUP of {describe(inside)}", call)
        only(inside, "this", "expression")
        number_of_values = inside.args.get("expression")
        if not is_whole_literal(number_of_values):
            raise refuse(f"{describe(inside)} without a whole number", inside)
        k = int(number_of_values.name)
        if not 1 <= k <= _MOST_TOP:
            raise refuse(f"{describe(inside)} of {k} values", inside)
        return top_k(self._column(argument, condition, inside), k)

    def _row_bounds(self, limits: CallBounds | None, call: exp.Expr) -> Bounds | None:
        """Read the bounds of a row's value. Bounds of a person's share of a group are the same if that is one row."""
        if limits is None:
            return None
        if limits.per_group and self.most_rows != 1:
            hint = "Use contribution_bounds_per_row, or OPTIONS(max_rows_per_group = 1)."
            several = f"{limits.written} where a person may have several rows in a group"
            raise refuse(several, call, _AVERAGES if type(call) is exp.Avg else hint)
        return _pair(limits)

    def _rows(self, limits: CallBounds | None, call: exp.Expr, counted: exp.Expr | None) -> Aggregate:
        """Count rows, or those in which an expression has a value. Bounds limit how many a person adds to a group."""
        if limits is None or (limits.per_group and self._caps_imply(limits)):
            return count() if counted is None else count(self.column_of(counted))
        if not limits.per_group or not self.id_columns:
            raise refuse(limits.written, call, "A count takes only contribution_bounds_per_group, and only of persons.")
        present = exp.column(exp.to_identifier(self.id_columns[0], quoted=True)) if counted is None else counted
        missing = exp.Is(this=exp.Paren(this=present.copy()), expression=exp.Null())
        value = _where(exp.Not(this=exp.Paren(this=missing)), exp.Literal.number(1))  # nulls add nothing
        return sum_by_person(self.column_of(value, "rows"), bounds=_pair(limits))

    def _caps_imply(self, limits: CallBounds) -> bool:
        """Tell whether the caps keep a person's number of rows within bounds anyway."""
        low, high = _pair(limits)
        return self.most_rows is not None and low <= 0 and self.most_rows <= high

    def _refuse_bounds(self, limits: CallBounds | None, call: exp.Expr) -> None:
        if limits is not None:
            raise refuse(f"{limits.written} in {describe(call)}", call, CLIP_EACH if type(call) in _PAIRS else "")


def _is_one(node: object) -> bool:
    return is_whole_literal(node) and int(node.name) == 1


def _pair(limits: CallBounds) -> Bounds:
    return number(limits.lower), number(limits.upper)


def _where(condition: exp.Expr, value: exp.Expr) -> exp.Expr:
    """Write a value where a condition holds, and null elsewhere."""
    return exp.Case(ifs=[exp.If(this=condition.copy(), true=value.copy())])
