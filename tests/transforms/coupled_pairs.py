"""The coupling of docs/transforms/theil_sen_slopes.md for a point less, which the laws cannot make: they share keys."""

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np


def without(order: list[int], removed: int) -> list[int]:
    """Return an order of the other points whose pairs differ in one pair at most, removed and added.

    From an odd number, the point that was left out takes the place of the removed one; from an even number, the
    partner of the removed one is left out.
    """
    place = order.index(removed)
    if len(order) % 2:
        moved = [order[-1] if point == removed else point for point in order[:-1]]
        return moved if removed != order[-1] else order[:-1]
    partner = order[place ^ 1]
    return [point for point in order if point not in (removed, partner)] + [partner]


def coins_without(coins: Any, removed: Any) -> Any:
    """Return the keys of the points that stay, so that the pairs of each matching are coupled.

    Args:
        coins: One row of keys for each point, one column for each matching.
        removed: The places of the points that go.
    """
    gone = sorted(removed)
    stay = [point for point in range(len(coins)) if point not in gone]
    keys = np.empty((len(stay), coins.shape[1]), dtype=np.int64)
    for matching in range(coins.shape[1]):
        order = np.argsort(coins[:, matching]).tolist()
        for point in gone:
            order = without(order, point)
        ranks = {point: rank for rank, point in enumerate(order)}
        keys[:, matching] = [ranks[point] for point in stay]
    return keys


def places_gone(more: Any, less: Any) -> list[int] | None:
    """Return the places of the rows of a table that another one, with some of its rows in their order, does not have.

    Return None if the other table has other rows.
    """
    gone, at = [], 0
    for place, row in enumerate(more):
        if at < len(less) and np.array_equal(row, less[at], equal_nan=True):
            at += 1
        else:
            gone.append(place)
    return gone if at == len(less) else None


@contextlib.contextmanager
def coupled(unit: type[Any]) -> Iterator[None]:
    """Couple the pairs of every second use of a unit with those of the use before, which has more points."""
    right = unit.combine
    before: list[tuple[Any, Any]] = []

    def combine(self: Any, value: Any, coins: Any, space: Any) -> Any:
        if not before:
            before.append((value, coins))
            return right(self, value, coins, space)
        more, keys = before.pop()
        gone = places_gone(more, value)
        return right(self, value, coins if gone is None else coins_without(keys, gone), space)

    with mock.patch.object(unit, "combine", combine):
        yield
