"""Casts on Spark, by the types of both sides; what does not convert is null, and none raises."""

from itertools import product

from privet.tables.engines.spark.real_texts import real_text
from privet.tables.engines.spark.typed import ENGINE, convert, fill, let
from privet.tables.engines.typed_sql.casts import Casts
from privet.tables.engines.typed_sql.trees import WHOLE, WIDE, Kind, Typed

_WORD = "18446744073709551616"  # 2^64
_HIGH = "1.8446744073709552E19D"
_TOP = "9.223372036854775808E18D"
_REAL_TO_INTEGER = f"CASE WHEN v >= -{_TOP} AND v < {_TOP} THEN CAST(RINT(v) AS BIGINT) END"
# a double beyond 64 bits is whole; it is cut into two words, whose conversions are exact
_UPPER = f"CAST(v / {_HIGH} AS BIGINT)"
_LOWER = f"CAST((v - CAST({_UPPER} AS DOUBLE) * {_HIGH}) / 2D AS BIGINT)"
_REAL_TO_WIDE = f"""CASE WHEN ABS(v) < {_TOP} THEN CAST(CAST(RINT(v) AS BIGINT) AS DECIMAL(38, 0))
    WHEN ABS(v) < 1E37D THEN CAST({_UPPER} AS DECIMAL(38, 0)) * {_WORD} + CAST({_LOWER} AS DECIMAL(38, 0)) * 2 END"""
_WIDE_TO_INTEGER = "CASE WHEN v BETWEEN -9223372036854775808 AND 9223372036854775807 THEN CAST(v AS BIGINT) END"
_TRUTH = """CASE WHEN LOWER(v) IN ('true', 't', 'yes', 'y', '1') THEN TRUE
    WHEN LOWER(v) IN ('false', 'f', 'no', 'n', '0') THEN FALSE END"""
_DIGITS = r"CASE WHEN v RLIKE '^ *[+-]?[0-9]{1,50} *\\z' THEN TRY_CAST(TRIM(v) AS DECIMAL(38, 0)) END"
_REAL = r"^ *[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]{1,4})? *\\z"
_TEXT_TO_REAL = f"CASE WHEN v RLIKE '{_REAL}' THEN TRY_CAST(TRIM(v) AS DOUBLE) END"
_DAY = r"""CASE WHEN SUBSTRING(v, 1, 10) RLIKE '^[0-9]{4}-[0-9]{2}-[0-9]{2}\\z' AND SUBSTRING(v, 1, 4) <> '0000'
    THEN TRY_CAST(SUBSTRING(v, 1, 10) AS DATE) END"""
_CLOCK = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?)?\\z"
_TIMESTAMP = f"""CASE WHEN v RLIKE '{_CLOCK}' AND SUBSTRING(v, 1, 4) <> '0000' THEN TRY_CAST(v AS TIMESTAMP_NTZ) END"""
_DATE_TO_TIMESTAMP = """CASE WHEN v > DATE '9999-12-31' THEN TIMESTAMP_NTZ '+10000-01-01 00:00:00'
    WHEN v < DATE '0001-01-01' THEN TIMESTAMP_NTZ '0000-01-01 00:00:00' ELSE CAST(v AS TIMESTAMP_NTZ) END"""
_TEMPLATES: dict[tuple[str, str], str] = {
    ("real", "wide"): _REAL_TO_WIDE,
    ("real", "integer"): _REAL_TO_INTEGER,
    ("wide", "integer"): _WIDE_TO_INTEGER,
    ("date", "timestamp"): _DATE_TO_TIMESTAMP,
    ("text", "boolean"): _TRUTH,
    ("text", "real"): _TEXT_TO_REAL,
    ("text", "wide"): _DIGITS,
    ("text", "integer"): _WIDE_TO_INTEGER.replace("v", f"({_DIGITS})"),
    ("text", "date"): _DAY,
    ("text", "timestamp"): _TIMESTAMP,
}
_SHORT: tuple[Kind, ...] = ("integer", "int32", "boolean")
_DIRECT: set[tuple[Kind, Kind]] = {
    *product(_SHORT, (*WHOLE, "real")),
    *product(WIDE, (*WIDE, "real")),
    ("decimal", "int128"),
    ("decimal", "real"),
    ("timestamp", "date"),
    ("zoned timestamp", "timestamp"),
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
    return _CASTS.cast(value, kind)


def as_text(value: Typed) -> Typed:
    """Write a value as its text: as every engine writes it, since hashes are taken of it."""
    if value.kind == "text":
        return value
    return Typed(real_text(value.tree), "text") if value.kind == "real" else cast_as(value, "text")


def is_finite(value: Typed) -> Typed:
    """Tell whether a value is neither NaN nor infinite."""
    if value.kind != "real":  # Spark has no infinite dates
        return Typed(fill("CASE WHEN NOT v IS NULL THEN TRUE END", v=value.tree), "boolean")
    return Typed(let("v > CAST('-Infinity' AS DOUBLE) AND v < CAST('Infinity' AS DOUBLE)", v=value.tree), "boolean")


def is_nan(value: Typed) -> Typed:
    """Tell whether a real is NaN."""
    return Typed(fill("v = CAST('NaN' AS DOUBLE)", v=value.tree), "boolean")
