"""Spark's way to write what engines write differently."""

from collections.abc import Sequence
from typing import ClassVar, final

from attrs import frozen
from sqlglot import exp

from privet.tables.engines.spark import numbers, texts
from privet.tables.engines.spark.casts import as_text, cast_as
from privet.tables.engines.spark.functions import hex_hash, keyed_hash, own_hash, spell
from privet.tables.engines.spark.typed import ENGINE, GRAMMAR, TYPES, convert, fill, lambda_of, literal
from privet.tables.engines.typed_sql.trees import Kind, Typed, call
from privet.tables.engines.typed_sql.writer import Listed, Writer
from privet.tables.vocabulary import identifier


@final
@frozen(kw_only=True)
class SparkWriter(Writer):
    """The SQL of Spark, with ANSI switched on.

    Args:
        canonical: Whether keyed hashes are those of every engine, or Spark's own, which take half the time.
    """

    canonical: bool = False

    engine: ClassVar[str] = ENGINE
    grammar: ClassVar[str] = GRAMMAR
    orders_windows: ClassVar[bool] = True

    def name(self, name: str) -> exp.Identifier:
        """Quote a name."""
        return identifier(name)

    def literal(self, value: str, kind: Kind) -> Typed:
        """Write a value of a type."""
        return literal(value, kind)

    def convert(self, tree: exp.Expr, kind: Kind) -> exp.Expr:
        """Write a cast that Spark has and that never fails where it stands."""
        return convert(tree, kind)

    def cast_as(self, value: Typed, kind: Kind) -> Typed:
        """Convert a value to another type; what does not convert is null."""
        return cast_as(value, kind)

    def as_text(self, value: Typed) -> Typed:
        """Write a value as its text."""
        return as_text(value)

    def spell(self, meaning: str, *arguments: Typed) -> Typed:
        """Write a meaning, or refuse it."""
        if meaning == "keyed_hash" and self.canonical:
            return keyed_hash(*arguments)
        return spell(meaning, *arguments)

    def hash_order(self, key: Typed, *values: Typed) -> exp.Expr:
        """Write the digits of the canonical hash, or Spark's own hash."""
        return hex_hash(key, *values) if self.canonical else own_hash(key, *values)

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

    def plus(self, left: Typed, right: Typed, sign: type[exp.Binary]) -> Typed:
        """Add or subtract two numbers."""
        return numbers.plus(left, right, sign)

    def times(self, left: Typed, right: Typed) -> Typed:
        """Multiply two numbers."""
        return numbers.times(left, right)

    def fitting_times(self, left: Typed, factor: Typed) -> Typed | None:
        """Give the integer nearest to a product with a constant, where it is known to fit."""
        return numbers.fitting_times(left, factor)

    def over(self, left: Typed, right: Typed) -> Typed:
        """Divide two reals."""
        return numbers.over(left, right)

    def divide(self, left: Typed, right: Typed) -> Typed:
        """Divide whole numbers, toward zero."""
        return numbers.divide(left, right)

    def remainder(self, left: Typed, right: Typed) -> Typed:
        """Give the remainder of whole numbers, with the sign of the first."""
        return numbers.remainder(left, right)

    def halve(self, value: Typed, times: Typed) -> Typed:
        """Divide a whole number that is not negative by two, so many times."""
        power = fill("CAST(SHIFTLEFT(CAST(1 AS BIGINT), CAST(n AS INT)) AS DECIMAL(38, 0))", n=times.tree)
        return numbers.divide(value, Typed(power, "int128"))

    def join_texts(self, left: Typed, right: Typed) -> Typed:
        """Put two texts one after another."""
        return Typed(call("concat", left.tree, right.tree), "text")

    def like(self, value: Typed, pattern: Typed) -> Typed:
        """Match a pattern of SQL without an escape character."""
        return texts.like(value, pattern)

    def ilike(self, value: Typed, pattern: Typed) -> Typed:
        """Match a pattern of SQL, both in small letters."""
        return texts.ilike(value, pattern)

    def total(self, value: Typed) -> Typed:
        """Add up whole numbers exactly."""
        return numbers.total(value)

    def extreme(self, value: Typed, which: type[exp.Expr]) -> Typed:
        """Give the smallest or the largest value."""
        return Typed(which(this=value.tree), value.kind)


WRITER = SparkWriter()
CANONICAL = SparkWriter(canonical=True)
