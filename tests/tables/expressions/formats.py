# ruff: noqa: DTZ001, E501
"""What formats of dates and patterns mean, a second time: written for tests, apart from the code that they check."""

import re
import unicodedata
from datetime import datetime
from itertools import pairwise
from typing import Any

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december")  # fmt: skip


def trim(text: str) -> str:
    kept = [place for place, character in enumerate(text) if unicodedata.category(character) != "Zs"]
    return text[kept[0] : kept[-1] + 1] if kept else ""


def replaced(text: str, pattern: str, replacement: str, option: str = "") -> str:
    """Replace matches with Python's own regular expressions, written so that $ and \\s mean what they mean here."""

    def expand(match: re.Match[str]) -> str:
        parts = re.findall(r"\\(.)|([^\\])", replacement, re.DOTALL)
        return "".join(
            plain or (behind if behind == "\\" else match.group(int(behind)) or "") for behind, plain in parts
        )

    return re.sub(_for_python(pattern), expand, text, count=0 if option else 1, flags=re.ASCII)


def _for_python(pattern: str) -> str:
    made, at, in_set = [], 0, False
    while at < len(pattern):
        sign = pattern[at : at + 2] if pattern[at] == "\\" else pattern[at]
        at += len(sign)
        if sign == "[" or (sign == "]" and in_set):
            in_set = sign == "["
        if sign == "\\s":
            sign = "\\t\\n\\f\\r " if in_set else "[\\t\\n\\f\\r ]"
        elif sign == "\\S":
            sign = "[^\\t\\n\\f\\r ]"
        elif sign == "$" and not in_set:
            sign = "(?!.|\\n)"
        made.append(sign)
    return "".join(made)


def moment(text: str, written: str) -> datetime | None:
    """Read a timestamp in a format, from left to right."""
    parts = _read(trim(text), written)
    if parts is None:
        return None
    year = parts["Y"] if "Y" in parts else parts["y"] + (1900 if parts["y"] >= 69 else 2000)
    clock = _clock(parts)
    try:
        return None if clock is None else datetime(year, parts["m"], parts["d"], *clock)
    except ValueError:
        return None


def clock(text: str, written: str) -> str | None:
    """Read a time of day in a format."""
    parts = _read(trim(text), written)
    times = None if parts is None else _clock(parts)
    return None if times is None else clock_text(*times)


def clock_text(hour: int, minute: int, second: int, micro: int) -> str:
    whole = f"{hour:02}:{minute:02}:{second:02}"
    return f"{whole}.{micro:06}".rstrip("0") if micro else whole


def clock_of_text(text: str) -> str | None:
    """Read a time of day in its plain form."""
    found = re.fullmatch(r"(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?", text, re.ASCII)
    if found is None or int(found[1]) > 23 or int(found[2]) > 59 or int(found[3] or 0) > 59:
        return None
    return clock_text(int(found[1]), int(found[2]), int(found[3] or 0), int((found[4] or "0").ljust(6, "0")))


def _clock(parts: dict[str, int]) -> tuple[int, int, int, int] | None:
    hour = parts.get("H", 0)
    if "I" in parts:
        if not 1 <= parts["I"] <= 12:
            return None
        hour = parts["I"] % 12 + 12 * parts["p"]
    times = hour, parts.get("M", 0), parts.get("S", 0), parts.get("f", 0)
    return times if times[0] < 24 and times[1] < 60 and times[2] < 60 else None


def _read(text: str, written: str) -> dict[str, int] | None:
    """Read numbers and names by their places; None where the text is written otherwise."""
    signs = re.findall(r"%.|[^%]", written, re.DOTALL)
    numbers = [sign[0] == "%" and sign[1] in "YymdHMSIf" for sign in signs]
    adjacent = any(one and other for one, other in pairwise(numbers))
    parts: dict[str, int] = {}
    for sign in signs:
        if sign[0] != "%" or sign == "%%":
            if not text.startswith(sign[-1]):
                return None
            text = text[1:]
            continue
        found = _part(sign[1], text, adjacent=adjacent)
        if found is None:
            return None
        parts |= found[0]
        text = text[found[1] :]
    return parts if not text else None


def _part(name: str, text: str, *, adjacent: bool) -> tuple[dict[str, int], int] | None:
    if name in "bBpaA":
        short = tuple(day[:3] for day in _DAYS)
        words: Any = {"b": _MONTHS, "B": _FULL, "p": ("am", "pm"), "a": short, "A": _DAYS}[name]
        found = [
            at for at, word in enumerate(words) if text[: len(word)].lower() == word and text[: len(word)].isascii()
        ]
        if not found:
            return None
        at = found[0]
        read = {"p": {"p": at}, "b": {"m": at + 1}, "B": {"m": at + 1}}
        return read.get(name, {}), len(words[at])  # a day of the week is not compared with the date
    least, most = {"Y": (4, 4), "y": (2, 2), "f": (1, 6)}.get(name, (2, 2) if adjacent else (1, 2))
    digits = re.match(r"[0-9]*", text)
    count = min(len(digits[0]) if digits else 0, most)
    if count < least or (name == "Y" and text[:4] == "0000"):
        return None
    value = int(text[:count].ljust(6, "0")) if name == "f" else int(text[:count])
    return {name: value}, count
