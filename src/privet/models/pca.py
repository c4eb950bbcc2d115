"""Private principal components."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from privet.core import Array, read_whole, sqrt_up
from privet.errors import InvalidError
from privet.models.centre import Centre, release_centre
from privet.models.features import Features
from privet.models.fit_job import FitJob
from privet.models.preprocessor import interval
from privet.models.private_rows import PrivateRows
from privet.models.row_products import projected
from privet.models.signal import Signal
from privet.models.unsupervised import PrivateUnsupervised
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.row_weights import centred_grid
from privet.transforms.sum_of_outer_products import SumOfOuterProducts, symmetric

_CENTRE = Fraction(15, 100)
_WEIGHT = Fraction(140, 99)
_DEVIATIONS = 4.0  # from the mean; the next step of a pipeline moves coordinates beyond them to them
_SURE = 2.0  # noise scales beyond the largest variance that noise alone is expected to show


@final
class PCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PrivateUnsupervised):
    """Find the directions in which rows vary most, with privacy.

    Numbers are scaled to -1 .. 1 by their public bounds and categories become columns of 0 and 1; components, mean and
    variances are those of these encoded columns, as after a scaler.

    Args:
        n_components: How many components; by default one for each encoded column.
        epsilon: The privacy loss, with ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        codebook: A codebook with the bounds and categories.
        target: A column of the frame to leave out.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/pca.md.

    >>> import numpy as np
    >>> line = np.linspace(-1, 1, 5_000)
    >>> model = PCA(n_components=1, epsilon=1, delta=1e-6, bounds=(-1, 1)).fit(np.column_stack([line, line]))
    >>> np.abs(model.components_).round(1).tolist()
    [[0.7, 0.7]]
    """

    in_parts: ClassVar[bool] = True

    def __init__(
        self,
        *,
        n_components: Any = None,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        categories: Any = None,
        codebook: Any = None,
        target: Any = None,
        rows_per_person: Any = None,
    ) -> None:
        self.n_components = n_components
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.categories = categories
        self.codebook = codebook
        self.target = target
        self.rows_per_person = rows_per_person

    mean_: Array
    components_: Array

    def _fit(self, job: FitJob) -> None:
        width = job.features.width
        kept = width if self.n_components is None else read_whole("PCA.n_components", self.n_components)
        if not 1 <= kept <= width:
            raise InvalidError(f"PCA.n_components must be from 1 to {width}, the encoded columns, got {kept}.")
        rows = job.encoded()
        centre = release_centre(rows, range(width), job.features.radius_squared, _CENTRE)
        placed, _ = around(rows, centre, 1.5, job.features.radius_squared)
        products, noise = release_covariance(placed, 1 - _CENTRE)
        values, vectors = np.linalg.eigh(products)
        values, vectors = values[::-1], vectors[:, ::-1]
        norm = placed.space.domain.norm  # type: ignore[attr-defined]
        self.mean_ = np.array([float(item) for item in norm.origin])
        self.components_ = vectors[:, :kept].T.copy()
        self.explained_variance_ = np.maximum(values[:kept], 0.0) / centre.count
        total = max(float(np.maximum(values, 0.0).sum()) / centre.count, 1e-12)
        self.explained_variance_ratio_ = self.explained_variance_ / total
        self.n_components_, self.n_samples_ = kept, centre.count
        reach = np.clip(
            _DEVIATIONS * np.sqrt(self.explained_variance_), 0.01, 2 * math.sqrt(job.features.radius_squared)
        )
        self.output_features_ = Features(columns=tuple(interval((-end, end)) for end in reach.tolist()))
        clear = int((values[:kept] > noise * (math.sqrt(2 * width) + _SURE)).sum())
        self.signal_ = _signal(clear, kept)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def transform(self, X: Any) -> Array:  # noqa: N803
        """Return the coordinates of rows along the components; coordinates of private rows are private data."""
        return projected(self._encoded(X) - self.mean_, self.components_)

    def inverse_transform(self, X: Any) -> Array:  # noqa: N803
        """Return encoded columns for coordinates, numbers in the units of the data."""
        middles, halves = self.features_.scales()
        rows = projected(np.asarray(X, dtype=np.float64), self.components_.T)
        return np.asarray((rows + self.mean_) * halves + middles)


def around(rows: PrivateRows, centre: Centre, wide: float, radius_squared: int) -> tuple[PrivateRows, Fraction]:
    """Move rows into a ball around a released centre; its radius is the spread times ``1 + wide / sqrt(columns)``."""
    most = 2 * sqrt_up(Fraction(radius_squared))
    radius = min(Fraction(centre.spread * (1 + wide / math.sqrt(len(centre.mean)))), most)
    ball = ClampNorm(radius=radius, origin=centre.fractions(), grid=centred_grid(radius))
    return rows.through(ball), radius


def release_covariance(rows: PrivateRows, share: Fraction) -> tuple[Array, float]:
    """Release the sums of products of rows in a ball; return the matrix and the noise scale of its diagonal."""
    triangle = rows.release("products of columns", SumOfOuterProducts(weight=_WEIGHT), share=share)
    columns = rows.space.domain.columns  # type: ignore[attr-defined]
    return symmetric(np.asarray(triangle, dtype=np.float64), columns), rows.scale()


def _signal(clear: int, kept: int) -> Signal:
    if clear == kept:
        return Signal(expected=True, reason=f"all {kept} components stand out from the noise.")
    if clear:
        return Signal(
            expected=True, reason=f"{clear} of {kept} components stand out from the noise; the others are mostly noise."
        )
    return Signal(
        expected=False,
        reason="no component stands out from the noise: use fewer columns, more rows or a larger budget.",
    )
