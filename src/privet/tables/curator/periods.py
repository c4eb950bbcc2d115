"""The calendar periods of a session: its rows, and the accounts of a ledger that its releases are charged to."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import final

from attrs import evolve, frozen

from privet.errors import InvalidError
from privet.tables.codebook.codebook import Codebook
from privet.tables.columns import NO_DATE, Persons, PrivacyUnit, Rows, first_day, read_periods
from privet.tables.curator.exact_words import exact_words
from privet.tables.engines.sources import NamedRows
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


def periods_of(
    sources: Mapping[str, object], codebooks: Mapping[str, Codebook], period: object, delimiter: str | None = None
) -> Periods:
    """Read the periods of a session, or refuse a unit whose rows lie in several of them.

    Args:
        sources: The data of each table, by name.
        codebooks: What is publicly known of the tables, all with the same kind of unit.
        period: The name of a period, or several.
        delimiter: What parts the fields of text files, where the session says so.
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
    return Periods(names=names, days=days, per=_per(sources, codebooks, delimiter), words=words)


def _per(sources: Mapping[str, object], codebooks: Mapping[str, Codebook], delimiter: str | None) -> str:
    """Say what has a budget for each period.

    Dates that are read in another way put a row into another period, so that how they are read belongs to it: the
    column, and which field of a file or a tuple has its name. Tables that are read alike need no names.
    """
    read: dict[str, list[str]] = {}
    for table, book in codebooks.items():
        if isinstance(book.unit, Persons) and book.unit.period:
            source = sources[table]
            form = book.file if delimiter is None else evolve(book.file, delimiter=delimiter)
            names = source.names if isinstance(source, NamedRows) else ()
            words = exact_words((book.source_columns[book.unit.period[0]], form, names))
            digest = sha256(json.dumps(words).encode()).hexdigest()
            read.setdefault(f"{book.unit.protects}, dates read as {digest}", []).append(table)
    if len(read) == 1:
        return next(iter(read))
    return "; ".join(f"{each} in {', '.join(map(repr, sorted(tables)))}" for each, tables in sorted(read.items()))


def _refusal(unit: PrivacyUnit) -> str:
    whose = (
        "each row by itself is the" if isinstance(unit, Rows) else "all rows of a person, of whichever month, are one"
    )
    return (
        "Session.period: a budget for each period needs a privacy unit within a period, such as "
        f"pv.Persons('person', period=('day', 'month')). With the unit of this codebook {whose} unit, so that "
        "time makes no new units and gives no new budget. Leave period out, or state such a unit."
    )
