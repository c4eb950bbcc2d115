"""Minimise a regularised loss until a proof shows that its gradient is short.

The objective is J(w) = Σ f(w·v, t) + Λ|w|²/2 + b·w over rows v of norm at most one. Floats search for the minimum, and
an error bound of the float gradient certifies the result. Where that bound is too wide, because there are very many
rows or the coefficients are very large, balls take over. Proof: docs/mechanisms/objective_perturbation.md.
"""

import math
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np
from attrs import field, frozen
from flint import arb, arb_mat

from privet.core import Array, ball, ends, precision, sqrt_up
from privet.mechanisms.margin_losses import SLOPE_ERROR, MarginLoss

_UNIT = 2.0**-53  # the relative error of one rounding
_BLOCK = 256  # rows that are added in floats; the sums of blocks are added exactly
_CLOSE = 2.0**-40  # the search goes on to here: closer than any certificate asks for
_MOST = 200  # iterations in floats
_HALVINGS = 40  # or doublings, of a Newton step
_FIRST_BITS = 128
_CHUNK = 1024  # rows that are balls at the same time

Point: TypeAlias = list[Fraction]


@final
@frozen(kw_only=True, eq=False)
class Objective:
    """The objective of one data set and one draw of the noise.

    Args:
        rows: One row for each record, each of norm at most one.
        targets: One number for each record.
        loss: The loss of a margin.
        ridge: Λ, above zero.
        tilt: b, in exact numbers.
    """

    rows: Array
    targets: Array
    loss: MarginLoss
    ridge: float
    tilt: Point
    _tilt: Array = field(init=False)

    @_tilt.default
    def _tilt_in_floats(self) -> Array:
        return np.array([_as_float(item) for item in self.tilt])

    def gradient(self, point: Array) -> Array:
        """Evaluate the gradient in floats."""
        slopes = self.loss.slope(self.rows @ point, self.targets)
        starts = range(0, len(slopes), _BLOCK)
        parts = [slopes[start : start + _BLOCK] @ self.rows[start : start + _BLOCK] for start in starts]
        columns = np.array([*parts, self.ridge * point, self._tilt]).T
        return np.array([_exact_sum(column) for column in columns.tolist()])

    def gradient_error(self, point: Array) -> float:
        """Bound the distance of the float gradient from the true one."""
        rows, columns = self.rows.shape
        size = _norm(point)
        margin = float(self.loss.curvature) * (columns + 2) * size
        of_rows = rows * (SLOPE_ERROR + (margin + _BLOCK + 8) * _UNIT)
        of_rest = 8 * _UNIT * (self.ridge * size + _norm(self._tilt))
        return float((of_rows + of_rest) * (1 + 2.0**-20) + 2.0**-500)

    def hessian(self, point: Array) -> Array:
        """Evaluate the matrix of second derivatives in floats; it only steers the search."""
        bends = self.loss.bend(self.rows @ point, self.targets)
        return (self.rows * bends[:, None]).T @ self.rows + self.ridge * np.eye(self.rows.shape[1])

    def gradient_balls(self, point: Point, bits: int) -> list[arb]:
        """Enclose the gradient at a precision."""
        with precision(bits):
            here = arb_mat([[ball(item)] for item in point])
            total = arb_mat(1, len(point))
            for start in range(0, len(self.rows), _CHUNK):
                rows = arb_mat(self.rows[start : start + _CHUNK].tolist())
                targets = self.targets[start : start + _CHUNK].tolist()
                margins = (rows * here).entries()
                slopes = [self.loss.slope_ball(z, t) for z, t in zip(margins, targets, strict=True)]
                total += arb_mat([slopes]) * rows
            rest = zip(total.entries(), point, self.tilt, strict=True)
            return [part + arb(self.ridge) * ball(w) + ball(b) for part, w, b in rest]


def minimise(objective: Objective, goal: Fraction) -> Point:
    """Return a point at which the norm of the gradient is certainly at most ``goal``, whatever the data are."""
    with np.errstate(all="ignore"):  # what numpy warns of depends on the values
        found, size = _search(objective)
    if math.isfinite(size) and Fraction(size) <= goal:
        return [Fraction(item) for item in found.tolist()]
    if np.isfinite(found).all() and math.isfinite(size):
        return refine(objective, [Fraction(item) for item in found.tolist()], goal)
    # beyond floats: start where the gradient is at most the number of rows
    return refine(objective, [-item / Fraction(objective.ridge) for item in objective.tilt], goal)


def _search(objective: Objective) -> tuple[Array, float]:
    """Run Newton's method in floats; return the best point and a bound of its gradient's norm."""
    point = np.zeros(objective.rows.shape[1])
    slope = objective.gradient(point)
    best, flattest = point, slope
    for _ in range(_MOST):
        if not _CLOSE < _norm(slope) < math.inf:
            break
        found = _walk(objective, point, slope, _newton_step(objective, point, slope))
        if found is None:  # as near as floats come
            break
        point, slope = found
        if _norm(slope) < _norm(flattest):
            best, flattest = point, slope
    return best, _norm(flattest) * (1 + 2.0**-20) + objective.gradient_error(best)


def _walk(objective: Objective, point: Array, slope: Array, step: Array) -> tuple[Array, Array] | None:
    """Go along a step to where the objective falls at most half as steeply as at its start, or rises as little.

    Along a line the derivative of a convex function only rises, so we find such a place by doubling and halving. Losses
    with sharp corners need it: where a Newton step jumps over corners, the norm of the gradient hardly ever falls.
    """
    fall = float(slope @ step)
    if not fall > 0:
        return None
    low, high, part = 0.0, math.inf, 1.0
    for _ in range(_HALVINGS):
        nearer = point - step * part
        flatter = objective.gradient(nearer)
        rest = float(flatter @ step)
        if abs(rest) <= fall / 2:
            return nearer, flatter
        low, high = (part, high) if rest > 0 else (low, part)
        part = 2 * low if high == math.inf else (low + high) / 2
    return None


def refine(objective: Objective, point: Point, goal: Fraction) -> Point:
    """Go on in exact arithmetic with growing precision: Newton steps, and a short step where one does not help.

    A step down the gradient of length 1 / (n curvature + Λ) always shortens the gradient by a fixed factor, so the loop
    ends for all data.
    """
    bits = _FIRST_BITS
    while True:
        slope = objective.gradient_balls(point, bits)
        size = _norm_above(slope)
        if size is not None and size <= goal:
            return point
        if size is None or _widest(slope, bits) > goal / 8:
            bits += 64
            continue
        middle = _middle(slope, bits)
        bits += 1  # so that no rounding stays in the way for ever
        near = [_as_float(item) for item in point], [_as_float(item) for item in middle]
        with np.errstate(all="ignore"):
            step = _newton_step(objective, np.array(near[0]), np.array(near[1]))
        newton = _moved(point, [Fraction(item) for item in np.nan_to_num(step).tolist()], bits)
        new_size = _norm_above(objective.gradient_balls(newton, bits))
        if new_size is not None and 4 * new_size <= 3 * size:
            point = newton
            continue
        steepest = len(objective.rows) * objective.loss.curvature + Fraction(objective.ridge)
        point = _moved(point, [item / steepest for item in middle], bits)


def _newton_step(objective: Objective, point: Array, slope: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(objective.hessian(point), slope))
    except np.linalg.LinAlgError:  # only for numbers beyond floats
        return np.zeros_like(slope)


def _moved(point: Point, step: Point, bits: int) -> Point:
    """Subtract a step and round to multiples of 2^-bits."""
    return [Fraction(round((item - move) * 2**bits), 2**bits) for item, move in zip(point, step, strict=True)]


def _widest(vector: list[arb], bits: int) -> Fraction:
    with precision(bits):  # the ends of a ball are rounded outward to the precision
        return max(high - low for low, high in map(ends, vector))


def _middle(vector: list[arb], bits: int) -> Point:
    with precision(bits):
        return [(low + high) / 2 for low, high in map(ends, vector)]


def _norm_above(vector: list[arb]) -> Fraction | None:
    """Return an upper bound of the Euclidean norm, or None if the balls are not finite."""
    if not all(item.is_finite() for item in vector):
        return None
    return sqrt_up(sum((max(map(abs, ends(item))) ** 2 for item in vector), Fraction(0)))


def _norm(vector: Array) -> float:
    return math.hypot(*vector.tolist())


def _exact_sum(numbers: list[float]) -> float:
    """Add floats with one rounding; NaN where a number or the sum is not finite."""
    try:
        return math.fsum(numbers)
    except (OverflowError, ValueError):
        return math.nan


def _as_float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
