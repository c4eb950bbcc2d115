"""Exact output distributions of thresholded histograms."""

from collections.abc import Callable
from typing import Any

from flint import arb

from privet.mechanisms.stable_keys import counted
from tests.laws.masses import Masses


def histogram(value: Any, bar: int, noisy: Callable[[int], Masses]) -> Masses:
    """The joint distribution of the released pairs (key, noisy count), as sorted tuples."""
    found: dict[tuple[Any, ...], arb] = {(): arb(1)}
    outside = arb(0)
    for key, count in zip(*counted(value), strict=True):
        one = noisy(count)
        hidden = sum((mass for outcome, mass in one.inside.items() if outcome < bar), arb(0)) + one.outside
        shown = {outcome: mass for outcome, mass in one.inside.items() if outcome >= bar}
        after = {outcome: mass * hidden for outcome, mass in found.items()}
        for outcome, mass in found.items():
            after.update({(*outcome, (key, number)): mass * chance for number, chance in shown.items()})
        found, outside = after, outside + one.outside
    return Masses(found, outside)


def as_pairs(release: dict[Any, int]) -> tuple[Any, ...]:
    return tuple(release.items())
