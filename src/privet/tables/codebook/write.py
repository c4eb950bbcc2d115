"""Writing a codebook: as plain data that JSON holds exactly, and as YAML that people read."""

import re
from collections.abc import Iterator
from fractions import Fraction
from textwrap import wrap
from typing import Any, final

from privet.accounting.sampling.population import Population
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.nulls import (
    NullPolicy,
    NullsAsCategory,
    NullsDrawn,
    NullsDrawnFromCategories,
    NullsReplaced,
)
from privet.tables.columns.column import DEFAULT_LENGTH, Column
from privet.tables.columns.timestamps import write_moment
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows

_WIDTH = 110
_SAFE = re.compile(r"[^\W\d_](?:[\w ./()-]*[\w)])?")
# what some reader of YAML takes for a truth value or for nothing
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"))
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@final
class Typed(str):
    """A number or a date as typed: a text for JSON, without quotes in YAML."""

    __slots__ = ()


def to_dict(codebook: Codebook) -> dict[str, Any]:
    """Give a codebook as dictionaries, lists, texts, truth values and whole numbers."""
    data: dict[str, Any] = _untyped(_data(codebook))
    return data


def _untyped(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _untyped(item) for key, item in data.items()}
    if isinstance(data, list):
        return [_untyped(item) for item in data]
    return str(data) if isinstance(data, Typed) else data


def _data(codebook: Codebook) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if codebook.table is not None:
        data["table"] = codebook.table
    if codebook.description:
        data["description"] = codebook.description
    data["unit"] = unit_data(codebook.unit)
    if codebook.sampling is not None:
        data["sampling"] = _sampling(codebook.sampling)
    data["columns"] = {name: _column(item) for name, item in codebook.columns.items()}
    return data


def number_text(value: Fraction) -> int | str:
    """Write a number exactly: a whole one as itself, others as a decimal if there is a short one, or as a ratio.

    >>> number_text(Fraction(1, 10)), number_text(Fraction(1, 3)), number_text(Fraction(7))
    ('0.1', '1/3', 7)
    """
    if value.denominator == 1:
        return int(value)
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1 or places > 20:
        return Typed(f"{value.numerator}/{value.denominator}")
    digits = str(abs(value.numerator) * 10**places // value.denominator).rjust(places + 1, "0")
    return Typed(f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}")


def unit_data(unit: PrivacyUnit) -> dict[str, Any]:
    """Give a unit as plain data."""
    if isinstance(unit, Rows):
        return {"rows": unit.count}
    if not isinstance(unit, Persons):
        raise TypeError("a unit is Rows or Persons")
    data: dict[str, Any] = {"id": unit.id}
    caps = {"rows": unit.rows, "groups": unit.groups, "rows_per_group": unit.rows_per_group}
    stated = {name: value for name, value in caps.items() if value is not None}
    if stated:
        data["caps"] = stated
    if unit.period is not None:
        data["period"] = {"column": unit.period[0], "length": unit.period[1]}
    return data


def _sampling(sampling: Population) -> dict[str, Any]:
    if sampling.rate is not None:
        return {"poisson": number_text(sampling.rate)}
    return {"simple": {"size": sampling.size, "population": sampling.population}}


def _column(item: CodebookColumn) -> dict[str, Any]:
    column = item.column
    data: dict[str, Any] = {"type": column.kind}
    if column.bounds is not None:
        data["bounds"] = [_value(column, end) for end in column.bounds]
    if column.grid is not None:
        data["grid"] = _grid(column.grid)
    if column.categories is not None:
        data["categories"] = list(column.categories)
    elif column.kind == "text" and column.length != DEFAULT_LENGTH:
        data["length"] = column.length
    if column.missing:
        data["missing"] = list(column.missing)
    if column.format is not None:
        data["format"] = column.format
    nulls = _nulls(item.nulls, column)
    if nulls is not None:
        data["nulls"] = nulls
    if item.description:
        data["description"] = item.description
    return data


def _grid(grid: Fraction) -> int | str:
    exponent = grid.numerator.bit_length() - grid.denominator.bit_length()  # a power of two, as a codebook checks
    return number_text(grid) if -4 <= exponent <= 10 else Typed(f"2^{exponent}")


def _value(column: Column, value: Any) -> Any:
    if column.kind in ("date", "timestamp"):
        return Typed(write_moment(column.kind, value))
    return number_text(value) if isinstance(value, Fraction) else value


def _nulls(null: NullPolicy, column: Column) -> Any:
    if isinstance(null, NullsAsCategory):
        return "category"
    if isinstance(null, NullsReplaced):
        return {"value": _value(column, null.value)}
    if isinstance(null, NullsDrawn):
        return {
            "impute": "uniform" if null.bounds is None else {"uniform": [_value(column, end) for end in null.bounds]}
        }
    if isinstance(null, NullsDrawnFromCategories):
        drawn: dict[str, Any] = {} if null.categories is None else {"categories": list(null.categories)}
        if null.weights is not None:
            drawn["weights"] = [number_text(weight) for weight in null.weights]
        return {"impute": drawn or "categories"}
    return None


def to_yaml(codebook: Codebook) -> str:
    """Write a codebook for people, with what the unit and the sampling mean as comments."""
    data = _data(codebook)
    lines: list[str] = []
    for key, value in data.items():
        if key == "unit":
            told = (f"protected: {codebook.unit.protects}", f"not protected: {codebook.unit.leaves_open}")
            lines += ["", *comments(told[0]), *comments(told[1])]
        if key == "sampling" and codebook.sampling is not None:
            lines += ["", *comments(codebook.sampling.assertion)]
        if key == "columns":
            lines.append("")
        lines += _entry(key, value, 0, of_names=key == "columns")
    return "\n".join(lines).lstrip("\n") + "\n"


def comments(text: str) -> list[str]:
    """Write text as lines of comment, without anything that a parser refuses."""
    visible = "".join(character if character.isprintable() else "?" for character in text)
    return wrap(visible, _WIDTH, initial_indent="# ", subsequent_indent="#   ") or ["#"]


def _entry(key: str, value: Any, depth: int, *, of_names: bool = False) -> Iterator[str]:
    start = "  " * depth + name_text(key) + ":"
    if isinstance(value, dict):
        short = flow(value)
        if not of_names and depth > 0 and len(start) + len(short) < _WIDTH and (depth > 1 or "type" not in value):
            yield f"{start} {short}"
            return
        yield start
        for inner, item in value.items():
            yield from _entry(inner, item, depth + 1)
    elif isinstance(value, list) and len(start) + len(flow(value)) >= _WIDTH:
        yield start
        yield from (f"{'  ' * (depth + 1)}- {scalar(item)}" for item in value)
    else:
        yield f"{start} {flow(value)}"


def flow(value: Any) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name_text(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def name_text(text: str) -> str:
    """Write the name of a column, in quotes where it needs them."""
    return text if _plain(text) else quoted(text)


def scalar(value: Any) -> str:
    """Write one value so that every reader of YAML takes text for text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    return text if isinstance(value, Typed) or _plain(text) else quoted(text)


def _plain(text: str) -> bool:
    return (
        _SAFE.fullmatch(text) is not None
        and text.isprintable()
        and text.lower() not in _WORDS
        and len(text) <= _WIDTH
        and "  " not in text
    )


def quoted(text: str) -> str:
    """Write text in double quotes, with escapes for what no eye can see."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
