"""Public tables, to join to private rows or to name groups. Messages may name what is wrong with them."""

from collections import Counter
from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any, final
from weakref import WeakKeyDictionary

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.core import count_text, positive, whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.column import CodebookColumn
from privet.tables.columns import Column, find_column
from privet.tables.engines.engine import Engine
from privet.tables.relations.exact_rows import hash_rows
from privet.tables.relations.filling import fill_nulls
from privet.tables.relations.public_schema import infer_columns
from privet.tables.vocabulary import Relation, column, number

_numbers = count(1)
_WHOLE = Column(kind="integer")


@final
@frozen(kw_only=True, eq=False)
class HeldRows:
    """Rows that an engine holds already: a query of public tables, which gives the same rows each time."""

    engine: Engine
    relation: Relation


@final
@frozen(kw_only=True, eq=False)
class PublicTable:
    """A table that everybody may see.

    What an engine read of it belongs to these columns to match and to this source. A copy with other ones
    (``evolve``) has no keys, and its rows are read and counted again.

    Args:
        source: What an engine can load, in memory: a list of dictionaries, an Arrow table, a pandas or polars frame;
            or rows that an engine holds, which need no description.
        described: What its columns are, by name.
        on: The columns to match.
        most: How many rows share their values of these columns at most; the engine that loads them checks it.
        name: Its name in the session, if it is a public table of it, as it was given.
    """

    source: Any = field(repr=False)
    described: Mapping[str, CodebookColumn]
    on: tuple[str, ...]
    most: int = field(default=1, converter=whole, validator=positive)
    name: str | None = None
    keys: tuple[tuple[Any, ...], ...] | None = field(default=None, init=False, repr=False)
    """The values of the columns to match, null aside, each once; None where no engine has read them."""
    _held: "WeakKeyDictionary[Engine, Relation]" = field(factory=WeakKeyDictionary, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        _check_in_memory(self.source)
        if not isinstance(self.described, Mapping):
            kind = type(self.described).__name__
            raise WrongTypeError(f"join_public.columns must be pv.column(...) by name, got {kind}.")
        for name, item in self.described.items():
            if not isinstance(item, CodebookColumn):
                raise WrongTypeError(f"join_public.columns[{name!r}] must be made by pv.column(...).")
            if item.column.kind == "list":
                raise InvalidError(f"join_public: {name!r} is a list; make a row for each of its items first.")
        missing = [name for name in self.on if name not in self.columns]
        if missing or not self.on:
            raise InvalidError(
                f"join_public.columns must describe the columns to match; {missing or 'none'} is missing."
            )

    @property
    def columns(self) -> dict[str, Column]:
        """What its columns are once nulls have been replaced."""
        if isinstance(self.source, HeldRows):
            return dict(self.source.relation.columns)
        return {name: item.after_nulls for name, item in self.described.items()}

    def relation(self, engine: Engine) -> Relation:
        """Load it into an engine, once, and check how many rows share their keys there."""
        if engine not in self._held:
            relation = self._load(engine)
            most = max(self._matches(engine, relation).values(), default=1)
            if most > self.most:
                names, allowed = ", ".join(self.on), count_text(self.most, "row")
                raise InvalidError(
                    f"join_public: {most:,} rows of the public table share values of {names}, and {allowed} may; give "
                    "PublicTable(most=...) the larger number, or remove rows."
                )
            self._held[engine] = relation
        return self._held[engine]

    def read_by(self, engine: Engine) -> "PublicTable":
        """Let an engine read it: give the same table with its keys, and how many rows share them."""
        relation = self._load(engine)
        matches = self._matches(engine, relation)
        read = evolve(self, most=max(matches.values(), default=1))
        read._held[engine] = relation
        object.__setattr__(read, "keys", tuple(matches))  # the class is frozen; keys are no argument
        return read

    def hash_rows(self) -> str:
        """Hash its rows, as an engine has read them, with names and types."""
        held = next(iter(self._held.items()), None)
        if held is None:
            raise InvalidError("join_public: no engine has read the public table.")
        return hash_rows(*held)

    def without_keys(self) -> "PublicTable":
        """Give the same table without its list of keys, which may be long."""
        copy = evolve(self)
        copy._held.update(self._held)
        return copy

    def _load(self, engine: Engine) -> Relation:
        if isinstance(self.source, HeldRows):
            if engine is not self.source.engine:
                raise InvalidError(
                    "join_public: the public table belongs to another session; use one of this session, or data in "
                    "memory."
                )
            return self.source.relation
        read = {name: item.column for name, item in self.described.items()}
        called = f"privet public {next(_numbers)}"
        loaded = fill_nulls(engine.load(self.source, read, called, snapshot=True), self.described, key=0)
        return engine.hold(loaded, f"{called} held")  # what is counted now must stay so

    def _matches(self, engine: Engine, relation: Relation) -> Counter[tuple[Any, ...]]:
        """Count the rows of each key, as the engine has read them; null matches nothing."""
        read = engine.execute(relation.project({name: _key(name, relation[name]) for name in self.on}))
        return Counter(row for row in zip(*(read[name] for name in self.on), strict=True) if None not in row)


def public_table(source: Any, described: Mapping[str, CodebookColumn] | None, on: tuple[str, ...]) -> PublicTable:
    """Make a public table; where nothing describes its columns, they are inferred from its types and values."""
    _check_in_memory(source)
    if described is not None:
        return PublicTable(source=source, described=described, on=on)
    inferred = infer_columns(source, on)
    for name in on:
        find_column("join_public.on", name, inferred, at="in the public table")
    return PublicTable(source=source, described=inferred, on=on)


def held_public(engine: Engine, relation: Relation, on: tuple[str, ...], name: str | None = None) -> PublicTable:
    """Make a public table of rows that an engine holds already.

    Args:
        engine: The engine.
        relation: The rows: a query of public tables that the engine holds, which gives the same rows each time.
        on: The columns to match.
        name: The name of the public table, if these are all of its rows.
    """
    held = HeldRows(engine=engine, relation=relation)
    return PublicTable(source=held, described={}, on=on, name=name).read_by(engine)


def _check_in_memory(source: object) -> None:
    if isinstance(source, str | Path):
        raise WrongTypeError(
            "join_public.source must be in memory, got a path: read it first, as with pandas.read_csv(path)."
        )


def _key(name: str, known: Column) -> tuple[exp.Expr, Column]:
    """Refer to a key as an engine gives it back: a date as its number of days."""
    value = column(name, "r")
    return (number(value, known), _WHOLE) if known.kind == "date" else (value, known)
