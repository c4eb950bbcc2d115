"""Functions with one deliberate mistake each: the comparison of engine, meaning and column must notice every one."""

from typing import Any

import pytest
from attrs import evolve
from sqlglot import exp

from privet.tables.engines.duckdb.dialect import function as call
from privet.tables.expressions import (
    arithmetic,
    casts,
    conditional,
    logic,
    numeric,
    replacing,
    time_of_day,
    written_dates,
)
from privet.tables.expressions.casts import convert
from privet.tables.expressions.node import Expression, Function, Literal, Reference
from privet.tables.expressions.ranges import anything, texts
from privet.tables.expressions.syntax import binary
from privet.tables.vocabulary.literals import cast
from tests.tables.expressions.generate import COLUMNS, Engine, rows

ENGINE = Engine(rows(150))


def ref(name: str) -> Expression:
    return Reference(name, COLUMNS[name])


def plainly(tree: type[exp.Binary]) -> Any:
    return lambda x, y: binary(tree, x.sql(), y.sql())


def engine(name: str) -> Any:
    return lambda *arguments: call(name, *(argument.sql() for argument in arguments))


WHOLE, SMALL, REAL, SURE = ref("i"), ref("small int"), ref("x"), ref("b")
ZERO, MINUS_TWO = Literal(0, "integer"), Literal(-2, "integer")
TWINS: dict[str, tuple[Function, dict[str, Any], tuple[Expression, ...]]] = {
    "division without a guard": (arithmetic.DIVIDE, {"compile": plainly(exp.Div)}, (REAL, REAL)),
    "overflow of integers without a guard": (arithmetic.ADD, {"compile": plainly(exp.Add)}, (WHOLE, WHOLE)),
    "overflow of reals without a guard": (arithmetic.MULTIPLY, {"compile": plainly(exp.Mul)}, (REAL, REAL)),
    "a zero divisor": (arithmetic.WHOLE_DIVIDE, {"compile": plainly(exp.IntDiv)}, (WHOLE, SMALL)),
    "stale bounds after a negative factor": (
        arithmetic.MULTIPLY,
        {"infer": lambda x, _: x},
        (SMALL, MINUS_TWO),
    ),
    "overflow that is never null": (
        arithmetic.ADD,
        {"infer": lambda *_: anything("integer", nullable=False)},
        (ref("select"), ref("select")),
    ),
    "NaN of a root": (numeric.SQRT, {"compile": engine("sqrt")}, (REAL,)),
    "integers compared as doubles": (
        logic.AT_MOST,
        {"compile": lambda x, y: binary(exp.LTE, cast(x.sql(), "real"), y.sql())},
        (WHOLE, Literal(2.0**53, "real")),
    ),
    "null and false is null": (logic.AND, {"strict": True}, (SURE, ref("flag"))),
    "nulls clipped to a bound": (
        conditional.CLIP,
        {
            "compile": lambda x, low, high: call("least", call("greatest", x.sql(), low.sql()), high.sql()),
        },
        (SMALL, ZERO, Literal(5, "integer")),
    ),
    "halves to even": (
        casts.CASTS["real", "integer"],
        {"compile": lambda x: exp.TryCast(this=x.sql(), to=exp.DataType.build("BIGINT"))},
        (REAL,),
    ),
    "coalesce with the bounds of its first argument": (
        conditional.COALESCE,
        {"infer": lambda x, _: x, "foldable": lambda _: False},
        (SMALL, WHOLE),
    ),
    "a replacement that is longer than its match, with the length of the text": (
        replacing.REGEXP_REPLACE,
        {"infer": lambda x, *_: x},
        (convert(ref("since"), "text"), Literal("-", "text"), Literal(" to ", "text"), Literal("g", "text")),
    ),
    "dates by the engine's own parser": (
        written_dates.STRPTIME,
        {"compile": engine("try_strptime")},
        (ref("s"), Literal("%d.%m.%Y", "text")),
    ),
    "a time of day that is never null": (
        time_of_day.OF_TEXT,
        {"infer": lambda _: texts(15, nullable=False)},
        (ref("s"),),
    ),
    "the absolute value of the smallest integer": (numeric.ABS, {"compile": engine("abs")}, (WHOLE,)),
    "a case without its else": (
        conditional.CASE,
        {"infer": lambda _, x, __: x, "foldable": lambda _: False},
        (SURE, Literal("a", "text"), Literal("b", "text")),
    ),
}


@pytest.mark.parametrize("name", TWINS)
def test_a_broken_twin_is_caught(name: str) -> None:
    function, mistake, arguments = TWINS[name]
    assert ENGINE.problems(function(*arguments)) == []
    assert ENGINE.problems(evolve(function, **mistake)(*arguments)) != []


def test_nan_would_pass_a_filter() -> None:
    """NaN is above every number in DuckDB, so an unguarded root of a negative number would be kept by a filter."""
    broken = evolve(numeric.SQRT, compile=engine("sqrt"))
    zero = Literal(0.0, "real")
    assert ENGINE.problems(logic.ABOVE(numeric.SQRT(REAL), zero)) == []
    assert ENGINE.problems(logic.ABOVE(broken(REAL), zero)) != []
