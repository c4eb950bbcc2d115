# ruff: noqa: DTZ001, DTZ901, E501
"""Random expressions, as texts, over a table of columns and rows that hold the extremes of every kind."""

import math
import random
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import duckdb
from hypothesis import reject
from hypothesis import strategies as st

from privet.errors import InvalidError
from privet.tables.columns.column import ORDERED, Column, Kind
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.expressions import parse
from privet.tables.expressions.node import Expression, Reference
from privet.tables.expressions.ranges import ordinal
from tests.tables.expressions.oracle import evaluate

COLUMNS: dict[str, Column] = {
    "i": Column(kind="integer"),
    "select": Column(kind="integer", nullable=False),
    "small int": Column(kind="integer", bounds=(-20, 100)),
    "n": Column(kind="integer", bounds=(1, 12), nullable=False),
    "code": Column(kind="integer", categories=(-3, 0, 2, 40)),
    "x": Column(kind="real"),
    'q"uoted': Column(kind="real", bounds=(-1.5, 0.1)),
    "rate": Column(kind="real", bounds=(0, 1), nullable=False),
    "b": Column(kind="boolean"),
    "flag": Column(kind="boolean", nullable=False),
    "s": Column(kind="text"),
    "été ☃": Column(kind="text", categories=("A", "b c", "it's", "")),
    "d": Column(kind="date"),
    "since": Column(kind="date", bounds=(0, 20_000), nullable=False),
    "value": Column(kind="timestamp"),
    "2nd; drop--": Column(kind="timestamp", bounds=(-(10**15), 10**15)),
}
VALUES: dict[str, list[Any]] = {
    "i": [-(2**63), -(2**63) + 1, 2**63 - 1, 2**53 + 1, -(2**53) - 1, 2**62, -1, 0, 1, 2, 7, 1000],
    "select": [-(2**63), 2**63 - 1, 2**53 + 1, 9007199254740995, -(2**31), 2**31, -7, 0, 1, 3, 10, 15],
    "small int": [-20, -19, -7, -1, 0, 1, 5, 15, 25, 99, 100],
    "n": list(range(1, 13)),
    "code": [-3, 0, 2, 40],
    "x": [0.0, 0.0, 5e-324, -5e-324, 1.7976931348623157e308, -1.7976931348623157e308, 2.0**53, 2.0**63, -(2.0**63), 0.5, -0.5,
          2.5, -2.5, 1e-300, 1e300, 0.1, 1 / 3, 123456.789, -1e15, 1e16, 9007199254740994.0, 0.49999999999999994],
    'q"uoted': [-1.5, 0.1, 0.0, 0.0, -1e-310, -0.7, 0.05],
    "rate": [0.0, 1.0, 0.5, 0.25, 1e-9, 0.999],
    "b": [True, False],
    "flag": [True, False],
    "s": ["", " ", "a", "A", "abc", "a%c", "a_c", "it's", "é", "ÉCLAIR", "日本語", "🤦🏼‍♂️", "ß", "İ", "12", " -7 ", "+3", "1e3", "0x1F", "1_000",
          "9223372036854775808", "nan", "inf", "-0.0", ".5", "5.", "true", "F", "yes", "2024-02-29", "2023-02-29", "0000-01-01",
          "2024-01-31 23:59:59.5", "2024-01-31T24:00:00", "infinity", "epoch", "31.1.2024", " 01.02.1999 ", "31-Feb-2024", "1-jan-2024", "9:05 pm", "12:30 AM", "00:30", "23:59:59.25", "24:00", "7:60",
          "2024-12-31T23:59:60", "20240229", "a1b22-c", "x\x0by", "x\ny", "\t", "nul\x00in", "\\", "1e400", "1e-400", "z" * 300],
    "été ☃": ["A", "b c", "it's", ""],
    "d": [date.min, date.max, date(1969, 12, 31), date(2024, 2, 29), date(2000, 1, 1), date(2021, 1, 3), date(1, 12, 31)],
    "since": [date(1970, 1, 1), date(2024, 10, 4), date(2000, 2, 29)],
    "value": [datetime.min, datetime.max, datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2024, 2, 29, 12, 30, 15, 500),
              datetime(2000, 1, 1)],
    "2nd; drop--": [datetime(1970, 1, 1), datetime(1950, 6, 1, 1, 2, 3, 100000), datetime(2001, 9, 9)],
}  # fmt: skip
TYPES: dict[Kind, str] = {
    "integer": "BIGINT",
    "real": "DOUBLE",
    "boolean": "BOOLEAN",
    "text": "VARCHAR",
    "date": "DATE",
    "timestamp": "TIMESTAMP",
}
Row = dict[str, Any]


def rows(number: int) -> list[Row]:
    """Draw rows, always the same."""
    source = random.Random(7)
    return [{name: _cell(source, name) for name in COLUMNS} for _ in range(number)]


def _cell(source: random.Random, name: str) -> Any:
    return None if COLUMNS[name].nullable and source.random() < 0.12 else source.choice(VALUES[name])


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Engine:
    """A table in DuckDB, and what an expression gives for each of its rows."""

    def __init__(self, table: list[Row], *settings: str) -> None:
        self.table = table
        self.connection = duckdb.connect()
        fields = ", ".join(f"{quoted(name)} {TYPES[column.kind]}" for name, column in COLUMNS.items())
        self.connection.execute(f'create table t ("row" BIGINT, {fields})')
        marks = ", ".join("?" * (len(COLUMNS) + 1))
        self.connection.executemany(
            f"insert into t values ({marks})", [[place, *row.values()] for place, row in enumerate(table)]
        )

        for setting in (
            *settings,
            "enable_external_access = false",
            "python_enable_replacements = false",
            "lock_configuration = true",
        ):
            self.connection.execute(f"set {setting}")  # as in a session: nothing may be loaded to make a function work

    def values(self, sql: str) -> list[Any]:
        return [value for (value,) in self.connection.execute(f'select {sql} from t order by "row"').fetchall()]

    def problems(self, expression: Expression) -> list[str]:
        """Say for which rows an expression fails, is not what it means, or leaves its column."""
        sql = write(expression.sql(), DIALECT)
        try:
            got = self.values(sql)
        except duckdb.Error as error:
            return [f"{sql} raises {type(error).__name__}"]
        found = [f"{sql} is of type {self.types(sql)}"] if self.types(sql) != TYPES[expression.kind] else []
        for value, row in zip(got, self.table, strict=True):
            meant = evaluate(expression, row)
            cells = {name: row[name] for name in expression.references()}
            if type(value) is not type(meant) or value != meant:
                found.append(f"{sql} gives {value!r} and means {meant!r} at {cells!r}")
            if not belongs(value, expression) or not belongs(meant, expression):
                found.append(f"{sql} gives {value!r} and means {meant!r} outside {expression.range} at {cells!r}")
        return found

    def types(self, sql: str) -> str:
        return str(self.connection.execute(f"select {sql} from t limit 0").description[0][1])


LITERALS: dict[Kind, list[str]] = {
    "integer": ["0", "1", "-1", "2", "3", "10", "9223372036854775807", "-9223372036854775808", "9007199254740993", "100", "cast(null as integer)"],
    "real": ["0.0", "1.5", "-2.5", "0.1", "1e308", "-1e308", "1e-308", "2e0", "9007199254740992.0", "9223372036854775808.0"],
    "boolean": ["true", "false", "cast(null as boolean)"],
    "text": ["''", "'a'", "'A'", "'it''s'", "'é'", "'🤦🏼‍♂️'", "'12'", "'%'", "' '"],
    "date": ["date '2024-02-29'", "date '0001-01-01'", "date '9999-12-31'", "date '1970-01-01'"],
    "timestamp": ["timestamp '2024-01-31 12:00:00.25'", "timestamp '0001-01-01'", "timestamp '9999-12-31 23:59:59.999999'"],
}  # fmt: skip
PATTERNS = [
    "'a\\%'",
    "'%\\%'",
    "'%'",
    "'a%'",
    "'_'",
    "'%c'",
    "'a!%c' escape '!'",
    "'%a%b%'",
    "''",
    "'É%'",
    "'__'",
    "'%''%'",
    "'!_!!' escape '!'",
]
REGEXES = [
    "'[0-9]+', 'N'", "'[0-9]+', '', 'g'", r"'^(\w+)-?(.*)$', '\2/\1'", r"'(a|ab)(c|bcd)?', '<\1|\2>'", "'$', '!'", r"'\s', '_', 'g'",
    r"'([^0-9])([0-9])', '\1\1\2', 'g'", r"'.+?', '\0\0'", r"'\S{2,3}', '\\', 'g'", "'^a*', 'é'", r"'(x)?b', '[\1]'", r"'[\w.-]+|☃', '~', 'g'",
    r"'(?:é|É)', 'e'", r"'[^\s:]{1,2}:', '\0'", r"'\.', ','", "'a%', 'b'", r"'\D+', '', 'g'", "'z{2,}', 'Z'",
]  # fmt: skip
FORMATS = ["'%d.%m.%Y'", "'%Y-%m-%d'", "'%F %T.%f'", "'%Y%m%d'", "'%d-%b-%Y'", "'%d.%m.%y'", "'%Y-%m-%dT%H:%M:%S'", "'%m/%d/%Y %I:%M %p'"]  # fmt: skip
CLOCKS = ["'%H:%M'", "'%I:%M %p'", "'%T'", "'%H:%M:%S.%f'", "'%H'"]
NAMES: dict[Kind, list[str]] = {
    kind: [quoted(name) for name, column in COLUMNS.items() if column.kind == kind] for kind in TYPES
}
SIGNS = ["=", "<>", "<", "<=", ">", ">="]
PARTS = ["year", "quarter", "month", "week", "day", "dayofweek", "isodow", "dayofyear"]
TIMES = ["hour", "minute", "second"]
Draw = Callable[[Any], Any]


def _same(draw: Draw, depth: int, kind: Kind) -> str:
    """Forms that exist for every kind."""
    x, y, z = (text(draw, kind, depth) for _ in range(3))
    forms = [
        f"coalesce({x}, {y})",
        f"nullif({x}, {y})",
        f"case when {text(draw, 'boolean', depth)} then {x} else {y} end",
        f"case {x} when {y} then {z} end",
        f"if({text(draw, 'boolean', depth)}, {x}, null)",
    ]
    if kind != "boolean":
        forms += [f"least({x}, {y})", f"greatest({x}, {y}, {z})"]
    return str(draw(st.sampled_from(forms)))


def _form(draw: Draw, depth: int, kind: Kind) -> str:
    def one(of: Kind) -> str:
        return text(draw, of, depth)

    def pick(*choices: str) -> str:
        return str(draw(st.sampled_from(choices)))

    if kind == "integer":
        number = draw(st.integers(0, 9))
        if number == 0:
            return f"cast({one(draw(st.sampled_from(['real', 'boolean', 'text'])))} as integer)"
        if number == 1:
            return pick(f"length({one('text')})", f"strlen({one('text')})", f"strpos({one('text')}, {one('text')})")
        if number == 2:
            return f"extract({pick(*PARTS)} from {one('date')})"
        if number == 3:
            clock = f"extract({pick(*TIMES)} from {_clock(draw, depth)})"
            return pick(f"extract({pick(*PARTS, *TIMES)} from {one('timestamp')})", clock)
        if number == 4:
            return pick(f"({one('date')} - {one('date')})", f"date_diff('day', {one('timestamp')}, {one('date')})")
        if number == 5:
            return pick(
                f"abs({one('integer')})",
                f"(- {one('integer')})",
                f"{pick('floor', 'trunc', 'sign')}({one('integer')})",
                f"sign({one('real')})",
                f"clip({one('integer')}, -5, 1000)",
            )
        if number == 6:
            return f"round({one('integer')}, {draw(st.integers(-15, 2))})"
        return f"({one('integer')} {pick('+', '-', '*', '//', '%')} {one('integer')})"
    if kind == "real":
        number = draw(st.integers(0, 5))
        if number == 0:
            return f"cast({one(draw(st.sampled_from(['integer', 'boolean', 'text'])))} as real)"
        if number == 1:
            return pick(
                f"abs({one('real')})",
                f"(- {one('real')})",
                f"{pick('floor', 'trunc')}({one('real')})",
                f"ceil({one('real')})",
                f"sqrt({one('real')})",
            )
        if number == 2:
            return pick(
                f"clip({one('real')}, -1, 2.5)",
                f"round({one('real')}, {draw(st.integers(-15, 15))})",
                f"round({one('real')})",
            )
        left, right = pick("integer", "real"), pick("integer", "real")
        if left == right == "integer":
            return f"({one('integer')} / {one('integer')})"
        return f"({one(left)} {pick('+', '-', '*', '/')} {one(right)})"  # type: ignore[arg-type]
    if kind == "boolean":
        number = draw(st.integers(0, 7))
        if number == 0:
            return f"({one('boolean')} {pick('and', 'or')} {one('boolean')})"
        if number == 1:
            return pick(f"(not {one('boolean')})", f"({one('boolean')} is true)", f"({one('boolean')} is false)")
        if number == 2:
            return f"({one(draw(st.sampled_from(list(TYPES))))} is {pick('null', 'not null')})"
        if number == 3:
            of = draw(st.sampled_from(list(TYPES)))
            items = ", ".join(draw(st.lists(st.sampled_from([*LITERALS[of], "null"]), min_size=1, max_size=4)))
            return f"({one(of)} {pick('in', 'not in')} ({items}))"
        if number == 4:
            return pick(
                f"({one('text')} {pick('like', 'not like', 'ilike')} {pick(*PATTERNS)})",
                f"{pick('starts_with', 'ends_with', 'contains')}({one('text')}, {one('text')})",
            )
        if number == 5:
            return f"cast({one(draw(st.sampled_from(['integer', 'real', 'text'])))} as boolean)"
        if number == 6:
            return pick(
                f"({one('integer')} {pick(*SIGNS)} {one('real')})",
                f"({one('real')} {pick(*SIGNS)} {one('integer')})",
                f"({one('date')} {pick(*SIGNS)} {one('timestamp')})",
                f"({one('integer')} between {one('integer')} and {one('real')})",
            )
        of = draw(st.sampled_from(list(TYPES)))
        return f"({one(of)} {pick(*SIGNS)} {one(of)})"
    if kind == "text":
        number = draw(st.integers(0, 5))
        if number == 0:
            return f"cast({one(draw(st.sampled_from([kind for kind in TYPES if kind != 'text'])))} as text)"
        if number == 4:
            return f"regexp_replace({one('text')}, {pick(*REGEXES)})"
        if number == 5:
            return pick(_clock(draw, depth), f"time_trunc({_clock(draw, depth)}, {pick(*TIMES)})")
        if number == 1:
            return f"{pick('lower', 'upper', 'trim')}({one('text')})"
        if number == 2:
            return pick(
                f"substr({one('text')}, {draw(st.integers(1, 5))}" + pick(")", ", 0)", ", 2)", ", 100)"),
                f"right({one('text')}, {pick('0', '1', '3', '100')})",
                f"replace({one('text')}, {pick(one('text'), *LITERALS['text'])}, {pick(*LITERALS['text'])})",
            )
        return pick(f"({one('text')} || {one('text')})", f"concat({one('text')}, {one('text')})")
    if kind == "date":
        return pick(
            f"cast({one('text')} as date)",
            f"cast({one('timestamp')} as date)",
            f"parse_date({pick(*FORMATS[:2])}, {one('text')})",
            f"date_trunc('{pick('year', 'quarter', 'month', 'week', 'day')}', {one('date')})",
            f"clip({one('date')}, date '1999-01-01', date '2030-06-30')",
            f"({one('date')} {pick('+', '-')} interval {pick('1', '13', '9999')} {pick('day', 'week', 'month', 'quarter', 'year')})",
            f"({one('date')} {pick('+', '-')} interval 40000 {pick('day', 'week', 'month')})",
            f"({one('date')} {pick('+', '-')} {pick('1', '90', '3000000')})",
        )
    return pick(
        f"cast({one('text')} as timestamp)",
        f"cast({one('date')} as timestamp)",
        f"strptime({one('text')}, {pick(*FORMATS)})",
        f"date_trunc('{pick('year', 'quarter', 'month', 'week', 'day', *TIMES)}', {one('timestamp')})",
        f"coalesce({one('timestamp')}, {one('date')})",
        f"({one('timestamp')} {pick('+', '-')} interval {pick('1', '31', '9999')} {pick('hour', 'second', 'day', 'month', 'year')})",
        f"({one('date')} + interval '36' hour)",
    )


def _clock(draw: Draw, depth: int) -> str:
    """Draw a time of day."""
    x, at = text(draw, "text", depth), text(draw, "timestamp", depth)
    written = draw(st.sampled_from(CLOCKS))
    return str(draw(st.sampled_from([f"cast({x} as time)", f"cast({at} as time)", f"parse_time({written}, {x})"])))


def text(draw: Draw, kind: Kind, depth: int) -> str:
    """Draw the text of an expression of a kind."""
    shape = draw(st.integers(0, 9)) if depth > 0 else draw(st.integers(0, 2))
    if shape == 0:
        return str(draw(st.sampled_from(LITERALS[kind])))
    if shape <= 2:
        return str(draw(st.sampled_from(NAMES[kind])))
    return _same(draw, depth - 1, kind) if shape == 3 else _form(draw, depth - 1, kind)


@st.composite
def expressions(draw: Draw) -> str:
    """Draw an expression of exact functions."""
    return text(draw, draw(st.sampled_from(list(TYPES))), draw(st.integers(1, 3)))


@st.composite
def powers(draw: Draw) -> str:
    """Draw a function that mathematical libraries round as they like, of exact arguments."""
    x, y = (text(draw, draw(st.sampled_from(["integer", "real"])), 1) for _ in range(2))
    names = ("ln", "log10", "log2", "exp")
    return str(
        draw(st.sampled_from([*(f"{name}({x})" for name in names), f"pow({x}, {y})", f"pow({x}, 2)", f"{x} ** 3"]))
    )


def read(text: str) -> Expression:
    """Parse, unless a literal was drawn that is no date or number."""
    try:
        return parse(text, COLUMNS)
    except InvalidError as error:
        if " is no " in str(error):
            reject()
        raise


def belongs(value: Any, expression: Expression) -> bool:
    """Whether a value is one that the inferred column allows."""
    column = expression.column
    if value is None:
        return column.nullable
    wanted = {"integer": int, "real": float, "boolean": bool, "text": str, "date": date, "timestamp": datetime}
    if type(value) is not wanted[column.kind]:
        return False
    if isinstance(value, float) and (not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0)):
        return False
    if isinstance(value, str) and len(value) > expression.range.length:
        return False
    if column.categories is not None and value not in column.categories:
        return False
    if column.kind not in ORDERED:
        return True
    known, place = expression.range, ordinal(value)
    # a column declared up to 1/10 holds the double 0.1, which lies above: what is derived from it knows that
    declared = None if isinstance(expression, Reference) else column.bounds
    return known.low <= place <= known.high and (declared is None or declared[0] <= place <= declared[1])
