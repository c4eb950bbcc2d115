"""Trade-off curves (f-DP): a loss known by the errors of any test that tries to distinguish neighbours."""

import math
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss, additive
from privet.accounting.numerics import Amount, Point, read_epsilon, read_pairs, read_probability
from privet.accounting.pairs.pair import AtomPair, Pair
from privet.core import exp_down, exp_up, few_items, log_up, read_number, require, to_float_up
from privet.errors import InvalidError, WrongTypeError

Vertices = tuple[tuple[Fraction, Fraction], ...]

_GRID = 2**80  # sampled curves are rounded to this, so that their vertices stay short
_LARGEST = 256  # beyond this epsilon a line is as good as upright


def _read(value: Any) -> Vertices:
    pairs = read_pairs("TradeoffLoss.points", "points (alpha, beta) such as (0.2, 0.4)", value)
    if len(pairs) < 2:
        raise WrongTypeError("TradeoffLoss.points must be a tuple of at least two points (alpha, beta).")
    label = "TradeoffLoss.points"
    return tuple((read_number(label, alpha), read_number(label, beta)) for alpha, beta in pairs)


@final
@frozen(order=False)
class TradeoffLoss(Loss):
    """A loss known by a trade-off curve, as straight lines between points.

    A test that takes the first of two neighbours for the second with probability alpha takes the second for the first
    with probability beta(alpha) or more. The curve may be known for one order of the neighbours only: both are charged.

    Args:
        points: Corners (alpha, beta), alpha rising from 0, beta falling to 0, convex, beta at most 1 - alpha.

    Guarantee: delta(epsilon) is the largest 1 - beta - e^epsilon alpha on the curve or its mirror image, exactly.
    Proof: docs/accounting/losses/tradeoff.md.

    >>> TradeoffLoss(((0, 1), (0.25, 0.25), (1, 0))).delta(0)
    Fraction(1, 2)
    """

    points: Vertices = field(converter=_read, repr=few_items)

    @points.validator
    def _check(self, _: object, points: Vertices) -> None:
        if points[0][0] != 0 or points[-1][1] != 0:
            raise InvalidError(
                "TradeoffLoss.points must begin at alpha = 0 and end at beta = 0; (1, 0) is a valid end."
            )
        for alpha, beta in points:
            rule = "errors of zero or more with alpha + beta at most 1 (a coin has 1)"
            require(min(alpha, beta) >= 0 and alpha + beta <= 1, "TradeoffLoss.points", rule, (alpha, beta))
        for (left, high), (right, low) in pairwise(points):
            require(
                left < right and high > low,
                "TradeoffLoss.points",
                "points that rise in alpha and fall in beta",
                (right, low),
            )
        if _hull(points) != tuple(points):
            raise InvalidError("TradeoffLoss.points must be convex: its slopes must rise from point to point.")

    @staticmethod
    def of(loss: Loss, epsilons: Iterable[Any]) -> "TradeoffLoss":
        """Restate a loss by the lines that its delta gives at some epsilons; more of them give a closer curve."""
        whole = additive(loss)  # the curve may be composed with others
        lines = [(Fraction(0), Fraction(0))]  # pairs (height at zero, fall), for height - fall * alpha
        for value in epsilons:
            epsilon = min(read_epsilon(value), Fraction(_LARGEST))
            kept, tilt = 1 - _short_up(whole.delta(epsilon)), _short_up(exp_up(epsilon))
            lines += [(kept, tilt), (kept / tilt, 1 / tilt)] if kept > 0 else []
        return TradeoffLoss(_envelope(lines))

    def symmetric(self) -> Vertices:
        """The largest convex curve below both the curve and its mirror image, which holds for both orders."""
        return _hull(sorted({*self.points, *((beta, alpha) for alpha, beta in self.points)}))

    def beta(self, alpha: object) -> Fraction:
        """The error of the second kind on the symmetric curve, exactly."""
        first = read_probability("alpha", alpha)
        for (left, high), (right, low) in pairwise(self.symmetric()):
            if first <= right:
                return high + (low - high) * (first - left) / (right - left)
        return Fraction(0)

    def pure(self) -> Point:
        """The steepest slope, outside the outputs that only one neighbour can give."""
        slack = 1 - self.symmetric()[0][1]
        return Point(self._epsilon(slack), slack)

    def _delta(self, epsilon: Fraction) -> Fraction:
        """The conjugate of the curve, largest at one of its points; rounded up."""
        tilt = exp_down(min(epsilon, Fraction(2**12)))  # a smaller tilt gives more, and a larger one changes nothing
        return max(*(1 - beta - tilt * alpha for alpha, beta in self.symmetric()), Fraction(0))

    def _epsilon(self, delta: Fraction) -> Amount:
        """The conjugate backwards, rounded up."""
        points = self.symmetric()
        if 1 - points[0][1] > delta:
            return math.inf
        steepest = max((1 - beta - delta) / alpha for alpha, beta in points[1:])
        return max(log_up(steepest), Fraction(0)) if steepest > 1 else Fraction(0)

    def pair(self) -> Pair:
        """The two laws whose best tests have exactly this curve: one outcome for each straight piece."""
        return _pair(self.symmetric())

    @property
    def tight(self) -> bool:
        """Where the curve is its own mirror image: else no two laws need have the symmetric curve."""
        return self.symmetric() == self.points

    def _attained(self) -> Pair:
        """The laws with the curve as it was stated."""
        return _pair(self.points)


def _pair(points: Vertices) -> Pair:
    """Give two laws with this curve: an outcome for each straight piece, and one of its own for each law."""
    gains = [(high - low, right - left) for (left, high), (right, low) in list(pairwise(points))[::-1]]
    return AtomPair(
        losses=np.array([float(log_up(first / second)) for first, second in gains]),
        masses=np.array([float(first) for first, _ in gains]),
        only_p=to_float_up(1 - points[0][1]),
        only_q=to_float_up(1 - points[-1][0]),
        error=2.0**-50,
        slip=2.0**-44,
    )


def _short_up(value: Fraction) -> Fraction:
    return value if value.denominator <= _GRID else Fraction(math.ceil(value * _GRID), _GRID)


def _hull(points: Iterable[tuple[Fraction, Fraction]]) -> Vertices:
    """The lower convex hull of points with rising alpha, cut where beta reaches zero."""
    kept: list[tuple[Fraction, Fraction]] = []
    for alpha, beta in points:
        if kept and kept[-1][0] == alpha:
            continue  # points are sorted, so the lower one came first
        while len(kept) > 1 and _above(kept[-2], kept[-1], (alpha, beta)):
            kept.pop()
        kept.append((alpha, beta))
        if beta == 0:
            break
    return tuple(kept)


def _above(
    left: tuple[Fraction, Fraction], middle: tuple[Fraction, Fraction], right: tuple[Fraction, Fraction]
) -> bool:
    """Tell whether the middle point lies above the line through the others; on it counts as below."""
    return (middle[1] - left[1]) * (right[0] - left[0]) > (right[1] - left[1]) * (middle[0] - left[0])


def _envelope(lines: list[tuple[Fraction, Fraction]]) -> Vertices:
    """The points of the highest of falling lines between alpha = 0 and beta = 0."""
    kept: list[tuple[Fraction, Fraction]] = []
    # the steepest first: it is the highest one furthest to the left
    for height, fall in sorted(lines, key=lambda line: (-line[1], -line[0])):
        if kept and kept[-1][1] == fall:
            continue  # the higher of two parallel lines came first
        while kept and _crossing(kept[-1], (height, fall)) <= (_crossing(kept[-2], kept[-1]) if len(kept) > 1 else 0):
            kept.pop()
        kept.append((height, fall))
    if len(kept) == 1:
        raise InvalidError("TradeoffLoss.of needs an epsilon at which delta is below one.")
    crossings = [_crossing(first, second) for first, second in pairwise(kept)]
    corners = [(where, line[0] - line[1] * where) for where, line in zip(crossings, kept, strict=False)]
    return ((Fraction(0), kept[0][0]), *corners)


def _crossing(steep: tuple[Fraction, Fraction], flat: tuple[Fraction, Fraction]) -> Fraction:
    return (steep[0] - flat[0]) / (steep[1] - flat[1])
