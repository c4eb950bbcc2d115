"""Donors and changes by brute force: every pair of rows, every neighbour."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

from privet.imputation.feature_grid import FeatureGrid

Row = tuple[tuple[int, ...], tuple[Any, Any], bool]  # levels, (label, place among equal labels), complete
Circle = int


def donors_of(grid: FeatureGrid, rows: list[Row], k: int, circle: Circle) -> dict[Row, frozenset[Row]]:
    """Sort all complete rows for each incomplete one."""
    whole = [row for row in rows if row[2]]
    found = {}
    for row in rows:
        if not row[2]:
            found[row] = frozenset(sorted(whole, key=lambda other: _nearness(grid, row, other, circle))[:k])
    return found


def _nearness(grid: FeatureGrid, row: Row, other: Row, circle: Circle) -> tuple[Any, ...]:
    return _apart(grid, row[0], other[0]), (other[1][0] - row[1][0]) % circle, other[1][1]


@cache
def _apart(grid: FeatureGrid, one: tuple[int, ...], other: tuple[int, ...]) -> int:
    total = 0
    for feature, a, b in zip(grid.features, one, other, strict=True):
        total += feature.weight * (a - b) ** 2 if feature.kind == "ordinal" else 2 * feature.weight * (a != b)
    return total


def neighbours(rows: list[Row], cells: list[tuple[int, ...]], circle: Circle) -> Iterator[list[Row]]:
    """Give every removal, and additions of a complete row in every cell at every place of the circle."""
    for row in rows:
        yield [other for other in rows if other != row]
    places: set[tuple[Any, Any]] = set()
    for _, (label, place), _ in rows:
        places |= {(label, place - Fraction(1, 3)), (label, place + Fraction(1, 3))}
        places |= {(label + Fraction(1, 2), Fraction(0)), ((label - Fraction(1, 2)) % circle, Fraction(0))}
    for cell in cells:
        for place in places:
            yield [*rows, (cell, place, True)]


def changes(grid: FeatureGrid, rows: list[Row], cells: list[tuple[int, ...]], k: int, circle: Circle) -> int:
    """L1 by its definition."""
    base = donors_of(grid, rows, k, circle)
    most = 1
    for others in neighbours(rows, cells, circle):
        after = donors_of(grid, others, k, circle)
        gone = len(base.keys() ^ after.keys())
        most = max(most, gone + sum(base[row] != after[row] for row in base.keys() & after.keys()))
    return most
