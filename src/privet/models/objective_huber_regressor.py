"""Private regression with a pseudo-Huber loss and pure privacy."""

from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import RegressorMixin

from privet.core import Array
from privet.models.estimator import PrivateRegressor
from privet.models.fit_job import FitJob
from privet.models.objective_models import perturbed, read_radius, shortened, signal
from privet.models.spending import Form


@final
class ObjectiveHuberRegressor(RegressorMixin, PrivateRegressor):
    """Predict a number with public bounds by a pseudo-Huber loss with pure privacy.

    The loss is minimised with a random tilt (objective perturbation): one release, with pure privacy. Large residuals
    count by their size, not their square.

    Args:
        radius: The largest length of a row of encoded features; longer rows are shortened, also in predictions.
        threshold: Residuals above it count by their size. Its unit is that in which the bounds of the target are -1
            and 1.
        epsilon: The privacy loss.
        delta: Not needed.
        rho: Not taken: the release has an epsilon only.
        budget: A budget such as ``pv.budget(epsilon=1)``, instead of epsilon.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        target_bounds: Public bounds of the target.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        codebook: A codebook with these facts.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most epsilon, for one row more or less (one person, with persons).
    Proof: docs/models/objective_models.md.

    >>> import numpy as np
    >>> x = np.linspace(-1, 1, 2_000)
    >>> model = ObjectiveHuberRegressor(epsilon=2, bounds=(-1, 1), target_bounds=(-5, 5))
    >>> bool(abs(model.fit(x[:, None], 3 * x + 1).predict([[0.5]])[0] - 2.5) < 1)
    True
    """

    forms: ClassVar[tuple[Form, ...]] = ("pure",)

    def __init__(
        self,
        *,
        radius: Any = 1,
        threshold: Any = 0.25,
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
        self.radius = radius
        self.threshold = threshold
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
    _radius: float

    def _fit(self, job: FitJob) -> None:
        radius = read_radius("ObjectiveHuberRegressor", self.radius)
        self._radius = float(radius)
        found, constant, count = perturbed(job, radius, "huber", threshold=self.threshold)
        column, (middles, halves) = self.target_column_, self.features_.scales()
        self._encoded_coef, self._encoded_intercept = found, constant
        self.coef_ = found * column.half / halves
        self.intercept_ = float(constant * column.half + column.middle - self.coef_ @ middles)
        self.n_samples_ = count
        self.signal_ = signal(job, count)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predicted numbers, within the bounds of the target."""
        rows = shortened(self._encoded(X), self._radius)
        scaled = np.clip(rows @ self._encoded_coef + self._encoded_intercept, -1.0, 1.0)
        return np.asarray(scaled * self.target_column_.half + self.target_column_.middle)
