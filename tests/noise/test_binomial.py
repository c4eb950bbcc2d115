"""Binomial counts, by tosses, by table and by inversion."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.core.exact import precision
from privet.errors import InvalidError
from privet.noise import binomial
from privet.noise.binomial import BinomialLaw, ManyTrials, _draw_by_inversion, _toss_coins
from privet.noise.drawing.lazy import LazyUniform, invert
from tests.noise.chi_square import Mass, p_value
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy


def exact_cdf(trials: int, p: Fraction) -> list[Fraction]:
    a, d = p.numerator, p.denominator
    weights = (math.comb(trials, k) * a**k * (d - a) ** (trials - k) for k in range(trials + 1))
    return [Fraction(total, d**trials) for total in itertools.accumulate(weights)]


def mass(trials: int, p: Fraction) -> Mass:
    steps = np.diff([0.0, *(float(f) for f in exact_cdf(trials, p))])
    centre = int(trials * p)

    def shifted(z: NDArray[np.int64]) -> NDArray[np.float64]:
        inside = (z + centre >= 0) & (z + centre <= trials)
        return np.where(inside, steps[np.clip(z + centre, 0, trials)], 0.0)

    return shifted


@pytest.mark.parametrize(("trials", "p"), [(1, Fraction(1, 3)), (10, Fraction(1, 7)), (40, Fraction(9, 10))])
def test_both_laws_enclose_the_exact_distribution(trials: int, p: Fraction) -> None:
    for k, true in enumerate(exact_cdf(trials, p)):
        for law in (BinomialLaw(trials, p), ManyTrials(trials, p)):
            lo, hi = law.bounds(k, 100)
            assert Fraction(lo, 2**100) <= true <= Fraction(hi, 2**100)
            assert hi - lo <= 2


@pytest.mark.parametrize(("trials", "p"), [(5, "1/3"), (100, "0.3"), (1000, "0.001"), (300, "0.99")])
def test_draws_by_every_route(trials: int, p: str) -> None:
    chance = Fraction(p)
    centre = int(trials * chance)
    source = RecordingEntropy(1)
    by_table = binomial(trials, chance, 1_000_000, entropy=source)
    assert p_value(by_table - centre, mass(trials, chance)) > 1e-6
    by_tosses = np.array([_toss_coins(trials, chance, source) for _ in range(5_000)])
    assert p_value(by_tosses - centre, mass(trials, chance)) > 1e-6
    by_inversion = np.array([_draw_by_inversion(trials, chance, source) for _ in range(500)])
    assert p_value(by_inversion - centre, mass(trials, chance)) > 1e-6


def test_a_wrong_probability_is_rejected() -> None:
    draws = binomial(100, Fraction(303, 1000), 1_000_000, entropy=RecordingEntropy(2))
    assert p_value(draws - 30, mass(100, Fraction(3, 10))) < 1e-6


def test_tosses_compare_bit_by_bit() -> None:
    # p = 0.101 in binary; first bits of 8 trials: 4 zeros succeed, 4 remain; of those 2 ones fail, 2 remain;
    # of those 1 zero succeeds, and the last equals p, which is not below it.
    script = bytes([0b11110000, 0b0011 << 4, 0b10 << 6])
    source = ScriptedEntropy(script)
    assert _toss_coins(8, Fraction(5, 8), source) == 5
    assert source.exhausted


@pytest.mark.parametrize(("trials", "p"), [(10**9, Fraction(1, 3)), (10**12, Fraction(1, 10**12)), (2**53, 1)])
def test_many_trials_stay_near_their_mean(trials: int, p: Fraction) -> None:
    draw = binomial(trials, p)
    assert abs(draw - trials * p) <= 12 * math.sqrt(trials * p * (1 - p)) + 40
    assert abs(binomial(trials, 1 - p) - trials * (1 - p)) <= 12 * math.sqrt(trials * p * (1 - p)) + 40


def test_inversion_finds_the_smallest() -> None:
    law, source = ManyTrials(10**10, Fraction(1, 3)), RecordingEntropy(5)
    uniform = LazyUniform(source)
    k = invert(law, uniform, 3333333333)
    with precision(128):
        assert law.bounds(k, 64)[0] > uniform.value >= law.bounds(k - 1, 64)[1]


def test_edges_and_messages() -> None:
    assert binomial(0, 0.5) == 0
    assert binomial(7, 0, 100).tolist() == [0] * 100
    assert binomial(7, 1, 3).tolist() == [7, 7, 7]
    assert binomial(5, 0.5, 0).shape == (0,)
    assert binomial(0, 0.5, 100).tolist() == [0] * 100
    with pytest.raises(InvalidError, match=r"binomial\.trials must be at most 2\^53"):
        binomial(2**60, 0.5)
    with pytest.raises(InvalidError, match=r"binomial\.probability must lie between 0 and 1, got 2"):
        binomial(3, 2)
