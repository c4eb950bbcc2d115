"""Private logistic regression of two classes with pure privacy."""

from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import ClassifierMixin

from privet.core import Array
from privet.models.estimator import PrivateClassifier
from privet.models.fit_job import FitJob
from privet.models.objective_models import perturbed, read_radius, shortened, signal, two_classes
from privet.models.spending import Form


@final
class ObjectiveLogisticRegression(ClassifierMixin, PrivateClassifier):
    """Predict one of two classes by a logistic regression with pure privacy.

    The loss is minimised with a random tilt (objective perturbation): one release, with pure privacy.

    Args:
        radius: The largest length of a row of encoded features; longer rows are shortened, also in predictions.
        epsilon: The privacy loss.
        delta: Not needed.
        rho: Not taken: the release has an epsilon only.
        budget: A budget such as ``pv.budget(epsilon=1)``, instead of epsilon.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        classes: The public list of two classes.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        codebook: A codebook with these facts.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most epsilon, for one row more or less (one person, with persons).
    Proof: docs/models/objective_models.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 500, axis=0)
    >>> model = ObjectiveLogisticRegression(epsilon=1, bounds=(-1, 1), classes=["a", "b"])
    >>> model.fit(x, np.repeat(["a", "b"], 500)).predict([[-1], [1]]).tolist()
    ['a', 'b']
    """

    forms: ClassVar[tuple[Form, ...]] = ("pure",)

    def __init__(
        self,
        *,
        radius: Any = 1,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        classes: Any = None,
        categories: Any = None,
        codebook: Any = None,
        target: Any = None,
        rows_per_person: Any = None,
    ) -> None:
        self.radius = radius
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.classes = classes
        self.categories = categories
        self.codebook = codebook
        self.target = target
        self.rows_per_person = rows_per_person

    coef_: Array
    _encoded_coef: Array
    _encoded_intercept: float
    _radius: float

    def _fit(self, job: FitJob) -> None:
        two_classes("ObjectiveLogisticRegression", self.classes_)
        radius = read_radius("ObjectiveLogisticRegression", self.radius)
        self._radius = float(radius)
        found, constant, count = perturbed(job, radius, "logistic")
        middles, halves = self.features_.scales()
        self.coef_ = (found / halves)[None, :]
        self.intercept_ = np.array([constant - float(self.coef_[0] @ middles)])
        self._encoded_coef, self._encoded_intercept = found, constant
        self.n_samples_ = count
        self.signal_ = signal(job, count)

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """Return the linear predictor: above zero for the second class."""
        rows = shortened(self._encoded(X), self._radius)
        return np.asarray(rows @ self._encoded_coef + self._encoded_intercept)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the class of each row."""
        places = (self.decision_function(X) > 0).astype(np.int64)
        return np.asarray(self.classes_[places])

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the probability of each class, in the order of ``classes_``."""
        odds = np.exp(-np.logaddexp(0.0, -self.decision_function(X)))
        return np.stack([1 - odds, odds], axis=1)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
