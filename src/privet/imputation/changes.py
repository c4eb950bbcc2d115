"""How many incomplete rows have other donors after one row is added or removed: L1, exactly.

Removals are counted donor by donor. Additions are counted for every cell of the public grid. All rows of a class change
if the new row is nearer than their k-th donor. If it is just as near, the labels decide which rows change, and a sweep
around the circle finds the worst label. Proof: docs/imputation/changes.md.
"""

from collections.abc import Iterator

import numpy as np

from privet.core import Array
from privet.imputation.donors import NEVER, Donors


def most_changes(donors: Donors) -> int:
    """Give L1: the most incomplete rows that are added, removed or get other donors when one row is added or removed.

    L1 is never below one, because the row itself may be incomplete.
    """
    if not len(donors.incomplete):
        return 1
    best = max(1, _removal(donors))
    return max(best, _addition(donors, best))


def _removal(donors: Donors) -> int:
    """How many rows the busiest donor serves."""
    given = donors.given[donors.given >= 0]
    return int(np.bincount(given).max()) if len(given) else 0


def _addition(donors: Donors, best: int) -> int:
    """The worst cell for a new complete row. Cells that cannot beat ``best`` are not swept."""
    sizes = np.bincount(donors.member, minlength=len(donors.classes))
    always = int(sizes[donors.radii == NEVER].sum())  # with fewer than k donors every new one counts
    most = _most_tied(donors)
    sure = np.zeros(donors.grid.cells, dtype=np.int64)
    maybe = np.zeros(donors.grid.cells, dtype=np.int64)
    often = np.zeros(donors.grid.cells, dtype=np.int32)
    for cells, classes, ties in _stamps(donors):  # no cell twice
        if ties:
            maybe[cells] += most[classes]
            often[cells] += 1
        else:
            sure[cells] += sizes[classes]
    reach = sure + maybe + always
    best = max(best, int(reach[often <= 1].max(initial=0)))
    codes = donors.grid.decode(donors.classes)
    open_ = np.flatnonzero((often > 1) & (reach > best))
    for cell in open_[np.argsort(-reach[open_], kind="stable")]:
        if reach[cell] <= best:
            break
        best = max(best, int(sure[cell]) + always + _worst_label(donors, int(cell), codes))
    return best


def _most_tied(donors: Donors) -> Array:
    """For each class, the most rows that a new row at its radius takes over: the donees of one donor there."""
    rows, columns = np.nonzero((donors.given >= 0) & (np.arange(donors.k) >= donors.tied[:, None]))
    most = np.zeros(len(donors.classes), dtype=np.int64)
    if len(rows):
        pairs = donors.member[rows] * len(donors.complete) + donors.given[rows, columns]
        served, counts = np.unique(pairs, return_counts=True)
        np.maximum.at(most, served // len(donors.complete), counts)
    return most


def _stamps(donors: Donors) -> Iterator[tuple[Array, Array, bool]]:
    """For each class, the cells within its radius and those at it: (cells, their classes, whether at the radius).

    Balls are drawn for all classes at once, move by move. A ball of more moves than cells is drawn by itself.
    """
    grid = donors.grid
    order = np.argsort(donors.radii, kind="stable")
    radii = donors.radii[order]
    codes = grid.decode(donors.classes[order])
    limit = int(radii.max(initial=0))
    if limit > 1:
        limit = min(limit, max(grid.reach(grid.cells), 1))
    far = int(np.searchsorted(radii, limit, side="right"))
    moves, distances = grid.offsets(limit)
    for move, distance in zip(moves, distances, strict=True):
        begin, end = np.searchsorted(radii[:far], [distance, distance + 1])
        cells, inside = grid.moved(codes[begin:far], move)
        chosen = order[begin:far]
        equal = np.arange(len(chosen)) < end - begin
        if (inside & equal).any():
            yield cells[inside & equal], chosen[inside & equal], True
        if (inside & ~equal).any():
            yield cells[inside & ~equal], chosen[inside & ~equal], False
    for at in range(far, len(order)):
        apart = grid.distances_from(codes[at])
        for cells, ties in ((np.flatnonzero(apart == radii[at]), True), (np.flatnonzero(apart < radii[at]), False)):
            yield cells, np.broadcast_to(order[at], cells.shape), ties


def _worst_label(donors: Donors, cell: int, codes: Array) -> int:
    """The most rows that a new row in this cell takes over at their radius, over all labels."""
    apart = donors.grid.distances(donors.grid.decode(np.array([cell])), codes)
    chosen = (apart == donors.radii)[donors.member]
    starts = donors.starts[chosen]
    ends = donors.given[chosen, -1]
    number = len(donors.complete)
    around = int((ends < starts).sum())  # arcs that pass the beginning of the circle
    places = np.concatenate([starts, ends + 1])
    changes = np.concatenate([np.ones(len(starts), dtype=np.int64), -np.ones(len(ends), dtype=np.int64)])
    order = np.lexsort([changes, places])
    covered = around + np.cumsum(changes[order])
    last = np.append(np.diff(places[order]) > 0, True)  # all that happens at a place comes first
    within = last & (places[order] < number)
    return int(max(around, covered[within].max(initial=0))) if number else 0
