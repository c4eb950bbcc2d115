"""The keys with the most rows, of keys that are not known beforehand."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Parts, Space, exp_up, number, positive, read_count, read_positive, read_share, short, whole
from privet.errors import InvalidError
from privet.mechanisms.selection import gaps_of, select
from privet.mechanisms.stable_keys import accept_keys, any_of, counted, largest_sum
from privet.noise.drawing import smallest_within
from privet.transforms import records_changed, rows_changed

_SAFE = 2**62
_CERTAIN = 40  # temperatures above the threshold: a key is released nearly always


@final
@frozen(kw_only=True)
class TopKeys(Measurement):
    """Select the keys with the most rows, best first, of keys that are not known beforehand.

    Draws keys like ``TopK``, each with probability proportional to ``exp(rows / temperature)``. *Nothing* is a
    candidate too, with the threshold as its score; the release ends when it is drawn. Nulls are no key.

    Args:
        count: How many keys to release at most, one or more.
        temperature: In rows, above zero. Twice the temperature, half of epsilon.
        threshold: The score of *nothing*, in rows, above zero; ``threshold_for`` finds it for a delta.

    Guarantee: ``count`` times the bounded range ``d_in / temperature``, and as delta a bound of the probability that a
        key is released that only one input has.
    Proof: docs/mechanisms/top_keys.md.

    >>> from privet.core.space import vector
    >>> bar = TopKeys.threshold_for(count=3, temperature=4, delta=1e-6)
    >>> chain = vector(str) >> TopKeys(count=3, temperature=4, threshold=bar)
    >>> bar, chain.map(1).pure().cost
    (61, Fraction(3, 4))
    """

    count: int = field(converter=whole, validator=positive)
    temperature: Fraction = field(converter=number, validator=positive, repr=short)
    threshold: Fraction = field(converter=number, validator=positive, repr=short)

    def accept(self, space: Space) -> None:
        """A column of text, whole numbers or booleans."""
        accept_keys(self, space)

    def release(self, value: Any, space: Space) -> list[Any]:
        """Draw as often as keys may be released, whatever is drawn."""
        keys, counts = counted(value)
        return draw_keys(keys, counts, self.count, self.temperature, self.threshold)

    def loss(self, d_in: Any, space: Space) -> Loss:
        """Each draw costs a range, outside the event that a key of only one input is drawn."""
        rows = records_changed(space, d_in)
        spread = Parts(l0=rows, l1=rows, l2_squared=rows**2, linf=rows)
        return loss_of_draws(self.count, self.temperature, self.threshold, rows_changed(space, d_in), spread)

    def loss_of(self, parts: Parts) -> Loss:
        """The loss where a unit adds rows to at most l0 keys, at most linf on each and l1 in all."""
        if not isinstance(parts, Parts):
            raise InvalidError("TopKeys.loss_of takes Parts(l0=..., l1=..., l2_squared=..., linf=...).")
        return loss_of_draws(self.count, self.temperature, self.threshold, int(parts.linf), parts)

    @staticmethod
    def threshold_for(*, count: object, temperature: object, delta: object, d_in: object = 1) -> int:
        """The smallest whole threshold with this delta for inputs that differ in ``d_in`` added or removed rows."""
        often = read_count("threshold_for.count", count, least=1)
        width, allowed = (
            read_positive("threshold_for.temperature", temperature),
            read_share("threshold_for.delta", delta),
        )
        rows = read_count("threshold_for.d_in", d_in, least=1)
        return threshold_of_draws(often, width, Parts(l0=rows, l1=rows, l2_squared=rows**2, linf=rows), allowed)


def draw_keys(keys: list[Any], counts: list[int], most: int, temperature: Fraction, threshold: Fraction) -> list[Any]:
    """Draw keys by their counts, without repetition, until *nothing* is drawn; always take the same random bits.

    Args:
        keys: The keys that occur.
        counts: The number of each, in the same order.
        most: How many to draw at most.
        temperature: In the units of the counts.
        threshold: The score of *nothing*.
    """
    parts = threshold.denominator
    steps = [*(count * parts for count in counts), threshold.numerator]
    scores = np.array(steps, dtype=np.int64 if max(map(abs, steps)) < _SAFE else object)
    left, drawn = np.arange(len(steps)), []
    for _ in range(most):
        at = select(gaps_of(scores[left]), 1 / (parts * temperature))
        if int(left[at]) == len(counts):
            left = left[-1:]  # whatever follows is nothing too: it is never left out, and stays the last
        else:
            drawn.append(keys[int(left[at])])
            left = np.delete(left, at)
    return drawn


def loss_of_draws(count: int, temperature: Fraction, threshold: Fraction, moved: int, spread: Parts) -> Loss:
    """The loss of so many draws where counts move within a range, and one input has some keys alone.

    Args:
        count: How many draws.
        temperature: In the units of the counts.
        threshold: The score of *nothing*.
        moved: The largest change of a count minus the smallest.
        spread: How the rows of keys that only one input has may be spread.
    """
    one = BoundedRangeLoss(Fraction(moved) / temperature)
    return one * count + ApproximateLoss(0, shows_in_draws(count, temperature, threshold, spread))


def shows_in_draws(count: int, temperature: Fraction, threshold: Fraction, spread: Parts) -> Fraction:
    """Bound the probability that a key which only one input has is drawn in so many draws, rounded up."""

    def odds(rows: int) -> Fraction | None:
        power = (rows - threshold) / temperature
        return exp_up(power) if power < _CERTAIN else None

    total = largest_sum(odds, spread)
    return Fraction(1) if total is None else any_of([(total / (1 + total), count)])


def threshold_of_draws(count: int, temperature: Fraction, spread: Parts, delta: Fraction) -> int:
    """Find the smallest whole threshold with this delta."""

    def fits(bar: int) -> bool:
        return bar > 0 and shows_in_draws(count, temperature, Fraction(bar), spread) <= delta

    return smallest_within(fits, int(spread.linf + 16 * temperature) + 1)
