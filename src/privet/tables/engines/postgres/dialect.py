"""PostgreSQL's SQL: how meanings and types are written, what its types hold, and the settings that meanings need."""

from sqlglot import exp

from privet.tables.engines.postgres.typed import GRAMMAR, TYPES
from privet.tables.engines.typed_sql.dialect import TypedDialect
from privet.tables.engines.typed_sql.trees import KINDS
from privet.tables.vocabulary import Source

_TYPES: dict[exp.DType, str] = {dtype: TYPES[kind] for dtype, kind in KINDS.items()}
_SOURCE_TYPES: dict[str, Source] = {  # by the name that pg_catalog gives them
    **dict.fromkeys(("int2", "int4", "int8"), "small"),
    "numeric": "decimal",
    **dict.fromkeys(("float4", "float8"), "float"),
    "bool": "boolean",
    **dict.fromkeys(("text", "varchar", "bpchar", "uuid"), "text"),
    "date": "date",
    "timestamp": "timestamp",
    "timestamptz": "zoned",
}
_SETTINGS: dict[str, tuple[str, ...]] = {
    "TimeZone": ("UTC",),
    "DateStyle": ("ISO, YMD", "iso, mdy", "iso, dmy", "iso, ymd"),
    "IntervalStyle": ("postgres",),
    "client_encoding": ("UTF8",),
    "extra_float_digits": ("1", "2", "3"),  # reals are written with as many digits as they need
    "search_path": ("pg_catalog",),  # nobody else's function or operator is called
    "standard_conforming_strings": ("on",),
    "transform_null_equals": ("off",),
    "array_nulls": ("on",),
    "row_security": ("on",),
    "jit": ("off",),  # it takes longer than most queries
}
DIALECT = TypedDialect(grammar=GRAMMAR, types=_TYPES, source_types=_SOURCE_TYPES, settings=_SETTINGS)
