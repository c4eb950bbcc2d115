"""How long Privet alone takes for the work of the other benchmarks: seconds as JSON, for ``bench.compare``.

Runs against whichever ``privet`` comes first on the path, so it uses names that older versions have too.
"""

import json
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq

from bench.timing import cpu

Timed = Iterator[tuple[str, float]]
SMALL, LARGE, USERS = 1_000, 1_000_000, 100_000
LINES = 300_000


def noise(_: Path) -> Timed:
    """Batches and single draws."""
    from bench.noise import INTEGERS, REALS, SCALARS, ours

    draws = {"integers": INTEGERS, "reals": REALS, "scalar": SCALARS}
    for name, rate in ours().items():
        yield name, draws[name.partition(" ")[0]] / rate.best


def units(_: Path) -> Timed:
    """Chains of units on a million reals."""
    from bench.units import many_quantiles, quantile, total
    from bench.units_data import large

    data = large()
    for name, made in {"clamp and sum": total(), "one quantile": quantile(0.5), "nine": many_quantiles()}.items():
        yield name, cpu(partial(made, data), times=9)[0]


def accounting(_: Path) -> Timed:
    """Both bounds of long compositions, from the parameters."""
    from bench.accounting import interval
    from bench.dp_accounting_cases import headline

    for name, parts in headline().items():
        yield name, cpu(partial(interval, parts), times=5)[0]


def tables(place: Path) -> Timed:
    """The second query of a session: rows and persons, in memory and in a file."""
    from bench.tables import PERSONS, ROWS, ours

    held, small = pq.read_table(place / "large.parquet"), pq.read_table(place / "small.parquet")
    yield "Arrow, rows", ours(held, ROWS)
    yield "Parquet, rows", ours(place / "large.parquet", ROWS)
    yield "Arrow, persons", ours(held, PERSONS)
    yield "1,000 rows", ours(small, ROWS)


def tables_caps(place: Path) -> Timed:
    """Contribution caps on ten million rows."""
    from bench.tables_caps import COLUMNS, ours
    from privet.tables.engines.duckdb import DuckDBEngine

    with DuckDBEngine() as engine:
        plan = ours(engine.load(place / "visits.parquet", COLUMNS, "visits"))
        yield "10 M rows, 1 M users", cpu(lambda: engine.execute(plan, order_by=["grp"]), times=1)[0]


def loading(place: Path) -> Timed:
    """Opening files: what a careful reader costs."""
    from bench.tables import ROWS, codebook
    from privet.tables.engines.duckdb import DuckDBEngine

    columns = {name: item.column for name, item in codebook(ROWS).columns.items()}

    def load(name: str) -> None:
        with DuckDBEngine() as engine:
            engine.load(place / name, columns, "visits")

    for name in ("large.csv", "large.csv.gz", "large.parquet"):
        yield name, cpu(partial(load, name), times=3)[0]


WORK: dict[str, Callable[[Path], Timed]] = {
    "noise": noise,
    "units": units,
    "accounting": accounting,
    "tables": tables,
    "tables_caps": tables_caps,
    "loading": loading,
}


def prepare(place: Path, names: list[str]) -> None:
    """Write the files that the work reads, once for all runs."""
    from bench.tables_data import visits, visits_file, write

    if "tables" in names or "loading" in names:
        held = visits(LARGE, USERS)
        write(held, place / "large.parquet")
        write(visits(SMALL, SMALL // 10), place / "small.parquet")
        for name in ("large.csv", "large.csv.gz"):
            with pyarrow.output_stream(str(place / name)) as stream:  # compressed where the name says so
                pyarrow.csv.write_csv(held.slice(0, LINES), stream)
    if "tables_caps" in names:
        visits_file(place)


def main() -> None:
    """Measure what is asked for, in a folder of prepared files."""
    place, *names = sys.argv[1:]
    found: dict[str, Any] = {}
    for name in names:
        found |= {f"{name}: {what}": seconds for what, seconds in WORK[name](Path(place))}
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
