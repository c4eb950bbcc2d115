"""The algebra of losses: sums, groups, samples, budgets."""

import math
from fractions import Fraction
from typing import Any

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import Point
from privet.errors import InvalidError, UnavailableError, WrongTypeError

TENTH = pc.PureLoss(0.1)
UNTYPED: Any = TENTH
ONE = pv.budget(epsilon=1)


def test_ten_tenths_fill_one_and_the_eleventh_does_not_fit() -> None:
    assert sum([TENTH] * 10) <= ONE  # type: ignore[operator]
    assert not sum([TENTH] * 11) <= ONE  # type: ignore[operator]
    assert TENTH * 10 <= ONE
    assert not TENTH * 10 + pc.PureLoss(1e-300) <= ONE
    assert pc.PureLoss(Fraction(1, 3)) * 3 <= ONE
    assert not pc.PureLoss(Fraction(1, 3)) * 3 + pc.PureLoss(Fraction(1, 10**40)) <= ONE


def test_sums_keep_their_parts() -> None:
    gauss = pc.ConcentratedLoss(0.5)
    loss = TENTH + gauss + TENTH * 3 + gauss
    assert loss.parts() == ((TENTH, 4), (gauss, 2))
    assert loss.rho() == 1 + 4 * Fraction(TENTH.rho())
    assert (TENTH * 1) == TENTH
    assert (TENTH * 0).epsilon() == 0
    assert (2 * TENTH).epsilon() == Fraction(1, 5)


def test_many_small_pure_losses_are_cheaper_together() -> None:
    loss = pc.PureLoss(0.01) * 1000
    assert loss.epsilon() == 10
    assert loss.epsilon(1e-6) < 2


def test_a_sum_in_both_forms_answers_by_the_better() -> None:
    loss = pc.PureLoss(0.5) + pc.ConcentratedLoss(Fraction(1, 100))
    assert loss.epsilon() == math.inf
    assert loss.epsilon(1e-6) < 2
    assert loss.delta(loss.epsilon(1e-6)) <= Fraction(1, 10**6) * Fraction(1001, 1000)


def test_absurd_costs_have_answers() -> None:
    loss = pc.PureLoss(10**400) + pc.ConcentratedLoss(1)
    assert loss.epsilon(0.1) >= 10**400
    assert loss.delta(1) == 1


def test_deltas_add_up() -> None:
    loss = pc.ApproximateLoss(1, 1e-9) * 3
    assert loss.epsilon(3e-9) == 3
    assert loss.epsilon(2.9e-9) == math.inf
    assert loss.rho() == math.inf
    assert loss.delta(3) == Fraction(3, 10**9)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: UNTYPED <= 1, WrongTypeError, "compared with a budget only, got int: losses have no order"),
        (lambda: UNTYPED <= TENTH, WrongTypeError, "losses have no order"),
        (lambda: TENTH * 0.5, WrongTypeError, "Loss.times must be a whole number"),
        (lambda: TENTH * -1, InvalidError, "Loss.times must be zero or more, got -1."),
        (lambda: TENTH + 1, TypeError, "unsupported operand"),
        (lambda: TENTH.group(-1), InvalidError, "Loss.group must be zero or more"),
        (lambda: UNTYPED.group(1.5), WrongTypeError, "whole number"),
        (lambda: TENTH.epsilon(-1), InvalidError, "Loss.delta must be between zero and one, got -1."),
        (lambda: TENTH.epsilon(math.nan), InvalidError, "finite"),
        (lambda: TENTH.delta(-1), InvalidError, "Loss.epsilon must be zero or more, got -1."),
        (lambda: TENTH.renyi(1), InvalidError, "Loss.order must be above one, got 1."),
        (lambda: UNTYPED.amplify(0.5), WrongTypeError, "called with a sampling such as Poisson"),
        (lambda: pv.Poisson(0), InvalidError, "Poisson.rate must be above zero and at most one, got 0."),
        (lambda: pv.Poisson(1.5), InvalidError, "at most one, got 1.5."),
    ],
)
def test_wrong_questions_are_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


def test_the_trade_off_curve_is_no_looser_than_what_delta_says() -> None:
    loss = pc.PureLoss(2).amplify(pc.Shuffling(users=50)).amplify(pv.Poisson(0.01)) * 10
    assert loss.beta(0.1) >= 1 - loss.delta(0) - Fraction(1, 10)


def test_a_directed_loss_must_say_what_holds_in_both_directions() -> None:
    class Directed(Loss):
        """A loss that forgets to define ``undirected``."""

        @property
        def directed(self) -> bool:
            return True

        def pure(self) -> Point:
            return Point(Fraction(1), Fraction(0))

        def concentrated(self) -> Point:
            return Point(Fraction(1, 2), Fraction(0))

    with pytest.raises(UnavailableError, match="Directed is directed.*Define its undirected"):
        Directed().undirected()


def test_a_loss_reads_its_argument_before_its_own_answer() -> None:
    class Own(Loss):
        """A loss with answers of its own, which get exact numbers."""

        def pure(self) -> Point:
            return Point(Fraction(1), Fraction(1, 8))

        def _delta(self, epsilon: Fraction) -> Fraction:
            return epsilon / 100

        def _epsilon(self, delta: Fraction) -> Fraction:
            return delta * 3

        def _renyi(self, order: Fraction) -> Fraction:
            return order * 7

    own = Own()
    assert (own.delta(0.1), own.epsilon(0.1), own.renyi(1.5)) == (Fraction(1, 1000), Fraction(3, 10), Fraction(21, 2))
    with pytest.raises(InvalidError, match="Loss.epsilon must be zero or more"):
        own.delta(-1)
    with pytest.raises(InvalidError, match="Loss.delta must be between zero and one"):
        own.epsilon(2)
    with pytest.raises(InvalidError, match="Loss.order must be above one"):
        own.renyi(1)


def test_without_a_rho_of_its_own_a_loss_has_that_of_its_pure_point() -> None:
    class OnlyPure(Loss):
        """A loss that states one point."""

        def pure(self) -> Point:
            return Point(Fraction(2), Fraction(1, 8))

    assert OnlyPure().concentrated() == Point(pc.PureLoss(2).rho(), Fraction(1, 8))


def test_the_size_of_a_group_is_known() -> None:
    assert (pc.PureLoss(1).group_size, pc.PureLoss(1).group(3).group_size) == (1, 3)
    assert pc.PureLoss(1).group(3).group(2) == pc.PureLoss(1).group(6)
