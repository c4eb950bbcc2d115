"""Ends of intervals as columns of their own, as Snowflake writes them: ``SUM(x) AS s, DP_INTERVAL_LOW(s)``.

Every number of a release has an interval, so that its ends cost nothing more.
"""

from collections.abc import Sequence
from typing import final

from attrs import evolve, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import shorten
from privet.tables.releases.released_column import PARTS
from privet.tables.sql.computed import End, Output
from privet.tables.sql.instead import ENDS_HINT
from privet.tables.sql.plain_names import plain_name
from privet.tables.sql.post_processing import PostProcessing
from privet.tables.sql.select import Selection
from privet.tables.sql.tree import refuse, split_alias

_CALLS = {"dp_interval_low": "_low", "dp_interval_high": "_high"}


@final
@frozen
class EndItem:
    """One call in a SELECT list.

    Args:
        place: Its place in the list, from 0.
        label: The name of its column.
        of: The name of the column whose interval it is.
        part: Which end it gives: ``_low`` or ``_high``.
        node: The call, for messages.
    """

    place: int
    label: str
    of: str
    part: str
    node: exp.Expr


def split_ends(select: exp.Select) -> tuple[list[exp.Expr], list[EndItem]]:
    """Split a SELECT list into the ends of intervals and all else."""
    others: list[exp.Expr] = []
    ends: list[EndItem] = []
    for place, item in enumerate(select.expressions):
        node, alias = split_alias(item)
        part = _CALLS.get(node.name.lower()) if isinstance(node, exp.Anonymous) else None
        if part is None:
            others.append(item)
        else:
            ends.append(EndItem(place, alias or plain_name(node), _named(node), part, node))
    clauses = [each for each in (select.args.get("group"), select.args.get("order")) if each is not None]
    places = any(isinstance(_key(each), exp.Literal) for clause in clauses for each in clause.expressions)
    if places and any(end.place < len(others) for end in ends):
        raise refuse("a place of the list beside DP_INTERVAL_LOW or DP_INTERVAL_HIGH", select, "Name the column.")
    return others, ends


def _key(node: exp.Expr) -> exp.Expr:
    return node.this if isinstance(node, exp.Ordered) else node


def _named(call: exp.Expr) -> str:
    """Give the name that a call holds: a column, or the same in quotes."""
    argument = call.expressions[0] if len(call.expressions) == 1 else None
    if isinstance(argument, exp.Column) and argument.args.get("table") is None:
        return argument.name
    if isinstance(argument, exp.Literal) and argument.is_string:
        return argument.name
    raise refuse(f"{call.name.upper()} of anything but the name of a column", call, ENDS_HINT)


def with_ends(selection: Selection, after: PostProcessing, ends: Sequence[EndItem]) -> PostProcessing:
    """Add the ends of intervals to the columns of the result.

    Args:
        selection: The SELECT without them.
        after: Its post-processing.
        ends: The ends.
    """
    if not ends:
        return after
    columns = list(after.columns)
    known = {each.label.lower(): each for each in columns}
    numbers = selection.numbers()
    in_place = len(columns) == len(selection.items)  # an aggregate of several columns moves those behind it
    for end in ends:
        base = known.get(end.of.lower())
        if base is None or (base.reach is None and base.name not in numbers):
            raise refuse(f"{end.node.name.upper()} of {shorten(end.of)}, which has no interval,", end.node, ENDS_HINT)
        _check_label(end, base, columns)
        output = Output(end.label, base.value, end=End(base.label, end.part))
        columns.insert(end.place if in_place else len(columns), output)
    return evolve(after, columns=tuple(columns))


def _check_label(end: EndItem, base: Output, columns: Sequence[Output]) -> None:
    """Refuse a name that another column has; the end itself may have the name that it has beside its column."""
    taken = {each.label.lower() for each in columns}
    taken |= {f"{each.label}{part}".lower() for each in columns if each.end is None for part in PARTS}
    if end.label.lower() in taken and end.label != f"{base.label}{end.part}":
        raise InvalidError(f"SQL: two columns of the result would be called {end.label!r}; name one of them with AS.")
