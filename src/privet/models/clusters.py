"""What estimators of clusters share after the fit: distances from the centres, and no labels of private rows."""

from typing import Any, NoReturn

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from privet.core import Array
from privet.models.row_products import distances
from privet.models.unsupervised import PrivateUnsupervised


class PrivateClusters(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, PrivateUnsupervised):
    """A private estimator of centres; distances are those of encoded columns."""

    cluster_centers_: Array
    _encoded_centres: Array

    def _read(self, centres: Array, counts: Array) -> None:
        """Write the centres for encoded rows, and in the units of the data."""
        middles, halves = self.features_.scales()
        self._encoded_centres = np.clip(centres, self.features_.lowest(), 1.0)  # where all encoded rows lie
        self.cluster_centers_ = self._encoded_centres * halves + middles
        self.cluster_counts_ = counts

    @property
    def labels_(self) -> NoReturn:
        """Refuse: the labels of the rows of a fit are private data."""
        raise AttributeError(
            f"{type(self).__name__} has no labels_: the label of a row of the fit depends on that row without noise. "
            "predict(X) labels rows; the labels of private rows are private."
        )

    @property
    def _n_features_out(self) -> int:
        return len(self.cluster_centers_)

    def fit_predict(self, X: Any, y: Any = None, **options: Any) -> Array:  # noqa: N803
        """Fit, and label the rows; the labels of private rows are private data."""
        return np.asarray(self.fit(X, y, **options).predict(X))

    def transform(self, X: Any) -> Array:  # noqa: N803
        """Return the distance of encoded rows from each centre."""
        return distances(self._encoded(X), self._encoded_centres)

    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the nearest centre of each row."""
        return np.asarray(self.transform(X).argmin(axis=1))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Return minus the sum of squared distances from the nearest centre; for private rows it is private."""
        return -float((self.transform(X).min(axis=1) ** 2).sum())
