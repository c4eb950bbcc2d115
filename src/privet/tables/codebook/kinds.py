"""The types of columns by the names that people give them: one canonical name is stored."""

from datetime import date, datetime

from privet.errors import InvalidError
from privet.tables.columns import KINDS, Kind, closest

ALIASES: dict[str, Kind] = {
    "int": "integer",
    "float": "real",
    "number": "real",
    "str": "text",
    "string": "text",
    "bool": "boolean",
    "datetime": "timestamp",
}
_PYTHON: dict[object, Kind] = {
    int: "integer",
    float: "real",
    str: "text",
    bool: "boolean",
    date: "date",
    datetime: "timestamp",
}
# names of other programs, which may mean more than one thing: a hint, never a guess
_ELSEWHERE: dict[str, Kind] = {
    **dict.fromkeys(("bigint", "smallint", "int8", "int16", "int32", "int64", "uint8", "uint16"), "integer"),
    **dict.fromkeys(("double", "decimal", "numeric", "float32", "float64"), "real"),
    **dict.fromkeys(("varchar", "char", "category", "object", "utf8"), "text"),
    "datetime64": "timestamp",
}
_WORDS = (*KINDS, *ALIASES)


def find_kind(value: object) -> Kind | None:
    """Give the type that a text or a Python type names, if it names one."""
    if isinstance(value, str):
        return value if value in KINDS else ALIASES.get(value)
    return _PYTHON.get(value) if isinstance(value, type) else None


def read_kind(label: str, value: object) -> Kind:
    """Read the type of a column: a name of it, or ``int``, ``float``, ``str``, ``bool``, ``date`` or ``datetime``.

    Args:
        label: What to call it in messages.
        value: A text, or a Python type.

    >>> read_kind("column.type", float), read_kind("column.type", "string"), read_kind("column.type", "date")
    ('real', 'text', 'date')
    """
    kind = find_kind(value)
    if kind is None:
        raise InvalidError(f"{refuse_kind(label, value)} {suggest_kind(value)}".rstrip())
    return kind


def refuse_kind(label: str, value: object) -> str:
    """Say that something is no type."""
    if isinstance(value, str):
        got = repr(value[:40])
    else:
        got = f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
    return f"{label} must be one of {', '.join(KINDS)}, got {got}."


def suggest_kind(value: object) -> str:
    """Suggest the type that is nearest to what was typed; nothing where none is near."""
    if not isinstance(value, str):
        return ""
    word = value.strip().lower()
    if word in ("list", "array"):
        return "For a list write the type of its items, and most_items: 10 for how many it has at most."
    meant = ALIASES.get(word) or _ELSEWHERE.get(word)
    if meant is not None:
        return f"Did you mean {meant}?"
    near = closest(word, _WORDS).removeprefix(" Did you mean ").removesuffix("?")
    return f"Did you mean {ALIASES.get(near, near)}?" if near else ""
