"""The law of null policies: what stands in for a null depends on its row and on a key, and on nothing else."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import privet as pv
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.filling import fill_nulls

Rows = list[dict[str, Any]]
Filled = Counter[tuple[Any, ...]]
BOUNDS = (-1000, 1000)
POLICIES: dict[str, Any] = {
    "dropped": pv.NullsDropped(),
    "replaced": pv.NullsReplaced(5),
    "uniform": pv.NullsDrawn(),
    "gaussian": pv.NullsDrawnFromGaussian(3, 400),
    "categories": pv.NullsDrawnFromCategories(list(range(50))),
}


def rows_of(dice: random.Random, count: int) -> Rows:
    return [{"id": dice.randint(0, 9), "x": dice.choice((None, None, 7, -3))} for _ in range(count)]


def filled(rows: Rows, policy: Any, key: int) -> Filled:
    bounds = None if isinstance(policy, pv.NullsDrawnFromCategories) else BOUNDS
    columns = {"id": pv.column("integer"), "x": pv.column("integer", bounds=bounds, nulls=policy)}
    with DuckDBEngine() as engine:
        loaded = engine.load(rows, {name: item.column for name, item in columns.items()})
        found = engine.execute(fill_nulls(loaded, columns, key=key))
        return Counter(zip(found["id"], found["x"], strict=True))


def check(fill: Callable[[Rows, Any, int], Filled], policy: Any) -> None:
    """Two tables, filled apart, are their union, filled; so rows that two tables share are still shared."""
    dice = random.Random(11)
    for key in (3, 2**62):
        for _ in range(3):
            first, second = rows_of(dice, dice.randint(0, 12)), rows_of(dice, dice.randint(1, 6))
            mixed = [*first, *second]
            dice.shuffle(mixed)
            assert fill(mixed, policy, key) == fill(first, policy, key) + fill(second, policy, key), "filling law"


@pytest.mark.parametrize("name", POLICIES)
def test_tables_are_filled_row_by_row(name: str) -> None:
    check(filled, POLICIES[name])


def test_drawn_values_differ_by_key() -> None:
    rows = [{"id": at} for at in range(30)]
    for name in ("uniform", "gaussian", "categories"):
        assert filled(rows, POLICIES[name], 3) != filled(rows, POLICIES[name], 4)


def by_place(rows: Rows, policy: Any, key: int) -> Filled:
    """Draws by the place of a row, as a generator with a seed would."""
    dice = random.Random(key)
    return Counter((row["id"], round(dice.gauss(3, 400)) if row["x"] is None else row["x"]) for row in rows)


def by_chance(rows: Rows, policy: Any, key: int) -> Filled:
    """Draws anew each time."""
    dice = random.Random()
    return Counter((row["id"], round(dice.gauss(3, 400)) if row["x"] is None else row["x"]) for row in rows)


def from_the_data(rows: Rows, policy: Any, key: int) -> Filled:
    """Puts the mean of the values in the place of nulls."""
    known = [row["x"] for row in rows if row["x"] is not None]
    mean = sum(known) / max(len(known), 1)
    return Counter((row["id"], mean if row["x"] is None else row["x"]) for row in rows)


def by_number_of_nulls(rows: Rows, policy: Any, key: int) -> Filled:
    """Spreads the stand-ins evenly over the law, so that their number decides."""
    nulls = sum(row["x"] is None for row in rows)
    return Counter((row["id"], nulls if row["x"] is None else row["x"]) for row in rows)


@pytest.mark.parametrize("twin", [by_place, by_chance, from_the_data, by_number_of_nulls])
def test_a_broken_twin_is_caught(twin: Any) -> None:
    with pytest.raises(AssertionError, match="filling law"):
        check(twin, POLICIES["gaussian"])
