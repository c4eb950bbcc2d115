"""The order of columns, in the codebook and in the source, changes no statistic and no charge."""

import random
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest

import privet as pv
from privet.tables.session.session import Session
from tests.tables.opened import exact_totals, fix_key

COLUMNS = {
    "person": pv.column("integer"),
    "ward": pv.column("text", categories=("a", "b", "c")),
    "minutes": pv.column("integer", bounds=(0, 60)),
    "cost": pv.column("real", bounds=(-10, 10)),
    "old": pv.column("boolean"),
}
KINDS = ("rows", "arrow", "pandas", "polars", "csv", "parquet")


def table(rng: random.Random) -> dict[str, list[Any]]:
    size = rng.randrange(1, 60)  # the type of an empty column of a frame is no boolean
    return {
        "person": [rng.randrange(20) for _ in range(size)],
        "ward": [rng.choice(("a", "b", "c", "d", "")) for _ in range(size)],
        "minutes": [rng.randrange(-5, 90) for _ in range(size)],
        "cost": [rng.choice((-20.5, 0.25, 7.125, 1e300)) for _ in range(size)],
        "old": [rng.random() < 0.5 for _ in range(size)],
        "spare": [rng.random() for _ in range(size)],
    }


def source(kind: str, found: dict[str, list[Any]], folder: Path) -> Any:
    arrow = pa.table(found)
    if kind == "rows":
        return arrow.to_pylist()
    if kind in ("pandas", "polars"):
        return pd.DataFrame(found) if kind == "pandas" else pl.DataFrame(found)
    if kind == "arrow":
        return arrow
    path = folder / f"{len(list(folder.iterdir()))}.{kind}"
    csv.write_csv(arrow, path) if kind == "csv" else pq.write_table(arrow, path)
    return str(path)


def answers(data: Any, columns: dict[str, Any], unit: Any, key: int) -> Any:
    """Exact numbers of every question, before noise, and what is charged for them."""
    book = pv.Codebook(columns=columns, unit=unit)
    with Session(data, book, pv.budget(epsilon=100)) as session:
        fix_key(session, key)  # decides whose rows stay where there are too many
        query = session.query().filter("minutes >= 5 or old").derive(both="minutes + cost")
        aggregates = (pv.count(), pv.count("cost"), pv.sum("minutes"), pv.mean("both"), pv.histogram("ward"))
        question = query.group_by("ward", "old").agg(*aggregates)
        plan = question.plan(epsilon=1)
        exact = exact_totals(question, plan)
        numbers = [part.measured.exact(exact, plan.groups).tolist() for part in plan.planned]
        return question.grouped.groups, numbers, plan.loss


# Which rows of a person stay where there are too many is drawn from their values in the order of the codebook.
FREE = (pv.Rows(), pv.Persons(id="person", groups=6, rows_per_group=60))
CAPPED = (pv.Persons(id="person", rows=3), pv.Persons(id="person", groups=2, rows_per_group=1))


def check_order(seed: int, folder: Path) -> None:
    rng = random.Random(seed)
    found, kind = table(rng), KINDS[seed % len(KINDS)]
    unit, columns, results = rng.choice((*FREE, *CAPPED)), list(COLUMNS), []
    for _ in range(2):
        names = list(found)
        rng.shuffle(names)
        if unit in FREE:
            rng.shuffle(columns)
        data = source(kind, {name: found[name] for name in names}, folder)
        results.append(answers(data, {name: COLUMNS[name] for name in columns}, unit, key=seed))
    assert results[0] == results[1], f"{kind}, seed {seed}"


@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_columns_does_not_matter(seed: int, tmp_path: Path) -> None:
    check_order(seed, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", range(100, 700, 60))
def test_the_order_of_columns_does_not_matter_in_many_tables(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 60):
        check_order(seed, tmp_path)
