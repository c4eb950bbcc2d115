"""What the mechanisms on unknown keys share: counting them, and the probability that a new one is released."""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from flint import arb

from privet.core import (
    Array,
    Parts,
    Space,
    VectorDomain,
    ball,
    directed,
    read_count,
    read_positive,
    read_share,
)
from privet.errors import MismatchError
from privet.noise.drawing import smallest_within
from privet.transforms import column, seen

Reach = Callable[[int], Fraction]
"""For a true count, an upper bound of the probability that its key is released."""

_BLOCK = 64  # noise is drawn for so many keys, or for the next power of two
_SEARCHED = 4096  # up to so many keys of one person, every way to spread rows over them is tried


def accept_keys(unit: object, space: Space) -> VectorDomain:
    """Accept a column of values that can be counted one by one."""
    domain = column(unit, space)
    if domain.kind is float:
        raise MismatchError(
            f"{type(unit).__name__} counts equal keys, got a column of float: round it to int, or to bins, before."
        )
    return domain


def counted(value: Any) -> tuple[list[Any], list[int]]:
    """The keys that occur, in sorted order, and how often; a null is not a key."""
    known = seen(value)
    if known.dtype == object:
        tally = Counter(known.tolist())
        keys = sorted(tally)
        return keys, [tally[key] for key in keys]
    unique, often = np.unique(known, return_counts=True)
    return unique.tolist(), often.tolist()


def padded(keys: int) -> int:
    """How many draws of noise to make: few sizes, so that time and randomness reveal little about the keys."""
    return max(_BLOCK, 1 << (keys - 1).bit_length()) if keys else _BLOCK


def above(keys: list[Any], counts: list[int], noise: Array, bar: int) -> dict[Any, int]:
    """The keys whose noisy count reaches the threshold, in sorted order."""
    noisy = [count + int(extra) for count, extra in zip(counts, noise.tolist(), strict=False)]
    return {key: count for key, count in zip(keys, noisy, strict=True) if count >= bar}


def shows_in_rows(reach: Reach, rows: int) -> Fraction:
    """Bound the probability that a key of only one input is released, if this input has ``rows`` more rows.

    In the worst case every row is a key of its own, or all rows are the same key.
    """
    return max(any_of([(reach(1), rows)]), any_of([(reach(rows), 1)])) if rows else Fraction(0)


def shows_in_parts(reach: Reach, parts: Parts) -> Fraction:
    """The same if the rows are spread over at most l0 keys, at most linf on each and l1 in all."""
    total, most = int(parts.l1), min(int(parts.linf), int(parts.l1))
    keys = min(parts.l0, total)
    if keys == 0 or most == 0:
        return Fraction(0)
    if keys > _SEARCHED:
        return any_of([(reach(most), keys)])
    return max(any_of(_spread(reach, number, total, most)) for number in range(1, keys + 1))


def largest_sum(weight: Callable[[int], Fraction | None], parts: Parts) -> Fraction | None:
    """Give the largest sum of the weights of keys of only one input, or None if one of them is too large to count.

    Args:
        weight: A convex, growing function of the rows on a key; None where it is too large.
        parts: The rows are spread over at most l0 keys, at most linf on each and l1 in all.
    """
    total, most = int(parts.l1), min(int(parts.linf), int(parts.l1))
    keys = min(parts.l0, total)
    if keys == 0 or most == 0:
        return Fraction(0)
    if weight(most) is None:
        return None

    @cache
    def reach(rows: int) -> Fraction:
        return weight(rows) or Fraction(0)

    if keys > _SEARCHED or most == 1:
        return reach(most) * keys
    return max(
        sum((each * times for each, times in _spread(reach, number, total, most)), Fraction(0))
        for number in range(1, keys + 1)
    )


def _spread(reach: Reach, keys: int, total: int, most: int) -> list[tuple[Fraction, int]]:
    """As many keys as possible with the most rows, one with the rest, the others with one row each."""
    spare = min(total, keys * most) - keys
    full, rest = divmod(spare, most - 1) if most > 1 else (0, 0)
    if full == keys:
        return [(reach(most), keys)]
    return [(reach(most), full), (reach(1 + rest), 1), (reach(1), keys - full - 1)]


def any_of(chances: Iterable[tuple[Fraction, int]]) -> Fraction:
    """The probability that any of several independent events happens, rounded up."""
    often = [(min(chance, Fraction(1)), times) for chance, times in chances if times and chance > 0]
    if any(chance == 1 for chance, _ in often):
        return Fraction(1)
    if not often:
        return Fraction(0)
    if len(often) == 1 and often[0][1] == 1:
        return often[0][0]

    def value(_: arb) -> arb:
        return -sum((times * (-ball(chance)).log1p() for chance, times in often), arb(0)).expm1()

    return min(directed(value, 0, toward="up"), Fraction(1))


def smallest_threshold(chance: Callable[[Fraction, int], Fraction], scale: object, delta: object, d_in: Any) -> int:
    """Find the smallest whole threshold with this delta, for the ``threshold_for`` of a mechanism.

    Args:
        chance: For a scale and a threshold, the probability that data which must not show do.
        scale: Of the noise, above zero.
        delta: The largest probability that is allowed, above zero and below one.
        d_in: The distance of the inputs, one or more.
    """
    width, allowed = read_positive("threshold_for.scale", scale), read_share("threshold_for.delta", delta)
    read_count("threshold_for.d_in", d_in, least=1)
    return smallest_within(lambda bar: bar > 0 and chance(width, bar) <= allowed, 1)
