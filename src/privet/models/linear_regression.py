"""Private linear regression: for prediction, or with standard errors and intervals of the coefficients."""

import math
from fractions import Fraction
from typing import Any, ClassVar, Literal, final

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from privet.core import Array, read_share, warn_caller
from privet.errors import InvalidError, UnavailableError
from privet.models.centre import Centre, release_centre
from privet.models.coefficient_table import CoefficientTable, normal_quantile
from privet.models.descent import descend, length_up, preconditioner, release_products, shrink_rare
from privet.models.estimator import PrivateRegressor
from privet.models.fit_job import FitJob
from privet.models.inference import Inference, infer
from privet.models.logistic_regression import expected_signal, noise_ratio
from privet.models.private_rows import PrivateRows
from privet.transforms.weight_rows import WeightRows

_CENTRE, _TARGET, _PRODUCTS = Fraction(6, 100), Fraction(4, 100), Fraction(10, 100)
_STEPS = 20
_INTERCEPT = Fraction(3, 10)  # the column of the intercept, relative to the radius of the features
_WAYS = ("none", "two_step")


@final
class LinearRegression(RegressorMixin, PrivateRegressor):
    """Predict a number with public bounds by a private linear regression.

    With ``inference="none"`` the coefficients are found by preconditioned gradient steps, the best for predictions.
    With ``inference="two_step"`` they are found by noisy moments and one further step, and have standard errors and
    intervals that cover sampling and noise.

    Args:
        inference: "none" or "two_step".
        epsilon: The privacy loss, with ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        target_bounds: Public bounds of the target.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        codebook: A codebook with the bounds and categories.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/linear_regression.md.

    >>> import numpy as np
    >>> x = np.linspace(0, 10, 5_000)
    >>> model = LinearRegression(epsilon=1, delta=1e-6, bounds=(0, 10), target_bounds=(0, 50))
    >>> bool(abs(model.fit(x[:, None], 4 * x + 3).coef_[0] - 4) < 0.5)
    True
    """

    in_parts: ClassVar[bool] = True
    target_bounds: Any

    def __init__(
        self,
        *,
        inference: Literal["none", "two_step"] = "none",
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        target_bounds: Any = None,
        categories: Any = None,
        codebook: Any = None,
        target: Any = None,
        rows_per_person: Any = None,
    ) -> None:
        self.inference = inference
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.target_bounds = target_bounds
        self.categories = categories
        self.codebook = codebook
        self.target = target
        self.rows_per_person = rows_per_person

    coef_: Array
    _encoded_coef: Array
    _encoded_intercept: float

    def _fit(self, job: FitJob) -> None:
        if self.inference not in _WAYS:
            raise InvalidError(
                f"LinearRegression.inference must be one of {', '.join(map(repr, _WAYS))}, got {self.inference!r}."
            )
        rows, width = job.encoded(), job.features.width
        if self.inference == "two_step":
            self._fit_two_step(job, rows, width)
            return
        centre = release_centre(rows, range(width), job.features.radius_squared, _CENTRE)
        target = release_centre(rows, range(width, width + 1), 1, _TARGET, name="centre and spread of the target")
        radius = Fraction(min(centre.spread * (1 + 1 / math.sqrt(width)), 2 * math.sqrt(job.features.radius_squared)))
        intercept = _INTERCEPT * radius
        reach = length_up(radius, intercept)
        middle, spread = _target(target)
        rows = rows.through(
            WeightRows(centre=centre.fractions(), radius=radius, intercept=intercept, target=Fraction(middle))
        )
        products, noise = release_products(rows, width + 1, reach, _PRODUCTS)
        ratio = noise_ratio(job, width + 1, centre.count)
        clip = Fraction(0.7 * min(max(math.sqrt(0.01 / ratio), 0.7), 4.0) * spread) * reach
        weights = descend(
            rows,
            preconditioner(products, noise),
            residual="squared",
            start=np.zeros((1, width + 1)),
            clip=clip,
            steps=_STEPS,
            share=1 - _CENTRE - _TARGET - _PRODUCTS,
        )
        weights = shrink_rare(weights, job.features, products, noise / 2)[0]
        self._read(weights[:-1], weights[-1] * float(intercept) - float(weights[:-1] @ centre.mean) + middle)
        self.n_samples_, self.signal_ = centre.count, expected_signal(ratio, width + 1, centre.count)

    def _fit_two_step(self, job: FitJob, rows: PrivateRows, width: int) -> None:
        found: Inference = infer(job, rows, width)
        self._read(found.coefficients, found.intercept)
        column, (middles, halves) = self.target_column_, self.features_.scales()
        scale = column.half / halves
        turn = np.diag(np.append(column.half, scale))
        turn[0, 1:] = -scale * middles  # the intercept in units of the data is where every number is zero
        covariance = turn @ found.covariance @ turn.T
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        self.intercept_stderr_, self.stderr_ = float(errors[0]), errors[1:]
        self.covariance_ = covariance[1:, 1:]
        self.residual_scale_ = found.residual * column.half
        self.usable_ = found.usable
        self.n_samples_, self.signal_ = found.count, found.signal

    def _read(self, weights: Array, constant: float) -> None:
        """Write the coefficients for encoded rows, and in the units of the data."""
        column, (middles, halves) = self.target_column_, self.features_.scales()
        self._encoded_coef, self._encoded_intercept = weights, constant
        self.coef_ = weights * column.half / halves
        self.intercept_ = float(constant * column.half + column.middle - self.coef_ @ middles)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predicted numbers, within the bounds of the target."""
        rows = self._encoded(X)
        scaled = np.clip(rows @ self._encoded_coef + self._encoded_intercept, -1.0, 1.0)
        return np.asarray(scaled * self.target_column_.half + self.target_column_.middle)

    def conf_int(self, level: float = 0.95) -> Array:
        """Return an interval for each coefficient that covers sampling and the noise of privacy.

        It does not cover a relation that is not linear, values that are moved to their bounds, missing features (read
        as the middle of the bounds), and residuals that are clipped.

        Args:
            level: The probability that an interval contains its coefficient.
        """
        check_is_fitted(self)
        share = float(read_share("conf_int.level", level))
        self._inferred("conf_int")
        if share < 0.5:
            warn_caller(
                f"an interval of level {share:g} holds its coefficient with this probability: for 95% give level=0.95, "
                "which is one minus the alpha of statsmodels."
            )
        half = normal_quantile(0.5 + share / 2) * self.stderr_
        return np.stack([self.coef_ - half, self.coef_ + half], axis=1)

    def summary(self, level: float = 0.95) -> CoefficientTable:
        """Return a table of the intercept and the coefficients with standard errors and intervals.

        Args:
            level: The probability that an interval contains its coefficient.
        """
        check_is_fitted(self)
        self._inferred("summary")
        interval = self.conf_int(level)
        half = normal_quantile(0.5 + float(level) / 2) * self.intercept_stderr_
        return CoefficientTable(
            names=("(intercept)", *self.features_.encoded_names()),
            estimates=(self.intercept_, *self.coef_.tolist()),
            errors=(self.intercept_stderr_, *self.stderr_.tolist()),
            lower=(self.intercept_ - half, *interval[:, 0].tolist()),
            upper=(self.intercept_ + half, *interval[:, 1].tolist()),
            level=float(level),
            rows=self.n_samples_,
            usable=self.usable_,
        )

    def _inferred(self, name: str) -> None:
        if self.inference != "two_step":
            raise UnavailableError(
                f'{name} needs standard errors: fit LinearRegression(inference="two_step", ...), which spends its '
                "budget on them."
            )
        if not self.usable_:
            raise UnavailableError(
                f"{name} is not available: noise swamps at least one direction of the features, so no interval would "
                "be honest (usable_ is False). Use fewer columns, drop one category of each list, or a larger budget."
            )


def _target(centre: Centre) -> tuple[float, float]:
    """Return the mean and the standard deviation of the target, both scaled, within what they can be."""
    return float(np.clip(centre.mean[0], -1, 1)), float(np.clip(centre.spread, 0.05, 1))
