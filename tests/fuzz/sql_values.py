"""Random values and conditions of SQL, built as texts: functions of the columns of one row, a few levels deep.

What the pages say is different from DuckDB is not drawn: division by zero, casts of halves, texts such as ``'-3.5'`` as
integers.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, final

from attrs import frozen

Kind = Literal["integer", "real", "text", "date", "boolean", "timestamp"]
TEXTS = ("", "flu", "Flu ", "a,b", "ß", "12", "-3", "x y", "2024-02-03", "%_", "o'k")
_SIGNS = ("<", ">", "=", "<>", "<=", ">=")
_SHAPES: dict[Kind, Sequence[str]] = {  # {i}, {r}, {t}, {d}, {b} are values of their kinds; capitals are written out
    "integer": (
        *(
            "({i} + {i})",
            "({i} - {i})",
            "({i} * {N})",
            "({i} % {N})",
            "({i} // {N})",
            "(- {i})",
            "abs({i})",
            "sign({r})",
        ),
        *("coalesce({i}, {i})", "nullif({i}, {i})", "greatest({i}, {i})", "least({i}, {i})", "if({b}, {i}, {i})"),
        *(
            "CASE WHEN {b} THEN {i} ELSE {i} END",
            "CASE WHEN {b} THEN {i} WHEN {b} THEN {i} END",
            "CAST({b} AS INTEGER)",
        ),
        *("length({t})", "strpos({t}, {T})", "TRY_CAST({t} AS INTEGER)", "CAST(floor({r}) AS BIGINT)"),
        *("CAST(round({r}) AS BIGINT)", "date_diff('day', {d}, {d})", "extract({P} FROM {d})"),
    ),
    "real": (
        *("({r} + {r})", "({r} - {i})", "({r} * {R})", "({i} / nullif({i}, 0))", "({r} / 4.0)", "CAST({i} AS DOUBLE)"),
        *(
            "abs({r})",
            "floor({r})",
            "ceil({r})",
            "trunc({r})",
            "round({r}, 1)",
            "sqrt(least(abs({r}), 100))",
            "power({r}, 2)",
        ),
        *("coalesce({r}, {i})", "greatest({r}, {i})", "CASE WHEN {b} THEN {r} ELSE {i} END", "TRY_CAST({t} AS DOUBLE)"),
    ),
    "text": (
        *(
            "lower({t})",
            "upper({t})",
            "trim({t})",
            "substr({t}, 2, 3)",
            "left({t}, 2)",
            "right({t}, 2)",
            "({t} || {t})",
        ),
        *(
            "concat({t}, {t})",
            "coalesce({t}, {t})",
            "nullif({t}, {T})",
            "replace({t}, {T}, {T})",
            "CAST({i} AS VARCHAR)",
        ),
        *("CAST({d} AS VARCHAR)", "CAST({b} AS VARCHAR)", "CASE WHEN {b} THEN {t} ELSE {t} END"),
    ),
    "date": (
        *("CAST({d} + INTERVAL '40' DAY AS DATE)", "CAST({d} - INTERVAL '3' MONTH AS DATE)", "({d} + 7)"),
        *("CAST(date_trunc('month', {d}) AS DATE)", "CAST(date_trunc('week', {d}) AS DATE)", "coalesce({d}, {D})"),
        *("CASE WHEN {b} THEN {d} END", "TRY_CAST({t} AS DATE)"),
    ),
    "boolean": (
        *(
            "({i} {S} {i})",
            "({r} {S} {i})",
            "({t} {S} {t})",
            "({d} {S} {d})",
            "({b} = {b})",
            "({b} AND {b})",
            "({b} OR {b})",
        ),
        *(
            "(NOT {b})",
            "({i} IS NULL)",
            "({t} IS NOT NULL)",
            "({b} IS TRUE)",
            "({b} IS NOT FALSE)",
            "coalesce({b}, FALSE)",
        ),
        *(
            "({i} BETWEEN {i} AND {i})",
            "({i} NOT BETWEEN {N} AND {i})",
            "({t} IN ('a', 'flu', ''))",
            "({i} NOT IN (1, 7))",
        ),
        *("({i} IN (1, 7, NULL))", "({t} LIKE 'f%')", "({t} NOT LIKE '%a%')", "({t} ILIKE 'F_')", "contains({t}, {T})"),
        *("starts_with({t}, {T})", "({d} BETWEEN '2024-01-20' AND {d})"),
    ),
}
_PLACES: dict[str, Kind] = {"i": "integer", "r": "real", "t": "text", "d": "date", "b": "boolean"}
_WRITTEN: dict[str, Callable[[random.Random], str]] = {
    "N": lambda dice: dice.choice(("2", "3", "7", "(-3)")),
    "R": lambda dice: dice.choice(("0.5", "1.25", "(-2.0)")),
    "T": lambda dice: _quoted(dice.choice(TEXTS)),
    "D": lambda dice: f"DATE '2024-0{dice.randint(1, 3)}-{dice.randint(10, 28)}'",
    "P": lambda dice: dice.choice(("year", "quarter", "month", "week", "day", "dow", "isodow", "doy")),
    "S": lambda dice: dice.choice(_SIGNS),
}
_CONSTANTS: dict[Kind, str] = {"integer": "N", "real": "R", "text": "T", "date": "D"}


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


@final
@frozen
class Values:
    """Draws values of the columns of a table.

    Args:
        dice: What decides.
        columns: The kinds of the columns.
    """

    dice: random.Random
    columns: Mapping[str, Kind]

    def draw(self, kind: Kind, levels: int = 2) -> str:
        """Draw a value of a kind."""
        if levels > 0 and self.dice.random() < 0.75:
            return self._filled(self.dice.choice(_SHAPES[kind]), levels - 1)
        names = [name for name, each in self.columns.items() if each == kind]
        if names and (kind == "boolean" or self.dice.random() < 0.8):
            return self.dice.choice(names)
        return self._filled("({N} {S} {N})", 0) if kind == "boolean" else _WRITTEN[_CONSTANTS[kind]](self.dice)

    def _filled(self, shape: str, levels: int) -> str:
        text, rest = "", shape
        while "{" in rest:
            before, _, behind = rest.partition("{")
            place, _, rest = behind.partition("}")
            value = _WRITTEN[place](self.dice) if place in _WRITTEN else self.draw(_PLACES[place], levels)
            text += before + value
        return text + rest
