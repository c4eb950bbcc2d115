"""Casts on PostgreSQL, by the types of both sides; what does not convert is null, and none raises."""

from itertools import product

from privet.tables.engines.postgres.typed import ENGINE, by_code_points, convert, fill, let, literal
from privet.tables.engines.typed_sql.casts import Casts
from privet.tables.engines.typed_sql.trees import WHOLE, WIDE, Kind, Typed

_WORD, _WORD_REAL = "18446744073709551616", "'1.8446744073709552e+19'::float8"  # 2^64
_HIGH = f"TRUNC(v / {_WORD_REAL})"
_REAL_TO_WIDE = f"""CASE WHEN ABS(v) < 9.2e18::float8 THEN v::bigint::numeric
    WHEN ABS(v) < '1.7014118346046923e+38'::float8 THEN
        {_HIGH}::bigint::numeric * {_WORD} + ((v - {_HIGH} * {_WORD_REAL}) / 2)::bigint::numeric * 2
    END"""
# as engines with integers of 128 bits do it: two words, each rounded
_LOW = f"MOD(MOD(v, {_WORD}) + {_WORD}, {_WORD})"
_WIDE_TO_REAL = f"""CASE WHEN v BETWEEN 0 AND 18446744073709551615 THEN v::float8
    WHEN v BETWEEN -18446744073709551616 AND -1 THEN -((-1 - v)::float8) - 1
    ELSE {_LOW}::float8 + DIV(v - {_LOW}, {_WORD})::float8 * {_WORD_REAL} END"""
_REAL_TO_INTEGER = """CASE WHEN v >= '-9.223372036854775808e+18'::float8 AND v < '9.223372036854775808e+18'::float8
    THEN v::bigint END"""
_WIDE_TO_INTEGER = "CASE WHEN v BETWEEN -9223372036854775808 AND 9223372036854775807 THEN v::bigint END"
_DECIMAL_TO_WIDE = """CASE WHEN v = 'NaN'::numeric THEN NULL WHEN v >= 1e37 THEN 1e37 WHEN v <= -1e37 THEN -1e37
    ELSE ROUND(v) END"""
# halfway from the largest double to the next that there would be, and half of the least double
_TOP, _BOTTOM = str(2**1024 - 2**970), f"{5**1075}e-1075"
_DECIMAL_TO_REAL = f"""CASE WHEN v = 'NaN'::numeric THEN 'NaN'::float8
    WHEN v >= {_TOP} THEN 'Infinity'::float8 WHEN v <= -{_TOP} THEN '-Infinity'::float8
    WHEN ABS(v) <= {_BOTTOM} THEN 0::float8 ELSE v::float8 END"""
_REAL_TO_TEXT = """CASE WHEN ABS(v) >= 1e15::float8 AND ABS(v) < 1e16::float8 THEN
        v::text::numeric::text || CASE WHEN v::text::numeric = TRUNC(v::text::numeric) THEN '.0' ELSE '' END
    WHEN STRPOS(v::text, 'e') > 0 OR STRPOS(v::text, '.') > 0 THEN v::text ELSE v::text || '.0' END"""
_DIGITS = "CASE WHEN v ~ '^ *[+-]?[0-9]{1,50} *$' THEN v::numeric END"
LONGEST_REAL = 6_300  # characters: with four digits of an exponent no more than 16,383 digits behind the point
_NUMBER = r"v ~ '^ *[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})? *$' AND OCTET_LENGTH(v) <= 6300"
_TEXT_TO_REAL = f"CASE WHEN {_NUMBER} THEN (v::numeric) END"
_TRUTH = """CASE WHEN LOWER(v) IN ('true', 't', 'yes', 'y', '1') THEN TRUE
    WHEN LOWER(v) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END"""
_DAY = """CASE WHEN SUBSTR(v, 1, 10) !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN NULL
    WHEN SUBSTR(v, 1, 4) = '0000' OR NOT SUBSTR(v, 6, 2)::int BETWEEN 1 AND 12 OR SUBSTR(v, 9, 2) = '00' THEN NULL
    WHEN SUBSTR(v, 9, 2)::int <= EXTRACT(day FROM MAKE_DATE(SUBSTR(v, 1, 4)::int, SUBSTR(v, 6, 2)::int, 1)
        + INTERVAL '1 month' - INTERVAL '1 day')
    THEN MAKE_DATE(SUBSTR(v, 1, 4)::int, SUBSTR(v, 6, 2)::int, SUBSTR(v, 9, 2)::int) END"""
_CLOCK = r"^[0-9-]{10}([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?)?$"
_TIMESTAMP = f"""CASE WHEN v !~ '{_CLOCK}' THEN NULL WHEN LENGTH(v) = 10 THEN d::timestamp
    WHEN LENGTH(v) = 16 THEN d + MAKE_TIME(SUBSTR(v, 12, 2)::int, SUBSTR(v, 15, 2)::int, 0::float8)
    ELSE d + MAKE_TIME(SUBSTR(v, 12, 2)::int, SUBSTR(v, 15, 2)::int, SUBSTR(v, 18)::float8) END"""
_DATE_TO_TIMESTAMP = """CASE WHEN NOT ISFINITE(v) THEN 'infinity'::timestamp
    WHEN v > DATE '9999-12-31' THEN TIMESTAMP '10000-01-01'
    WHEN v < DATE '0001-01-01' THEN TIMESTAMP '0001-01-01 BC' ELSE v::timestamp END"""
_TEMPLATES: dict[tuple[str, str], str] = {
    ("real", "wide"): _REAL_TO_WIDE,
    ("real", "integer"): _REAL_TO_INTEGER,
    ("wide", "integer"): _WIDE_TO_INTEGER,
    ("wide", "real"): _WIDE_TO_REAL,
    ("decimal", "wide"): _DECIMAL_TO_WIDE,
    ("decimal", "real"): _DECIMAL_TO_REAL,
    ("date", "timestamp"): _DATE_TO_TIMESTAMP,
}
_SHORT: tuple[Kind, ...] = ("integer", "int32")
_DIRECT: set[tuple[Kind, Kind]] = {
    *product(_SHORT, WHOLE),
    ("integer", "real"),
    ("int32", "real"),
    ("timestamp", "date"),
    ("integer", "text"),
    ("int32", "text"),
    ("int128", "text"),
    ("uint64", "text"),
    ("boolean", "text"),
    ("date", "text"),
    ("timestamp", "text"),
}
_CASTS = Casts(engine=ENGINE, convert=convert, let=let, direct=_DIRECT, templates=_TEMPLATES)


def cast_as(value: Typed, kind: Kind) -> Typed:
    """Convert a value to another type."""
    if value.kind in WIDE and kind in WIDE:  # all of them are NUMERIC
        return Typed(value.tree, kind)
    if value.kind == "boolean" and kind in (*WHOLE, "real"):
        return Typed(convert(convert(value.tree, "int32"), kind), kind)
    return _from_text(value, kind) if value.kind == "text" else _CASTS.cast(value, kind)


def _from_text(value: Typed, kind: Kind) -> Typed:
    if kind == "boolean":
        return Typed(let(_TRUTH, v=value.tree), kind)
    if kind == "real":
        decimal = Typed(let(_TEXT_TO_REAL, v=value.tree), "decimal")
        return cast_as(decimal, "real")
    if kind in WHOLE:
        digits = Typed(let(_DIGITS, v=value.tree), "int128")
        return digits if kind in WIDE else cast_as(digits, kind)
    if kind == "date":
        return Typed(let(_DAY, v=value.tree), kind)
    if kind == "timestamp":
        return Typed(let(_TIMESTAMP.replace("d::", f"({_DAY})::").replace("d +", f"({_DAY}) +"), v=value.tree), kind)
    return _CASTS.cast(value, kind)


def as_text(value: Typed) -> Typed:
    """Write a value as its text: as every engine writes it, since hashes are taken of it."""
    if value.kind == "text":
        return value
    if value.kind == "real":
        return Typed(by_code_points(let(_REAL_TO_TEXT, v=value.tree)), "text")
    return cast_as(value, "text")


def is_finite(value: Typed) -> Typed:
    """Tell whether a value is neither NaN nor infinite."""
    if value.kind in ("date", "timestamp", "zoned timestamp"):
        return Typed(fill("ISFINITE(v)", v=value.tree), "boolean")
    return Typed(let("v > '-Infinity'::float8 AND v < 'Infinity'::float8", v=value.tree), "boolean")


def is_nan(value: Typed) -> Typed:
    """Tell whether a real is NaN."""
    return Typed(fill("v = n", v=value.tree, n=literal("NaN", "real").tree), "boolean")
