"""One run of Lloyd's algorithm with private counts and sums, and its score: what private k-means repeats."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement, MeasurementChain
from privet.chains.transformation import Transformation
from privet.combinators.inside import released
from privet.combinators.parallel_composition import ParallelComposition
from privet.core.balls import Norm
from privet.core.metric import Parts
from privet.core.rows import Array
from privet.core.space import Space
from privet.noise.uniform import uniform_below
from privet.transforms.count import Count
from privet.transforms.matrices import ball
from privet.transforms.partitions import parted
from privet.transforms.tables import rows_changed
from privet.transforms.vector_sum import VectorSum

_FINE = 1 << 20  # steps across the ball, for random centres


@final
@frozen(kw_only=True)
class Clusters:
    """What private k-means releases; all of it is private, none of it is exact.

    Args:
        centres: One row for each cluster.
        counts: About how many records are nearest to each.
        score: The Calinski-Harabasz score, from private sums: higher is better separated.
    """

    centres: Array = field(eq=False)
    counts: tuple[float, ...] = field(repr=lambda value: str([round(item) for item in value]))
    score: float = field(repr=lambda value: f"{value:.1f}")


@final
@frozen(kw_only=True)
class _Nearest(Transformation):
    """Split rows by the nearest of some public centres; of equally near ones the first."""

    centres: tuple[tuple[float, ...], ...]

    def output(self, space: Space) -> Space:
        """As many parts as centres."""
        return parted(self, space, len(self.centres))

    def apply(self, value: Array, space: Space) -> tuple[Array, ...]:
        """Look at each row by itself."""
        place = nearest(value, np.array(self.centres))
        return tuple(value[place == part] for part in range(len(self.centres)))

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row is in one part; replaced, it may leave one and enter another."""
        moved = rows_changed(space, d_in)
        return Parts(l0=min(moved, len(self.centres)), l1=moved, l2_squared=moved**2, linf=moved)


def nearest(rows: Array, centres: Array) -> Array:
    """Number the nearest centre of each row, column by column: no row's result depends on other rows."""
    far = np.zeros((len(rows), len(centres)))
    for column in range(rows.shape[1]):
        far += (rows[:, column, None] - centres[None, :, column]) ** 2
    return np.asarray(np.argmin(far, axis=1))


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
        self.step(space, ((0.0,) * len(ball(self, space)[0].origin),))

    def step(self, space: Space, centres: tuple[tuple[float, ...], ...]) -> tuple[MeasurementChain, MeasurementChain]:
        """Give the private sums and the private counts of the rows nearest to each centre."""
        parts = space >> _Nearest(centres=centres)
        return (
            parts >> ParallelComposition(each=VectorSum() >> self.sums),
            parts >> ParallelComposition(each=Count() >> self.counts),
        )

    def release(self, value: Any, space: Space) -> dict[str, Array]:
        """Move the centres."""
        norm, _ = ball(self, space)
        centres = random_centres(norm, self.clusters[uniform_below(len(self.clusters))])
        few = self.fewest(space)
        counts, sums = np.zeros(len(centres)), np.zeros_like(centres)
        for _ in range(self.iterations):
            by_sum, by_count = self.step(space, tuple(map(tuple, centres.tolist())))
            sums = np.array(released(by_sum, value), dtype=np.float64)
            counts = np.array(released(by_count, value), dtype=np.float64)
            centres = moved(centres, counts, sums, norm, few)
        return {"centres": centres, "counts": np.where(counts > few, counts, 0.0), "sums": sums}

    def fewest(self, space: Space) -> float:
        """Give the count that an empty cluster exceeds one time in a hundred; below it a cluster counts as empty."""
        return float(self.counts.accuracy(Fraction(1, 100), Count().output(space)))

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Every step costs the same, whatever the centres; most clusters cost most."""
        origin = (0.0,) * len(ball(self, space)[0].origin)
        by_sum, by_count = self.step(space, (origin,) * max(self.clusters))
        return (by_sum.map(d_in) + by_count.map(d_in)) * self.iterations


def random_centres(norm: Norm, clusters: int) -> Array:
    """Draw centres uniformly from the box around the ball, and pull them into it; no data are looked at."""
    origin, radius = np.array([float(item) for item in norm.origin]), float(norm.radius)
    steps = uniform_below(_FINE + 1, clusters * len(origin)).reshape(clusters, len(origin))
    return inside(origin + radius * (2 * steps / _FINE - 1), norm)


def inside(rows: Array, norm: Norm) -> Array:
    """Pull rows into the ball."""
    origin, radius = np.array([float(item) for item in norm.origin]), float(norm.radius)
    gaps = rows - origin
    size = np.sqrt((gaps**2).sum(axis=1, keepdims=True))
    return np.asarray(origin + gaps * np.minimum(1.0, radius / np.maximum(size, 1e-300)))


def moved(centres: Array, counts: Array, sums: Array, norm: Norm, few: float) -> Array:
    """Give the private means, from sums of the gaps to the origin; a cluster that may be empty keeps its centre."""
    origin = np.array([float(item) for item in norm.origin])
    full = counts > few
    means = inside(origin + sums / np.where(full, counts, 1.0)[:, None], norm)
    return np.asarray(np.where(full[:, None], means, centres))


def calinski_harabasz(fit: dict[str, Array], squares: float, norm: Norm, least: float) -> float:
    """Score a fit from private releases only: its centres, counts and sums, and the sum of squares of all rows.

    With gaps to the origin, the squares within are ``squares - 2 sum(centre · sum) + sum(count |centre|²)``, and those
    between ``sum(count |centre - mean|²)``; the score is (between / (k - 1)) / (within / (n - k)).

    Args:
        fit: The centres, counts and sums of a run.
        squares: The private sum of squares.
        norm: The ball.
        least: What noise alone may make of the squares within; less than that is read as that.
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
