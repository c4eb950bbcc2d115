"""Generalised Cauchy noise."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb

from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError, NotExactError, WrongTypeError
from privet.noise.generalised_cauchy import cauchy_magnitude, generalised_cauchy
from tests.noise.doubles import RecordingEntropy, ScriptedEntropy
from tests.noise.heavy import check_heavy, heavy_p_value


def within(gamma: Fraction, z: Fraction) -> arb:
    """P(|Z| <= z) by the integral of the density as a hypergeometric function."""
    shape = ball(1 / gamma)
    power = (ball(z).log() * ball(gamma)).exp()
    part = ball(z) * (-power).hypgeom_2f1(1, shape, 1 + shape)
    return part * (arb.pi() * shape).sin() / (arb.pi() * shape)


SHAPES = [("2.1", "12.5"), ("1.3", "4"), ("4", "1/4")]


@pytest.mark.parametrize(("gamma", "scale"), SHAPES)
@pytest.mark.share(2)  # the samples law draws from other shapes every day
def test_draws_follow_the_density(gamma: str, scale: str) -> None:
    """A right sampler fails once in a million seeds."""
    shape = Fraction(gamma)
    check_heavy(
        lambda z: within(shape, z),
        lambda n, source: generalised_cauchy(shape, Fraction(scale), n, entropy=source),
        Fraction(scale),
    )


def test_another_shape_is_noticed() -> None:
    draws = generalised_cauchy(2, 10, 2500, entropy=RecordingEntropy(3))
    assert heavy_p_value(draws, lambda z: within(Fraction(5, 2), z), Fraction(10)) < 1e-6


def test_another_scale_is_noticed() -> None:
    draws = generalised_cauchy(2, 15, 2500, entropy=RecordingEntropy(3))
    assert heavy_p_value(draws, lambda z: within(Fraction(2), z), Fraction(10)) < 1e-6


@pytest.mark.parametrize("gamma", ["1.2", "2", "3.7", "9"])
@pytest.mark.parametrize("z", ["1/1000", "1/2", "1", "3", "1000"])
def test_the_distribution_function_is_the_integral_of_the_density(gamma: str, z: str) -> None:
    with precision(128):
        difference = cauchy_magnitude(Fraction(gamma)).below(ball(Fraction(z)))[0] - within(
            Fraction(gamma), Fraction(z)
        )
        assert difference.contains(0)
        assert ends(difference)[1] - ends(difference)[0] < Fraction(1, 2**90)


def test_the_cauchy_distribution_is_the_case_two() -> None:
    assert math.isclose(cauchy_magnitude(2).quantile(Fraction(95, 100)), math.tan(0.95 * math.pi / 2), rel_tol=1e-12)


@pytest.mark.parametrize("bits", [0, 1, (1 << 256) - 1])
def test_the_ends_of_the_uniform_number_are_drawn_too(bits: int) -> None:
    """All zeros is the smallest magnitude, all ones one beyond any float, and both are whole numbers."""
    source = ScriptedEntropy(bytes(1) + bits.to_bytes(32, "little"))
    value = generalised_cauchy(2, 1, entropy=source)
    assert type(value) is int
    assert value == 0 if bits < 2 else value > 2**100


def test_the_sign_is_fair_and_independent_of_the_magnitude() -> None:
    left = [generalised_cauchy(2, 5, entropy=ScriptedEntropy(b"\x00", seed=i)) for i in range(50)]
    right = [generalised_cauchy(2, 5, entropy=ScriptedEntropy(b"\x80", seed=i)) for i in range(50)]
    assert left == [-value for value in right]


def test_randomness_taken_does_not_depend_on_the_scale() -> None:
    """A scale computed from a smooth bound is private."""
    taken = set()
    for scale in ("1/1000000", "1", "1000", "4294967296"):
        source = RecordingEntropy(5)
        generalised_cauchy(2, Fraction(scale), 20, entropy=source)
        taken.add(source.handed_out)
    assert len(taken) == 1


def test_arrays_hold_python_integers() -> None:
    draws = generalised_cauchy(1.05, 10**30, 20)
    assert draws.dtype == object
    assert all(type(item) is int for item in draws)
    assert np.abs(draws).max() > 2**64


@pytest.mark.parametrize(
    ("gamma", "scale", "size", "error", "message"),
    [
        (1, 1, None, InvalidError, "generalised_cauchy.gamma must be above one, got 1"),
        (math.nan, 1, None, NotExactError, "generalised_cauchy.gamma"),
        (2, 0, None, InvalidError, "generalised_cauchy.scale must be above zero, got 0."),
        (2, 1, -1, InvalidError, "generalised_cauchy.size must be zero or more"),
        (2, 1, 1.5, WrongTypeError, "generalised_cauchy.size must be a whole number"),
    ],
)
def test_wrong_parameters_are_refused(gamma: Any, scale: Any, size: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        generalised_cauchy(gamma, scale, size)
