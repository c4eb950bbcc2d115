"""A user's function of each row by itself."""

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import IdentifierDistance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

UNIT = pc.vector(float, bounds=(0, 1), grid=0.125)


def inverse(value: Any) -> Any:
    return 1 / value


def sign(value: Any) -> Any:
    return math.copysign(1.0, value)


def text(value: Any) -> Any:
    return str(value) if value else object()


def difference(row: Any) -> Any:
    return row[0] - row[1]


def age(row: Any) -> Any:
    return row["age"]


CASES = [
    Case(name="row by row inverse", chain=pc.vector(float) >> pc.RowByRow(function=inverse, to=UNIT)),
    Case(name="row by row sign", chain=pc.vector(float, size=2, ordered=True) >> pc.RowByRow(function=sign, to=int)),
    Case(
        name="row by row of known size",
        chain=pc.vector(bool, size=3)
        >> pc.RowByRow(function=text, to=pc.vector(str, categories=["True", "?"], nullable=False)),
    ),
    Case(name="row by row of a matrix", chain=pc.matrix(2, size=1) >> pc.RowByRow(function=difference, to=float)),
    Case(name="row by row of records", chain=pc.records(age=bool, id=str) >> pc.RowByRow(function=age, to=bool)),
]


@frozen
class WithIndex(TwinOf):
    """Tells the function which row it is: a row more at the front changes all the others."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.MaskedArray(np.ma.filled(value, 0) % 7 * 100 + np.arange(len(value)))


@frozen
class WithState(TwinOf):
    """Lets the function remember what it saw: differences of neighbours, say."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.MaskedArray(np.diff(np.ma.filled(value, 0) % 1000, prepend=0))


@frozen
class Unsilenced(TwinOf):
    """Lets the exceptions of the function through."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.MaskedArray([int(1 / item) for item in value.tolist()], dtype=np.int64)


@frozen
class SignedZeros(TwinOf):
    """Passes -0.0, which no metric distinguishes from 0.0."""

    def apply(self, value: Any, space: Space) -> Any:
        signs = np.where(np.isnan(value.data), 0, np.copysign(1.0, value.data))
        return np.ma.MaskedArray(signs.astype(np.int64), mask=np.ma.getmaskarray(value))


RIGHT = pc.RowByRow(function=sign, to=int)
TWINS = [
    Twin(law="map", case=Case(name="a function that sees the index", chain=pc.vector(int) >> WithIndex(RIGHT))),
    Twin(law="map", case=Case(name="a function that remembers", chain=pc.vector(int) >> WithState(RIGHT))),
    Twin(law="map", case=Case(name="a function of the sign of zero", chain=pc.vector(float) >> SignedZeros(RIGHT))),
    Twin(law="parity", case=Case(name="a function that raises", chain=pc.vector(int) >> Unsilenced(RIGHT))),
]


def test_the_function_is_called_once_for_each_row_with_that_row() -> None:
    seen: list[Any] = []
    (pc.vector(int) >> pc.RowByRow(function=seen.append, to=int))([3, None, 3])
    assert seen == [3, None, 3]


def test_failures_and_wrong_kinds_are_null() -> None:
    chain = pc.vector(int) >> pc.RowByRow(function=[1, "a", None, 2.5, Fraction(7, 2), [1], True].__getitem__, to=int)
    assert chain([0, 1, 2, 3, 4, 5, 6, 7]).tolist() == [1, None, None, 2, 4, None, 1, None]


class Hostile(float):
    """A number that cannot be read."""

    def __float__(self) -> float:
        raise RuntimeError("no")


def test_an_answer_that_cannot_be_read_is_null() -> None:
    assert (pc.vector(int) >> pc.RowByRow(function=lambda _: Hostile(), to=float))([1]).tolist() == [None]


def test_answers_are_clamped_into_the_column_that_was_stated() -> None:
    chain = pc.vector(float) >> pc.RowByRow(function=inverse, to=UNIT)
    assert chain([2.0, 0.1, -3.0, 0.0, math.nan]).tolist()[:4] == [0.5, 1.0, 0.0, None]
    assert chain.output == UNIT


def test_the_size_and_the_order_are_kept() -> None:
    chain = pc.vector(int, size=3, ordered=True) >> pc.RowByRow(function=inverse, to=UNIT)
    assert repr(chain.output) == "vector(float, bounds=(0, 1), size=3, ordered=True)"
    assert chain.map(2) == 2


def test_there_is_one_zero_and_one_nan() -> None:
    assert (pc.vector(float) >> RIGHT)([-0.0, 0.0, None]).tolist() == [1, 1, None]
    assert (pc.vector(float) >> RIGHT)([-math.nan, math.nan]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"function": 3, "to": int}, WrongTypeError, "RowByRow.function must be a function of one row, got int."),
        ({"function": len, "to": "int"}, WrongTypeError, "RowByRow.to must be int, float, bool, str or a column"),
        ({"function": len, "to": pc.matrix(2)}, WrongTypeError, "or a column"),
        ({"function": len, "to": pc.vector(int, size=3)}, InvalidError, "no size of its own"),
    ],
)
def test_wrong_parameters_are_refused(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.RowByRow(**arguments)


def test_an_identifier_would_be_lost() -> None:
    persons = pc.Space(pc.records(id=str, age=int).domain, IdentifierDistance("id"))
    with pytest.raises(MismatchError, match="without the identifier"):
        persons >> pc.RowByRow(function=age, to=int)


def test_a_function_cannot_end_the_program() -> None:
    def leaves(row: Any) -> Any:
        return row if row == 1 else sys.exit(1)

    assert (pc.vector(int) >> pc.RowByRow(function=leaves, to=int))([1, 2]).tolist() == [1, None]


def test_an_interrupt_passes() -> None:
    def interrupted(row: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        (pc.vector(int) >> pc.RowByRow(function=interrupted, to=int))([1])
