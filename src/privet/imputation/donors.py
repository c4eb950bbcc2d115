"""Donors: for each incomplete row the k nearest complete rows, by an order on all possible rows.

Rows are ordered by distance, then by how far their label lies behind that of the incomplete row on a circle, then by
their content. The work is done on cells, not on pairs of rows. Proof: docs/imputation/donors.md.
"""

from collections.abc import Callable, Sequence
from typing import final

import numpy as np
from attrs import field, frozen

from privet.core import Array
from privet.imputation.feature_grid import FeatureGrid

NEVER = -1  # the radius of a class for which there are fewer than k complete rows
_CHUNK = 2**22  # candidates, or pairs of cells, that are held at a time


@final
@frozen(kw_only=True, eq=False)
class Donors:
    """Who gives values to whom.

    Args:
        grid: The cells.
        k: How many donors each incomplete row has, if there are so many complete rows.
        complete: The indices of the complete rows, in the order of the circle.
        incomplete: The indices of the incomplete rows.
        given: For each incomplete row the places of its donors among ``complete``, nearest first; -1 for none.
        tied: From which column of ``given`` on the donors lie at the radius of the row's class.
        starts: For each incomplete row, its own place on the circle: before which complete row it lies.
        classes: The cell of each class of incomplete rows.
        member: The class of each incomplete row.
        radii: For each class the squared distance of its k-th donor; ``NEVER`` if there is none.
    """

    grid: FeatureGrid
    k: int
    complete: Array = field(repr=False)
    incomplete: Array = field(repr=False)
    given: Array = field(repr=False)
    tied: Array = field(repr=False)
    starts: Array = field(repr=False)
    classes: Array = field(repr=False)
    member: Array = field(repr=False)
    radii: Array = field(repr=False)

    @property
    def rows(self) -> Array:
        """The donors as indices of rows, one row for each incomplete row; -1 for none."""
        if not len(self.complete):
            return np.full_like(self.given, -1)
        return np.where(self.given >= 0, self.complete[self.given], -1)


def find_donors(
    grid: FeatureGrid, cells: Array, labels: Array, complete: Array, *, k: int, ties: Sequence[Array] = ()
) -> Donors:
    """Find the donors of every incomplete row.

    Args:
        grid: The cells.
        cells: The cell of each row.
        labels: The label of each row, a whole number from zero up to 2^63.
        complete: Whether each row has a value.
        k: How many donors.
        ties: The columns that decide between complete rows with one label: all that a donor gives. Among rows that are
            equal there too, the cell decides. The order of the rows never does.
    """
    whole, lacking = np.flatnonzero(complete), np.flatnonzero(~complete)
    order, ranked = _circle(
        labels[complete], lambda at: [*(np.asarray(tie)[whole[at]] for tie in ties), cells[whole[at]]]
    )
    starts = _places(ranked, labels[lacking])
    if len(whole):
        starts = starts % len(whole)
    classes, member = np.unique(cells[lacking], return_inverse=True)
    narrow = cells[complete].astype(np.int32)  # there are at most 2^24 cells: half the memory to walk through
    segments = _Segments.of(narrow[order], grid.cells)
    whole = whole[order]
    near = _search(grid, classes, segments, k)
    given, tied = _choose(near, segments, starts, member, k)
    return Donors(
        grid=grid,
        k=k,
        complete=whole,
        incomplete=lacking,
        given=given,
        tied=tied,
        starts=starts,
        classes=classes,
        member=member,
        radii=near.radii,
    )


def _sorted(numbers: Array) -> tuple[Array, Array]:
    """Sort whole numbers from zero on, stable: the order, and the numbers in it.

    First by sixteen bits, in linear time, and then the rest, which is fast on runs that are nearly in order.
    """
    bits = int(numbers.max(initial=0)).bit_length()
    rough = np.argsort((numbers >> max(bits - 16, 0)).astype(np.uint16), kind="stable")
    moved = numbers[rough]
    if bits <= 16:
        return rough, moved
    fine = np.argsort(moved, kind="stable")
    return rough[fine], moved[fine]


def _circle(labels: Array, ties: Callable[[Array], Sequence[Array]]) -> tuple[Array, Array]:
    """Sort by label: the order, and the labels in it. Ties are computed only for rows with equal labels."""
    order, ranked = _sorted(labels)
    equal = ranked[1:] == ranked[:-1]
    if equal.any():
        shared = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
        rows = order[shared]
        order[shared] = rows[np.lexsort([*reversed(ties(rows)), labels[rows]])]
    return order, ranked


def _places(ranked: Array, numbers: Array) -> Array:
    """Bisect: where each number would stand. Numbers are looked up in order, so that memory is read once."""
    order, needles = _sorted(numbers)
    places = np.empty(len(numbers), dtype=np.int64)
    places[order] = np.searchsorted(ranked, needles, side="left")
    return places


def _by_cell(cells: Array, number: int) -> Array:
    """Sort by cell and keep the order within: by digits of sixteen bits, which numpy sorts in linear time."""
    order = np.argsort(cells.astype(np.uint16), kind="stable")
    if number <= 2**16:
        return order
    return order[np.argsort((cells[order] >> 16).astype(np.uint16), kind="stable")]


@final
@frozen(kw_only=True, eq=False)
class _Segments:
    """Complete rows by cell, and within a cell in the order of the circle."""

    places: Array  # places on the circle
    keys: Array  # cell and place as one number, rising
    first: Array  # where each cell begins
    size: int  # how many complete rows there are

    @classmethod
    def of(cls, cells: Array, number: int) -> "_Segments":
        places = _by_cell(cells, number)
        counts = np.bincount(cells, minlength=number)
        first = np.concatenate([[0], np.cumsum(counts)])
        keys = np.repeat(np.arange(number) * (len(cells) + 1), counts) + places
        return cls(places=places, keys=keys, first=first, size=len(cells))

    @property
    def occupied(self) -> Array:
        """The cells that hold complete rows."""
        return np.flatnonzero(np.diff(self.first))

    def counts(self, cells: Array) -> Array:
        """How many complete rows lie in cells."""
        number: Array = self.first[cells + 1] - self.first[cells]
        return number

    def after(self, cells: Array, starts: Array, number: int) -> Array:
        """Give the next ``number`` rows of a cell behind a place, around the circle; -1 beyond all of them."""
        at = _places(self.keys, cells * (self.size + 1) + starts) - self.first[cells]
        counts = self.counts(cells)
        steps = np.arange(number)
        places = self.first[cells][:, None] + (at[:, None] + steps) % np.maximum(counts, 1)[:, None]
        return np.where(steps < counts[:, None], self.places[np.minimum(places, self.size - 1)], -1)


@final
@frozen(kw_only=True, eq=False)
class _DonorCells:
    """Where the donors of each class lie."""

    radii: Array  # of each class
    inner: Array  # pairs (class, cell) nearer than the radius
    edge: Array  # pairs (class, cell) at the radius


def _search(grid: FeatureGrid, classes: Array, segments: _Segments, k: int) -> _DonorCells:
    """Go outward from every class, shell by shell, until k complete rows are within.

    Once the walk has visited more cells than hold complete rows, the remaining classes look at those cells instead.
    """
    radii = np.full(len(classes), NEVER, dtype=np.int64)
    reached = np.zeros(len(classes), dtype=np.int64)
    codes, occupied = grid.decode(classes), segments.occupied
    open_ = np.arange(len(classes)) if segments.size >= k else np.zeros(0, dtype=np.int64)
    edge = [np.zeros((0, 2), dtype=np.int64)]
    waiting = [np.zeros((0, 2), dtype=np.int64)]  # pairs of classes that are still open
    visited = 0
    for distance, moves in grid.shells():
        if not len(open_) or visited > len(occupied):
            break
        visited += len(moves)
        pairs = [np.zeros((0, 2), dtype=np.int64)]
        for move in moves:
            cells, inside = grid.moved(codes[open_], move)
            counts = np.where(inside, segments.counts(np.where(inside, cells, 0)), 0)
            reached[open_] += counts
            seen = counts > 0
            pairs.append(np.column_stack([open_[seen], cells[seen]]))
        here = np.concatenate(pairs)
        closed = reached[open_] >= k
        radii[open_[closed]] = distance
        done = radii[here[:, 0]] == distance
        edge.append(here[done])
        waiting.append(here[~done])
        open_ = open_[~closed]
    before = np.concatenate(waiting)
    if len(open_):
        left = np.zeros(len(classes), dtype=bool)
        left[open_] = True
        inner, at = _look_at_all(grid, codes, open_, segments, k, radii)
        before = np.concatenate([before[~left[before[:, 0]]], inner])
        edge.append(at)
    everyone = np.flatnonzero(radii == NEVER)
    if len(everyone):  # fewer than k: all complete rows are donors
        everywhere = np.column_stack([np.repeat(everyone, len(occupied)), np.tile(occupied, len(everyone))])
        before = np.concatenate([before, everywhere])
    return _DonorCells(radii=radii, inner=before, edge=np.concatenate(edge))


def _look_at_all(
    grid: FeatureGrid, codes: Array, open_: Array, segments: _Segments, k: int, radii: Array
) -> tuple[Array, Array]:
    """Measure classes against every cell that holds complete rows; writes their radii, gives inner and edge pairs."""
    occupied = segments.occupied
    places, counts = grid.decode(occupied), segments.counts(occupied)
    inner: list[Array] = []
    edge: list[Array] = []
    step = max(_CHUNK // len(occupied), 1)
    for begin in range(0, len(open_), step):
        chosen = open_[begin : begin + step]
        apart = grid.distances(codes[chosen][:, None, :], places[None, :, :])
        order = np.argsort(apart, axis=1, kind="stable")
        enough = np.cumsum(counts[order], axis=1) >= k
        last = np.take_along_axis(order, enough.argmax(axis=1)[:, None], axis=1)
        radius = np.take_along_axis(apart, last, axis=1)
        radii[chosen] = radius[:, 0]
        ranked = np.take_along_axis(apart, order, axis=1)
        for here, pairs in ((ranked < radius, inner), (ranked == radius, edge)):
            rows, columns = np.nonzero(here)
            pairs.append(np.column_stack([chosen[rows], occupied[order[rows, columns]]]))
    return np.concatenate(inner), np.concatenate(edge)


def _choose(near: _DonorCells, segments: _Segments, starts: Array, member: Array, k: int) -> tuple[Array, Array]:
    """List the donors of each incomplete row: all inner ones, then those at the radius in the order of the circle."""
    given = np.full((len(starts), k), -1, dtype=np.int64)
    classes = len(near.radii)
    inner = np.zeros(classes, dtype=np.int64)
    np.add.at(inner, near.inner[:, 0], segments.counts(near.inner[:, 1]))
    _fill_inner(given, near, segments, member, classes)
    tied = inner[member]
    cells_of = np.bincount(near.edge[:, 0], minlength=classes)
    single = cells_of[member] == 1
    only = np.zeros(classes, dtype=np.int64)
    only[near.edge[:, 0]] = near.edge[:, 1]
    for number in np.unique(k - tied[single]):  # as many donors are left to choose
        at = np.flatnonzero(single & (k - tied == number))
        if number:
            given[at, k - number :] = segments.after(only[member[at]], starts[at], int(number))
    several = np.flatnonzero(cells_of[member] > 1)
    candidates = np.cumsum(cells_of[member[several]] * k)
    pairs = near.edge[np.argsort(near.edge[:, 0], kind="stable")]
    for rows in np.split(several, np.searchsorted(candidates, np.arange(_CHUNK, candidates.max(initial=0), _CHUNK))):
        _fill_shared(given, tied, pairs, segments, starts, member, cells_of, rows, k)
    return given, tied


def _fill_inner(given: Array, near: _DonorCells, segments: _Segments, member: Array, classes: int) -> None:
    """Give every row of a class the complete rows nearer than its radius; there are fewer than k."""
    pairs = near.inner
    if not len(pairs):
        return
    counts = segments.counts(pairs[:, 1])
    receiver = np.repeat(pairs[:, 0], counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    places = segments.places[np.repeat(segments.first[pairs[:, 1]], counts) + within]
    order = np.argsort(receiver, kind="stable")
    receiver, places = receiver[order], places[order]
    sizes = np.bincount(receiver, minlength=classes)
    column = np.arange(len(receiver)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    table = np.full((classes, max(given.shape[1], 1)), -1, dtype=np.int64)
    table[receiver, column] = places
    given[:] = table[member]


def _fill_shared(
    given: Array,
    tied: Array,
    pairs: Array,
    segments: _Segments,
    starts: Array,
    member: Array,
    cells_of: Array,
    rows: Array,
    k: int,
) -> None:
    """Choose among several cells at the same distance: the next rows of each, merged around the circle."""
    if not len(rows):
        return
    first = np.searchsorted(pairs[:, 0], np.arange(len(cells_of)))
    counts = cells_of[member[rows]]
    receiver = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    cells = pairs[np.repeat(first[member[rows]], counts) + within, 1]
    places = segments.after(cells, starts[rows][receiver], k).ravel()
    receiver = np.repeat(receiver, k)
    there = places >= 0
    receiver, places = receiver[there], places[there]
    behind = (places - starts[rows][receiver]) % segments.size
    order = np.lexsort([behind, receiver])
    receiver, places = receiver[order], places[order]
    sizes = np.bincount(receiver, minlength=len(rows))
    rank = np.arange(len(receiver)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    column = rank + tied[rows][receiver]
    kept = column < k
    given[rows[receiver[kept]], column[kept]] = places[kept]
