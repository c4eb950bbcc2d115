"""One run of Lloyd's algorithm with private counts and sums, and its score; private k-means repeats it."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement, MeasurementChain
from privet.chains.transformation import Transformation
from privet.combinators.inner_measurement import run_measurement
from privet.combinators.parallel_composition import ParallelComposition
from privet.core import Array, Norm, Parts, Space
from privet.noise.uniform import uniform_below
from privet.transforms import norm_ball, partition_space, rows_changed
from privet.transforms.count import Count
from privet.transforms.vector_sum import VectorSum

_CELLS = 1 << 22
_FINE = 1 << 20  # grid steps across the ball, for random centres


@final
@frozen(kw_only=True)
class Clusters:
    """The release of private k-means; every number is noisy.

    Args:
        centres: One row for each cluster.
        counts: The approximate number of records nearest to each centre.
        score: The Calinski-Harabasz score, from private sums; a higher score means a better separation.
    """

    centres: Array = field(eq=False)
    counts: tuple[float, ...] = field(repr=lambda value: str([round(item) for item in value]))
    score: float = field(repr=lambda value: f"{value:.1f}")


@final
@frozen(kw_only=True)
class _Nearest(Transformation):
    """Split rows by the nearest of some public centres; among equally near centres the first wins."""

    centres: tuple[tuple[float, ...], ...]

    def output(self, space: Space) -> Space:
        """One part for each centre."""
        return partition_space(self, space, len(self.centres))

    def apply(self, value: Array, space: Space) -> tuple[Array, ...]:
        """Assign each row to its nearest centre."""
        place = nearest(value, np.array(self.centres))
        return tuple(value[place == part] for part in range(len(self.centres)))

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row is in one part; a replacement may leave one part and enter another."""
        rows = rows_changed(space, d_in)
        return Parts(l0=min(rows, len(self.centres)), l1=rows, l2_squared=rows**2, linf=rows)


def nearest(rows: Array, centres: Array) -> Array:
    """Return the nearest centre of each row, computed column by column: no result depends on other rows."""
    found = np.empty(len(rows), dtype=np.int64)
    block = max(_CELLS // len(centres), 1)  # rows at a time, so that memory stays small
    for first in range(0, len(rows), block):
        part = rows[first : first + block]
        far = np.zeros((len(part), len(centres)))
        for column in range(rows.shape[1]):
            far += (part[:, column, None] - centres[None, :, column]) ** 2
        found[first : first + block] = np.argmin(far, axis=1)
    return found


@final
@frozen(kw_only=True)
class _Lloyd(Measurement):
    """Start from random centres, and move each to the private mean of the rows nearest to it, a few times.

    The release is a dict of the last centres, counts and sums; the number of clusters is drawn from a public list.
    """

    clusters: tuple[int, ...]
    iterations: int
    sums: Measurement
    counts: Measurement

    def accept(self, space: Space) -> None:
        """Rows in a ball."""
        self.iteration(space, ((0.0,) * len(norm_ball(self, space)[0].origin),))

    def iteration(
        self, space: Space, centres: tuple[tuple[float, ...], ...]
    ) -> tuple[MeasurementChain, MeasurementChain]:
        """Return the private sums and the private counts of the rows nearest to each centre."""
        parts = space >> _Nearest(centres=centres)
        return (
            parts >> ParallelComposition(each=VectorSum() >> self.sums),
            parts >> ParallelComposition(each=Count() >> self.counts),
        )

    def release(self, value: Array, space: Space) -> dict[str, Array]:
        """Move the centres."""
        norm, _ = norm_ball(self, space)
        centres = random_centres(norm, self.clusters[uniform_below(len(self.clusters))])
        few = self.fewest(space)
        counts, sums = np.zeros(len(centres)), np.zeros_like(centres)
        for _ in range(self.iterations):
            by_sum, by_count = self.iteration(space, tuple(map(tuple, centres.tolist())))
            sums = np.array(run_measurement(by_sum, value), dtype=np.float64)
            counts = np.array(run_measurement(by_count, value), dtype=np.float64)
            centres = move_centres(centres, counts, sums, norm, few)
        return {"centres": centres, "counts": np.where(counts > few, counts, 0.0), "sums": sums}

    def fewest(self, space: Space) -> float:
        """Return the noisy count that an empty cluster exceeds once in a hundred times; up to it a cluster is empty."""
        return float(self.counts.accuracy(Fraction(1, 100), Count().output(space)))

    def loss(self, d_in: int, space: Space) -> Loss:
        """Every iteration costs the same for all centres; the largest number of clusters costs most."""
        origin = (0.0,) * len(norm_ball(self, space)[0].origin)
        by_sum, by_count = self.iteration(space, (origin,) * max(self.clusters))
        return (by_sum.map(d_in) + by_count.map(d_in)) * self.iterations


def random_centres(norm: Norm, clusters: int) -> Array:
    """Draw centres uniformly from the box around the ball, and move them into the ball; no data are read."""
    origin, radius = np.array([float(item) for item in norm.origin]), float(norm.radius)
    steps = uniform_below(_FINE + 1, clusters * len(origin)).reshape(clusters, len(origin))
    return inside(origin + radius * (2 * steps / _FINE - 1), norm)


def inside(rows: Array, norm: Norm) -> Array:
    """Move rows into the ball."""
    origin, radius = np.array([float(item) for item in norm.origin]), float(norm.radius)
    gaps = rows - origin
    size = np.sqrt((gaps**2).sum(axis=1, keepdims=True))
    return np.asarray(origin + gaps * np.minimum(1.0, radius / np.maximum(size, 1e-300)))


def move_centres(centres: Array, counts: Array, sums: Array, norm: Norm, few: float) -> Array:
    """Return the private means, from sums of offsets from the origin; a cluster that may be empty keeps its centre."""
    origin = np.array([float(item) for item in norm.origin])
    full = counts > few
    means = inside(origin + sums / np.where(full, counts, 1.0)[:, None], norm)
    return np.asarray(np.where(full[:, None], means, centres))


def calinski_harabasz(fit: dict[str, Array], squares: float, norm: Norm, least: float) -> float:
    """Score a fit from private releases only: its centres, counts and sums, and the sum of squares of all rows.

    With offsets from the origin, the sum of squares within clusters is ``squares - 2 sum(centre · sum) + sum(count
    |centre|²)``, and between clusters ``sum(count |centre - mean|²)``; the score is
    ``(between / (k - 1)) / (within / (n - k))``.

    Args:
        fit: The centres, counts and sums of a run.
        squares: The private sum of squares.
        norm: The ball.
        least: The smallest value for the squares within; below it there is only noise.
    """
    origin = np.array([float(item) for item in norm.origin])
    gaps, counts, full = fit["centres"] - origin, fit["counts"], fit["counts"] > 0
    clusters, total = len(counts), float(counts.sum())
    if clusters < 2 or total <= clusters or full.sum() < 2:
        return 0.0
    mean = (gaps * counts[:, None]).sum(axis=0) / total
    between = float((counts * ((gaps - mean) ** 2).sum(axis=1)).sum())
    within = squares - float((2 * (gaps * fit["sums"]).sum(axis=1) - counts * (gaps**2).sum(axis=1))[full].sum())
    score = (between / (clusters - 1)) / (max(within, least) / (total - clusters))
    return score if math.isfinite(score) else 0.0
