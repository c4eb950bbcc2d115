"""Vectors of floats against ball arithmetic, over the whole range that is promised."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.numerics import floats
from privet.accounting.numerics.floats import EXP_ERROR, Floats, exp, expm1, geometric, mass_error, normal_masses
from privet.core.exact import ball, precision
from tests.accounting.exact_losses import BITS, off_by, tail

EXPONENTS = np.concatenate([np.linspace(-690, 700, 1501), np.linspace(-1, 1, 501), 2.0 ** -np.arange(1, 70)])
# the ends of the reduced range, where the polynomial is worst
EXPONENTS = np.append(EXPONENTS, (np.arange(-900, 900, 7) + 0.5) * np.log(2))


def worst(found: Floats, exact: "list[arb]") -> float:
    return max(off_by(float(one), other) for one, other in zip(found, exact, strict=True))


def exact_of(values: Floats, function: str) -> "list[arb]":
    return [getattr(ball(Fraction(float(x))), function)() for x in values]


def test_exponentials_are_within_their_error() -> None:
    with precision(BITS):
        assert worst(exp(EXPONENTS), exact_of(EXPONENTS, "exp")) < EXP_ERROR


@given(st.floats(-690, 700))
def test_every_exponential_is_within_its_error(x: float) -> None:
    with precision(BITS):
        assert off_by(float(exp(np.array([x]))[0]), ball(Fraction(x)).exp()) < EXP_ERROR


def test_what_is_too_small_is_raised() -> None:
    assert list(exp(np.array([-691.0, -1e6, -np.inf]))) == [float(exp(np.array([-690.0]))[0])] * 3


def test_a_reduction_without_its_low_part_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floats, "_LN2_LOW", 0.0)
    with precision(BITS):
        assert worst(exp(EXPONENTS), exact_of(EXPONENTS, "exp")) > EXP_ERROR


def test_exponentials_minus_one_are_within_their_error() -> None:
    values = EXPONENTS[EXPONENTS != 0]
    values = np.concatenate([values, [0.375, -0.375, np.nextafter(0.375, 1), -np.nextafter(0.375, 1), 1e-300]])
    with precision(BITS):
        assert worst(expm1(values), exact_of(values, "expm1")) < 2.0**-45


@pytest.mark.parametrize(
    ("ratio", "count", "first"),
    [(1e-9, 1300, -600), (0.013, 2000, -1000), (0.4, 3000, -1500), (2.0, 600, -300), (19.0, 60, -30), (300.0, 5, -2)],
)
def test_geometric_sequences_are_within_their_error(ratio: float, count: int, first: int) -> None:
    found = geometric(ratio, count, first)
    with precision(BITS):
        for index in range(0, count, 7):
            exponent = Fraction(ratio) * (first + index)
            allowed = 2.0**-45 + 2.0**-52 * abs(float(exponent))
            assert off_by(float(found[index]), ball(exponent).exp()) < allowed


def test_geometric_sequences_do_not_overflow() -> None:
    assert np.isfinite(geometric(1000.0, 7, -3)).all()


EDGES = {
    "fine": np.linspace(-36, 37, 300),
    "far": np.linspace(29, 37, 50),
    "coarse": np.array([-37.0, -20.0, -1.0, 0.5, 3.0, 37.0]),
    "one cell": np.array([-7.0, 37.0]),
    "narrow": 3 + np.arange(40) * 1e-9,
}


def normal_exact(edges: Floats, mean: float) -> "list[arb]":
    points = [ball(Fraction(float(x))) - ball(Fraction(mean)) for x in edges]
    # towards the nearer tail, so that nothing cancels
    return [tail(low) - tail(high) if low > 0 else tail(-high) - tail(-low) for low, high in pairwise(points)]


@pytest.mark.parametrize("edges", EDGES.values(), ids=EDGES)
@pytest.mark.parametrize("mean", [0.0, 2.75])
def test_normal_masses_are_within_their_error(edges: Floats, mean: float) -> None:
    edges = edges[edges >= mean - 37]
    with precision(3000):  # tails of 1e-300 are subtracted from each other
        found = worst(normal_masses(edges, mean), normal_exact(edges, mean))
    assert found < mass_error(float(np.abs(edges).max()) + mean, float(np.diff(edges).max()))


def test_pieces_that_are_too_wide_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(floats, "_PIECE", 1.5)
    edges = EDGES["coarse"]
    with precision(3000):
        assert worst(normal_masses(edges, 0.0), normal_exact(edges, 0.0)) > mass_error(37, 34)


def test_cells_without_width_have_no_mass() -> None:
    assert not normal_masses(np.array([1.0, 1.0, 1.0]), 0.0).any()
