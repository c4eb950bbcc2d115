"""Private tables, loaded, with what is publicly known of them."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import NoReturn, final

from attrs import evolve, field, frozen

from privet.core import Space
from privet.errors import InvalidError, UnavailableError
from privet.noise import uniform_below
from privet.tables.codebook.codebook import Codebook
from privet.tables.engines.choosing import open_engine_for
from privet.tables.engines.default import write_query
from privet.tables.relations.caps import KEY_BITS
from privet.tables.relations.filling import fill_nulls
from privet.tables.relations.id_columns import (
    describe_protected,
    id_columns_by_table,
    rows_of_periods,
    with_id_columns,
)
from privet.tables.relations.public_source import PublicSource, load_public
from privet.tables.relations.table_space import Database, DatabaseDomain, RowDistance, UnitDistance, limits_of
from privet.tables.vocabulary import Relation


@final
@frozen(kw_only=True, eq=False)
class PrivateTables:
    """Tables in an engine, their codebooks and a secret key.

    Args:
        codebooks: What is publicly known of each table, by name.
        database: The tables.
        key: A secret number that decides which rows of a person the caps keep.
        part: Which part of another session's rows these are, in words; empty for whole tables.
        borrowed: Whether another curator closes the engine.
        public: Public tables of the session, by name.
    """

    codebooks: Mapping[str, Codebook]
    database: Database = field(repr=False)
    key: int = field(repr=False)
    part: tuple[str, ...] = ()
    borrowed: bool = False
    public: Mapping[str, PublicSource] = field(factory=dict, repr=False)

    @cached_property
    def space(self) -> Space:
        """The tables, and how far apart neighbours are."""
        domain = DatabaseDomain(tables={name: each.columns for name, each in self.database.tables.items()})
        by_table = id_columns_by_table(self.codebooks)
        first = next(iter(by_table.values()))
        named = tuple((name, ids) for name, ids in by_table.items() if ids != first)
        return Space(domain, UnitDistance(first, named=named) if first else RowDistance())

    @property
    def protected(self) -> str:
        """What no release reveals, in one sentence; it names the id column of each table where they differ."""
        return describe_protected(self.codebooks)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the codebooks assert and nobody checks."""
        return tuple(dict.fromkeys(line for book in self.codebooks.values() for line in book.assumptions))

    def rehearse(self, space: Space, relations: Sequence[Relation]) -> None:
        """Run queries on empty tables, and refuse those that the engine cannot run.

        Args:
            space: The rows that the queries read.
            relations: The queries.
        """
        columns = space.domain.columns  # type: ignore[attr-defined]
        self.database.engine.rehearse(relations, limits_of(space), columns)

    def check_writable(self, relations: Sequence[Relation]) -> None:
        """Refuse queries that are too deep to be written, before they are charged; run nothing.

        Args:
            relations: The queries.
        """
        try:
            for relation in relations:
                write_query(relation)
        except RecursionError:
            raise InvalidError(
                "the query is nested too deeply to be written; use fewer filters and derived columns."
            ) from None

    def one_snapshot(self) -> AbstractContextManager[None]:
        """Let all queries within see the same rows."""
        return self.database.engine.one_snapshot()

    def check_sources(self) -> None:
        """Refuse to go on once a file has changed."""
        self.database.engine.check_sources()

    def portion(self, name: str, relation: Relation, words: str) -> "PrivateTables":
        """Take some rows of one table.

        Args:
            name: The table.
            relation: Its rows.
            words: Which rows these are, for the notes of releases.
        """
        return PrivateTables(
            codebooks={name: self.codebooks[name]},
            database=Database(tables={name: relation}, engine=self.database.engine),
            key=self.key,
            part=(*self.part, words),
            borrowed=True,
            public=self.public,
        )

    def __reduce__(self) -> NoReturn:
        raise UnavailableError("private tables hold data and a secret key and cannot be copied or pickled.")

    def close(self) -> None:
        """Forget the tables, unless they belong to another curator."""
        if not self.borrowed:
            self.database.engine.close()


def open_tables(
    sources: Mapping[str, object],
    codebooks: Mapping[str, Codebook],
    *,
    memory: str | None = None,
    threads: int | None = None,
    snapshot: bool = False,
    delimiter: str | None = None,
    public: object = None,
    days: Sequence[int] | None = None,
    part: tuple[str, ...] = (),
) -> PrivateTables:
    """Load sources as their codebooks describe them.

    Args:
        sources: The data of each table, by name.
        codebooks: What is publicly known of each.
        memory: How much memory queries may use, such as ``"4GB"``.
        threads: How many threads queries may use.
        snapshot: Whether to copy Parquet files now.
        delimiter: What parts the fields of text files; by default a comma, a tab in ``.tsv`` files.
        public: Public tables by name; None for none.
        days: The first days of the calendar periods whose rows are kept; None for all rows.
        part: Which rows these are, in words.
    """
    ids, key = id_columns_by_table(codebooks), uniform_below(2**KEY_BITS)
    engine, tables = open_engine_for(sources, memory=memory, threads=threads), {}
    for name, book in codebooks.items():
        person = ids[name][0] if ids[name] else None
        columns = book.source_columns
        if person is not None:
            columns[person] = evolve(columns[person], exact=True)  # rounding would merge persons
        read = engine.load(sources[name], columns, name, delimiter=delimiter, snapshot=snapshot, form=book.file)
        loaded = with_id_columns(read, book.unit)
        if days is not None:
            loaded = rows_of_periods(loaded, book.unit, days)  # before anything else sees a row
        tables[name] = fill_nulls(loaded, book.columns, key=key, person=person)  # after the period: of dates as read
    known = {} if public is None else load_public(engine, public, list(codebooks))
    database = Database(tables=tables, engine=engine)
    return PrivateTables(codebooks=codebooks, database=database, key=key, part=part, public=known)
