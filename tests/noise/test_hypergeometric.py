"""Hypergeometric counts, by table, by inversion and by taking the sample."""

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from privet.errors import InvalidError, UnavailableError
from privet.noise import hypergeometric
from privet.noise import hypergeometric as sampler
from privet.noise.hypergeometric import _law
from tests.noise.chi_square import Mass, p_value
from tests.noise.doubles import RecordingEntropy

CASES = [(3, 4, 2), (10, 5, 12), (50, 80, 40), (7, 0, 3), (0, 7, 3), (1000, 2000, 300)]


def exact(good: int, bad: int, draws: int, x: int) -> Fraction:
    if not 0 <= x <= draws:
        return Fraction(0)
    return Fraction(math.comb(good, x) * math.comb(bad, draws - x), math.comb(good + bad, draws))


def mass(good: int, bad: int, draws: int, centre: int) -> Mass:
    steps = np.array([float(exact(good, bad, draws, x)) for x in range(draws + 1)])

    def shifted(z: NDArray[np.int64]) -> NDArray[np.float64]:
        inside = (z + centre >= 0) & (z + centre <= draws)
        return np.where(inside, steps[np.clip(z + centre, 0, draws)], 0.0)

    return shifted


@pytest.mark.parametrize(("good", "bad", "draws"), CASES)
def test_the_law_encloses_the_exact_distribution(good: int, bad: int, draws: int) -> None:
    law, total = _law(good, bad, draws), Fraction(0)
    for k in range(min(law.last, 60) + 1):
        total += exact(good, bad, draws, law.first + k)
        lo, hi = law.bounds(k, 100)
        assert Fraction(lo, 2**100) <= total <= Fraction(hi, 2**100)


@pytest.mark.parametrize(("good", "bad", "draws"), CASES)
def test_draws_by_every_route(good: int, bad: int, draws: int, monkeypatch: pytest.MonkeyPatch) -> None:
    centre = good * draws // (good + bad)
    law = mass(good, bad, draws, centre)
    source = RecordingEntropy(1)
    assert p_value(hypergeometric(good, bad, draws, 500_000, entropy=source) - centre, law) > 1e-6
    singles = np.array([hypergeometric(good, bad, draws, entropy=source) for _ in range(3000)])
    assert p_value(singles - centre, law) > 1e-6
    monkeypatch.setitem(sampler.__globals__, "_TABLE", 0)
    sampled = hypergeometric(good, bad, draws, 3000, entropy=source)
    assert p_value(sampled - centre, law) > 1e-6


def test_edges_and_messages() -> None:
    assert hypergeometric(0, 0, 0) == 0
    assert hypergeometric(5, 3, 8, 70).tolist() == [5] * 70
    assert hypergeometric(5, 3, 4, 0).shape == (0,)
    with pytest.raises(InvalidError, match=r"hypergeometric\.draws must be at most good \+ bad = 5, got 6\."):
        hypergeometric(2, 3, 6)
    with pytest.raises(UnavailableError, match="good or draws of at most"):
        hypergeometric(10**9, 10**9, 10**9)
