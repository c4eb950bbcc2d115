"""Private keys on neighbouring tables: how far their numbers move, and the same keys for both.

Which keys are released is random and depends on the data. So the numbers of every key are recorded on both sides and
compared with the distance that the noise is made for; and both sides go on with the keys that the first one chose, as
either of them might have released them.
"""

import contextlib
import zlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, final
from unittest.mock import patch

from attrs import define, field

from privet.tables.noise.key_round import KeyRound


@final
@define
class Rounds:
    """The rounds of private keys of two neighbours.

    Args:
        seen: For each neighbour, the rounds with the numbers of their keys.
        chosen: The keys of each round that the first neighbour chose.
    """

    seen: list[list[tuple[KeyRound, dict[Any, int]]]] = field(factory=list)
    chosen: list[list[Any]] = field(factory=list)

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """Record the rounds of one more neighbour, and choose for both what the first one might choose."""
        first = not self.seen
        self.seen.append([])

        def choose(this: KeyRound, keys: list[Any], numbers: list[int], top: int | None = None) -> list[Any]:
            self.seen[-1].append((this, dict(zip(keys, map(int, numbers), strict=True))))
            if first:
                likely = [key for key in keys if zlib.crc32(repr(key).encode()) % 3]
                self.chosen.append(likely[: min(top or len(keys), this.draws or len(keys))])
            return self.chosen[len(self.seen[-1]) - 1]

        with patch.object(KeyRound, "choose", choose):
            yield

    def check(self) -> None:
        """Compare the numbers of both neighbours with what the noise of each round is made for."""
        first, second = self.seen
        assert [each for each, _ in first] == [each for each, _ in second], "parity law: other rounds for a neighbour"
        for (one, ours), (_, theirs) in zip(first, second, strict=True):
            moved = [ours.get(key, 0) - theirs.get(key, 0) for key in {*ours, *theirs}]
            sizes = [abs(each) for each in moved if each]
            most = one.moved.distance
            norms = (len(sizes), sum(sizes), sum(each**2 for each in sizes), max(sizes, default=0))
            allowed: tuple[Any, ...] = (most.l0, most.l1, most.l2_squared, most.linf)
            fits = all(norm <= limit for norm, limit in zip(norms, allowed, strict=True))
            assert fits, f"map law: the numbers of keys moved by {norms}, not by {allowed} at most"
            if one.draws is not None:  # draws pay for the range of what moves, one unit up or one down
                spread = max((*moved, 0)) - min((*moved, 0))
                assert spread <= most.linf, f"map law: numbers of keys moved up and down by {spread} together"


def kept_for_aggregates(asked: Any) -> Fraction:
    """Give the part of epsilon that is left for aggregates: all of it where no keys are found first."""
    keyed = getattr(asked, "query", asked)
    rows = getattr(keyed, "rows", None)
    share = getattr(getattr(rows, "private", None), "share", Fraction(0))
    return 1 - Fraction(share)
