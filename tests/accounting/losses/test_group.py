"""Groups of steps."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.errors import InvalidError

TENTH = pc.PureLoss(0.1)


def test_groups() -> None:
    assert TENTH.group(3).epsilon() == Fraction(3, 10)
    assert pc.ConcentratedLoss(0.5).group(2).rho() == 2
    assert TENTH.group(1) == TENTH
    assert TENTH.group(0).epsilon() == 0
    approximate = pc.ApproximateLoss(1, 1e-6).group(2)
    assert approximate.epsilon(approximate.delta(2)) == 2
    assert math.isclose(float(approximate.delta(2)), 1e-6 * (1 + math.e))
    assert approximate.rho() == math.inf


def test_the_delta_of_a_group_never_rises_with_epsilon() -> None:
    loss = pc.ApproximateConcentratedLoss(Fraction(1, 8), Fraction(1, 10**6)).group(2)
    deltas = [loss.delta(epsilon) for epsilon in (1, 3, 5, 8, 20, 100)]
    assert all(after <= before * Fraction(101, 100) for before, after in pairwise(deltas))
    assert loss.epsilon(3e-5) < 5


def test_a_group_walks_the_curve_where_its_points_say_nothing() -> None:
    sampled = pc.ConcentratedLoss(0.5).amplify(pv.Poisson(0.01))
    single, double = sampled.epsilon(1e-6), sampled.group(2).epsilon(1e-6)
    assert single < double < math.inf
    assert sampled.group(2).delta(double) <= Fraction(1, 10**6)


@given(st.fractions(0, 5), st.integers(2, 5), st.fractions(0, 8))
def test_no_group_of_laplace_noise_is_below_the_exact_answer(scale: Fraction, size: int, epsilon: Fraction) -> None:
    scale += Fraction(1, 4)
    steps = pc.GroupLoss(pc.LaplaceLoss(distance=1, scale=scale, step=1), size)
    exactly = pc.LaplaceLoss(distance=size, scale=scale, step=1)
    assert steps.delta(epsilon) >= exactly.delta(epsilon) - Fraction(1, 2**60)


def test_a_group_in_both_directions_has_steps_in_both() -> None:
    group = pc.PureLoss(1).amplify(pv.Poisson(0.1)).group(2)
    assert not group.undirected()._single().directed
    assert group.undirected().epsilon(1e-3) == group.epsilon(1e-3)


def test_groups_of_groups_are_groups() -> None:
    assert TENTH.group(2).group(3) == TENTH.group(6)
    assert TENTH.group(2).group(0).epsilon() == 0


@pytest.mark.parametrize("size", [0, -3])
def test_groups_of_no_steps_are_refused(size: int) -> None:
    with pytest.raises(InvalidError, match=f"GroupLoss.size must be above zero, got {size}."):
        pc.GroupLoss(TENTH, size)


def test_far_out_the_delta_of_a_group_stays_small() -> None:
    """Each step has a little that is lost at every epsilon, which long walks would inflate without end."""
    group = (pc.PureLoss(1).amplify(pv.Poisson(0.01)) * 4 + pc.ApproximateLoss(0, Fraction(1, 10**20))).group(2)
    assert all(group.delta(epsilon) < Fraction(1, 10**12) for epsilon in (16, 64, 256))
    together = group + pc.PureLoss(0.1)
    assert together.epsilon(1e-6) < group.epsilon(1e-6) + Fraction(1, 5)
