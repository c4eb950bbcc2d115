"""Reading: how a column of a source becomes a column of the codebook, value by value.

Only the *type* of a source column decides how it is read; the type is part of the schema, which is public. A type that
cannot be read is refused by name. A value that cannot be read is null, or the stand-in where the column has no nulls.
Proof: docs/tables/reading.md.
"""

import math
from collections.abc import Mapping
from typing import Any

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import (
    FIRST_DAY,
    FIRST_TIMESTAMP,
    ISO,
    LARGEST,
    LAST_DAY,
    LAST_TIMESTAMP,
    NUMBERS,
    SMALLEST,
    Column,
    plain_digits,
)
from privet.tables.vocabulary.literals import (
    call,
    case,
    cast,
    clamped,
    day,
    decimal,
    double_bounds,
    moment,
    real,
    text,
    try_cast,
    whole,
)
from privet.tables.vocabulary.notation_sql import (
    Source,
    cleaned_text,
    is_marker_text,
    parsed,
    plain_number,
    truth_of_words,
    without_markers,
)
from privet.tables.vocabulary.relation import column

_NUMBERS: tuple[Source, ...] = ("small", "large", "unsigned", "decimal", "float", "boolean", "text")
READABLE: dict[str, tuple[Source, ...]] = {
    "integer": _NUMBERS,
    "real": _NUMBERS,
    "boolean": ("boolean", "small", "text"),
    "text": ("text", "small", "large", "unsigned", "boolean", "date"),
    "date": ("date", "timestamp", "zoned", "text"),
    "timestamp": ("timestamp", "date", "zoned", "text"),
}
_CONVERSIONS = (
    (("INTERVAL",), ", such as a duration to its number of seconds"),
    (("BLOB", "BIT"), ", such as bytes to the text that they write"),
    (("TIME", "TIME_NS", "TIME WITH TIME ZONE"), ", such as a time of day to its number of seconds"),
    (("list",), ", or say in the codebook how many items a list has, most_items=10, and unnest it"),
    (("nested",), ", such as a struct to a column for each of its fields"),
)
_NESTED = ("STRUCT", "MAP", "UNION")
_NESTED_ITEMS = "lists or of structs, and only lists of single values are read"
_ITEM, _ITEM_TEXT = "privet item", "privet text"
_LONGEST_NUMBER = 64  # characters; of whole numbers of 128 bits, dates and truth values
_WHOLE_NUMBER = r"\s*[+-]?[0-9]+(\.0*)?\s*"
_TOO_HIGH, _TOO_LOW = 2.0**63, -(2.0**63)  # doubles; the first is one above the largest integer


def source_type(label: str, name: str, known: Column, types: Mapping[str, Source]) -> Source:
    """Say how a column of an engine's type is read, or refuse it.

    Args:
        label: What to call the column in messages.
        name: The name of its type in the engine.
        known: What it is read as.
        types: What the engine's types hold, by name without parameters.

    >>> source_type("visits.age", "DECIMAL(18,3)", Column(kind="real"), {"DECIMAL": "decimal"})
    'decimal'
    """
    inner = name.rpartition("[")[0] if name.endswith("]") else ""
    plain = (inner or name).partition("(")[0]  # categories of an ENUM are never repeated
    if known.item is not None:
        if not inner:
            raise InvalidError(
                f"{label} is {plain} in the source, and the codebook declares a list by most_items; leave that out. A "
                "text with separators is no list: split(...) makes a row for each of its parts."
            )
        if inner.endswith("]") or plain in _NESTED:
            raise InvalidError(f"{label} holds lists of {_NESTED_ITEMS}; make a row for each of its items first.")
        return source_type(f"an item of {label}", inner, known.item, types)
    read_as = None if inner else types.get(plain)
    if read_as is None:
        nested = inner.endswith("]") or plain in _NESTED
        shape = "nested" if nested else "list" if inner else plain
        hint = next((advice for names, advice in _CONVERSIONS if shape in names), "")
        raise InvalidError(f"{label} has a type that cannot be read ({shape}); convert it to {known.kind} first{hint}.")
    if read_as not in READABLE[known.kind]:
        raise InvalidError(
            f"{label} is {plain} in the source, which cannot be read as {known.kind}; change the codebook."
        )
    return read_as


def plain_text(value: exp.Expr, source: Source, known: Column) -> exp.Expr | None:
    """Build the plain digits of numbers that texts write otherwise; None where texts are read as they are.

    Whoever computes them first, in a column of their own, spares ``admit`` to write them out many times.
    """
    if source != "text" or known.kind not in NUMBERS or not known.notation.is_number_form:
        return None
    return plain_number(cast(value, "text"), known)


def admit(
    value: exp.Expr, source: Source, known: Column, texts: exp.Expr | None = None, plain: exp.Expr | None = None
) -> exp.Expr:
    """Build the expression whose value is always a member of the column, whatever the source holds.

    Args:
        value: What the source holds.
        source: What its type holds.
        known: The column.
        texts: The texts among Python objects, beside the other values; null where the value is no text.
        plain: The column that holds ``plain_text`` of the texts, or else of the value, where it was computed before.
    """
    if known.item is not None:
        return _admit_items(value, source, known, texts)
    read = _admitted(value, source, known, plain if texts is None else None)
    if texts is not None:
        read = exp.Coalesce(this=read, expressions=[_admitted(texts, "text", known, plain)])
    if known.categories is not None:
        member = exp.In(this=read, expressions=[literal(known, item) for item in known.categories])
        read = case([(member, read.copy())], None)
    return read if known.nullable else exp.Coalesce(this=read, expressions=[literal(known, stand_in(known))])


def _admit_items(value: exp.Expr, source: Source, known: Column, texts: exp.Expr | None) -> exp.Expr:
    """Read the first items of a list, each by itself; null stays null."""
    item, most = column(_ITEM), whole(known.most or 0)
    if texts is None:
        return call("map_items", value, most, item, admit(column(_ITEM), source, known.values))
    read = admit(column(_ITEM), source, known.values, column(_ITEM_TEXT))
    pairs = call("map_pairs", value, texts, most, item, column(_ITEM_TEXT), read)
    return case([(exp.Is(this=value.copy(), expression=exp.null()), exp.null())], pairs)


def _admitted(value: exp.Expr, source: Source, known: Column, digits: exp.Expr | None) -> exp.Expr:
    """Read a value as its column writes it, within bounds; null where a marker says that there is none.

    UUIDs and JSON are read as they are written: as JSON, a text that is none would stop every cast but the one to text.
    """
    plain = cast(value, "text") if source == "text" else value
    if known.kind == "text":
        return _text(without_markers(cleaned_text(try_cast(plain, "text"), known), known), source, known)
    read = _read_written(plain, source, known, digits)
    if not known.notation.markers:
        return read
    marked = _is_marked(plain, source, known, digits)
    return read if marked is None else case([(marked, exp.null())], read)


def _read_written(value: exp.Expr, source: Source, known: Column, digits: exp.Expr | None = None) -> exp.Expr:
    """Read a value of a column that is no text: texts in the notation of the column, anything else by its type."""
    notation = known.notation
    if known.kind == "boolean" and notation.true_words:
        return truth_of_words(value, source, known)
    if source != "text":
        return _read(value, source, known)
    if notation.format:
        ways = [_by_format(value, written, known) for written in notation.format]
        return exp.Coalesce(this=ways[0], expressions=ways[1:]) if len(ways) > 1 else ways[0]
    if known.kind in NUMBERS and notation.is_number_form:
        return _read(plain_number(value, known) if digits is None else digits.copy(), "text", known)
    return _read(value, "text", known)


def _by_format(value: exp.Expr, written: str, known: Column) -> exp.Expr:
    if written == ISO:
        return _read(value.copy(), "text", known)
    return _read(parsed(value, written), "timestamp", known)


def _is_marked(value: exp.Expr, source: Source, known: Column, digits: exp.Expr | None) -> exp.Expr | None:
    """Tell whether a value is a marker: a text that equals it, or a value that the marker writes too."""
    tests: list[exp.Expr] = []
    if source == "text":
        tests.append(is_marker_text(value, known))
    wide = evolve(known, bounds=None, grid=None, categories=None, notation=evolve(known.notation, missing=None))
    written = [each for each in known.notation.markers if any(map(str.isdigit, each))]
    if written and known.kind != "boolean":
        values = [each for each in (_marker_value(each, wide) for each in written) if each is not None]
        if values:
            tests.append(exp.In(this=_read_written(value.copy(), source, wide, digits), expressions=values))
    return exp.or_(*tests) if tests else None


def _marker_value(marker: str, wide: Column) -> exp.Expr | None:
    """Read a marker as a text of its column; None where it writes no number there."""
    if wide.kind not in NUMBERS or not wide.notation.is_number_form:
        return _read_written(text(marker), "text", wide)
    digits = plain_digits(marker, wide.notation)
    return None if digits is None else _read(text(digits), "text", wide)


def _read(value: exp.Expr, source: Source, known: Column) -> exp.Expr:
    """Read a value of one kind, within bounds; null where there is none to read."""
    match known.kind:
        case "integer" | "list":  # the items of a list are read one by one
            return _integer(value, source, known)
        case "real":
            return _real(value, None if known.bounds is None else double_bounds(known.bounds))
        case "boolean":
            return _boolean(value, source)
        case "text":
            return _text(try_cast(value, "text"), source, known)
        case "date":
            return _date(value, source, known)
        case "timestamp":
            return _timestamp(value, source, known)


def stand_in(known: Column) -> Any:
    """Give what a null counts as in a column without nulls: the first category, or the possible value nearest to zero.

    >>> stand_in(Column(kind="integer", bounds=(18, 99), nullable=False))
    18
    """
    if known.categories is not None:
        return known.categories[0]
    if known.kind == "text":
        return ""
    if known.kind == "boolean":
        return False
    if known.kind != "real":
        lowest, highest = whole_ends(known)
        return min(max(0, lowest), highest)
    if known.bounds is None:
        return 0.0
    lower, upper = double_bounds(known.bounds)
    return min(max(0.0, lower), upper)


def literal(known: Column, value: Any) -> exp.Expr:
    """Write a member of a column: dates in days, timestamps in microseconds, exact reals as the nearest doubles."""
    if known.kind == "boolean":
        return exp.Boolean(this=value)
    if known.kind == "real":
        return real(float(value))
    writers: dict[str, Any] = {"integer": whole, "text": text, "date": day, "timestamp": moment}
    written: exp.Expr = writers[known.kind](value)
    return written


def whole_ends(known: Column) -> tuple[int, int]:
    """Give the outermost whole numbers that a column may hold."""
    widest = {
        "integer": (SMALLEST, LARGEST),
        "date": (FIRST_DAY, LAST_DAY),
        "timestamp": (FIRST_TIMESTAMP, LAST_TIMESTAMP),
    }
    lowest, highest = widest[known.kind]
    if known.bounds is None:
        return lowest, highest
    lower, upper = max(math.ceil(known.bounds[0]), lowest), min(math.floor(known.bounds[1]), highest)
    if lower > upper:
        raise InvalidError(f"Column.bounds must hold at least one {known.kind}, got none.")
    return lower, upper


def _integer(value: exp.Expr, source: Source, known: Column) -> exp.Expr:
    lowest, highest = whole_ends(known)
    if source == "small" and known.bounds is None:
        return cast(value, "integer")
    if source == "small":
        number = cast(value, "integer")
        return clamped(number, whole(lowest), whole(highest), number.copy())
    wide = _wide(value, source)
    inside = cast(clamped(wide, whole(lowest, "int128"), whole(highest, "int128"), wide.copy()), "integer")
    if not known.exact or source not in ("decimal", "float", "text"):
        return inside
    return case([(_is_whole(value, source), inside)], None)


def _is_whole(value: exp.Expr, source: Source) -> exp.Expr:
    """Tell whether a number has no fraction; a text by its characters, since reading it as a number may round it.

    What is cut off toward zero always fits the type of the number; what is rounded down need not.
    """
    if source == "decimal":
        return exp.EQ(this=value.copy(), expression=call("trunc", value.copy()))
    if source == "text":
        return call("matches", value.copy(), text(_WHOLE_NUMBER))
    double = try_cast(value.copy(), "real")
    return exp.EQ(this=double, expression=call("trunc", double.copy()))


def within_precision(value: exp.Expr, precision: int, scale: int) -> exp.Expr:
    """Make a decimal null that has more digits than its type: its bits may hold one, which casts fail on or misread.

    Args:
        value: The value.
        precision: How many digits its type has.
        scale: How many of them stand after the point.
    """
    digits = "9" * precision
    most = f"{digits[scale:]}.{digits[:scale]}" if scale else digits
    highest, lowest = (decimal(sign + most, precision, scale) for sign in ("", "-"))
    within = exp.And(
        this=exp.LTE(this=value, expression=highest), expression=exp.GTE(this=value.copy(), expression=lowest)
    )
    return case([(within, value.copy())], None)


def _wide(value: exp.Expr, source: Source) -> exp.Expr:
    """Round a number to a 128-bit integer; what has no room there becomes one beyond the 64-bit integers."""
    if source == "boolean":
        return cast(value, "int128")
    if source == "unsigned":
        above = exp.GT(this=value, expression=whole(LARGEST, "uint128"))
        return case([(above, whole(LARGEST, "int128"))], try_cast(value.copy(), "int128"))
    if source in ("large", "decimal"):
        return try_cast(value, "int128")
    double = try_cast(value, "real")
    beyond = [
        (call("isnan", double), exp.null()),
        (exp.GTE(this=double.copy(), expression=real(_TOO_HIGH)), whole(LARGEST, "int128")),
        (exp.LT(this=double.copy(), expression=real(_TOO_LOW)), whole(SMALLEST, "int128")),
    ]
    # a text is read as an integer where it is one: a double would merge neighbours above 2^53
    return case(beyond, try_cast(value.copy() if source == "text" else double.copy(), "int128"))


def _real(value: exp.Expr, bounds: tuple[float, float] | None) -> exp.Expr:
    double = try_cast(value, "real")
    positive_zero = exp.Add(this=double.copy(), expression=real(0.0))  # -0.0 + 0.0 is 0.0, all else stays
    if bounds is None:
        return case([(call("isfinite", double), positive_zero)], None)
    inside = clamped(double, real(bounds[0]), real(bounds[1]), positive_zero)
    return case([(call("isnan", double.copy()), exp.null())], inside)  # NaN is above every number to the engine


def _boolean(value: exp.Expr, source: Source) -> exp.Expr:
    if source == "boolean":
        return value
    if source == "text":
        return try_cast(value, "boolean")
    ways = ((0, exp.false()), (1, exp.true()))
    return case([(exp.EQ(this=value.copy(), expression=whole(item)), truth) for item, truth in ways], None)


def _text(value: exp.Expr, source: Source, known: Column) -> exp.Expr:
    """Take a text of up to the largest length; a longer one is cut, or null where it tells persons apart."""
    read, most = value, known.length or 0
    if known.categories is not None or (source != "text" and most >= _LONGEST_NUMBER):
        return read  # a longer text is no category, and nothing else is so long
    # bytes are counted at once and are never fewer than characters: only long texts are looked through
    fits = exp.LTE(this=call("byte_length", read.copy()), expression=whole(most))
    if not known.exact:
        return case([(fits, read)], call("left", read.copy(), whole(most)))
    characters = exp.LTE(this=call("length", read.copy()), expression=whole(most))
    return case([(exp.or_(fits, characters), read)], None)


def _date(value: exp.Expr, source: Source, known: Column) -> exp.Expr:
    lowest, highest = (day(end) for end in whole_ends(known))
    read = try_cast(_utc(value) if source == "zoned" else value, "date")
    return case([(call("isfinite", read), clamped(read.copy(), lowest, highest, read.copy()))], None)


def _timestamp(value: exp.Expr, source: Source, known: Column) -> exp.Expr:
    lowest, highest = (moment(end) for end in whole_ends(known))
    # for text too: the session's zone is UTC, and a TIMESTAMP would ignore an offset
    read = _utc(value) if source in ("zoned", "text") else try_cast(value, "timestamp")
    return case([(call("isfinite", read), clamped(read.copy(), lowest, highest, read.copy()))], None)


def _utc(value: exp.Expr) -> exp.Expr:
    """Write a moment with a zone as the clock of UTC shows it."""
    zoned = try_cast(value, "zoned timestamp")
    finite = case([(call("isfinite", zoned), call("microseconds", zoned.copy()))], None)
    return call("timestamp_at", finite)
