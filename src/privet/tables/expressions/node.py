"""The three nodes of an expression: a reference to a column, a literal, a call of a function."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from functools import cached_property, lru_cache
from itertools import product
from math import prod
from typing import Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import LONGEST_TEXT, Column, Kind
from privet.tables.engines.default import evaluate
from privet.tables.expressions.ranges import MOST_CATEGORIES, Range, anything, of_column, only
from privet.tables.vocabulary import bare, call, cast, column

MOST_NODES = 5_000
DEEPEST = 100


class Expression(ABC):
    """A total function of one row, with the column of its values inferred. Built by ``parse``."""

    @property
    @abstractmethod
    def range(self) -> Range:
        """What is known of the values."""

    @property
    def column(self) -> Column:
        """What is known of the values, as a column."""
        return self.range.column()

    @property
    def kind(self) -> Kind:
        """The kind of the values."""
        return self.range.kind

    @abstractmethod
    def sql(self) -> exp.Expr:
        """Compile to a tree that raises for no row."""

    def mentions(self) -> Iterator["Reference"]:
        """Give every place where a column is named, in order."""
        yield from ()

    def references(self) -> tuple[str, ...]:
        """Name the columns that are read, each once, in order."""
        return tuple(dict.fromkeys(each.name for each in self.mentions()))

    @property
    def width(self) -> int:
        """How many characters all texts have together that are computed for one row; columns are not computed."""
        return 0

    @property
    def size(self) -> tuple[int, int]:
        """How many nodes there are, and how many levels."""
        return 1, 1

    def values(self) -> tuple[Any, ...] | None:
        """List every value that may occur, null included, where they are few."""
        listed = self.range.categories
        if listed is None and self.kind == "boolean":
            listed = (False, True)
        if listed is None:
            return None
        return (*listed, None) if self.range.nullable else listed


@final
@frozen(eq=True)
class Reference(Expression):
    """A column of the table, by name."""

    name: str
    declared: Column

    @property
    def range(self) -> Range:
        """What the column says."""
        return of_column(self.declared)

    @property
    def column(self) -> Column:
        """The column itself, grid included."""
        return self.declared

    def sql(self) -> exp.Expr:
        """Give the quoted name."""
        return column(self.name)

    def mentions(self) -> Iterator["Reference"]:
        """Give this place."""
        yield self

    def __str__(self) -> str:
        return '"' + self.name.replace('"', '""') + '"'


def _unsigned(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value  # there is no -0.0


@final
@frozen(eq=True)
class Literal(Expression):
    """A value of a stated kind, or a null of it."""

    value: Any = field(converter=_unsigned)
    of: Kind

    @property
    def range(self) -> Range:
        """This value alone."""
        return (
            only(self.of, [self.value])
            if self.value is not None
            else evolve(anything(self.of), categories=(), length=0)
        )

    def values(self) -> tuple[Any, ...] | None:
        """List the value."""
        return (self.value,)

    def sql(self) -> exp.Expr:
        """Give the value with its type: a bare 1 is of 32 bits, a bare 0.1 a decimal."""
        if self.value is None or self.of in ("integer", "date", "timestamp"):
            return cast(bare(self.value), self.of)
        return bare(self.value)

    def __str__(self) -> str:
        if self.value is None:
            return f"cast(null as {self.of})"
        if isinstance(self.value, str):
            return "'" + self.value.replace("'", "''") + "'"
        if isinstance(self.value, datetime):
            return f"timestamp '{self.value.isoformat(sep=' ')}'"
        if isinstance(self.value, date):
            return f"date '{self.value.isoformat()}'"
        return str(self.value).lower() if isinstance(self.value, bool) else repr(self.value)


Nodes = tuple[Expression, ...]


def by_name(name: str) -> Callable[[tuple[str, ...]], str]:
    """Write a call as ``name(x, y)``."""
    return lambda texts: f"{name}({', '.join(texts)})"


def by_engine(name: str) -> Callable[..., exp.Expr]:
    """Compile a call to the engine's function of this meaning."""
    return lambda *arguments: call(name, *(argument.sql() for argument in arguments))


def never(_: object) -> bool:
    """Say that values are not computed beforehand: libraries round differently, or they are inferred exactly."""
    return False


@final
@frozen(kw_only=True, eq=False)
class Function:
    """A total function from values to a value: what it accepts, infers, compiles to and means.

    Args:
        name: The name in the list of what is allowed.
        usage: How it is written.
        meaning: What it gives.
        nulls: When it gives null.
        domain: What is inferred of its values.
        accept: Checks the kinds of the arguments and converts them; raises ``InvalidError``.
        infer: From the ranges of the accepted arguments, one parameter each, to that of the value.
        compile: From the accepted arguments, one parameter each, to SQL.
        strict: Whether one null argument makes the value null.
        foldable: Whether the value at these values may be computed beforehand: every engine gives the same one, to the
            last bit, and ``infer`` alone does not tell as much.
        convert: From a literal to a literal, exactly; where there is one, no engine is needed for that.
        write: Writes the call from the texts of its arguments.
    """

    name: str
    usage: str
    meaning: str
    nulls: str
    domain: str
    accept: Callable[[Nodes], Nodes]
    infer: Callable[..., Range]
    compile: Callable[..., exp.Expr]
    strict: bool = True
    foldable: Callable[[tuple[Any, ...]], bool] = lambda _: True
    convert: Callable[[Any], Any] | None = None
    write: Callable[[tuple[str, ...]], str] | None = None

    def __call__(self, *arguments: Expression) -> Expression:
        """Check the arguments and infer the column; a function of literals alone is computed here and now."""
        accepted = self.accept(arguments)
        _check_size(accepted)
        known = self.infer(*(argument.range for argument in accepted))
        _check_length(self.name, known)
        constant = all(isinstance(argument, Literal) for argument in accepted)
        listed = self._listed(accepted)
        if listed is not None:
            if constant:
                return Literal(listed[0], known.kind)
            known = only(known.kind, _in_order(listed, known.categories))
        elif self.strict and any(argument.range.never for argument in accepted):
            known = evolve(known, categories=(), nullable=True)
        if constant and known.single:
            return Literal((known.categories or (None,))[0], known.kind)
        return Call(self, accepted, known)

    def _listed(self, arguments: Nodes) -> Sequence[Any] | None:
        """List the values where the arguments take few; None where they take many, or engines need not agree."""
        first = arguments[0] if len(arguments) == 1 else None
        if self.convert is not None and isinstance(first, Literal):
            return [None if first.value is None else self.convert(first.value)]
        lists = [argument.values() for argument in arguments]
        few = [values for values in lists if values is not None]
        if not arguments or len(few) < len(lists) or prod(len(values) for values in few) > MOST_CATEGORIES:
            return None
        slots = tuple(
            argument if isinstance(argument, Literal) else _Slot(f"x{place}", argument.range)
            for place, argument in enumerate(arguments)
        )
        return _values(self, slots)


@lru_cache(maxsize=1_000)
def _values(function: Function, arguments: Nodes) -> tuple[Any, ...] | None:
    """Let the engine compute a function at all combinations of the values of its arguments, where engines agree."""
    rows = list(product(*(argument.values() or () for argument in arguments)))
    if not all(function.foldable(row) for row in rows):
        return None
    columns = {
        argument.name: (argument.kind, [row[place] for row in rows])
        for place, argument in enumerate(arguments)
        if isinstance(argument, _Slot)
    }
    (values,) = evaluate([function.compile(*arguments)], columns, len(rows))
    return tuple(values)


def _in_order(listed: Sequence[Any], categories: tuple[Any, ...] | None) -> list[Any]:
    """List values in the order of the categories that were inferred without them."""
    places = {value: place for place, value in enumerate(categories or ())}
    return sorted(listed, key=lambda value: places.get(value, len(places)))


def _check_size(arguments: Nodes) -> None:
    sizes = [argument.size for argument in arguments]
    if sum(nodes for nodes, _ in sizes) >= MOST_NODES or max((levels for _, levels in sizes), default=0) >= DEEPEST:
        raise InvalidError(
            f"The expression is too large: at most {MOST_NODES} operations, nested at most {DEEPEST} deep. "
            "Derive a column from a part of it first."
        )


def _check_length(name: str, known: Range) -> None:
    if known.length > LONGEST_TEXT:
        raise InvalidError(
            f"{name} may give a text of {known.length:,} characters, and none may have more than {LONGEST_TEXT:,}: "
            "an engine could run out of memory for one row and not for another. Cut its parts with "
            "substr(s, 1, n), or give their columns a length in the codebook."
        )


@final
@frozen
class _Slot(Expression):
    """What stands for an argument while its values are put in one after another."""

    name: str
    known: Range

    @property
    def range(self) -> Range:
        """What is known of the argument."""
        return self.known

    def sql(self) -> exp.Expr:
        """Give the name."""
        return column(self.name)


@final
@frozen(eq=True, slots=False)
class Call(Expression):
    """A function of expressions. Build it by calling the function."""

    function: Function
    arguments: Nodes
    inferred: Range = field(eq=False)

    @property
    def range(self) -> Range:
        """What was inferred."""
        return self.inferred

    def sql(self) -> exp.Expr:
        """Compile the call."""
        return self.function.compile(*self.arguments)

    def mentions(self) -> Iterator[Reference]:
        """Give the places in all arguments."""
        for argument in self.arguments:
            yield from argument.mentions()

    @cached_property
    def width(self) -> int:
        """The text that is computed, and those that it is computed from."""
        return self.inferred.length + sum(argument.width for argument in self.arguments)

    @cached_property
    def size(self) -> tuple[int, int]:
        """How many nodes there are, and how many levels."""
        sizes = [argument.size for argument in self.arguments]
        return 1 + sum(nodes for nodes, _ in sizes), 1 + max((levels for _, levels in sizes), default=0)

    def __str__(self) -> str:
        write = self.function.write or by_name(self.function.name)
        return write(tuple(map(str, self.arguments)))
