"""Bounds of sums and of groups that need no loss distribution.

Points and Rényi divergences add up; a group walks along the curve of one step.
Proofs: docs/accounting/losses/sum.md and docs/accounting/losses/group.md.
"""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from privet.accounting.composition.composable import Composable, Curve
from privet.accounting.composition.routes import Route
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
    smallest,
    walked,
)

_HALVINGS, _THIRDS, _ROUNDS = 7, 9, 24  # of the searches along the curve of one step
_NEAR = 1 + Fraction(1, 2**24)
_EVERY = 6  # of the usual Rényi orders, a sum tries one in six


def added_delta(total: Composable, epsilon: Fraction) -> Fraction:
    """Give the smallest delta that additions prove for a sum."""
    best = min(pure_delta(total.pure(), epsilon), concentrated_delta(total.concentrated(), epsilon))
    for spent, rest in () if _all_tight(total) else _splits(total):
        if spent <= epsilon:
            best = min(best, concentrated_delta(rest, epsilon - spent))
    for slack, divergences in _divergences(total) if _needs_orders(total) else ():
        best = min(best, slack + (1 - slack) * curve_delta(divergences, epsilon))
    return best


def added_routes(total: Composable, delta: Fraction) -> list[Route]:
    """Give what each addition proves about a sum: of epsilon, of rho, of a mixture of both, of Rényi divergences."""
    routes = [Route("addition", pure_epsilon(total.pure(), delta), "basic composition (Dwork and Roth 2014, 3.16)")]
    if delta == 0:
        return routes
    routes.append(
        Route("concentrated", concentrated_epsilon(total.concentrated(), delta), "rho adds up (Bun, Steinke 2016)")
    )
    if not _all_tight(total):
        costs = ((spent, concentrated_epsilon(rest, delta)) for spent, rest in _splits(total))
        split = [spent + together for spent, together in costs if isinstance(together, Fraction)]
        routes.append(Route("split", min(split, default=math.inf), "large parts added, small ones concentrated"))
    if _needs_orders(total):
        routes.append(Route("Rényi", _renyi_epsilon(total, delta), "divergences of an order add up"))
    return routes


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


def _divergences(total: Composable) -> list[tuple[Fraction, list[tuple[Fraction, Amount]]]]:
    """Give the divergences of some orders, apart for each probability of the event outside which they hold."""
    found: dict[Fraction, list[tuple[Fraction, Amount]]] = {}
    for order in orders()[::_EVERY]:
        point = total.renyi_point(order)
        found.setdefault(point.delta, []).append((order, point.cost))
    return list(found.items())


def _renyi_epsilon(total: Composable, delta: Fraction) -> Amount:
    """Give the smallest epsilon of any order, at the share of delta that the event leaves."""
    known: list[Amount] = [Fraction(0)] if delta == 1 else [math.inf]
    for slack, divergences in _divergences(total):
        if slack < delta < 1:
            known.append(curve_epsilon(divergences, (delta - slack) / (1 - slack)))
    return min(known)


def walked_curve(one_step: Curve, size: int) -> Curve:
    """Give upper bounds of delta after several steps, from those of one step."""

    def at(total: Fraction) -> Fraction:
        return walked(one_step(total / size), total / size, size)

    def bound(epsilon: Fraction) -> Fraction:
        # Each step inflates the deltas of those before it, so a smaller total epsilon may have a smaller delta; its
        # delta bounds this one too. The lowest point may lie far below, behind a flat stretch: search coarsely first.
        heights = {total: at(total) for total in (Fraction(0), *(epsilon / 2**halving for halving in range(_HALVINGS)))}
        middle = min(heights, key=lambda total: (heights[total], -total))
        best, low, high = heights[middle], middle / 2, min(2 * middle, epsilon)
        for _ in range(_THIRDS):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            at_left, at_right = at(left), at(right)
            best = min(best, at_left, at_right)
            low, high = (low, right) if at_left <= at_right else (left, high)
        return best

    return bound


def walked_epsilon(
    one_step: Callable[[Fraction], Amount], size: int, delta: Fraction, *, direct: Amount, curve: Curve
) -> Amount:
    """Find an epsilon after several steps for a delta between zero and one.

    Args:
        one_step: The epsilon of one step at each delta.
        size: How many steps.
        delta: What all steps together may have.
        direct: An epsilon for all steps that is already known.
        curve: Upper bounds of delta after all steps, for when the iteration does not settle.
    """
    per_step = one_step(delta)
    for _ in range(_ROUNDS):
        if per_step == math.inf:
            break
        step = Fraction(per_step) * _NEAR
        inflation = walked(Fraction(1, 2**200), step, size) * 2**200
        needed = one_step(min(delta / inflation, Fraction(1)))
        if needed <= step:  # (step, delta / inflation) bounds one step, and after all steps that is delta
            return min(direct, step * size)
        per_step = needed
    return min(direct, smallest(curve, delta, start=direct))
