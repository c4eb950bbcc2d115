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
        scores = self._scores(X)
        if len(self.classes_) == 2:
            scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
        parts = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(parts / parts.sum(axis=1, keepdims=True))

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the most probable class of each row."""
        scores = self.decision_function(X)
        places = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[places])
