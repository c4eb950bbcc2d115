"""DuckDB's SQL: what it calls types and functions, and the settings that their meaning depends on."""

from typing import final

from attrs import field, frozen
from sqlglot import exp

from privet.tables.engines.dialect import Spelling
from privet.tables.vocabulary import Source, case, cast

_EPOCH = "1970-01-01"
_PAIR = "privet pair"


def function(name: str, *arguments: exp.Expr) -> exp.Expr:
    """Call a function of DuckDB by its own name."""
    return exp.Anonymous(this=name, expressions=list(arguments))


def _let(value: exp.Expr, name: exp.Expr, body: exp.Expr) -> exp.Expr:
    """Bind a value to a name by a list of one element."""
    return function("list_extract", _comprehension(body, name, exp.Array(expressions=[value])), exp.Literal.number(1))


def _comprehension(body: exp.Expr, name: exp.Expr, values: exp.Expr) -> exp.Expr:
    return exp.Array(expressions=[exp.Comprehension(this=body, expression=name.this, iterator=values)])


def _keyed_hash(*values: exp.Expr) -> exp.Expr:
    # hashes of several values are joined by exclusive or: only a second hash makes the order of two contents
    # independent of what they share, and two salts differ in other bits than always the same
    return function("hash", function("hash", *values))


def _canonical_hash(key: exp.Expr, *values: exp.Expr) -> exp.Expr:
    """Hash texts that every engine writes alike; docs/tables/engines/index.md says how."""
    parts = [cast(key, "text"), *map(_encoded, values)]
    digits = function("left", function("md5", function("concat", *parts)), exp.Literal.number(16))
    return cast(function("concat", exp.Literal.string("0x"), digits), "uint64")


def _encoded(value: exp.Expr) -> exp.Expr:
    written, comma = cast(value, "text"), exp.Literal.string(",")
    missing = exp.Is(this=exp.Paren(this=value.copy()), expression=exp.null())
    is_text = exp.EQ(this=function("typeof", value.copy()), expression=exp.Literal.string("VARCHAR"))
    with_length = function("concat", comma, function("length", written.copy()), exp.Literal.string(":"), written)
    plain = function("concat", comma.copy(), written.copy())
    return case([(missing, exp.Literal.string(",n")), (is_text, with_length)], plain)


def _date_at(days: exp.Expr) -> exp.Expr:
    epoch = cast(exp.Literal.string(_EPOCH), "date")
    return exp.Paren(this=exp.Add(this=epoch, expression=cast(days, "int32")))


def _add_days(day: exp.Expr, days: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Add(this=exp.Paren(this=day), expression=exp.Paren(this=cast(days, "int32"))))


def _add_months(moment: exp.Expr, months: exp.Expr) -> exp.Expr:
    later = function("to_months", cast(months, "int32"))
    return exp.Paren(this=exp.Add(this=exp.Paren(this=moment), expression=later))


def _days_between(one: exp.Expr, other: exp.Expr) -> exp.Expr:
    sides = (side if isinstance(side, exp.Column | exp.Cast) else exp.Paren(this=side) for side in (other, one))
    return exp.Paren(this=exp.Sub(this=next(sides), expression=next(sides)))


def _each_listed(values: exp.Expr, kind: exp.DataType) -> exp.Expr:
    listed = exp.DataType(this=exp.DType.ARRAY, expressions=[kind], nested=True)
    json = exp.Cast(this=values, to=exp.DataType.build("JSON"))
    return function("unnest", exp.Cast(this=json, to=listed))


def _each_part(value: exp.Expr, separator: exp.Expr, most: exp.Expr) -> exp.Expr:
    parts = function("string_split", value, separator)
    return function("unnest", function("list_slice", parts, exp.Literal.number(1), most))


def _each_item(values: exp.Expr, most: exp.Expr) -> exp.Expr:
    return function("unnest", _first_items(values, most))


def _each_item_or_null(values: exp.Expr, most: exp.Expr) -> exp.Expr:
    some = exp.GT(this=function("len", values.copy()), expression=exp.Literal.number(0))
    nothing = exp.Array(expressions=[exp.null()])
    return function("unnest", case([(some, _first_items(values, most))], nothing))


def _first_items(values: exp.Expr, most: exp.Expr) -> exp.Expr:
    return function("list_slice", values, exp.Literal.number(1), most)


def _map_items(values: exp.Expr, most: exp.Expr, name: exp.Expr, body: exp.Expr) -> exp.Expr:
    return _comprehension(body, name, _first_items(values, most))


def _map_pairs(
    values: exp.Expr, others: exp.Expr, most: exp.Expr, name: exp.Expr, other: exp.Expr, body: exp.Expr
) -> exp.Expr:
    pair = exp.column(_PAIR, quoted=True)
    first, second = (function("struct_extract", pair.copy(), exp.Literal.number(at)) for at in (1, 2))
    both = function("list_zip", _first_items(values, most), _first_items(others, most.copy()))
    return _comprehension(_let(first, name, _let(second, other, body)), pair, both)


def _end_pair(name: str) -> Spelling:
    def spelled(by: exp.Expr, value: exp.Expr) -> exp.Expr:
        chosen = function(name, value, function("row", by, value.copy()))
        missing = [exp.Is(this=exp.Paren(this=each.copy()), expression=exp.null()) for each in (by, value)]
        return exp.Filter(this=chosen, expression=exp.Where(this=exp.Not(this=exp.Paren(this=exp.or_(*missing)))))

    return spelled


def _each(part: str) -> Spelling:
    return lambda counts: function("unnest", function(part, counts))


_SAME = (  # meanings that have the same name there
    *("abs", "ceil", "exp", "floor", "isfinite", "isnan", "ln", "log10", "log2", "pow", "round", "sqrt", "trunc"),
    *("coalesce", "greatest", "least", "nullif"),
    *("concat", "contains", "ends_with", "ilike_escape", "left", "length", "like_escape", "lower", "starts_with"),
    *("regexp_replace", "replace", "right", "substr", "trim", "upper"),
    *("date_trunc", "day", "dayofweek", "dayofyear", "hour", "isodow", "minute", "month", "quarter", "second"),
    *("week", "year", "dense_rank", "row_number"),
)
_FUNCTIONS: dict[str, Spelling] = {
    **{name: name for name in _SAME},
    "add_days": _add_days,
    "add_months": _add_months,
    "bin_counts": "histogram",
    "byte_length": "strlen",
    "date_at": _date_at,
    "days_between": _days_between,
    "each_bin": _each("map_keys"),
    "each_count": _each("map_values"),
    "each_item": _each_item,
    "each_item_or_null": _each_item_or_null,
    "each_listed": _each_listed,
    "each_part": _each_part,
    "first_pair": _end_pair("arg_min"),
    "item_count": "len",
    "keyed_hash": _keyed_hash,
    "last_pair": _end_pair("arg_max"),
    "let": _let,
    "list_text": "to_json",
    "map_items": _map_items,
    "map_pairs": _map_pairs,
    "matches": "regexp_full_match",
    "microseconds": "epoch_us",
    "part": "regexp_extract",
    "parse_timestamp": "try_strptime",
    "position": "strpos",
    "timestamp_at": "make_timestamp",
}
_SOURCE_TYPES: dict[str, Source] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"), "small"),
    **dict.fromkeys(("HUGEINT", "UBIGINT"), "large"),
    "UHUGEINT": "unsigned",
    "DECIMAL": "decimal",
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
    "BOOLEAN": "boolean",
    **dict.fromkeys(("VARCHAR", "ENUM", "UUID", "JSON", '"NULL"'), "text"),  # a column of nulls alone has no type
    "DATE": "date",
    **dict.fromkeys(("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "timestamp"),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), "zoned"),
}
_SETTINGS: dict[str, tuple[str, ...]] = {
    "Calendar": ("gregorian",),
    "TimeZone": ("utc", "etc/utc"),  # texts with an offset are read by it
    "arrow_lossless_conversion": ("false",),  # results would come in types of DuckDB's own
    "default_collation": ("",),  # texts are compared by their bytes, which is by code points
    "default_null_order": ("nulls_last",),
    "default_order": ("asc", "ascending"),
    "ieee_floating_point_ops": ("true",),  # a division by zero would be null, and a root of -1 an error
    "integer_division": ("false",),  # 1 / 2 would be 0
    "old_implicit_casting": ("false",),
}


@final
@frozen(kw_only=True)
class DuckDBDialect:
    """The SQL of DuckDB.

    Args:
        grammar: What sqlglot calls it.
        schema: Where tables are.
        functions: How meanings are written.
        types: Nothing: what sqlglot writes is understood.
        source_types: What types hold.
        settings: What meanings depend on.
    """

    grammar: str = "duckdb"
    schema: str = "main"
    functions: dict[str, Spelling] = _FUNCTIONS
    types: dict[exp.DType, str] = field(factory=dict)
    source_types: dict[str, Source] = _SOURCE_TYPES
    settings: dict[str, tuple[str, ...]] = _SETTINGS


DIALECT = DuckDBDialect()
CANONICAL = DuckDBDialect(functions={**_FUNCTIONS, "keyed_hash": _canonical_hash})
