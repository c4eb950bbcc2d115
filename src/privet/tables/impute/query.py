"""Imputed queries: missing values of one column are imputed from the nearest rows that have one."""

from typing import final

from attrs import frozen

from privet.core import read_whole
from privet.errors import InvalidError, MismatchError
from privet.imputation.scheme import MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour, Scheme
from privet.imputation.smooth_calibration import Guess
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.impute.aggregate_query import ImputedAggregateQuery, ask_imputed
from privet.tables.impute.imputation import FeatureNames, read_imputation
from privet.tables.impute.imputed_rows import ImputedGroups, ImputedRows
from privet.tables.queries.grouped_rows import name_aggregates
from privet.tables.queries.row_query import RowQuery
from privet.tables.statistics import implied_groups, listed_groups

_KEYS = ("integer", "text", "boolean")


@final
@frozen(kw_only=True)
class ImputedQuery(ImputedRows):
    """Rows of a private table in which missing values of one column are imputed. Made by ``query.impute``."""

    def group_by(self, *keys: str, groups: object = None) -> "ImputedGroupedQuery":
        """Put rows into public groups: those that the codebook implies, or those that you list.

        Args:
            keys: Columns, each with categories unless you list groups.
            groups: The groups; other rows are left out.
        """
        if not keys or len(set(keys)) != len(keys):
            raise InvalidError("group_by takes different columns, at least one.")
        for name in keys:
            if self.find_column(name).kind not in _KEYS:
                raise MismatchError(f"group_by takes integer, text and boolean columns; {name!r} is none: derive one.")
        if groups is None:
            listed = implied_groups(self.columns, keys, self.null_groups)
        else:
            listed = listed_groups(self.columns, keys, groups)
        return ImputedGroupedQuery(groups=ImputedGroups(query=self, keys=keys, groups=listed))

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> ImputedAggregateQuery:
        """Aggregate all rows together."""
        return ImputedGroupedQuery(groups=ImputedGroups(query=self)).agg(*aggregates, **named)


@final
@frozen(kw_only=True)
class ImputedGroupedQuery:
    """Imputed rows in public groups.

    Args:
        groups: The rows and their groups.
    """

    groups: ImputedGroups

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> ImputedAggregateQuery:
        """Aggregate each group: ``agg(count(), average=mean("income"))``."""
        return ask_imputed(self.groups, name_aggregates(self.groups.keys, aggregates, named))


def impute(
    query: RowQuery,
    name: str,
    *,
    by: FeatureNames = (),
    within: FeatureNames = (),
    k: int | None = None,
    scheme: Scheme | None = None,
    guess: Guess | None = None,
    default: object = None,
) -> ImputedQuery:
    """Begin an imputed query. Called by ``Query.impute``, where the arguments are described."""
    if k is not None:
        if scheme is not None:
            raise InvalidError("impute takes k=... or scheme=..., which has a k of its own, not both.")
        number = read_whole("impute.k", k)
        known = query.columns.get(name)
        many = MeanOfNeighbours if known is not None and known.bounds is not None else MajorityOfNeighbours
        scheme = NearestNeighbour() if number == 1 else many(k=number)
    imputation = read_imputation(
        name, query.columns, by=by, within=within, scheme=scheme, guess=guess, default=default, apart=query.null_groups
    )
    reach = {} if imputation.reach is None else {name: imputation.reach}
    return ImputedQuery(
        query=query,
        imputation=imputation,
        columns={**query.columns, name: imputation.completed},
        tainted=frozenset({name}),
        reach=reach,
        settled=frozenset(each.name for each in imputation.strata),
        null_groups=query.null_groups,
    )
