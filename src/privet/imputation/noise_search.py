"""The search for noise: floats choose the law, its shape and the smoothness. They decide no privacy claim.

For a smoothness beta and a tail the best alpha is known: in closed form for Student's t, by bisection for the
generalised Cauchy. So the search is over two numbers. It evaluates many shapes at once, as arrays.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import final

import numpy as np
from attrs import frozen

from privet.accounting.planning.smooth import Aim, GeneralisedCauchy, SmoothLaw, StudentT
from privet.core import Array

_TAILS = 24
_BETAS = 25
_ROUNDS = 9  # of refinement: each leaves a third of the range
_LIGHTEST = 40.0
_HEAVIEST = 0.2
_NEAR = 2e-3
_LEVEL = Fraction(95, 100)
_POINTS = np.linspace(-12.0, 12.0, 193)  # ln x for x >= 0 of the Cauchy ratio
_STRIDE = 8  # the ratio has one peak: the highest of every eighth point lies next to the highest of all


def best_noise(
    epsilon: float, *, own: float, donee: float, incomplete: int, changes: int, aim: Aim
) -> tuple[SmoothLaw, Fraction]:
    """Give the law and the smoothness with the smallest half-width or variance for guessed data."""
    problem = _Problem(epsilon, own, donee, incomplete, changes, aim)
    with np.errstate(all="ignore"):  # a shape that overflows is never the best
        student = _search(problem, _student_alpha, "student", _range(epsilon))
        middle = math.log(student.beta)
        # both families have their best smoothness at nearly the same place
        cauchy = _search(problem, _cauchy_alpha, "cauchy", (middle - 1, min(middle + 1, _range(epsilon)[1])))
    best = min(student, cauchy, key=lambda each: each.size)
    beta = Fraction(f"{best.beta:.6g}")
    near = abs(best.tail - 1) < _NEAR  # at 1 the cost of the dilation has a kink that the grid of outputs misses
    tail = Fraction(1) if near else max(round(Fraction(best.tail), 4), Fraction(1, 1000))
    law: SmoothLaw = StudentT(degrees=tail) if best.family == "student" else GeneralisedCauchy(gamma=1 + tail)
    return law, beta


@final
@frozen
class _Problem:
    epsilon: float
    own: float
    donee: float
    incomplete: int
    changes: int
    aim: Aim

    def bound(self, beta: float) -> float:
        """S in floats: the maximum lies where U_k doubles, where it stops doubling, or at a stationary point."""
        last = max(1 / beta - self.incomplete - (self.own / self.donee if self.donee else math.inf), 0.0)
        k = np.concatenate([np.arange(64.0), [math.floor(last), math.ceil(last)]])
        reach = np.minimum(self.changes * np.exp2(np.minimum(k, 64.0)), self.incomplete + k)
        return float(np.max(np.exp(-beta * k) * (self.own + self.donee * reach)))


@final
@frozen
class _Candidate:
    family: str
    tail: float
    beta: float
    size: float


def _range(epsilon: float) -> tuple[float, float]:
    """Where ln beta may lie: a ten-thousandth of epsilon costs next to nothing, and epsilon is all there is."""
    return math.log(epsilon * 1e-4), math.log(epsilon * 0.999)


def _search(
    problem: _Problem, alpha: Callable[[float, Array, Array], Array], family: str, ends: tuple[float, float]
) -> _Candidate:
    """Evaluate a grid of smoothness and tails, then refine the grid around the best point, several times."""
    heaviest = _HEAVIEST if problem.aim == "half_width" else 2.0 + 1e-3
    low, high = ends
    first, last = math.log(heaviest), math.log(_LIGHTEST)
    best = _Candidate(family, heaviest, math.exp(low), math.inf)
    for turn in range(_ROUNDS):
        number = _BETAS if turn == 0 else 7
        tails = np.exp(np.linspace(first, last, _TAILS if turn == 0 else 7))
        tails = np.append(tails, max(1.0, heaviest))  # often best, and never on the grid
        spread = _spread(family, problem.aim, tails)
        betas = np.exp(np.linspace(low, high, number))
        alphas = alpha(problem.epsilon, np.repeat(betas, len(tails)), np.tile(tails, number)).reshape(number, -1)
        bounds = np.array([problem.bound(beta) for beta in betas.tolist()])
        sizes = np.fmin(np.where(alphas > 0, spread / alphas, math.inf) * bounds[:, None], math.inf)  # no NaN
        row, column = divmod(int(sizes.argmin()), len(tails))
        if sizes[row, column] < best.size:
            best = _Candidate(family, float(tails[column]), float(betas[row]), float(sizes[row, column]))
        reach, width = (high - low) / (number - 1), (last - first) / (len(tails) - 2)
        low, high = math.log(best.beta) - reach, min(math.log(best.beta) + reach, _range(problem.epsilon)[1])
        first = max(math.log(best.tail) - width, math.log(heaviest))
        last = min(math.log(best.tail) + width, math.log(_LIGHTEST))
    return best


def _spread(family: str, aim: Aim, tails: Array) -> Array:
    """The half-width or the standard deviation of Z."""
    if aim == "half_width":
        places, values = _half_widths(family)
        return np.asarray(np.exp(_interpolated(np.log(tails), places, values)))
    if family == "student":
        return np.asarray(np.sqrt(tails / (tails - 2)))
    angle = math.pi / (1 + tails)
    deviation: Array = np.sqrt(np.sin(angle) / np.sin(3 * angle))
    return deviation


@lru_cache(maxsize=2)
def _half_widths(family: str) -> tuple[Array, Array]:
    """The logarithm of the half-width at some tails, computed once."""
    places = np.linspace(math.log(_HEAVIEST / 2), math.log(_LIGHTEST * 2), 33)
    shapes = [Fraction(f"{math.exp(place):.6g}") for place in places]
    laws: list[SmoothLaw] = [
        StudentT(degrees=shape) if family == "student" else GeneralisedCauchy(gamma=1 + shape) for shape in shapes
    ]
    return np.log([float(shape) for shape in shapes]), np.log([law.half_width(_LEVEL) for law in laws])


def _interpolated(at: Array, places: Array, values: Array) -> Array:
    """Cubic through the four nearest points."""
    first = np.clip(np.searchsorted(places, at) - 2, 0, len(places) - 4)
    total = np.zeros_like(at)
    for one in range(4):
        weight = np.ones_like(at)
        for other in range(4):
            if other != one:
                weight *= (at - places[first + other]) / (places[first + one] - places[first + other])
        total += weight * values[first + one]
    return total


def _student_alpha(epsilon: float, beta: Array, tails: Array) -> Array:
    """Solve both closed forms of the cost for alpha, pair by pair; zero where the dilation alone costs more."""
    shift, joint = 2 * epsilon / (tails + 1), 2 * (epsilon - beta * np.abs(tails - 1) / 2) / (tails + 1)
    possible = (joint > beta) & (np.maximum(shift, joint) < 600)
    shift, joint = np.where(possible, shift, 1.0), np.where(possible, joint, beta)
    both = 4 * tails * np.exp(beta) * np.sinh((joint + beta) / 2) * np.sinh((joint - beta) / 2)
    alpha = np.sqrt(np.minimum(both, 4 * tails * np.sinh(shift / 2) ** 2))
    return np.where(possible & np.isfinite(alpha), alpha, 0.0)


def _cauchy_alpha(epsilon: float, beta: Array, tails: Array) -> Array:
    """Bisect ln alpha for all pairs at once, with the ratio on a grid of outputs; zero where dilation costs more."""
    least = math.log(epsilon) - 6
    possible = epsilon > beta * np.maximum(1.0, tails)
    number = int(np.count_nonzero(possible))
    low, high = np.full(number, least), np.full(number, least + 14 + epsilon)
    power, smooth = (tails[possible] + 1)[:, None], beta[possible]
    below = np.logaddexp(0.0, power * _POINTS)  # ln(1 + x^gamma)
    for _ in range(20):
        middle = (low + high) / 2
        fits = _cauchy_cost(power, below, np.exp(middle), smooth) <= epsilon
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    alphas = np.zeros(len(tails))
    alphas[possible] = np.where(low > least, np.exp(low), 0.0)
    return alphas


def _cauchy_cost(power: Array, below: Array, alpha: Array, beta: Array) -> Array:
    """The largest of ln(1 + (a x + c)^gamma) - ln(1 + x^gamma) + lead, in the three cases of the proof of the cost."""
    worst, nothing = np.full(len(power), -math.inf), np.zeros(len(beta))
    for stretches, shrink, lead in ((nothing, nothing, nothing), (-beta, -beta, beta), (beta, nothing, -beta)):
        stretch, shift = stretches[:, None], (alpha * np.exp(shrink))[:, None]
        coarse = _log_ratio(power, stretch + _POINTS[::_STRIDE], shift, below[:, ::_STRIDE])
        middle = _STRIDE * coarse.argmax(axis=1)[:, None]
        near = np.clip(middle + np.arange(1 - _STRIDE, _STRIDE), 0, len(_POINTS) - 1)
        fine = _log_ratio(power, stretch + _POINTS[near], shift, np.take_along_axis(below, near, axis=1))
        worst = np.maximum(worst, lead + fine.max(axis=1))
    return worst


def _log_ratio(power: Array, points: Array, shift: Array, below: Array) -> Array:
    """ln(1 + (e^points + shift)^gamma) less what is below."""
    ratio: Array = np.logaddexp(0.0, power * np.log(np.exp(points) + shift)) - below
    return ratio
