"""What classifiers with additive scores share: linear ones, boosted trees and forests."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from privet.core import Array
from privet.models.estimator import PrivateClassifier


class PrivateScoredClassifier(ClassifierMixin, PrivateClassifier):
    """A private classifier whose scores are logarithms of odds, or of probabilities up to a constant for each row."""

    @abstractmethod
    def _scores(self, X: Any) -> Array:  # noqa: N803
        """Return one column for two classes, the log odds of the second; one for each class otherwise."""

    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """Return the scores: one for two classes, one for each class otherwise."""
        scores = self._scores(X)
        return np.asarray(scores[:, 0] if len(self.classes_) == 2 else scores)

    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the probability of each class, in the order of ``classes_``."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    def predict_log_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the logarithm of the probability of each class, in the order of ``classes_``."""
        scores = self._scores(X)
        if len(self.classes_) == 2:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
        return log_normalised(scores)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class of each row."""
        scores = self.decision_function(X)
        places = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[places])


def log_normalised(scores: Array) -> Array:
    """Subtract from each row the logarithm of the sum of its exponentials.

    Args:
        scores: Logarithms of probabilities, up to a constant for each row.
    """
    top = scores.max(axis=1, keepdims=True)
    return np.asarray(scores - top - np.log(np.exp(scores - top).sum(axis=1, keepdims=True)))
