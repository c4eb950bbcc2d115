"""Texts that write timestamps in a format of strptime, read by Spark: by the groups of its regular expression."""

from privet.tables.engines.spark.typed import ENGINE, let, literal
from privet.tables.engines.typed_sql.date_formats import format_groups
from privet.tables.engines.typed_sql.trees import Typed

_MONTHS = "'jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec'"


def read_format(value: Typed, written: Typed) -> Typed:
    """Read a text as a timestamp; null where it is written otherwise, or the calendar has no such time.

    Args:
        value: The text.
        written: The format, which is written out.
    """
    pattern, place = format_groups(ENGINE, written, "REGEXP_EXTRACT(v, p, {})")
    clock = [_hour(place), _two(_number(place, "M")), _two(_number(place, "S"))]
    micro = f"RPAD({place['f']}, 6, '0')" if "f" in place else "'000000'"
    day = f"CONCAT_WS('-', {_year(place)}, {_month(place)}, {_two(_number(place, 'd', '1'))})"
    time = f"CONCAT({clock[0]}, ':', {clock[1]}, ':', {clock[2]}, '.', {micro})"
    fits = f"v RLIKE p AND {_year(place)} <> '0000'"
    body = f"CASE WHEN {fits} THEN TRY_CAST(CONCAT({day}, ' ', {time}) AS TIMESTAMP_NTZ) END"
    whole = literal(f"^(?:{pattern})\\z", "text").tree
    return Typed(let(body, v=value.tree, p=whole), "timestamp")


def _number(place: dict[str, str], part: str, default: str = "0") -> str:
    return place.get(part, f"'{default}'")


def _two(digits: str) -> str:
    return f"LPAD({digits}, 2, '0')"


def _year(place: dict[str, str]) -> str:
    if "y" not in place:
        return f"LPAD({_number(place, 'Y', '2000')}, 4, '0')"
    short = _two(place["y"])
    return f"CONCAT(CASE WHEN {short} >= '69' THEN '19' ELSE '20' END, {short})"


def _month(place: dict[str, str]) -> str:
    named = place.get("b") or place.get("B")
    if named is None:
        return _two(_number(place, "m", "1"))
    return _two(f"CAST(FIND_IN_SET(LEFT(LOWER({named}), 3), {_MONTHS}) AS STRING)")


def _hour(place: dict[str, str]) -> str:
    if "I" not in place:
        return _two(_number(place, "H"))
    twelve = f"TRY_CAST({place['I']} AS INT)"
    half = f"CASE WHEN LOWER({place['p']}) = 'pm' THEN 12 ELSE 0 END"
    return _two(f"CAST(CASE WHEN {twelve} BETWEEN 1 AND 12 THEN {twelve} % 12 + {half} END AS STRING)")
