"""Names of data sets, analysts and periods, and anchors: what a ledger takes from its users."""

import re

from privet.core import short
from privet.errors import InvalidError
from privet.ledger.chain import Head

_LONGEST = 200  # characters of a name
_HASH = 64  # characters of a hash
_MONTH = "(0[1-9]|1[0-2])"
_PERIOD = re.compile(rf"no date|[0-9]{{4}}(-{_MONTH}(-[0-3][0-9])?|-W[0-5][0-9]|-Q[1-4])?", flags=re.ASCII)


def check_name(what: str, name: object) -> str:
    """Refuse what cannot be the name of a data set or an analyst."""
    if not isinstance(name, str) or not 0 < len(name) <= _LONGEST or not name.isprintable():
        raise InvalidError(f"{what} must be a name of 1 to {_LONGEST} printable characters, such as 'visits-2026'.")
    return name


def check_period(name: object) -> str:
    """Refuse what is the name of no period of any length; which length it is, sessions check."""
    if not isinstance(name, str) or _PERIOD.fullmatch(name) is None:
        raise InvalidError(f"period must be the name of one, such as '2026-05' or '2026-Q2', got {short(name)}.")
    return name


def read_anchor(anchor: object) -> Head | None:
    """Read the pair that ``head`` gave; None for none."""
    if anchor is None:
        return None
    pair = tuple(anchor) if isinstance(anchor, tuple | list) else ()
    if (
        len(pair) != 2
        or type(pair[0]) is not int
        or pair[0] < 1
        or not isinstance(pair[1], str)
        or len(pair[1]) != _HASH
    ):
        raise InvalidError("Ledger.anchor must be the pair (number, hash) that ledger.head() gave.")
    return Head(*pair)
