"""How PostgreSQL writes each meaning: functions from typed trees to a typed tree, and what is refused by name."""

from functools import partial

from sqlglot import exp

from privet.tables.engines.postgres import dates, texts
from privet.tables.engines.postgres.casts import as_text, is_finite, is_nan
from privet.tables.engines.postgres.date_formats import read_format
from privet.tables.engines.postgres.numbers import root, round_to
from privet.tables.engines.postgres.typed import ENGINE, by_code_points, convert, fill, let
from privet.tables.engines.typed_sql.meanings import null_if, refused_meanings, same_kind, spell_meaning
from privet.tables.engines.typed_sql.trees import Spell, Typed, call
from privet.tables.engines.typed_sql.writer import common_kind

REFUSED = refused_meanings("in a view of the table", "matches of a regular expression are chosen by other rules")


def _count_of(name: str, value: Typed) -> Typed:
    return Typed(convert(call(name, value.tree), "integer"), "integer")


def _choice(name: str, *values: Typed) -> Typed:
    kind = common_kind(ENGINE, [each.kind for each in values])
    return Typed(call(name, *(each.tree for each in values)), kind)


def _contains(value: Typed, part: Typed) -> Typed:
    return Typed(fill("STRPOS(v, p) > 0", v=value.tree, p=part.tree), "boolean")


def _replace(value: Typed, part: Typed, other: Typed) -> Typed:
    return Typed(by_code_points(call("replace", value.tree, part.tree, other.tree)), "text")


def _rank(name: str) -> Typed:
    return Typed(call(name), "integer")


def _end_pair(order: str, by: Typed, value: Typed) -> Typed:
    rule = f"ARRAY_AGG(v ORDER BY b {order}, v {order}) FILTER(WHERE NOT b IS NULL AND NOT v IS NULL)"
    chosen = fill(rule, v=value.tree, b=by.tree)
    return Typed(fill("(c)[1]", c=chosen), value.kind)


def hex_hash(key: Typed, *values: Typed) -> exp.Expr:
    """Write the first sixteen digits of the hash, which come in the order of the numbers that they write."""
    parts = [as_text(key).tree, *(_encoded(each) for each in values)]
    return by_code_points(fill("LEFT(MD5(t), 16)", t=call("concat", *parts)))


def _encoded(value: Typed) -> exp.Expr:
    """Write a value so that no two rows of values are written alike: docs/tables/engines/index.md says how."""
    if value.kind != "text":
        return fill("COALESCE(',' || v, ',n')", v=as_text(value).tree)
    return let("CASE WHEN v IS NULL THEN ',n' ELSE CONCAT(',', LENGTH(v), ':', v) END", v=value.tree)


def _keyed_hash(key: Typed, *values: Typed) -> Typed:
    body = """(('x' || LEFT(h, 8))::bit(32)::bigint)::numeric * 4294967296 + ('x' || RIGHT(h, 8))::bit(32)::bigint"""
    return Typed(let(body, h=hex_hash(key, *values)), "uint64")


FUNCTIONS: dict[str, Spell] = {
    **{name: partial(same_kind, name) for name in ("abs", "ceil", "floor", "trunc")},
    **{name: partial(_choice, name) for name in ("coalesce", "greatest", "least")},
    **{name: partial(dates.part_of, name) for name in dates.PARTS},
    **{name: partial(_rank, name) for name in ("dense_rank", "row_number")},
    "add_days": dates.days_later,
    "add_months": dates.months_later,
    "byte_length": partial(_count_of, "octet_length"),
    "concat": texts.concatenate,
    "contains": _contains,
    "date_at": dates.date_at,
    "date_trunc": dates.truncate,
    "days_between": dates.days_between,
    "each_part": texts.parts,
    "ends_with": texts.ends,
    "first_pair": partial(_end_pair, "ASC"),
    "ilike_escape": texts.ilike,
    "isfinite": is_finite,
    "isnan": is_nan,
    "keyed_hash": _keyed_hash,
    "last_pair": partial(_end_pair, "DESC"),
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
    "round": round_to,
    "sqrt": root,
    "starts_with": texts.begins,
    "substr": partial(texts.cut, "substr"),
    "timestamp_at": dates.timestamp_at,
    "trim": texts.trim,
    "upper": partial(texts.in_case, "upper"),
}


def spell(meaning: str, *arguments: Typed) -> Typed:
    """Write a meaning, or refuse it."""
    return spell_meaning(ENGINE, FUNCTIONS, REFUSED, meaning, *arguments)
