"""What all private estimators share: their privacy arguments, how data are read, and what they say after a fit."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from attrs import evolve
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from privet.core import Array, Bounds, read_rows, short, warn_caller
from privet.errors import InvalidError, WrongTypeError
from privet.models.class_lists import sorted_classes
from privet.models.codebook_unit import check_unit
from privet.models.column_kinds import NUMBERS, refuse_other_list, refuse_texts, refuse_texts_later
from privet.models.features import (
    Coded,
    Numeric,
    places_in,
    read_categories,
    read_codebook,
    read_features,
    read_numeric,
)
from privet.models.fit_job import FitJob, guarded, rows_of_persons
from privet.models.json_form import contiguous, save, to_json
from privet.models.learnt import learnt
from privet.models.loss_words import loss_in_words, summed_up
from privet.models.private_rows import Account
from privet.models.query_fit import fit_query
from privet.models.signal import Signal
from privet.models.spending import Form, read_spending
from privet.models.tables_of import Columns, is_frame, kind_of_target, read_columns, read_target

_NONE: Bounds = (Fraction(0), Fraction(0))
_HARDLY_ANY = 100.0  # rows
_CLASSES = "a list of classes, such as [0, 1] or ['no', 'yes']"
_CHECK_CLASSES = "classes= has the classes as the data write them, such as 1 or '1'"


class PrivateEstimator(BaseEstimator, ABC):
    """An estimator of scikit-learn that spends a privacy budget on its fit.

    A subclass is final and lists its arguments in its ``__init__``, which only stores them. It defines ``_fit``, which
    sets attributes from releases alone.
    """

    forms: ClassVar[tuple[Form, ...]] = ("normal", "concentrated")  # the forms of a budget that it can spend
    supervised: ClassVar[bool] = True
    counted: ClassVar[bool] = False  # whether it reads counts only, which an engine makes
    in_parts: ClassVar[bool] = False  # whether it reads encoded rows only, which an engine gives in parts

    epsilon: Any
    delta: Any
    rho: Any
    budget: Any
    bounds: Any
    categories: Any
    codebook: Any
    target: Any
    rows_per_person: Any

    _delta: Fraction | None  # of the budget that the latest fit spent

    @abstractmethod
    def _fit(self, job: FitJob) -> None:
        """Make the releases and set what was learnt."""

    @abstractmethod
    def _read_target(self, target: Any) -> tuple[Array, Array, Bounds]:
        """Return the target in the form of a fit, which rows have one, and its bounds."""

    def _refuse_kind(self, kind: str | None) -> None:
        """Refuse a target whose type says that no row has one.

        Args:
            kind: What the target holds, or None where its type does not say.
        """

    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:  # noqa: N803 - as scikit-learn names it
        """Fit the model with privacy.

        Args:
            X: One row for each record: a numpy array, a list of rows, a pandas or polars frame.
            y: The target. It may be left out if ``target`` names a column of the frame, which is never a feature.
            persons: The id of the person of each row, to protect persons instead of rows; needs ``rows_per_person``.
                Without it the privacy unit is a row.
        """
        return guarded(type(self).__name__, lambda: self._fit_rows(X, y, persons))

    def _fit_rows(self, X: Any, y: Any, persons: Any) -> Self:  # noqa: N803
        label = type(self).__name__
        spending = read_spending(label, self, self.forms)
        check_unit(label, getattr(self, "codebook", None), persons)
        self._forget()
        if persons is None and self.rows_per_person is not None:
            raise InvalidError(
                f"{label}.rows_per_person is given, and fit has no persons=: without ids each row is protected by "
                "itself. Give fit(..., persons=ids), or leave rows_per_person out."
            )
        features, y = self._split_target(X, y)
        table = read_columns(features)
        validate_data(self, features if table.names is not None else np.empty((0, len(table.columns))), **_SILENT)
        target = read_target(label, y, table.rows) if self.supervised else None
        if self.supervised:
            self._refuse_kind(kind_of_target(y))
        chosen, d_in = None, 1
        if persons is not None:
            chosen, d_in = rows_of_persons(label, persons, table.rows, self.rows_per_person)
        self._fit_columns(table, target, Account(spending, d_in), chosen)
        self._warn_of_noise()
        return self

    def _fit_columns(self, table: Columns, target: Any, account: Account, chosen: Array | None = None) -> Self:
        """Fit columns that were read; of the rows only those that are chosen and have a target.

        Args:
            table: The features.
            target: The target, or None where there is none.
            account: What releases are charged to.
            chosen: Which rows count, or None for all.
        """
        try:
            self._fit_job(self._job(table, target, account, chosen))
        except BaseException:  # a part of a fit would be a model without its loss
            self._forget()
            raise
        return self

    def _job(self, table: Columns, target: Any, account: Account, chosen: Array | None) -> FitJob:
        """Keep the rows that are chosen and have a target."""
        label = type(self).__name__
        self.features_ = self._known_columns(label, table)
        values, keep, sides = None, np.ones(table.rows, dtype=bool), _NONE
        if self.supervised:
            values, keep, sides = self._read_target(target)
        if chosen is not None:
            keep = keep & chosen
        if not keep.all():
            table, values = table.take(keep), None if values is None else values[keep]
        return FitJob(
            label=label, features=self.features_, table=table, target=values, target_bounds=sides, account=account
        )

    def _fit_job(self, job: FitJob) -> None:
        self._fit(job)
        self._close(job.account)

    def _forget(self) -> None:
        """Delete what an earlier fit learnt: its loss is not that of the next one."""
        for name in learnt(self):
            delattr(self, name)

    def _fit_counts(self, names: tuple[str, ...], count: Any, account: Account) -> Self:
        """Fit a table whose rows stay in its engine.

        Args:
            names: The names of the features.
            count: Counts rows by class and code.
            account: What releases are charged to.
        """
        table = Columns(names=names, columns=(None,) * len(names), rows=0)
        self.features_ = self._known_columns(type(self).__name__, table)
        nobody, _, sides = self._read_target(Coded(np.empty(0, dtype=np.int64)))
        job = FitJob(
            label=type(self).__name__,
            features=self.features_,
            table=table,
            target=nobody,
            target_bounds=sides,
            account=account,
            count=count,
        )
        self._fit_job(job)
        return self

    def _fit_parts(self, parts: Any, account: Account) -> Self:
        """Fit rows that an engine gives in parts.

        Args:
            parts: A ``TableInParts``.
            account: What releases are charged to.
        """
        table, target = parts.columns.nothing
        nothing = self._job(table, target, account, None)

        def read(work: Callable[[Array], bool]) -> None:
            parts.each(lambda table, target: work(self._job(table, target, account, None).encoded().value))

        self._fit_job(evolve(nothing, read=read))
        return self

    def fit_query(
        self, query: Any, *, epsilon: Any = None, delta: Any = None, rho: Any = None, again: bool = False
    ) -> Self:
        """Fit the rows of a query of a session, whose budget is charged first; ``query.fit(model)`` calls it.

        Args:
            query: The rows.
            epsilon: The privacy loss of the fit, with ``delta``.
            delta: The probability that the loss exceeds epsilon.
            rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
            again: With a ledger, whether to charge for a fresh fit where one is stored.
        """
        fitted: Self = fit_query(self, query, epsilon=epsilon, delta=delta, rho=rho, again=again)
        return fitted

    def _known_columns(self, label: str, table: Columns) -> Any:
        count = len(table.columns)
        found = read_features(label, table.names, count, self.bounds, self.categories, self.codebook)
        refuse_texts(label, found, table.kinds)
        return found

    def _split_target(self, X: Any, y: Any) -> tuple[Any, Any]:  # noqa: N803
        """Take the target out of a frame that has it as a column; a target that is given by itself has precedence."""
        if self.target is None or not is_frame(X):
            return X, y
        if not isinstance(self.target, Hashable):
            raise WrongTypeError(
                f'{type(self).__name__}.target must be the name of one column, such as "income", got '
                f"{type(self.target).__name__}."
            )
        if self.target in X.columns:
            return self._without_target(X), X[self.target] if y is None else y
        if y is None:
            raise InvalidError(f"{type(self).__name__}.target names {self.target!r}, which is no column of the frame.")
        return X, y

    def _without_target(self, X: Any) -> Any:  # noqa: N803
        """Return a frame without the column of the target; anything else as it is."""
        if self.target is None or not is_frame(X) or self.target not in X.columns:
            return X
        return X[[name for name in X.columns if name != self.target]]

    def _column_of_target(self) -> Any:
        """Return what the codebook says of the target, or None."""
        book = read_codebook(type(self).__name__, self.codebook)
        known = book is not None and isinstance(self.target, str) and self.target in book.columns
        return book[self.target].column.values if book is not None and known else None

    def _close(self, account: Account) -> None:
        contiguous(self)
        self.loss_ = account.loss
        self._delta = getattr(account.spending.stated, "delta", None) or None
        self.noise_scale_ = {charge.name: charge.scale for charge in account.charges}
        self.releases_ = summed_up(account)
        if not self.signal_:
            self.signal_: Signal = self._with_advice(self.signal_)

    def _warn_of_noise(self) -> None:
        """Warn of a fit without signal; a ledger has stored it by then, since a warning can be an error."""
        label, rare = type(self).__name__, getattr(self, "rare_classes_", np.empty(0))
        if not self.signal_:
            warn_caller(f"{label}: {self.signal_.reason}")
        elif len(rare):
            warn_caller(
                f"{label}: the rows of class {short(rare.tolist()[0])} do not stand out from the noise. If the data "
                f"have more of them, check that {_CHECK_CLASSES}."
            )

    def _with_advice(self, signal: Signal) -> Signal:
        """Add what to check where the noisy number of rows with a target is small."""
        if not self.supervised or getattr(self, "n_samples_", _HARDLY_ANY) >= _HARDLY_ANY:
            return signal
        what = "the target holds numbers" if isinstance(self, PrivateRegressor) else _CHECK_CLASSES
        return Signal(expected=False, reason=f"{signal.reason} If the data have more rows, check that {what}.")

    def _encoded(self, X: Any) -> Array:  # noqa: N803
        """Encode rows for a prediction; every row by itself."""
        table = self._columns(X)  # before anything else: it says so if there was no fit
        return np.asarray(self.features_.encode(table.columns, table.rows))

    def _coded(self, X: Any, bins: int) -> Array:  # noqa: N803
        columns = self._columns(X).columns
        return np.asarray(self.features_.codes(columns, bins))

    def _columns(self, X: Any) -> Columns:  # noqa: N803
        check_is_fitted(self)
        rows = self._without_target(X)
        table = read_columns(rows)
        validate_data(
            self, rows if table.names is not None else np.empty((0, len(table.columns))), reset=False, **_SILENT
        )
        fitted = self.features_.names
        if fitted is not None and table.names is not None and fitted != table.names:
            self._refuse_names(fitted, table.names)
        refuse_texts_later(type(self).__name__, self.features_, table.kinds)
        return table

    def _refuse_names(self, fitted: tuple[str, ...], names: tuple[str, ...]) -> None:
        """Refuse other names; scikit-learn compares them only where all are texts, and warns where one side is."""
        if {*fitted} == {*names} or not hasattr(self, "feature_names_in_"):
            raise InvalidError(
                f"{type(self).__name__} was fitted to the columns {short(fitted)}, and these rows have {short(names)}: "
                "choose the columns of the fit, in their order."
            )

    def explain(self) -> str:
        """Describe every release of the fit, its noise and its privacy loss, and what the whole costs."""
        check_is_fitted(self)
        lines = [f"{type(self).__name__}: what the fit released, and what it cost."]
        lines += [f"- {line}" for line in self.releases_]
        lines.append(f"Together: {loss_in_words(self.loss_, self._delta)}; loss_ has it exactly.")
        lines.append("Scales are those of counts, of scores, or of numbers whose bounds are moved to -1 and 1.")
        lines.append(f"Signal: {self.signal_.reason}")
        return "\n".join(lines)

    def to_json(self) -> str:
        """Write the parameters and what was learnt as JSON; ``from_json`` reads it, and runs nothing."""
        return to_json(self)

    def save(self, path: str | Path) -> None:
        """Write the text of ``to_json`` into a file; ``load`` reads it.

        Args:
            path: The file; an existing one is replaced.
        """
        save(self, path)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.input_tags.allow_nan = True
        return tags


_SILENT: dict[str, Any] = {"skip_check_array": True}


class PrivateRegressor(PrivateEstimator):
    """A private estimator of a number with public bounds."""

    target_bounds: Any

    def _target_column(self) -> Numeric:
        label = type(self).__name__
        if self.target_bounds is not None:
            return read_numeric(f"{label}.target_bounds", self.target_bounds)
        column = self._column_of_target()
        if column is not None and column.bounds is not None:
            return read_numeric(f"{label}.codebook", column.bounds)
        raise InvalidError(
            f"{label}.target_bounds must give the lower and the upper bound of the target, such as (0, 100_000), or "
            "codebook= and target= must name it. The range of the data would reveal extreme rows."
        )

    def _refuse_kind(self, kind: str | None) -> None:
        if kind not in (None, NUMBERS):
            raise InvalidError(f"{type(self).__name__} predicts a number, and the type of the target is for {kind}.")

    def _read_target(self, target: Any) -> tuple[Array, Array, Bounds]:
        """Scale the target to -1 .. 1; a row without a number has no target."""
        column = self._target_column()
        self.target_column_ = column
        values, null = read_rows(target, float)
        missing = np.isnan(values) if null is None else np.isnan(values) | null
        return column.scaled(target), ~missing, (Fraction(-1), Fraction(1))


class PrivateClassifier(PrivateEstimator):
    """A private estimator of a class from a public list."""

    classes: Any

    def _known_classes(self) -> Array:
        label = type(self).__name__
        given = self.classes
        column = self._column_of_target()
        if given is None and column is not None:
            given = (False, True) if column.kind == "boolean" else column.categories
        if given is None:
            raise InvalidError(
                f"{label}.classes must list the classes, such as [0, 1] or ['no', 'yes'], or codebook= and target= "
                "must name them. A list made from the data would reveal rare classes."
            )
        values = read_categories(f"{label}.classes", given, _CLASSES).values
        if len(values) < 2:
            raise InvalidError(f"{label}.classes must have two or more classes, got {len(values)} class.")
        return sorted_classes(label, values)

    def _refuse_kind(self, kind: str | None) -> None:
        refuse_other_list(f"{type(self).__name__}.classes", "the target", self._known_classes().tolist(), kind)

    def _read_target(self, target: Any) -> tuple[Array, Array, Bounds]:
        """Return positions in the sorted list of classes; a row of another class has no target."""
        self.classes_ = self._known_classes()
        places = places_in(target, self.classes_.tolist())
        last = len(self.classes_) - 1
        return places.astype(np.float64), places <= last, (Fraction(0), Fraction(last + 1))
