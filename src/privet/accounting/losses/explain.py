"""Explanations: which bounds of a loss are known, which one is used, and why."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import Amount, concentrated_epsilon, pure_epsilon
from privet.accounting.numerics.renyi_convert import curve_epsilon, orders
from privet.core.exact import to_float_up


@final
@frozen
class Route:
    """One way to an epsilon.

    Args:
        name: What it is called.
        epsilon: What it gives.
        why: The theorem.
    """

    name: str
    epsilon: Amount
    why: str


@final
@frozen
class Explanation:
    """The bounds of one loss at one delta.

    Args:
        delta: The delta.
        lower: A lower bound of the epsilon of the worst inputs.
        upper: The epsilon that counts.
        routes: All ways that were tried, the best first.
        assumptions: What was asserted rather than proved.
    """

    delta: Fraction
    lower: Fraction
    upper: Amount
    routes: tuple[Route, ...]
    assumptions: tuple[str, ...]

    def __str__(self) -> str:
        width = max(len(route.name) for route in self.routes)
        between = f"between {_told(self.lower)} and {_told(self.upper)} at delta = {float(self.delta):.3g}"
        lines = [f"epsilon is {between}; {_told(self.upper)} counts."]
        for route in self.routes:
            mark = "*" if route is self.routes[0] else " "
            lines.append(f"{mark} {route.name:<{width}}  {_told(route.epsilon):>10}  {route.why}")
        lines += [f"! assumed: {assumption}" for assumption in self.assumptions]
        return "\n".join(lines)


def _told(value: Amount) -> str:
    """Write a number rounded up at the sixth digit."""
    shown = to_float_up(value) if isinstance(value, Fraction) else value
    text = f"{shown:.6g}"
    return text if float(text) >= shown else f"{shown * (1 + 5e-6):.6g}"


def single_routes(loss: Loss, delta: Fraction) -> list[Route]:
    """Give the ways for a loss that is not a sum."""
    return [
        Route("own curve", loss.epsilon(delta), "the loss's own bound of delta, backwards"),
        Route("pure point", pure_epsilon(loss.pure(), delta), "randomised response is the worst (Kairouz et al. 2015)"),
        Route("concentrated", concentrated_epsilon(loss.concentrated(), delta), "Canonne, Kamath and Steinke 2020"),
    ]


def explanation(loss: Loss, delta: Fraction) -> Explanation:
    """Ask for all ways and both bounds."""
    known = loss.routes(delta)
    if 0 < delta < 1 and not any(route.name == "Rényi" for route in known):
        curve = [(order, loss.renyi(order)) for order in orders() if order <= 64][::12]
        known.append(Route("Rényi", curve_epsilon(curve, delta), "divergences of an order add up (a few orders tried)"))
    routes = sorted(known, key=lambda route: route.epsilon)
    lower, upper = loss.interval(delta=delta)
    return Explanation(delta, lower, upper, tuple(routes), loss.assumptions())
