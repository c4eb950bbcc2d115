"""Writing plain data as YAML that people read, and numbers so that nothing is lost."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from textwrap import wrap
from typing import Any, final

_WIDTH = 110
_SAFE = re.compile(r"[^\W\d_](?:[\w ./()-]*[\w)])?")
# what some reader of YAML takes for a truth value or for nothing
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan", "inf", "infinity"))
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


@final
class Typed(str):
    """A number or a date as typed: a text for JSON, without quotes in YAML."""

    __slots__ = ()


@final
class Lines(str):
    """A text of several lines, such as a statement of SQL: in YAML a block, where that can hold it."""

    __slots__ = ()

    @property
    def block(self) -> list[str]:
        """The lines of the block; none where a parser would change them."""
        lines = self.split("\n")
        kept = all(line.isprintable() and (line == "" or line.strip()) for line in lines)
        return lines if len(lines) > 1 and kept and lines[0][:1].strip() and lines[-1] else []


def plain_data(data: object) -> Any:
    """Give plain data that JSON can hold: dictionaries, lists, texts, truth values and whole numbers."""
    if isinstance(data, dict):
        return {key: plain_data(item) for key, item in data.items()}
    if isinstance(data, list):
        return [plain_data(item) for item in data]
    return str(data) if isinstance(data, Typed | Lines) else data


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


def to_yaml(data: Mapping[str, object], notes: Mapping[str, Sequence[str]]) -> str:
    """Write plain data for people, with notes as comments before some keys; a key with notes begins a paragraph."""
    lines: list[str] = []
    for key, value in data.items():
        lines += ["", *(line for note in notes[key] for line in comments(note))] if key in notes else []
        lines += _entry(key, value, 0)
    return "\n".join(lines) + "\n"


def comments(text: str) -> list[str]:
    """Write text as lines of comment, without anything that a parser refuses."""
    visible = "".join(character if character.isprintable() else "?" for character in text)
    return wrap(visible, _WIDTH, initial_indent="# ", subsequent_indent="#   ") or ["#"]


def _entry(key: str, value: object, depth: int) -> Iterator[str]:
    start = "  " * depth + name_text(key) + ":"
    if isinstance(value, dict) and not _fits(start, value, depth):
        yield start
        for inner, item in value.items():
            yield from _entry(inner, item, depth + 1)
    elif isinstance(value, Lines) and value.block:
        yield f"{start} |-"
        yield from ("  " * (depth + 1) + line if line else "" for line in value.block)
    elif isinstance(value, list) and value and (isinstance(value[0], dict) or len(start) + len(flow(value)) >= _WIDTH):
        yield start
        for item in value:
            yield from _item(item, depth + 1)
    else:
        yield f"{start} {flow(value)}"


def _fits(start: str, value: Mapping[str, object], depth: int) -> bool:
    """Say whether keys are written on one line: below the top, if they are short, and no column of a codebook."""
    return depth > 0 and len(start) + len(flow(value)) < _WIDTH and (depth > 1 or "type" not in value)


def _item(item: object, depth: int) -> Iterator[str]:
    """Write an item of a list; one with keys over several lines, the first behind the dash."""
    start = "  " * depth + "- "
    if isinstance(item, dict) and item and (len(item) == 1 or len(start) + len(flow(item)) >= _WIDTH):
        first, *more = [line for key, value in item.items() for line in _entry(key, value, depth + 1)]
        yield start + first.lstrip()
        yield from more
    else:
        yield start + flow(item)


def flow(value: object) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name_text(key)}: {flow(item)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(map(flow, value)) + "]" if isinstance(value, list) else scalar(value)


def name_text(text: str) -> str:
    """Write the name of a column, in quotes where it needs them."""
    return text if _plain(text) else quoted(text)


def scalar(value: object) -> str:
    """Write one value so that every reader of YAML takes text for text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    text = str(value)
    if isinstance(value, Typed) or _plain(text):
        return text
    # an expression with names in double quotes reads best in single ones
    return f"'{text}'" if '"' in text and "'" not in text and text.isprintable() else quoted(text)


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
