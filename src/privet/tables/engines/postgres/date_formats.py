"""Texts that write timestamps in a format of strptime, read by PostgreSQL: by the groups of its regular expression.

Its own parser takes other texts too. Which text a group matches is certain, since no format leaves open where a part
ends.
"""

from sqlglot import exp

from privet.tables.engines.postgres.typed import ENGINE, fill, literal
from privet.tables.engines.typed_sql.date_formats import format_groups
from privet.tables.engines.typed_sql.trees import Typed

_MONTHS = "ARRAY['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']"
_READ = """(SELECT CASE WHEN mo BETWEEN 1 AND 12 AND d >= 1 AND h BETWEEN 0 AND 23 AND mi < 60 AND s < 60 THEN
    CASE WHEN d <= EXTRACT(day FROM MAKE_DATE(y, mo, 1) + INTERVAL '1 month' - INTERVAL '1 day')
    THEN MAKE_TIMESTAMP(y, mo, d, h, mi, s::float8) + f * INTERVAL '1 microsecond' END END
    FROM (SELECT {year} AS y, {month} AS mo, {day} AS d, {hour} AS h, {minute} AS mi, {second} AS s, {micro} AS f
        FROM (SELECT REGEXP_MATCH(v, p) AS m OFFSET 0) AS k OFFSET 0) AS g)"""


def read_format(value: Typed, written: Typed) -> Typed:
    """Read a text as a timestamp; null where it is written otherwise, or the calendar has no such time.

    Args:
        value: The text.
        written: The format, which is written out.
    """
    pattern, place = format_groups(ENGINE, written, "(m[{}])")
    body = _READ.format(
        year=_year(place),
        month=_month(place),
        day=_number(place, "d", "CASE WHEN NOT m IS NULL THEN 1 END"),
        hour=_hour(place),
        minute=_number(place, "M"),
        second=_number(place, "S"),
        micro=f"RPAD({place['f']}, 6, '0')::int" if "f" in place else "0",
    )
    whole = literal(f"^(?:{pattern})$", "text").tree
    return Typed(exp.Paren(this=fill(body, v=value.tree, p=whole)), "timestamp")


def _number(place: dict[str, str], part: str, default: str = "0") -> str:
    return f"{place[part]}::int" if part in place else default


def _year(place: dict[str, str]) -> str:
    if "y" not in place:
        return _number(place, "Y", "2000")
    short = _number(place, "y")
    return f"CASE WHEN {short} >= 69 THEN 1900 + {short} ELSE 2000 + {short} END"


def _month(place: dict[str, str]) -> str:
    named = place.get("b") or place.get("B")
    return f"ARRAY_POSITION({_MONTHS}, LEFT(LOWER({named}), 3))" if named else _number(place, "m", "1")


def _hour(place: dict[str, str]) -> str:
    if "I" not in place:
        return _number(place, "H")
    twelve, half = _number(place, "I"), f"CASE WHEN LOWER({place['p']}) = 'pm' THEN 12 ELSE 0 END"
    return f"CASE WHEN {twelve} BETWEEN 1 AND 12 THEN {twelve} % 12 + {half} END"
