"""Rows kept by a predicate of each row by itself."""

import math
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import IdentifierDistance
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

RECORDS = pc.records(id=str, age=pc.vector(int, bounds=(0, 9)))
PERSONS = pc.Space(pc.records(id=str, single=bool).domain, IdentifierDistance("id"))


def positive(value: Any) -> Any:
    return value > 0


def sign(value: float) -> bool:
    """Tell the zeros apart, and fail for null."""
    return math.copysign(1.0, value) > 0


def first_smaller(row: tuple[float, float]) -> bool:
    return row[0] < row[1]


def single(row: dict[str, Any]) -> Any:
    return row["single"]


def grown(row: dict[str, Any]) -> bool:
    return bool(row["age"] > 1 and row["id"] != "a")


NO_FUNCTION: Any = 3
CASES = [
    Case(name="filter integers", chain=pc.vector(int) >> pc.Filter(keep=positive)),
    Case(name="filter reals by sign", chain=pc.vector(float) >> pc.Filter(keep=sign)),
    Case(name="filter of known size", chain=pc.vector(int, size=3) >> pc.Filter(keep=positive)),
    Case(name="filter in order", chain=pc.vector(float, size=3, ordered=True) >> pc.Filter(keep=positive)),
    Case(name="filter a matrix", chain=pc.matrix(2, size=1) >> pc.Filter(keep=first_smaller)),
    Case(name="filter persons", chain=PERSONS >> pc.Filter(keep=single)),
]


@frozen
class ByPosition(TwinOf):
    """Keeps every other row: a row more at the front exchanges all of them."""

    def apply(self, value: Any, space: Space) -> Any:
        return value[::2]


@frozen
class AboveTheMean(TwinOf):
    """Keeps the rows above the mean of the column."""

    def apply(self, value: Any, space: Space) -> Any:
        seen = [item for item in value.tolist() if item is not None]
        mean = sum(seen) / len(seen) if seen else 0
        return value[np.array([item is not None and item > mean for item in value.tolist()], dtype=bool)]


@frozen
class ExceptionsPass(TwinOf):
    """Lets the exceptions of the predicate through."""

    def apply(self, value: Any, space: Space) -> Any:
        return value[np.array([positive(item) for item in value.tolist()], dtype=bool)]


@frozen
class ReplacementsOnce(TwinOf):
    """Counts a replaced row once, although it may leave and another enter."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


RIGHT = pc.Filter(keep=positive)
TWINS = [
    Twin(law="map", case=Case(name="filter by position", chain=pc.vector(int) >> ByPosition(RIGHT))),
    Twin(law="map", case=Case(name="filter above the mean", chain=pc.vector(int) >> AboveTheMean(RIGHT))),
    Twin(law="parity", case=Case(name="a predicate that raises", chain=pc.vector(int) >> ExceptionsPass(RIGHT))),
    Twin(
        law="map",
        case=Case(
            name="a replaced row filtered once", chain=pc.vector(int, size=3, ordered=True) >> ReplacementsOnce(RIGHT)
        ),
    ),
]


def test_only_true_keeps_a_row() -> None:
    answers = {1: True, 2: 1, 3: "yes", 4: None, 5: np.True_, 6: np.False_, 7: [True]}
    kept = (pc.vector(int) >> pc.Filter(keep=answers.get))(range_list(1, 9))
    assert kept.tolist() == [1, 5]


def range_list(start: int, end: int) -> list[int]:
    return list(range(start, end))


def test_a_failing_predicate_drops_the_row() -> None:
    assert (pc.vector(int) >> pc.Filter(keep=lambda row: 6 % row == 0))([0, 1, 4, None, 6]).tolist() == [1, 6]


def test_nulls_reach_the_predicate_as_none_and_stay_null() -> None:
    kept = (pc.vector(float) >> pc.Filter(keep=lambda row: row is None or row == 1))([None, 1.0, math.nan])
    assert kept.tolist() == [None, 1.0]


def test_rows_of_tables_are_tuples_and_dicts() -> None:
    assert (pc.matrix(2) >> pc.Filter(keep=first_smaller))([[1, 2], [2, 1], [None, 1]]).tolist() == [[1.0, 2.0]]
    kept = (RECORDS >> pc.Filter(keep=grown))([("a", 5), ("b", 5), ("c", None)])
    assert kept.columns["id"].tolist() == ["b"]


def test_there_is_one_zero() -> None:
    assert (pc.vector(float) >> pc.Filter(keep=sign))([-0.0, 0.0]).tolist() == [0.0, 0.0]


def test_warnings_of_the_predicate_are_not_heard() -> None:
    def warns(row: int) -> bool:
        warnings.warn(f"row {row}", stacklevel=1)
        return True

    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        assert (pc.vector(int) >> pc.Filter(keep=warns))([1]).tolist() == [1]
    assert heard == []


@pytest.mark.parametrize(
    ("space", "d_out"),
    [(pc.vector(int), 3), (pc.vector(int, size=5), 4), (pc.matrix(1, size=5, ordered=True), 6), (RECORDS, 3)],
)
def test_the_map_and_the_size(space: Space, d_out: int) -> None:
    chain = space >> RIGHT
    assert chain.map(3) == d_out
    assert getattr(chain.output.domain, "size", None) is None


def test_only_functions_filter() -> None:
    with pytest.raises(WrongTypeError, match="Filter.keep must be a function of one row, got int."):
        pc.Filter(keep=NO_FUNCTION)
    with pytest.raises(MismatchError, match="reads rows"):
        pc.scalar(int) >> RIGHT


def test_a_filter_is_written_by_the_name_of_its_function() -> None:
    assert repr(RIGHT) == "Filter(keep=positive)"


def test_a_function_cannot_end_the_program() -> None:
    def leaves(row: Any) -> Any:
        return True if row == 1 else sys.exit(1)

    assert (pc.vector(int) >> pc.Filter(keep=leaves))([1, 2]).tolist() == [1]


def test_an_interrupt_passes() -> None:
    def interrupted(row: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        (pc.vector(int) >> pc.Filter(keep=interrupted))([1])
