"""PostgreSQL's way to write what engines write differently."""

from collections.abc import Sequence
from typing import ClassVar, final

from sqlglot import exp

from privet.tables.engines.postgres import numbers, texts
from privet.tables.engines.postgres.casts import as_text, cast_as
from privet.tables.engines.postgres.functions import hex_hash, spell
from privet.tables.engines.postgres.typed import ENGINE, GRAMMAR, convert, fill, literal, name_of
from privet.tables.engines.typed_sql.trees import Typed, call
from privet.tables.engines.typed_sql.writer import Listed, Writer


@final
class PostgresWriter(Writer):
    """The SQL of PostgreSQL; texts are compared by code points."""

    engine: ClassVar[str] = ENGINE
    grammar: ClassVar[str] = GRAMMAR
    materialized: ClassVar[bool | None] = False  # a table that is named twice would be computed in full

    name = staticmethod(name_of)
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
    spell = staticmethod(spell)
    hash_order = staticmethod(hex_hash)  # its digits come in the order of the numbers

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

    def halve(self, value: Typed, times: Typed) -> Typed:
        """Divide a whole number by two, so many times."""
        power = fill("(1::bigint << n::int)", n=times.tree)
        return numbers.divide(value, Typed(convert(power, "int128"), "int128"))

    def join_texts(self, left: Typed, right: Typed) -> Typed:
        """Put two texts one after another."""
        return Typed(fill("a || b", a=left.tree, b=right.tree), "text")

    def total(self, value: Typed) -> Typed:
        """Add up whole numbers exactly."""
        return Typed(exp.Sum(this=value.tree), "int128")

    def extreme(self, value: Typed, which: type[exp.Expr]) -> Typed:
        """Give the smallest or the largest value."""
        if value.kind == "boolean":
            return Typed(call("bool_and" if which is exp.Min else "bool_or", value.tree), "boolean")
        return Typed(which(this=value.tree), value.kind)


WRITER = PostgresWriter()
