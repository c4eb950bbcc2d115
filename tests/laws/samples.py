"""The samples law: releases follow the stated mass function."""

from collections.abc import Hashable
from itertools import count
from typing import Any

import numpy as np

from privet.chains.measurement import MeasurementChain
from privet.chains.transformation import RandomTransformation
from privet.core.exact import ends, precision
from tests.laws.cases import Case
from tests.laws.masses import Masses
from tests.noise.chi_square import chi_square_upper, poisson_upper

LEVEL = 1e-9  # a right unit fails once in a billion runs
LOOKS = 7  # after 1/64, 1/32, ..., 1/2 of the draws and after all: what is far off needs few
WHOLE = 50
TWIN_DRAWS = 20_000  # those within which a twin fails


def check_samples(case: Case, *, draws: int | None = None) -> None:
    """Draw releases of one input and compare their counts with the exact probabilities by chi-square.

    A vector release gives as many draws as it is long: all its coordinates must then have the same input. The first
    releases come from the whole chain. The others come from the mechanism, on what the units before it make of the
    input, unless one of these is random.

    Power: a scale that is off by a fraction r adds about n r^2 to the statistic, whose rejection point lies about 70
    above its mean with 20 outcomes. So 3,000 draws reject a scale that is off by a quarter: it adds 190 with a standard
    deviation of 28, so it is missed once in 10^5 runs. Twins are drawn 20,000 times or more, but only until one look
    finds them. The samplers themselves are under stronger tests in tests/noise.

    Args:
        case: A placed mechanism with its mass function.
        draws: How many releases to draw; by default as many as a daily run does.
    """
    chain = case.chain
    assert isinstance(chain, MeasurementChain), "the samples law is for measurements"
    assert case.masses is not None
    assert case.sample, "a case of the samples law needs a number of draws"
    value = chain.input.domain.admit(case.input)
    for link in chain.links:
        value = link.unit.apply(value, link.input)
    with precision(128):
        masses = case.masses(value, chain.place)
    counts: dict[Hashable, int] = {}
    drawn = 0
    draws = min(case.sample, case.fewest) if draws is None else draws
    looks = [draws >> halvings for halvings in reversed(range(LOOKS))]
    random = any(isinstance(link.unit, RandomTransformation) for link in chain.links)
    for number in count():
        release = chain(case.input) if random or number < WHOLE else _released(chain, value)
        outcomes = release.tolist() if isinstance(release, np.ndarray) else [release]
        drawn += len(outcomes)
        for outcome in outcomes:
            counts[outcome] = counts.get(outcome, 0) + 1
        if drawn >= looks[0]:
            p = _p_value(counts, masses, drawn)
            assert p > LEVEL / LOOKS, f"samples law: the releases do not follow the mass function (p = {p:.2e})"
            looks = [each for each in looks if each > drawn]
            if not looks:
                return


def check_twin_samples(case: Case) -> None:
    """Draw until a look finds that a twin is wrong, 20,000 times or more often if need be."""
    check_samples(case, draws=max(case.sample, TWIN_DRAWS))


def _released(chain: MeasurementChain, value: Any) -> Any:
    """What the chain releases where its transformations have given this value."""
    with np.errstate(all="ignore"):
        release = chain.mechanism.release(value, chain.place)
    for function in chain.after:
        release = function(release)
    return release


def _p_value(counts: dict[Hashable, int], masses: Masses, drawn: int) -> float:
    """Compare counts where fifty or more are expected by chi-square, and the rest together by the Poisson law."""
    with precision(128):
        expected = {outcome: float(ends(mass)[0]) * drawn for outcome, mass in masses.inside.items()}
    common = {outcome: amount for outcome, amount in expected.items() if amount >= 50}
    statistic = sum((counts.get(outcome, 0) - amount) ** 2 / amount for outcome, amount in common.items())
    rest_seen = drawn - sum(counts.get(outcome, 0) for outcome in common)
    rest_expected = max(drawn - sum(common.values()), 1e-9)
    by_chi_square = chi_square_upper(statistic, max(len(common) - 1, 1))
    return min(1.0, 2 * min(by_chi_square, poisson_upper(rest_seen, rest_expected)))
