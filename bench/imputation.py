"""How long donors and the exact number of changes take, how that grows, and all pairs of rows for comparison."""

import os

import numpy as np

from bench.report import show, write
from bench.timing import cpu
from privet.core.rows import Array
from privet.imputation.changes import most_changes
from privet.imputation.donors import find_donors
from privet.imputation.feature_grid import Feature, FeatureGrid

GRID = FeatureGrid(
    features=(
        Feature(kind="ordinal", levels=9),  # decades of age
        Feature(kind="ordinal", levels=8),  # schooling
        Feature(kind="categorical", levels=2),
        Feature(kind="categorical", levels=7),
        Feature(kind="categorical", levels=5),
        Feature(kind="categorical", levels=4),
    )
)
SIZES = (100_000, 1_000_000, 10_000_000)
SMALL = 20_000
MISSING = 0.1
_CHUNK = 50


def people(rows: int) -> tuple[Array, Array, Array]:
    """Cells, labels and whether a row is complete; levels are uneven, as in a census."""
    rng = np.random.default_rng(rows)
    codes = [np.minimum(rng.geometric(1.8 / each.levels, rows) - 1, each.levels - 1) for each in GRID.features]
    cells = GRID.encode(np.column_stack(codes))
    return cells, rng.integers(0, 2**63, rows), rng.random(rows) >= MISSING


def ours(rows: tuple[Array, Array, Array], k: int) -> int:
    """Donors and the exact number of changes."""
    cells, labels, complete = rows
    return most_changes(find_donors(GRID, cells, labels, complete, k=k))


def all_pairs(rows: tuple[Array, Array, Array]) -> int:
    """The same by looking at all pairs: of rows for donors and removals, of rows and cells for additions.

    Additions just as near as the donor are left out, so that it finds less than the exact number.
    """
    cells, labels, complete = rows
    codes, everywhere = GRID.decode(cells), GRID.decode(np.arange(GRID.cells))
    whole, lacking = np.flatnonzero(complete), np.flatnonzero(~complete)
    chosen, taken = [], np.zeros(GRID.cells, dtype=np.int64)
    for begin in range(0, len(lacking), _CHUNK):
        part = lacking[begin : begin + _CHUNK]
        apart = GRID.distances(codes[part][:, None, :], codes[whole][None, :, :])
        behind = (labels[whole][None, :] - labels[part][:, None]) & (2**63 - 1)
        nearest = apart.min(axis=1)[:, None]
        behind[apart > nearest] = 2**63 - 1
        chosen.append(behind.argmin(axis=1))
        taken += (GRID.distances(codes[part][:, None, :], everywhere[None, :, :]) < nearest).sum(axis=0)
    return max(int(np.bincount(np.concatenate(chosen)).max()), int(taken.max()))


def run() -> None:
    """Measure, print and write the tables."""
    seconds: dict[tuple[int, int], float] = {}
    found: dict[int, int] = {}
    for size in SIZES:
        rows = people(size)
        for k in (1, 5):
            seconds[size, k] = cpu(lambda rows=rows, k=k: ours(rows, k), times=3)[0]  # type: ignore[misc]
        found[size] = ours(rows, 1)
    small = people(SMALL)
    fast, slow = cpu(lambda: ours(small, 1), times=3)[0], cpu(lambda: all_pairs(small), times=1)[0]
    heading = ("rows", "k = 1, s", "k = 5, s", "microseconds per row, k = 1", "L1, k = 1")
    table = [
        (
            f"{size:,}",
            f"{seconds[size, 1]:.2f}",
            f"{seconds[size, 5]:.2f}",
            f"{seconds[size, 1] / size * 1e6:.2f}",
            f"{found[size]}",
        )
        for size in SIZES
    ]
    note = (
        f"CPU seconds of one process, the best of 3; {os.cpu_count()} cores. Six features ({GRID.cells:,} cells), "
        f"{MISSING:.0%} of the rows lack a value; donors and exact L1, every cell of the grid looked at. At {SMALL:,} "
        f"rows, k = 1: {fast:.3f} s against {slow:.1f} s for all pairs in numpy ({slow / fast:.0f}x). "
        "Written by `python -m bench imputation`."
    )
    show("imputation", heading, table, note)
    write("imputation", heading, table, note)
