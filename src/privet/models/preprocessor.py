"""What the private preprocessors share: they use public facts for nothing, or a release if they have a budget."""

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from privet.accounting.losses.pure import PureLoss
from privet.core import Array, Bounds, read_rows
from privet.errors import InvalidError
from privet.models.estimator import PrivateEstimator
from privet.models.features import Features, Numeric
from privet.models.fit_job import FitJob, guarded
from privet.models.signal import Signal
from privet.models.spending import Form
from privet.models.tables_of import read_columns

BUDGET = ("epsilon", "delta", "rho", "budget")
PUBLIC = Signal(expected=True, reason="public facts only; no data were read.")


class PrivatePreprocessor(TransformerMixin, PrivateEstimator):
    """A transformer whose result for a row depends on that row, on public facts and on releases alone.

    After a fit, ``output_features_`` has the bounds of the columns that ``transform`` gives.
    """

    forms: ClassVar[tuple[Form, ...]] = ("normal", "concentrated", "pure")
    supervised: ClassVar[bool] = False
    target = None
    categories = None

    output_features_: Features

    def needs_budget(self) -> bool:
        """Tell whether the parameters ask for a release."""
        return False

    def _fit_public(self) -> None:
        """Set what follows from public facts."""
        raise NotImplementedError

    def _finish(self) -> None:
        """Set ``output_features_`` from what was learnt."""
        raise NotImplementedError

    def _read_target(self, target: Any) -> tuple[Array, Array, Bounds]:
        raise NotImplementedError  # there is no target

    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:  # noqa: N803
        """Learn from public facts without a budget; with one, from a release.

        Args:
            X: The rows; without a budget only the number and the names of the columns are read.
            y: Not used.
            persons: As for other estimators.
        """
        return guarded(type(self).__name__, lambda: self._fit_rows_or_facts(X, y, persons))

    def _fit_rows_or_facts(self, X: Any, y: Any, persons: Any) -> Self:  # noqa: N803
        label = type(self).__name__
        if any(getattr(self, name) is not None for name in BUDGET):
            PrivateEstimator.fit(self, X, y, persons=persons)
        elif self.needs_budget():
            raise InvalidError(f"{label} needs a privacy budget with these parameters: give epsilon=, rho= or budget=.")
        else:
            self._forget()
            table = read_columns(X)
            shown = X if table.names is not None else np.empty((0, len(table.columns)))
            validate_data(self, shown, skip_check_array=True)
            self.features_ = self._known_columns(label, table)
            self._fit_public()
            self._delta = None
            self.loss_, self.noise_scale_, self.releases_ = PureLoss(0), {}, []
            self.signal_ = PUBLIC
            self._finish()
        return self

    def _fit_job(self, job: FitJob) -> None:
        super()._fit_job(job)
        self._finish()

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Return the names of the columns of the result.

        Args:
            input_features: Not used; the names are those of the fit.
        """
        check_is_fitted(self)
        names = self.output_features_.names or tuple(f"x{at}" for at in range(len(self.output_features_.columns)))
        return np.asarray(names, dtype=object)


def input_names(features: Features) -> tuple[str, ...]:
    """Return the names of columns, or x0, x1 and so on."""
    return features.names or tuple(f"x{at}" for at in range(len(features.columns)))


def clipped(item: Numeric, column: Any) -> Array:
    """Return the values of a column within its bounds; a missing one is NaN."""
    values, null = read_rows(column, float)
    with np.errstate(all="ignore"):
        inside = np.clip(values, float(item.lower), float(item.upper))
    return inside if null is None else np.where(null, np.nan, inside)


def numbers_only(label: str, features: Features) -> tuple[Numeric, ...]:
    """Return the columns, all of which must be numbers."""
    columns = tuple(item for item in features.columns if isinstance(item, Numeric))
    if len(columns) != len(features.columns):
        raise InvalidError(f"{label} takes columns of numbers with bounds; put OneHotEncoder before it for categories.")
    return columns


def interval(ends: tuple[float, float]) -> Numeric:
    """Return a column with these bounds."""
    return Numeric(lower=min(ends), upper=max(ends))
