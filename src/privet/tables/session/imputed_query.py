"""Imputed queries: rows in which the missing values of a column are imputed."""

from typing import NoReturn, final

from attrs import frozen

from privet.core import Fact, Familiar, read_whole
from privet.errors import InvalidError
from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.expressions import Term
from privet.tables.impute.aggregate_query import ImputedAggregateQuery, ask_imputed
from privet.tables.keys.private import PrivateKeys
from privet.tables.nodes.imputation import FeatureNames
from privet.tables.nodes.impute_column import ImputeColumn
from privet.tables.queries.grouped_rows import GroupedRows, group_rows
from privet.tables.queries.no_rule import no_rule
from privet.tables.queries.row_query import RowQuery
from privet.tables.queries.without_aggregates import WithoutAggregates


@final
@frozen(kw_only=True, repr=False)
class ImputedQuery(RowQuery):
    """Rows in which the missing values of a column are imputed. Made by ``query.impute``.

    It has the nodes of every other query that make each row from one row: filter, derive, bin, select, rename.
    """

    def group_by(
        self, *keys: str, groups: object = None, other: object = (), **derived: str | Term
    ) -> "ImputedGroupedQuery":
        """Put rows into public groups, as ``Query.group_by`` does.

        Args:
            keys: Columns, each with categories, unless groups are listed.
            groups: The groups, in the order of the release. Other rows are left out.
            other: Refused: a group of all other rows has no rule for imputed values.
            derived: Further keys, computed from a row.
        """
        if isinstance(derived.get("keys"), PrivateKeys):
            raise no_rule("group_by(..., keys=pv.private(...))")
        query = self.derive(**derived) if derived else self
        return ImputedGroupedQuery(rows=group_rows(query, (*keys, *derived), groups=groups, other=other))

    def impute(self, name: str, **how: object) -> NoReturn:
        """Refuse: donors must not depend on imputed values."""
        raise no_rule("impute")

    def rollup(self, *keys: str, groups: object = None) -> NoReturn:
        """Refuse: levels that add up have no rule for imputed values."""
        raise no_rule("rollup")

    def private_keys(self, *keys: str, **how: object) -> NoReturn:
        """Refuse: private keys have no rule for imputed values."""
        raise no_rule("private_keys")

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> ImputedAggregateQuery:
        """Aggregate all rows together: ``agg(count(), average=mean("income"))``."""
        return ask_imputed(GroupedRows(query=self), aggregates, named)


@final
@frozen(kw_only=True, repr=False)
class ImputedGroupedQuery(Familiar, WithoutAggregates):
    """Imputed rows in public groups. Made by ``query.impute(...).group_by``.

    Args:
        rows: The rows and their groups.
    """

    _hints_of = "groups"

    rows: GroupedRows

    def facts(self) -> tuple[Fact, ...]:
        """Say what the rows and the groups are."""
        return self.rows.facts()

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> ImputedAggregateQuery:
        """Aggregate each group: ``agg(count(), average=mean("income"))``."""
        return ask_imputed(self.rows, aggregates, named)


def impute_rows(
    query: RowQuery,
    name: str,
    *,
    by: FeatureNames,
    within: FeatureNames,
    k: int | None,
    scheme: Scheme | None,
    guess: Guess | None,
    default: object,
) -> ImputedQuery:
    """Impute the missing values of a column; ``Query.impute`` says what the arguments mean.

    Args:
        query: The rows.
        name: The column.
        by: The features that define how near rows are.
        within: Columns that a donor must share.
        k: How many neighbours.
        scheme: Or how.
        guess: A public guess about the data.
        default: The public value in place of a missing donor.
    """
    if k is not None and scheme is not None:
        raise InvalidError("impute takes k=... or scheme=..., which has a k of its own, not both.")
    node = ImputeColumn(
        name=name,
        by=by,
        within=within,
        scheme=scheme if k is None else _neighbours(query, name, k),
        guess=guess,
        default_value=default,
        null_groups=query.null_groups,
        caps=query.grouping((), ((),)).caps,
        key=query.curator.tables.key,
    )
    return ImputedQuery(
        curator=query.curator,
        chain=query.chain >> node,
        unit=query.unit,
        caps=query.caps,
        null_groups=query.null_groups,
        one_row_by=query.one_row_by,
        implied_caps=query.implied_caps,
    )


def _neighbours(query: RowQuery, name: str, k: int) -> Scheme:
    number, known = read_whole("impute.k", k), query.columns.get(name)
    many = MeanOfNeighbours if known is not None and known.bounds is not None else MajorityOfNeighbours
    return NearestNeighbour() if number == 1 else many(k=number)
