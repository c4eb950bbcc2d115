"""Exact output distributions of noisy comparisons with a shared noisy threshold, written down independently."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from privet.core.exact import ball
from tests.laws.masses import Masses, laplace

Outcomes = Callable[[list[arb], list[arb]], dict[Any, arb]]


def reaches(scale: Fraction, k: int) -> arb:
    """P(Z >= k) for discrete Laplace noise."""
    ratio = ball(-1 / scale)
    if k >= 1:
        return (k * ratio).exp() / (1 + ratio.exp())
    return 1 - ((1 - k) * ratio).exp() / (1 + ratio.exp())


def mixed(noise: Fraction, reach: int, given: Callable[[int], dict[Any, arb]]) -> Masses:
    """Mix the distributions given each value of the threshold's noise; what is cut off widens every ball."""
    bar = laplace(noise, 0, reach)
    total: dict[Any, arb] = {}
    for rho, weight in bar.inside.items():
        for outcome, mass in given(rho).items():
            total[outcome] = total.get(outcome, arb(0)) + weight * mass
    slack = arb(0).union(bar.outside)
    return Masses({outcome: mass + slack for outcome, mass in total.items()}, bar.outside)


def first_above(answers: list[int], threshold: int, scale: Fraction, query_scale: Fraction, reach: int) -> Masses:
    """The position of the first answer above."""

    def given(rho: int) -> dict[Any, arb]:
        found, below = {}, arb(1)
        for position, answer in enumerate(answers):
            above = reaches(query_scale, threshold + rho - answer)
            found[position] = below * above
            below *= 1 - above
        return {**found, len(answers): below}

    return mixed(scale, reach, given)


def first_gap(answers: list[int], threshold: int, scale: Fraction, reach: int, gaps: int) -> Masses:
    """The position of the first answer above, with its gap up to a largest one."""
    noise = laplace(2 * scale, 0, 4 * reach).inside

    def given(rho: int) -> dict[Any, arb]:
        found: dict[Any, arb] = {}
        below = arb(1)
        for position, answer in enumerate(answers):
            away = threshold + rho - answer
            for gap in range(gaps):
                found[position, gap] = below * noise[away + gap]
            below *= 1 - reaches(2 * scale, away)
        return {**found, (len(answers), 0): below}

    inside = mixed(scale, reach, given)
    seen = sum(inside.inside.values(), arb(0))
    return Masses(inside.inside, (1 - seen).union(arb(0)) + inside.outside)


def signs(answers: list[int], threshold: int, scale: Fraction, query_scale: Fraction, count: int, reach: int) -> Masses:
    """Which answers are above, as long as fewer than ``count`` were; False from then on."""

    def given(rho: int) -> dict[Any, arb]:
        found: dict[Any, arb] = {(): arb(1)}
        for answer in answers:
            above = reaches(query_scale, threshold + rho - answer)
            after: dict[Any, arb] = {}
            for outcome, mass in found.items():
                if sum(outcome) == count:
                    after[(*outcome, False)] = mass
                else:
                    after[(*outcome, True)] = mass * above
                    after[(*outcome, False)] = mass * (1 - above)
            found = after
        return found

    return mixed(scale, reach, given)
