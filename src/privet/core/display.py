"""Numbers and tables as a person reads them: in a terminal, and in a notebook."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from html import escape

_PLAIN = 10**15  # from here on, a number is written with an exponent
_DIGITS = 6
_CELL = "padding:0.25em 0.75em;text-align:"


def number_text(value: object, digits: int = _DIGITS) -> str:
    """Write a number with thousands separated and no more digits than help; anything else as text.

    Args:
        value: The number.
        digits: How many significant digits a fraction keeps. Whole numbers keep all of theirs.

    >>> number_text(24966), number_text(0.000012345), number_text(Fraction(1, 3)), number_text(1234567.891)
    ('24,966', '0.000012345', '0.333333', '1,234,568')
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "unknown" if math.isnan(value) else ("unbounded" if value > 0 else "minus unbounded")
    return _number_text(Fraction(value), digits)


def _number_text(value: Fraction, digits: int) -> str:
    if abs(value) >= 10**300:
        power = math.floor((value.numerator.bit_length() - value.denominator.bit_length()) * math.log10(2))
        return f"about {'-' if value < 0 else ''}10^{power}"
    if abs(value) >= _PLAIN:
        return f"{float(value):.{digits}g}"
    if value.denominator == 1:
        return f"{value.numerator:,}"
    if float(value) == 0:
        return "less than 1e-300" if value > 0 else "about -1e-300"
    before = math.floor(math.log10(abs(float(value)))) + 1
    if before < -_DIGITS:
        return f"{float(value):.{digits}g}"
    return _without_zeros(f"{float(value):,.{max(digits - before, 0)}f}")


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent_text(share: float | Fraction) -> str:
    """Write a share in percent.

    >>> percent_text(Fraction(95, 100)), percent_text(0.999)
    ('95 %', '99.9 %')
    """
    exact = share if isinstance(share, Fraction) else Fraction(str(share))
    return f"{number_text(exact * 100, 4)} %"


def count_text(count: int, noun: str, many: str = "") -> str:
    """Write a number of things, in the singular where there is one.

    >>> count_text(1, "row"), count_text(2500, "row"), count_text(2, "category", "categories")
    ('1 row', '2,500 rows', '2 categories')
    """
    return f"{count:,} {noun if count == 1 else many or f'{noun}s'}"


def html_table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, title: str = "", notes: Iterable[str] = ()
) -> str:
    """Write a table for a notebook, with every text escaped and no style sheet of its own.

    Args:
        heads: The names of the columns.
        rows: The cells, as texts. A cell that begins like a number is set to the right, and so is the head above it.
        title: One line above the table.
        notes: Lines below it.

    >>> html_table(["ward"], [["a<b"]], title="wards").count("&lt;")
    1
    """
    cells = [tuple(row) for row in rows]
    first = cells[0] if cells else ()
    sides = [*map(_side, first), *("left",) * (len(heads) - len(first))]
    top = "".join(f'<th style="{_CELL}{side}">{escape(head)}</th>' for head, side in zip(heads, sides, strict=False))
    lines = "".join(f"<tr>{''.join(map(_html_cell, row))}</tr>" for row in cells)
    caption = f"<div><strong>{escape(title)}</strong></div>" if title else ""
    below = "".join(f'<div style="font-size:85%">{escape(note)}</div>' for note in notes)
    table = f"<table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>" if heads else ""
    return f'<div style="overflow-x:auto">{caption}{table}{below}</div>'


def _html_cell(text: str) -> str:
    return f'<td style="{_CELL}{_side(text)}">{escape(text)}</td>'


def _side(text: str) -> str:
    return "right" if text[:1].isdigit() or (text[:1] == "-" and text[1:2].isdigit()) else "left"
