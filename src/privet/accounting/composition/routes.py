"""Routes: which bounds of a loss are known, which one is used, and why."""

from fractions import Fraction
from typing import final

from attrs import frozen

from privet.accounting.numerics import Amount
from privet.core import to_float_up


@final
@frozen
class Route:
    """One way to bound epsilon.

    Args:
        name: What the way is called.
        epsilon: The bound it gives.
        why: The theorem behind it.
    """

    name: str
    epsilon: Amount
    why: str


@final
@frozen
class Routes:
    """The bounds of one loss at one delta.

    Args:
        delta: The delta.
        lower: A lower bound of the epsilon of the worst inputs.
        upper: The epsilon that counts.
        routes: Every way to bound epsilon, the best first.
        assumptions: What the data owner asserted and nobody proved.
    """

    delta: Fraction
    lower: Fraction
    upper: Amount
    routes: tuple[Route, ...]
    assumptions: tuple[str, ...]

    def __str__(self) -> str:
        width = max(len(route.name) for route in self.routes)
        between = f"between {_format(self.lower)} and {_format(self.upper)} at delta = {float(self.delta):.3g}"
        ways = [f"{route.name:<{width}}  {_format(route.epsilon):>10}  {route.why}" for route in self.routes]
        best, *others = ways
        lines = [f"epsilon is {between}; {_format(self.upper)} counts.", f"* {best}", *(f"  {way}" for way in others)]
        return "\n".join([*lines, *(f"! assumed: {assumption}" for assumption in self.assumptions)])


def _format(value: Amount) -> str:
    """Write a number rounded up at the sixth digit."""
    shown = to_float_up(value) if isinstance(value, Fraction) else value
    text = f"{shown:.6g}"
    return text if float(text) >= shown else f"{shown * (1 + 5e-6):.6g}"
