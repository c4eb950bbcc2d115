"""The data of the benchmarks of tables: seeded, skewed, and large; numpy and pyarrow only."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS, USERS, GROUPS = 10_000_000, 1_000_000, 100
BOUNDS = (0, 100)


def visits(rows: int = ROWS, users: int = USERS, seed: int = 7) -> Any:
    """Rows of (user_id, grp, value): some users have many rows, some groups are rare, values pass their bounds.

    Users are drawn as the square of a uniform number, groups from a Zipf law folded onto the groups, values log-normal.
    """
    generator = np.random.default_rng(seed)
    user = (generator.random(rows) ** 2 * users).astype(np.int64)
    group = ((generator.zipf(1.3, rows) * 7919) % GROUPS).astype(np.int32)
    names = pa.array([f"group_{number:03d}" for number in range(GROUPS)])
    value = generator.lognormal(3, 1.2, rows) - 10
    texts = pa.DictionaryArray.from_arrays(pa.array(group), names).cast(pa.string())
    return pa.table({"user_id": user, "grp": texts, "value": value})


def visits_file(directory: Path, rows: int = ROWS, users: int = USERS) -> Path:
    """Write the visits as Parquet."""
    path = directory / "visits.parquet"
    pq.write_table(visits(rows, users), path, row_group_size=500_000)
    return path
