"""Sums, differences, products and quotients of extreme doubles on a server, against IEEE 754: none raises."""

import math
import operator
import random
import struct
from typing import Any

import numpy as np
import pytest
from sqlglot import exp

from privet.tables.engines.postgres.connection import ReadOnlyConnection
from privet.tables.engines.postgres.numbers import over, plus, times
from privet.tables.engines.postgres.numbers import round_to as round_in_sql
from privet.tables.engines.postgres.typed import literal
from privet.tables.engines.typed_sql.trees import Typed
from tests.tables.expressions.oracle import round_to

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
pytestmark = pytest.mark.engines
LARGEST = math.nextafter(math.inf, 0)
SPECIAL = [0.0, -0.0, 5e-324, -5e-324, LARGEST, -LARGEST, 2.0**-1022, 1.0, -1.0, 0.5, 2.0]
A, B = (Typed(exp.column(name, "p"), "real") for name in ("a", "b"))
RULES = {
    "+": (plus(A, B, exp.Add), operator.add),
    "-": (plus(A, B, exp.Sub), operator.sub),
    "*": (times(A, B), operator.mul),
    "/": (over(A, B), operator.truediv),
}


def pairs(number: int) -> list[tuple[float, float]]:
    """Draw pairs of all magnitudes; many of them have a product at an end of the doubles, or half of the least one."""
    dice = random.Random(5)
    found: list[tuple[float, float]] = []
    while len(found) < number:
        a, b = (_double(dice) for _ in range(2))
        share, power = math.frexp(a)
        if share and dice.random() < 0.4:
            exponent = dice.choice([-1075, -1074, 1023, 1024]) - power
            near = dice.choice([1.0, 1 + 2**-52, 1 - 2**-53, 1 / share / 2])
            b = math.ldexp(near, max(-1074, min(1022, exponent)))
        if math.isfinite(a) and math.isfinite(b):
            found.append((a, b))
    return found


def _double(dice: random.Random) -> float:
    if dice.random() < 0.2:
        return dice.choice(SPECIAL)
    value: float = struct.unpack("d", struct.pack("Q", dice.getrandbits(64)))[0]
    return value


@pytest.fixture(scope="module")
def drawn(address: str) -> Any:
    values = pairs(20_000)
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute("CREATE TABLE pairs (n int, a float8, b float8)")
        with owner.cursor() as cursor, cursor.copy("COPY pairs FROM STDIN") as copy:
            for at, (a, b) in enumerate(values):
                copy.write_row((at, a, b))
    connection = ReadOnlyConnection(address)
    yield values, connection
    connection.close()


def computed(drawn: Any, made: Typed) -> list[float]:
    rows = drawn[1].rows(f"SELECT {made.tree.sql(dialect='postgres')} FROM public.pairs p ORDER BY n")
    return [value for (value,) in rows]


@pytest.mark.parametrize("sign", RULES)
def test_arithmetic_gives_what_the_standard_says(sign: str, drawn: Any) -> None:
    made, rule = RULES[sign]
    wrong = []
    with np.errstate(all="ignore"):
        for got, (a, b) in zip(computed(drawn, made), drawn[0], strict=True):
            meant = math.nan if sign == "/" and b == 0 else float(rule(np.float64(a), np.float64(b)))
            if got != meant and not (math.isnan(got) and math.isnan(meant)):
                wrong.append((a.hex(), b.hex(), got, meant))
    assert wrong == []


@pytest.mark.parametrize("digits", [-15, -3, 1, 2, 15])
def test_rounding_gives_what_every_engine_gives(digits: int, drawn: Any) -> None:
    got = computed(drawn, round_in_sql(A, literal(str(digits), "integer")))
    wrong = [(a.hex(), value) for value, (a, _) in zip(got, drawn[0], strict=True) if value != round_to(a, digits)]
    assert wrong == []
