"""What to do about values that do not fit: by what they look like, from an exact look at them."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from privet.core import count_text, number_text
from privet.tables.codebook.value_shapes import Texts, count_shape, date_formats, describe_format
from privet.tables.columns import Column
from privet.tables.custodian.findings import ColumnFindings
from privet.tables.custodian.raw_source import is_missing

_SHOWN = 5
_SHAPES = {
    "amount": (
        "amounts with a currency sign such as $12.50",
        "Remove the sign before you open the source: only plain numbers such as 12.50 are read.",
    ),
    "thousands": (
        "numbers with thousands separators such as 1,250",
        "Write them as plain numbers such as 1250 before you open the source.",
    ),
    "decimal comma": (
        "numbers with a decimal comma such as 12,50",
        "Write a decimal point before you open the source.",
    ),
    "percent": ("percentages such as 12 %", "Remove the sign before you open the source."),
}
_PYTHON = {"integer": "int", "real": "float", "boolean": "bool", "text": "str", "date": "date", "timestamp": "datetime"}


def suggest_reading(name: str, known: Column, texts: Texts, values: Sequence[Any]) -> str:
    """Say what values look like that cannot be read as declared, and what to write instead.

    Args:
        name: The column.
        known: What the codebook declares.
        texts: The texts of the column as they are written.
        values: Its Python objects, where it has no type.
    """
    others = Counter(type(value).__name__ for value in values if not is_missing(value))
    if others and others.most_common(1)[0][0] != "str":
        return _by_type(name, known, others)
    total = sum(texts.values())
    if known.kind in ("date", "timestamp") and known.format is None:
        written = _by_format(name, known, texts, total)
        if written:
            return written
    if known.kind in ("integer", "real"):
        for shape, (meaning, advice) in _SHAPES.items():
            count = count_shape(shape, texts)
            if 2 * count > total:
                return f"{_of(count, total, name)} look like {meaning}. {advice}"
    if others and others["str"]:
        return _by_type(name, known, others)
    return _by_kind(name, known, texts, total)


def _of(count: int, total: int, name: str) -> str:
    return f"{count:,} of {count_text(total, 'value')} of {name!r}"


def _by_format(name: str, known: Column, texts: Texts, total: int) -> str:
    formats = date_formats(known.kind, texts)
    if not formats or 2 * formats[0][1] <= total:
        stamps = count_shape("timestamp", texts) if known.kind == "date" else 0
        if 2 * stamps > total:
            return f"{_of(stamps, total, name)} look like times. Declare the column as timestamp."
        return ""
    looks = " or ".join(describe_format(written) for written, _ in formats)
    which = f'format: "{formats[0][0]}"' if len(formats) == 1 else "the format that is right"
    return f"{_of(formats[0][1], total, name)} look like {looks}. Write {which} in the codebook."


def _by_type(name: str, known: Column, others: Counter[str]) -> str:
    listed = ", ".join(f"{count:,} {kind}" for kind, count in others.most_common(_SHOWN))
    return (
        f"The Python types of the values of {name!r} are: {listed}. Make all of them {_PYTHON[known.kind]} before you "
        "open the source, or declare the type that they have."
    )


def _by_kind(name: str, known: Column, texts: Texts, total: int) -> str:
    markers = count_shape("marker", texts)
    counts = {kind: count_shape(kind, texts) for kind in ("boolean", "integer", "real", "date", "timestamp")}
    best = max(counts, key=lambda kind: counts[kind])
    if known.kind in ("date", "timestamp", "boolean") and best != known.kind and 2 * counts[best] > total:
        return f"{_of(counts[best], total, name)} look like {best}. Declare the column as {best}."
    readable = (
        max(counts["integer"], counts["real"]) if known.kind in ("integer", "real") else counts.get(known.kind, 0)
    )
    unlike = total - readable - markers
    if 2 * unlike > total:
        return f"{_of(unlike, total, name)} look like text. Declare the column as text."
    if markers:
        return (
            f"{_of(markers, total, name)} look like markers of missing values such as NA. They are read as null, which "
            "is right where they mean that."
        )
    return f"Look at the values of {name!r} that are no {known.kind}, and correct them or declare another type."


def suggest_bounds(known: Column, counts: ColumnFindings) -> str:
    """Say where values lie that are beyond the bounds."""
    reach = f"The values reach from {_shown(counts.lowest)} to {_shown(counts.highest)}."
    if known.kind not in ("integer", "real") or counts.highest is None or counts.lowest is None:
        return f"{reach} Widen the bounds if such dates can be right, or clean the source."
    wider = f"({_round(counts.lowest, -1)}, {_round(counts.highest, 1)})"
    return f"{reach} Bounds such as {wider} would move none, with more noise."


def _shown(text: str | None) -> str:
    try:
        return number_text(Fraction(text or ""))
    except (ValueError, ZeroDivisionError):
        return text or "nothing"


def _round(text: str, direction: int) -> str:
    """Give the nearest round number that is not inside: one, two or five times a power of ten."""
    try:
        value = Fraction(text) * direction
    except ValueError:
        return text
    if value <= 0 and direction == -1:
        return "0"
    if value <= 0:
        return _shown(text)
    size = Fraction(1, 10**6)
    while size * 10 < value:
        size *= 10
    nearest = next(size * digit for digit in (1, 2, 5, 10) if size * digit >= value)
    return number_text(nearest * direction)


def suggest_categories(known: Column, texts: Counter[str]) -> str:
    """List the commonest texts that are no category, and say where they differ in capitals or spaces only."""
    categories = {str(each) for each in known.categories or ()}
    folded = {each.strip().casefold() for each in categories}
    others = Counter({value: count for value, count in texts.items() if value not in categories})
    if not others:
        return "Add them to the categories where they are publicly known, or clean the source."
    nearly = sum(count for value, count in others.items() if value.strip().casefold() in folded)
    shown = ", ".join(f"{value[:40]!r} ({count:,})" for value, count in others.most_common(_SHOWN))
    hint = f" {nearly:,} of them differ from a category in capitals or spaces only: clean the source." if nearly else ""
    return f"The commonest are {shown}. Add them where they are publicly known.{hint}"
