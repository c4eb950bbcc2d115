"""The loss law: a claimed loss is never below the exact divergence, in both directions and in every form."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from flint import arb

from privet.chains.measurement import MeasurementChain
from privet.core.exact import ball, ends, precision
from tests.laws.cases import Case
from tests.laws.masses import Masses

EPSILONS = tuple(map(Fraction, ("0", "0.01", "0.1", "0.3", "0.5", "0.69", "1", "1.5", "2", "3", "5", "10")))
DELTAS = tuple(map(Fraction, ("0", "1e-12", "1e-6", "1e-3", "0.1", "0.5")))


def check_loss(case: Case) -> None:
    """Compare the loss of a measurement with exact probabilities on every pair of the case."""
    chain = case.chain
    assert isinstance(chain, MeasurementChain), "the loss law is for measurements"
    assert case.pairs, "a case of the loss law needs pairs"
    claims: dict[str, _Claims] = {}
    for number, (x, y) in enumerate(case.pairs):
        d_in = chain.input.metric.distance(_member(chain, x), _member(chain, y), chain.input.domain)
        if repr(d_in) not in claims:
            claims[repr(d_in)] = _Claims(chain.map(d_in))
        loss = claims[repr(d_in)]
        with precision(256):
            p, q = _masses(case, x), _masses(case, y)
            _check_deltas(loss, p, q)
            _check_epsilons(loss, p, q)
            _check_renyi(case, loss, p, q)
            if number == 0 and case.tight != "no":
                _check_tight(case, loss, p, q)


class _Claims:
    """What a loss says; each answer is computed once for all pairs at one distance."""

    def __init__(self, loss: Any) -> None:
        self.delta, self.epsilon, self.renyi = cache(loss.delta), cache(loss.epsilon), cache(loss.renyi)


def _member(chain: MeasurementChain, data: Any) -> Any:
    return chain.input.domain.admit(data)


def _masses(case: Case, data: Any) -> Masses:
    chain = case.chain
    assert isinstance(chain, MeasurementChain)
    assert case.masses is not None, "a case of the loss law needs masses"
    value = _member(chain, data)
    for link in chain.links:
        value = link.unit.apply(value, link.input)
    return case.masses(value, chain.place)


def divergence(p: Masses, q: Masses, epsilon: Fraction) -> Fraction:
    """A certified lower bound of the hockey-stick divergence."""
    tilt = ball(epsilon).exp()
    elsewhere = q.outside.union(arb(0))
    total = arb(0)
    for outcome, mass in p.inside.items():
        excess = mass - tilt * q.inside.get(outcome, elsewhere)
        if excess > 0:  # for certain: the whole ball is
            total += excess
    return max(ends(total)[0], Fraction(0))


def _check_deltas(loss: Any, p: Masses, q: Masses) -> None:
    for epsilon in EPSILONS:
        worst = max(divergence(p, q, epsilon), divergence(q, p, epsilon))
        claimed = loss.delta(epsilon)
        assert claimed >= worst, f"loss law: delta({epsilon}) is {float(claimed)}, exactly {float(worst)}"


def _check_epsilons(loss: Any, p: Masses, q: Masses) -> None:
    for delta in DELTAS:
        claimed = loss.epsilon(delta)
        if isinstance(claimed, float):
            continue  # infinite: no claim
        worst = max(divergence(p, q, claimed), divergence(q, p, claimed))
        # 256-bit balls of a sum of a few thousand terms leave far less than this
        assert worst <= delta + Fraction(1, 2**200), f"loss law: epsilon({delta}) is {float(claimed)}, too small"


def _logarithms(masses: Masses) -> Mapping[Any, arb]:
    return {outcome: mass.log() for outcome, mass in masses.inside.items()}


def _renyi(p: Mapping[Any, arb], q: Mapping[Any, arb], order: Fraction) -> arb:
    """Enclose the Rényi divergence on the shared support, from logarithms: a lower bound of the whole."""
    first, second = ball(order), ball(1 - order)
    total = arb(0)
    for outcome, mass in p.items():
        other = q.get(outcome)
        if other is not None:
            total += (first * mass + second * other).exp()
    return total.log() / ball(order - 1)


def _check_renyi(case: Case, loss: Any, p: Masses, q: Masses) -> None:
    logs = _logarithms(p), _logarithms(q)
    for order in case.orders:
        claimed = loss.renyi(order)
        if isinstance(claimed, float):
            continue
        worst = max(ends(_renyi(*logs, order))[0], ends(_renyi(*logs[::-1], order))[0])
        assert claimed >= worst - Fraction(1, 2**150), f"loss law: renyi({order}) is {float(claimed)}, too small"


def _check_tight(case: Case, loss: Any, p: Masses, q: Masses) -> None:
    """Where a claim is said to be tight, the exact answer comes within a thousandth of it."""
    if case.tight == "rho":
        order = Fraction(2)
        logs = _logarithms(p), _logarithms(q)
        exactly = max(ends(_renyi(*logs, order))[1], ends(_renyi(*logs[::-1], order))[1])
        assert loss.renyi(order) <= exactly * Fraction(1001, 1000), "loss law: the claim of rho is not tight"
        return
    shared = p.inside.keys() & q.inside.keys()
    ratio = max(
        max(ends((p.inside[o] / q.inside[o]).log())[1], ends((q.inside[o] / p.inside[o]).log())[1]) for o in shared
    )
    assert loss.epsilon() <= ratio * Fraction(1001, 1000), "loss law: the claim of epsilon is not tight"
    if case.tight == "delta":
        for epsilon in EPSILONS:
            worst = max(divergence(p, q, epsilon), divergence(q, p, epsilon))
            slack = Fraction(1, 10**8) + ends(p.outside)[1]  # sums are composed on a grid
            assert loss.delta(epsilon) <= worst + slack, f"loss law: the claim of delta({epsilon}) is not tight"
