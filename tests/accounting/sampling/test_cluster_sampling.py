"""Cluster sampling is refused, and why."""

import math
from fractions import Fraction

import pytest

import privet.calculus as pc
from privet.accounting.sampling.cluster_sampling import ClusterSampling
from privet.accounting.sampling.population import Population
from privet.core.exact import exp_down, log_up
from privet.errors import UnavailableError

RATE, EPSILON = Fraction(1, 10), Fraction(1)


def true_epsilon(persons: int) -> Fraction:
    """What one of so many alike persons in a cluster loses, where the cluster is drawn with probability RATE.

    The release is a count with Laplace noise, at an outcome that favours all of them by e^EPSILON each.
    """
    step = exp_down(EPSILON)
    there, one_less = 1 - RATE + RATE * step**persons, 1 - RATE + RATE * step ** (persons - 1)
    return log_up(there / one_less)


def test_it_is_refused_with_the_reason_and_a_way_out() -> None:
    with pytest.raises(UnavailableError, match="tells which ones, and with it who is in the sample") as caught:
        ClusterSampling(clusters=100, drawn=10)
    assert "Use the loss as it is" in str(caught.value)
    assert "loss.group(m).amplify(Population(rate=...))" in str(caught.value)
    with pytest.raises(UnavailableError):
        ClusterSampling()


def test_amplifying_as_if_persons_were_drawn_is_caught() -> None:
    claimed = pc.PureLoss(EPSILON).amplify(Population(rate=RATE)).epsilon()
    assert true_epsilon(1) <= claimed
    assert true_epsilon(2) > claimed


def test_large_clusters_have_no_amplification_at_all() -> None:
    assert math.isclose(float(true_epsilon(30)), 1, rel_tol=1e-9)


@pytest.mark.parametrize("persons", [1, 2, 3, 10])
def test_what_the_message_advises_is_valid(persons: int) -> None:
    advised = pc.PureLoss(EPSILON).group(persons).amplify(Population(rate=RATE)).epsilon()
    assert true_epsilon(persons) <= advised
