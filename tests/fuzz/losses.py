"""Random sums of losses: what they claim against sums over all outcomes, from both sides."""

import math
import random
from fractions import Fraction

import numpy as np

import privet as pv
import privet.calculus as pc
from privet.accounting.numerics.floats import Floats

Law = tuple[Floats, Floats]  # losses, and how likely each is; the rest is infinite
_CLOSE = 1e-9  # relative, of sums of floats
_LEAST = 1e-13  # what losses that are rounded may change
_MOST = 2_000_000  # outcomes


def check_losses(seed: int) -> None:
    """Compare delta at a few epsilons, and the interval of epsilon at one delta."""
    dice = random.Random(seed)
    loss, law = _drawn(dice)
    while dice.random() < 0.7:
        other, its_law = _drawn(dice)
        if len(law[0]) * len(its_law[0]) > _MOST:
            break
        loss, law = loss + other, _both(law, its_law)
    top = float(law[0].max())
    for epsilon in (0.0, top * dice.random(), top * dice.random() ** 0.2, top * 0.999):
        exact = _delta(law, epsilon)
        low, high = loss.interval(epsilon=Fraction(epsilon))
        assert exact <= float(high) * (1 + _CLOSE) + _LEAST, f"delta({epsilon}) of {loss}: {float(high)} for {exact}"
        assert float(low) <= exact * (1 + _CLOSE) + _LEAST, f"from below, delta({epsilon}) of {loss}: {low} for {exact}"
    delta = 10.0 ** -dice.uniform(0.5, 9)
    low, high = loss.interval(delta=Fraction(delta))
    if high < math.inf:
        assert _delta(law, float(high)) <= delta * (1 + _CLOSE) + _LEAST, f"epsilon({delta}) of {loss}"
    assert low == 0 or _delta(law, float(low)) >= delta * (1 - _CLOSE) - _LEAST, (
        f"from below, epsilon({delta}) of {loss}"
    )


def _both(one: Law, other: Law) -> Law:
    return np.add.outer(one[0], other[0]).ravel(), np.multiply.outer(one[1], other[1]).ravel()


def _delta(law: Law, epsilon: float) -> float:
    losses, masses = law
    above = losses > epsilon
    return math.fsum((masses[above] * -np.expm1(epsilon - losses[above])).tolist()) + _infinite(law)


def _infinite(law: Law) -> float:
    rest = 1 - math.fsum(law[1].tolist())
    return rest if rest > 1e-12 else 0.0


def _drawn(dice: random.Random) -> tuple[pv.Loss, Law]:
    """Draw a loss of finitely many outcomes that matter; the laws are written down here once more."""
    scale = Fraction(dice.randint(1, 60), dice.choice([1, 3, 8]))
    kind = dice.choice(["laplace", "gaussian", "pure", "response"])
    if kind == "laplace":
        steps = dice.randint(1, 5)
        return pc.LaplaceLoss(distance=steps, scale=scale, step=1), _laplace(steps, float(scale))
    if kind == "gaussian":
        steps, scale = dice.randint(1, 2), max(scale, Fraction(2, 5))
        return pc.GaussianLoss(distance=steps, scale=scale, step=1), _gaussian(steps, float(scale))
    if kind == "pure":
        cost = 1 / float(scale)
        up = 1 / (1 + math.exp(-cost))
        return pc.PureLoss(Fraction(cost)), (np.array([cost, -cost]), np.array([up, 1 - up]))
    truth, other = Fraction(dice.randint(3, 8), 9), Fraction(1, dice.randint(9, 40))
    log = math.log(truth / other)
    masses = np.array([float(truth), float(other), float(1 - truth - other)])
    return pc.RandomizedResponseLoss(truth=truth, other=other), (np.array([log, -log, 0.0]), masses)


def _laplace(steps: int, scale: float) -> Law:
    """Count from the centre of the other law: beyond both centres all outcomes lose the same."""
    step = math.exp(-1 / scale)
    between = np.arange(1, steps)
    masses = [step**steps / (1 + step), *((1 - step) / (1 + step) * step ** (steps - between)), 1 / (1 + step)]
    return (2 * np.arange(steps + 1, dtype=np.float64) - steps) / scale, np.array(masses)


def _gaussian(steps: int, scale: float) -> Law:
    reach = math.ceil(12 * scale) + steps
    k = np.arange(-reach, reach + steps + 1, dtype=np.float64)
    weights = np.exp(-((k - steps) ** 2) / (2 * scale**2))
    return (2 * k * steps - steps**2) / (2 * scale**2), weights / math.fsum(weights.tolist())
