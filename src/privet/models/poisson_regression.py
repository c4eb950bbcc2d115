"""Private Poisson regression: counts with a logarithmic link."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import RegressorMixin

from privet.core import Array, Bounds, read_rows
from privet.errors import InvalidError
from privet.models.centre import release_centre
from privet.models.descent import descend, length_up, preconditioner, release_products, shrink_rare
from privet.models.estimator import PrivateRegressor
from privet.models.fit_job import FitJob
from privet.models.logistic_regression import expected_signal, noise_ratio
from privet.models.signal import Signal
from privet.transforms.centre_rows import CentreRows

_CENTRE, _TARGET, _PRODUCTS = Fraction(6, 100), Fraction(4, 100), Fraction(10, 100)
_STEPS = 40
_INTERCEPT = Fraction(3, 10)
_WIDE = 2.0  # spreads that a row may lie from the centre; a row that is shortened bends the coefficients
_LONGEST = 3.0  # the largest change of the logarithm of the expected number between the centre and the radius
_CLEAR = 4.0  # how many times its noise the mean number of events must be
_FEW_EVENTS = (
    "the mean number of events is not clear of its noise: the coefficients are mostly noise. Use an upper bound of "
    "target_bounds that is nearer to usual numbers, more rows or a larger budget."
)
_CAUTION = 2.0  # the curvature grows with the expected number; steps are shorter than at its mean


@final
class PoissonRegressor(RegressorMixin, PrivateRegressor):
    """Predict a number of events by a private Poisson regression with a logarithmic link.

    Gradients are clipped row by row, so that neither a large count nor a large expected number counts beyond a bound;
    objective perturbation cannot do this, because the exponential has no bounded derivative.

    Args:
        epsilon: The privacy loss, with ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        target_bounds: Public bounds of the number of events; the lower one is zero.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        codebook: A codebook with the bounds and categories.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/poisson_regression.md.

    >>> import numpy as np
    >>> x = np.repeat([[0.0], [1.0]], 4_000, axis=0)
    >>> model = PoissonRegressor(epsilon=1, delta=1e-6, bounds=(0, 1), target_bounds=(0, 10))
    >>> few, many = model.fit(x, np.repeat([1, 4], 4_000)).predict([[0], [1]])
    >>> bool(abs(few - 1) < 0.5 and abs(many - 4) < 1)
    True
    """

    in_parts: ClassVar[bool] = True

    def __init__(
        self,
        *,
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

    def _read_target(self, target: Any) -> tuple[Array, Array, Bounds]:
        """Return shares of the upper bound; a row without a number has no target."""
        self.target_column_ = self._target_column()
        if self.target_column_.lower != 0:
            raise InvalidError("PoissonRegressor.target_bounds must begin at 0: it predicts a number of events.")
        values, null = read_rows(target, float)
        missing = np.isnan(values) if null is None else np.isnan(values) | null
        upper = float(self.target_column_.upper)
        shares = np.clip(np.clip(values, 0.0, upper) / upper, 0.0, 1.0)
        return np.where(missing, 0.0, shares), ~missing, (Fraction(0), Fraction(1))

    coef_: Array
    _encoded_coef: Array
    _encoded_intercept: float

    def _fit(self, job: FitJob) -> None:
        rows, width = job.encoded(), job.features.width
        centre = release_centre(rows, range(width), job.features.radius_squared, _CENTRE)
        target = release_centre(rows, range(width, width + 1), 1, _TARGET, name="centre and spread of the target")
        above = float(target.mean[0]) > _CLEAR * target.noise
        mean = float(np.clip(max(target.mean[0], target.noise), 1e-3, 1.0))  # noise alone would make it as large
        radius = Fraction(min(_WIDE * centre.spread, 2 * math.sqrt(job.features.radius_squared)))
        intercept = _INTERCEPT * radius
        reach = length_up(radius, intercept)
        rows = rows.through(CentreRows(centre=centre.fractions(), radius=radius, intercept=intercept))
        products, noise = release_products(rows, width + 1, reach, _PRODUCTS)
        ratio = noise_ratio(job, width + 1, centre.count)
        spread = float(np.clip(target.spread, 0.01, 1.0))
        clip = Fraction(0.7 * min(max(math.sqrt(0.01 / ratio), 0.7), 4.0) * spread) * reach
        start = np.zeros((1, width + 1))
        start[0, -1] = math.log(mean) / float(intercept)
        weights = descend(
            rows,
            preconditioner(products, noise) / ((mean + 2 * target.noise) * _CAUTION),
            residual="poisson",
            start=start,
            clip=clip,
            steps=_STEPS,
            share=1 - _CENTRE - _TARGET - _PRODUCTS,
            longest=_LONGEST / float(reach),
        )
        weights = shrink_rare(weights, job.features, products, noise / 2)[0]
        self._encoded_coef = weights[:-1]
        self._encoded_intercept = float(weights[-1] * float(intercept) - weights[:-1] @ centre.mean)
        middles, halves = self.features_.scales()
        self.coef_ = self._encoded_coef / halves
        self.intercept_ = self._encoded_intercept + math.log(float(self.target_column_.upper)) - self.coef_ @ middles
        self.n_samples_, self.signal_ = centre.count, expected_signal(ratio, width + 1, centre.count)
        if self.signal_ and not above:
            self.signal_ = Signal(expected=False, reason=_FEW_EVENTS)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the expected numbers, at most the upper bound of the target."""
        scores = self._encoded(X) @ self._encoded_coef + self._encoded_intercept
        return np.asarray(np.exp(np.minimum(scores, 0.0)) * float(self.target_column_.upper))
