"""Queries: rows of private tables, and everything that can be released about them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NoReturn, Protocol, TypeVar, final, overload

from attrs import frozen

from privet.core import Fact, Familiar
from privet.errors import WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.curator.allowance import Amount
from privet.tables.expressions import Term
from privet.tables.nodes.group_totals import Groups
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.ask import ask
from privet.tables.queries.grouped_rows import GroupedRows, group_rows
from privet.tables.queries.row_query import RowQuery
from privet.tables.queries.without_aggregates import WithoutAggregates
from privet.tables.session import query_on_demand as on_demand

if TYPE_CHECKING:
    from privet.imputation.scheme import Scheme
    from privet.imputation.smooth_calibration import Guess
    from privet.tables.keys.key_query import KeyQuery
    from privet.tables.keys.keyed_query import KeyedRows
    from privet.tables.keys.private import PrivateKeys
    from privet.tables.keys.private_keys import Method
    from privet.tables.nodes.imputation import FeatureNames
    from privet.tables.noise.key_round import RoundNoise
    from privet.tables.queries.two_stage import TwoStageQuery
    from privet.tables.rollup.query import RollupRows
    from privet.tables.session.imputed_query import ImputedQuery


Fitted = TypeVar("Fitted", covariant=True)


class Model(Protocol[Fitted]):
    """What can be fitted to rows: an estimator of ``privet.models``, a layer above."""

    @property
    def fit_query(self) -> Callable[..., Fitted]:
        """Charge the budget of a session and fit the rows of a query."""


@final
@frozen(kw_only=True, repr=False)
class Query(RowQuery):
    """Rows of private tables, filtered and derived; nothing is read until an aggregate of them is released.

    Made by ``session.query()``. Every method returns a new query.
    """

    @overload
    def group_by(
        self, *names: str, groups: object = None, other: object = (), keys: None = None, **derived: str | Term
    ) -> "GroupedQuery": ...
    @overload
    def group_by(
        self, *names: str, groups: None = None, other: object = (), keys: "PrivateKeys", **derived: str | Term
    ) -> "KeyedRows": ...
    def group_by(
        self, *names: str, groups: object = None, other: object = (), keys: object = None, **derived: str | Term
    ) -> "GroupedQuery | KeyedRows":
        """Put rows into groups: those the codebook implies, those that are listed, or those that the release finds.

        Args:
            names: Columns, each with categories, unless groups are listed or found.
            groups: The groups, in the order of the release: values, or tuples of values where there are several keys,
                in a list, an array, a set or a column of a frame; a release of private keys; or a public table that
                has the keys as columns. Other rows are left out.
            other: The key of one more group, of all rows that have none of these: a value that is not among them, or
                None for null; a tuple where there are several keys. By default there is none.
            keys: ``pv.private(delta=1e-7)`` where the groups are not public: the release finds those that enough
                persons have, for a share of what it may lose.
            derived: Further keys, computed from a row: ``group_by("ward", year="year(day)")``.
        """
        for name, value in derived.items():
            if not isinstance(value, str | Term):
                raise WrongTypeError(
                    f"group_by.{name} must be an expression such as 'year(day)', got {type(value).__name__}; groups "
                    "are listed with groups=[...]."
                )
        query = self.derive(**derived) if derived else self
        if keys is None and not _is_private(groups):
            return GroupedQuery(rows=group_rows(query, (*names, *derived), groups=groups, other=other))
        if groups is not None or not isinstance(keys, on_demand.PrivateKeys | Mapping):
            raise WrongTypeError(
                "group_by takes groups that are listed, groups=[...], or groups that the release finds, "
                "keys=pv.private(delta=1e-7)."
            )
        return on_demand.keyed_rows(query, (*names, *derived), on_demand.read_private("group_by", keys), other)

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "AggregateQuery | TwoStageQuery":
        """Aggregate all rows together: ``agg(count(), average=mean("duration"))``."""
        return ask(GroupedRows(query=self), aggregates, named)

    def rollup(self, *keys: str, groups: object = None, **derived: str | Term) -> "RollupRows":
        """Group all rows, by the first key, by the first two, and so on; the released values add up.

        Args:
            keys: Columns, from the coarsest: ``rollup("region", "district")``.
            groups: The finest groups, as for ``group_by``; a region may have districts of its own.
            derived: Further keys, computed from a row.
        """
        query = self.derive(**derived) if derived else self
        return on_demand.RollupRows(finest=group_rows(query, (*keys, *derived), groups=groups))

    def impute(
        self,
        name: str,
        *,
        by: "FeatureNames" = (),
        within: "FeatureNames" = (),
        k: int | None = None,
        scheme: "Scheme | None" = None,
        guess: "Guess | None" = None,
        default: object = None,
    ) -> "ImputedQuery":
        """Impute the missing values of a column from the nearest rows that have one.

        Nodes behind it (filter, derive, bin, select, rename, group_by) read a completed table.

        Args:
            name: The column: a number with bounds, or with categories; its null policy is the default.
            by: The features that define how near rows are: names, or names with whole weights or pairs such as
                ``("ordinal", 1)``.
            within: Columns that a donor must share; groups by them are charged once.
            k: How many neighbours: 1 copies the nearest, more average (numbers) or vote (categories).
            scheme: Or how, such as ``MeanOfNeighbours(k=5)``.
            guess: A public guess about the data; it decides accuracy only.
            default: The public value in place of a missing donor.
        """
        return on_demand.impute_rows(self, name, by=by, within=within, k=k, scheme=scheme, guess=guess, default=default)

    def fit(
        self,
        model: Model[Fitted],
        *,
        epsilon: Amount = None,
        delta: Amount = None,
        rho: Amount = None,
        again: bool = False,
    ) -> Fitted:
        """Fit a model of ``pv.models`` to these rows: charge the budget of the session, read, and return a fitted copy.

        The bounds, categories and classes are those of the codebook.

        Args:
            model: Such as ``pv.models.LogisticRegression(target="income")``, without a budget of its own.
            epsilon: The privacy loss of the fit, with ``delta``.
            delta: The probability that the loss exceeds epsilon.
            rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
            again: With a ledger, whether to charge for a fresh fit where one is stored.
        """
        if isinstance(model, type) and hasattr(model, "fit_query"):
            raise WrongTypeError(f"fit takes a model, got the class {model.__name__}: write {model.__name__}(...).")
        if hasattr(model, "steps") and hasattr(model, "fit"):
            raise WrongTypeError(
                "fit takes one model, got a pipeline: in a session the codebook has the bounds, so fit its last step; "
                "derive or select columns with the query."
            )
        if isinstance(model, type) or not hasattr(model, "fit_query"):
            shown = model.__name__ if isinstance(model, type) else type(model).__name__
            raise WrongTypeError(
                f'fit takes a model such as pv.models.LinearRegression(target="income"), got {shown}; models of other '
                "libraries are not private."
            )
        return model.fit_query(self, epsilon=epsilon, delta=delta, rho=rho, again=again)

    def private_keys(
        self,
        *keys: str,
        method: "Method" = "plain",
        noise: "RoundNoise | None" = None,
        rounds: int = 1,
        top: int | None = None,
    ) -> "KeyQuery":
        """Query the groups that enough persons (or rows) have, for ``group_by(..., groups=release)``.

        Which keys occur is private: a key is released where the number of its persons, with noise, reaches a threshold.

        Args:
            keys: The columns that make a group; null is no key.
            method: ``"plain"`` counts persons (or rows); ``"weighted"`` spreads one weight of each person over the
                person's keys, which releases more keys where persons have several.
            noise: With weights, ``"laplace"`` or ``"gaussian"``; with ``top``, ``"laplace"`` or ``"gumbel"``; None for
                the mechanism whose threshold is lower.
            rounds: With weights, how often to look: keys of one round are left out of the next.
            top: How many keys to release at most, those that most persons have; None for all.
        """
        return on_demand.KeyQuery(query=self, keys=keys, method=method, noise=noise, rounds=rounds, top=top)


@final
@frozen(kw_only=True, repr=False)
class GroupedQuery(Familiar, WithoutAggregates):
    """Rows in public groups. Made by ``query.group_by``.

    Args:
        rows: The rows and their groups.
    """

    _hints_of = "groups"

    rows: GroupedRows

    @property
    def groups(self) -> Groups:
        """The groups, in the order of the release."""
        return self.rows.groups

    def agg(self, /, *aggregates: Aggregate, **named: Aggregate) -> "AggregateQuery | TwoStageQuery":
        """Aggregate each group: ``agg(count(), average=mean("duration"))``."""
        return ask(self.rows, aggregates, named)

    def facts(self) -> tuple[Fact, ...]:
        """Say what the rows and the groups are."""
        return self.rows.facts()

    def __getitem__(self, name: object) -> NoReturn:
        raise WrongTypeError(
            f"group_by(...)[{name!r}] is not released: say what to compute of it, as in "
            f"group_by(...).agg(pv.mean({name!r}))."
        )


def _is_private(groups: object) -> bool:
    return groups is not None and isinstance(groups, on_demand.PrivateKeys)
