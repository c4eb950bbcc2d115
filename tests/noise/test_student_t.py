"""Student's t noise."""

import math
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.noise.student_t import student_magnitude, student_t
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy
from tests.noise.heavy import check_heavy, heavy_p_value


def within(degrees: Fraction, z: Fraction) -> arb:
    """P(|Z| <= z) by the integral of the density as a hypergeometric function."""
    half, more = ball(degrees / 2), ball((degrees + 1) / 2)
    part = ball(z) * (-ball(z * z / degrees)).hypgeom_2f1(ball(Fraction(1, 2)), more, ball(Fraction(3, 2)))
    return 2 * part * (more.lgamma() - half.lgamma()).exp() / (arb.pi() * ball(degrees)).sqrt()


@pytest.mark.parametrize(("degrees", "scale"), [("1.1", "12.5"), ("3", "1"), ("0.4", "4"), ("40", "1/2")])
@pytest.mark.share(2)
def test_draws_follow_the_density(degrees: str, scale: str) -> None:
    """A right sampler fails once in a million seeds."""
    shape, spread = Fraction(degrees), Fraction(scale)
    check_heavy(lambda z: within(shape, z), lambda n, source: student_t(shape, spread, n, entropy=source), spread)


def test_other_degrees_are_noticed() -> None:
    draws = student_t(2, 10, 2500, entropy=RecordingEntropy(3))
    assert heavy_p_value(draws, lambda z: within(Fraction(4), z), Fraction(10)) < 1e-6


@pytest.mark.parametrize("degrees", ["1/5", "1", "3.7", "30"])
@pytest.mark.parametrize("z", ["1/1000", "1/2", "1", "3", "1000"])
def test_the_distribution_function_is_the_integral_of_the_density(degrees: str, z: str) -> None:
    with precision(192):
        difference = student_magnitude(Fraction(degrees)).below(ball(Fraction(z)))[0] - within(
            Fraction(degrees), Fraction(z)
        )
        assert difference.contains(0)
        assert ends(difference)[1] - ends(difference)[0] < Fraction(1, 2**90)


@pytest.mark.parametrize(("degrees", "table"), [(1, 12.706), (2, 4.303), (3, 3.182), (10, 2.228), (30, 2.042)])
def test_quantiles_agree_with_the_tables(degrees: int, table: float) -> None:
    assert math.isclose(student_magnitude(degrees).quantile(Fraction(95, 100)), table, abs_tol=5e-4)


@pytest.mark.parametrize("bits", [0, 1, (1 << 256) - 1])
def test_the_ends_of_the_uniform_number_are_drawn_too(bits: int) -> None:
    source = ScriptedEntropy(bytes(1) + bits.to_bytes(32, "little"))
    value = student_t(1, 1, entropy=source)
    assert value == 0 if bits < 2 else value > 2**100


@pytest.mark.parametrize(
    ("degrees", "scale", "size", "error", "message"),
    [
        (0, 1, None, InvalidError, "student_t.degrees must be above zero, got 0."),
        ("3", 1, None, NotExactError, "student_t.degrees"),
        (2, -1, None, InvalidError, "student_t.scale must be above zero, got -1."),
        (2, 1, True, WrongTypeError, "student_t.size must be a whole number"),
    ],
)
def test_wrong_parameters_are_refused(
    degrees: Any, scale: Any, size: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        student_t(degrees, scale, size)


@pytest.mark.parametrize("degrees", [1, 3, Fraction(13, 4)])
def test_the_randomness_that_is_read_does_not_depend_on_the_scale(degrees: Any) -> None:
    """A smooth scale is private; that of 64-bit data with alpha = 1/2 passes 2^64."""
    read = set()
    for scale in (Fraction(1, 100), 1, 2**63, 2**65, 2**100):
        entropy = RecordingEntropy(seed=5)
        student_t(degrees, scale, entropy=entropy)
        read.add(entropy.handed_out)
    assert len(read) == 1
