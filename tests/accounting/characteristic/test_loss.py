"""Losses known by characteristic functions, against closed forms, enumeration and convolution."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from flint import acb, arb
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.accounting.characteristic import nodes as characteristic_nodes
from privet.accounting.characteristic.atomic import ApproximateTerm, DiscreteLaplaceTerm, FiniteTerm
from privet.accounting.characteristic.continuous import BoundedRangeTerm, GaussianTerm, LaplaceTerm
from privet.accounting.characteristic.loss import CharacteristicLoss
from privet.accounting.characteristic.term import CharacteristicTerm, StatedTerm
from privet.accounting.numerics.renyi_convert import pure_rho
from privet.core.exact import ball, ends, precision
from privet.errors import InvalidError, WrongTypeError

Pairs = tuple[tuple[tuple[Fraction, ...], tuple[Fraction, ...]], ...]


@pytest.fixture
def few_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds that are a little wider, sooner."""
    monkeypatch.setattr(characteristic_nodes, "_MOST", 2**14)
    monkeypatch.setattr(characteristic_nodes, "_BALLS", 2**14)


def one(term: CharacteristicTerm, times: int = 1) -> CharacteristicLoss:
    return CharacteristicLoss(((term, times),))


def gaussian(mu: Fraction, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """Balle and Wang's curve, enclosed at 300 bits."""
    with precision(300):
        shift, tilt, root = ball(mu), ball(epsilon), arb(2).sqrt()
        first = ((tilt / shift - shift / 2) / root).erfc() / 2
        second = ((tilt / shift + shift / 2) / root).erfc() / 2
        return ends(first - tilt.exp() * second)


def enumerated(pairs: Pairs, epsilon: Fraction) -> tuple[Fraction, Fraction]:
    """The hockey-stick divergence of a product of finite pairs, output by output."""
    with precision(300):
        tilt, total = ball(epsilon).exp(), arb(0)
        for outputs in product(*(tuple(zip(first, second, strict=True)) for first, second in pairs)):
            p = math.prod((output[0] for output in outputs), start=Fraction(1))
            q = math.prod((output[1] for output in outputs), start=Fraction(1))
            gain = ball(p) - tilt * ball(q)
            total += gain if gain > 0 else 0
        return ends(total)


def check(loss: CharacteristicLoss, epsilon: Fraction, exactly: tuple[Fraction, Fraction], gap: float = 1e-6) -> None:
    low, high = loss.bounds(epsilon)
    assert low <= exactly[1]
    assert exactly[0] <= high
    assert high - low <= gap * high


@pytest.mark.parametrize("mu", [Fraction(1, 100), Fraction(1), Fraction(5)])
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1), Fraction(3), Fraction(7)])
def test_one_gaussian(mu: Fraction, share: Fraction) -> None:
    epsilon = share * mu + mu**2 / 2
    check(one(GaussianTerm(mu)), epsilon, gaussian(mu, epsilon))


def test_many_gaussians_are_one_larger_gaussian() -> None:
    check(one(GaussianTerm(Fraction(1, 10)), 100), Fraction(4), gaussian(Fraction(1), Fraction(4)))
    mixed = CharacteristicLoss(((GaussianTerm(Fraction(3, 5)), 1), (GaussianTerm(Fraction(2, 5)), 4)))
    check(mixed, Fraction(3), gaussian(Fraction(1), Fraction(3)))


@pytest.mark.parametrize(("delta", "epsilon"), [(1e-6, 4.886554), (1e-12, 7.238494), (1e-15, 8.165580)])
def test_epsilon_of_a_gaussian_is_certified_and_tight(delta: float, epsilon: float) -> None:
    found = one(GaussianTerm(1)).epsilon(delta)
    assert isinstance(found, Fraction)
    assert gaussian(Fraction(1), found)[1] <= Fraction(repr(delta))
    assert float(found) == pytest.approx(epsilon, abs=2e-6)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 2), Fraction(99, 100)])
def test_one_laplace(epsilon: Fraction) -> None:
    with precision(300):
        exactly = ends(1 - (ball(epsilon - 1) / 2).exp())
    check(one(LaplaceTerm(1)), epsilon, exactly)


def test_one_bounded_range() -> None:
    with precision(300):
        edge, root = ball(Fraction(1, 2)).exp(), ball(Fraction(1, 10)).exp()
        exactly = ends((edge - root) ** 2 / (edge**2 - 1))
    check(one(BoundedRangeTerm(1)), Fraction(1, 5), exactly)


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)), min_size=1, max_size=3),
    st.fractions(0, 2, max_denominator=50),
)
@settings(deadline=None, max_examples=40)
def test_products_of_finite_pairs(weights: list[tuple[int, int, int]], epsilon: Fraction) -> None:
    # mirrored, so that the pair is its own reverse
    first = [tuple(Fraction(weight, sum(row)) for weight in row) for row in weights]
    pairs = tuple((row, row[::-1]) for row in first)
    loss = CharacteristicLoss(tuple((FiniteTerm(p, q), 1) for p, q in pairs))
    check(loss, epsilon, enumerated(pairs, epsilon), gap=1e-20)


@pytest.mark.parametrize("slack", [Fraction(0), Fraction(1, 10**9)])
def test_the_optimal_composition_theorem(slack: Fraction) -> None:
    # Kairouz, Oh and Viswanath 2015, theorem 3.3, at epsilon = (times - 2 i) cost
    times, cost, i = 30, Fraction(1, 10), 4
    with precision(300):
        odds = ball(cost).exp()
        worst = sum(
            (math.comb(times, j) * (odds ** (times - j) - odds ** (times - 2 * i + j)) for j in range(i)), arb(0)
        )
        kept = ball(1 - slack) ** times
        exactly = ends(1 - kept * (1 - worst / (1 + odds) ** times))
    check(one(ApproximateTerm(cost, slack), times), (times - 2 * i) * cost, exactly)


def test_discrete_laplace_by_its_outputs() -> None:
    with precision(300):
        rate = ball(Fraction(-1, 3)).exp()
        tilt, total = ball(Fraction(1, 4)).exp(), arb(0)
        for z in range(-400, 400):
            gain = (1 - rate) / (1 + rate) * (rate ** abs(z) - tilt * rate ** abs(z - 2))
            total += gain if gain > 0 else 0
        exactly = ends(total)
    low, high = one(DiscreteLaplaceTerm(distance=2, scale=3)).bounds(0.25)
    assert low - Fraction(1, 10**50) <= exactly[1]
    assert exactly[0] <= high <= exactly[1] + Fraction(1, 10**30)


def cells(loss: str, cost: float, grid: float, *, up: bool) -> "tuple[np.ndarray, int]":
    """The masses of one loss on a grid, each value moved to the end of its cell."""
    last = math.ceil(cost / grid)
    edges = np.clip(grid * np.arange(-last, last + 1), -cost, cost)
    if loss == "laplace":
        below = 0.5 * np.exp((edges - cost) / 2)
        below[-1] = 1.0  # the atom at the top; the one at the bottom is the value there
    else:
        edge = math.exp(cost / 2)
        below = 1 - edge * (edge - np.exp(edges / 2)) / (edge * edge - 1)
    first = below[:1] if loss == "laplace" else np.zeros(1)
    inner = np.diff(below)
    if loss == "laplace":
        inner[-1] = 0.5 - below[-2] if last else 0
        top = np.array([0.5])
    else:
        top = np.zeros(1)
    masses = np.zeros(2 * last + 1)
    masses[0] += first[0]
    masses[(slice(1, None) if up else slice(0, -1))] += inner
    masses[-1] += top[0]
    return masses, last


def convolved(kind: str, costs: list[float], epsilon: float, grid: float, *, up: bool) -> float:
    total, reach = np.ones(1), 0
    for cost in costs:
        masses, last = cells(kind, cost, grid, up=up)
        total, reach = np.convolve(total, masses), reach + last
    losses = grid * np.arange(-reach, reach + 1)
    return float(np.sum(total * np.maximum(0, -np.expm1(epsilon - losses))))


@pytest.mark.usefixtures("few_nodes")
@pytest.mark.parametrize("kind", ["laplace", "range"])
@pytest.mark.parametrize("costs", [[1.0, 0.5], [0.5] * 6, [0.25 + i / 64 for i in range(17)]])
def test_compositions_lie_between_two_convolutions(kind: str, costs: list[float]) -> None:
    make = LaplaceTerm if kind == "laplace" else BoundedRangeTerm
    loss = CharacteristicLoss(tuple((make(cost), 1) for cost in costs))
    epsilon = (0.4 if kind == "laplace" else 0.2) * sum(costs)
    low, high = loss.bounds(epsilon)
    under, over = (convolved(kind, costs, epsilon, 1 / 512, up=up) for up in (False, True))
    assert under * (1 - 1e-9) <= float(high)
    assert float(low) <= over * (1 + 1e-9)
    assert (high - low) / high < 1e-3
    assert over / under < 1.5, "the convolution is too coarse to tell anything"


def test_a_hundred_different_laplace() -> None:
    loss = CharacteristicLoss(tuple((LaplaceTerm(1 / (5 + Fraction(45 * i, 99))), 1) for i in range(100)))
    epsilon = loss.epsilon(1e-6)
    low, high = loss.bounds(epsilon)
    assert high <= Fraction(1, 10**6) * (1 + Fraction(1, 10**6))
    assert low >= Fraction(1, 10**6) * (1 - Fraction(3, 10**6))
    assert float(epsilon) == pytest.approx(2.73364, abs=1e-5)


@pytest.mark.usefixtures("few_nodes")
def test_a_loss_stated_by_its_characteristic_function_alone() -> None:
    loss = one(StatedTerm(lambda s: (s * (s + 1) / 2).exp()))
    check(loss, Fraction(3), gaussian(Fraction(1), Fraction(3)), gap=1e-4)
    assert loss.rho() == math.inf


def test_the_worse_direction_is_charged() -> None:
    p, q = (Fraction(1, 2), Fraction(1, 2), Fraction(0)), (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4))
    loss = CharacteristicLoss(((FiniteTerm(p, q), 1),), backward=((FiniteTerm(q, p), 1),))
    assert float(loss.delta(0)) == pytest.approx(0.25)
    assert float(loss.delta(1)) == pytest.approx(0.25)  # only Q gives the third output
    assert one(FiniteTerm(p, q)).delta(1) == 0
    assert float(CharacteristicLoss.compose(loss, one(GaussianTerm(1))).delta(9)) == pytest.approx(0.25, abs=1e-6)


def test_composition_counts_equal_terms() -> None:
    loss = CharacteristicLoss.compose(one(LaplaceTerm(1), 2), one(GaussianTerm(1)), one(LaplaceTerm(1)))
    assert loss == CharacteristicLoss(((LaplaceTerm(1), 3), (GaussianTerm(1), 1)))
    assert loss.pure().cost == math.inf
    assert loss.concentrated().cost == 3 * pure_rho(Fraction(1)) + Fraction(1, 2)


def test_points_and_forms() -> None:
    loss = one(ApproximateTerm(Fraction(1, 2), Fraction(1, 100)), 2)
    assert loss.pure().cost == 1
    assert loss.pure().delta == Fraction(1, 50)
    assert loss.epsilon() == math.inf
    assert loss.epsilon(Fraction(1, 1000)) == math.inf
    assert float(loss.delta(1)) == pytest.approx(1 - 0.99**2)
    assert loss.renyi(2) == math.inf
    assert one(GaussianTerm(1), 3).renyi(4) == 6
    assert 0 < one(LaplaceTerm(1)).renyi(2) < Fraction(1)


def test_where_nothing_or_everything_is_lost() -> None:
    assert CharacteristicLoss(()).bounds(0) == (Fraction(0), Fraction(0))
    assert CharacteristicLoss(()).epsilon(1e-6) == 0
    assert one(GaussianTerm(0), 3).delta(0) == 0
    assert CharacteristicLoss(((ApproximateTerm(1, 1), 1), (GaussianTerm(1), 1))).delta(1) == 1
    assert one(LaplaceTerm(1), 3).delta(3) == 0
    assert one(GaussianTerm(1)).delta(Fraction(10) ** 30) < Fraction(1, 10**300)


def test_an_interval_encloses_epsilon() -> None:
    low, high = one(GaussianTerm(1)).interval(delta=1e-6)
    assert gaussian(Fraction(1), low)[0] >= Fraction(1, 10**6) >= gaussian(Fraction(1), Fraction(high))[1]
    assert 0 < high - low < 1e-6
    assert one(LaplaceTerm(1)).interval(epsilon=0.5) == one(LaplaceTerm(1)).bounds(0.5)


def test_one_set_of_nodes_answers_for_a_whole_curve() -> None:
    curve = one(GaussianTerm(1)).curve(Fraction(3))
    for epsilon in (Fraction(1), Fraction(3), Fraction(5)):
        assert (
            gaussian(Fraction(1), epsilon)[0] <= curve(epsilon) < gaussian(Fraction(1), epsilon)[1] * Fraction(101, 100)
        )


def test_the_pair_of_the_curve_composes_with_other_losses() -> None:
    together = one(LaplaceTerm(Fraction(1, 2)), 2) + one(GaussianTerm(1))
    exactly = CharacteristicLoss(((LaplaceTerm(Fraction(1, 2)), 2), (GaussianTerm(1), 1)))
    low, high = exactly.bounds(3)
    assert low <= together.delta(3) < high * Fraction(11, 10)


def test_a_sum_of_such_losses_is_an_upper_bound() -> None:
    together = one(LaplaceTerm(Fraction(1, 2))) + one(LaplaceTerm(Fraction(1, 2)))
    assert together.epsilon() == 1
    assert together.delta(0.5) >= one(LaplaceTerm(Fraction(1, 2)), 2).bounds(0.5)[0]


def test_what_is_no_moment_is_refused() -> None:
    wrong = {
        "the sign of s": lambda s: (s * (s - 1) / 2).exp(),
        "no normalisation": lambda s: 2 * (s * (s + 1) / 2).exp(),
        "half of Laplace": lambda s: ((s * 1).exp() + (-(s + 1)).exp()) / 2,
    }
    for function in wrong.values():
        with pytest.raises(InvalidError, match="StatedTerm.moment must be one minus the infinite mass"):
            one(StatedTerm(function))


@pytest.mark.usefixtures("few_nodes")
def test_the_wrong_moment_is_noticed_by_the_closed_form() -> None:
    # passes the two checks, and is not the Gaussian: the variance is mu instead of mu²
    low, high = one(StatedTerm(lambda s: (acb(2) * s * (s + 1) / 2).exp())).bounds(3)
    exactly = gaussian(Fraction(2), Fraction(3))
    assert not (low <= exactly[1] and exactly[0] <= high)


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        (LaplaceTerm(1), "must be pairs .term, how often., such as .LaplaceTerm.0.1., 10., got LaplaceTerm"),
        ((LaplaceTerm(1),), "must be pairs .term, how often., such as .LaplaceTerm.0.1., 10., got LaplaceTerm"),
        (((LaplaceTerm(1), 1.5),), "must be a whole number"),
        (((LaplaceTerm(1), -1),), "must be zero or more, got -1"),
    ],
)
def test_wrong_terms_are_refused(terms: object, message: str) -> None:
    with pytest.raises((InvalidError, WrongTypeError), match=f"CharacteristicLoss.terms and backward {message}"):
        CharacteristicLoss(terms)


def test_the_pair_made_from_the_curve_is_no_lower_bound_of_a_sum() -> None:
    loss = CharacteristicLoss(((GaussianTerm(1), 1),))
    assert not loss.tight
    lower, upper = (loss + loss).interval(delta=1e-6)
    assert lower <= upper
