"""A user's function of each row by itself."""

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import IdentifierDistance, ReplacementDistance
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


def powers(value: Any) -> Any:
    return [value, value * value]


def turned(row: Any) -> Any:
    return np.array([row[1], -row[0]])


def pair(row: Any) -> Any:
    return (row["x"], "y")


def ages(row: Any) -> Any:
    return [row["age"], 1.0]


REPLACED = pc.records(age=int, id=str).of_size(3) >> pc.Replacements()
BALL = (pc.matrix(2) >> pc.ClampNorm(radius=1)).output
CASES = [
    Case(name="row by row inverse", chain=pc.vector(float) >> pc.RowByRow(function=inverse, to=UNIT)),
    Case(name="row by row sign", chain=pc.vector(float, size=2, ordered=True) >> pc.RowByRow(function=sign, to=int)),
    Case(
        name="row by row of known size",
        chain=pc.vector(bool, size=3)
        >> pc.RowByRow(function=text, to=pc.vector(str, categories=["True", "?"], nullable=False)),
    ),
    Case(name="row by row of a matrix", chain=pc.matrix(2, size=1) >> pc.RowByRow(function=difference, to=float)),
    Case(
        name="row by row to powers",
        chain=pc.vector(float) >> pc.RowByRow(function=powers, to=pc.matrix(2, bounds=[(0, 1), (-3, 9)])),
    ),
    Case(
        name="row by row to rows of anything",
        chain=pc.vector(int, size=3, ordered=True) >> pc.RowByRow(function=powers, to=pc.matrix(2)),
    ),
    Case(
        name="row by row to a ball, added up",
        chain=pc.matrix(2, size=3) >> pc.RowByRow(function=turned, to=BALL) >> pc.VectorSum(),
    ),
    Case(name="row by row of records to rows", chain=pc.records(x=float) >> pc.RowByRow(function=pair, to=BALL)),
    Case(
        name="row by row of records of known size",
        chain=pc.records(age=bool, id=str).of_size(3) >> pc.RowByRow(function=age, to=bool),
    ),
    Case(name="row by row of replaced records", chain=REPLACED >> pc.RowByRow(function=age, to=int)),
    Case(
        name="row by row of replaced records to rows, added up",
        chain=REPLACED >> pc.RowByRow(function=ages, to=BALL) >> pc.VectorSum(),
    ),
    Case(
        name="row by row of a replaced matrix, added up",
        chain=pc.matrix(2, size=3)
        >> pc.Replacements()
        >> pc.RowByRow(function=difference, to=UNIT)
        >> pc.ImputeConstant(value=1)
        >> pc.Sum(),
    ),
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


SHARED: list[Any] = [0.0, 0.0]


def again(value: Any) -> Any:
    """Return one list again and again."""
    SHARED[:] = [value % 7, 1.0]
    return SHARED


@frozen
class ReadLate(TwinOf):
    """Reads the lists when all calls are over: a list that is used again holds the last row."""

    def apply(self, value: Any, space: Space) -> Any:
        results = [again(item) for item in np.ma.filled(value, 0).tolist()]
        return np.array(results, dtype=np.float64).reshape(len(results), 2)


@frozen
class Ragged(TwinOf):
    """Raises if the rows are not equally long."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.array([[1.0] * (1 + item % 2) for item in np.ma.filled(value, 0).tolist()], dtype=float).reshape(
            -1, 2
        )


@frozen
class BeyondTheBall(TwinOf):
    """Returns what the function returned, wherever it lies."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.array([[item, 1.0] for item in np.ma.filled(value, 0).tolist()], dtype=float).reshape(len(value), 2)


@frozen
class OrderedByAge(TwinOf):
    """Tells the function how many rows of the table lie before its row."""

    def apply(self, value: Any, space: Space) -> Any:
        ages = np.ma.filled(value.columns["age"], 0)
        return np.ma.MaskedArray([int((ages < item).sum()) for item in ages], dtype=np.int64)


@frozen
class WithoutFailures(TwinOf):
    """Leaves out the rows where the function fails, and calls the number of rows public all the same."""

    def apply(self, value: Any, space: Space) -> Any:
        return value.columns["age"][~np.ma.getmaskarray(value.columns["age"])]


@frozen
class HalfOfReplacements(TwinOf):
    """Takes two replaced rows for one: that was the rule of added and removed rows."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return (d_in + 1) // 2


ROWS = pc.RowByRow(function=again, to=pc.matrix(2))
RIGHT = pc.RowByRow(function=sign, to=int)
TWINS = [
    Twin(law="map", case=Case(name="a function that sees the index", chain=pc.vector(int) >> WithIndex(RIGHT))),
    Twin(law="map", case=Case(name="a function that remembers", chain=pc.vector(int) >> WithState(RIGHT))),
    Twin(law="map", case=Case(name="a function of the sign of zero", chain=pc.vector(float) >> SignedZeros(RIGHT))),
    Twin(law="map", case=Case(name="lists read late", chain=pc.vector(int) >> ReadLate(ROWS))),
    Twin(law="parity", case=Case(name="rows of several lengths", chain=pc.vector(int) >> Ragged(ROWS))),
    Twin(
        law="map",
        case=Case(
            name="rows beyond their ball", chain=pc.vector(int) >> BeyondTheBall(pc.RowByRow(function=again, to=BALL))
        ),
    ),
    Twin(
        law="map",
        case=Case(
            name="a function that sees the ages of others",
            chain=REPLACED >> OrderedByAge(pc.RowByRow(function=age, to=int)),
        ),
    ),
    Twin(
        law="map",
        case=Case(
            name="half of the replaced records",
            chain=REPLACED >> HalfOfReplacements(pc.RowByRow(function=age, to=int)),
        ),
    ),
    Twin(
        law="membership",
        case=Case(
            name="rows of failures left out", chain=REPLACED >> WithoutFailures(pc.RowByRow(function=age, to=int))
        ),
    ),
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


def test_records_keep_their_public_size() -> None:
    unit = pc.RowByRow(function=age, to=pc.vector(int, bounds=(0, 100)))
    sized = pc.records(age=int, id=str).of_size(3) >> unit
    assert sized.output == pc.vector(int, bounds=(0, 100), size=3)
    assert sized([(30, "a"), (None, "b")]).tolist() == [30, None, None]
    assert (REPLACED >> unit).output == Space(pc.vector(int, bounds=(0, 100), size=3).domain, ReplacementDistance())
    assert [(REPLACED >> unit).links[-1].unit.stability(d, REPLACED.output) for d in (0, 1, 3)] == [0, 1, 3]
    mean = unit >> pc.ImputeConstant(value=50) >> pc.Mean()
    assert (REPLACED >> mean).map(2) == (pc.records(age=int, id=str).of_size(3) >> mean).map(2) == Fraction(100, 3)


def test_there_is_one_zero_and_one_nan() -> None:
    assert (pc.vector(float) >> RIGHT)([-0.0, 0.0, None]).tolist() == [1, 1, None]
    assert (pc.vector(float) >> RIGHT)([-math.nan, math.nan]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"function": 3, "to": int}, WrongTypeError, "RowByRow.function must be a function of one row, got int."),
        ({"function": len, "to": "int"}, WrongTypeError, "RowByRow.to must be int, float, bool, str, a column such as"),
        ({"function": len, "to": pc.numbers(2)}, WrongTypeError, "or rows of numbers such as pc.matrix"),
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


class Liar(list[float]):
    """A list whose methods do not say what it holds."""

    def __iter__(self) -> Any:
        return iter([9.0, 9.0, 9.0])

    def __len__(self) -> int:
        raise RuntimeError("no")

    def copy(self) -> Any:
        raise RuntimeError("no")


def test_rows_that_are_no_rows_are_missing() -> None:
    results: list[Any] = [
        [1, 2],
        (3.5, True),
        np.array([4, 5]),
        np.ma.MaskedArray([6.0, 7.0], mask=[False, True]),
        [8, "9"],
        [Hostile(), 1],
        Liar([10.0, 11.0]),
        [1],
        [1, 2, 3],
        np.zeros((1, 2)),
        {1: 2, 3: 4},
        "ab",
        7,
        None,
        iter([1, 2]),
    ]
    rows = (pc.vector(int) >> pc.RowByRow(function=results.__getitem__, to=pc.matrix(2)))(list(range(16)))
    assert rows[:3].tolist() == [[1, 2], [3.5, 1], [4, 5]]
    assert (rows[3, 0], rows[4, 0], rows[5, 1]) == (6, 8, 1)
    assert np.isnan([rows[3, 1], rows[4, 1], rows[5, 0]]).all()
    assert rows[6].tolist() == [10, 11]
    assert np.isnan(rows[7:]).all()
    assert rows.shape == (16, 2)


def test_a_list_that_is_used_again_changes_no_result() -> None:
    chain = pc.vector(int) >> ROWS
    assert chain([3, 9, 4]).tolist() == [[3, 1], [2, 1], [4, 1]]
    assert chain([]).shape == (0, 2)


def test_rows_in_a_ball_without_missing_values() -> None:
    chain = pc.vector(int) >> pc.RowByRow(function=[[3, 4], [1], [0, "x"]].__getitem__, to=BALL)
    rows = chain([0, 1, 2, 3])
    assert abs(rows[0] - [0.7071068, 0.7071068]).max() < 1e-6  # into the box around the ball, then into the ball
    assert rows[1:].tolist() == [[0, 0]] * 3


def test_rows_have_the_size_and_the_order_of_the_input() -> None:
    sized = pc.vector(int, size=3, ordered=True) >> pc.RowByRow(function=powers, to=pc.matrix(2, bounds=(0, 1)))
    assert repr(sized.output.domain) == repr(pc.matrix(2, bounds=(0, 1), size=3, ordered=True).domain)
    with pytest.raises(InvalidError, match="no size of its own"):
        pc.RowByRow(function=powers, to=pc.matrix(2, size=3))
