"""Spark's SQL: what its types hold, and the settings that meanings need."""

from typing import final

from attrs import field, frozen
from sqlglot import exp

from privet.tables.engines.dialect import Spelling
from privet.tables.engines.spark.typed import TYPES
from privet.tables.engines.typed_sql.trees import KINDS
from privet.tables.vocabulary import Source

_TYPES: dict[exp.DType, str] = {dtype: TYPES[kind] for dtype, kind in KINDS.items()}
_SOURCE_TYPES: dict[str, Source] = {  # by the name that a schema gives them, without parameters
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "small"),
    "decimal": "decimal",
    **dict.fromkeys(("float", "double"), "float"),
    "boolean": "boolean",
    **dict.fromkeys(("string", "char", "varchar", "void"), "text"),  # a column of nulls alone has no type
    "date": "date",
    "timestamp_ntz": "timestamp",
    "timestamp": "zoned",
}
_SETTINGS: dict[str, tuple[str, ...]] = {
    "spark.sql.ansi.enabled": ("true",),  # an overflow would wrap
    "spark.sql.ansi.doubleQuotedIdentifiers": ("false",),
    "spark.sql.ansi.enforceReservedKeywords": ("false",),
    "spark.sql.caseSensitive": ("true",),
    "spark.sql.crossJoin.enabled": ("true",),
    "spark.sql.decimalOperations.allowPrecisionLoss": ("true",),
    "spark.sql.groupByAliases": ("false",),
    "spark.sql.groupByOrdinal": ("false",),  # a group by 1 would be one by the first column
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": ("false",),
    "spark.sql.orderByOrdinal": ("false",),
    "spark.sql.parser.escapedStringLiterals": ("false",),
    "spark.sql.session.timeZone": ("UTC",),
    "spark.sql.variable.substitute": ("false",),  # a text with ${x} would be another one
}


@final
@frozen(kw_only=True)
class SparkDialect:
    """The SQL of Spark.

    Functions depend on the types of their arguments here, so that no name stands for a meaning:
    :mod:`privet.tables.engines.spark.functions` writes them.

    Args:
        grammar: What sqlglot calls it.
        schema: Tables are named within the statement, in no schema.
        functions: None by name alone.
        types: How types are written.
        source_types: What types hold.
        settings: What meanings depend on.
    """

    grammar: str = "spark"
    schema: str = ""
    functions: dict[str, Spelling] = field(factory=dict)
    types: dict[exp.DType, str] = _TYPES
    source_types: dict[str, Source] = _SOURCE_TYPES
    settings: dict[str, tuple[str, ...]] = _SETTINGS


DIALECT = SparkDialect()
