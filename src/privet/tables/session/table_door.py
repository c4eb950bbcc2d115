"""What sessions and planners share: queries, SQL, batches and partitions of private tables."""

from abc import abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from attrs import frozen

from privet.accounting.losses.loss import Budget, Loss
from privet.accounting.planning.budget import AdditiveBudget, ConcentratedBudget
from privet.core import Fact, Familiar, Shown, Space
from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.nulls import NullsAsCategory
from privet.tables.curator.allowance import Allowance, Amount
from privet.tables.curator.curator import Curator
from privet.tables.curator.history import History
from privet.tables.files.query_keys import read_query
from privet.tables.files.written import QueryFile, Words
from privet.tables.nodes.from_table import FromTable
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.batch import Batch, settled_queries
from privet.tables.queries.partition import PartitionPlan, PartitionQuery, PartitionRequest
from privet.tables.queries.two_stage import TwoStageQuery
from privet.tables.session.describe_tables import describe_tables, facts_of_tables, tables_html
from privet.tables.session.query import Query
from privet.tables.session.query_plan import QueryPlan, read_plan
from privet.tables.sql.read import SqlQuery, read_sql, refuse_arguments


class TableDoor(Familiar, Shown):
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

    def query(self, table: str | None = None) -> Query:
        """Begin a query: all rows of a private table, the first one by default."""
        name = next(iter(self.codebooks)) if table is None else table
        if name not in self.codebooks:
            raise InvalidError(f"query: there is no table {name!r}; there are {', '.join(map(repr, self.codebooks))}.")
        book, tables = self.codebooks[name], self._curator.tables
        nulls = frozenset(each for each, item in book.columns.items() if isinstance(item.nulls, NullsAsCategory))
        return Query(
            curator=self._curator, chain=tables.space >> FromTable(name=name), unit=book.unit, null_groups=nulls
        )

    def sql(
        self, text: str, *, join_rows: int | None = None, groups: object = None, other: object = (), **unknown: object
    ) -> SqlQuery:
        """Read one SELECT; docs/tables/sql.md lists what is allowed. Then ``sql(text).release(epsilon=1)``.

        Args:
            text: The statement.
            join_rows: How many rows of a person a join takes from the table that it adds.
            groups: The groups to release, such as those of ``Query.private_keys``, if the codebook implies none.
            other: The key of one more group that holds all other rows.
            unknown: Nothing. What a release may lose is an argument of ``release``.
        """
        refuse_arguments(unknown)
        tables = {name: self.query(name) for name in self.codebooks}
        try:
            return read_sql(tables, text, join_rows=join_rows, groups=groups, other=other)
        except PrivetError as error:
            raise error.with_traceback(None) from None  # the reader of a statement calls itself often

    def read_query(self, source: str | Path) -> Any:
        """Read a query from a file of YAML, or from its text: what ``query.to_yaml()`` wrote, or what a person wrote.

        Args:
            source: The path of the file, or the text itself, which has several lines.

        Raises:
            ProblemsError: with everything that is wrong with the file, each with its line.
        """
        return read_query(self, source)

    def read_plan(self, source: str | Path) -> QueryPlan:
        """Read a plan from a file of YAML, or from its text, ready to describe and to release as it was planned.

        Args:
            source: The path of the file, or the text itself, which has several lines.

        Raises:
            ProblemsError: with everything that is wrong with the file, each with its line.
        """
        return read_plan(self, source)

    def batch(self, /, **queries: AggregateQuery | TwoStageQuery) -> Batch:
        """Put queries together, to plan and charge them as one: ``batch(a=query.agg(...), b=...).release(...)``."""
        return Batch(curator=self._curator, queries=settled_queries(queries))

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
        return Partition(
            door=self, query=PartitionQuery(grouped=grouped, table=name, parts_per_person=parts_per_person)
        )


@final
@frozen(kw_only=True, repr=False)
class Partition(QueryFile):
    """The parts of a table, ready to describe, plan and open. Made by ``session.partition``.

    Args:
        door: The session of the whole table.
        query: The parts.
    """

    door: TableDoor
    query: PartitionQuery

    def facts(self) -> tuple[Fact, ...]:
        """Say what the parts are."""
        return self.query.facts()

    def words(self) -> Words:
        """The partition as plain data, in the words of a file."""
        return self.query.words()

    def plan(self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None) -> PartitionPlan:
        """Give the budget of each part and the loss of all of them; read no data and spend nothing."""
        return self.query.plan(epsilon=epsilon, delta=delta, rho=rho)

    def describe(self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None) -> str:
        """Write down the parts, their budgets and the loss of all of them; read no data and spend nothing."""
        return self.query.describe(epsilon=epsilon, delta=delta, rho=rho)

    def release(self, *, epsilon: Amount = None, delta: Amount = None, rho: Amount = None) -> dict[Any, Any]:
        """Charge the budget of the session, and open one child session for each part.

        Args:
            epsilon: What each child may lose, with or without ``delta``.
            delta: The probability of a larger loss; beside ``rho``, the delta at which a session of epsilon and delta
                reads what its children cost.
            rho: Or what each may lose in concentrated privacy.
        """
        return self._open(self.query.request(epsilon=epsilon, delta=delta, rho=rho))

    def describe_plan(self, plan: PartitionPlan) -> str:
        """Write down the parts with the budget of a plan."""
        return self.query.describe_plan(plan)

    def release_plan(self, plan: PartitionPlan, allowance: Allowance | None) -> dict[Any, Any]:
        """Charge a plan of this partition, and open one child session for each part."""
        read_at = allowance.delta if allowance is not None and isinstance(plan.budget, ConcentratedBudget) else None
        return self._open(self.query.request_for(plan, read_at))

    def _open(self, request: PartitionRequest) -> dict[Any, Any]:
        parts = self.door._curator.release(request)
        return {value: self.door._open_part(curator) for value, curator in parts.items()}


def read_budget(where: str, budget: object) -> AdditiveBudget:
    """Refuse what is no budget."""
    if budget is None:
        raise WrongTypeError(f"{where}.budget is missing: give pv.budget(epsilon=...), or with delta, or rho.")
    if not isinstance(budget, Budget):
        kind = type(budget).__name__
        raise WrongTypeError(f"{where}.budget must be a budget such as pv.budget(epsilon=1), got {kind}.")
    return budget  # type: ignore[return-value]
