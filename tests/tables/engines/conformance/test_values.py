"""Every expression, and every way to read a value of a source, gives the same values in every engine."""

from typing import Any

import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.columns.limits import Limits
from privet.tables.columns.notation import Notation
from privet.tables.expressions import parse
from privet.tables.vocabulary import Relation
from tests.tables.engines.conformance.engines import Opened
from tests.tables.engines.conformance.expressions import EXPRESSIONS, FILTERS, REFUSED
from tests.tables.expressions.generate import COLUMNS

pytestmark = pytest.mark.engines
ROW = {"row": Column(kind="integer")}
KNOWN = {**ROW, **COLUMNS}
_tables: dict[int, Relation] = {}


def table(opened: Opened) -> Relation:
    if id(opened) not in _tables:
        _tables[id(opened)] = opened.table("expressions", KNOWN)
    return _tables[id(opened)]


def computed(opened: Opened, text: str) -> list[Any]:
    """Compute an expression for each row, and its sum over all rows where it is a number."""
    source = table(opened)
    expression = parse(text, COLUMNS)
    made = source.project(
        {"row": (source.query.expressions[0], ROW["row"]), "value": (expression.sql(), expression.column)}
    )
    return opened.rows(made, order_by="row")


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_has_the_same_values(text: str, reference: Opened, other: Opened) -> None:
    assert computed(other, text) == computed(reference, text)


@pytest.mark.parametrize("text", FILTERS)
def test_a_filter_keeps_the_same_rows(text: str, reference: Opened, other: Opened) -> None:
    def kept(opened: Opened) -> list[Any]:
        return opened.rows(table(opened).filter(parse(text, COLUMNS).sql()).select("row", "s"), order_by="row")

    assert kept(other) == kept(reference)


@pytest.mark.parametrize(("text", "name"), REFUSED)
def test_what_would_differ_is_refused_by_name_and_rehearsed(text: str, name: str, other: Opened) -> None:
    expression = parse(text, COLUMNS)
    made = table(other).project({"value": (expression.sql(), expression.column)})
    with pytest.raises(InvalidError, match=rf"on (PostgreSQL|Spark), {name} is not computed.*Nothing was charged"):
        other.engine.rehearse([made], Limits(), COLUMNS)


READINGS: list[tuple[str, Column]] = [
    *(
        (name, Column(kind=kind))
        for name in ("small", "whole", "exact", "real", "single")
        for kind in ("integer", "real")
    ),
    ("whole", Column(kind="integer", bounds=(-5, 40))),
    ("whole", Column(kind="integer", bounds=(-5, 40), nullable=False)),
    ("whole", Column(kind="integer", categories=(0, 1, 42))),
    ("whole", Column(kind="integer", exact=True)),
    ("exact", Column(kind="integer", exact=True)),
    ("exact", Column(kind="integer", bounds=(0, 2))),
    ("exact", Column(kind="real", bounds=(-1, 1))),
    ("real", Column(kind="integer", exact=True)),
    ("real", Column(kind="integer", bounds=(-1, 2))),
    ("real", Column(kind="real", bounds=(-1, 2))),
    ("real", Column(kind="real", bounds=(0.1, 0.3), nullable=False)),
    ("real", Column(kind="real", nullable=False)),
    ("single", Column(kind="real", bounds=(0, 1))),
    ("truth", Column(kind="boolean")),
    ("truth", Column(kind="boolean", nullable=False)),
    ("truth", Column(kind="integer")),
    ("truth", Column(kind="real")),
    ("truth", Column(kind="text")),
    ("small", Column(kind="boolean")),
    ("small", Column(kind="text")),
    ("whole", Column(kind="text")),
    ("words", Column(kind="text")),
    ("words", Column(kind="text", length=1)),
    ("words", Column(kind="text", length=3, exact=True)),
    ("words", Column(kind="text", nullable=False)),
    ("words", Column(kind="text", categories=("a", "ä", "", "日本語"))),
    ("short", Column(kind="text")),
    ("words", Column(kind="text", notation=Notation(clean=("trim", "lower")))),
    ("words", Column(kind="text", notation=Notation(missing=("a", "12")))),
    ("whole", Column(kind="integer", notation=Notation(missing=("42", "-1", "NA")))),
    ("whole", Column(kind="integer", bounds=(0, 50), notation=Notation(missing=("922337203685477580", "0")))),
    ("exact", Column(kind="integer", notation=Notation(missing=("17",)))),
    ("exact", Column(kind="real", notation=Notation(missing=("0.5", "17")))),
    ("real", Column(kind="real", notation=Notation(missing=("-0.5", "1.5")))),
    ("day", Column(kind="date", notation=Notation(missing=("1970-01-01",)))),
    ("small", Column(kind="boolean", notation=Notation(true_words=("17", "1"), false_words=("-1",)))),
    ("words", Column(kind="boolean", notation=Notation(true_words=("true", "A"), false_words=("ä", "12")))),
    ("truth", Column(kind="boolean", notation=Notation(true_words=("t",), false_words=("f",), missing=("0",)))),
    ("written", Column(kind="date", notation=Notation(format=("%d.%m.%Y",)))),
    ("written", Column(kind="date", notation=Notation(format=("%d.%m.%Y", "%m/%d/%y")))),
    (
        "written",
        Column(kind="date", bounds=(0, 10_000), notation=Notation(format=("%d.%m.%Y",), missing=("31.12.2023",))),
    ),
    ("written", Column(kind="timestamp", notation=Notation(format=("%Y-%m-%d %H:%M", "%d.%m.%Y")))),
    ("day", Column(kind="date")),
    ("day", Column(kind="date", bounds=(0, 19_000))),
    ("day", Column(kind="date", nullable=False)),
    ("day", Column(kind="timestamp")),
    ("day", Column(kind="text")),
    ("moment", Column(kind="timestamp")),
    ("moment", Column(kind="timestamp", bounds=(0, 10**15))),
    ("moment", Column(kind="date")),
    ("zoned", Column(kind="timestamp")),
    ("zoned", Column(kind="date")),
]


@pytest.mark.parametrize(("name", "known"), READINGS)
def test_a_value_is_read_as_the_same(name: str, known: Column, reference: Opened, other: Opened) -> None:
    def read(opened: Opened) -> list[Any]:
        return opened.rows(opened.table("edges", {**ROW, name: known}), order_by="row")

    expected = read(reference)
    if name == "day" and known.kind == "text":  # infinities and late years are written otherwise
        expected = [each for each in expected if len(each[1] or "") == 10 and each[1][0] != "-"]
        kept = {each[0] for each in expected}
        assert [each for each in read(other) if each[0] in kept] == expected
        return
    assert read(other) == expected
