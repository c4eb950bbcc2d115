"""What is inferred of and, or, not and is null is what their arguments allow, no more and no less."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from privet.tables.columns.column import Column
from privet.tables.expressions import logic
from privet.tables.expressions.node import Expression, Function, Literal, Reference
from tests.tables.expressions.oracle import MEANING

FLAGS: dict[str, Column] = {
    "b": Column(kind="boolean"),
    "flag": Column(kind="boolean", nullable=False),
    "yes": Column(kind="boolean", categories=(True,)),
    "no": Column(kind="boolean", categories=(False,), nullable=False),
}


def arguments() -> Iterator[Expression]:
    yield from (Reference(name, known) for name, known in FLAGS.items())
    yield from (Literal(value, "boolean") for value in (True, False, None))


def possible(expression: Expression) -> set[Any]:
    values = expression.values()
    assert values is not None
    return set(values)


def meant(function: Function, given: tuple[Expression, ...]) -> set[Any]:
    rows = product(*(possible(each) for each in given))
    strict = function.strict
    return {None if strict and None in row else MEANING[function.name](*row) for row in rows}


@pytest.mark.parametrize("function", [logic.AND, logic.OR], ids=["and", "or"])
@pytest.mark.parametrize("number", [2, 3])
def test_chains(function: Function, number: int) -> None:
    for given in product(arguments(), repeat=number):
        made = function(*given)
        assert possible(made) == meant(function, given), [str(each) for each in given]
        assert isinstance(made, Literal) == all(isinstance(each, Literal) for each in given)


@pytest.mark.parametrize("function", [logic.NOT, logic.IS_NULL], ids=["not", "is null"])
def test_of_one(function: Function) -> None:
    for given in arguments():
        made = function(given)
        assert possible(made) == meant(function, (given,)), str(given)
        assert isinstance(made, Literal) == isinstance(given, Literal)
