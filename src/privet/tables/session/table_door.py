"""What sessions and planners share: queries, SQL, batches and partitions of private tables."""

from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.planning.budget import AdditiveBudget
from privet.core import Displayable, Fact, Familiar, Space
from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.nulls import NullsAsCategory
from privet.tables.columns import Rows
from privet.tables.curator.curator import Curator
from privet.tables.curator.history import History
from privet.tables.curator.public_curator import public_curator
from privet.tables.session import session_on_demand as on_demand
from privet.tables.session.describe_tables import describe_tables, facts_of_tables, tables_html

if TYPE_CHECKING:
    from privet.tables.keys.private import PrivateKeys
    from privet.tables.queries.aggregate_query import AggregateQuery
    from privet.tables.queries.batch import Batch
    from privet.tables.queries.two_stage import TwoStageQuery
    from privet.tables.session.imputed_query import ImputedQuery
    from privet.tables.session.partition import Partition
    from privet.tables.session.query import Query
    from privet.tables.session.query_plan import QueryPlan
    from privet.tables.sql.imputed import SqlImputedQuery
    from privet.tables.sql.keyed import SqlKeyedQuery
    from privet.tables.sql.read import SqlQuery


class TableDoor(Familiar, Displayable):
    """Private tables, as an analyst sees them: everything that can be queried, described and planned."""

    _hints_of = "session"
    _curator: Curator  # who holds the tables and the budget

    @abstractmethod
    def _open_part(self, curator: Curator) -> "TableDoor":
        """Give the door of one part of a table."""

    @property
    def codebooks(self) -> Mapping[str, Codebook]:
        """What is publicly known of the tables, by name."""
        return self._curator.codebooks

    @property
    def codebook(self) -> Codebook:
        """What is publicly known of the first table."""
        return next(iter(self.codebooks.values()))

    @property
    def space(self) -> Space:
        """The private tables, and how far apart neighbours are."""
        return self._curator.tables.space

    @property
    def spent(self) -> AdditiveBudget:
        """What was spent."""
        return self._curator.spent

    @property
    def loss(self) -> Loss:
        """The privacy loss of all releases so far, in the form of the budget.

        Where the codebooks say that the data are a secret sample, it is the loss of the persons of the population: the
        sample was drawn once, so that the *total* is amplified, never a single release.
        """
        return self._curator.loss

    @property
    def remaining(self) -> Any:
        """What may still be spent."""
        return self._curator.remaining

    @property
    def history(self) -> History:
        """What was asked, when, what it cost, and what was left after it: one entry for each charge, the oldest first.

        A charge stays in the history even if what followed it failed. Parts of a table, behind ``partition``, have a
        history of their own.
        """
        return self._curator.history

    def facts(self) -> tuple[Fact, ...]:
        """Say which tables there are, whom they protect, what was spent and what is left."""
        return facts_of_tables(self._curator)

    def describe(self) -> str:
        """Write down the tables, their columns, the privacy unit with its caps, and the budget; read no data.

        Everything here is public: it comes from the codebooks and from the budget.
        """
        return describe_tables(type(self).__name__, self._curator)

    def _repr_html_(self) -> str:
        return tables_html(type(self).__name__, self._curator)

    def close(self) -> None:
        """Forget the tables: every later release is refused. Closing twice does nothing; children close nothing."""
        self._curator.tables.close()

    def query(self, table: str | None = None) -> "Query":
        """Begin a query: all rows of a private table, the first one by default."""
        name = next(iter(self.codebooks)) if table is None else table
        if name not in self.codebooks:
            raise InvalidError(f"query: there is no table {name!r}; there are {', '.join(map(repr, self.codebooks))}.")
        book, tables = self.codebooks[name], self._curator.tables
        nulls = frozenset(each for each, item in book.columns.items() if isinstance(item.nulls, NullsAsCategory))
        return on_demand.Query(
            curator=self._curator,
            chain=tables.space >> on_demand.FromTable(name=name),
            unit=book.unit,
            null_groups=nulls,
        )

    @overload
    def sql(
        self,
        text: str,
        *,
        dialect: str | None = None,
        join_rows: int | None = None,
        groups: object = None,
        other: object = (),
        keys: None = None,
        impute: None = None,
        **unknown: object,
    ) -> "SqlQuery | SqlKeyedQuery": ...
    @overload
    def sql(
        self,
        text: str,
        *,
        dialect: str | None = None,
        join_rows: int | None = None,
        groups: None = None,
        other: object = (),
        keys: "PrivateKeys",
        impute: None = None,
        **unknown: object,
    ) -> "SqlKeyedQuery": ...
    @overload
    def sql(
        self,
        text: str,
        *,
        dialect: str | None = None,
        join_rows: int | None = None,
        groups: object = None,
        other: object = (),
        keys: None = None,
        impute: Mapping[str, Any],
        **unknown: object,
    ) -> "SqlImputedQuery": ...
    def sql(
        self,
        text: str,
        *,
        dialect: str | None = None,
        join_rows: int | None = None,
        groups: object = None,
        other: object = (),
        keys: "PrivateKeys | None" = None,
        impute: Mapping[str, Any] | None = None,
        **unknown: object,
    ) -> "SqlQuery | SqlKeyedQuery | SqlImputedQuery":
        """Read one SELECT; docs/tables/sql.md lists what is allowed. Then ``sql(text).release(epsilon=1)``.

        Args:
            text: The statement.
            dialect: Whose SQL it is, such as ``"postgres"``, ``"snowflake"`` or ``"tsql"``; plain SQL by default.
            join_rows: How many rows of a person a join takes from the table that it adds.
            groups: The groups to release, such as those of ``Query.private_keys``, if the codebook implies none.
            other: The key of one more group that holds all other rows.
            keys: ``pv.private(delta=1e-7)`` where the groups are not public: the release finds those that enough
                persons have, for a share of what it may lose. OPTIONS with a delta ask for the same where groups are
                not known.
            impute: The arguments of ``Query.impute`` by name, such as ``{"name": "income", "by": ["age"]}``: the
                missing values of a column are imputed before anything else. ``table`` names the table if several have
                the column.
            unknown: Nothing. What a release may lose is an argument of ``release``.
        """
        on_demand.refuse_arguments(unknown)
        tables = {name: self.query(name) for name in self.codebooks}
        public = self._public_queries
        try:
            beside = on_demand.Beside(
                join_rows=join_rows,
                groups=groups,
                other=other,
                public=public,
                keys=keys,
                impute=impute,
                impute_table=self._impute_table,
            )
            return on_demand.read_sql(tables, text, dialect=dialect, beside=beside)
        except PrivetError as error:
            raise error.with_traceback(None) from None  # the reader of a statement calls itself often

    def _impute_table(self, name: str, caps: Mapping[str, int], how: Mapping[str, Any]) -> "ImputedQuery":
        query, given, limits = self.query(name), dict[str, Any](how), dict[str, Any](caps)
        return (query.cap(**limits) if limits else query).impute(**given)

    @cached_property
    def _public_queries(self) -> "dict[str, Query]":
        """All rows of each public table: queries of which nothing can be released, since nothing needs protection."""
        sources = self._curator.tables.public
        if not sources:
            return {}
        curator = public_curator(sources)
        space = curator.tables.space
        return {
            name: on_demand.Query(curator=curator, chain=space >> on_demand.FromTable(name=name), unit=Rows())
            for name in sources
        }

    def read_query(self, source: str | Path) -> Any:
        """Read a query from a file of YAML, or from its text: what ``query.to_yaml()`` wrote, or what a person wrote.

        Args:
            source: The path of the file, or the text itself, which has several lines.

        Raises:
            ProblemsError: with everything that is wrong with the file, each with its line.
        """
        return on_demand.read_query(self, source)

    def read_plan(self, source: str | Path) -> "QueryPlan":
        """Read a plan from a file of YAML, or from its text, ready to describe and to release as it was planned.

        Args:
            source: The path of the file, or the text itself, which has several lines.

        Raises:
            ProblemsError: with everything that is wrong with the file, each with its line.
        """
        return on_demand.read_plan(self, source)

    def batch(
        self,
        queries: "Mapping[str, AggregateQuery | TwoStageQuery | SqlQuery | SqlKeyedQuery] | None" = None,
        /,
        **named: "AggregateQuery | TwoStageQuery | SqlQuery | SqlKeyedQuery",
    ) -> "Batch":
        """Put queries together, to plan and charge them as one: ``batch(a=query.agg(...), b=...).release(...)``.

        Args:
            queries: Queries by name, as a dictionary; or name them as arguments. A statement of SQL may be one of them
                if its groups are public and it asks for nothing after the release.
            named: Further queries.
        """
        if queries is not None and not isinstance(queries, Mapping):
            raise WrongTypeError(
                f"batch takes queries by name, such as batch(visits=query.agg(...)), got {type(queries).__name__}."
            )
        return on_demand.Batch(curator=self._curator, queries=on_demand.settled_queries({**(queries or {}), **named}))

    def partition(
        self, key: str, *, groups: object = None, parts_per_person: int | None = None, table: str | None = None
    ) -> "Partition":
        """Divide a table by the values of a column; ``release`` opens one child session for each, with a budget each.

        The children release about different rows. Together they cost as much as one of them may (parallel composition),
        times the number of parts in which one privacy unit may have rows.

        Args:
            key: The column, with categories unless values are listed.
            groups: The values to open a session for.
            parts_per_person: In how many parts a person's rows are used at most, one by default; others are left out.
            table: Which private table, the first one by default.
        """
        name = table or next(iter(self.codebooks))
        grouped = self.query(table).group_by(key, groups=groups).rows
        return on_demand.Partition(
            door=self, query=on_demand.PartitionQuery(grouped=grouped, table=name, parts_per_person=parts_per_person)
        )


def read_budget(where: str, budget: object) -> AdditiveBudget:
    """Refuse what is no budget."""
    if budget is None:
        raise WrongTypeError(f"{where}.budget is missing: give pv.budget(epsilon=...), or with delta, or rho.")
    if not isinstance(budget, Budget):
        kind = type(budget).__name__
        raise WrongTypeError(f"{where}.budget must be a budget such as pv.budget(epsilon=1), got {kind}.")
    return budget  # type: ignore[return-value]
