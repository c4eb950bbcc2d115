"""Private k-means: Lloyd's algorithm from random centres, the best of a secret number of runs."""

import math
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.repetitions import Repetitions
from privet.chains.measurement import Measurement, MeasurementChain
from privet.combinators.inner_measurement import run_measurement
from privet.combinators.lloyd import Clusters, _Lloyd, calinski_harabasz
from privet.combinators.private_selection import PrivateSelection
from privet.core import Array, Space, is_a, numbers, positive, read_whole, vector, whole
from privet.errors import InvalidError, MismatchError
from privet.transforms import norm_ball, one_or_more
from privet.transforms.row_by_row import RowByRow
from privet.transforms.sum import Sum

_RARELY = Fraction(1, 20)


_MECHANISM = is_a(Measurement, "a mechanism such as Gaussian(scale=20)")


@final
@frozen(kw_only=True)
class PrivateKMeans(Measurement):
    """Find clusters of rows in a ball: centres, counts and a score, the best of a secret number of runs.

    Each run starts from random centres and moves each of them, ``iterations`` times, to the private mean of the rows
    nearest to it. The runs are compared by a Calinski-Harabasz score computed from private releases.

    Args:
        clusters: The number of clusters, two or more; or a list of numbers, of which each run draws one.
        iterations: The number of moves of the centres in one run.
        sums: The mechanism for the sums of rows in each cluster, such as ``Gaussian(scale=20)``, in units of the data.
        counts: The mechanism for the counts of each cluster.
        squares: The mechanism for the sum of the squared norms of all rows, released once.
        repetitions: The distribution of the number of runs, such as ``GeometricRepetitions(0.1)``.

    Guarantee: the loss of ``squares`` at the squared radius, and the selection's loss for a run, which costs
        ``iterations`` times the loss of ``sums`` at the radius and of ``counts`` at one.
    Proof: docs/combinators/private_k_means.md.

    >>> from privet.accounting.sampling.repetitions import GeometricRepetitions
    >>> from privet.core.space import matrix
    >>> from privet.mechanisms.laplace import Laplace
    >>> from privet.transforms.clamp_norm import ClampNorm
    >>> noise = Laplace(scale=100)
    >>> unit = PrivateKMeans(
    ...     clusters=2, iterations=3, sums=noise, counts=noise, squares=noise, repetitions=GeometricRepetitions(0.2)
    ... )
    >>> chain = matrix(1) >> ClampNorm(radius=1) >> unit
    >>> round(float(chain.map(1).epsilon()), 4)
    0.15
    """

    clusters: tuple[int, ...] = field(converter=one_or_more)
    iterations: int = field(converter=whole, validator=positive)
    sums: Measurement = field(validator=_MECHANISM)
    counts: Measurement = field(validator=_MECHANISM)
    squares: Measurement = field(validator=_MECHANISM)
    repetitions: Repetitions = field()

    @clusters.validator
    def _check_clusters(self, _: object, value: tuple[Any, ...]) -> None:
        if not value or min(read_whole("PrivateKMeans.clusters", item) for item in value) < 2:
            raise InvalidError("PrivateKMeans.clusters must be two or more, or a list of such numbers.")

    def accept(self, space: Space) -> None:
        """Rows in a Euclidean ball."""
        norm, _ = norm_ball(self, space)
        if norm.order != 2:
            raise MismatchError(
                "PrivateKMeans needs rows in a Euclidean ball: put ClampNorm(radius=..., order=2) before it."
            )
        self._squares(space)
        self._selection(space, 0.0)

    def _squares(self, space: Space) -> MeasurementChain:
        """The sum of the squared distances from the origin of the ball, each at most the squared radius."""
        norm, _ = norm_ball(self, space)
        origin = tuple(float(item) for item in norm.origin)

        def squared_norm(row: tuple[float, ...]) -> float:
            return sum((item - centre) ** 2 for item, centre in zip(row, origin, strict=True))

        column = vector(float, bounds=(0, norm.radius**2))
        return space >> RowByRow(function=squared_norm, to=column) >> Sum() >> self.squares

    def _selection(self, space: Space, squares: float) -> MeasurementChain:
        norm, _ = norm_ball(self, space)
        least = self._least(space)
        run = _Lloyd(clusters=self.clusters, iterations=self.iterations, sums=self.sums, counts=self.counts)

        def score(fit: dict[str, Array]) -> float:
            return calinski_harabasz(fit, squares, norm, least)

        return space >> PrivateSelection(candidate=run, repetitions=self.repetitions, score=score)

    def release(self, value: Array, space: Space) -> Clusters | None:
        """Release the squares, then the best run by its score, or None if there was no run."""
        norm, _ = norm_ball(self, space)
        squares = float(run_measurement(self._squares(space), value))
        fit = run_measurement(self._selection(space, squares), value)
        if fit is None:
            return None
        counts = tuple(float(count) for count in fit["counts"])
        score = calinski_harabasz(fit, squares, norm, self._least(space))
        return Clusters(centres=fit["centres"], counts=counts, score=score)

    def _least(self, space: Space) -> float:
        """Return the effect of noise alone on the squares within: below it a score would compare noise."""
        norm, grid = norm_ball(self, space)
        sums = numbers(len(norm.origin), float, grid=grid)
        spread = math.sqrt(max(self.clusters) * len(norm.origin))
        noise = self._squares(space).accuracy(_RARELY), self.sums.accuracy(_RARELY, sums)
        return float(noise[0]) + 2 * spread * float(norm.radius * noise[1])

    def loss(self, d_in: int, space: Space) -> Loss:
        """Two releases, with losses fixed in advance."""
        return self._squares(space).map(d_in) + self._selection(space, 0.0).map(d_in)
