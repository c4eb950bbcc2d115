"""Exact distributions of whole conversations: every branch of the coins is run through the real code."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement, MeasurementChain
from privet.core.exact import ball, exp_down, exp_up
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import UnavailableError
from tests.laws.masses import Masses

YES_NO = pc.choice((False, True))


class Coins:
    """Coins that fall as a script says, and the probability that they do."""

    current: "Coins | None" = None

    def __init__(self, script: list[bool]) -> None:
        self.script, self.at, self.mass = script, 0, Fraction(1)

    def flip(self, probability: Fraction) -> bool:
        if self.at == len(self.script):
            self.script.append(True)
        fell = self.script[self.at]
        self.at += 1
        self.mass *= probability if fell else 1 - probability
        return fell


def distribution(run: Callable[[], Any]) -> dict[Any, Fraction]:
    """Run through all branches and add up the probability of each outcome."""
    found: dict[Any, Fraction] = {}
    script: list[bool] = []
    while True:
        Coins.current = coins = Coins(script)
        outcome = run()
        found[outcome] = found.get(outcome, Fraction(0)) + coins.mass
        while script and not script[-1]:
            script.pop()
        if not script:
            return found
        script[-1] = False


def conversation(chain: MeasurementChain, adversary: Callable[[Queryable], Any]) -> Callable[[Any, Space], Masses]:
    """The exact distribution of what an adversary hears, as the loss law wants it."""

    def exactly(value: Any, space: Space) -> Masses:
        found = distribution(lambda: adversary(chain(value)))
        assert sum(found.values()) == 1
        return Masses({outcome: ball(mass) for outcome, mass in found.items()}, arb(0))

    return exactly


def check_conversation(chain: MeasurementChain, adversary: Callable[[Queryable], Any], *, tight: bool = False) -> None:
    """Compare the largest likelihood ratio and a Rényi divergence of a conversation with the claimed loss."""
    loss = chain.map(1)
    epsilon, divergence = loss.epsilon(), loss.renyi(2)
    for x, y in ((False, True), (True, False)):
        p, q = (distribution(partial(_heard, chain, adversary, data)) for data in (x, y))
        worst = max(mass / q[outcome] for outcome, mass in p.items())
        assert worst <= exp_up(Fraction(epsilon)), "loss law: a conversation loses more epsilon than is claimed"
        moment = sum(mass * mass / q[outcome] for outcome, mass in p.items())
        assert moment <= exp_up(Fraction(divergence)), "loss law: a conversation diverges more than is claimed"
        assert not tight or worst >= exp_down(Fraction(epsilon) * Fraction(999, 1000)), "loss law: the claim is loose"


def _heard(chain: MeasurementChain, adversary: Callable[[Queryable], Any], data: Any) -> Any:
    return adversary(chain(data))


def told(truth: Fraction, value: Any) -> bool:
    assert Coins.current is not None
    return bool(value) if Coins.current.flip(truth) else not value


@frozen
class Flip(Measurement):
    """Randomised response with scripted coins."""

    truth: Fraction

    def accept(self, space: Space) -> None:
        pass

    def release(self, value: Any, space: Space) -> bool:
        return told(self.truth, value)

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.RandomizedResponse(truth=self.truth).map(d_in)


@frozen
class Flips(Measurement):
    """An interactive one: so many answers, each with the truth that the query names, at most this one."""

    truth: Fraction
    count: int

    def accept(self, space: Space) -> None:
        pass

    def release(self, value: Any, space: Space) -> Queryable:
        left = self.count

        def answer(question: Any) -> bool:
            nonlocal left
            if not left:
                raise UnavailableError("no more flips.")
            left -= 1
            return told(min(question, self.truth), value)

        return Queryable(answer)

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.RandomizedResponse(truth=self.truth).map(d_in) * self.count
