"""Private k-means as books have it: Lloyd's algorithm with noisy sums and counts, from random centres."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from privet.chains.pipeline import Pipeline
from privet.combinators.lloyd import _Nearest, move_centres, random_centres
from privet.core import Array, sqrt_up
from privet.models.clusters import PrivateClusters
from privet.models.fit_job import FitJob, read_limited
from privet.models.signal import Signal
from privet.models.spending import Form
from privet.transforms.append_constants import AppendConstants
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.each_part import EachPart
from privet.transforms.vector_sum import VectorSum

_GRID = Fraction(1, 2**24)  # so fine that the noise of many columns and clusters counts as normal noise
_FEW = 4  # noise scales of a count: up to it a cluster may be empty
_FEWEST = 10.0


@final
class LloydKMeans(PrivateClusters):
    """Find clusters by Lloyd's algorithm with noisy sums and counts. ``KMeans`` finds better ones.

    It is here to be compared with the book. It starts from random centres, without a look at the data, and moves each
    to the noisy mean of the rows nearest to it, a few times. Distances are those of encoded columns: numbers scaled to
    -1 .. 1 by their public bounds, categories as columns of 0 and 1.

    Args:
        n_clusters: The number of clusters.
        iterations: How many times the centres move; each costs the same part of the budget.
        epsilon: The privacy loss, with ``delta`` or without.
        delta: The probability that the loss exceeds epsilon, such as 1e-6; without it privacy is pure.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        categories: Public lists of categories of columns that are no numbers, by name or position.
        codebook: A codebook with the bounds and categories.
        target: A column of the frame to leave out.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row more or less (one person, with persons).
    Proof: docs/models/lloyd_k_means.md.

    >>> import numpy as np
    >>> rows = np.repeat([[0.25, -0.5]], 5_000, axis=0)
    >>> model = LloydKMeans(n_clusters=1, epsilon=1, delta=1e-6, bounds=(-1, 1)).fit(rows)
    >>> [[round(abs(item), 1) for item in row] for row in (model.cluster_centers_ - [0.25, -0.5]).tolist()]
    [[0.0, 0.0]]
    """

    forms: ClassVar[tuple[Form, ...]] = ("normal", "concentrated", "pure")

    def __init__(
        self,
        *,
        n_clusters: Any = 8,
        iterations: Any = 5,
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
        self.iterations = iterations
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
        read_limited(f"{label}.iterations", self.iterations)
        return super()._known_columns(label, table)

    def _fit(self, job: FitJob) -> None:
        iterations, radius = int(self.iterations), _length_up(Fraction(job.features.radius_squared))
        rows = job.encoded().through(ClampNorm(radius=radius, grid=_GRID))
        norm = rows.space.domain.norm  # type: ignore[attr-defined]
        centres, one = random_centres(norm, int(self.n_clusters)), _on_grid(radius / 2)
        # one more column, the same number in every row: its sum tells how many rows there are
        ball = ClampNorm(radius=_length_up(radius**2 + one**2), grid=_GRID)
        add_up = EachPart(unit=Pipeline((AppendConstants(values=[one]), ball, VectorSum())))
        counts, few = np.zeros(len(centres)), 0.0
        for _ in range(iterations):
            nearest = _Nearest(centres=tuple(map(tuple, centres.tolist())))
            released = rows.release("sums and counts of clusters", nearest, add_up, share=Fraction(1, iterations))
            table = np.asarray(released, dtype=np.float64).reshape(len(centres), -1)
            counts, few = table[:, -1] / float(one), _FEW * rows.scale() / float(one)
            centres = move_centres(centres, counts, table[:, :-1], norm, few)
        self._read(centres, np.where(counts > few, counts, 0.0))
        self.n_samples_ = max(float(counts.sum()), _FEWEST)
        self.signal_ = _signal(counts, few, rows.scale() * math.sqrt(job.features.width) / float(radius))


def _length_up(squared: Fraction) -> Fraction:
    """Return the root of a squared length on the grid of the rows, rounded up."""
    return math.ceil(sqrt_up(squared) / _GRID) * _GRID


def _on_grid(length: Fraction) -> Fraction:
    return round(length / _GRID) * _GRID


def _signal(counts: Array, few: float, noise: float) -> Signal:
    """Judge whether half the centres are means whose noise, in radii, is below a quarter."""
    clear = int(((counts > few) & (counts > 4 * noise)).sum())
    enough = 2 * clear >= len(counts)
    advice = "" if enough else ": use fewer clusters or iterations, more rows or a larger budget, or KMeans"
    return Signal(
        expected=enough, reason=f"{clear} of {len(counts)} centres are means that stand out from the noise{advice}."
    )
