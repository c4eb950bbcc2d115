"""Tables in which missing values were imputed: what is known of them, and how far apart two of them are.

One row may change many imputed values, so no ordinary metric bounds how far two completed tables differ. The metric
here compares rows in what does *not* depend on imputed values; `ImputedFacts` say what does, and how far one donor
moves it.
Proof: docs/tables/nodes/impute_column.md.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.core import Domain, Metric, Space
from privet.errors import InvalidError, MismatchError
from privet.tables.columns import Column, Columns
from privet.tables.engines.engine import Engine, dropping
from privet.tables.expressions import Expression
from privet.tables.nodes.imputed_names import LACKING, RESERVED, ROW
from privet.tables.nodes.imputed_values import ImputedFacts
from privet.tables.relations.table_space import Table, TableDomain, like, limits_of, read_rows, table_of
from privet.tables.vocabulary import Relation, column

if TYPE_CHECKING:
    from privet.tables.nodes.imputing import Imputing  # it loads all of the imputation, and most tables have none


@final
@frozen(kw_only=True, eq=False)
class ImputedTable:
    """Completed rows by reference; their tables are made when the imputation runs.

    Args:
        relation: The rows.
        known: The same rows, and those that only a condition on imputed values left out; with the place of each row
            and whether it lacked a value.
        imputing: The imputation. It makes the tables that both read.
        engine: Where they are.
    """

    relation: Relation
    known: Relation
    imputing: "Imputing" = field(repr=False)
    engine: Engine = field(repr=False)

    def filter(self, condition: exp.Expr, *, imputed: bool) -> "ImputedTable":
        """Keep the rows of which a condition is true.

        Args:
            condition: The condition.
            imputed: Whether it depends on imputed values; such a condition never decides what is known.
        """
        known = self.known if imputed else self.known.filter(condition.copy())
        return evolve(self, relation=self.relation.filter(condition), known=known)

    def project(self, outputs: Mapping[str, tuple[exp.Expr, Column]]) -> "ImputedTable":
        """Compute every column anew."""
        hidden = {name: (column(name, "r"), self.known[name]) for name in (ROW, LACKING)}
        return evolve(self, relation=self.relation.project(outputs), known=self.known.project({**outputs, **hidden}))

    def count_known(self, names: list[str]) -> Counter[tuple[Any, ...]]:
        """Impute, and count the rows that are equal in some columns and in whether they lacked a value."""
        with dropping(self.engine, self.imputing.names.names):
            self.imputing.run(self.engine)
            return Counter(read_rows(Table(relation=self.known.select(*names, LACKING), engine=self.engine)))


@final
@frozen(kw_only=True)
class ImputedDomain(Domain):
    """Tables in which the missing values of a column were imputed.

    Args:
        table: What is known of the columns of the completed rows.
        facts: Which of them depend on imputed values, and how far one donor moves them.
    """

    table: TableDomain
    facts: ImputedFacts

    @property
    def columns(self) -> Columns:
        """What is known of each column."""
        return self.table.columns

    def member(self, value: Any) -> bool:
        """Say whether a completed table has these columns."""
        return isinstance(value, ImputedTable) and dict(value.relation.columns) == dict(self.columns)

    def admit(self, data: Any) -> ImputedTable:
        """Take a completed table; only an imputation makes one."""
        if not isinstance(data, ImputedTable):
            raise MismatchError("an imputed table begins with rows that lack values: space >> ImputeColumn(...).")
        return data

    def describe(self) -> str:
        """Name the columns, and those that depend on imputed values."""
        return f"imputed {self.table.describe()} by {', '.join(self.facts.columns) or 'nothing'}"


@final
@frozen(kw_only=True)
class KnownRows(Metric):
    """Rows added plus rows removed, compared in the columns that do not depend on imputed values.

    Args:
        id_columns: The id columns, which every later node must keep.
    """

    id_columns: tuple[str, ...] = ()

    def distance(self, x: Any, y: Any, domain: Domain) -> int:
        """Count the rows that one has and the other lacks."""
        facts: ImputedFacts = domain.facts  # type: ignore[attr-defined]
        names = [name for name in domain.columns if not facts.reads([name])]  # type: ignore[attr-defined]
        first: Counter[tuple[Any, ...]] = x.count_known(names)
        second: Counter[tuple[Any, ...]] = y.count_known(names)
        return ((first - second) + (second - first)).total()


def rows_of(unit: object, space: Space) -> tuple[Columns, tuple[str, ...]]:
    """Give the columns and the id columns of a space of tables, imputed or not, or refuse another space."""
    if isinstance(space.domain, ImputedDomain) and isinstance(space.metric, KnownRows):
        return space.domain.columns, space.metric.id_columns
    return table_of(unit, space)


def row_by_row(space: Space, columns: Columns, width: int, infer: Callable[[ImputedFacts], ImputedFacts]) -> Space:
    """Give the space behind a node that makes each row from one row.

    Args:
        space: The space before it.
        columns: What is known of the columns behind it.
        width: How wide the expressions of the node are.
        infer: What the node makes of facts about imputed values.
    """
    domain = space.domain
    if not isinstance(domain, ImputedDomain):
        return like(space, columns, limits_of(space).wider(width))
    for name in columns:
        if name.lower().startswith(RESERVED):
            raise InvalidError(f"derive: names that begin with {RESERVED!r} are used inside queries; rename {name!r}.")
    table = TableDomain(columns=dict(columns), limits=domain.table.limits.wider(width))
    return Space(ImputedDomain(table=table, facts=infer(domain.facts)), space.metric)


def depends(space: Space, expression: Expression) -> bool:
    """Say whether an expression reads columns that depend on imputed values."""
    return isinstance(space.domain, ImputedDomain) and space.domain.facts.reads(expression.references())
