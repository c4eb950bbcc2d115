"""Spaces of tables: what is publicly known of their columns, and how far apart two of them are.

A member is a table *by reference*: an engine that holds rows, and a relation that says which. Nodes of a query rewrite
the relation; nothing is read before the totals at its end. Metrics do read, so that the laws can measure.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, final

from attrs import field, frozen
from sqlglot import exp

from privet.core import Domain, Metric, Space
from privet.errors import MismatchError
from privet.tables.columns import Column, Columns, Limits
from privet.tables.engines.default import open_engine
from privet.tables.engines.engine import Engine
from privet.tables.vocabulary import Relation, call, cast, column, number

_Row = tuple[Any, ...]
_WHOLE, _TEXT = Column(kind="integer"), Column(kind="text")


def _unchanging(value: Mapping[str, Relation]) -> Mapping[str, Relation]:
    return MappingProxyType(dict(value))


@final
@frozen(kw_only=True, eq=False)
class Table:
    """Rows by reference.

    Args:
        relation: Which rows.
        engine: Where they are.
    """

    relation: Relation
    engine: Engine = field(repr=False)

    def parts(self) -> Iterator[tuple[str, "Table"]]:
        """Give the one table, without a name."""
        yield "", self


@final
@frozen(kw_only=True, eq=False)
class Database:
    """Private tables in one engine.

    Args:
        tables: Their rows, by name.
        engine: Where they are.
    """

    tables: Mapping[str, Relation] = field(converter=_unchanging)
    engine: Engine = field(repr=False)

    def parts(self) -> Iterator[tuple[str, Table]]:
        """Give every table with its name."""
        for name, relation in self.tables.items():
            yield name, Table(relation=relation, engine=self.engine)


@final
@frozen(kw_only=True)
class TableDomain(Domain):
    """Tables with these columns.

    Args:
        columns: What is known of each, by name and in order.
        limits: What making its rows uses, at most; says nothing of the rows themselves.
    """

    columns: Columns
    limits: Limits = field(factory=Limits, eq=False, repr=False)

    def member(self, value: Any) -> bool:
        """Say whether a table has these columns."""
        return isinstance(value, Table) and dict(value.relation.columns) == dict(self.columns)

    def admit(self, data: Any) -> Table:
        """Load a table into an engine of its own."""
        if isinstance(data, Table):
            return data
        engine = open_engine()
        return Table(relation=engine.load(data, self.columns), engine=engine)

    def describe(self) -> str:
        """Name the columns."""
        return f"table({', '.join(f'{name}: {known.kind}' for name, known in self.columns.items())})"


@final
@frozen(kw_only=True)
class DatabaseDomain(Domain):
    """Several private tables.

    Args:
        tables: The columns of each, by name.
    """

    tables: Mapping[str, Columns]

    def member(self, value: Any) -> bool:
        """Tell whether these tables are there, with these columns."""
        if not isinstance(value, Database) or set(value.tables) != set(self.tables):
            return False
        return all(dict(value.tables[name].columns) == dict(known) for name, known in self.tables.items())

    def admit(self, data: Any) -> Database:
        """Load every table into one engine; a table that is not there is empty."""
        if isinstance(data, Database):
            return data
        engine = open_engine()
        loaded = {name: engine.load(data.get(name, []), known, name) for name, known in self.tables.items()}
        return Database(tables=loaded, engine=engine)

    def describe(self) -> str:
        """Name the tables."""
        return f"database({', '.join(self.tables)})"


class TableMetric(Metric):
    """A way to count how far neighbouring tables differ."""

    @property
    @abstractmethod
    def id_columns(self) -> tuple[str, ...]:
        """The id columns; none where rows are protected one by one."""

    @abstractmethod
    def in_table(self, name: str) -> "TableMetric":
        """Give the metric of one of several tables."""


@final
@frozen
class RowDistance(TableMetric):
    """Rows added plus rows removed, in all tables together; the order of rows does not count."""

    @property
    def id_columns(self) -> tuple[str, ...]:
        """There are none."""
        return ()

    def in_table(self, name: str) -> "RowDistance":
        """Count rows there too."""
        return self

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count the rows that one has and the other lacks."""
        first, second = Counter(_rows(x)), Counter(_rows(y))
        return ((first - second) + (second - first)).total()


@final
@frozen
class UnitDistance(TableMetric):
    """Persons (or persons within a period) added plus removed, in all tables together, however many rows they have.

    A person whose rows differ counts two: removed, and added again with other rows. Rows without an identifier belong
    to nobody and do not count: every node that counts persons leaves them out.

    Args:
        id_columns: The id columns.
        named: The id columns of tables that call them otherwise, by the name of the table. They stand for the others
            by their place: the same value is the same person.
    """

    id_columns: tuple[str, ...]
    named: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), repr=False)

    def in_table(self, name: str) -> "UnitDistance":
        """Count the units of one table, by its own id columns."""
        return UnitDistance(dict(self.named).get(name, self.id_columns))

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count the persons whose rows differ."""
        first, second = self._by_person(x), self._by_person(y)
        differing = [one for one in {*first, *second} if first.get(one) != second.get(one)]
        return sum((one in first) + (one in second) for one in differing)

    def _by_person(self, value: Any) -> dict[_Row, Counter[_Row]]:
        persons: dict[_Row, Counter[_Row]] = {}
        for name, table in value.parts():
            places = [list(table.relation.columns).index(each) for each in self.in_table(name).id_columns]
            for row in read_rows(table):
                id_columns = tuple(row[at] for at in places)
                if None not in id_columns:
                    persons.setdefault(id_columns, Counter())[name, *row] += 1
        return persons


def _rows(value: Any) -> Iterator[_Row]:
    for name, table in value.parts():
        for row in read_rows(table):
            yield name, *row


def read_rows(table: Table) -> Iterator[_Row]:
    """Read all rows, exactly: reals as the shortest text that gives them back, dates and times as whole numbers."""
    outputs: dict[str, tuple[exp.Expr, Column]] = {}
    for name, known in table.relation.columns.items():
        value = column(name, "r")
        if known.kind == "real":
            outputs[name] = (cast(value, "text"), _TEXT)
        elif known.kind in ("date", "timestamp"):
            outputs[name] = (number(value, known), _WHOLE)
        elif known.kind == "list":
            outputs[name] = (call("list_text", value), _TEXT)
        else:
            outputs[name] = (value, known)
    result = table.engine.execute(table.relation.project(outputs))
    return zip(*(result[name] for name in outputs), strict=True)


def table_of(unit: object, space: Space) -> tuple[Columns, tuple[str, ...]]:
    """Give the columns and the id columns of a space of tables, or refuse another space."""
    if not isinstance(space.domain, TableDomain) or not isinstance(space.metric, TableMetric):
        raise MismatchError(f"{type(unit).__name__} needs a table, got {space!r}; begin with FromTable(name=...).")
    return space.domain.columns, space.metric.id_columns


def like(space: Space, columns: Columns, limits: Limits | None = None) -> Space:
    """Give the space of tables with other columns and the same metric, and the same limits if none are given."""
    return Space(TableDomain(columns=dict(columns), limits=limits or limits_of(space)), space.metric)


def limits_of(space: Space) -> Limits:
    """Say what the rows of a space of tables are made with; a table as it was loaded is made with nothing."""
    return space.domain.limits if isinstance(space.domain, TableDomain) else Limits()
