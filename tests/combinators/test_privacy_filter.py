"""A filter never grants more than its budget, and never refuses what fits."""

import copy
import pickle
import threading
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import privet as pv
from privet.accounting.budget import ApproximateBudget
from privet.errors import BudgetExceeded, Invalid, Unavailable, WrongType


def test_ten_tenths_fill_one_exactly_and_the_eleventh_is_refused() -> None:
    cap = pv.PrivacyFilter(pv.budget(epsilon=1))
    for _ in range(10):
        cap.charge(pv.PureLoss(0.1))
    assert cap.remaining == pv.budget(epsilon=0)
    with pytest.raises(BudgetExceeded, match="it costs 0.1, spent are 1 of 1"):
        cap.charge(pv.PureLoss(0.1))
    assert cap.spent == pv.budget(epsilon=1), "a refused charge spends nothing"


def test_three_thirds_fill_one_exactly() -> None:
    cap = pv.PrivacyFilter(pv.budget(epsilon=1))
    for _ in range(3):
        cap.charge(pv.PureLoss(Fraction(1, 3)))
    with pytest.raises(BudgetExceeded):
        cap.charge(pv.PureLoss(Fraction(1, 10**100)))
    cap.charge(pv.PureLoss(0))


def test_epsilon_and_delta_are_both_capped() -> None:
    cap = pv.PrivacyFilter(pv.budget(epsilon=3, delta=1e-6))
    cap.charge(pv.ApproximateLoss(1, 4e-7))
    cap.charge(pv.ConcentratedLoss(Fraction(1, 100)), delta=4e-7)
    with pytest.raises(BudgetExceeded):
        cap.charge(pv.ApproximateLoss(0.001, 4e-7))
    cap.charge(pv.PureLoss(0.1))
    with pytest.raises(Unavailable, match="without a delta; charge"):
        cap.charge(pv.ConcentratedLoss(0.1))


def test_rho_is_capped_in_rho() -> None:
    cap = pv.PrivacyFilter(pv.budget(rho=1))
    cap.charge(pv.Gaussian(scale=1).map(1))
    cap.charge(pv.Laplace(scale=1).map(1))
    assert cap.remaining == pv.budget(rho=0)
    with pytest.raises(Unavailable, match="no finite rho"):
        cap.charge(pv.ApproximateLoss(1, 1e-9))
    with pytest.raises(Invalid, match="this one is in rho"):
        cap.charge(pv.PureLoss(0), delta=0.1)


def test_threads_share_one_budget() -> None:
    cap = pv.PrivacyFilter(pv.budget(epsilon=1))
    granted: list[int] = []
    start = threading.Barrier(64)

    def spend() -> None:
        start.wait()
        for _ in range(10):
            try:
                cap.charge(pv.PureLoss(0.01))
            except BudgetExceeded:
                return
            granted.append(1)

    threads = [threading.Thread(target=spend) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(granted) == 100


class Adversary(RuleBasedStateMachine):
    """Chooses every loss after seeing what was granted."""

    def __init__(self) -> None:
        super().__init__()
        self.cap = pv.PrivacyFilter(pv.budget(epsilon=1, delta=0.5))
        self.epsilon, self.delta = Fraction(0), Fraction(0)

    @rule(epsilon=st.fractions(0, 2), delta=st.fractions(0, 1))
    def spend(self, epsilon: Fraction, delta: Fraction) -> None:
        self._try(epsilon, delta)

    @rule()
    def spend_all_that_is_left(self) -> None:
        left = self.cap.remaining
        assert isinstance(left, ApproximateBudget)
        self._try(left.epsilon, left.delta)
        assert self.cap.remaining == pv.budget(epsilon=0)

    def _try(self, epsilon: Fraction, delta: Fraction) -> None:
        fits = self.epsilon + epsilon <= 1 and self.delta + delta <= Fraction(1, 2)
        try:
            self.cap.charge(pv.ApproximateLoss(epsilon, delta))
        except BudgetExceeded:
            assert not fits, "what fits is never refused"
        else:
            assert fits, "what does not fit is never granted"
            self.epsilon, self.delta = self.epsilon + epsilon, self.delta + delta

    @invariant()
    def never_more_than_granted(self) -> None:
        assert self.cap.spent == ApproximateBudget(epsilon=self.epsilon, delta=self.delta)


TestAdversary = Adversary.TestCase


@given(st.lists(st.fractions(0, 1), max_size=30))
def test_the_order_of_charges_does_not_matter_to_the_total(costs: list[Fraction]) -> None:
    cap = pv.PrivacyFilter(pv.budget(epsilon=30))
    for cost in costs:
        cap.charge(pv.PureLoss(cost))
    assert cap.spent == pv.budget(epsilon=sum(costs, Fraction(0)))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_filter_cannot_be_copied(duplicate: Any) -> None:
    with pytest.raises(WrongType, match="spend the same budget twice"):
        duplicate(pv.PrivacyFilter(pv.budget(epsilon=1)))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(
        WrongType, match="PrivacyFilter.budget must be a budget such as pv.budget\\(epsilon=1\\), got int."
    ):
        pv.PrivacyFilter(1)  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="PrivacyFilter.charge takes a loss"):
        pv.PrivacyFilter(pv.budget(epsilon=1)).charge(0.1)  # type: ignore[arg-type]
    assert "remaining=ApproximateBudget(epsilon=1" in repr(pv.PrivacyFilter(pv.budget(epsilon=1)))
