"""The data of the benchmarks of engines: visits of persons, of any size, written by DuckDB in pieces."""

from pathlib import Path

import duckdb

from bench.tables_data import GROUPS

PERSON_ROWS = 10  # rows of a person, on average
_UNIFORM = "(hash(i * 8 + {place}) / 18446744073709551616.0)"  # of the number of the row: always the same table


def visits_of(rows: int, directory: Path) -> Path:
    """Write rows of (user_id, grp, value) as Parquet, unless the file is there.

    As in ``bench.tables_data``: users are drawn as the square of a uniform number, groups from a power law folded onto
    the groups, values log-normal; a third of them pass their bounds.
    """
    path = directory / f"visits_{rows}.parquet"
    if path.exists():
        return path
    user, group, size, angle = (_UNIFORM.format(place=place) for place in range(4))
    rank = f"CAST(least(pow(1 - {group}, -1 / 0.3), 1e9) AS BIGINT)"
    normal = f"sqrt(-2 * ln(1 - {size})) * cos(2 * pi() * {angle})"
    query = f"""
        SELECT CAST(floor({user} * {user} * {rows // PERSON_ROWS}) AS BIGINT) AS user_id,
            printf('group_%03d', ({rank} * 7919) % {GROUPS}) AS grp, exp(3 + 1.2 * {normal}) - 10 AS value
        FROM range({rows}) AS t(i)
    """
    with duckdb.connect(config={"memory_limit": "4GB", "preserve_insertion_order": False}) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 500000)")
    return path
