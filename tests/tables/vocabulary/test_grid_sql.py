"""Steps agree bit for bit with the grid of the vectors, and their sums are exact."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from privet.core.grid import clamp_floats
from privet.errors import InvalidError
from privet.tables.columns.column import LARGEST, SMALLEST, Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import function as call
from privet.tables.vocabulary.grid_sql import (
    exact_sum,
    fits,
    grid_of,
    inside_steps,
    number,
    present,
    rows,
    step_bounds,
    steps,
)
from privet.tables.vocabulary.literals import case, cast, clamped, double_bounds, real, whole
from privet.tables.vocabulary.relation import Relation, column, named

INTEGER = Column(kind="integer")
EDGES = [0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, math.inf, -math.inf, math.nan, 0.5, 1.5, 2.5, -0.5, -1.5, 0.1]


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened


def apply(engine: DuckDBEngine, values: list[float], expression: exp.Expr) -> list[Any]:
    """Evaluate an expression of a column ``x`` of raw doubles, also of those that no column holds."""
    items = exp.Array(expressions=[real(value) for value in values])
    order = exp.Array(expressions=[whole(position) for position in range(len(values))])
    raw = exp.Select(expressions=[named(call("unnest", items), "x"), named(call("unnest", order), "at")])
    source = Relation(query=raw, columns={"x": Column(kind="real"), "at": INTEGER})
    outputs = {"at": (column("at"), INTEGER), "steps": (expression, INTEGER)}
    return engine.execute(source.project(outputs), order_by=["at"])["steps"]


def expected(values: list[float], bounds: tuple[Fraction, Fraction], grid: Fraction) -> list[int | None]:
    """Ask the vectors."""
    held = clamp_floats(np.array(values), bounds, grid)
    return [None if math.isnan(value) else int(Fraction(float(value)) / grid) for value in held]


BOUNDS = st.tuples(
    st.fractions(-(10**6), 10**6), st.fractions(Fraction(1, 10**6), 10**6), st.sampled_from([-600, -20, 0, 20, 900])
).map(lambda made: (made[0] * Fraction(2) ** made[2], (made[0] + made[1]) * Fraction(2) ** made[2]))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bounds=BOUNDS, values=st.lists(st.floats(), min_size=1, max_size=30), data=st.data())
def test_steps_are_those_of_the_vectors(engine: DuckDBEngine, bounds: Any, values: list[float], data: Any) -> None:
    known = Column(kind="real", bounds=bounds)
    try:
        grid = grid_of("x", known)
    except InvalidError:  # bounds that are too narrow for the default grid
        return
    lowest, highest = step_bounds("x", known)
    halves = data.draw(st.lists(st.integers(2 * lowest - 3, 2 * highest + 3), max_size=30))
    near = [float(half * grid / 2) for half in halves if abs(half * grid) < Fraction(10) ** 307]
    everything = [*EDGES, *values, *near, *(math.nextafter(value, math.inf) for value in near)]
    assert apply(engine, everything, steps("x", column("x"), known)) == expected(everything, bounds, grid)


@pytest.mark.parametrize(
    ("bounds", "grid"),
    [
        ((-1e308, 1e308), None),
        ((-1e-280, 1e-280), None),
        ((0, 2**52 - 1), 0.5),
        ((-(2**53) + 1, 2**53 - 1), 1),
        ((0, 100), 2**-40),
    ],
)
def test_extreme_grids_are_exact(engine: DuckDBEngine, bounds: Any, grid: Any) -> None:
    known = Column(kind="real", bounds=bounds, grid=grid)
    step, (lowest, highest) = grid_of("x", known), step_bounds("x", known)
    chosen = [lowest, lowest + 1, highest - 1, highest, 0, 1, (lowest + highest) // 3]
    values = [
        *EDGES,
        *(float(point * step) for point in chosen),
        *(float((point + Fraction(1, 2)) * step) for point in chosen),
    ]
    limits = known.bounds or (Fraction(0), Fraction(0))
    assert apply(engine, values, steps("x", column("x"), known)) == expected(values, limits, step)


def naive(known: Column) -> exp.Expr:
    """The twin that every tutorial shows: nulls and NaN become the upper bound."""
    least = call("least", column("x"), real(10.0))
    return cast(
        exp.Mul(this=call("greatest", least, real(0.0)), expression=real(float(1 / grid_of("x", known)))), "integer"
    )


def truncating(known: Column) -> exp.Expr:
    """A twin that cuts off instead of rounding."""
    inside = case([(call("isnan", column("x")), exp.null())], clamped(column("x"), real(0.0), real(10.0), column("x")))
    return cast(
        call("trunc", exp.Mul(this=exp.Paren(this=inside), expression=real(float(1 / grid_of("x", known))))), "integer"
    )


@pytest.mark.parametrize("twin", [naive, truncating])
def test_broken_twins_are_noticed(engine: DuckDBEngine, twin: Any) -> None:
    known = Column(kind="real", bounds=(0, 10), grid=0.25)
    values = [math.nan, 0.2, 0.375, 9.99, 12.0]
    right = expected(values, (Fraction(0), Fraction(10)), Fraction(1, 4))
    assert apply(engine, values, steps("x", column("x"), known)) == right
    assert apply(engine, values, twin(known)) != right


def aggregate(engine: DuckDBEngine, values: list[Any], known: Column, name: str) -> tuple[int, int, int]:
    relation = engine.load([{"x": value} for value in values], {"x": known}, name)
    total = exact_sum(steps("x", column("x"), known))
    outputs = [named(total, "sum"), named(rows(), "rows"), named(present(column("x")), "present")]
    query = exp.Select(expressions=outputs).from_(relation.derived())
    found = engine.execute(Relation(query=query, columns=dict.fromkeys(("sum", "rows", "present"), INTEGER)))
    return found["sum"][0], found["rows"][0], found["present"][0]


def test_sums_of_integers_do_not_wrap(engine: DuckDBEngine) -> None:
    values = [LARGEST] * 50 + [SMALLEST] * 7 + [None]
    assert aggregate(engine, values, INTEGER, "large") == (50 * LARGEST + 7 * SMALLEST, 58, 57)


def test_sums_of_reals_are_exact_in_any_order(engine: DuckDBEngine) -> None:
    known = Column(kind="real", bounds=(-(2**20), 2**20), grid=2**-32)
    values = [2.0**20, 2.0**-32, -(2.0**20), 0.1, 2.0**-31, -(2.0**-32)] * 1000
    wanted = sum(round(Fraction(value) * 2**32) for value in values)
    assert aggregate(engine, values, known, "forwards")[0] == wanted
    assert aggregate(engine, values[::-1], known, "backwards")[0] == wanted


def test_no_rows_sum_to_zero(engine: DuckDBEngine) -> None:
    assert aggregate(engine, [], INTEGER, "empty") == (0, 0, 0)
    assert aggregate(engine, [None], INTEGER, "only null") == (0, 1, 0)


def test_integers_are_clamped_to_the_bounds_of_the_query(engine: DuckDBEngine) -> None:
    relation = engine.load([{"x": value} for value in (-5, 3, 99, None)], {"x": INTEGER}, "clamped")
    bounds = (Fraction(1, 2), Fraction(21, 2))
    outputs = {"x": (steps("x", column("x"), INTEGER, bounds), INTEGER)}
    assert engine.execute(relation.project(outputs), order_by=["x"])["x"] == [None, 1, 3, 10]
    assert step_bounds("x", INTEGER, bounds) == (1, 10)


def test_days_and_microseconds(engine: DuckDBEngine) -> None:
    columns = {"d": Column(kind="date"), "t": Column(kind="timestamp")}
    relation = engine.load([{"d": "1970-01-03", "t": "1969-12-31T23:59:59.5"}, {}], columns, "moments")
    outputs = {name: (number(column(name), known), INTEGER) for name, known in columns.items()}
    assert dict(engine.execute(relation.project(outputs), order_by=["d"]).columns) == {
        "d": [None, 2],
        "t": [None, -500_000],
    }


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (Column(kind="text"), "x must be a column of numbers to be added up, got text."),
        (Column(kind="date"), "got date"),
        (Column(kind="real"), "x needs bounds to be added up"),
        (Column(kind="real", bounds=(0, 1), grid=Fraction(1, 3)), "x.grid must be a power of two"),
    ],
)
def test_what_has_no_steps_is_refused(known: Column, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        steps("x", column("x"), known)


def test_other_columns_are_no_whole_numbers() -> None:
    with pytest.raises(InvalidError, match="got real"):
        number(column("x"), Column(kind="real"))
    with pytest.raises(InvalidError, match="at least one whole number"):
        step_bounds("x", INTEGER, (Fraction(1, 3), Fraction(2, 3)))
    with pytest.raises(InvalidError, match="got boolean"):
        grid_of("x", Column(kind="boolean"))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bounds=BOUNDS, shares=st.lists(st.floats(0, 1), max_size=10))
def test_values_that_fit_have_the_same_steps_without_a_clamp(
    engine: DuckDBEngine, bounds: Any, shares: list[float]
) -> None:
    known = Column(kind="real", bounds=bounds)
    try:
        fitting = fits(bounds, known)
    except InvalidError:  # bounds that are too narrow for the default grid
        return
    low, high = double_bounds(bounds)
    values = [low, high, *(min(max(low + (high - low) * share, low), high) for share in shares)]
    free, clamped_ones = (apply(engine, values, build("x", column("x"), known)) for build in (inside_steps, steps))
    assert free == clamped_ones or not fitting


def test_a_bound_that_rounds_beyond_the_last_step_does_not_fit(engine: DuckDBEngine) -> None:
    known = Column(kind="real", bounds=(0, Fraction(1, 5)), grid=Fraction(1, 8))
    assert not fits((Fraction(0), Fraction(1, 5)), known)
    assert apply(engine, [0.2], inside_steps("x", column("x"), known)) == [2]  # above step_bounds
    assert apply(engine, [0.2], steps("x", column("x"), known)) == [1]


def test_a_sum_of_64_bit_steps_has_128_bits(engine: DuckDBEngine) -> None:
    items = exp.Array(expressions=[whole(LARGEST)] * 3)
    raw = Relation(query=exp.Select(expressions=[named(call("unnest", items), "x")]), columns={"x": INTEGER})
    total = exp.Select(expressions=[named(exact_sum(column("x", "r")), "s")]).from_(raw.derived())
    assert engine.execute(Relation(query=total, columns={"s": INTEGER}))["s"] == [3 * LARGEST]
