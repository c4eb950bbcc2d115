"""Key rounds: how much a person counts for each key, noise on these weights, and the threshold of a release."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal, final

from attrs import field, frozen
from sqlglot import exp

from privet.accounting.losses.loss import Loss, SumLoss
from privet.core import Array, Parts, number, positive, short, whole
from privet.errors import InvalidError
from privet.mechanisms.key_noise import KeyNoise, check_key_noise, draw_key_noise, loss_of_keys, reaches
from privet.mechanisms.stable_keys import Reach, above, any_of, padded, shows_in_parts
from privet.mechanisms.top_keys import draw_keys, loss_of_draws, shows_in_draws
from privet.noise.drawing import smallest_within
from privet.tables.vocabulary import call, cast
from privet.tables.vocabulary import whole as whole_number

Rule = Literal["one", "share", "root"]
RoundNoise = Literal["laplace", "gaussian", "gumbel"]
"""Noise on every number, or Gumbel noise: so many draws of the exponential mechanism."""
RULES: tuple[Rule, ...] = ("one", "share", "root")
ANY_NUMBER = 2**62  # of groups, where it is not known
_SHARED = 720_720  # is divided by every number up to 16, so that shares of so many keys are exact
_ROOT = 2**20  # its square is below 2^52: the square roots of smaller integers are exact in doubles, rounded down
_MOST = 2**40  # beyond this, weights would not fit an integer of the engine


class Moved(ABC):
    """How far neighbours move the numbers of the keys."""

    @property
    @abstractmethod
    def distance(self) -> Parts:
        """An upper bound for keys that both neighbours have."""

    @abstractmethod
    def shows(self, reach: Reach) -> Fraction:
        """The largest probability that some key is released that only one neighbour has, rounded up."""


@final
@frozen(kw_only=True)
class RowsOfKeys(Moved):
    """Rows, or persons, counted by key: a unit adds to a few keys, by whole numbers.

    Args:
        distance: How far the counts move.
    """

    distance: Parts

    def shows(self, reach: Reach) -> Fraction:
        """The worst way to spread rows over keys."""
        return shows_in_parts(reach, self.distance)


@final
@frozen(kw_only=True)
class KeyWeights(Moved):
    """Weights of keys: a person with t keys gives each of them the same weight.

    Args:
        rule: ``one`` for each key, whatever their number; ``share`` for one t-th of a unit, so that the weights of a
            person add up to one; ``root`` for one over the root of t, so that their squares do. Both are rounded down
            to whole steps, ``unit`` of which are one.
        most: How many keys a person has at most.

    Guarantee: a person moves t weights, at most ``most``, by exactly ``of(t)`` each.
    Proof: docs/tables/private_keys.md.

    >>> weights = KeyWeights(rule="share", most=3)
    >>> weights.unit, [weights.of(keys) for keys in (1, 2, 3)]
    (2162160, [2162160, 1081080, 720720])
    """

    rule: Rule = field()
    most: int = field(converter=whole, validator=positive)

    @rule.validator
    def _check_rule(self, _: object, value: object) -> None:
        if value not in RULES:
            raise InvalidError(f"KeyWeights.rule must be one of {', '.join(RULES)}, got {value!r}.")

    @most.validator
    def _check_most(self, _: object, value: int) -> None:
        if value > _MOST:
            raise InvalidError(f"a person may have at most 2^40 keys, got {value}: give a smaller cap on groups.")

    @property
    def unit(self) -> int:
        """How many steps make a weight of one."""
        return {"one": 1, "share": _SHARED * self.most, "root": _ROOT}[self.rule]

    def of(self, keys: int) -> int:
        """Give the weight, in steps, of each key of a person with a number of keys; it never grows with that number."""
        if self.rule == "share":
            return self.unit // keys
        return math.isqrt(self.unit**2 // keys) if self.rule == "root" else 1

    def sql(self, keys: exp.Expr) -> exp.Expr:
        """Build the same from an expression for the number of keys."""
        if self.rule == "share":
            return exp.IntDiv(this=whole_number(self.unit), expression=keys.copy())
        if self.rule == "root":
            square = exp.Paren(this=exp.IntDiv(this=whole_number(self.unit**2), expression=keys.copy()))
            return cast(call("floor", call("sqrt", cast(square, "real"))), "integer")
        return whole_number(1)

    @property
    def distance(self) -> Parts:
        """The norms of t weights are largest at t = 1 for shares, and for roots where they are squared."""
        if self.rule == "one":
            return Parts(l0=self.most, l1=self.most, l2_squared=self.most, linf=1)
        spread = 1 if self.rule == "share" else self.most
        return Parts(l0=self.most, l1=self.unit * spread, l2_squared=self.unit**2, linf=self.unit)

    def shows(self, reach: Reach) -> Fraction:
        """The largest, over t, of the probability that any of t keys of this weight is released."""
        return _largest(lambda weight_of, keys: any_of([(reach(self.of(weight_of)), keys)]), self.most)


def _largest(chance: Callable[[int, int], Fraction], most: int) -> Fraction:
    """Give an upper bound of ``chance(t, t)`` for t up to ``most`` that one of them attains.

    The chance falls with its first argument, which decides the weight, and rises with its second, the number of keys;
    ``chance(low, high)`` therefore bounds all of ``low`` to ``high``, and most ranges are discarded at once.
    """
    best = max(chance(1, 1), chance(most, most))
    ranges = [(1, most)]
    while ranges:
        low, high = ranges.pop()
        if chance(low, high) <= best:
            continue
        middle = (low + high) // 2
        best = max(best, chance(middle, middle))
        if low < high:
            ranges += [(low, middle), (middle + 1, high)]
    return best


@final
@frozen(kw_only=True)
class KeyRound:
    """Add noise to the whole number of each key, and release the keys that reach a threshold.

    Args:
        noise: ``laplace`` or ``gaussian``, both discrete; or ``gumbel``, for a few draws of the largest numbers.
        scale: Its spread, in the units of the numbers.
        threshold: The smallest noisy number whose key is released.
        moved: How far neighbours move the numbers.
        draws: With Gumbel noise, how many keys are released at most.

    Guarantee: the loss of the noise at the distance of the numbers, and as delta the exact probability that a key is
        released that only one neighbour has (with Gumbel noise, a bound of it).
    Proof: docs/tables/private_keys.md.

    >>> from privet.tables.noise.key_round import KeyWeights
    >>> weights = KeyWeights(rule="share", most=4)
    >>> KeyRound(noise="laplace", scale=2 * weights.unit, threshold=30 * weights.unit, moved=weights).loss.pure().cost
    Fraction(1, 2)
    """

    noise: RoundNoise = field()
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    threshold: int = field(converter=whole, validator=positive)
    moved: Moved
    draws: int | None = field(default=None)

    @noise.validator
    def _check_noise(self, _: object, value: Any) -> None:
        if value != "gumbel":
            check_key_noise("KeyRound.noise", value)

    @draws.validator
    def _check_draws(self, _: object, value: Any) -> None:
        if (self.noise == "gumbel") != (type(value) is int and value > 0) or (value is None) == (
            self.noise == "gumbel"
        ):
            raise InvalidError("KeyRound.draws must be a number above zero for Gumbel noise, and None for other noise.")
        if value is not None and isinstance(self.moved, KeyWeights) and self.moved.rule != "one":
            raise InvalidError("KeyRound.draws: Gumbel noise is for counts, not for weights.")

    @property
    def slack(self) -> Fraction:
        """The largest probability that some key is released that only one neighbour has."""
        if self.draws is not None:
            return shows_in_draws(self.draws, self.scale, Fraction(self.threshold), self.moved.distance)
        return _slack(self._thresholded(), self.scale, self.threshold, self.moved)

    @property
    def loss(self) -> Loss:
        """The noise pays for keys that both neighbours have, delta for those that only one has."""
        if self.draws is not None:  # a unit that is added lowers no number, so the range is the largest change
            moved = self.moved.distance
            return loss_of_draws(self.draws, self.scale, Fraction(self.threshold), int(moved.linf), moved)
        return loss_of_keys(self._thresholded(), self.scale, self.moved.distance, self.slack)

    def draw(self, size: int) -> Array:
        """Draw noise for a number of keys."""
        return draw_key_noise(self._thresholded(), self.scale, size)

    def choose(self, keys: list[Any], numbers: list[int], top: int | None = None) -> list[Any]:
        """Add noise, and give the keys that are released; with ``top``, those with the largest noisy numbers."""
        if self.draws is not None:
            return draw_keys(keys, numbers, self.draws, self.scale, Fraction(self.threshold))
        noisy = above(keys, numbers, self.draw(padded(len(keys))), self.threshold)
        return list(noisy) if top is None else sorted(noisy, key=lambda key: -noisy[key])[:top]

    def _thresholded(self) -> KeyNoise:
        if self.noise == "gumbel":
            raise InvalidError("KeyRound: Gumbel noise is drawn for the largest numbers, not for every key.")
        return self.noise


def total_loss(rounds: Sequence[KeyRound]) -> Loss:
    """Add up the losses of rounds."""
    return SumLoss.of(tuple(part for each in rounds for part in each.loss.parts()))


def make_round(noise: KeyNoise, scale: Fraction, moved: Moved, delta: Fraction) -> KeyRound:
    """Give the round with the smallest threshold whose delta is no larger than the given one.

    >>> from privet.core.metric import Parts
    >>> from privet.tables.noise.key_round import RowsOfKeys
    >>> one = RowsOfKeys(distance=Parts(l0=1, l1=1, l2_squared=1, linf=1))
    >>> make_round("laplace", Fraction(2), one, Fraction(1, 10**6)).threshold
    28
    """

    def fits(threshold: int) -> bool:
        return threshold > 0 and _slack(noise, scale, threshold, moved) <= delta

    guess = int(moved.distance.linf + 4 * scale)
    return KeyRound(noise=noise, scale=scale, threshold=smallest_within(fits, guess), moved=moved)


def _slack(noise: KeyNoise, scale: Fraction, threshold: int, moved: Moved) -> Fraction:
    return moved.shows(lambda count: reaches(noise, scale, threshold - count))
