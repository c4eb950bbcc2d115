"""Shuffled reports."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.accounting.numerics.clones import clone_delta
from privet.accounting.sampling.shuffling import ShuffledLoss, Shuffling, responses
from privet.core.exact import exp_down, exp_up, log_up
from privet.errors import InvalidError, UnavailableError, WrongTypeError

Law = dict[tuple[int, ...], Fraction]
SHARES = [Fraction(part, 10) for part in range(10)]


@frozen
class Response:
    """Randomised response with so many values, whose true answer is so many times likelier than each other one."""

    values: int
    odds: Fraction

    def report(self, value: int) -> list[Fraction]:
        total = self.odds + self.values - 1
        return [(self.odds if value == answer else 1) / total for answer in range(self.values)]

    def shuffled(self, values: tuple[int, ...]) -> Law:
        """How often each answer occurs: all that is left of shuffled reports."""
        law: Law = {(0,) * self.values: Fraction(1)}
        for value in values:
            grown: Law = {}
            for counts, mass in law.items():
                for answer, chance in enumerate(self.report(value)):
                    more = (*counts[:answer], counts[answer] + 1, *counts[answer + 1 :])
                    grown[more] = grown.get(more, Fraction(0)) + mass * chance
            law = grown
        return law

    def loss(self) -> pv.Loss:
        total = self.odds + self.values - 1
        return pc.RandomizedResponseLoss(truth=self.odds / total, other=1 / total)

    def worst(self, users: int, tilt: Fraction) -> Fraction:
        """The true divergence, whatever the others have."""
        return max(
            divergence(self.shuffled((0, *others)), self.shuffled((1, *others)), tilt)
            for others in combinations_with_replacement(range(self.values), users - 1)
        )


def divergence(p: Law, q: Law, tilt: Fraction) -> Fraction:
    return sum((max(mass - tilt * q.get(key, Fraction(0)), Fraction(0)) for key, mass in p.items()), Fraction(0))


def pair(users: int, clone: Fraction, odds: Fraction, tilt: Fraction) -> Fraction:
    """The divergence of the clone pair, outcome by outcome."""
    total, own = Fraction(0), odds / (odds + 1)
    for k in range(users):
        weight = math.comb(users - 1, k) * clone**k * (1 - clone) ** (users - 1 - k)
        heads = [Fraction(0), *(Fraction(math.comb(k, a), 2**k) for a in range(k + 1)), Fraction(0)]
        for a in range(k + 2):  # of k + 1 reports, a are of the first kind
            first, second = heads[a], heads[a + 1]
            p, q = own * first + (1 - own) * second, (1 - own) * first + own * second
            total += weight * max(p - tilt * q, Fraction(0))
    return total


def epsilons(odds: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    """A few epsilons below that of one report, with e^epsilon rounded up, where a divergence is less."""
    for share in SHARES:
        epsilon = share * Fraction(math.log(odds))
        yield epsilon, exp_up(epsilon)


@pytest.mark.parametrize("values", [2, 3])
@pytest.mark.parametrize("odds", [Fraction(11, 10), Fraction(2), Fraction(3), Fraction(20)])
@pytest.mark.parametrize("users", [2, 3, 5])
def test_the_true_divergence_of_shuffled_responses_is_within_the_claim(values: int, odds: Fraction, users: int) -> None:
    response = Response(values, odds)
    claimed = response.loss().amplify(Shuffling(users=users))
    for epsilon, tilt in epsilons(odds):
        assert response.worst(users, tilt) <= claimed.delta(epsilon)


@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(4)])
@pytest.mark.parametrize("users", [1, 2, 7, 20])
def test_the_enclosure_holds_the_sum_over_all_outcomes(odds: Fraction, users: int) -> None:
    local = log_up(odds)
    for epsilon, tilt in epsilons(odds):
        below, above = clone_delta(users, local, epsilon)
        exactly = pair(users, 1 / odds, odds, tilt)
        assert below <= exactly + Fraction(1, 2**60)
        assert exactly <= above
        assert above - below <= above / 2**38


def test_one_clone_too_many_is_caught() -> None:
    """The person is not a clone: n - 1 others, not n."""
    odds, users = Fraction(11, 10), 2
    response = Response(2, odds)
    assert any(
        response.worst(users, tilt) > clone_delta(users + 1, log_up(odds), epsilon)[1]
        for epsilon, tilt in epsilons(odds)
    )


@pytest.mark.parametrize("values", [2, 3])
def test_twice_the_clones_is_caught(values: int) -> None:
    """Others cover each of the two reports with e^-epsilon_0 / 2 of their own, not with all of it."""
    odds, users = Fraction(5, 2), 5
    response = Response(values, odds)
    assert any(response.worst(users, tilt) > pair(users, 2 / odds, odds, tilt) for _, tilt in epsilons(odds))


def closed_form(local: float, users: int, delta: float) -> float:
    """Theorem 3.1 of Feldman, McMillan and Talwar 2021."""
    odds = math.exp(local)
    spread = 8 * math.sqrt(odds * math.log(4 / delta) / users) + 8 * odds / users
    return math.log1p((odds - 1) / (odds + 1) * spread)


@pytest.mark.parametrize(("users", "local"), [(1_000, 0.1), (1_000, 1), (10_000, 1), (10_000, 3), (100_000, 0.1)])
@pytest.mark.parametrize("delta", [1e-4, 1e-8])
def test_the_closed_form_is_never_below(users: int, local: float, delta: float) -> None:
    assert local <= math.log(users / (16 * math.log(2 / delta))), "the theorem must apply"
    found = float(pc.PureLoss(local).amplify(Shuffling(users=users)).epsilon(delta))
    assert found <= closed_form(local, users, delta) / 2


@given(st.integers(2, 400), st.fractions(Fraction(1, 100), 6), st.fractions(0, 1))
def test_more_users_and_more_epsilon_lose_less(users: int, local: Fraction, share: Fraction) -> None:
    loss = pc.PureLoss(local)
    here = loss.amplify(Shuffling(users=users)).delta(share * local)
    rest = here / 2**30 + Fraction(1, 10**30)  # numbers of clones that are taken together
    assert loss.amplify(Shuffling(users=users + 1)).delta(share * local) <= here + rest
    assert loss.amplify(Shuffling(users=users)).delta(share * local * Fraction(101, 100)) <= here + rest
    assert here <= loss.delta(share * local)


@pytest.mark.parametrize("users", [2, 50, 3_000])
@pytest.mark.parametrize("delta", [Fraction(1, 100), Fraction(1, 10**7)])
def test_the_curve_backwards(users: int, delta: Fraction) -> None:
    loss = pc.PureLoss(2).amplify(Shuffling(users=users))
    epsilon = Fraction(loss.epsilon(delta))
    assert loss.delta(epsilon) <= delta
    assert epsilon == 0 or loss.delta(epsilon * (1 - Fraction(1, 10**6))) > delta


def test_a_million_users() -> None:
    loss = pc.PureLoss(1).amplify(Shuffling(users=10**6))
    below, above = clone_delta(10**6, Fraction(1), Fraction(1, 200))
    assert below <= above == loss.delta(0.005)
    assert above - below < above / 2**38
    assert round(float(loss.epsilon(1e-6)), 6) == 0.004335


def test_shuffling_never_hurts() -> None:
    local = pc.RandomizedResponseLoss(truth=0.6, other=0.1)
    loss = local.amplify(Shuffling(users=10))
    assert loss.pure() == local.pure()
    assert loss.concentrated() == local.concentrated()
    assert loss.renyi(3) == local.renyi(3)
    assert loss.epsilon() == local.epsilon()
    assert loss.delta(5) == 0
    assert loss.epsilon(1) == 0


def test_what_cannot_be_amplified_is_left_alone() -> None:
    one = pc.PureLoss(1)
    assert one.amplify(Shuffling(users=1)) == one
    assert pc.PureLoss(0).amplify(Shuffling(users=9)) == pc.PureLoss(0)
    huge, tiny = pc.PureLoss(100), pc.PureLoss(Fraction(1, 10**400))
    assert huge.amplify(Shuffling(users=9)).delta(1) == huge.delta(1)
    assert tiny.amplify(Shuffling(users=9)).delta(0) == tiny.delta(0)


def test_reports_need_a_finite_epsilon_without_delta() -> None:
    for loss in (pc.ApproximateLoss(1, 1e-9), pc.ConcentratedLoss(1)):
        with pytest.raises(UnavailableError, match="needs reports with a finite epsilon and no delta"):
            loss.amplify(Shuffling(users=100))


def test_wrong_numbers_of_users_are_refused() -> None:
    with pytest.raises(InvalidError, match="Shuffling.users must be above zero, got 0."):
        Shuffling(users=0)
    with pytest.raises(WrongTypeError, match="Shuffling.users must be a whole number, got float."):
        Shuffling(users=10.0)


def test_equal_losses_are_one_part_of_a_sum() -> None:
    loss = pc.PureLoss(1).amplify(Shuffling(users=10))
    assert isinstance(loss, ShuffledLoss)
    assert (loss + loss).parts() == ((loss, 2),)


def test_the_clones_are_said_to_be_an_upper_bound_only() -> None:
    loss = pc.PureLoss(1).amplify(Shuffling(users=100))
    assert loss.interval(delta=1e-3)[0] == 0
    assert not loss.tight


def test_a_shuffled_loss_is_checked_however_it_is_made() -> None:
    with pytest.raises(UnavailableError, match="finite epsilon and no delta"):
        ShuffledLoss(pc.ConcentratedLoss(1), 10)
    with pytest.raises(InvalidError, match="ShuffledLoss.users must be above zero, got 0."):
        ShuffledLoss(pc.PureLoss(1), 0)


@pytest.mark.parametrize("odds", [Fraction(11, 10), Fraction(3), Fraction(20)])
@pytest.mark.parametrize("users", [2, 3, 9])
def test_binary_responses_are_exact(odds: Fraction, users: int) -> None:
    response = Response(2, odds)
    claimed = response.loss().amplify(Shuffling(users=users))
    for epsilon, tilt in epsilons(odds):
        exactly = response.worst(users, tilt)
        assert exactly <= claimed.delta(epsilon) <= exactly * (1 + Fraction(1, 10**9)) + Fraction(1, 2**800)
        below, above = responses(users, odds / (odds + 1)).delta(odds / (odds + 1), epsilon)
        assert below <= response.worst(users, exp_down(epsilon))
        assert above - below <= above / 2**30


@pytest.mark.parametrize(("users", "truth"), [(60, Fraction(3, 5)), (120, Fraction(9, 10))])
def test_sums_of_many_responses_by_whole_numbers(users: int, truth: Fraction) -> None:
    """Binomials as fractions for some answers of the others, the worst ones among them."""
    epsilon = Fraction(1, 4)
    tilt = exp_up(epsilon)
    _, above = responses(users, truth).delta(truth, epsilon)
    exactly = [binary(users, truth, others, tilt) for others in (0, users // 2, users - 3, users - 2, users - 1)]
    assert max(exactly) <= above <= max(exactly) * Fraction(21, 20)


def binary(users: int, truth: Fraction, others: int, tilt: Fraction) -> Fraction:
    """The divergence of the number of yes, where so many of the others' true answer is yes."""
    law = [Fraction(1)]
    for chance in [truth] * others + [1 - truth] * (users - 1 - others):
        law = [a * (1 - chance) + b * chance for a, b in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)]
    first, second = [*law, Fraction(0)], [Fraction(0), *law]
    p = [a * (1 - truth) + b * truth for a, b in zip(first, second, strict=True)]
    q = [a * truth + b * (1 - truth) for a, b in zip(first, second, strict=True)]
    return sum((max(one - tilt * other, Fraction(0)) for one, other in zip(p, q, strict=True)), Fraction(0))


def test_which_answers_of_the_others_are_worst_depends_on_epsilon() -> None:
    """So that all of them must be tried: neither agreement nor balance is always the worst."""
    worst = set()
    for epsilon in (Fraction(0), Fraction(1, 5), Fraction(1, 3)):
        tilt = exp_up(epsilon)
        found = [binary(20, Fraction(3, 4), others, tilt) for others in range(20)]
        worst.add(found.index(max(found)))
    assert len(worst) > 1


def test_binary_responses_have_a_bound_from_below() -> None:
    loss = pc.RandomizedResponseLoss(truth=0.75, other=0.25).amplify(Shuffling(users=120))
    low, high = loss.interval(delta=1e-6)
    assert 0.999 * high < low <= high
    below, above = loss.interval(epsilon=0.4)
    assert 0 < below <= above


def test_more_users_than_are_counted_are_clones_of_two_kinds() -> None:
    response = pc.RandomizedResponseLoss(truth=0.75, other=0.25)
    known, many = (response.amplify(Shuffling(users=users)) for users in (1024, 1025))
    assert many.epsilon(1e-6) <= known.epsilon(1e-6) * Fraction(101, 100)
    huge = response.amplify(Shuffling(users=10_000)).epsilon(1e-6)
    assert huge < pc.PureLoss(response.epsilon()).amplify(Shuffling(users=10_000)).epsilon(1e-6) * Fraction(9, 10)


@pytest.mark.parametrize("odds", [Fraction(3, 2), Fraction(4)])
def test_clones_of_two_kinds_by_all_outcomes(odds: Fraction) -> None:
    for epsilon, tilt in epsilons(odds):
        below, above = clone_delta(9, log_up(odds), epsilon, 2)
        exactly = pair(9, 2 / (odds + 1), odds, tilt)
        assert below <= exactly + Fraction(1, 2**60)
        assert exactly <= above
        assert Response(2, odds).worst(9, tilt) <= above
