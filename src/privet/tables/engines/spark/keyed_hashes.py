"""Keyed hashes on Spark: its own, which takes half the time, and the canonical one of docs/tables/engines/index.md."""

from collections.abc import Callable
from typing import final

from attrs import frozen
from sqlglot import exp

from privet.tables.engines.spark.casts import as_text
from privet.tables.engines.spark.typed import convert, fill, let
from privet.tables.engines.typed_sql.trees import Spell, Typed, call


@final
@frozen(kw_only=True)
class KeyedHash:
    """A hash of a key and of values.

    Args:
        number: Writes it as a whole number that is not negative.
        order: Writes what rows are sorted by: the same hash in a form that is cheaper to compute.
    """

    number: Spell
    order: Callable[..., exp.Expr]


def _hex_hash(key: Typed, *values: Typed) -> exp.Expr:
    """Write the first sixteen digits of the hash, which come in the order of the numbers that they write."""
    parts = [as_text(key).tree, *(_encoded(each) for each in values)]
    return fill("LEFT(MD5(t), 16)", t=call("concat", *parts))


def _encoded(value: Typed) -> exp.Expr:
    """Write a value so that no two rows of values are written alike."""
    if value.kind != "text":
        return fill("COALESCE(CONCAT(',', v), ',n')", v=as_text(value).tree)
    return let("CASE WHEN v IS NULL THEN ',n' ELSE CONCAT(',', LENGTH(v), ':', v) END", v=value.tree)


def _hex_number(key: Typed, *values: Typed) -> Typed:
    body = "CAST(CONV(h, 16, 10) AS DECIMAL(20, 0))"
    return Typed(fill(body, h=_hex_hash(key, *values)), "uint64")


def _own_hash(key: Typed, *values: Typed) -> exp.Expr:
    """Write Spark's own hash, a signed number of 64 bits; it takes the key first, and each value into what follows."""
    return call("xxhash64", key.tree, *(each.tree for each in values))


def _own_number(key: Typed, *values: Typed) -> Typed:
    body = "CAST(h AS DECIMAL(20, 0)) + CASE WHEN h < 0 THEN 18446744073709551616 ELSE 0 END"
    return Typed(convert(let(body, h=_own_hash(key, *values)), "uint64"), "uint64")


CANONICAL_HASH = KeyedHash(number=_hex_number, order=_hex_hash)
OWN_HASH = KeyedHash(number=_own_number, order=_own_hash)
