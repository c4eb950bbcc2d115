"""The calendar periods of a session: its rows, and the accounts of a ledger that its releases are charged to."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import final

from attrs import frozen

from privet.errors import InvalidError
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns import NO_DATE, Persons, PrivacyUnit, Rows, first_day, read_periods
from privet.tables.curator.exact_words import exact_words
from privet.tables.relations.id_columns import WITHOUT_DATE


@final
@frozen(kw_only=True)
class Periods:
    """Calendar periods that a session reads, and nothing else.

    Args:
        names: Their names, the earliest first.
        days: The first day of each, as the id column of the period holds it.
        per: What has a budget for each period: the privacy unit, and how its dates are read.
        words: Which rows these are, for the notes of releases.
    """

    names: tuple[str, ...]
    days: tuple[int, ...]
    per: str
    words: str


def periods_of(codebooks: Mapping[str, Codebook], period: object) -> Periods:
    """Read the periods of a session, or refuse a unit whose rows lie in several of them.

    Args:
        codebooks: What is publicly known of the tables, all with the same kind of unit.
        period: The name of a period, or several.
    """
    for book in codebooks.values():
        if not isinstance(book.unit, Persons) or book.unit.period is None:
            raise InvalidError(_refusal(book.unit))
    units = [book.unit.period for book in codebooks.values() if isinstance(book.unit, Persons) and book.unit.period]
    length = units[0][1]
    names = read_periods("Session.period", length, period)
    days = tuple(WITHOUT_DATE if name == NO_DATE else first_day("Session.period", length, name) for name in names)
    several = f"{length}s" if len(names) > 1 else length
    words = f"part: rows of the {several} {', '.join(names)}"
    return Periods(names=names, days=days, per=_per(codebooks), words=words)


def _per(codebooks: Mapping[str, Codebook]) -> str:
    """Say what has a budget for each period.

    Dates that are read in another way put a row into another period, so that how they are read belongs to it.
    """
    read = {
        f"{book.unit.protects}, dates read as {sha256(json.dumps(exact_words(column)).encode()).hexdigest()}"
        for book in codebooks.values()
        if isinstance(book.unit, Persons) and book.unit.period
        for column in (book.source_columns[book.unit.period[0]],)
    }
    return "; ".join(sorted(read))


def _refusal(unit: PrivacyUnit) -> str:
    whose = (
        "each row by itself is the" if isinstance(unit, Rows) else "all rows of a person, of whichever month, are one"
    )
    return (
        "Session.period: a budget for each period needs a privacy unit within a period, such as "
        f"pv.Persons('person', period=('day', 'month')). With the unit of this codebook {whose} unit, so that "
        "time makes no new units and gives no new budget. Leave period out, or state such a unit."
    )
