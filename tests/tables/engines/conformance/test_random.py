"""Random expressions on every engine: what the engine gives is what the expression means, row by row."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.vocabulary import Relation
from tests.tables.engines.conformance.engines import Opened
from tests.tables.expressions.generate import COLUMNS, expressions, read, rows
from tests.tables.expressions.oracle import evaluate

pytestmark = pytest.mark.engines
TABLE = [
    {name: value.replace("\0", "") if isinstance(value, str) else value for name, value in row.items()}
    for row in rows(150)
]
_opened: dict[str, tuple[Opened, Relation]] = {}


@pytest.fixture(autouse=True, scope="module")
def loaded(other: Opened) -> Iterator[None]:
    _opened["other"] = other, other.table("expressions", {"row": Column(kind="integer"), **COLUMNS})
    yield
    _opened.clear()


@given(st.lists(expressions(), min_size=12, max_size=12))
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_engine_agrees_with_the_meaning_or_refuses_the_expression(texts: list[str]) -> None:
    opened, table = _opened["other"]
    outputs = {"row": (table.query.expressions[0], Column(kind="integer"))}
    computed = {}
    for number, text in enumerate(texts):
        expression = read(text)
        output = {f"value {number}": (expression.sql(), expression.column)}
        if any(isinstance(each, exp.Anonymous) and each.name in opened.refused for each in expression.sql().walk()):
            with pytest.raises(InvalidError, match="is not computed"):
                opened.rows(table.project(output))
            continue
        computed[number] = expression
        outputs |= output
    found = opened.rows(table.project(outputs), order_by="row")
    for place, (number, expression) in enumerate(computed.items(), start=1):
        meant = [_written(evaluate(expression, each)) for each in TABLE]
        assert [row[place] for row in found] == meant, texts[number]


def _written(value: Any) -> Any:
    """Write a value as its cast to text does, where it is no integer, boolean or text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return repr(value)
    text = value.isoformat(sep=" ") if hasattr(value, "hour") else value.isoformat()
    return text.rstrip("0") if "." in text else text
