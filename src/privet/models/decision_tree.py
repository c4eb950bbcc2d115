"""Private decision trees for classes and numbers."""

from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from privet.core import Array
from privet.models.estimator import PrivateClassifier, PrivateRegressor
from privet.models.fit_job import FitJob
from privet.models.leaf_shares import class_weights, number_weights
from privet.models.leaf_sums import Rows, release_rows
from privet.models.spending import Form
from privet.models.target_range import TargetRange, release_range
from privet.models.tree_growth import DecisionTree, Labels, grow, read_settings, signal_of
from privet.models.tree_text import describe_tree

_COUNT, _TARGET = Fraction(1, 20), Fraction(2, 25)
_LABELS = 4  # classes of a number


@final
class DecisionTreeClassifier(ClassifierMixin, PrivateClassifier):
    """Predict a class from a public list by one private decision tree, which may be published.

    Level by level, one selection chooses a split for every node, from all thresholds between bins and from all single
    categories. One more release has the rows of each class in the leaves. A missing number or an unknown category is
    the last code of its column: it is above all thresholds.

    Args:
        epsilon: The privacy loss, with ``delta`` or without.
        delta: Optional, and never spent: with epsilon, privacy is pure.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        classes: The public list of classes.
        codebook: A codebook with the bounds, categories and classes.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.
        criterion: The score of splits: "gini", "gain" (the entropy) or "max_class" (the rows of the largest class).
        max_depth: The depth of the tree, up to 10; by default 1 to 8, by a noisy number of rows and the budget.
        bins: The number of equal bins of a column of numbers; by default 4 to 32, by a noisy number of rows.
        edges: Public inner edges of bins by name or position, for columns where equal bins are too coarse.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/decision_tree.md.

    >>> import numpy as np
    >>> x = np.repeat([["red"], ["blue"]], 500, axis=0)
    >>> model = DecisionTreeClassifier(epsilon=3, categories={0: ["red", "green", "blue"]}, classes=["a", "b"])
    >>> model.fit(x, np.repeat(["a", "b"], 500)).predict([["red"], ["blue"]]).tolist()
    ['a', 'b']
    """

    forms: ClassVar[tuple[Form, ...]] = ("pure", "concentrated")

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
        criterion: Any = "gini",
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
        self.criterion = criterion
        self.max_depth = max_depth
        self.bins = bins
        self.edges = edges

    _tree: DecisionTree

    def _fit(self, job: FitJob) -> None:
        settings, classes, share, first = read_settings(job, self), len(self.classes_), Fraction(1), None
        if settings.counts:
            first, share = release_rows(job, _COUNT), 1 - _COUNT
        places = np.asarray(job.target)
        labels = Labels(values=places, classes=classes)
        self._tree, rows = grow(job, settings, labels, class_weights(places, classes), first, share)
        self.max_depth_ = len(self._tree.levels)
        self.n_samples_, self.signal_ = max(rows.count, 1.0), signal_of(job, rows)

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the probability of each class, in the order of ``classes_``."""
        columns = self._columns(X).columns
        return self._tree.predict(columns)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class of each row."""
        places = self.predict_proba(X).argmax(axis=1)  # first: it says if there was no fit
        return np.asarray(self.classes_[places])

    def export_text(self) -> str:
        """Describe the tree: its splits, and for each leaf the most probable class and the noisy number of rows."""
        check_is_fitted(self)
        best = [f"{self.classes_[share.argmax()]} ({share.max():.2f})" for share in self._tree.shares]
        return describe_tree(self._tree, best)


@final
class DecisionTreeRegressor(RegressorMixin, PrivateRegressor):
    """Predict a number with public bounds by one private decision tree, which may be published.

    As ``DecisionTreeClassifier``. A first release has the rows in bins of the target. It cuts the target into four
    classes, by which splits are chosen, and cuts off ends of the bounds in which hardly any rows are seen
    (``target_range_``). Leaves predict a mean.

    Args:
        epsilon: The privacy loss, with ``delta`` or without.
        delta: Optional, and never spent: with epsilon, privacy is pure.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        target_bounds: The public bounds of the target.
        codebook: A codebook with the bounds and categories.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.
        criterion: The score of splits: "gini", "gain" (the entropy) or "max_class" (the rows of the largest class).
        max_depth: The depth of the tree, up to 10; by default 1 to 8, by a noisy number of rows and the budget.
        bins: The number of equal bins of a column of numbers; by default 4 to 32, by a noisy number of rows.
        edges: Public inner edges of bins by name or position, for columns where equal bins are too coarse.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/decision_tree.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 2000, axis=0)
    >>> model = DecisionTreeRegressor(epsilon=1, delta=1e-6, bounds=(-1, 1), target_bounds=(0, 100))
    >>> low, high = model.fit(x, np.repeat([20.0, 80.0], 2000)).predict([[-1], [1]])
    >>> bool(10 < low < 30), bool(70 < high < 90)
    (True, True)
    """

    forms: ClassVar[tuple[Form, ...]] = ("pure", "concentrated")

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
        criterion: Any = "gini",
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
        self.criterion = criterion
        self.max_depth = max_depth
        self.bins = bins
        self.edges = edges

    _tree: DecisionTree
    _range: TargetRange
    target_range_: tuple[float, float]

    def _fit(self, job: FitJob) -> None:
        settings = read_settings(job, self)
        self._range, target = release_range(job, _TARGET), np.asarray(job.target)
        labels = Labels(values=self._range.classes(target, _LABELS), classes=_LABELS)
        weights = number_weights(self._range.narrowed(target))
        first = Rows(count=self._range.rows, noise=self._range.noise_of_rows)
        self._tree, rows = grow(job, settings, labels, weights, first, 1 - _TARGET)
        self.max_depth_ = len(self._tree.levels)
        self.n_samples_ = max(rows.count, 1.0)
        self.signal_ = self._range.noted(signal_of(job, rows), self.target_column_)
        self.target_range_ = self._range.ends(self.target_column_)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predicted number of each row, within the bounds of the target."""
        columns = self._columns(X).columns
        return self._means(self._tree.predict(columns))

    def export_text(self) -> str:
        """Describe the tree: its splits, and for each leaf the mean and the noisy number of rows."""
        check_is_fitted(self)
        return describe_tree(self._tree, [f"{mean:.6g}" for mean in self._means(self._tree.shares).tolist()])

    def _means(self, shares: Array) -> Array:
        column = self.target_column_
        return np.asarray(column.middle + column.half * self._range.widened(2 * shares[:, 1] - 1))
