"""Private logistic regression for two or more classes."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from privet.core import Array
from privet.models.centre import release_centre
from privet.models.descent import descend, length_up, preconditioner, release_products, shrink_rare
from privet.models.fit_job import FitJob
from privet.models.scored_classes import PrivateScoredClassifier
from privet.models.signal import Signal, rows_text
from privet.transforms.centre_rows import CentreRows

_CENTRE, _PRODUCTS = Fraction(1, 10), Fraction(1, 10)
_STEPS = 30
_INTERCEPT = Fraction(1, 5)  # the column of the intercept, relative to the radius of the features


@final
class LogisticRegression(PrivateScoredClassifier):
    """Predict a class from a public list by a private logistic regression, binary or multinomial.

    Three kinds of releases: the centre and spread of the features, the sums of their products, and clipped gradients.
    All noise is Gaussian on exact sums; the number of rows is private.

    Args:
        epsilon: The privacy loss, with ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        classes: The public list of classes.
        codebook: A codebook with the bounds, categories and classes.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/logistic_regression.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 500, axis=0)
    >>> model = LogisticRegression(epsilon=1, delta=1e-6, bounds=(-1, 1), classes=["a", "b"])
    >>> model.fit(x, np.repeat(["a", "b"], 500)).predict([[-1], [1]]).tolist()
    ['a', 'b']
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
        categories: Any = None,
        classes: Any = None,
        codebook: Any = None,
        target: Any = None,
        rows_per_person: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.categories = categories
        self.classes = classes
        self.codebook = codebook
        self.target = target
        self.rows_per_person = rows_per_person

    coef_: Array
    _encoded_coef: Array
    _encoded_intercept: Array

    def _fit(self, job: FitJob) -> None:
        rows, width, several = job.encoded(), job.features.width, len(self.classes_) > 2
        centre = release_centre(rows, range(width), job.features.radius_squared, _CENTRE)
        radius = Fraction(centre.spread)
        intercept = _INTERCEPT * radius
        reach = length_up(radius, intercept)
        rows = rows.through(CentreRows(centre=centre.fractions(), radius=radius, intercept=intercept))
        products, noise = release_products(rows, width + 1, reach, _PRODUCTS)
        ratio = noise_ratio(job, width + 1, centre.count)
        clip = Fraction(min(max(0.25 * math.sqrt(0.01 / ratio), 0.25), 1.0)) * reach
        weights = descend(
            rows,
            4 * preconditioner(products, noise),  # the curvature of the loss is at most a quarter of the products
            residual="multinomial" if several else "logistic",
            start=np.zeros((len(self.classes_) if several else 1, width + 1)),
            clip=clip * Fraction(99, 70) if several else clip,
            steps=_STEPS,
            share=1 - _CENTRE - _PRODUCTS,
        )
        weights = shrink_rare(weights, job.features, products, 2 * noise)
        self._read(weights, centre.mean, float(intercept))
        self.n_samples_, self.signal_ = centre.count, expected_signal(ratio, width + 1, centre.count)

    def _read(self, weights: Array, mean: Array, intercept: float) -> None:
        """Write the coefficients for encoded rows, and in the units of the data."""
        inner = weights[:, :-1]
        constant = weights[:, -1] * intercept - inner @ mean
        middles, halves = self.features_.scales()
        self.coef_ = inner / halves
        self.intercept_ = constant - self.coef_ @ middles
        self._encoded_coef, self._encoded_intercept = inner, constant

    def _scores(self, X: Any) -> Array:  # noqa: N803
        """Return the linear predictors."""
        return np.asarray(self._encoded(X) @ self._encoded_coef.T + self._encoded_intercept)


def noise_ratio(job: FitJob, columns: int, count: float) -> float:
    """Return the size of the noise relative to the data: the root of the columns, by the rows and the budget."""
    return math.sqrt(columns) / (math.sqrt(2 * float(job.account.spending.total)) / job.account.d_in * count)


def expected_signal(ratio: float, columns: int, count: float) -> Signal:
    """Judge whether a linear model of so many columns can be learnt from so many rows at this budget."""
    if ratio <= 0.1:
        return Signal(expected=True, reason=f"{rows_text(count)} are enough for {columns} coefficients at this budget.")
    return Signal(
        expected=False,
        reason=f"{rows_text(count)} are too few for {columns} coefficients at this budget: the coefficients are "
        "mostly noise. Use fewer columns, more rows or a larger budget.",
    )
