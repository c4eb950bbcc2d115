"""The errors of consistent numbers: the laws of all nodes of a level, of sums of them, and of ratios.

What is computed here in floats is post-processing of releases: no privacy depends on it.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.core import Array
from privet.mechanisms.consistent_tree import ConsistentTree
from privet.tables.aggregates.noise import Noise
from privet.tables.noise.sum import NoiseSum

_FEW = 4  # so few noises, in effect, do not blur the grid
_FARTHEST = 1e60  # a ratio beyond has the law of its denominator
_ROUNDS = 4  # in which the ends of a ratio settle
_MARGIN = 1.01  # a denominator this near to the reach of its noise may be zero, so that ends are finite


@final
@frozen(kw_only=True, eq=False)
class NodeErrors:
    """Weighted sums of noises, one for each node; all but ``unit`` in that unit.

    Args:
        spread: The variances.
        normal: The part of them that Gaussian noise has.
        squares: The sums of squared scales of Laplace noises.
        fourths: The sums of their fourth powers.
        largest: The largest of these scales.
        all_fourths: The sums of fourth powers of all scales, which show how many noises matter.
        half_steps: Half of the widest grid step on which a noise moves the sum.
        unit: What the numbers are multiples of; it keeps powers within floats.
    """

    spread: Array
    normal: Array
    squares: Array
    fourths: Array
    largest: Array
    all_fourths: Array
    half_steps: Array
    unit: float

    def times(self, weights: Array) -> "NodeErrors":
        """Add up independent errors of this law with weights: for each node a row, or one row for all."""
        sizes = np.abs(np.atleast_2d(weights))
        second, fourth, most = (sizes**2).sum(axis=1), (sizes**4).sum(axis=1), sizes.max(axis=1)
        return NodeErrors(
            spread=self.spread * second,
            normal=self.normal * second,
            squares=self.squares * second,
            fourths=self.fourths * fourth,
            largest=self.largest * most,
            all_fourths=self.all_fourths * fourth,
            half_steps=self.half_steps * most,
            unit=self.unit,
        )

    def plus(self, other: "NodeErrors") -> "NodeErrors":
        """Add independent errors of the same nodes."""
        first, second = self._in(max(self.unit, other.unit)), other._in(max(self.unit, other.unit))
        return NodeErrors(
            spread=first.spread + second.spread,
            normal=first.normal + second.normal,
            squares=first.squares + second.squares,
            fourths=first.fourths + second.fourths,
            largest=np.maximum(first.largest, second.largest),
            all_fourths=first.all_fourths + second.all_fourths,
            half_steps=np.maximum(first.half_steps, second.half_steps),
            unit=first.unit,
        )

    @property
    def deviations(self) -> Array:
        """The standard deviations."""
        return np.asarray(np.sqrt(self.spread) * self.unit)

    def reach(self, level: Fraction) -> Array:
        """Give the sizes that the errors exceed with probability about ``1 - level``, or less."""
        law = NoiseSum(variance=self.normal, squares=self.squares, fourths=self.fourths, largest=self.largest)
        few = (self.normal + self.squares) ** 2 <= _FEW * self.all_fourths
        return np.asarray((law.quantile(level) + np.where(few, self.half_steps, 0.0)) * self.unit)

    def _in(self, unit: float) -> "NodeErrors":
        return evolve(self.times(np.array([self.unit / unit])), unit=unit)


def node_errors(tree: ConsistentTree, noises: Sequence[Noise | None], unit: float) -> list[NodeErrors]:
    """Give the errors of the consistent numbers of one planned set, level by level.

    Args:
        tree: With the variances of its levels in squares of the unit.
        noises: Of each level; None where it is not measured.
        unit: A deviation.
    """
    laws = [_LevelLaw.of(noise, unit) for noise in noises]
    parts = zip(
        tree.power_sums([known or 0.0 for known in tree.variances], 2),
        tree.power_sums([law.normal for law in laws], 2),
        tree.power_sums([law.laplace**2 for law in laws], 2),
        tree.power_sums([law.laplace**4 for law in laws], 4),
        tree.largest([law.laplace for law in laws]),
        tree.power_sums([law.scale**4 for law in laws], 4),
        tree.largest([law.half_step for law in laws]),
        strict=True,
    )
    return [
        NodeErrors(spread=a, normal=b, squares=c, fourths=d, largest=e, all_fourths=f, half_steps=g, unit=unit)
        for a, b, c, d, e, f, g in parts
    ]


@final
@frozen
class _LevelLaw:
    """The noise of one level in a unit of deviations; zeros where the level is not measured.

    Args:
        scale: Its scale.
        laplace: Its scale where it is Laplace noise.
        normal: Its variance where it is Gaussian noise.
        half_step: Half of the grid step.
    """

    scale: float = 0.0
    laplace: float = 0.0
    normal: float = 0.0
    half_step: float = 0.0

    @classmethod
    def of(cls, noise: Noise | None, unit: float) -> "_LevelLaw":
        if noise is None:
            return cls()
        scale, half_step = float(noise.scale) / unit, float(noise.grid) / unit / 2
        if noise.kind == "laplace":
            return cls(scale=scale, laplace=scale, half_step=half_step)
        return cls(scale=scale, normal=(noise.deviation / unit) ** 2, half_step=half_step)


@final
@frozen(kw_only=True, eq=False)
class ConsistentRatio:
    """The ratio of two consistent numbers of the same nodes, made of the same noisy numbers or of independent ones.

    Args:
        top: The numerators.
        bottom: The denominators.
        above: The errors of the noisy numbers that the numerators are made of.
        below: Those of the denominators.
        weights: The weights of these numbers in the numerator and in the denominator.
        shared: Whether both are made of the same numbers.
    """

    top: Array
    bottom: Array
    above: NodeErrors
    below: NodeErrors
    weights: tuple[Array, Array]
    shared: bool

    @property
    def values(self) -> Array:
        """Divide; zero denominators give NaN."""
        with np.errstate(all="ignore"):
            return np.where(self.bottom == 0, np.nan, self.top / self.bottom)

    @property
    def errors(self) -> Array:
        """The standard errors at first order."""
        with np.errstate(all="ignore"):
            return np.asarray(self._difference(self.values).deviations / np.abs(self.bottom))

    def interval(self, level: Fraction) -> tuple[Array, Array]:
        """Every ratio r for which ``top - r bottom`` may be noise; all numbers where the denominator may be zero.

        With a reach of k deviations the ends solve a quadratic equation (Fieller). k is the reach at the end itself; it
        settles in a few rounds, since it hardly depends on r.
        """
        with np.errstate(all="ignore"):
            near_zero = np.abs(self.bottom) <= self.below.times(self.weights[1]).reach(level) * _MARGIN
            safe = np.where(near_zero, 0.0, self.values)
            low, high = (self._end(np.nan_to_num(safe), side, level) for side in (-1.0, 1.0))
        return np.where(near_zero, -np.inf, low), np.where(near_zero, np.inf, high)

    def _end(self, start: Array, side: float, level: Fraction) -> Array:
        variances = [
            self.above.times(self.weights[0]).deviations ** 2,
            self.below.times(self.weights[1]).deviations ** 2,
        ]
        common = float((self.weights[0] * self.weights[1]).sum()) * self.above.deviations**2 if self.shared else 0.0
        end = start
        for _ in range(_ROUNDS):
            errors = self._difference(np.clip(end, -_FARTHEST, _FARTHEST))
            square = (errors.reach(level) / np.maximum(errors.deviations, np.finfo(np.float64).tiny)) ** 2
            leading = self.bottom**2 - square * variances[1]
            middle = self.top * self.bottom - square * common
            last = self.top**2 - square * variances[0]
            root = np.sqrt(np.maximum(middle**2 - leading * last, 0.0))
            end = np.where(leading > 0, (middle + side * root) / leading, side * np.inf)
        return end

    def _difference(self, ratio: Array) -> NodeErrors:
        """The errors of ``top - ratio * bottom``."""
        scaled = ratio[:, None] * self.weights[1][None, :]
        if self.shared:
            return self.above.times(self.weights[0][None, :] - scaled)
        return self.above.times(self.weights[0]).plus(self.below.times(scaled))
