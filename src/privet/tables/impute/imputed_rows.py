"""Rows of a private table in which missing values of one column are imputed; nothing is read until a release."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Self, final

from attrs import evolve, field, frozen

from privet.errors import InvalidError, MismatchError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Column, Rows, find_column
from privet.tables.curator.request import Releasable
from privet.tables.expressions import Expression, Reference, Term, binned
from privet.tables.impute.imputation import Imputation
from privet.tables.impute.rows import RESERVED
from privet.tables.impute.totals import Dependence
from privet.tables.nodes.group_totals import Groups
from privet.tables.nodes.read_expression import read
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.queries.row_query import RowQuery
from privet.tables.vocabulary import Relation, check_names

_Expression = str | Term | Expression


@final
@frozen(kw_only=True)
class ImputedNode:
    """One node after an imputation: a condition, or a new column.

    Args:
        expression: An expression over the columns of one row.
        name: The name of the new column; None for a condition.
        tainted: Whether the expression reads columns that depend on imputed values.
    """

    expression: Expression
    name: str | None
    tainted: bool

    def applied(self, relation: Relation) -> Relation:
        """Write the node."""
        if self.name is None:
            return relation.filter(self.expression.sql())
        return relation.with_column(self.name, self.expression.sql(), self.expression.column)


@frozen(kw_only=True)
class ImputedRows(ABC):
    """Rows of a private table in which missing values of one column are imputed.

    Args:
        query: The rows before the imputation.
        imputation: What is imputed, and how.
        columns: What is known of the columns after all nodes.
        nodes: The nodes after the imputation.
        tainted: The columns that depend on imputed values.
        reach: For copies of the imputed column, how far one donor moves a value.
        settled: The columns that are the same for all rows of a stratum; donors come from the same stratum.
        null_groups: Columns whose nulls form a group of their own.
    """

    query: RowQuery
    imputation: Imputation
    columns: Mapping[str, Column]
    nodes: tuple[ImputedNode, ...] = ()
    tainted: frozenset[str] = field(factory=frozenset)
    reach: Mapping[str, Fraction] = field(factory=dict)
    settled: frozenset[str] = frozenset()
    null_groups: frozenset[str] = frozenset()

    @abstractmethod
    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> Releasable:
        """Aggregate all rows together."""

    def filter(self, condition: _Expression) -> Self:
        """Keep the rows of which a condition is true, such as ``"income > 1000"``."""
        expression = read(condition, self.columns)
        if expression.kind != "boolean":
            raise MismatchError(f"filter takes a condition, got {expression.kind}: {condition}.")
        node = ImputedNode(expression=expression, name=None, tainted=self._is_tainted(expression))
        return evolve(self, nodes=(*self.nodes, node))

    def derive(self, /, **expressions: _Expression) -> Self:
        """Add columns, each computed from the others of its row: ``derive(rich="income > 1000")``."""
        rows = self
        for name, text in expressions.items():
            rows = rows._with(name, read(text, rows.columns))
        return rows

    def bin(
        self,
        name: str,
        edges: Sequence[Any] | None = None,
        *,
        width: object = None,
        by: str | None = None,
        into: str | None = None,
    ) -> Self:
        """Cut a column into bins with a name each, as ``Query.bin`` does.

        Args:
            name: The column: numbers, dates or timestamps.
            edges: Rising numbers.
            width: Or the width of all bins, between the bounds of the column.
            by: Or a calendar period.
            into: The name of the new column, by default the name with ``_bin``.
        """
        return self.derive(
            **{into or f"{name}_bin": binned(name, self.find_column(name), edges=edges, width=width, by=by)}
        )

    def applied(self, relation: Relation, *, known: bool = False) -> Relation:
        """Write all nodes.

        Args:
            relation: The completed rows.
            known: Whether to leave out the conditions that depend on imputed values.
        """
        for node in self.nodes:
            if not (known and node.name is None and node.tainted):
                relation = node.applied(relation)
        return relation

    def dependence(self, keys: Sequence[str]) -> Dependence:
        """Tell what depends on imputed values where rows are grouped by keys."""
        entered = any(node.tainted for node in self.nodes if node.name is None)
        entered = entered or not self.tainted.isdisjoint(keys)
        return Dependence(columns=self.columns, tainted=self.tainted, reach=self.reach, entered=entered)

    def _with(self, name: str, expression: Expression) -> Self:
        if name in self.query.id_columns:
            raise InvalidError(f"derive: {name!r} tells whose rows are protected and must stay as it is.")
        if name.lower().startswith(RESERVED):
            raise InvalidError(f"derive: names that begin with {RESERVED!r} are used inside queries; rename {name!r}.")
        columns = {**self.columns, name: expression.column}
        check_names("derive", columns)
        tainted = self._is_tainted(expression)
        reach = {each: far for each, far in self.reach.items() if each != name}
        if isinstance(expression, Reference) and expression.name in self.reach:
            reach[name] = self.reach[expression.name]
        is_settled = self.settled.issuperset(expression.references())
        return evolve(
            self,
            columns=columns,
            nodes=(*self.nodes, ImputedNode(expression=expression, name=name, tainted=tainted)),
            tainted=self.tainted | {name} if tainted else self.tainted - {name},
            reach=reach,
            settled=self.settled | {name} if is_settled else self.settled - {name},
            null_groups=self.null_groups - {name},
        )

    def _is_tainted(self, expression: Expression) -> bool:
        return not self.tainted.isdisjoint(expression.references())

    def find_column(self, name: str) -> Column:
        """Give what is known of a column, or say that there is none."""
        return find_column("", name, self.columns)


@final
@frozen(kw_only=True)
class ImputedGroups:
    """Imputed rows in public groups.

    Args:
        query: The rows.
        keys: The columns that make a group.
        groups: The groups, in the order of the release.
    """

    query: ImputedRows
    keys: tuple[str, ...] = ()
    groups: Groups = ((),)

    @property
    def together(self) -> int:
        """The largest number of groups that one row may move: those that may hold rows of one stratum."""
        places = [at for at, name in enumerate(self.keys) if name in self.query.settled]
        return max(Counter(tuple(group[at] for at in places) for group in self.groups).values())

    @property
    def known_keys(self) -> tuple[str, ...]:
        """The keys that do not depend on imputed values."""
        return tuple(name for name in self.keys if name not in self.query.tainted)

    @property
    def rows_of_a_unit(self) -> int:
        """The largest number of rows that one privacy unit has in the table."""
        query = self.query.query
        if isinstance(query.unit, Rows):
            rows: Any = query.chain.map(query.unit.count)
            return int(rows)
        return GroupedRows(query=query).contribution.l1
