"""Formats of dates in the SQL of other systems, after the parser wrote them in the words of strptime."""

import re

from privet.tables.engines.grammar import PLAIN, Grammar

_BY_PERCENT: tuple[Grammar, ...] = (PLAIN, "bigquery", "mysql", "trino", "presto")  # others write YYYY-MM-DD
_SAME_CENTURY: tuple[Grammar, ...] = (PLAIN, "bigquery")  # two digits are 1969 to 2068


def why_no_format(plain: str, grammar: Grammar) -> str:
    """Say why a format cannot be read as that system would; an empty text if it can.

    >>> why_no_format("%m/%d/%y", "mysql")
    'two digits of a year are another century there. Use four.'
    """
    parts = plain.replace("%%", "")
    if "%y" in parts and grammar not in _SAME_CENTURY:
        return "two digits of a year are another century there. Use four."
    unknown = re.sub(r"%-?[A-Za-z]", "", parts).replace("T", "")
    if grammar not in _BY_PERCENT and re.search(r"[A-Za-z]", unknown):
        return "a part of its format has no counterpart here. Use years, months, days, hours, minutes and seconds."
    return ""


def has_clock(plain: str) -> bool:
    """Tell whether a format names a time of day."""
    return re.search(r"%-?[HIMSfpTR]", plain.replace("%%", "")) is not None
