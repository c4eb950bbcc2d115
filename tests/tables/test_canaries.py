"""Random queries, right and wrong: nothing but released numbers ever shows what is in the table.

Three thousand each time, ten thousand before a release.
"""

import contextlib
import io
import logging
import random
import traceback
import warnings
from datetime import date
from typing import Any

import pytest

import privet as pv
from privet.accounting.planning.infinite import InfiniteBudget
from privet.errors import PrivetError

WORDS = ("canary-word-7f3a", "CANARY'); drop table visits; --", 'canary "quoted"')
NUMBERS = (918_273_645, -918_273_646, 91827.3645)
SIGNS = ("canary", "CANARY", "918273", "91827")
COLUMNS = ("person", "ward", "note", "minutes", "cost", "day", "nosuch", "Ward", "")
CHUNK = 500
PUBLIC = {"ward": pv.column("text"), "z": pv.column("integer")}


def table() -> list[dict[str, Any]]:
    return [
        {
            "person": NUMBERS[0] if at % 7 == 0 else at // 3,
            "ward": WORDS[at % 3] if at % 5 == 0 else "ab"[at % 2],
            "note": WORDS[at % 3],
            "minutes": NUMBERS[at % 3] if at % 4 == 0 else at,
            "cost": NUMBERS[2] if at % 2 else float("nan"),
            "day": "canary-date" if at % 3 else date(2020, 1, 1 + at % 28),
        }
        for at in range(60)
    ]


def session() -> pv.Session:
    columns = {
        "person": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b")),
        "note": pv.column("text"),
        "minutes": pv.column("integer", bounds=(0, 60)),
        "cost": pv.column("real", bounds=(-10, 10)),
        "day": pv.column("date", bounds=("2020-01-01", "2020-12-31")),
    }
    book = pv.Codebook(table="visits", columns=columns, unit=pv.Persons(id="person", rows=3))
    return pv.Session(table(), book, InfiniteBudget())


class Fuzz:
    """Random text and random calls."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def one(self, *items: Any) -> Any:
        return self.dice.choice(items)

    def column(self) -> str:
        return str(self.one(*COLUMNS[:6], *COLUMNS[:6], *COLUMNS))

    def value(self) -> str:
        return str(self.one("0", "1", "-3.5", "1e308", "'a'", "null", "date '2020-02-01'", "9223372036854775807", "''"))

    def expression(self, depth: int = 0) -> str:
        if depth > 2 or self.dice.random() < 0.3:
            return self.column() if self.dice.random() < 0.6 else self.value()
        inner = [self.expression(depth + 1) for _ in range(3)]
        shape = self.one(
            "{0} + {1}", "{0} / {1}", "{0} > {1}", "{0} and {1}", "not {0}", "{0} between {1} and {2}", "({0})",
            "case when {0} then {1} else {2} end", "coalesce({0}, {1})", "log({0})", "cast({0} as integer)",
            "lower({0})", "substr({0}, 1, 3)", "{0} like 'c%'", "year({0})", "{0} in ({1}, {2})", "{0} is null",
            "pow({0}, {1})", "error({0})", "read_csv({0})", "sum({0})", "{0} ||", "(select {0})", "clip({0}, {1}, {2})",
        )  # fmt: skip
        return str(shape).format(*inner)

    def aggregate(self) -> Any:
        column = self.column()
        return self.one(
            pv.count,
            pv.count_ids,
            lambda: pv.count(column),
            lambda: pv.sum(column),
            lambda: pv.mean(column, bounds=self.one(None, (0, 10), (5, 5), (1, "x"))),
            lambda: pv.variance(column),
            lambda: pv.quantile(column, self.one(0.5, 2, -1)),
            lambda: pv.median(column),
            lambda: pv.histogram(column, self.one(4, 0)),
            lambda: pv.count_distinct(column),
            lambda: pv.mode(column),
            lambda: pv.correlation(column, self.column()),
        )()

    def step(self, query: Any) -> Any:
        return self.one(
            lambda: query.filter(self.expression()),
            lambda: query.filter(self.expression()),
            lambda: query.derive(**{self.one("x", "y", "person", "ward"): self.expression()}),
            lambda: query.select(self.column(), self.column()),
            lambda: query.rename(new=self.column()),
            lambda: query.cap(rows=self.one(1, 2, 0, "x")),
            lambda: query.bin(self.column(), width=self.one(5, 0, 0.1)),
            lambda: query.summarize(n=self.one("count(*)", f"sum({self.column()})", "max(note)", "list(note)")),
            lambda: query.union(query),
            lambda: query.join(query, rows=self.one(None, 1)),
            lambda: query.join_public([{"ward": "a", "z": 1}], PUBLIC, on="ward"),
        )()  # fmt: skip

    def ask(self, query: Any) -> Any:
        for _ in range(self.dice.randrange(3)):
            query = self.step(query)
        grouped = self.one(
            lambda: query,
            lambda: query.group_by("ward"),
            lambda: query.group_by(self.column()),
            lambda: query.group_by(self.column(), groups=[self.one("a", 1, None, True)]),
            lambda: query.group_by("ward", key=self.expression()),
        )()
        question = grouped.agg(*(self.aggregate() for _ in range(self.one(1, 1, 2))))
        told = repr(question.grouped.query.chain) + str(question.describe(epsilon=1))
        if self.dice.random() < 0.25:
            answer = question.release(epsilon=self.one(1, 1, -1, "x", 0.001))
            told += str(answer.layout()) + str(answer.groups) + str(answer.notes)  # noisy numbers may be any
        return told

    def sql(self, opened: pv.Session) -> Any:
        columns = ", ".join(
            self.one("COUNT(*)", f"SUM({self.column()})", f"AVG({self.expression()})", self.column()) for _ in range(2)
        )
        tail = self.one(
            "", f" WHERE {self.expression()}", f" GROUP BY {self.column()}", " GROUP BY ward HAVING COUNT(*) > 1"
        )
        text = f"SELECT {columns} FROM {self.one('visits', 'visits', 'nosuch')}{tail}"
        answer = opened.sql(text).release(epsilon=1)
        return str(answer.layout()) + str(answer.notes)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 20))])
def test_no_word_or_number_of_the_table_is_told(seed: int) -> None:
    opened, fuzz = session(), Fuzz(seed)
    logged = io.StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger().addHandler(handler)
    released = 0
    try:
        for number in range(CHUNK):
            printed = io.StringIO()
            with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
                warnings.simplefilter("always")
                with contextlib.redirect_stderr(printed):
                    told = _tried(fuzz, opened, number)
            released += told.startswith("gave")
            told += printed.getvalue() + "".join(str(each.message) for each in caught) + logged.getvalue()
            assert not [sign for sign in SIGNS if sign in told], told
    finally:
        logging.getLogger().removeHandler(handler)
        opened.close()
    assert released > CHUNK // 50  # most are wrong, but not nearly all


def _tried(fuzz: Fuzz, opened: pv.Session, number: int) -> str:
    try:
        found = fuzz.sql(opened) if number % 5 == 0 else fuzz.ask(opened.query())
    except PrivetError as error:
        return "".join(traceback.format_exception(error))
    return f"gave {found}"
