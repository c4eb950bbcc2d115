"""Private gradient boosting for numbers and classes."""

from typing import Any, final

import numpy as np
from attrs import evolve
from sklearn.base import RegressorMixin

from privet.core import Array
from privet.models.boosting import RANGE, boost, log_odds, read_settings
from privet.models.class_counts import rare_classes
from privet.models.estimator import PrivateRegressor
from privet.models.fit_job import FitJob
from privet.models.scored_classes import PrivateScoredClassifier
from privet.models.summed_trees import SummedTrees
from privet.models.target_range import TargetRange, release_range


@final
class GradientBoostingClassifier(PrivateScoredClassifier):
    """Predict a class from a public list by private boosted trees.

    A first release has the classes by bin of every feature. It guides the random splits of all trees, which are then
    public. Each tree releases the sums of gradients and curvatures in its leaves.

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
        n_estimators: The number of trees; by default 100 to 200, by the noisy number of rows.
        max_depth: The depth of trees; by default 1 to 4, by the noisy number of rows.
        learning_rate: The part of each leaf that is added.
        bins: The number of equal bins of a column of numbers; by default 4 to 32, by the noisy number of rows.
        edges: Public inner edges of bins by name or position, for columns where equal bins are too coarse.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/gradient_boosting.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 2000, axis=0)
    >>> model = GradientBoostingClassifier(epsilon=1, delta=1e-6, bounds=(-1, 1), classes=["a", "b"])
    >>> model.fit(x, np.repeat(["a", "b"], 2000)).predict([[-1], [1]]).tolist()
    ['a', 'b']
    """

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
        n_estimators: Any = None,
        max_depth: Any = None,
        learning_rate: Any = 0.2,
        bins: Any = None,
        edges: Any = None,
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
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.bins = bins
        self.edges = edges

    _boosted: SummedTrees
    rare_classes_: Array

    def _fit(self, job: FitJob) -> None:
        settings = read_settings(job.label, len(self.classes_), self)
        self._boosted, guide, self.signal_ = boost(job, settings)
        self.n_samples_, self.feature_importances_ = guide.rows, guide.importances
        self.n_estimators_ = len(self._boosted.trees)
        self.class_prior_ = guide.base / guide.base.sum()
        self.rare_classes_ = rare_classes(self.classes_, guide.totals, guide.spread)

    def _scores(self, X: Any) -> Array:  # noqa: N803
        columns = self._columns(X).columns
        scores = self._boosted.scores(columns)
        return log_odds(scores) if len(self.classes_) == 2 else scores


@final
class GradientBoostingRegressor(RegressorMixin, PrivateRegressor):
    """Predict a number with public bounds by private boosted trees.

    As ``GradientBoostingClassifier``, with squares as the loss. Before its other releases it counts the rows in bins of
    the target, and cuts off ends of the bounds in which hardly any rows are seen: ``target_range_``.

    Args:
        epsilon: The privacy loss, with ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        target_bounds: The public bounds of the target.
        codebook: A codebook with the bounds and categories.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.
        n_estimators: The number of trees; by default 100 to 200, by the noisy number of rows.
        max_depth: The depth of trees; by default 1 to 4, by the noisy number of rows.
        learning_rate: The part of each leaf that is added.
        bins: The number of equal bins of a column of numbers; by default 4 to 32, by the noisy number of rows.
        edges: Public inner edges of bins by name or position, for columns where equal bins are too coarse.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/gradient_boosting.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 2000, axis=0)
    >>> model = GradientBoostingRegressor(epsilon=1, delta=1e-6, bounds=(-1, 1), target_bounds=(0, 100))
    >>> low, high = model.fit(x, np.repeat([20.0, 80.0], 2000)).predict([[-1], [1]])
    >>> bool(10 < low < 30), bool(70 < high < 90)
    (True, True)
    """

    def __init__(
        self,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        categories: Any = None,
        target_bounds: Any = None,
        codebook: Any = None,
        target: Any = None,
        rows_per_person: Any = None,
        n_estimators: Any = None,
        max_depth: Any = None,
        learning_rate: Any = 0.2,
        bins: Any = None,
        edges: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.categories = categories
        self.target_bounds = target_bounds
        self.codebook = codebook
        self.target = target
        self.rows_per_person = rows_per_person
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.bins = bins
        self.edges = edges

    _boosted: SummedTrees
    _range: TargetRange
    target_range_: tuple[float, float]

    def _fit(self, job: FitJob) -> None:
        settings = read_settings(job.label, 0, self)
        self._range = release_range(job, RANGE)
        narrow = evolve(job, target=self._range.narrowed(np.asarray(job.target)))
        self._boosted, guide, signal = boost(narrow, settings, first=self._range)
        self.signal_ = self._range.noted(signal, self.target_column_)
        self.target_range_ = self._range.ends(self.target_column_)
        self.n_samples_, self.feature_importances_ = guide.rows, guide.importances
        self.n_estimators_ = len(self._boosted.trees)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predicted number of each row, within the bounds of the target."""
        columns = self._columns(X).columns
        scores = self._range.widened(self._boosted.scores(columns)[:, 0])
        return np.asarray(self.target_column_.middle + self.target_column_.half * scores)
