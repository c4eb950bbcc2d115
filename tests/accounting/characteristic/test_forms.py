"""Closed forms of characteristic functions: each is the expectation it claims to be, and its bounds are bounds."""

import cmath
import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from privet.accounting.characteristic.atomic import ApproximateTerm, DiscreteLaplaceTerm, FiniteTerm
from privet.accounting.characteristic.continuous import BoundedRangeTerm, GaussianTerm, LaplaceTerm
from privet.accounting.characteristic.inversion import lattice_atoms
from privet.accounting.characteristic.nodes import Terms
from privet.accounting.characteristic.term import CharacteristicTerm, StatedTerm, atoms_moment
from privet.accounting.numerics.renyi_convert import pure_rho, range_rho
from privet.core.exact import ball, precision
from privet.errors import InvalidError, NotExactError, WrongTypeError

TERMS: list[CharacteristicTerm] = [
    GaussianTerm(0.7),
    LaplaceTerm(0),
    LaplaceTerm(0.9),
    DiscreteLaplaceTerm(distance=0, scale=2),
    DiscreteLaplaceTerm(distance=1, scale=2),
    DiscreteLaplaceTerm(distance=7, scale=3),
    DiscreteLaplaceTerm(distance=100, scale=70),
    FiniteTerm((0.5, 0.3, 0.2), (0.2, 0.3, 0.5)),
    FiniteTerm((0.5, 0.5, 0), (0, 0.5, 0.5)),
    ApproximateTerm(0.8),
    ApproximateTerm(0.8, 0.01),
    BoundedRangeTerm(1.3),
]
QUICK = [term for term in TERMS if term.magnitudes(arb(1), arb(1), 0, 1) is not None]
WHERE = [complex(2.5, 0), complex(0.3, 1), complex(4, -11), complex(1, 60)]


def named(term: CharacteristicTerm) -> str:
    return repr(term)


def midpoints(function: Callable[[float], complex], low: float, high: float, count: int = 20_000) -> complex:
    width = (high - low) / count
    return sum((function(low + (i + 0.5) * width) for i in range(count)), 0j) * width


@pytest.mark.parametrize("term", TERMS, ids=named)
def test_masses_of_both_distributions(term: CharacteristicTerm) -> None:
    assert complex(term.moment(acb(0))) == pytest.approx(1 - float(term.infinite()))
    # every pair here is its own reverse
    assert complex(term.moment(acb(-1))) == pytest.approx(1 - float(term.infinite()))


@pytest.mark.parametrize("term", TERMS, ids=named)
@pytest.mark.parametrize("s", WHERE)
def test_the_pair_is_its_own_reverse(term: CharacteristicTerm, s: complex) -> None:
    assert term.moment(acb(s)).overlaps(term.moment(acb(-1) - acb(s)))


@pytest.mark.parametrize("s", WHERE[:3])
def test_gaussian_moment_by_quadrature(s: complex) -> None:
    mu = 0.7  # the loss is mu x - mu²/2 at an output x of N(mu, 1)
    found = midpoints(
        lambda x: cmath.exp(s * (mu * x - mu * mu / 2) - (x - mu) ** 2 / 2) / math.sqrt(2 * math.pi), -12, 16
    )
    assert complex(GaussianTerm(mu).moment(acb(s))) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("s", WHERE[:3])
def test_laplace_moment_by_quadrature(s: complex) -> None:
    found = midpoints(lambda x: 0.5 * cmath.exp(-abs(x) + s * (abs(x - 0.9) - abs(x))), -30, 30, 60_000)
    assert complex(LaplaceTerm(0.9).moment(acb(s))) == pytest.approx(found, rel=1e-5)


@pytest.mark.parametrize("s", WHERE[:3])
def test_bounded_range_moment_by_quadrature(s: complex) -> None:
    eta = 1.3  # the density of the loss, from P(L > l) = E (E - e^(l/2)) / (E² - 1)
    edge = math.exp(eta / 2)
    found = midpoints(lambda x: cmath.exp(s * x) * edge * math.exp(x / 2) / 2 / (edge**2 - 1), -eta, eta)
    assert complex(BoundedRangeTerm(eta).moment(acb(s))) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("distance", [1, 2, 7, 100])
@pytest.mark.parametrize("s", WHERE)
def test_discrete_laplace_moment_by_its_outputs(distance: int, s: complex) -> None:
    scale = 3 if distance < 10 else 70
    rate = math.exp(-1 / scale)
    found = sum(
        (1 - rate) / (1 + rate) * rate ** abs(z) * cmath.exp(s * (abs(z - distance) - abs(z)) / scale)
        for z in range(-30 * scale, 30 * scale + distance)
    )
    term = DiscreteLaplaceTerm(distance=distance, scale=scale)
    assert complex(term.moment(acb(s))) == pytest.approx(found, rel=1e-9)


@pytest.mark.parametrize("s", WHERE)
def test_atoms_of_finite_pairs(s: complex) -> None:
    p, q = (0.5, 0.3, 0.2), (0.2, 0.3, 0.5)
    found = sum(a * cmath.exp(s * math.log(a / b)) for a, b in zip(p, q, strict=True))
    assert complex(FiniteTerm(p, q).moment(acb(s))) == pytest.approx(found, rel=1e-9)
    odds = math.exp(0.8)
    response = 0.99 * (odds * cmath.exp(s * 0.8) + cmath.exp(-s * 0.8)) / (1 + odds)
    assert complex(ApproximateTerm(0.8, 0.01).moment(acb(s))) == pytest.approx(response, rel=1e-9)


@pytest.mark.parametrize("term", TERMS, ids=named)
@pytest.mark.parametrize("height", [0.0, 0.5, 7.0, 100.0])
def test_the_rest_bounds_what_is_no_atom(term: CharacteristicTerm, height: float) -> None:
    with precision(128):
        theta = arb(1.5)
        bound = term.rest(theta, arb(height))
        for extra in (0, 0.3, 1, 2.7, 10, 99):
            s = acb(theta, arb(height + extra))
            part = abs(term.moment(s) - atoms_moment(term.atoms(), s))
            assert not part > bound + arb(1e-30)


@pytest.mark.parametrize("term", QUICK, ids=named)
@pytest.mark.parametrize("start", [0, 1000])
def test_magnitudes_are_never_too_small(term: CharacteristicTerm, start: int) -> None:
    with precision(128):
        theta, step = arb(2.25), arb(0.37)
        found = term.magnitudes(theta, step, start, start + 300)
        assert found is not None
        whole = term.moment(acb(theta)).real
        for k, value in enumerate(found, start):
            exactly = abs(term.moment(acb(theta, step * k))) / whole
            assert exactly <= arb(float(value))
            assert float(value) <= float(exactly) + 1e-11


@given(st.fractions(0, 8), st.fractions(Fraction(1, 9), 8))
def test_the_largest_loss(cost: Fraction, scale: Fraction) -> None:
    assert LaplaceTerm(cost).top() == ApproximateTerm(cost).top() == cost
    assert DiscreteLaplaceTerm(distance=3, scale=scale).top() == 3 / scale
    assert LaplaceTerm(cost).concentrated().cost == pure_rho(cost)


def test_the_points_of_each_form() -> None:
    assert GaussianTerm(2).pure().cost == math.inf
    assert GaussianTerm(2).concentrated().cost == 2
    assert BoundedRangeTerm(2).concentrated().cost == range_rho(Fraction(2))
    assert ApproximateTerm(1, 0.25).pure().delta == Fraction(1, 4)
    assert FiniteTerm((0.5, 0.5, 0), (0, 0.5, 0.5)).infinite() == Fraction(1, 2)
    stated = StatedTerm(lambda s: (s * (s + 1)).exp(), largest=4, rho=1)
    assert (stated.top(), stated.concentrated().cost) == (4, 1)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="LaplaceTerm.cost must be zero or more, got -1."):
        LaplaceTerm(-1)
    with pytest.raises(InvalidError, match="BoundedRangeTerm.eta must be above zero, got 0."):
        BoundedRangeTerm(0)
    with pytest.raises(WrongTypeError, match="DiscreteLaplaceTerm.distance must be a whole number"):
        DiscreteLaplaceTerm(distance=0.5, scale=1)
    with pytest.raises(InvalidError, match="the sums of FiniteTerm.first and second must be one, got 0.9."):
        FiniteTerm((0.5, 0.4), (0.5, 0.5))
    with pytest.raises(InvalidError, match="FiniteTerm.second must be a tuple of 2 probabilities, got 3."):
        FiniteTerm((0.5, 0.5), (0.5, 0.25, 0.25))
    with pytest.raises(WrongTypeError, match="FiniteTerm.first and second must be tuples of probabilities"):
        FiniteTerm("ab", (0.5, 0.5))
    with pytest.raises(NotExactError, match="StatedTerm.rho"):
        StatedTerm(lambda s: s, rho=math.nan)
    with pytest.raises(WrongTypeError, match="StatedTerm.function must be a function"):
        StatedTerm(3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "term",
    [
        GaussianTerm(1),
        LaplaceTerm(Fraction(1, 3)),
        DiscreteLaplaceTerm(distance=1, scale=3),
        DiscreteLaplaceTerm(distance=7, scale=3),
        DiscreteLaplaceTerm(distance=100, scale=700),
        FiniteTerm((0.75, 0.25), (0.25, 0.75)),
        FiniteTerm((0.5, 0.3, 0.2), (0.2, 0.5, 0.3)),
        ApproximateTerm(1, 0.25),
        BoundedRangeTerm(1),
    ],
)
def test_nodes_are_moments(term: CharacteristicTerm) -> None:
    with precision(128):
        theta, step = arb(3) / 2, arb(1) / 7
        at = term.at_nodes(theta, step)
        for k in (0, 1, 2, 255, 256, 257, 5000):
            found, exactly = at(k), term.moment(acb(theta, step * k))
            assert found.overlaps(exactly)
            assert abs(found - exactly).upper() < arb(2) ** -90


@pytest.mark.parametrize(
    "terms",
    [
        ((DiscreteLaplaceTerm(distance=3, scale=2), 4),),
        ((DiscreteLaplaceTerm(distance=3, scale=2), 2), (DiscreteLaplaceTerm(distance=2, scale=3), 3)),
        ((ApproximateTerm(Fraction(1, 2), Fraction(1, 10)), 3), (DiscreteLaplaceTerm(distance=1, scale=5), 2)),
    ],
)
def test_losses_on_one_lattice_are_listed(terms: Terms) -> None:
    """The listed atoms have the moment of the whole, at a damping where every one of them counts."""
    with precision(256):
        listed = lattice_atoms(terms)
        assert listed is not None
        assert len(listed) <= 200
        for theta in (Fraction(0), Fraction(1), Fraction(5, 2)):
            total = sum((first * (first / second) ** ball(theta) for first, second in listed), arb(0))
            exactly = arb(1)
            for term, times in terms:
                exactly *= term.moment(acb(ball(theta))).real ** times
            assert abs(total - exactly).upper() < arb(2) ** -100


def test_losses_on_no_lattice_are_not_listed() -> None:
    assert lattice_atoms(((DiscreteLaplaceTerm(distance=3, scale=2), 4), (GaussianTerm(1), 1))) is None
    other = DiscreteLaplaceTerm(distance=90, scale=Fraction(7001, 10))
    assert lattice_atoms(((other, 20), (DiscreteLaplaceTerm(distance=90, scale=701), 9))) is None
