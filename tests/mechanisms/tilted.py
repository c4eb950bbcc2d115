"""Objective perturbation with one coefficient, written down again: exact masses, densities, and broken twins."""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from flint import arb

from privet.core.exact import ball
from privet.core.space import Space
from privet.mechanisms.certified_minimum import Objective, minimise
from privet.mechanisms.objective_perturbation import ObjectivePerturbation
from privet.noise import discrete_laplace
from privet.noise.spherical_laplace import spherical_laplace
from tests.laws.masses import Masses
from tests.mechanisms.twins import TwinOf

Rows: TypeAlias = "Counter[tuple[Fraction, int]]"


@frozen(kw_only=True)
class Tilted:
    """The numbers of a mechanism on rows [x, t] with radius one; a mistake changes one of them.

    Args:
        unit: The right mechanism.
        ridge: What its ridge is multiplied by.
        tilt: What the scale of its tilt is multiplied by.
        per_row: Whether the ridge is divided by the number of rows.
        clamped: Whether rows are moved into the ball.
        quiet: Whether the noise on the coefficient is left out.
        lazy: The gradient at zero up to which zero is taken for the minimiser; none if it is zero.
    """

    unit: ObjectivePerturbation
    ridge: Fraction = Fraction(1)
    tilt: Fraction = Fraction(1)
    per_row: bool = False
    clamped: bool = True
    quiet: bool = False
    lazy: Fraction = Fraction(0)

    def rows(self, value: Any) -> Rows:
        limit = self.unit.radius
        read = [(Fraction(x), 1 if t > 0 else -1) for x, t in value.tolist()]
        return Counter((min(max(x, -limit), limit) if self.clamped else x, t) for x, t in read)

    def ridge_at(self, rows: int) -> Fraction:
        return Fraction(self.unit.noise(1).ridge) * self.ridge / (max(rows, 1) if self.per_row else 1)

    def scale(self) -> Fraction:
        return self.unit.noise(1).tilt_scale * self.tilt

    def slope(self, rows: Rows, w: Fraction) -> arb:
        """The gradient without the tilt."""
        total = ball(self.ridge_at(rows.total()) * w)
        for (x, t), times in rows.items():
            total -= times * ball(t * x) / (1 + ball(t * x * w).exp())
        return total

    def density(self, rows: Rows, w: Fraction) -> arb:
        """The density of the exact minimiser: of the tilt that makes w the minimiser, times the second derivative."""
        bend = ball(self.ridge_at(rows.total()))
        for (x, t), times in rows.items():
            share = 1 / (1 + ball(t * x * w).exp())
            bend += times * ball(x * x) * share * (1 - share)
        scale = ball(self.scale())
        return bend * (-abs(self.slope(rows, w)) / scale).exp() / (2 * scale)

    def below(self, slope: arb) -> arb:
        """P(b >= -slope) for the tilt b."""
        inside = (-abs(slope) / ball(self.scale())).exp() / 2
        return 1 - inside if slope > 0 else inside


def exactly(tilted: Tilted, around: Fraction, reach: int, shown: Iterable[int]) -> Callable[[Any, Space], Masses]:
    """The distribution of the release on some grid points, counted from the one nearest to ``around``.

    The exact minimiser may be ``reach`` grid points away from there; that it is farther is part of every ball.
    """

    def at(value: Any, space: Space) -> Masses:
        rows, noise = tilted.rows(value), tilted.unit.noise(1)
        centre = round(around / noise.output_step)
        places = range(centre - reach, centre + reach + 1)
        slopes = [tilted.slope(rows, Fraction(2 * k - 1, 2) * noise.output_step) for k in (*places, places[-1] + 1)]
        minimum = dict(zip(places, _minimum(tilted, rows, slopes, places), strict=True))
        outcomes = {centre + k: float((centre + k) * noise.output_step) for k in shown}
        if tilted.quiet:
            return Masses({name: minimum[k] for k, name in outcomes.items()}, arb(1))
        ratio = ball(-1 / noise.output_scale).exp()
        powers = [(1 - ratio) / (1 + ratio)]
        for _ in range(2 * reach):
            powers.append(powers[-1] * ratio)
        beyond = tilted.below(slopes[0]) + 1 - tilted.below(slopes[-1])
        inside = {}
        for k, name in outcomes.items():
            total = sum((mass * powers[abs(k - place)] for place, mass in minimum.items()), arb(0))
            inside[name] = total + (beyond * powers[reach - abs(k - centre)]).union(arb(0))
        return Masses(inside, arb(1))

    return at


def _minimum(tilted: Tilted, rows: Rows, slopes: list[arb], places: range) -> list[arb]:
    """The distribution of the minimiser on its grid; of the lazy one, which stays at zero where its slope is short."""
    if not tilted.lazy:
        return [_between(tilted, low, high) for low, high in pairwise(slopes)]
    start = tilted.slope(rows, Fraction(0))
    low, high = start - ball(tilted.lazy), start + ball(tilted.lazy)  # -b lies here: zero is kept
    masses = []
    for k, (left, right) in zip(places, pairwise(slopes), strict=True):
        before = _between(tilted, left, right.min(low)) if left < low else arb(0)
        after = _between(tilted, left.max(high), right) if right > high else arb(0)
        masses.append(before + after + (_between(tilted, low, high) if k == 0 else arb(0)))
    return masses


def _between(tilted: Tilted, low: arb, high: arb) -> arb:
    """P(low <= -b < high), without a difference of numbers near one."""
    if low > 0:
        scale = ball(tilted.scale())
        return ((-low / scale).exp() - (-high / scale).exp()) / 2
    return tilted.below(high) - tilted.below(low)


@frozen
class Broken(TwinOf):
    """A mechanism with the mistake of its numbers, and the claim of the right one."""

    tilted: Tilted

    def release(self, value: Any, space: Space) -> Any:
        rows, noise = list(self.tilted.rows(value).elements()), self.tilted.unit.noise(1)
        step = noise.tilt_step
        tilt = [int(item) * step for item in spherical_laplace(1, self.tilted.scale() / step)]
        targets = np.array([float(t) for _, t in rows])
        features = np.array([[float(x)] for x, _ in rows]).reshape(len(rows), 1)
        ridge = float(self.tilted.ridge_at(len(rows)))
        objective = Objective(rows=features, targets=targets, loss=noise.loss, ridge=ridge, tilt=tilt)
        flat = abs(objective.gradient(np.zeros(1))[0]) <= self.tilted.lazy
        found = [Fraction(0)] if self.tilted.lazy and flat else minimise(objective, noise.goal)
        more = [0] if self.tilted.quiet else discrete_laplace(noise.output_scale, 1).tolist()
        steps = [round(w / noise.output_step) + int(z) for w, z in zip(found, more, strict=True)]
        return np.array([float(item * noise.output_step) for item in steps])
