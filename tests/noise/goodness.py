"""A chi-square test of counted draws against stated masses, for laws that are not around zero."""

from collections.abc import Mapping
from typing import Any

from tests.noise.chi_square import chi_square_upper, poisson_upper


def goodness(counts: Mapping[Any, int], masses: Mapping[Any, float]) -> float:
    """How likely a right sampler is to look as wrong; outcomes of which under fifty are expected count together."""
    drawn = sum(counts.values())
    common = {outcome: mass * drawn for outcome, mass in masses.items() if mass * drawn >= 50}
    statistic = sum((counts.get(outcome, 0) - amount) ** 2 / amount for outcome, amount in common.items())
    rest_seen = drawn - sum(counts.get(outcome, 0) for outcome in common)
    rest_expected = max(drawn - sum(common.values()), 1e-9)
    by_chi_square = chi_square_upper(statistic, max(len(common) - 1, 1))
    return min(1.0, 2 * min(by_chi_square, poisson_upper(rest_seen, rest_expected)))
