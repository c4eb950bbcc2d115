"""Coefficients of a linear regression with standard errors: noisy moments, then one step along the gradient.

The second step multiplies the noise in the products of features by the error of the first step, so this noise matters
little once that error is small.
"""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array, count_text, sqrt_up
from privet.models.centre import Centre, release_centre
from privet.models.fit_job import FitJob
from privet.models.private_rows import PrivateRows
from privet.models.signal import Signal, rows_text
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.clipped_gradients import ClippedGradients
from privet.transforms.sum_of_outer_products import SumOfOuterProducts, symmetric
from privet.transforms.weight_rows import WeightRows

_CENTRE, _TARGET, _MOMENTS = Fraction(5, 100), Fraction(3, 100), Fraction(35, 100)
_WEIGHT = Fraction(140, 99)
_DEVIATIONS = 4.0  # residuals are clipped at this many standard deviations


@final
@frozen(kw_only=True)
class Inference:
    """Coefficients of encoded columns, the intercept first in ``errors`` and ``covariance``.

    Args:
        coefficients: One for each encoded column.
        intercept: The prediction for an encoded row of zeros.
        covariance: Of the intercept and the coefficients, from sampling and from noise.
        residual: The standard deviation of the residuals.
        count: The noisy number of rows.
        usable: Whether no direction of the features is swamped by noise.
        signal: The same as a public statement.
    """

    coefficients: Array
    intercept: float
    covariance: Array
    residual: float
    count: float
    usable: bool
    signal: Signal

    @property
    def errors(self) -> Array:
        """The standard errors."""
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))


@final
@frozen(kw_only=True)
class _Moments:
    """Noisy sums of products of (features, constant, target), and the noise scale of a square."""

    products: Array
    noise: float

    @property
    def matrix(self) -> Array:
        return self.products[:-1, :-1]

    @property
    def vector(self) -> Array:
        return self.products[:-1, -1]

    def variances(self) -> Array:
        """The variance of the noise of each product: off the diagonal half as large."""
        size = len(self.products)
        return np.where(np.eye(size, dtype=bool), self.noise**2, self.noise**2 / float(_WEIGHT) ** 2)


def infer(job: FitJob, rows: PrivateRows, width: int) -> Inference:
    """Make the releases of a regression with standard errors: the centres, the moments, one gradient.

    Args:
        job: The fit.
        rows: Rows of encoded features and the scaled target.
        width: How many features there are.
    """
    centre = release_centre(rows, range(width), job.features.radius_squared, _CENTRE)
    target = release_centre(rows, range(width, width + 1), 1, _TARGET, name="centre and spread of the target")
    middle, spread = float(np.clip(target.mean[0], -1, 1)), float(np.clip(target.spread, 0.05, 1))
    limit = 2 * math.sqrt(job.features.radius_squared)
    radius = Fraction(min(centre.spread * (1 + 1.5 / math.sqrt(width)), limit))
    constant = radius / 2
    placed = rows.through(
        WeightRows(centre=centre.fractions(), radius=radius, intercept=constant, target=Fraction(middle))
    )
    reach = Fraction(min(1 + abs(middle), 4 * spread))
    moments = _release_moments(placed, width, sqrt_up(radius**2 + constant**2 + reach**2))
    low, floor = _weakest(moments, width)
    usable = low > floor
    ridge = np.diag([1.0] * width + [0.0])
    start = np.linalg.solve(
        moments.matrix + ridge * (0.5 * floor if usable else floor + max(0.0, -low)), moments.vector
    )
    inverse = np.linalg.inv(moments.matrix + ridge * (0.0 if usable else floor + max(0.0, -low)))
    residual = _residual(moments, start, float(constant), spread)
    clip = Fraction(_DEVIATIONS * residual) * sqrt_up(radius**2 + constant**2)
    unit = ClippedGradients(coefficients=[start.tolist()], residual="squared", clip=clip)
    gradient = placed.release("gradient", unit, share=1 - _CENTRE - _TARGET - _MOMENTS)
    weights = start - inverse @ np.asarray(gradient, dtype=np.float64)
    covariance = (
        residual**2 * inverse + (inverse @ inverse) * placed.scale() ** 2 + _second_order(moments, inverse, weights)
    )
    return _result(weights, covariance, centre, float(constant), middle, residual, usable=bool(usable), width=width)


def _release_moments(placed: PrivateRows, width: int, radius: Fraction) -> _Moments:
    grid = placed.space.domain.grid  # type: ignore[attr-defined]
    ball, products = ClampNorm(radius=radius, grid=grid), SumOfOuterProducts(weight=_WEIGHT)
    triangle = placed.release("moments", ball, products, share=_MOMENTS)
    return _Moments(products=symmetric(np.asarray(triangle, dtype=np.float64), width + 2), noise=placed.scale())


def _weakest(moments: _Moments, width: int) -> tuple[float, float]:
    """Return the smallest eigenvalue of the centred products, and how large noise alone can make one."""
    inner, across, count = moments.matrix[:width, :width], moments.matrix[:width, width], moments.matrix[width, width]
    centred = inner - np.outer(across, across) / max(float(count), 1e-9)
    floor = 2 * moments.noise / float(_WEIGHT) * math.sqrt(width)
    return float(np.linalg.eigvalsh(centred)[0]), floor


def _residual(moments: _Moments, start: Array, constant: float, spread: float) -> float:
    """Return the standard deviation of the residuals at the first solution, no less than its noise could hide.

    An estimate far below the truth would clip most residuals and promise narrow intervals.
    """
    count = max(float(moments.matrix[-1, -1]) / constant**2, 5.0)
    freedom = max(count - len(start), 1.0)
    direction = np.append(-start, 1.0)  # the sum of squares is v' M v with this v
    squares = float(direction @ moments.products @ direction)
    entries, sizes = moments.variances(), direction**2
    noise = math.sqrt(2 * float(sizes @ entries @ sizes) - float(np.diag(entries) @ sizes**2))
    return math.sqrt(min(max(squares, noise, (0.05 * spread) ** 2 * freedom) / freedom, spread**2))


def _second_order(moments: _Moments, inverse: Array, weights: Array) -> Array:
    """Return the covariance of noise times noise: M⁻¹ N M⁻¹ (e - N' w), with N and N' taken as independent."""
    entries = moments.variances()
    own, target = entries[:-1, :-1], entries[:-1, -1]
    first = inverse @ (np.diag(target) + _squared_noise(own, np.outer(weights, weights))) @ inverse
    return np.asarray(inverse @ _squared_noise(own, first) @ inverse)


def _squared_noise(variances: Array, inner: Array) -> Array:
    """Return the mean of N C N for a symmetric matrix N of independent noise with these variances."""
    mixed = variances * inner
    return np.asarray(mixed - np.diag(np.diag(mixed)) + np.diag(variances @ np.diag(inner)))


def _result(
    weights: Array,
    covariance: Array,
    centre: Centre,
    constant: float,
    middle: float,
    residual: float,
    *,
    usable: bool,
    width: int,
) -> Inference:
    """Put the intercept first, and write it for encoded rows."""
    turn = np.eye(width + 1)  # the intercept is the constant times its weight, less the coefficients at the centre
    turn[0] = np.append(constant, -centre.mean)
    order = [width, *range(width)]
    if usable:
        signal = Signal(
            expected=True,
            reason=f"{rows_text(centre.count)} carry {width + 1} coefficients with intervals.",
        )
    else:
        signal = Signal(
            expected=False,
            reason=f"noise swamps at least one direction of the {count_text(width, 'encoded column')}: there are no "
            "intervals. Use fewer columns, drop one category of each list, or a larger budget.",
        )
    return Inference(
        coefficients=weights[:-1],
        intercept=float(weights[-1] * constant - weights[:-1] @ centre.mean + middle),
        covariance=turn @ covariance[np.ix_(order, order)] @ turn.T,
        residual=residual,
        count=centre.count,
        usable=usable,
        signal=signal,
    )
