"""Which pairs stand for a loss, and what a distribution says that is given out."""

import math
from fractions import Fraction

import numpy as np
import pytest

from privet.accounting.composition.composition import ComposedDirections
from privet.accounting.composition.terms import (
    composed_curve,
    composed_epsilon,
    directions,
    distribution_of,
    lower_delta,
    lower_epsilon,
)
from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.laplace import LaplaceLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.numerics.convert import normal_delta
from privet.accounting.pairs.pair import MixedPair, ReversedPair
from privet.accounting.sampling.sampling import Poisson
from privet.errors import InvalidError, UnavailableError
from tests.accounting.exact_losses import distribution_delta

SAMPLED = GaussianLoss(distance=1, scale=1).amplify(Poisson(0.1))
LOSSES: dict[str, Loss] = {
    "pure": PureLoss(0.1) * 30,
    "approximate": ApproximateLoss(0.1, 1e-9) * 30,
    "normal": GaussianLoss(distance=1, scale=5) * 30,
    "discrete": GaussianLoss(distance=1, scale=5, step=1) * 30,
    "fine": GaussianLoss(distance=1, scale=5, step=Fraction(1, 2**20)) * 30,
    "Laplace": LaplaceLoss(distance=1, scale=10) * 30,
    "discrete Laplace": LaplaceLoss(distance=3, scale=30, step=1) * 30,
    "range": BoundedRangeLoss(0.1) * 30,
    "sampled": SAMPLED * 30,
    "sampled with slack": ApproximateLoss(1, 1e-6).amplify(Poisson(0.1)) * 30,
    "mixed": SAMPLED * 10 + PureLoss(0.1) * 10 + GaussianLoss(distance=1, scale=5) + ConcentratedLoss(0.01),
    "no distance": GaussianLoss(distance=0, scale=1) * 2 + LaplaceLoss(distance=0, scale=1) + PureLoss(0.5),
    "undirected": SAMPLED.undirected() * 5,
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
@pytest.mark.parametrize("delta", [Fraction(1, 10**3), Fraction(1, 10**9)])
def test_bounds_of_epsilon_are_in_order(loss: Loss, delta: Fraction) -> None:
    assert 0 <= lower_epsilon(loss, delta) <= composed_epsilon(loss, delta)


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_bounds_of_delta_are_in_order(loss: Loss) -> None:
    epsilon = Fraction(1, 2)
    curve = composed_curve(loss, epsilon)
    assert curve is not None
    assert 0 <= lower_delta(loss, epsilon) <= curve(epsilon)


def test_normal_losses_are_composed_as_one() -> None:
    loss = GaussianLoss(distance=3, scale=5) * 4 + GaussianLoss(distance=4, scale=5) * 4
    delta = Fraction(1, 10**6)
    found = composed_epsilon(loss, delta)
    assert isinstance(found, Fraction)
    assert normal_delta(Fraction(2), found) <= delta
    assert normal_delta(Fraction(2), found * (1 - Fraction(1, 10**6))) > delta
    assert normal_delta(Fraction(2), lower_epsilon(loss, delta)) >= delta


def test_directed_losses_go_both_ways() -> None:
    both = directions(SAMPLED * 3)
    assert len(both) == 2
    assert isinstance(both[0][0][0], MixedPair)
    assert isinstance(both[1][0][0], ReversedPair)
    assert len(directions(PureLoss(1) * 3)) == 1


def test_what_is_undirected_is_not_turned() -> None:
    forward, turned = directions(SAMPLED + PureLoss(1))
    assert forward[1][0] is turned[1][0]


def test_one_direction_alone_would_miss_the_other() -> None:
    """Where records are added the same loss has another curve: the sum answers for the worse."""
    loss = PureLoss(3).amplify(Poisson(0.5)) * 3
    delta = Fraction(1, 1000)
    forward, turned = directions(loss)
    found = composed_epsilon(loss, delta)
    for way in (forward, turned):
        assert ComposedDirections([way], delta).below <= found


def test_parts_with_only_a_curve_are_added_first() -> None:
    loss = ConcentratedLoss(0.01) * 3 + ConcentratedLoss(0.02) * 2 + PureLoss(0.1)
    assert [times for _, times in directions(loss)[0]] == [1, 1]
    assert directions(ConcentratedLoss(0.01) * 3) == ()
    assert composed_epsilon(ConcentratedLoss(0.01) * 3, Fraction(1, 100)) == math.inf
    assert composed_curve(ConcentratedLoss(0.01) * 3, Fraction(1)) is None


def test_no_delta_and_all_delta_are_not_composed() -> None:
    loss = PureLoss(1) * 3
    assert composed_epsilon(loss, Fraction(0)) == math.inf
    assert composed_epsilon(loss, Fraction(1)) == math.inf
    assert lower_epsilon(loss, Fraction(0)) == 0


@pytest.mark.parametrize("loss", [*LOSSES.values(), PureLoss(1), SAMPLED], ids=[*LOSSES, "one", "one sampled"])
def test_distributions_are_whole_and_bound_delta(loss: Loss) -> None:
    found = distribution_of(loss, Fraction(1, 50), Fraction(1, 10**9))
    assert (found.masses >= 0).all()
    assert 1 <= found.masses.sum() + found.infinite < 1.001
    assert distribution_delta(found, Fraction(1, 2), 1) >= lower_delta(loss, Fraction(1, 2))


def test_a_composed_distribution_is_that_of_the_steps() -> None:
    single, triple = (distribution_of(PureLoss(0.25) * k, Fraction(1, 8), Fraction(1, 10**9)) for k in (1, 3))
    expected = np.convolve(np.convolve(single.masses, single.masses), single.masses)
    start = 3 * single.first - triple.first
    seen = triple.masses[start : start + len(expected)]
    assert (seen >= expected * (1 - 1e-13)).all()
    assert np.allclose(seen, expected, atol=1e-12)


@pytest.mark.parametrize("loss", [PureLoss(1), PureLoss(1) * 10**6, GaussianLoss(distance=1, scale=1)])
def test_distributions_that_are_too_long_are_refused_at_once(loss: Loss) -> None:
    with pytest.raises(UnavailableError, match="larger step"):
        distribution_of(loss, Fraction(1, 10**9), Fraction(1, 10**9))


@pytest.mark.parametrize("step", [Fraction(0), Fraction(-1), Fraction(10**400)])
def test_a_step_must_be_above_zero(step: Fraction) -> None:
    with pytest.raises(InvalidError, match=r"Loss\.step must be above zero"):
        distribution_of(PureLoss(1), step, Fraction(1, 10**9))


def test_a_step_must_not_vanish() -> None:
    with pytest.raises(UnavailableError, match="larger step"):
        distribution_of(PureLoss(1), Fraction(1, 10**400), Fraction(1, 10**9))
