"""A filter of Gaussian noise adds mu² up exactly, and refuses all noise that is not normal noise, rounded."""

import copy
import math
import pickle
import threading
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.gaussian import GaussianLoss
from privet.combinators.fine_gaussian_filter import FineGaussianFilter, largest_mu_squared, loss_of_mu
from privet.errors import BudgetExceededError, InvalidError, WrongTypeError

_FINE = Fraction(1, 2**30)


def _noise(squared: int, scale: int, *, step: Fraction = _FINE, coordinates: int = 1) -> GaussianLoss:
    return GaussianLoss(squared=squared, scale=scale, step=step, coordinates=coordinates)


def test_totals_are_exact() -> None:
    cap = FineGaussianFilter(Fraction(1, 3))
    for _ in range(3):
        cap.charge(_noise(1, 3))
    assert cap.spent == Fraction(1, 3)
    with pytest.raises(BudgetExceededError, match="needs mu² = 0.01, and the filter has 0 left"):
        cap.charge(_noise(1, 10))
    assert cap.spent == Fraction(1, 3), "a refused charge spends nothing"


@pytest.mark.parametrize("loss", [pc.ConcentratedLoss(0.01), pc.PureLoss(0), pc.GaussianLoss(distance=1, scale=9) * 2])
def test_other_losses_are_refused(loss: pv.Loss) -> None:
    cap = FineGaussianFilter(1)
    with pytest.raises(WrongTypeError, match="takes the loss of Gaussian noise"):
        cap.charge(loss)
    assert cap.spent == 0


def test_a_coarse_grid_is_refused_and_the_limit_is_granted() -> None:
    cap = FineGaussianFilter(1)
    with pytest.raises(BudgetExceededError, match="too small for its grid"):
        cap.charge(_noise(1, 10, step=Fraction(10, 2**13 - 1)))
    cap.charge(_noise(1, 10, step=Fraction(10, 2**13)))  # one number uses up all the coarseness
    with pytest.raises(BudgetExceededError, match="too small for its grid"):
        cap.charge(_noise(1, 10, step=Fraction(1, 2**40)))
    cap.charge(_noise(1, 10, step=Fraction(0)))  # continuous noise has no grid
    assert cap.spent == Fraction(2, 100)


def test_many_coordinates_on_a_grid_add_up() -> None:
    step = Fraction(1, 2**16)
    cap = FineGaussianFilter(1)
    cap.charge(_noise(1, 10, step=step, coordinates=6_000))
    with pytest.raises(BudgetExceededError, match="too small for its grid"):
        cap.charge(_noise(1, 10, step=step, coordinates=1_000))


def test_the_number_of_coordinates_is_capped_on_any_grid() -> None:
    cap = FineGaussianFilter(1)
    cap.charge(_noise(1, 10, step=Fraction(1, 2**90), coordinates=2**30))
    with pytest.raises(BudgetExceededError, match="too small for its grid"):
        cap.charge(_noise(1, 10, step=Fraction(1, 2**90)))


@pytest.mark.parametrize("mu_squared", [0, -1])
def test_a_cap_must_be_above_zero(mu_squared: int) -> None:
    with pytest.raises(InvalidError, match="must be above zero"):
        FineGaussianFilter(mu_squared)


def test_a_filter_is_not_copied() -> None:
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(WrongTypeError, match="cannot be copied"):
            duplicate(FineGaussianFilter(1))


def test_two_threads_spend_one_budget() -> None:
    cap, granted = FineGaussianFilter(1), []

    def spend() -> None:
        for _ in range(100):
            try:
                cap.charge(_noise(1, 10))
            except BudgetExceededError:
                continue
            granted.append(1)

    threads = [threading.Thread(target=spend) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 100
    assert cap.spent == 1


_PARTS = st.tuples(st.integers(1, 5), st.integers(4, 60), st.integers(18, 40), st.integers(1, 40))


@settings(max_examples=40, deadline=None)
@given(st.lists(_PARTS, min_size=2, max_size=6), st.sampled_from([1e-3, 1e-6, 1e-12]))
def test_the_loss_covers_the_sum_of_its_parts(parts: list[tuple[int, int, int, int]], delta: float) -> None:
    losses = [_noise(squared, scale, step=Fraction(1, 2**bits), coordinates=n) for squared, scale, bits, n in parts]
    cap = FineGaussianFilter(sum(loss.squared / loss.scale**2 for loss in losses))
    for loss in losses:
        cap.charge(loss)
    together = sum(losses[1:], start=losses[0])
    low, high = (float(end) for end in together.interval(delta=delta))
    found = float(cap.loss().epsilon(delta))
    assert low <= found, "the filter claims less than the releases cost"
    assert found <= high + 1e-5 * (1 + high), "the filter wastes budget"


def test_the_loss_is_that_of_the_cap_whatever_was_spent() -> None:
    cap = FineGaussianFilter(1)
    cap.charge(_noise(1, 10))
    assert cap.loss() == loss_of_mu(Fraction(1))


@pytest.mark.parametrize("z", [0, 1, 24, 54])
def test_at_the_limit_of_coarseness_noise_is_rounded_normal_noise(z: int) -> None:
    """The factor of the proof holds at a variance of 2^26 squared steps, with equality allowed."""
    variance = 2.0**26
    points, weights = np.polynomial.legendre.leggauss(20)
    inside = points / 2  # of a grid step
    place = z * 2.0**13
    excess = float(np.expm1(-(2 * place * inside + inside**2) / (2 * variance)) @ weights) / 2
    assert abs(math.log1p(excess)) <= (z**2 + 1) / (20 * variance)


@pytest.mark.parametrize(("epsilon", "delta"), [(1, 1e-6), (0.1, 1e-9), (8, 1e-5), (0.01, 1e-3)])
def test_the_largest_mu_keeps_epsilon_and_uses_it(epsilon: float, delta: float) -> None:
    found = largest_mu_squared(Fraction(epsilon), Fraction(delta))
    assert Fraction(epsilon) * Fraction(999_999, 10**6) < loss_of_mu(found).epsilon(delta) <= Fraction(epsilon)


def test_no_budget_is_refused() -> None:
    with pytest.raises(InvalidError, match="leave no budget"):
        largest_mu_squared(Fraction(1, 10**30), Fraction(1, 10**60))
