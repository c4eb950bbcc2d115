"""The data of the benchmarks of tables: seeded, skewed, and large; numpy and pyarrow only."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS, USERS, GROUPS = 10_000_000, 1_000_000, 100
BOUNDS = (0, 100)
EPSILON = 1.0
DELTA = 1e-9
RHO = 0.1


def names(groups: int = GROUPS) -> list[str]:
    """Give the public groups."""
    return [f"group_{number:03d}" for number in range(groups)]


def visits(rows: int = ROWS, users: int = USERS, seed: int = 7, groups: int = GROUPS) -> Any:
    """Rows of (user_id, grp, value): some users have many rows, some groups are rare, values pass their bounds.

    Users are drawn as the square of a uniform number, groups from a Zipf law folded onto the groups, values log-normal.
    """
    generator = np.random.default_rng(seed)
    user = (generator.random(rows) ** 2 * users).astype(np.int64)
    group = ((generator.zipf(1.3, rows) * 7919) % groups).astype(np.int32)
    value = generator.lognormal(3, 1.2, rows) - 10
    texts = pa.DictionaryArray.from_arrays(pa.array(group), pa.array(names(groups))).cast(pa.string())
    return pa.table({"user_id": user, "grp": texts, "value": value})


def visitors(users: int, groups: int, each: int = 1, seed: int = 7) -> Any:
    """Visits of users with so many rows, each in another group, of which caps leave out none; groups of equal size."""
    at = np.arange(users * each)
    texts = pa.array(names(groups)).take(pa.array(at % groups))
    value = np.random.default_rng(seed).lognormal(3, 1.2, len(at)) - 10
    return pa.table({"user_id": at // each, "grp": texts, "value": value})


def visits_file(directory: Path, rows: int = ROWS, users: int = USERS) -> Path:
    """Write the visits as Parquet."""
    return write(visits(rows, users), directory / "visits.parquet")


def write(table: Any, path: Path) -> Path:
    """Write a table as Parquet."""
    pq.write_table(table, path, row_group_size=500_000)
    return path
