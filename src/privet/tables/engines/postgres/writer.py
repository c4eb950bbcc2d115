"""PostgreSQL's way to write what engines write differently."""

from collections.abc import Sequence
from typing import ClassVar, final

from sqlglot import exp

from privet.tables.engines.postgres import numbers, texts
from privet.tables.engines.postgres.casts import as_text, cast_as
from privet.tables.engines.postgres.functions import hex_hash, spell
from privet.tables.engines.postgres.typed import ENGINE, GRAMMAR, convert, fill, literal, name_of
from privet.tables.engines.typed_sql.trees import Kind, Typed, call
from privet.tables.engines.typed_sql.writer import Listed, Writer


@final
class PostgresWriter(Writer):
    """The SQL of PostgreSQL; texts are compared by code points."""

    engine: ClassVar[str] = ENGINE
    grammar: ClassVar[str] = GRAMMAR
    materialized: ClassVar[bool | None] = False  # a table that is named twice would be computed in full

    def name(self, name: str) -> exp.Identifier:
        """Quote a name, or refuse one that PostgreSQL would cut."""
        return name_of(name)

    def literal(self, value: str, kind: Kind) -> Typed:
        """Write a value of a type."""
        return literal(value, kind)

    def convert(self, tree: exp.Expr, kind: Kind) -> exp.Expr:
        """Write a cast that PostgreSQL has and that never fails where it stands."""
        return convert(tree, kind)

    def cast_as(self, value: Typed, kind: Kind) -> Typed:
        """Convert a value to another type; what does not convert is null."""
        return cast_as(value, kind)

    def as_text(self, value: Typed) -> Typed:
        """Write a value as its text."""
        return as_text(value)

    def spell(self, meaning: str, *arguments: Typed) -> Typed:
        """Write a meaning, or refuse it."""
        return spell(meaning, *arguments)

    def hash_order(self, key: Typed, *values: Typed) -> exp.Expr:
        """Write the digits of the hash, which come in its order."""
        return hex_hash(key, *values)

    def bind(self, value: Typed, name: str, body: Typed) -> exp.Expr:
        """Write a body in which a name stands for a value: in a query of one row."""
        inner = exp.Select(expressions=[exp.Alias(this=value.tree, alias=name_of(name))]).offset(0)
        table = exp.Subquery(this=inner, alias=exp.TableAlias(this=exp.to_identifier("b")))
        return exp.Subquery(this=exp.Select(expressions=[body.tree]).from_(table))

    def rows_of_lists(self, columns: Sequence[Listed]) -> exp.Query:
        """Write a query of one row for each place of JSON lists: PostgreSQL goes through all of them at once."""
        body = "JSONB_ARRAY_ELEMENTS_TEXT(v::jsonb)"
        outputs = [
            exp.Alias(this=convert(fill(body, v=exp.Literal.string(values)), kind), alias=name_of(name))
            for name, values, kind in columns
        ]
        return exp.Select(expressions=outputs)

    def bin_end(self, value: exp.Expr, ends: Sequence[exp.Expr]) -> exp.Expr:
        """Write the first of rising ends that is not below a whole number."""
        body = "(e)[WIDTH_BUCKET(v::numeric - 1, e::numeric[]) + 1]"
        return fill(body, v=value, e=exp.Array(expressions=list(ends)))

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
        """Divide a whole number by two, so many times."""
        power = fill("(1::bigint << n::int)", n=times.tree)
        return numbers.divide(value, Typed(convert(power, "int128"), "int128"))

    def join_texts(self, left: Typed, right: Typed) -> Typed:
        """Put two texts one after another."""
        return Typed(fill("a || b", a=left.tree, b=right.tree), "text")

    def like(self, value: Typed, pattern: Typed) -> Typed:
        """Match a pattern of SQL without an escape character."""
        return texts.like(value, pattern)

    def ilike(self, value: Typed, pattern: Typed) -> Typed:
        """Match a pattern of SQL, both in small letters."""
        return texts.ilike(value, pattern)

    def total(self, value: Typed) -> Typed:
        """Add up whole numbers exactly."""
        return Typed(exp.Sum(this=value.tree), "int128")

    def extreme(self, value: Typed, which: type[exp.Expr]) -> Typed:
        """Give the smallest or the largest value."""
        if value.kind == "boolean":
            return Typed(call("bool_and" if which is exp.Min else "bool_or", value.tree), "boolean")
        return Typed(which(this=value.tree), value.kind)


WRITER = PostgresWriter()
