"""Everything that is allowed: one list of functions, and the names under which they are written.

What is not on the list is refused by name, where it stands in the text, with the nearest name that is allowed.
"""

from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import closest
from privet.tables.engines.grammar import written_loosely
from privet.tables.expressions import (
    arithmetic,
    casts,
    conditional,
    dates,
    logic,
    numeric,
    text,
)
from privet.tables.expressions.node import Function

FAMILIES: dict[str, tuple[Function, ...]] = {
    "Arithmetic": arithmetic.FUNCTIONS,
    "Comparison": logic.COMPARISONS,
    "Logic": logic.CONNECTIVES,
    "Choice": conditional.FUNCTIONS,
    "Rounding": numeric.ROUNDINGS,
    "Powers": numeric.POWERS,
    "Text": text.FUNCTIONS,
    "Dates": dates.FUNCTIONS,
    "Casts": casts.FUNCTIONS,
}

BY_NAME: dict[str, Function] = {
    function.name: function for functions in FAMILIES.values() for function in functions if function.name.isidentifier()
}
WORDS: tuple[str, ...] = (
    *BY_NAME,
    *("between", "cast", "if", "ifnull", "is null", "log", "power", "substring", "ceiling", "date_part"),
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
)
_HINTS: dict[str, str] = {
    "is distinct from": "Write x <> y or x is null.",
    "is not distinct from": "Write x = y or (x is null and y is null).",
    "an interval": "Use date_diff('day', d, e) to compare dates.",
    "a regular expression (regexp_matches, ~)": "Use like, starts_with or contains.",
    "rand(...)": "A column is computed from its row alone: nothing is drawn.",
    "time_to_str(...)": "Write cast(d as text), or take a part: year(d), month(d); query.bin names periods.",
    "similar to (a regular expression)": "Use like, starts_with or contains.",
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
    if not hint and isinstance(node, exp.Func):
        hint = closest(node.name if isinstance(node, exp.Anonymous) else node.sql_name(), WORDS).strip()
    return InvalidError(
        f"{name} is not allowed in an expression: {shorten(written(node))}{where(text, node)}. {hint or _ALLOWED}"
    )


def written(node: exp.Expr) -> str:
    """Write a node as SQL, whatever it is."""
    try:
        return written_loosely(node)
    except Exception:  # noqa: BLE001 - some trees that parse cannot be written; their kind is still named
        return node.key


def where(text: str, node: exp.Expr) -> str:
    """Point at the text."""
    starts: list[Any] = [part.meta.get("start") for part in node.walk() if "start" in part.meta]
    return f" at character {min(starts) + 1} of {shorten(text)}" if starts else f" in {shorten(text)}"
