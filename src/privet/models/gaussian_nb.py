"""Private naive Bayes for numbers that are normal within each class."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import ClassifierMixin

from privet.core import Array, Bounds, read_rows, sqrt_up
from privet.errors import InvalidError
from privet.models.binning import private_rows
from privet.models.boosting_trees import SLACK
from privet.models.categorical_nb import expected_signal
from privet.models.class_counts import rare_classes
from privet.models.estimator import PrivateClassifier
from privet.models.features import Numeric
from privet.models.fit_job import FitJob
from privet.models.scored_classes import log_normalised
from privet.models.spending import Form
from privet.transforms.sums_by_group import SumsByGroup

_PRESENT = Fraction(1, 4)  # what a number that is there adds to the count of its column
_SURE = 3.0  # noise scales; with fewer missing numbers than that, a column counts as complete
_SMALLEST = 1e-4  # variance of scaled numbers


@final
class GaussianNB(ClassifierMixin, PrivateClassifier):
    """Predict a class from a public list by naive Bayes with normal features.

    One release has the count, the sums and the sums of squares of every class. With a delta its noise is Gaussian,
    without one it is Laplace noise. All classes share the variance of a feature by default: a variance for each class
    is mostly noise. A missing number contributes nothing.

    Args:
        epsilon: The privacy loss, with ``delta`` or without.
        delta: The probability that the loss exceeds epsilon, such as 1e-6; without it privacy is pure.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        classes: The public list of classes.
        codebook: A codebook with the bounds and classes.
        target: The name of the target, where it is a column of the frame.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.
        variance: "pooled" over the classes, or "by class".

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/gaussian_nb.md.

    >>> import numpy as np
    >>> x = np.repeat([[-1.0], [1.0]], 500, axis=0)
    >>> model = GaussianNB(epsilon=1, bounds=(-2, 2), classes=["a", "b"])
    >>> model.fit(x, np.repeat(["a", "b"], 500)).predict([[-1], [1]]).tolist()
    ['a', 'b']
    """

    forms: ClassVar[tuple[Form, ...]] = ("normal", "concentrated", "pure")
    categories: Any = None  # there are no columns of categories

    def __init__(
        self,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        classes: Any = None,
        codebook: Any = None,
        target: Any = None,
        rows_per_person: Any = None,
        variance: Any = "pooled",
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.classes = classes
        self.codebook = codebook
        self.target = target
        self.rows_per_person = rows_per_person
        self.variance = variance

    class_prior_: Array
    rare_classes_: Array
    _means: Array
    _spread: Array

    def _fit(self, job: FitJob) -> None:
        if self.variance not in ("pooled", "by class"):
            raise InvalidError(f"{job.label}.variance must be 'pooled' or 'by class', got {self.variance!r}.")
        if not all(isinstance(item, Numeric) for item in job.features.columns):
            raise InvalidError(f"{job.label} reads columns of numbers only: use CategoricalNB for categories.")
        numbers, there = scaled_numbers(job.features.columns, job.table.columns)
        vectors = np.concatenate(
            [
                np.asarray(job.target)[:, None],
                np.ones((len(numbers), 1)),
                numbers,
                (numbers * numbers - 0.5) * there,  # squares around one half: a row moves their sums less
                float(_PRESENT) * there,
            ],
            axis=1,
        )
        classes, width = len(self.classes_), numbers.shape[1]
        half, one = Fraction(1, 2), Fraction(1)
        bounds: list[Bounds] = [(Fraction(0), Fraction(classes)), (Fraction(0), one)]
        bounds += [(-one, one)] * width + [(-half, half)] * width + [(Fraction(0), _PRESENT)] * width
        rows = private_rows(job, vectors, bounds)
        pure = job.account.spending.form == "pure"
        longest = 1 + width * (1 + half + _PRESENT) if pure else sqrt_up(1 + width * (1 + half**2 + _PRESENT**2))
        unit = SumsByGroup(groups=[classes], radius=longest * SLACK, order=1 if pure else 2)
        release = np.asarray(rows.release("moments by class", unit, share=Fraction(1)), dtype=np.float64)
        self._read(release.reshape(classes, -1), width, rows.scale())

    def _read(self, release: Array, width: int, noise: float) -> None:
        counts = np.maximum(release[:, 0], 1.0)
        self.class_count_, self.n_samples_ = counts, float(counts.sum())
        self.rare_classes_ = rare_classes(self.classes_, release[:, 0], noise)
        self.class_prior_ = counts / self.n_samples_
        sums, squares, present = (release[:, 1 + at * width : 1 + (at + 1) * width] for at in range(3))
        present = present / float(_PRESENT)
        missing = counts[:, None] - present
        surely = missing > _SURE * noise / float(_PRESENT)
        rows = np.maximum(np.where(surely, present, counts[:, None]), 1.0)
        means = np.clip(sums / (rows + noise), -1.0, 1.0)  # shrunk toward the middle of the bounds
        within = squares + rows / 2 - rows * means**2
        if self.variance == "pooled":
            pooled = within.sum(axis=0) / rows.sum(axis=0)
            floor = noise * np.sqrt(len(rows)) / rows.sum(axis=0)
            spread = np.tile(np.clip(pooled, np.maximum(floor, _SMALLEST), 1.0), (len(rows), 1))
        else:
            spread = np.clip(within / rows, np.clip(noise / rows, _SMALLEST, 1.0), 1.0)
        spread = np.minimum(spread, 1.0)
        middles, halves = self.features_.scales()
        self.theta_, self.var_ = middles + halves * means, halves**2 * spread
        self._means, self._spread = means, spread
        self.signal_ = expected_signal(self.n_samples_, len(counts), noise, noise * math.sqrt(2 * len(counts)))

    def predict_joint_log_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the logarithm of the joint density of each class and the features of a row."""
        columns = self._columns(X).columns  # before anything else: it says so if there was no fit
        numbers, there = scaled_numbers(self.features_.columns, columns)
        scores = np.tile(np.log(self.class_prior_), (len(numbers), 1))
        for at in range(numbers.shape[1]):
            spread = self._spread[:, at]
            gaps = numbers[:, at, None] - self._means[:, at]
            scores -= there[:, at, None] * (np.log(2 * np.pi * spread) + gaps**2 / spread) / 2
        return np.asarray(scores)

    def predict_log_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the logarithm of the probability of each class, in the order of ``classes_``."""
        return log_normalised(self.predict_joint_log_proba(X))

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the probability of each class, in the order of ``classes_``."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class of each row."""
        places = self.predict_joint_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[places])


def scaled_numbers(columns: Any, table: Any) -> tuple[Array, Array]:
    """Return numbers from -1 to 1, missing ones as 0, and for each 1 if it is there."""
    numbers, there = [], []
    for item, column in zip(columns, table, strict=True):
        values, null = read_rows(column, float)
        missing = np.isnan(values) if null is None else np.isnan(values) | null
        numbers.append(item.scaled(column))
        there.append(np.where(missing, 0.0, 1.0))
    return np.stack(numbers, axis=1), np.stack(there, axis=1)
