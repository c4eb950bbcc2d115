"""Private naive Bayes for categories and binned numbers."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import ClassifierMixin

from privet.core import Array
from privet.models.binning import FEWEST_BINS, Binning, bins_for, needs_bins, read_bins, read_edges
from privet.models.class_counts import ArrayCounts, TableCounts, rare_classes
from privet.models.estimator import PrivateClassifier
from privet.models.fit_job import FitJob
from privet.models.scored_classes import log_normalised
from privet.models.signal import Signal, rows_text
from privet.models.spending import Form

_COUNT = Fraction(1, 20)
_CLEAR = 3.0  # how many times the noise a number of rows must be


@final
class CategoricalNB(ClassifierMixin, PrivateClassifier):
    """Predict a class from a public list by naive Bayes on categories and binned numbers.

    One release has the number of rows of each class in each category, for all features at once. With a delta its
    noise is Gaussian, without one it is Laplace noise. A missing or unknown value contributes nothing.

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
        bins: The number of equal bins of a column of numbers; by default 4 to 32, by a noisy number of rows.
        edges: Public inner edges of bins by name or position, for columns where equal bins are too coarse.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/categorical_nb.md.

    >>> import numpy as np
    >>> x = np.repeat([["red"], ["blue"]], 500, axis=0)
    >>> model = CategoricalNB(epsilon=1, categories={0: ["red", "green", "blue"]}, classes=["a", "b"])
    >>> model.fit(x, np.repeat(["a", "b"], 500)).predict([["red"], ["blue"]]).tolist()
    ['a', 'b']
    """

    forms: ClassVar[tuple[Form, ...]] = ("normal", "concentrated", "pure")
    counted: ClassVar[bool] = True

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
        self.bins = bins
        self.edges = edges

    _binning: Binning
    class_log_prior_: Array
    rare_classes_: Array
    feature_log_prob_: list[Array]

    def _fit(self, job: FitJob) -> None:
        classes = len(self.classes_)
        counts = ArrayCounts(job=job) if job.count is None else TableCounts(job=job, count=job.count)
        edges = read_edges(job.label, self.edges, job.features)
        bins, share = read_bins(job.label, self.bins), Fraction(1)
        if bins is None and not needs_bins(job.features, edges):
            bins = FEWEST_BINS  # of no column
        if bins is None:
            share -= _COUNT
            count = counts.release_rows(_COUNT)
            bins = bins_for(count / (classes * _noise_of_counts(job, len(edges))))
        self._binning = Binning(features=job.features, bins=bins, edges=edges)
        self._read(*counts.release(self._binning, classes, share))

    def _read(self, release: Array, noise: float) -> None:
        """Turn noisy counts into logarithms of probabilities; no count is below zero plus the smoothing."""
        classes = len(self.classes_)
        ends = np.cumsum([size * classes for size in self._binning.sizes])
        counts = [part.reshape(-1, classes) for part in np.split(release, ends[:-1])]
        weights = 1 / np.array(self._binning.sizes)  # a total of more categories has more noise
        totals = sum(weight * part.sum(axis=0) for weight, part in zip(weights / weights.sum(), counts, strict=True))
        self.class_count_ = np.maximum(totals, 1.0)
        self.rare_classes_ = rare_classes(self.classes_, np.asarray(totals), noise / math.sqrt(weights.sum()))
        self.n_samples_ = float(self.class_count_.sum())
        self.class_log_prior_ = np.log(self.class_count_ / self.n_samples_)
        self.category_count_ = [part[:-1].T.copy() for part in counts]
        smoothed = [np.maximum(part, 0.0) + 1 + noise for part in self.category_count_]
        self.feature_log_prob_ = [np.log(part / part.sum(axis=1, keepdims=True)) for part in smoothed]
        total = noise * math.sqrt(classes / weights.sum())  # each total is a weighted mean over the features
        self.signal_ = expected_signal(self.n_samples_, classes, noise, total)

    def predict_joint_log_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the logarithm of the joint probability of each class and the features of a row."""
        table = self._columns(X).columns
        codes = self._binning.codes(table)
        scores = np.tile(self.class_log_prior_, (len(codes), 1))
        for at, logs in enumerate(self.feature_log_prob_):
            nothing = np.zeros((logs.shape[0], 1))  # for missing and unknown values
            scores += np.concatenate([logs, nothing], axis=1).T[codes[:, at]]
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


def _noise_of_counts(job: FitJob, features: int) -> float:
    """Return about how large the noise of a count will be."""
    spending, times = job.account.spending, job.account.d_in
    if spending.form == "pure":
        return times * features / float(spending.total)
    return times * math.sqrt(features / (2 * float(spending.total)))


def expected_signal(rows: float, classes: int, noise: float, total: float) -> Signal:
    """Judge whether the rows of a class stand out from the noise of its counts, and all rows from theirs.

    Args:
        rows: The noisy number of rows.
        classes: How many classes there are.
        noise: The noise scale of one count.
        total: About the standard deviation of the noise of the number of rows.
    """
    about = f"{rows_text(rows)} in {classes} classes"
    if rows >= max(_CLEAR * classes * noise, _CLEAR * total):
        return Signal(expected=True, reason=f"{about} are enough for counts with noise of about {noise:,.4g}.")
    return Signal(
        expected=False,
        reason=f"{about} are too few for counts with noise of about {noise:,.4g}: the probabilities are mostly noise. "
        "Use fewer columns, more rows or a larger budget.",
    )
