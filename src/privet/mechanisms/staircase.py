"""The staircase mechanism: the least expected error for a given sensitivity, with pure privacy."""

import math
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, final

import numpy as np
from attrs import field, frozen
from flint import arb

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.core import Parts, Space, ball, directed, number, positive, short
from privet.errors import MismatchError
from privet.mechanisms.additive import AdditiveMechanism, accept_numbers, grid_of, noisy, size_of
from privet.noise import current, geometric, uniform_below
from privet.noise.drawing import certified_bounds, flips, smallest_within


@final
@frozen(kw_only=True)
class Staircase(AdditiveMechanism):
    """Add noise whose probabilities fall in stairs as wide as the sensitivity.

    Releases ``x + Z`` on the grid of ``x``. With ``epsilon = sensitivity / scale``, ``P(Z = z)`` is proportional to
    ``exp(-k epsilon)``, where ``k`` is the stair of ``|z|``. The first stair ends at ``sensitivity / (1 +
    exp(epsilon / 2))``, rounded up; each of the others is as wide as the sensitivity.

    Args:
        scale: Spread of the noise in the units of the data, above zero. Twice the scale, half the loss.
        sensitivity: The distance of neighbours, above zero and a whole number of grid steps.

    Guarantee: ``epsilon = sensitivity / scale`` for every ``d_in`` up to the sensitivity, and as many times that as
        sensitivities begin in a larger ``d_in``; for a vector, in those of its numbers together.
    Proof: docs/mechanisms/staircase.md.

    >>> unit = Staircase(scale=10, sensitivity=5)
    >>> unit.map(1).epsilon(), unit.map(5).epsilon(), unit.map(6).epsilon()
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 1))
    """

    scale: Fraction = field(converter=number, validator=positive, repr=short)
    sensitivity: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """Numbers on a grid of which the sensitivity is a multiple."""
        accept_numbers(self, space)
        step = grid_of(space)
        if (self.sensitivity / step).denominator != 1:
            raise MismatchError(
                f"Staircase.sensitivity must be a whole number of steps of the grid {short(step)}, "
                f"got {short(self.sensitivity)}."
            )

    def release(self, value: Any, space: Space) -> Any:
        """Add whole steps of noise."""
        size = size_of(space)
        noise = self._draw(self._stair(space), 1 if size is None else size)
        return noisy(value, noise[0] if size is None else np.array(noise, dtype=object), space)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """A number that moves by d steps crosses at most ceil(d / stair) edges of stairs."""
        step, stair = grid_of(space), self._stair(space)
        if not isinstance(d_in, Parts):
            return PureLoss(math.ceil(d_in / self.sensitivity) * self._rate)
        steps = math.floor(d_in.l1 / step)
        moved = min(d_in.l0, steps)  # worst of all, as many as possible move by one step, which crosses one edge
        edges = min(moved + (steps - moved) // stair, moved * math.ceil(d_in.linf / self.sensitivity))
        return PureLoss(edges * self._rate)

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """The smallest number of steps that the noise exceeds with probability at most beta."""
        stair = self._stair(space)
        first = _first(self._rate, stair)

        def tail(k: int) -> Fraction:
            """Bound P(|Z| > k) from above."""
            if k < first:
                inside = directed(lambda rate: (2 * k + 1) / _weight(rate, stair, first), self._rate, toward="down")
                return 1 - inside
            full, rest = divmod(k - first + 1, stair)  # what lies beyond k is a stair without its begin, and all others

            def beyond(rate: arb) -> arb:
                return 2 * (-(full + 1) * rate).exp() * ((stair - rest) + stair / rate.expm1())

            return directed(lambda rate: beyond(rate) / _weight(rate, stair, first), self._rate, toward="up")

        return smallest_within(lambda k: tail(k) <= beta, first) * grid_of(space)

    @property
    def _rate(self) -> Fraction:
        return self.sensitivity / self.scale

    def _stair(self, space: Space) -> int:
        return int(self.sensitivity / grid_of(space))

    def _draw(self, stair: int, size: int) -> list[int]:
        """Draw whether the noise lies on the first stair; if not, on which one, and where on it."""
        first = _first(self._rate, stair)
        on_first = flips(partial(_on_first, self._rate, stair), size, current())
        middle = uniform_below(2 * first - 1, size).tolist()
        stairs = geometric(self.scale / self.sensitivity, size).tolist()
        places = uniform_below(2 * stair, size).tolist()  # the last bit is the sign
        return [
            near - first + 1 if inner else (first + k * stair + place // 2) * (1 if place % 2 else -1)
            for inner, near, k, place in zip(on_first.tolist(), middle, stairs, places, strict=True)
        ]


@lru_cache(maxsize=256)
def _first(rate: Fraction, stair: int) -> int:
    """Where the first stair ends: this decides the error, and nothing about privacy."""
    return math.ceil(directed(lambda half: stair / (1 + half.exp()), rate / 2, toward="up"))


@lru_cache(maxsize=256)
def _on_first(rate: Fraction, stair: int, bits: int) -> tuple[int, int]:
    """Bracket the probability of the first stair."""
    first = _first(rate, stair)
    return certified_bounds(lambda: (2 * first - 1) / _weight(ball(rate), stair, first), bits)


def _weight(rate: arb, stair: int, first: int) -> arb:
    """What all probabilities add up to, if that of zero is one."""
    return 2 * first - 1 + 2 * stair / rate.expm1()
