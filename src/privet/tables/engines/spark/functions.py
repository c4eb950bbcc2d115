"""How Spark writes each meaning: functions from typed trees to a typed tree, and what is refused by name."""

from functools import partial

from sqlglot import exp

from privet.tables.engines.spark import dates, numbers, texts
from privet.tables.engines.spark.casts import is_finite, is_nan
from privet.tables.engines.spark.date_formats import read_format
from privet.tables.engines.spark.keyed_hashes import OWN_HASH
from privet.tables.engines.spark.typed import ENGINE, convert, fill
from privet.tables.engines.typed_sql.meanings import null_if, refused_meanings, same_kind, spell_meaning
from privet.tables.engines.typed_sql.trees import Spell, Typed, call
from privet.tables.engines.typed_sql.writer import common_kind

REFUSED = refused_meanings("in the DataFrame", "matches of a regular expression are searched without a limit of time")


def _count_of(name: str, value: Typed) -> Typed:
    return Typed(convert(call(name, value.tree), "integer"), "integer")


def _choice(name: str, *values: Typed) -> Typed:
    kind = common_kind(ENGINE, [each.kind for each in values])
    trees = [each.tree for each in values]
    return Typed(call(name, *trees) if len(trees) > 1 else trees[0], kind)


def _contains(value: Typed, part: Typed) -> Typed:
    return Typed(call("contains", value.tree, part.tree), "boolean")


def _replace(value: Typed, part: Typed, other: Typed) -> Typed:
    return Typed(call("replace", value.tree, part.tree, other.tree), "text")


def _rank(name: str) -> Typed:
    return Typed(call(name), "int32")


def _end_pair(order: str, by: Typed, value: Typed) -> Typed:
    both = f"{order}(STRUCT(b AS b, v AS v)) FILTER(WHERE NOT b IS NULL AND NOT v IS NULL)"
    return Typed(
        exp.Dot(this=exp.Paren(this=fill(both, v=value.tree, b=by.tree)), expression=exp.to_identifier("v")), value.kind
    )


FUNCTIONS: dict[str, Spell] = {
    "abs": partial(same_kind, "abs"),
    **{name: partial(_choice, name) for name in ("coalesce", "greatest", "least")},
    **{name: partial(dates.part_of, name) for name in dates.PARTS},
    **{name: partial(_rank, name) for name in ("dense_rank", "row_number")},
    "add_days": dates.days_later,
    "add_months": dates.months_later,
    "byte_length": partial(_count_of, "octet_length"),
    "ceil": numbers.up,
    "concat": texts.concatenate,
    "contains": _contains,
    "date_at": dates.date_at,
    "date_trunc": dates.truncate,
    "days_between": dates.days_between,
    "each_part": texts.parts,
    "ends_with": texts.ends,
    "first_pair": partial(_end_pair, "MIN"),
    "floor": numbers.down,
    "ilike_escape": texts.ilike,
    "isfinite": is_finite,
    "isnan": is_nan,
    "keyed_hash": OWN_HASH.number,
    "last_pair": partial(_end_pair, "MAX"),
    "left": partial(texts.cut, "left"),
    "length": partial(_count_of, "length"),
    "like_escape": texts.like,
    "lower": partial(texts.in_case, "lower"),
    "matches": texts.matches,
    "microseconds": dates.microseconds,
    "nullif": null_if,
    "parse_timestamp": read_format,
    "position": texts.place,
    "replace": _replace,
    "right": partial(texts.cut, "right"),
    "round": numbers.round_to,
    "sqrt": numbers.root,
    "starts_with": texts.begins,
    "substr": partial(texts.cut, "substring"),
    "timestamp_at": dates.timestamp_at,
    "trim": texts.trim,
    "trunc": numbers.truncate,
    "upper": partial(texts.in_case, "upper"),
}


def spell(meaning: str, *arguments: Typed) -> Typed:
    """Write a meaning, or refuse it."""
    return spell_meaning(ENGINE, FUNCTIONS, REFUSED, meaning, *arguments)
