"""Everything that is allowed: one list of functions, and the names under which they are written.

What is not on the list is refused by name, where it stands in the text, with the nearest name that is allowed.
"""

from typing import Any

from sqlglot import exp

from privet._familiar import find_close, find_hint
from privet.errors import InvalidError
from privet.tables.engines.grammar import written as written_plainly
from privet.tables.expressions import (
    arithmetic,
    casts,
    conditional,
    dates,
    intervals,
    logic,
    numeric,
    replacing,
    text,
    time_of_day,
    written_dates,
)
from privet.tables.expressions.node import Function

FAMILIES: dict[str, tuple[Function, ...]] = {
    "Arithmetic": arithmetic.FUNCTIONS,
    "Comparison": logic.COMPARISONS,
    "Logic": logic.CONNECTIVES,
    "Choice": conditional.FUNCTIONS,
    "Rounding": numeric.ROUNDINGS,
    "Powers": numeric.POWERS,
    "Text": (*text.FUNCTIONS, *replacing.FUNCTIONS),
    "Dates": (*dates.FUNCTIONS, *intervals.FUNCTIONS, *written_dates.FUNCTIONS, *time_of_day.FUNCTIONS),
    "Casts": (*casts.FUNCTIONS, *time_of_day.CASTS),
}

BY_NAME: dict[str, Function] = {
    function.name: function for functions in FAMILIES.values() for function in functions if function.name.isidentifier()
}
WORDS: tuple[str, ...] = (
    *BY_NAME,
    *("between", "cast", "if", "ifnull", "is null", "log", "power", "substring", "ceiling", "date_part", "parse_date"),
    *dates.PARTS,
)
_KINDS: tuple[tuple[type[exp.Expr], str], ...] = (
    (exp.Window, "a window function (over)"),
    (exp.Query, "a sub-query (select)"),
    (exp.Exists, "a sub-query (exists)"),
    (exp.Star, "the star (*)"),
    (exp.Columns, "columns(...)"),
    (exp.Placeholder, "a parameter (?, $1, :name)"),
    (exp.Parameter, "a parameter (@name)"),
    (exp.PositionalColumn, "a column by position (#1)"),
    (exp.Alias, "an alias (as)"),
    (exp.Interval, "an interval"),
    (exp.Lambda, "a lambda"),
    (exp.Array, "a list"),
    (exp.Struct, "a struct"),
    (exp.Bracket, "an element of a list ([...])"),
    (exp.Tuple, "a tuple"),
    (exp.Comprehension, "a list comprehension"),
    (exp.Collate, "collate"),
    (exp.AtTimeZone, "at time zone"),
    (exp.NullSafeEQ, "is not distinct from"),
    (exp.NullSafeNEQ, "is distinct from"),
    (exp.SimilarTo, "similar to (a regular expression)"),
    (exp.RegexpLike, "a regular expression (regexp_matches, ~)"),
    (exp.Glob, "glob"),
    (exp.Any, "any"),
    (exp.All, "all"),
    (exp.Dot, "a field (a.b)"),
    (exp.EQ, "="),
    (exp.NEQ, "<>"),
    (exp.LT, "<"),
    (exp.LTE, "<="),
    (exp.GT, ">"),
    (exp.GTE, ">="),
    (exp.BitwiseAnd, "&"),
    (exp.ArrayOverlaps, "&&"),
    (exp.BitwiseOr, "|"),
    (exp.BitwiseNot, "~"),
)
_TODAY = "A statement means the same on every day. Write the day: date '2024-01-31'."
_HINTS: dict[str, str] = {
    "a sub-query (select)": "A condition reads one row. Join the other table, or list the values: x in ('a', 'b').",
    "a sub-query (exists)": "A condition reads one row. Join the other table.",
    "is distinct from": "Write x <> y or x is null.",
    "is not distinct from": "Write x = y or (x is null and y is null).",
    "an interval": "Add it to a date, or take it away: d + interval '3' month.",
    "a regular expression (regexp_matches, ~)": "Use like, starts_with or contains.",
    "rand(...)": "A column is computed from its row alone: nothing is drawn.",
    "current_date(...)": _TODAY,
    "current_timestamp(...)": _TODAY,
    "current_time(...)": _TODAY,
    "current_datetime(...)": _TODAY,
    "localtimestamp(...)": _TODAY,
    "localtime(...)": _TODAY,
    "now(...)": _TODAY,
    "today(...)": _TODAY,
    "getdate(...)": _TODAY,
    "time_to_str(...)": "Write cast(d as text), or take a part: year(d), month(d).",
    "similar to (a regular expression)": "Use like, starts_with or contains.",
    "&": "Use and: spending > 20 and minutes < 60.",
    "&&": "Use and: spending > 20 and minutes < 60.",
    "|": "Use or: spending > 20 or minutes < 60.",
    "~": "Use not: not (spending > 20).",
    "a field (a.b)": "Use a function, such as length(name), or a test, such as name is null.",
    "a window function (over)": "A row is computed from itself alone; group_by compares groups.",
}
_ALLOWED = (
    "Allowed are columns, constants, arithmetic, comparisons, and, or, not, case, cast, and functions such as round, "
    "abs, least, coalesce, lower, substring, year and date_diff."
)


def shorten(text: str, most: int = 80) -> str:
    """Quote the text of a message."""
    return repr(text if len(text) <= most else text[: most - 3] + "...")


def describe(node: exp.Expr) -> str:
    """Name what a node is, as its writer would."""
    for kind, name in _KINDS:
        if isinstance(node, kind):
            return name
    if isinstance(node, exp.Anonymous):
        return f"{node.name}(...)"
    if isinstance(node, exp.AggFunc):
        return f"the aggregate {node.sql_name().lower()}(...)"
    return f"{node.sql_name().lower()}(...)" if isinstance(node, exp.Func) else node.key


def refused(text: str, node: exp.Expr) -> InvalidError:
    """Refuse a node."""
    name = describe(node)
    hint = _HINTS.get(name, "")
    if isinstance(node, exp.AggFunc):
        hint = "It is no value of one row: ask for it in agg(...)."
    elif not hint and name.startswith("regexp"):
        hint = _HINTS["a regular expression (regexp_matches, ~)"]
    elif not hint and isinstance(node, exp.Func):
        hint = hint_at_function(node)
    return InvalidError(
        f"{name} is not allowed in an expression: {shorten(written(node))}{where(text, node)}. {hint or _ALLOWED}"
    )


def hint_at_function(node: exp.Func) -> str:
    """Say what to write instead of a function that is not allowed; nothing where no other is meant."""
    called = (node.name if isinstance(node, exp.Anonymous) else node.sql_name()).lower()
    hint = find_hint("sql", called)
    close = find_close(called, WORDS) if hint is None else None
    return hint or (f"Did you mean {close}?" if close else "")


def written(node: exp.Expr) -> str:
    """Write a node as SQL, whatever it is."""
    try:
        return written_plainly(node)
    except Exception:  # noqa: BLE001 - some trees that parse cannot be written; their kind is still named
        return node.key


def where(text: str, node: exp.Expr) -> str:
    """Point at the text."""
    starts: list[Any] = [part.meta.get("start") for part in node.walk() if "start" in part.meta]
    return f" at character {min(starts) + 1} of {shorten(text)}" if starts else f" in {shorten(text)}"
