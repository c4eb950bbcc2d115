"""Spark's way to write what engines write differently."""

from collections.abc import Sequence
from typing import ClassVar, final

from attrs import frozen
from sqlglot import exp

from privet.tables.engines.spark import numbers, texts
from privet.tables.engines.spark.casts import as_text, cast_as
from privet.tables.engines.spark.functions import spell
from privet.tables.engines.spark.keyed_hashes import CANONICAL_HASH, OWN_HASH, KeyedHash
from privet.tables.engines.spark.typed import ENGINE, GRAMMAR, TYPES, convert, fill, lambda_of, literal
from privet.tables.engines.typed_sql.trees import Typed, call
from privet.tables.engines.typed_sql.writer import Listed, Writer
from privet.tables.vocabulary import identifier


@final
@frozen(kw_only=True)
class SparkWriter(Writer):
    """The SQL of Spark, with ANSI switched on.

    Args:
        keyed_hash: The hash by which caps rank rows: Spark's own, or the one that every engine can compute.
    """

    keyed_hash: KeyedHash

    engine: ClassVar[str] = ENGINE
    grammar: ClassVar[str] = GRAMMAR
    orders_windows: ClassVar[bool] = True

    name = staticmethod(identifier)
    literal = staticmethod(literal)
    convert = staticmethod(convert)
    cast_as = staticmethod(cast_as)
    as_text = staticmethod(as_text)
    plus = staticmethod(numbers.plus)
    times = staticmethod(numbers.times)
    fitting_times = staticmethod(numbers.fitting_times)
    over = staticmethod(numbers.over)
    divide = staticmethod(numbers.divide)
    remainder = staticmethod(numbers.remainder)
    like = staticmethod(texts.like)
    ilike = staticmethod(texts.ilike)
    total = staticmethod(numbers.total)

    def spell(self, meaning: str, *arguments: Typed) -> Typed:
        """Write a meaning, or refuse it."""
        return self.keyed_hash.number(*arguments) if meaning == "keyed_hash" else spell(meaning, *arguments)

    def hash_order(self, key: Typed, *values: Typed) -> exp.Expr:
        """Write the hash in the form that rows are sorted by."""
        return self.keyed_hash.order(key, *values)

    def bind(self, value: Typed, name: str, body: Typed) -> exp.Expr:
        """Write a body in which a name stands for a value: a function of a list of one item."""
        return lambda_of(value.tree, identifier(name), body.tree)

    def rows_of_lists(self, columns: Sequence[Listed]) -> exp.Query:
        """Write a query of one row for each place of JSON lists, which are put together: Spark would cross them."""
        lists = [
            call("from_json", exp.Literal.string(values), exp.Literal.string(f"array<{TYPES[kind].lower()}>"))
            for _, values, kind in columns
        ]
        rows = exp.Select(expressions=[exp.alias_(call("explode", call("arrays_zip", *lists)), "p")])
        place = exp.column("p", "e")
        outputs = [
            exp.Alias(this=exp.Dot(this=place.copy(), expression=identifier(str(at))), alias=identifier(name))
            for at, (name, _, _) in enumerate(columns)
        ]
        return exp.Select(expressions=outputs).from_(
            exp.Subquery(this=rows, alias=exp.TableAlias(this=identifier("e")))
        )

    def bin_end(self, value: exp.Expr, ends: Sequence[exp.Expr]) -> exp.Expr:
        """Write the first of rising ends that is not below a whole number: by halving the list of ends."""
        if len(ends) == 1:
            return fill("CASE WHEN v <= e THEN e END", v=value, e=ends[0])
        middle = (len(ends) - 1) // 2
        below, above = self.bin_end(value, ends[: middle + 1]), self.bin_end(value, ends[middle + 1 :])
        return fill("CASE WHEN v <= m THEN b ELSE a END", v=value, m=ends[middle], b=below, a=above)

    def halve(self, value: Typed, times: Typed) -> Typed:
        """Divide a whole number that is not negative by two, so many times."""
        power = fill("CAST(SHIFTLEFT(CAST(1 AS BIGINT), CAST(n AS INT)) AS DECIMAL(38, 0))", n=times.tree)
        return numbers.divide(value, Typed(power, "int128"))

    def join_texts(self, left: Typed, right: Typed) -> Typed:
        """Put two texts one after another."""
        return Typed(call("concat", left.tree, right.tree), "text")

    def extreme(self, value: Typed, which: type[exp.Expr]) -> Typed:
        """Give the smallest or the largest value."""
        return Typed(which(this=value.tree), value.kind)


WRITER = SparkWriter(keyed_hash=OWN_HASH)
CANONICAL = SparkWriter(keyed_hash=CANONICAL_HASH)
