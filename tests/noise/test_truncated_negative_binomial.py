"""Truncated negative binomial counts have exactly their stated law."""

import math
from collections import Counter
from fractions import Fraction

import pytest

from privet.core.exact import ends, precision
from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.noise.truncated_negative_binomial import NegativeBinomialLaw, truncated_negative_binomial
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy
from tests.noise.goodness import goodness

CASES = [("1", "0.3"), ("2", "0.5"), ("0", "0.2"), ("-1/2", "0.1"), ("1/3", "0.4"), ("7", "0.9")]


def masses(shape: float, success: float) -> list[float]:
    """By the gamma function, not by ratios."""
    total = success**-shape - 1 if shape else -math.log(success)
    found = []
    for k in range(1, 400):
        if shape == 0:
            weight = (1 - success) ** k / k
        else:
            sign = 1 if shape > 0 else -1
            size = math.lgamma(k + shape) - math.lgamma(abs(shape) if shape > 0 else shape) - math.lgamma(k + 1)
            weight = sign * math.exp(size + k * math.log1p(-success))
        found.append(weight / total)
    return found


@pytest.mark.parametrize(("shape", "success"), CASES)
def test_the_masses_are_those_of_the_gamma_function(shape: str, success: str) -> None:
    law = NegativeBinomialLaw(Fraction(shape), Fraction(success))
    with precision(128):
        mass = law.first()
        for k, expected in enumerate(masses(float(Fraction(shape)), float(success))[:60], start=1):
            assert float(mass) == pytest.approx(expected, rel=1e-9)
            mass = mass * law.ratio(k).numerator / law.ratio(k).denominator


@pytest.mark.parametrize(("shape", "success"), CASES)
def test_draws_follow_the_law(shape: str, success: str) -> None:
    """Five thousand draws by chi-square; a correct sampler fails once in a million seeds."""
    draws = truncated_negative_binomial(
        Fraction(shape), success=Fraction(success), size=5_000, entropy=RecordingEntropy(3)
    )
    assert draws.min() >= 1
    stated = dict(enumerate(masses(float(Fraction(shape)), float(success)), start=1))
    assert goodness(Counter(draws.tolist()), stated) > 1e-6


@pytest.mark.parametrize(("shape", "success"), CASES)
def test_a_wrong_success_is_rejected(shape: str, success: str) -> None:
    wrong = Fraction(success) * Fraction(6, 10)
    draws = truncated_negative_binomial(Fraction(shape), wrong, size=5_000, entropy=RecordingEntropy(4))
    stated = dict(enumerate(masses(float(Fraction(shape)), float(success)), start=1))
    assert goodness(Counter(draws.tolist()), stated) < 1e-6


def test_more_bits_are_drawn_where_the_first_leave_it_open() -> None:
    """With shape one and success a third, P(K <= 1) = 0.010101... in binary: 64 bits of it decide nothing."""
    open_word = int(Fraction(1, 3) * 2**64).to_bytes(8, "big")
    for rest, expected in ((bytes(8), 1), (b"\xff" * 8, 2)):
        source = ScriptedEntropy(open_word + rest)
        assert truncated_negative_binomial(1, Fraction(1, 3), entropy=source) == expected
        assert source.exhausted


def test_a_geometric_count_is_exact_in_its_tail() -> None:
    law = NegativeBinomialLaw(Fraction(1), Fraction(1, 4))
    with precision(128):
        low, high = ends(law.first())
    assert low <= Fraction(1, 4) <= high
    assert [law.ratio(k) for k in range(1, 5)] == [Fraction(3, 4)] * 4


def test_edges_and_messages() -> None:
    assert type(truncated_negative_binomial(1, 0.5)) is int
    assert truncated_negative_binomial(1, 0.5, 0).shape == (0,)
    with pytest.raises(InvalidError, match=r"truncated_negative_binomial\.shape must be above -1, got -1\."):
        truncated_negative_binomial(-1, 0.5)
    for wrong in (0, 1, 2):
        with pytest.raises(InvalidError, match=f"success must lie strictly between 0 and 1, got {wrong}."):
            truncated_negative_binomial(1, wrong)
    with pytest.raises(NotExactError, match=r"truncated_negative_binomial\.shape: expected a finite number"):
        truncated_negative_binomial(float("nan"), 0.5)
    with pytest.raises(WrongTypeError, match="size must be a whole number, got float"):
        truncated_negative_binomial(1, 0.5, 2.0)  # type: ignore[call-overload]
