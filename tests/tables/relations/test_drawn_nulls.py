"""Draws in place of nulls: uniform, weighted as stated, within bounds, and a function of the row."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.drawn_nulls import drawn, drawn_from
from privet.tables.vocabulary.grid_sql import number
from privet.tables.vocabulary.relation import column
from tests.noise.chi_square import chi_square_upper

ROWS = 20_000
KNOWN = {"row": Column(kind="integer"), "x": Column(kind="integer")}
WHOLE, TEXT = Column(kind="integer"), Column(kind="text")
LEVEL = 1e-9


def draws(make: Any, known: Column, rows: int = ROWS, key: int = 7) -> list[Any]:
    with DuckDBEngine() as engine:
        table = engine.load([{"row": at} for at in range(rows)], KNOWN)
        relation = table.project({"drawn": (make(key), known), "row": (column("row", "r"), WHOLE)})
        if known.kind in ("date", "timestamp"):
            relation = relation.project({"drawn": (number(column("drawn", "r"), known), WHOLE)})
        elif known.kind == "real":
            from privet.tables.vocabulary.literals import cast

            relation = relation.project({"drawn": (cast(column("drawn", "r"), "text"), TEXT)})
        return engine.execute(relation)["drawn"]


def uniform(known: Column, bounds: Any = None, salt: str = "x") -> Any:
    return lambda key: drawn(known, bounds, ["row", "x"], key, salt)


def p_value(counts: Counter[Any], expected: dict[Any, float]) -> float:
    assert set(counts) <= set(expected)
    statistic = sum((counts[value] - often) ** 2 / often for value, often in expected.items())
    return chi_square_upper(statistic, len(expected) - 1)


@pytest.mark.parametrize("size", [2, 7, 64, 100])
def test_draws_are_uniform(size: int) -> None:
    known = Column(kind="integer", bounds=(-3, size - 4))
    counts = Counter(draws(uniform(known), known))
    assert p_value(counts, dict.fromkeys(range(-3, size - 3), ROWS / size)) > LEVEL


def test_draws_of_part_of_the_values_are_caught() -> None:
    known = Column(kind="integer", bounds=(0, 8))
    counts = Counter(draws(uniform(known), known))
    assert p_value(counts, dict.fromkeys(range(10), ROWS / 10)) < LEVEL


@pytest.mark.parametrize(("salt", "key"), [("y", 7), ("x", 8), ("x", 2**62 + 7)])
def test_other_columns_and_other_keys_have_draws_of_their_own(salt: str, key: int) -> None:
    known = Column(kind="integer", bounds=(0, 1))
    first, second = draws(uniform(known), known), draws(uniform(known, salt=salt), known, key=key)
    assert p_value(Counter(zip(first, second, strict=True)), dict.fromkeys(PAIRS, ROWS / 4)) > LEVEL


PAIRS = [(one, other) for one in (0, 1) for other in (0, 1)]


def test_the_same_key_draws_the_same_and_another_key_another() -> None:
    known = Column(kind="integer", bounds=(0, 10**6))
    assert draws(uniform(known), known, 50) == draws(uniform(known), known, 50)
    assert draws(uniform(known), known, 50) != draws(uniform(known), known, 50, key=8)


def test_a_draw_depends_on_its_row_alone() -> None:
    known = Column(kind="integer", bounds=(0, 10**6))
    assert draws(uniform(known), known, 50) == draws(uniform(known), known, 200)[:50]


def test_reals_are_drawn_on_their_grid_within_bounds() -> None:
    known = Column(kind="real", bounds=(-1, 1), grid=0.25)
    found = Counter(map(float, draws(uniform(known, (Fraction(0), Fraction(1))), known)))
    assert p_value(found, dict.fromkeys((0.0, 0.25, 0.5, 0.75, 1.0), ROWS / 5)) > LEVEL


@pytest.mark.parametrize(("kind", "bounds"), [("date", (19_000, 19_003)), ("timestamp", (10**15, 10**15 + 3))])
def test_dates_and_times_are_drawn_within_bounds(kind: Any, bounds: tuple[int, int]) -> None:
    known = Column(kind=kind, bounds=bounds)
    counts = Counter(draws(uniform(known), known))
    assert p_value(counts, dict.fromkeys(range(bounds[0], bounds[1] + 1), ROWS / 4)) > LEVEL


def test_all_integers_can_be_drawn_from() -> None:
    known = Column(kind="integer", bounds=(-(2**63), 2**63 - 1))
    assert len(set(draws(uniform(known), known, 200))) == 200


@pytest.mark.parametrize("weights", [None, (Fraction(1, 2), Fraction(3), Fraction(0), Fraction(1, 10))])
def test_categories_are_drawn_with_their_weights(weights: Any) -> None:
    choices = ("a", "b", "c", "d")
    known = Column(kind="text", categories=choices)
    counts = Counter(draws(lambda key: drawn_from(known, choices, weights, ["row", "x"], key, "x"), known))
    shares = dict(zip(choices, weights or [Fraction(1)] * 4, strict=True))
    whole = sum(shares.values())
    assert p_value(counts, {name: float(ROWS * share / whole) for name, share in shares.items() if share}) > LEVEL


def test_one_category_is_always_drawn() -> None:
    known = Column(kind="boolean")
    assert set(draws(lambda key: drawn_from(known, (True,), None, ["row"], key, "x"), known, 20)) == {True}
