"""Bounds of a sum of losses that need no loss distribution: additions of points and of Rényi divergences."""

import math
from collections.abc import Iterator
from fractions import Fraction

from privet.accounting.composition.composable import Composable
from privet.accounting.composition.explain import Route
from privet.accounting.numerics import (
    Amount,
    Point,
    concentrated_delta,
    concentrated_epsilon,
    curve_delta,
    curve_epsilon,
    orders,
    pure_delta,
    pure_epsilon,
)

_EVERY = 6  # of the usual Rényi orders, a sum tries one in six


def added_delta(total: Composable, epsilon: Fraction) -> Fraction:
    """Give the smallest delta that additions prove for a sum."""
    best = min(pure_delta(total.pure(), epsilon), concentrated_delta(total.concentrated(), epsilon))
    for spent, rest in () if _all_tight(total) else _splits(total):
        if spent <= epsilon:
            best = min(best, concentrated_delta(rest, epsilon - spent))
    return min(best, curve_delta(_divergences(total), epsilon)) if _needs_orders(total) else best


def added_routes(total: Composable, delta: Fraction) -> list[Route]:
    """Give what each addition proves about a sum: of epsilon, of rho, of a mixture of both, of Rényi divergences."""
    found = [Route("addition", pure_epsilon(total.pure(), delta), "basic composition (Dwork and Roth 2014, 3.16)")]
    if delta == 0:
        return found
    rho = concentrated_epsilon(total.concentrated(), delta)
    found.append(Route("concentrated", rho, "rho adds up (Bun, Steinke 2016)"))
    if not _all_tight(total):
        split = [
            spent + together
            for spent, rest in _splits(total)
            if isinstance(together := concentrated_epsilon(rest, delta), Fraction)
        ]
        found.append(Route("split", min(split, default=math.inf), "large parts added, small ones concentrated"))
    if _needs_orders(total):
        found.append(Route("Rényi", curve_epsilon(_divergences(total), delta), "divergences of an order add up"))
    return found


def _splits(total: Composable) -> Iterator[tuple[Fraction, Point]]:
    """Give (epsilon of the larger parts, concentrated point of the rest with every delta), for a few limits.

    Adding epsilon is better for a few large parts, adding rho for many small ones.
    """
    known = [(times, part.pure(), part.concentrated()) for part, times in total.parts()]
    costs = sorted({Fraction(pure.cost) for _, pure, _ in known if pure.cost != math.inf}, reverse=True)
    for limit in costs[:: max(len(costs) // 8, 1)]:
        large = Point.total((pure, times) for times, pure, _ in known if limit <= pure.cost < math.inf)
        small = Point.total((rho, times) for times, pure, rho in known if not limit <= pure.cost < math.inf)
        yield Fraction(large.cost), Point(small.cost, min(small.delta + large.delta, Fraction(1)))


def _all_tight(total: Composable) -> bool:
    """Tell whether additions cannot beat the composition of loss distributions."""
    return all(part.tight for part, _ in total.parts())


def _needs_orders(total: Composable) -> bool:
    """Tell whether a part says more about Rényi divergences than about anything else."""
    return any(part.by_curve and part.concentrated().cost == math.inf for part, _ in total.parts())


def _divergences(total: Composable) -> list[tuple[Fraction, Amount]]:
    return [(order, total.renyi(order)) for order in orders()[::_EVERY]]
