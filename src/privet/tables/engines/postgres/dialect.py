"""PostgreSQL's SQL: how meanings and types are written, what its types hold, and the settings that meanings need."""

from typing import final

from attrs import field, frozen
from sqlglot import exp

from privet.tables.engines.dialect import Spelling
from privet.tables.engines.postgres.typed import TYPES
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


@final
@frozen(kw_only=True)
class PostgresDialect:
    """The SQL of PostgreSQL.

    Functions depend on the types of their arguments here, so that no name stands for a meaning:
    :mod:`privet.tables.engines.postgres.functions` writes them.

    Args:
        grammar: What sqlglot calls it.
        schema: Tables are named within the statement, in no schema.
        functions: None by name alone.
        types: How types are written.
        source_types: What types hold.
        settings: What meanings depend on.
    """

    grammar: str = "postgres"
    schema: str = ""
    functions: dict[str, Spelling] = field(factory=dict)
    types: dict[exp.DType, str] = _TYPES
    source_types: dict[str, Source] = _SOURCE_TYPES
    settings: dict[str, tuple[str, ...]] = _SETTINGS


DIALECT = PostgresDialect()
