"""Fits of the rows of a session: charged to its budget, in its history and ledger, then read by its engine."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen
from sqlglot import exp

from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError, UnavailableError
from privet.models.binning import MOST_BINS, Binning, read_bins, read_edges
from privet.models.fit_job import BROKEN_OFF
from privet.models.json_form import arguments, from_json
from privet.models.private_rows import Account
from privet.models.query_columns import columns_of, lists_of, whole_of, write_facts
from privet.models.spending import Spending, spending_of
from privet.models.table_counts import CodedTable
from privet.models.table_parts import QueryColumns, TableInParts
from privet.models.tables_of import Columns
from privet.tables.columns import Column
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.queries.row_query import RowQuery
from privet.tables.relations.caps import cap
from privet.tables.vocabulary import Relation

_WHOLE = Column(kind="integer")


@final
@frozen(kw_only=True)
class FitPlan:
    """What a fit costs.

    Args:
        loss: The loss of its whole budget.
    """

    loss: Loss

    def noise_words(self) -> list[Any]:
        """Nothing: the noise follows from the model and its budget."""
        return []


@final
@frozen(kw_only=True, eq=False)
class FitRequest:
    """A fit that is planned and not yet paid for.

    Args:
        model: The estimator; it has the public facts of the codebook.
        query: The rows.
        spending: What the fit may spend.
        delta: The delta at which a budget of epsilon and delta reads the loss.
    """

    model: Any = field(repr=False)
    query: RowQuery
    spending: Spending
    delta: Fraction | None

    @property
    def plan(self) -> FitPlan:
        """The loss of the whole budget: a fit that spends less is not cheaper."""
        return FitPlan(loss=self.spending.whole())

    @property
    def tables(self) -> PrivateTables:
        """The tables of the query."""
        return self.query.curator.tables

    @property
    def title(self) -> str:
        """The model and its target, for the history."""
        of = "" if self.model.target is None else f" of {self.model.target}"
        return f"{type(self.model).__name__}{of}"

    def measure(self, tables: PrivateTables) -> Callable[[], Any]:
        """Write and rehearse the query; return the function that reads the rows and fits."""
        names = columns_of(self.model, self.query)
        rows = GroupedRows(query=self.query)
        relation, ids, most = self.query.table.relation, self.query.id_columns, rows.contribution.l1
        if ids:
            grouping = rows.grouping
            relation = cap(relation, grouping.caps, person=ids, groups=(), used=names, key=grouping.key)
        known, lists = {name: relation[name] for name in names}, lists_of(self.model, names)
        numbers = {name: whole_of(name, item, lists[name]) for name, item in known.items()}
        coded = relation.project({name: (item, _WHOLE) for name, item in numbers.items()})
        if self.model.counted:
            counts = self._counts(relation, known, numbers)
            tables.rehearse(self.query.chain.output, [coded, *counts.queries(None), *counts.queries(self._most_bins())])
            return lambda: _undisturbed(lambda: self._fit_counts(counts, most))
        tables.rehearse(self.query.chain.output, [coded])
        columns = QueryColumns(known=known, lists=lists, target=_target_of(self.model))
        parts = TableInParts(engine=self.query.table.engine, relation=coded, columns=columns)
        return lambda: _undisturbed(lambda: self._fit(parts, Account(self.spending, most)))

    def _fit(self, parts: TableInParts, account: Account) -> Any:
        names = [name for name in parts.columns.known if name != parts.columns.target]
        self.model.feature_names_in_ = np.array(names, dtype=object)
        self.model.n_features_in_ = len(names)
        if self.model.in_parts:
            return self.model._fit_parts(parts, account)
        return self.model._fit_columns(*parts.together(), account)

    def _counts(self, relation: Relation, known: dict[str, Column], numbers: dict[str, exp.Expr]) -> CodedTable:
        return CodedTable(
            engine=self.query.table.engine,
            relation=relation,
            coded=numbers,
            known={name: item for name, item in known.items() if name != self.model.target},
            target=self.model.target,
            classes=len(self.model._known_classes()),
        )

    def _most_bins(self) -> Binning:
        """Return the finest codes that a fit may ask for, to rehearse their queries."""
        names = tuple(name for name in columns_of(self.model, self.query) if name != self.model.target)
        label = type(self.model).__name__
        features = self.model._known_columns(label, Columns(names=names, columns=(None,) * len(names), rows=0))
        bins = read_bins(label, self.model.bins) or MOST_BINS
        return Binning(features=features, bins=bins, edges=read_edges(label, self.model.edges, features))

    def _fit_counts(self, counts: CodedTable, most: int) -> Any:
        names = tuple(counts.known)
        self.model.feature_names_in_ = np.array(names, dtype=object)
        self.model.n_features_in_ = len(names)
        return self.model._fit_counts(names, counts.count, Account(self.spending, most))

    def words(self) -> dict[str, Any]:
        """The query and the model as plain data, by which a ledger knows the fit."""
        return {
            "rows": GroupedRows(query=self.query).exact_words({}),
            "model": type(self.model).__name__,
            "arguments": arguments(self.model),
            "budget": [type(self.spending.stated).__name__, self.spending.form, self.spending.total],
        }

    def read_back(self, text: str) -> Any:
        """Read a fit that was stored."""
        return from_json(text)


def fit_query(model: Any, query: RowQuery, *, epsilon: Any, delta: Any, rho: Any, again: bool) -> Any:
    """Charge the budget of a session and fit the rows of a query; return a fitted copy of the model.

    Args:
        model: An estimator without a budget of its own.
        query: The rows.
        epsilon: The privacy loss of the fit, with ``delta``.
        delta: The probability that the loss exceeds epsilon.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        again: With a ledger, whether to charge for a fresh fit where one is stored.
    """
    label = type(model).__name__
    if getattr(model, "rows_per_person", None) is not None:
        raise InvalidError(
            f"{label}.rows_per_person is given, but the unit of the codebook caps the rows of a person in a session."
        )
    own = [name for name in ("epsilon", "delta", "rho", "budget") if getattr(model, name) is not None]
    if own:
        raise InvalidError(
            f"{label}.{own[0]} is given, but a session pays: write query.fit(model, epsilon=..., delta=...)."
        )
    if getattr(model, "codebook", None) is not None:
        raise InvalidError(f"{label}.codebook is given, but the session has a codebook: leave it out.")
    if model.supervised and model.target is None:
        raise InvalidError(f'{label}.target must name the column to predict, such as target="income".')
    allowance = query.curator.allow("fit", epsilon=epsilon, delta=delta, rho=rho)
    spending = spending_of(label, allowance.budget, model.forms)
    made = type(model)(**model.get_params(deep=False))
    write_facts(made, query)
    arguments(made)  # what cannot be written down is refused before the charge
    _rehearse(made, query, spending)
    delta = None if spending.form == "pure" else allowance.delta  # a pure fit spends none
    request = FitRequest(model=made, query=query, spending=spending, delta=delta)
    fitted = query.curator.release(request, again=again)
    fitted._warn_of_noise()
    return fitted


def _undisturbed(fit: Callable[[], Any]) -> Any:
    """Run a fit from which nothing gets out but its result: a ledger has not stored it yet.

    What a warning or an error shows depends on releases. A ledger lets a request that was broken off run again under
    its charge, so each try would show other noise.
    """
    try:
        with np.errstate(all="ignore"):
            return fit()
    except UnavailableError:  # of an engine; it shows nothing of a release
        raise
    except Exception:  # noqa: BLE001, S110 - whatever numpy and scikit-learn raise; nothing of it is kept
        pass
    raise UnavailableError(f"{BROKEN_OFF} Its charge stays, since rows may have been read.")


def _target_of(model: Any) -> Any:
    return model.target if model.supervised else None


def _rehearse(model: Any, query: RowQuery, spending: Spending) -> None:
    """Fit a copy to no rows at all, so that every mistake in what is public shows before anything is charged."""
    trial = type(model)(**model.get_params(deep=False))
    known = {name: query.columns[name] for name in columns_of(model, query)}
    columns = QueryColumns(known=known, lists=lists_of(model, list(known)), target=_target_of(model))
    job = trial._job(*columns.nothing, Account(spending, GroupedRows(query=query).contribution.l1), None)
    try:
        with np.errstate(all="ignore"):
            trial._fit_job(job)
    except ArithmeticError:
        raise InvalidError(f"{type(model).__name__} cannot spend a budget that is so small or so large.") from None
    trial.to_json()  # what a ledger could not store is refused before the charge
    if not job.account.charges:
        raise InvalidError(
            f"{type(model).__name__} learns nothing from rows with these arguments: fit it without a session."
        )
