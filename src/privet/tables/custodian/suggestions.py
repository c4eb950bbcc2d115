"""What to do about values that do not fit: by what they look like, from an exact look at them."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from privet.core import count_text, number_text
from privet.tables.codebook.value_shapes import (
    Texts,
    count_numbers,
    count_shape,
    date_formats,
    describe_format,
    notation_lines,
    number_forms,
)
from privet.tables.codebook.write import quoted
from privet.tables.columns import NUMBERS, Column
from privet.tables.custodian.findings import ColumnFindings
from privet.tables.custodian.raw_source import is_missing, type_name

_SHOWN = 5
_FEW = 100  # of so many texts, one that comes more than once is frequent
_MEANINGS = (  # the first that applies says what numbers look like
    ("percent", "percentages such as 12 %"),
    ("currency", "amounts with a currency sign such as $12.50"),
    ("thousands", "numbers with thousands separators such as 1,250"),
    ("decimal", "numbers with a decimal comma such as 12,50"),
)
_WORDS = (
    *(("ja", "nein"), ("oui", "non"), ("si", "no"), ("sí", "no"), ("sim", "não"), ("yes", "no"), ("y", "n")),
    *(("j", "n"), ("on", "off"), ("t", "f"), ("wahr", "falsch"), ("vrai", "faux"), ("1", "2"), ("x", "-")),
)
_PYTHON = {"integer": "int", "real": "float", "boolean": "bool", "text": "str", "date": "date", "timestamp": "datetime"}


def suggest_reading(name: str, known: Column, texts: Texts, values: Sequence[Any]) -> str:
    """Say what values look like that cannot be read as declared, and what to write instead.

    Args:
        name: The column.
        known: What the codebook declares.
        texts: The texts of the column as they are written.
        values: Its Python objects, where it has no type.
    """
    others = Counter(type_name(value) for value in values if not is_missing(value))
    if others and others.most_common(1)[0][0] != "str":
        return _by_type(name, known, others)
    total = sum(texts.values())
    ways: dict[str, Callable[..., str]] = {
        "text": _by_nothing,
        "boolean": _by_words,
        "integer": _by_number,
        "real": _by_number,
    }
    written = ways.get(known.kind, _by_format)(name, known, texts, total)
    if written:
        return written + _marker_hint(known, texts)
    if others and others["str"] and len(others) > 1:
        return _by_type(name, known, others)
    return _by_kind(name, known, texts, total)


def _by_nothing(*_: object) -> str:
    return ""


def _by_number(name: str, known: Column, texts: Texts, total: int) -> str:
    """Say in which notation texts are numbers, where most of them are in one that the codebook does not state."""
    plain = _without_markers(texts)
    forms = number_forms(plain)
    if not forms or 2 * forms[0][1] <= plain.total() or forms[0][1] <= count_numbers(known.notation, plain):
        return ""
    form, count = forms[0]
    lines = [notation_lines(each) for each, _ in forms]
    if not lines[0]:
        return ""
    looks = next((meaning for key, meaning in _MEANINGS if getattr(form, key)), "numbers")
    which = ", or ".join(" and ".join(each) for each in lines[:2])
    choose = " The texts do not decide between them." if len(lines) > 1 else ""
    return f"{_of(count, total, name)} look like {looks}. Write {which} in the codebook.{choose}"


def _by_words(name: str, known: Column, texts: Texts, total: int) -> str:
    folded: Counter[str] = Counter()
    for text, count in texts.items():
        if not _is_marker(text) or text.strip() == "-":
            folded[text.strip().casefold()] += count
    for yes, no in () if known.notation.true_words else _WORDS:
        count = folded[yes] + folded[no]
        if folded[yes] and folded[no] and 2 * count > total:
            return (
                f"{_of(count, total, name)} are {yes!r} or {no!r}. Write true_words: [{quoted(yes)}] and false_words: "
                f"[{quoted(no)}] in the codebook, if that is what they mean."
            )
    if len(folded) == 2 and not known.notation.true_words:
        one, other = (f"{text[:40]!r} ({count:,})" for text, count in folded.most_common())
        return f"The texts of {name!r} are {one} and {other}. Say what they mean by true_words and false_words."
    return ""


def _is_marker(text: str) -> bool:
    return count_shape("marker", {text: 1}) > 0


def _without_markers(texts: Texts) -> Counter[str]:
    return Counter({text: count for text, count in texts.items() if not _is_marker(text)})


def _marker_hint(known: Column, texts: Texts) -> str:
    """Name the texts that look like markers of missing values and are not declared."""
    total = sum(texts.values())
    found = Counter({text.strip(): count for text, count in texts.items() if _is_marker(text)})
    if known.kind in (*NUMBERS, "date", "timestamp"):  # a frequent text without digits, where digits are expected
        others = {text.strip(): count for text, count in texts.items() if not any(map(str.isdigit, text))}
        found.update({text: count for text, count in others.items() if text not in found and _FEW * count >= total})
    new = [text for text, _ in found.most_common(_SHOWN) if text and text not in known.notation.markers]
    return f" Write missing: [{', '.join(map(quoted, new))}] where they mean that there is no value." if new else ""


def suggest_markers(known: Column, texts: Texts) -> tuple[int, str]:
    """Count the texts of a text column that look like markers of missing values, and say what to write."""
    categories = known.categories or ()
    declared = (*categories, *known.notation.markers)
    found = {text: count for text, count in texts.items() if _is_marker(text) and text not in declared}
    return sum(found.values()), _marker_hint(known, found).strip()


def suggest_sentinel(known: Column, commonest: tuple[str, int] | None, beyond: int) -> str:
    """Say that one value makes up most of those beyond the bounds: perhaps it means that there is none."""
    if commonest is None or 2 * commonest[1] <= beyond or commonest[1] < 2:
        return ""
    value = _shown(commonest[0]).replace(",", "") if known.kind in ("integer", "real") else commonest[0]
    return (
        f" {commonest[1]:,} of them are {value}: if that means that there is no value, write missing: [{value}] in the "
        "codebook."
    )


def _of(count: int, total: int, name: str) -> str:
    return f"{count:,} of {count_text(total, 'value')} of {name!r}"


def _by_format(name: str, known: Column, texts: Texts, total: int) -> str:
    """Say in which format texts are dates, where most of those that are no markers and no ISO dates are in one."""
    if known.notation.format:
        return ""
    dated = _without_markers(texts)
    plain = sum(count_shape(kind, dated) for kind in ("date", "timestamp"))
    formats = date_formats(known.kind, dated)
    if not formats or 2 * formats[0][1] <= dated.total() - plain:
        stamps = count_shape("timestamp", texts) if known.kind == "date" else 0
        if 2 * stamps > total:
            return f"{_of(stamps, total, name)} look like times. Declare the column as timestamp."
        return ""
    looks = " or ".join(describe_format(written) for written, _ in formats)
    keys = (quoted(written) for written, _ in formats)
    which = " or ".join(f"format: [{key}, iso]" if plain else f"format: {key}" for key in keys)
    choose = " The texts do not decide between them." if len(formats) > 1 else ""
    return f"{_of(formats[0][1], total, name)} look like {looks}. Write {which} in the codebook.{choose}"


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
            f"{_of(markers, total, name)} look like markers of missing values such as NA. They are read as null."
            f"{_marker_hint(known, texts)}"
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
    hint = f" {nearly:,} of them differ from a category in capitals or spaces only{_cleaning(known)}" if nearly else ""
    return f"The commonest are {shown}. Add them where they are publicly known.{hint}"


def _cleaning(known: Column) -> str:
    """Say which key makes them equal, where the categories are all small letters or all capitals."""
    categories = [each for each in known.categories or () if isinstance(each, str)]
    for key, change in (("lower", str.lower), ("upper", str.upper)):
        if all(change(each.strip()) == each for each in categories):
            return f": write clean: [trim, {key}] in the codebook."
    return ": write clean: trim in the codebook, or categories in small letters with clean: [trim, lower]."
