"""Private k-means: a tree of cells is released, and the means of its cells are clustered."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from sklearn.cluster import KMeans as WeightedKMeans
from threadpoolctl import threadpool_limits

from privet.core import Array
from privet.models.cell_tree import CellTree, grow, levels_for
from privet.models.centre import release_centre
from privet.models.clusters import PrivateClusters
from privet.models.features import Features
from privet.models.fit_job import FitJob, read_limited
from privet.models.pca import around, release_covariance
from privet.models.preprocessor import interval
from privet.models.signal import Signal
from privet.transforms.sums_by_group import SumsByGroup

_CENTRE, _AXES, _SUMS = Fraction(1, 10), Fraction(9, 40), Fraction(81, 200)
_COUNTS = 1 - _CENTRE - _AXES - _SUMS


@final
class KMeans(PrivateClusters):
    """Find clusters of rows with privacy.

    Distances are those of encoded columns: numbers scaled to -1 .. 1 by their public bounds, categories as columns of 0
    and 1. The labels of the rows of a fit are not part of the model: a label depends on a row without noise.

    Args:
        n_clusters: The number of clusters.
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
    Proof: docs/models/k_means.md.

    >>> import numpy as np
    >>> rows = np.repeat([[-0.5, -0.5], [0.5, 0.5]], 5_000, axis=0)
    >>> model = KMeans(n_clusters=2, epsilon=1, delta=1e-6, bounds=(-1, 1)).fit(rows)
    >>> sorted(model.cluster_centers_.round(1).tolist())
    [[-0.5, -0.5], [0.5, 0.5]]
    """

    in_parts: ClassVar[bool] = True

    def __init__(
        self,
        *,
        n_clusters: Any = 8,
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
        self.n_clusters = n_clusters
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.categories = categories
        self.codebook = codebook
        self.target = target
        self.rows_per_person = rows_per_person

    def _known_columns(self, label: str, table: Any) -> Any:
        """Refuse public facts that do not fit, before anything is charged or read."""
        read_limited(f"{label}.n_clusters", self.n_clusters)
        return super()._known_columns(label, table)

    def _fit(self, job: FitJob) -> None:
        clusters = read_limited("KMeans.n_clusters", self.n_clusters)
        rows, width = job.encoded(), job.features.width
        centre = release_centre(rows, range(width), job.features.radius_squared, _CENTRE)
        placed, radius = around(rows, centre, 1.0, job.features.radius_squared)
        products, noise = release_covariance(placed, _AXES)
        values, vectors = np.linalg.eigh(products)
        values, vectors = values[::-1], vectors[:, ::-1]
        clear = int((values > noise * math.sqrt(2 * width)).sum())
        use = max(1, min(math.ceil(math.log2(max(clusters, 2))) + 1, clear))
        spreads = np.sqrt(np.maximum(values[:use] / centre.count, 1e-9))
        total = float(job.account.spending.total)
        scale = float(radius) * job.account.d_in / math.sqrt(2 * float(_SUMS) * total)  # of the sums released below
        depth = levels_for(centre.count, centre.spread, scale, width, clusters)
        least = 0.6 * scale * math.sqrt(width) / centre.spread
        tree = grow(placed, vectors[:, :use].T, spreads, centre.count, depth=depth, share=_COUNTS, least=least)
        sums = placed.release(
            "sums of cells", tree.assign(), SumsByGroup(groups=[len(tree.cells)], radius=radius), share=_SUMS
        )
        means = _means(np.asarray(sums, dtype=np.float64), tree, centre.spread, placed.scale())
        weights = np.array([max(cell.count, 1.0) for cell in tree.cells])
        norm = placed.space.domain.norm  # type: ignore[attr-defined]
        centres, counts = _clustered(means, weights, clusters)
        self._read(centres + np.array([float(item) for item in norm.origin]), counts)
        self.n_samples_ = centre.count
        farthest = 2 * math.sqrt(job.features.radius_squared)
        self.output_features_ = Features(columns=(interval((0.0, farthest)),) * clusters)
        clear = centre.count * centre.spread > 3 * placed.scale() * math.sqrt(width)
        self.signal_ = _signal(len(tree.cells), clusters, clear=clear)


def _means(sums: Array, tree: CellTree, spread: float, noise: float) -> Array:
    """Return the means of the cells, shrunk toward the presumed middles where noise is large."""
    counts = np.array([max(cell.count, 1.0) for cell in tree.cells])[:, None]
    middles = np.stack([cell.middle for cell in tree.cells]) @ tree.axes
    columns = middles.shape[1]
    within = spread**2 / len(counts) ** (2 / len(tree.axes)) / columns
    raw = sums.reshape(len(counts), columns) / counts
    return np.asarray(middles + (raw - middles) * within / (within + (noise / counts) ** 2))


def _clustered(means: Array, weights: Array, clusters: int) -> tuple[Array, Array]:
    """Cluster weighted means; if there are too few, the heaviest is repeated."""
    distinct, place = np.unique(means, axis=0, return_inverse=True)
    if len(distinct) < len(means):  # scikit-learn warns of equal ones
        means, weights = distinct, np.bincount(place.ravel(), weights=weights)
    if len(means) <= clusters:
        more = clusters - len(means)
        first = means[[int(weights.argmax())]]
        return np.concatenate([means, np.repeat(first, more, axis=0)]), np.append(weights, np.zeros(more))
    with threadpool_limits(1, "openmp"):  # in a forked child, threads of OpenMP would wait for ever
        fit = WeightedKMeans(clusters, n_init=5, random_state=0).fit(means, sample_weight=weights)
    return fit.cluster_centers_, np.bincount(fit.labels_, weights=weights, minlength=clusters)


def _signal(cells: int, clusters: int, *, clear: bool) -> Signal:
    """Judge whether each cluster has a cell; for one cluster, whether the mean of all rows is above the noise."""
    kinds = "one cluster" if clusters == 1 else f"{clusters} clusters"
    found = f"{cells} cells with rows stand out" if cells > 1 else "one cell with rows stands out"
    if clear if clusters == 1 else cells >= clusters:
        return Signal(expected=True, reason=f"{found} from the noise, for {kinds}.")
    return Signal(
        expected=False,
        reason=f"at most {found} from the noise, for {kinds}: use fewer clusters, more rows or a larger budget.",
    )
