"""How texts write numbers: one regular expression for each notation, for Python and for RE2 alike."""

import re

from privet.tables.columns.notation import THOUSANDS, Notation

_SPACE = "[ \u00a0\u2009\u202f]*"
_SPECIAL = r".^$*+?{}[]\|()-"


def _quoted(characters: str) -> str:
    return "".join(f"\\{each}" if each in _SPECIAL else each for each in characters)


def number_pattern(notation: Notation) -> str:
    """Write the regular expression of numbers; its groups: a sign, another, the digits, a percent sign.

    >>> import re
    >>> pattern = number_pattern(Notation(decimal=",", thousands=".", currency=("€",)))
    >>> re.fullmatch(pattern, "-1.234,50 €").groups()
    ('-', '', '1.234,50', '')
    """
    decimal, exponent = _quoted(notation.decimal or "."), "" if notation.percent else "(?:[eE][+-]?[0-9]{1,4})?"
    whole_part = "[0-9]+"
    if notation.thousands is not None:
        mark = f"[{_quoted(THOUSANDS[notation.thousands])}]"
        # the last group has three digits; those before it two or three, as in India
        whole_part = f"(?:[0-9]{{1,3}}(?:{mark}[0-9]{{2,3}})*{mark}[0-9]{{3}}|[0-9]+)"
    digits = f"(?:{whole_part}(?:{decimal}[0-9]*)?|{decimal}[0-9]+){exponent}"
    signs = "|".join(_quoted(each) for each in sorted(notation.currency, key=len, reverse=True))
    before = f"(?:(?:{signs}){_SPACE})?" if signs else ""
    behind = f"(?:{_SPACE}(?:{signs}))?" if signs else ""
    percent = f"(?:{_SPACE}(%))?" if notation.percent else "()"
    return f"^{_SPACE}([+-]?){_SPACE}{before}([+-]?)({digits}){percent}{behind}{_SPACE}$"


def plain_digits(written: str, notation: Notation) -> str | None:
    """Write a number in plain digits with a point, as the engine does with a column; None where it is none.

    >>> plain_digits("-1.234,50 €", Notation(decimal=",", thousands=".", currency=("€",)))
    '-1234.50'
    """
    found = re.fullmatch(number_pattern(notation), written)
    if found is None or (found[1] and found[2]):
        return None
    digits = found[3]
    for mark in THOUSANDS[notation.thousands] if notation.thousands else "":
        digits = digits.replace(mark, "")
    if notation.decimal == ",":
        digits = digits.replace(",", ".")
    share = "e-2" if notation.percent == "share" and found[4] else ""
    return f"{found[1]}{found[2]}{digits}{share}"
