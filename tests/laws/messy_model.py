"""A slow and obvious reader of messy files: one record at a time, by the rules of docs/tables/reading.md."""

import re
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from attrs import frozen

import privet as pv
from privet.tables.columns.notation import Notation
from tests.tables.columns.test_date_formats import model as model_date
from tests.tables.columns.test_number_forms import model as model_number

Row = tuple[Any, ...]
HEADER = ("person", "amount", "number", "day", "flag", "note", "kind")
BOUNDS: dict[str, tuple[int, int]] = {"amount": (-50, 5000), "number": (0, 900)}
CATEGORIES = ("köln", "ulm")


@frozen(kw_only=True)
class Messy:
    """How a messy file is written, in the words of a codebook.

    Args:
        file: What the codebook says of the file.
        table: What it says of all columns: ``missing``, ``decimal``, ``thousands``.
        columns: What it says of each column, beside its type.
    """

    file: dict[str, Any]
    table: dict[str, Any]
    columns: dict[str, dict[str, Any]]

    @property
    def book(self) -> pv.Codebook:
        """The codebook."""
        types: dict[str, dict[str, Any]] = {
            "person": {"type": "integer"},
            "amount": {"type": "real", "bounds": list(BOUNDS["amount"])},
            "number": {"type": "integer", "bounds": list(BOUNDS["number"])},
            "day": {"type": "date"},
            "flag": {"type": "boolean"},
            "note": {"type": "text"},
            "kind": {"type": "text", "categories": list(CATEGORIES)},
        }
        described = {name: {**known, **self.columns[name]} for name, known in types.items()}
        unit = {"id": "person", "caps": {"rows": 1}}
        return pv.Codebook.from_dict({"unit": unit, "file": self.file, **self.table, "columns": described})

    def says(self, name: str, key: str) -> Any:
        """What the codebook says of a column: itself, or of the table."""
        return self.columns[name].get(key, self.table.get(key))


def decoded(raw: bytes, messy: Messy) -> str | None:
    """Give the text of a record; None where it has bytes that are no letters and such records are no rows."""
    codec = {"shift-jis": "shift_jis", "utf-16": "utf-16-le"}.get(messy.file["encoding"], messy.file["encoding"])
    odd = "replace" if messy.file["invalid"] == "replace" else "strict"
    try:
        return raw.decode(codec, errors=odd)
    except UnicodeError:
        return None


def model_row(raw: bytes, messy: Messy) -> Row | None:
    """Read one record, without what ends it; None where it is no row."""
    text = decoded(raw, messy)
    if text is None:
        return None
    if messy.file.get("names") and not messy.file["skip"]:
        text = re.sub("(?<![^\r\n])\ufeff+", "", text)  # nobody can tell a mark of the file from one of a row
    if not text or ("comment" in messy.file and text.startswith(messy.file["comment"])):
        return None
    values = [_value(each, messy.file["quote"]) for each in _fields(text, messy.file["delimiter"], messy.file["quote"])]
    padded = (values + [None] * len(HEADER))[: len(HEADER)]
    return tuple(_read(name, value, messy) for name, value in zip(HEADER, padded, strict=True))


def _fields(text: str, delimiter: str, quote: str) -> list[str]:
    fields, at = [], 0
    while at <= len(text):
        end = _partner(text, at, quote) + 1 if quote and text[at : at + 1] == quote else at
        while end < len(text) and text[end] != delimiter:
            end += 1
        fields.append(text[at:end])
        at = end + 1
    return fields


def _partner(text: str, opening: int, quote: str) -> int:
    at, last = opening + 1, opening
    while at < len(text):
        if text[at] == quote and text[at + 1 : at + 2] == quote:
            last, at = at, at + 2
        elif text[at] == quote:
            return at
        else:
            at += 1
    return last


def _value(field: str, quote: str) -> str | None:
    if field == "":
        return None
    if quote and len(field) >= 2 and field[0] == field[-1] == quote:
        return field[1:-1].replace(quote * 2, quote)
    return field


def _read(name: str, value: str | None, messy: Messy) -> Any:
    if value is None:
        return None
    if name in ("note", "kind"):
        return _text(name, value, messy)
    markers = [str(each) for each in messy.says(name, "missing") or ()]
    if value.strip(" ") in [each.strip(" ") for each in markers]:
        return None
    if name == "flag":
        words = {**dict.fromkeys(messy.columns[name]["true_words"], True)}
        words |= dict.fromkeys(messy.columns[name]["false_words"], False)
        return {each.lower(): truth for each, truth in words.items()}.get(value.strip(" ").lower())
    if name == "day":
        return _day(value, messy)
    notation = notation_of(name, messy)
    number = model_number(value, notation)
    same = [model_number(each, notation) for each in markers if any(map(str.isdigit, each))]
    if number is None or number in same:
        return None
    if name == "person":
        return int(number) if number.denominator == 1 and "e" not in value.lower() else None
    low, high = BOUNDS[name]
    inside = min(max(number, Fraction(low)), Fraction(high))
    if name == "amount":
        return float(inside)
    return int(abs(inside) + Fraction(1, 2)) * (-1 if inside < 0 else 1)


def notation_of(name: str, messy: Messy) -> Notation:
    """Give the marks of the numbers of a column."""
    known = messy.columns[name]
    return Notation(
        decimal=messy.says(name, "decimal"),
        thousands=messy.says(name, "thousands"),
        currency=tuple(known.get("currency", ())),
        percent=known.get("percent"),
    )


def _day(value: str, messy: Messy) -> int | None:
    for each in messy.columns["day"]["format"]:
        found: datetime | date | None
        if each == "iso":
            plain = value.strip(" ")
            found = date.fromisoformat(plain) if re.fullmatch("20[0-9]{2}-0[1-9]-[012][1-8]", plain) else None
        else:
            found = model_date(value, each)
        if found is not None:
            return found.toordinal() - date(1970, 1, 1).toordinal()
    return None


def _text(name: str, value: str, messy: Messy) -> str | None:
    cleaning = messy.columns[name].get("clean", ())
    plain = value.strip(" \u00a0") if "trim" in cleaning else value
    plain = plain.lower() if "lower" in cleaning else plain.upper() if "upper" in cleaning else plain
    if plain in (messy.says(name, "missing") or ()):
        return None
    return plain if name == "note" or plain in CATEGORIES else None
