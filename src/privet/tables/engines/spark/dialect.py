"""Spark's SQL: what its types hold, and the settings that meanings need."""

from sqlglot import exp

from privet.tables.engines.spark.typed import GRAMMAR, TYPES
from privet.tables.engines.typed_sql.dialect import TypedDialect
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
    "spark.sql.parser.quotedRegexColumnNames": ("false",),  # a name in backticks would be a pattern
    "spark.sql.session.timeZone": ("UTC",),
    "spark.sql.variable.substitute": ("false",),  # a text with ${x} would be another one
}
DIALECT = TypedDialect(grammar=GRAMMAR, types=_TYPES, source_types=_SOURCE_TYPES, settings=_SETTINGS)
