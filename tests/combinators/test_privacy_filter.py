"""A filter never grants more than its budget, and never refuses what fits."""

import copy
import math
import os
import pickle
import threading
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

import privet as pv
import privet.calculus as pc
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget, RenyiBudget
from privet.errors import BudgetExceededError, InvalidError, UnavailableError, WrongTypeError
from tests.combinators.gaussian_twin import KnownMu


def test_ten_tenths_fill_one_exactly_and_the_eleventh_is_refused() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    for _ in range(10):
        cap.charge(pc.PureLoss(0.1))
    assert cap.remaining == pv.budget(epsilon=0)
    with pytest.raises(
        BudgetExceededError, match="needs epsilon = 0.1, and the budget has nothing left: 0.1 is missing"
    ):
        cap.charge(pc.PureLoss(0.1))
    assert cap.spent == pv.budget(epsilon=1), "a refused charge spends nothing"


def test_three_thirds_fill_one_exactly() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    for _ in range(3):
        cap.charge(pc.PureLoss(Fraction(1, 3)))
    with pytest.raises(BudgetExceededError):
        cap.charge(pc.PureLoss(Fraction(1, 10**100)))
    cap.charge(pc.PureLoss(0))


def test_epsilon_and_delta_are_both_capped() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=3, delta=1e-6))
    cap.charge(pc.ApproximateLoss(1, 4e-7))
    cap.charge(pc.ConcentratedLoss(Fraction(1, 100)), delta=4e-7)
    with pytest.raises(BudgetExceededError):
        cap.charge(pc.ApproximateLoss(0.001, 4e-7))
    cap.charge(pc.PureLoss(0.1))
    with pytest.raises(UnavailableError, match="no finite epsilon without a delta; give the delta"):
        cap.charge(pc.ConcentratedLoss(0.1))


def test_rho_is_capped_in_rho() -> None:
    cap = pc.PrivacyFilter(pv.budget(rho=1))
    cap.charge(pc.Gaussian(scale=1).map(1))
    cap.charge(pc.ConcentratedLoss(0.5))
    assert cap.remaining == pv.budget(rho=0)
    with pytest.raises(UnavailableError, match="no finite rho"):
        cap.charge(pc.ApproximateLoss(1, 1e-9))
    with pytest.raises(InvalidError, match="this one is in rho"):
        cap.charge(pc.PureLoss(0), delta=0.1)


def test_one_order_is_capped_at_that_order() -> None:
    cap = pc.PrivacyFilter(pv.budget(order=4, renyi=1))
    for _ in range(2):
        cap.charge(pc.ConcentratedLoss(Fraction(1, 8)))
    assert cap.remaining == RenyiBudget(order=4, cost=0)
    with pytest.raises(UnavailableError, match="no finite Rényi divergence of order 4"):
        cap.charge(pc.ApproximateLoss(1, 1e-9))
    with pytest.raises(InvalidError, match="this one is in a Rényi divergence"):
        cap.charge(pc.PureLoss(0), delta=0.1)


def test_gaussian_losses_add_up_by_their_squares() -> None:
    cap = pc.PrivacyFilter(pv.budget(mu=1))
    cap.charge(KnownMu(Fraction(3, 5)))
    cap.charge(KnownMu(Fraction(4, 5)))
    assert cap.spent == pv.budget(mu=1)
    with pytest.raises(BudgetExceededError):
        cap.charge(KnownMu(Fraction(1, 10**9)))
    with pytest.raises(UnavailableError, match="no finite mu"):
        cap.charge(KnownMu(math.inf))


def test_the_rule_receives_the_total_spent_and_the_next_charge() -> None:
    heard: list[tuple[AdditiveBudget, AdditiveBudget]] = []

    def listen(spent: AdditiveBudget, asked: AdditiveBudget) -> bool:
        heard.append((spent, asked))
        return True

    cap = pc.PrivacyFilter(pv.budget(epsilon=1), go_on=listen)
    cap.charge(pc.PureLoss(0.1))
    cap.charge(pc.PureLoss(0.2))
    assert heard == [
        (pv.budget(epsilon=0), pv.budget(epsilon=0.1)),
        (pv.budget(epsilon=0.1), pv.budget(epsilon=0.2)),
    ]


def test_after_the_rule_returns_false_everything_is_refused() -> None:
    answers = iter([True, False, True])
    cap = pc.PrivacyFilter(pv.budget(epsilon=1), go_on=lambda spent, asked: next(answers))
    cap.charge(pc.PureLoss(0.1))
    for loss in (pc.PureLoss(0.1), pc.PureLoss(0.1), pc.PureLoss(0)):
        with pytest.raises(BudgetExceededError, match="the continuation rule has returned False"):
            cap.charge(loss)
    assert cap.spent == pv.budget(epsilon=0.1)
    assert cap.remaining == pv.budget(epsilon=0)
    assert next(answers) is True, "it is not asked again"


def test_a_charge_that_does_not_fit_does_not_reach_the_rule() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=1), go_on=lambda spent, asked: False)
    with pytest.raises(BudgetExceededError, match="is missing"):
        cap.charge(pc.PureLoss(2))
    assert cap.remaining == pv.budget(epsilon=1)


def test_a_rule_can_read_but_not_charge() -> None:
    def greedy(spent: AdditiveBudget, asked: AdditiveBudget) -> bool:
        assert cap.spent == spent
        cap.charge(pc.PureLoss(0.5))
        return True

    cap = pc.PrivacyFilter(pv.budget(epsilon=1), go_on=greedy)
    with pytest.raises(UnavailableError, match="cannot charge itself"):
        cap.charge(pc.PureLoss(0.6))
    assert cap.spent == pv.budget(epsilon=0)


def hammered(cap: pc.PrivacyFilter, costs: list[Fraction]) -> Fraction:
    """Charge from 64 threads; each tries every cost. Return the granted charges."""
    granted: list[Fraction] = []
    start = threading.Barrier(64)

    def spend(shift: int) -> None:
        start.wait()
        for cost in costs[shift:] + costs[:shift]:
            try:
                cap.charge(pc.PureLoss(cost))
            except BudgetExceededError:
                continue
            granted.append(cost)

    threads = [threading.Thread(target=spend, args=(number % len(costs),)) for number in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(granted, Fraction(0))


def test_threads_fill_one_budget_exactly() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    assert hammered(cap, [Fraction(1, 100)] * 10) == 1


def test_threads_with_different_losses_never_pass_the_budget() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    granted = hammered(cap, [Fraction(1, k) for k in range(7, 40)])
    assert granted <= 1
    assert cap.spent == pv.budget(epsilon=granted)


class Adversary(RuleBasedStateMachine):
    """Chooses every loss after seeing what was granted."""

    def __init__(self) -> None:
        super().__init__()
        self.cap = pc.PrivacyFilter(pv.budget(epsilon=1, delta=0.5))
        self.epsilon, self.delta = Fraction(0), Fraction(0)

    @rule(
        epsilon=st.fractions(0, 2, max_denominator=10**9),
        delta=st.fractions(0, 1, max_denominator=10**9),
    )
    def spend(self, epsilon: Fraction, delta: Fraction) -> None:
        self._try(epsilon, delta)

    @rule(share=st.fractions(0, 1, max_denominator=7), sliver=st.integers(0, 300))
    def spend_a_share_of_what_is_left_and_a_sliver_more(self, share: Fraction, sliver: int) -> None:
        left = self._left()
        self._try(left.epsilon * share + Fraction(1, 2**sliver), left.delta * share)

    @rule()
    def spend_all_that_is_left(self) -> None:
        left = self._left()
        self._try(left.epsilon, left.delta)
        assert self.cap.remaining == pv.budget(epsilon=0)

    @rule(steps=st.integers(1, 7))
    def fill_up_in_equal_steps(self, steps: int) -> None:
        left = self._left()
        for _ in range(steps):
            self._try(left.epsilon / steps, left.delta / steps)
        assert self.cap.remaining == pv.budget(epsilon=0)

    def _left(self) -> ApproximateBudget:
        left = self.cap.remaining
        assert isinstance(left, ApproximateBudget)
        return left

    def _try(self, epsilon: Fraction, delta: Fraction) -> None:
        fits = self.epsilon + epsilon <= 1 and self.delta + delta <= Fraction(1, 2)
        try:
            self.cap.charge(pc.ApproximateLoss(epsilon, delta))
        except BudgetExceededError:
            assert not fits, "what fits is never refused"
        else:
            assert fits, "what does not fit is never granted"
            self.epsilon, self.delta = self.epsilon + epsilon, self.delta + delta

    @invariant()
    def never_more_than_granted(self) -> None:
        assert self.cap.spent == ApproximateBudget(epsilon=self.epsilon, delta=self.delta)


TestAdversary = Adversary.TestCase
TestAdversary.settings = settings(max_examples=20, stateful_step_count=40)


def test_ten_thousand_charges_keep_the_total_small() -> None:
    """A charge costs what adding two numbers of this size costs, so many charges take time linear in their number."""
    cap, costs = pc.PrivacyFilter(pv.budget(epsilon=1)), [Fraction(1, 2**40 + 2 * n + 1) for n in range(10_000)]
    sizes = set()
    for cost in costs:  # few common factors
        cap.charge(pc.PureLoss(cost))
        sizes.add(Fraction(cap._total.spent.cost).denominator.bit_length())
    assert max(sizes) <= 4096
    exactly, spent = in_halves(costs), Fraction(cap._total.spent.cost)
    assert exactly <= spent <= exactly * (1 + Fraction(1, 2**240)), "rounded up, by next to nothing"


def in_halves(costs: list[Fraction]) -> Fraction:
    half = len(costs) // 2
    return in_halves(costs[:half]) + in_halves(costs[half:]) if half else costs[0]


@pytest.mark.parametrize("most", [10, 1000, 2500])
def test_many_different_denominators_fill_a_budget_exactly(most: int) -> None:
    """1/(1*2) + 1/(2*3) + ... + 1/(n(n+1)) + 1/(n+1) = 1."""
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    for k in range(1, most + 1):
        cap.charge(pc.PureLoss(Fraction(1, k * (k + 1))))
    cap.charge(pc.PureLoss(Fraction(1, most + 1)))
    assert cap.remaining == pv.budget(epsilon=0)


def test_the_rest_can_always_be_spent_after_rounding() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    for n in range(300):
        cap.charge(pc.PureLoss(Fraction(1, 2**40 + 2 * n + 1)))
    left = cap.remaining
    assert isinstance(left, ApproximateBudget)
    cap.charge(pc.PureLoss(left.epsilon))
    with pytest.raises(BudgetExceededError):
        cap.charge(pc.PureLoss(Fraction(1, 10**400)))


@given(st.lists(st.fractions(0, 1), max_size=30))
def test_the_order_of_charges_does_not_matter_to_the_total(costs: list[Fraction]) -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=30))
    for cost in costs:
        cap.charge(pc.PureLoss(cost))
    assert cap.spent == pv.budget(epsilon=sum(costs, Fraction(0)))


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_filter_cannot_be_copied(duplicate: Any) -> None:
    with pytest.raises(WrongTypeError, match="spend the same budget twice"):
        duplicate(pc.PrivacyFilter(pv.budget(epsilon=1)))


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(
        WrongTypeError, match="PrivacyFilter.budget must be a budget such as pv.budget\\(epsilon=1\\), got int."
    ):
        pc.PrivacyFilter(1)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="PrivacyFilter.charge takes a loss"):
        pc.PrivacyFilter(pv.budget(epsilon=1)).charge(0.1)  # type: ignore[arg-type]
    assert "remaining=ApproximateBudget(epsilon=1" in repr(pc.PrivacyFilter(pv.budget(epsilon=1)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_copy_grants_nothing() -> None:
    cap = pc.PrivacyFilter(pv.budget(epsilon=1))
    process = os.fork()
    if process == 0:  # pragma: no cover - runs in the forked process
        try:
            cap.charge(pc.PureLoss(0.1))
        except UnavailableError:
            os._exit(7 if repr(cap) == "PrivacyFilter(of another process)" else 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 7
    cap.charge(pc.PureLoss(1))


def test_wrong_rules_are_refused() -> None:
    with pytest.raises(WrongTypeError, match="PrivacyFilter.go_on must be a function"):
        pc.PrivacyFilter(pv.budget(epsilon=1), go_on=1)  # type: ignore[arg-type]
    cap = pc.PrivacyFilter(pv.budget(epsilon=1), go_on=lambda spent, asked: "yes")  # type: ignore[arg-type, return-value]
    with pytest.raises(WrongTypeError, match="PrivacyFilter.go_on must return True or False, got str."):
        cap.charge(pc.PureLoss(0.1))
