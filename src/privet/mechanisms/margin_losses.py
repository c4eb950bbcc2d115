"""Losses of a linear model: convex functions of the margin with bounded slope and curvature.

A loss is a function f(z, t) of the number z = w·v, for a row v and a target t. Its slope f' lies in [-1, 1] and its
curvature f'' in [0, ``curvature``]. Floats evaluate the slope with an error of at most ``SLOPE_ERROR``, proved in
docs/mechanisms/objective_perturbation.md; only operations whose rounding IEEE 754 fixes are used, so no ``exp`` of a C
library decides anything. Balls evaluate the slope to any precision.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen
from flint import arb, ctx

from privet.core import Array, ball

SLOPE_ERROR = 2.0**-45
"""A bound of the error of ``slope``, for an exact margin."""

_FAR = 2.0**40  # beyond it a slope is constant up to 2^-80
_LN2_HIGH = float.fromhex("0x1.62e42fefap-1")  # 37 bits: its products with whole numbers up to 2^16 are exact
_LN2_LOW = float.fromhex("0x1.cf79abc9e3b3ap-40")
_PER_LN2 = 1.4426950408889634
_DEGREE = 13
_INVERSE_FACTORIALS = [1.0]
for _order in range(1, _DEGREE + 1):
    _INVERSE_FACTORIALS.append(_INVERSE_FACTORIALS[-1] / _order)


class MarginLoss(ABC):
    """A loss of the margin."""

    @property
    @abstractmethod
    def curvature(self) -> Fraction:
        """The largest curvature."""

    @abstractmethod
    def read_targets(self, targets: Array) -> Array:
        """Turn the target column into finite numbers, each by itself; NaN may become anything finite."""

    @abstractmethod
    def slope(self, margins: Array, targets: Array) -> Array:
        """Evaluate f' in floats, with an error of at most ``SLOPE_ERROR``."""

    @abstractmethod
    def bend(self, margins: Array, targets: Array) -> Array:
        """Evaluate f'' in floats; it only steers the search."""

    @abstractmethod
    def slope_ball(self, margin: arb, target: float) -> arb:
        """Enclose f'."""

    @abstractmethod
    def bend_at_slope(self, low: Fraction, high: Fraction) -> arb:
        """Enclose the largest f'' among the margins with ``low <= |f'| <= high``."""


@final
@frozen
class LogisticLoss(MarginLoss):
    """ln(1 + exp(-t z)) for labels t of -1 and 1."""

    @property
    def curvature(self) -> Fraction:
        """One quarter: f'' = p (1 - p) with p = |f'|."""
        return Fraction(1, 4)

    def read_targets(self, targets: Array) -> Array:
        """A number above zero is the label 1."""
        return np.where(targets > 0, 1.0, -1.0)

    def slope(self, margins: Array, targets: Array) -> Array:
        """-t / (1 + exp(t z))."""
        return -targets * _falling(targets * margins)

    def bend(self, margins: Array, targets: Array) -> Array:
        """The product p (1 - p)."""
        share = _falling(margins)
        return np.asarray(share * (1 - share))

    def slope_ball(self, margin: arb, target: float) -> arb:
        """-t / (1 + exp(t z)), in a form in which no exponential overflows."""
        product, far = arb(target) * margin, arb(4 * ctx.prec)
        size = product if product > 0 else -product
        # beyond the precision of the balls an exponential is as good as zero, and costly
        small = (-far).exp().union(arb(0)) if size > far else (-size).exp()
        return -arb(target) * (small if product > 0 else arb(1)) / (1 + small)

    def bend_at_slope(self, low: Fraction, high: Fraction) -> arb:
        """The product p (1 - p) rises up to one half and falls after it."""
        peak = min(max(low, Fraction(1, 2)), high)
        return ball(peak * (1 - peak))


@final
@frozen
class HuberLoss(MarginLoss):
    """sqrt(1 + (z - t)²) - 1, the pseudo-Huber loss with threshold 1."""

    @property
    def curvature(self) -> Fraction:
        """One: f'' = (1 + r²)^(-3/2) for the residual r."""
        return Fraction(1)

    def read_targets(self, targets: Array) -> Array:
        """Targets so far away that the slope no longer changes are moved nearer."""
        return np.asarray(np.clip(np.nan_to_num(targets, nan=0.0, posinf=_FAR, neginf=-_FAR), -_FAR, _FAR))

    def slope(self, margins: Array, targets: Array) -> Array:
        """The residual r over sqrt(1 + r²)."""
        return _sine(margins - targets)

    def bend(self, margins: Array, targets: Array) -> Array:
        """(1 + r²)^(-3/2)."""
        return _cosine_cubed(margins - targets)

    def slope_ball(self, margin: arb, target: float) -> arb:
        """The residual r over sqrt(1 + r²)."""
        residual = margin - arb(target)
        return residual / (1 + residual * residual).sqrt()

    def bend_at_slope(self, low: Fraction, high: Fraction) -> arb:
        """(1 - p²)^(3/2) falls with p = |f'|."""
        square = ball(1 - low * low)
        return square * square.sqrt()


@final
@frozen
class HingeLoss(MarginLoss):
    """((1 - t z) + sqrt((1 - t z)² + h²)) / 2, a smooth hinge, for labels t of -1 and 1.

    Args:
        width: The h: the loss exceeds the hinge max(0, 1 - t z) by at most h / 2.
    """

    width: float

    @property
    def curvature(self) -> Fraction:
        """1 / (2 h): f'' = h² / (2 ((1 - t z)² + h²)^(3/2))."""
        return 1 / (2 * Fraction(self.width))

    def read_targets(self, targets: Array) -> Array:
        """A number above zero is the label 1."""
        return np.where(targets > 0, 1.0, -1.0)

    def slope(self, margins: Array, targets: Array) -> Array:
        """-t (1 + a / sqrt(1 + a²)) / 2 with a = (1 - t z) / h."""
        return np.asarray(-targets * (1 + _sine((1 - targets * margins) / self.width)) / 2)

    def bend(self, margins: Array, targets: Array) -> Array:
        """(1 + a²)^(-3/2) / (2 h)."""
        return _cosine_cubed((1 - targets * margins) / self.width) / (2 * self.width)

    def slope_ball(self, margin: arb, target: float) -> arb:
        """-t (1 + a / sqrt(1 + a²)) / 2."""
        gap = (1 - arb(target) * margin) / arb(self.width)
        return -arb(target) * (1 + gap / (1 + gap * gap).sqrt()) / 2

    def bend_at_slope(self, low: Fraction, high: Fraction) -> arb:
        """(1 - s²)^(3/2) / (2 h) for s = 2 |f'| - 1, which is largest at s = 0."""
        peak = min(max(low, Fraction(1, 2)), high)
        square = ball(4 * peak * (1 - peak))
        return square * square.sqrt() * ball(self.curvature)


def _falling(values: Array) -> Array:
    """Evaluate 1 / (1 + exp(x)), from exp(-|x|), which is at most one."""
    small = _exp_minus(np.abs(values))
    return np.asarray(np.where(values > 0, small, 1.0) / (1 + small))


def _exp_minus(values: Array) -> Array:
    """Evaluate exp(-x) for x >= 0 with a relative error of at most 2^-47, up to x = 64; constant beyond."""
    values = np.minimum(values, 64.0)
    halvings = np.rint(values * _PER_LN2)
    rest = (values - halvings * _LN2_HIGH) - halvings * _LN2_LOW
    total = np.full_like(rest, _INVERSE_FACTORIALS[-1])
    for factor in _INVERSE_FACTORIALS[-2::-1]:
        total *= -rest
        total += factor
    return np.ldexp(total, -halvings.astype(np.int64))


def _sine(values: Array) -> Array:
    """Evaluate x / sqrt(1 + x²)."""
    near = np.clip(values, -_FAR, _FAR)
    return np.asarray(near / np.sqrt(1 + near * near))


def _cosine_cubed(values: Array) -> Array:
    """Evaluate (1 + x²)^(-3/2)."""
    near = np.clip(values, -_FAR, _FAR)
    cosine = 1 / np.sqrt(1 + near * near)
    return np.asarray(cosine * cosine * cosine)
