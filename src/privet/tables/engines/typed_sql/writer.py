"""What an engine writes in its own way: names, literals, casts, arithmetic, texts, and each meaning by its types."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.engines.typed_sql.trees import Kind, Typed, common

Listed = tuple[str, str, Kind]  # the name of a column, a JSON list of its values, and their type


class Writer(ABC):
    """The SQL of one engine, from typed trees to typed trees.

    Guarantee: every tree that it gives has a value for all values of its columns, the one that
        :mod:`privet.tables.vocabulary.literals` says. What it cannot write so it refuses by name.
    Proof: docs/tables/engines/postgres.md and docs/tables/engines/spark.md, one for each engine.

    >>> from privet.tables.engines.spark.writer import WRITER
    >>> half = WRITER.divide(WRITER.literal("7", "integer"), WRITER.literal("2", "integer"))
    >>> half.kind, half.tree.sql("spark")
    ('integer', "CAST('7' AS BIGINT) DIV CAST('2' AS BIGINT)")
    """

    engine: ClassVar[str]
    grammar: ClassVar[str]
    materialized: ClassVar[bool | None] = None  # what is said of a table that a statement names before its query
    orders_windows: ClassVar[bool] = False  # whether ranks must have an order

    def refused(self, what: str, advice: str) -> InvalidError:
        """Refuse what the engine does not compute as every other engine does; known from the query alone."""
        return refusal(self.engine, what, advice)

    def common(self, kinds: Sequence[Kind]) -> Kind:
        """Give the type of a choice between values of several types."""
        return common_kind(self.engine, kinds)

    @abstractmethod
    def name(self, name: str) -> exp.Identifier:
        """Quote a name, or refuse one that the engine does not tell from others."""

    @abstractmethod
    def literal(self, value: str, kind: Kind) -> Typed:
        """Write a value of a type."""

    @abstractmethod
    def convert(self, tree: exp.Expr, kind: Kind) -> exp.Expr:
        """Write a cast that the engine has and that never fails where it stands."""

    @abstractmethod
    def cast_as(self, value: Typed, kind: Kind) -> Typed:
        """Convert a value to another type; what does not convert is null."""

    @abstractmethod
    def as_text(self, value: Typed) -> Typed:
        """Write a value as its text: as every engine writes it, since hashes are taken of it."""

    @abstractmethod
    def spell(self, meaning: str, *arguments: Typed) -> Typed:
        """Write a meaning, or refuse it."""

    @abstractmethod
    def hash_order(self, key: Typed, *values: Typed) -> exp.Expr:
        """Write something that comes in the order of the keyed hash."""

    @abstractmethod
    def bind(self, value: Typed, name: str, body: Typed) -> exp.Expr:
        """Write a body in which a name stands for a value."""

    @abstractmethod
    def rows_of_lists(self, columns: Sequence[Listed]) -> exp.Query:
        """Write a query with one row for the first items of JSON lists, one for the second ones, and so on."""

    @abstractmethod
    def bin_end(self, value: exp.Expr, ends: Sequence[exp.Expr]) -> exp.Expr:
        """Write the first of rising ends that is not below a whole number; null beyond the last."""

    @abstractmethod
    def plus(self, left: Typed, right: Typed, sign: type[exp.Binary]) -> Typed:
        """Add or subtract two numbers."""

    @abstractmethod
    def times(self, left: Typed, right: Typed) -> Typed:
        """Multiply two numbers."""

    @abstractmethod
    def fitting_times(self, left: Typed, factor: Typed) -> Typed | None:
        """Give the integer nearest to a product with a constant, where it is known to fit; None where it may not."""

    @abstractmethod
    def over(self, left: Typed, right: Typed) -> Typed:
        """Divide two reals."""

    @abstractmethod
    def divide(self, left: Typed, right: Typed) -> Typed:
        """Divide whole numbers, toward zero."""

    @abstractmethod
    def remainder(self, left: Typed, right: Typed) -> Typed:
        """Give the remainder of whole numbers, with the sign of the first."""

    @abstractmethod
    def halve(self, value: Typed, times: Typed) -> Typed:
        """Divide a whole number that is not negative by two, so many times."""

    @abstractmethod
    def join_texts(self, left: Typed, right: Typed) -> Typed:
        """Put two texts one after another; null where one is."""

    @abstractmethod
    def like(self, value: Typed, pattern: Typed) -> Typed:
        """Match a pattern of SQL without an escape character."""

    @abstractmethod
    def ilike(self, value: Typed, pattern: Typed) -> Typed:
        """Match a pattern of SQL, both in small letters."""

    @abstractmethod
    def total(self, value: Typed) -> Typed:
        """Add up whole numbers exactly; null over no rows."""

    @abstractmethod
    def extreme(self, value: Typed, which: type[exp.Expr]) -> Typed:
        """Give the smallest or the largest value; false comes before true."""


def refusal(engine: str, what: str, advice: str) -> InvalidError:
    """Build the error of what an engine does not compute."""
    return InvalidError(f"on {engine}, {what}. Nothing was charged; {advice}")


def common_kind(engine: str, kinds: Sequence[Kind]) -> Kind:
    """Give the type of a choice between values of several types, or refuse them."""
    kind = common(kinds)
    if kind is None:
        known = dict.fromkeys(each for each in kinds if each != "null")
        raise refusal(engine, f"{' and '.join(known)} have no common type", "cast one of them.")
    return kind
