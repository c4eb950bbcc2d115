"""The columns of a table by name: finding one, and names that engines can distinguish."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns.column import Column

Columns = Mapping[str, Column]
Value = TypeVar("Value")
_SHOWN = 20  # names in a message
_LONGEST = 100  # characters of a name that is compared with others: comparing takes quadratic time


def find_column(where: str, name: str, columns: Mapping[str, Value], *, at: str = "", hint: str = "") -> Value:
    """Give what is known of a column, or say that there is none and which name comes closest.

    Args:
        where: Who looks for it, such as ``mean('age')``; empty to say nothing of that.
        name: The name.
        columns: What is known of each column, by name.
        at: Where the name was written, such as ``at character 5``.
        hint: What to say where no name comes close.

    >>> find_column("mean", "agge", {"id": 1, "age": 2})
    Traceback (most recent call last):
    ...
    privet.errors.InvalidError: mean: there is no column 'agge'; there are 'id', 'age'. Did you mean 'age'?
    """
    start = f"{where}: " if where else ""
    if not isinstance(name, str):
        raise WrongTypeError(f"{where or 'a query'} takes the name of a column, got {type(name).__name__}.")
    if name in columns:
        return columns[name]
    there = [*map(repr, list(columns)[:_SHOWN]), *([f"{len(columns) - _SHOWN} more"] if len(columns) > _SHOWN else [])]
    near = find_closest(name, columns)
    raise InvalidError(
        f"{start}there is no column {name[:_LONGEST]!r}{at and ' '}{at}; "
        f"there are {', '.join(there) or 'none'}." + (f" Did you mean {near!r}?" if near is not None else hint)
    )


def read_name(label: str, value: object) -> str:
    """Read one name that a caller gave, or say what it is instead."""
    if not isinstance(value, str):
        raise WrongTypeError(f"{label} takes the name of a column, got {type(value).__name__}.")
    return value


def read_names(label: str, value: object) -> tuple[str, ...]:
    """Read one name or several, each once, or say what they are instead.

    >>> read_names("join.on", "ward"), read_names("join.on", ["ward", "day"])
    (('ward',), ('ward', 'day'))
    """
    names: tuple[Any, ...] | None = (value,)
    if not isinstance(value, str):
        try:
            names = tuple(value)  # type: ignore[arg-type] # whatever can be listed
        except TypeError:
            names = None
    if names is None or not all(isinstance(name, str) for name in names):
        raise WrongTypeError(f'{label} takes the name of a column, or several, such as "ward" or ["ward", "day"].')
    return tuple(dict.fromkeys(names))


def find_closest(name: str, known: Iterable[str]) -> str | None:
    """Give the known name that is nearest to one, if any is near: equal except for capitals, or nearly equal."""
    if len(name) > _LONGEST:
        return None
    folded = {item.casefold(): item for item in known}
    near = get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def closest(name: str, known: Iterable[str]) -> str:
    """Write a hint at the nearest known word, if one is near."""
    near = find_closest(name, known)
    return "" if near is None else f" Did you mean {near}?"


def lowered(name: str) -> str:
    """Give a name as engines compare it: with capital letters of ASCII as small ones."""
    return name.encode("utf-8", errors="surrogatepass").lower().decode("utf-8", errors="surrogatepass")


def check_names(label: str, names: Iterable[str]) -> None:
    """Refuse two names that engines cannot distinguish."""
    seen: dict[str, str] = {}
    for name in names:
        before = seen.setdefault(lowered(name), name)
        if before is not name:
            raise InvalidError(
                f"{label} must differ in more than capital letters, got {before!r} and {name!r}: "
                "engines cannot tell them apart."
            )


def text_table(lines: Sequence[Sequence[str]]) -> str:
    """Align cells in columns.

    >>> print(text_table([["ward", "count"], ["surgery", "12"]]))
    ward     count
    surgery  12
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
