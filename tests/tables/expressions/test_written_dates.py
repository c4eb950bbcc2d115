"""Formats of dates and times: DuckDB reads what a reader from left to right reads, and the same texts are null."""

import random

import duckdb

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.expressions import parse
from tests.tables.expressions.formats import clock, moment

COLUMNS = {"s": Column(kind="text")}
BETWEEN = ["", "-", "/", ".", ":", " ", "T", "  ", "x", "é", "%%", ",", "\t", "(", "+", "|"]
WORDS = {
    "b": ["Jan", "FEB", "mar", "Dez", "may"],
    "B": ["January", "MAY", "december", "Juni"],
    "a": ["Mon", "tue", "Xyz"],
    "A": ["Monday", "SUNDAY"],
    "p": ["AM", "pm", "xm"],
    "Y": ["2024", "1999", "0001", "0000", "9999", "24", "02024"],
    "%": ["%"],
}
NUMBERS = ["0", "1", "01", "02", "12", "13", "23", "24", "29", "30", "31", "59", "60", "99", "7", "007", ""]


def drawn_format(dice: random.Random, *, dated: bool) -> str:
    parts = [dice.choice("Yy"), dice.choice("mbB"), "d"] if dated else []
    parts += [dice.choice("aA")] if dated and dice.random() < 0.2 else []
    if not dated or dice.random() < 0.6:
        parts += [*dice.choice(("H", "Ip")), *(each for each in "MS" if dice.random() < 0.7)]
        parts += ["f"] if "S" in parts and dice.random() < 0.4 else []
    if dice.random() < 0.5:
        dice.shuffle(parts)
    return "".join(f"%{part}{dice.choice(BETWEEN)}" for part in parts).strip()


def drawn_text(dice: random.Random, written: str) -> str:
    made, signs = "", iter(written)
    for sign in signs:
        part = next(signs) if sign == "%" else ""
        if part == "f":
            made += "".join(dice.choices("0123456789", k=dice.randint(1, 7)))
        else:
            made += dice.choice(WORDS.get(part, NUMBERS)) if part else sign
    place = dice.randrange(len(made) + 1)
    return dice.choice([made] * 8 + [f" {made}\u00a0", made[:place] + dice.choice("0a ") + made[place:]])


def test_the_engine_reads_what_the_format_says() -> None:
    dice, connection, accepted, known = random.Random(5), duckdb.connect(), 0, 0
    for _ in range(700):
        dated = dice.random() < 0.7
        written = drawn_format(dice, dated=dated)
        call = f"strptime(s, '{written}')" if dated else f"parse_time('{written}', s)"
        try:
            value = parse(call, COLUMNS)
        except InvalidError:
            continue
        accepted += 1
        texts = [drawn_text(dice, written) for _ in range(30)]
        connection.execute("create or replace table t as select unnest(?::varchar[]) as s", [texts])
        got = [each for (each,) in connection.execute(f"select {write(value.sql(), DIALECT)} from t").fetchall()]
        meant = [moment(each, written) if dated else clock(each, written) for each in texts]
        assert got == meant, (written, texts)
        known += sum(each is not None for each in got)
    assert accepted > 500
    assert known > 2000
