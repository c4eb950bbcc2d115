"""What the tests of selection share: spaces of scores, and exact probabilities of a selection."""

from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

import privet.calculus as pc
from privet.core.exact import ball
from privet.core.grid_domains import NumbersDomain
from privet.core.metric import RangeDistance
from privet.core.space import Space
from tests.laws import masses


def scores(length: int, grid: Any = 1) -> Space:
    """A space of scores."""
    step = Fraction(grid)
    return Space(NumbersDomain(length=length, kind=int if step == 1 else float, grid=step), RangeDistance())


def weights(values: Any, rate: Fraction) -> list[arb]:
    """The exact weights of candidates, the best with one."""
    best = max(map(int, values))
    return [ball((int(item) - best) * rate).exp() for item in values]


def exponential(temperature: Any) -> Any:
    """The output distribution of the exponential mechanism."""

    def at(value: Any, space: Space) -> masses.Masses:
        found = weights(value.tolist(), masses.grid_of(space) / Fraction(temperature))
        whole = sum(found, arb(0))
        return masses.Masses({position: weight / whole for position, weight in enumerate(found)}, arb(0))

    return at


def present(value: Any) -> list[Any]:
    """The rows that are there."""
    rows = value.compressed().tolist() if isinstance(value, np.ma.MaskedArray) else value.tolist()
    return [row for row in rows if row == row]


def quantile_weights(rows: list[Any], points: Any, alpha: Any, temperature: Any) -> dict[Any, arb]:
    """The exact probabilities of candidates for a quantile, from the definition of the score."""
    share, found = Fraction(alpha), {}
    for point in points:
        below, above = sum(row < point for row in rows), sum(row > point for row in rows)
        found[point] = ball(-abs((1 - share) * below - share * above) / Fraction(temperature)).exp()
    whole = sum(found.values(), arb(0))
    return {point: weight / whole for point, weight in found.items()}


def quantile(points: Any, alpha: Any, temperature: Any) -> Any:
    """The output distribution of a selected quantile; points are releases."""

    def at(value: Any, space: Space) -> masses.Masses:
        return masses.Masses(quantile_weights(present(value), points, alpha, temperature), arb(0))

    return at


def permute_and_flip(scale: Any) -> Any:
    """The output distribution of permute-and-flip: p_i times the integral of the product of 1 - p_j x."""

    def at(value: Any, space: Space) -> masses.Masses:
        found = weights(value.tolist(), masses.grid_of(space) / Fraction(scale))
        inside = {}
        for position, weight in enumerate(found):
            product = [arb(1)]
            for other in found[:position] + found[position + 1 :]:
                shifted = [arb(0), *(-other * item for item in product)]
                product = [a + b for a, b in zip([*product, arb(0)], shifted, strict=True)]
            inside[position] = weight * sum((item / (power + 1) for power, item in enumerate(product)), arb(0))
        return masses.Masses(inside, arb(0))

    return at


def flipped_quantile(points: Any, alpha: Any, scale: Any) -> Any:
    """The output distribution of a quantile selected by permute-and-flip."""
    by_position = permute_and_flip(scale)

    def at(value: Any, space: Space) -> masses.Masses:
        chain = space >> pc.QuantileScores(candidates=points, alpha=alpha)
        found = by_position(chain.run(value), chain.output)
        return masses.Masses({points[position]: mass for position, mass in found.inside.items()}, found.outside)

    return at
