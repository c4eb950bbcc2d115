"""Private random forests for classes and numbers."""

from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import RegressorMixin

from privet.core import Array
from privet.models.estimator import PrivateRegressor
from privet.models.fit_job import FitJob
from privet.models.forest_growth import FIRST, by_class, by_number, grow, read_settings
from privet.models.scored_classes import PrivateScoredClassifier
from privet.models.spending import Form
from privet.models.summed_trees import SummedTrees
from privet.models.target_range import TargetRange, release_range


@final
class RandomForestClassifier(PrivateScoredClassifier):
    """Predict a class from a public list by many random trees, which read all rows.

    Coins choose the splits of all trees, whatever the rows are. A release has the rows of each class in all leaves of
    all trees. The score of a row is a weighted sum of the log odds in its leaves, times one factor; a last release
    finds the factor.

    Args:
        epsilon: The privacy loss, with ``delta`` or without.
        delta: The probability that the loss exceeds epsilon, such as 1e-6; without it privacy is pure.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        classes: The public list of classes.
        codebook: A codebook with the bounds, categories and classes.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.
        n_estimators: The number of trees; by default 30 to 100, by a noisy number of rows.
        max_depth: The depth of trees, up to 10; by default 3 to 8, by a noisy number of rows and the budget.
        bins: The number of equal bins of a column of numbers; by default 4 to 32, by a noisy number of rows.
        edges: Public inner edges of bins by name or position, for columns where equal bins are too coarse.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/random_forest.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 2000, axis=0)
    >>> model = RandomForestClassifier(epsilon=1, delta=1e-6, bounds=(-1, 1), classes=["a", "b"])
    >>> model.fit(x, np.repeat(["a", "b"], 2000)).predict([[-1], [1]]).tolist()
    ['a', 'b']
    """

    forms: ClassVar[tuple[Form, ...]] = ("normal", "concentrated", "pure")

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
        self.bins = bins
        self.edges = edges

    _forest: SummedTrees

    def _fit(self, job: FitJob) -> None:
        settings, classes = read_settings(job, self), len(self.classes_)
        self._forest, self.n_samples_, self.signal_ = grow(job, settings, by_class(job, settings, classes))
        self.n_estimators_ = len(self._forest.trees)

    def _scores(self, X: Any) -> Array:  # noqa: N803
        columns = self._columns(X).columns
        return self._forest.scores(columns)


@final
class RandomForestRegressor(RegressorMixin, PrivateRegressor):
    """Predict a number with public bounds by many random trees, which read all rows.

    As ``RandomForestClassifier``; the trees add up how far the means of their leaves lie above the mean of all rows.
    The first release has the rows in bins of the target. It cuts off ends of the bounds in which hardly any rows are
    seen: ``target_range_``.

    Args:
        epsilon: The privacy loss, with ``delta`` or without.
        delta: The probability that the loss exceeds epsilon, such as 1e-6; without it privacy is pure.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        target_bounds: The public bounds of the target.
        codebook: A codebook with the bounds and categories.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.
        n_estimators: The number of trees; by default 30 to 100, by a noisy number of rows.
        max_depth: The depth of trees, up to 10; by default 3 to 8, by a noisy number of rows and the budget.
        bins: The number of equal bins of a column of numbers; by default 4 to 32, by a noisy number of rows.
        edges: Public inner edges of bins by name or position, for columns where equal bins are too coarse.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/random_forest.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 2000, axis=0)
    >>> model = RandomForestRegressor(epsilon=1, delta=1e-6, bounds=(-1, 1), target_bounds=(0, 100))
    >>> low, high = model.fit(x, np.repeat([20.0, 80.0], 2000)).predict([[-1], [1]])
    >>> bool(10 < low < 30), bool(70 < high < 90)
    (True, True)
    """

    forms: ClassVar[tuple[Form, ...]] = ("normal", "concentrated", "pure")

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
        self.bins = bins
        self.edges = edges

    _forest: SummedTrees
    _range: TargetRange
    target_range_: tuple[float, float]

    def _fit(self, job: FitJob) -> None:
        settings = read_settings(job, self)
        self._range = release_range(job, FIRST)
        aim = by_number(self._range, np.asarray(job.target))
        self._forest, self.n_samples_, signal = grow(job, settings, aim)
        self.signal_ = self._range.noted(signal, self.target_column_)
        self.target_range_ = self._range.ends(self.target_column_)
        self.n_estimators_ = len(self._forest.trees)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predicted number of each row, within the bounds of the target."""
        columns, target = self._columns(X).columns, self.target_column_
        scores = self._range.widened(self._forest.scores(columns)[:, 0])
        return np.asarray(target.middle + target.half * scores)
