"""A user's function of all records of one person."""

import math
import statistics
import sys
import warnings
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.frames import Records
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms import has_identifier, plain_rows
from tests.laws import Case, Twin
from tests.transforms.raw_people import IDENTIFIERS, check_raw, space_of
from tests.transforms.twins import TwinOf

PAID = pc.persons("id", id=str, v=pc.vector(int, bounds=(-5, 50)))
WHOLE = pc.persons("id", v=float, id=int)
BALL = (pc.matrix(2) >> pc.ClampNorm(radius=1)).output


def numbers(records: Any) -> list[Any]:
    return [each["v"] for each in records if each["v"] is not None]


def median(records: Any) -> Any:
    return [statistics.median(numbers(records))]


def mode(records: Any) -> Any:
    counts = Counter(numbers(records))
    return [min(counts, key=lambda each: (-counts[each], each))]


def first(records: Any) -> Any:
    return [records[0]["v"]]


def everything(records: Any) -> Any:
    return [each["v"] for each in records]


def ends(records: Any) -> Any:
    return [[min(numbers(records)), max(numbers(records))], (len(records), 1)]


def last_two(records: Any) -> Any:
    return sorted(records, key=lambda each: str(each["v"]))[-2:]


COLUMN = pc.vector(int, bounds=(0, 40))
ONE = pc.PersonByPerson(id="id", function=first, to=int)
TWO = pc.PersonByPerson(id="id", function=everything, to=COLUMN, rows=2)
CASES = [
    Case(name="person by person to medians", chain=PAID >> pc.PersonByPerson(id="id", function=median, to=float)),
    Case(name="person by person to modes", chain=PAID >> pc.PersonByPerson(id="id", function=mode, to=COLUMN)),
    Case(name="person by person to the first", chain=WHOLE >> ONE),
    Case(name="person by person to two values", chain=PAID >> TWO),
    Case(
        name="person by person to two values, added up",
        chain=PAID >> pc.PersonByPerson(id="id", function=everything, to=COLUMN, rows=2) >> pc.Sum(),
    ),
    Case(
        name="person by person to rows of a ball, added up",
        chain=PAID >> pc.PersonByPerson(id="id", function=ends, to=BALL, rows=2) >> pc.VectorSum(),
    ),
    Case(
        name="person by person to records",
        chain=WHOLE >> pc.PersonByPerson(id="id", function=last_two, to=pc.records(id=str, v=COLUMN), rows=2),
    ),
    Case(
        name="person by person to records, truncated in parts",
        chain=PAID
        >> pc.PersonByPerson(id="id", function=last_two, to=pc.records(v=COLUMN, id=str), rows=2)
        >> pc.PartitionByKey(key="id", categories=["a", "b"])
        >> pc.GroupSize(),
    ),
]


@frozen
class NotCut(TwinOf):
    """Keeps all that the function returns."""

    def apply(self, value: Any, space: Space) -> Any:
        value = value.take(has_identifier(value, "id"))
        return COLUMN.domain.admit([row["v"] for row in plain_rows(value)])


@frozen
class OneRow(TwinOf):
    """Charges a person as one row, whatever the number of results."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


@frozen
class ChangedOnce(TwinOf):
    """Charges a person whose records differ as one added or removed."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return (d_in + 1) // 2


@frozen
class AsTheyCame(TwinOf):
    """Hands over the records in the order of the data."""

    def apply(self, value: Any, space: Space) -> Any:
        people: dict[Any, Any] = {}
        for row in plain_rows(value.take(has_identifier(value, "id"))):
            people.setdefault(row["id"], row["v"])
        return pc.vector(int).domain.admit(list(people.values()))


@frozen
class NobodyIsAPerson(TwinOf):
    """Takes all records without an identifier for those of one person."""

    def apply(self, value: Any, space: Space) -> Any:
        people: dict[Any, list[Any]] = {}
        for row in plain_rows(value):
            people.setdefault(row["id"], []).append(row["v"])
        return COLUMN.domain.admit([each for rows in people.values() for each in (len(rows), len(rows) + 10)])


@frozen
class SeesOthers(TwinOf):
    """Tells the function how many persons there are."""

    def apply(self, value: Any, space: Space) -> Any:
        known = value.take(has_identifier(value, "id"))
        names = {row["id"] for row in plain_rows(known)}
        return pc.vector(int).domain.admit([len(names)] * len(names))


@frozen
class LetsItRaise(TwinOf):
    """Lets the exceptions of the function through."""

    def apply(self, value: Any, space: Space) -> Any:
        for row in plain_rows(value):
            statistics.median([] if row["v"] is None else [row["v"]])
        return self.right.apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="more results than stated", chain=PAID >> NotCut(TWO))),
    Twin(law="map", case=Case(name="two results at the price of one", chain=PAID >> OneRow(TWO))),
    Twin(law="map", case=Case(name="a person with other records charged once", chain=WHOLE >> ChangedOnce(ONE))),
    Twin(law="map", case=Case(name="records of a person as they came", chain=WHOLE >> AsTheyCame(ONE))),
    Twin(law="map", case=Case(name="a function that sees other persons", chain=WHOLE >> SeesOthers(ONE))),
    Twin(law="parity", case=Case(name="a median that raises", chain=PAID >> LetsItRaise(TWO))),
]


def results(function: Any, rows: list[Any], to: Any = int, most: int = 1) -> list[Any]:
    found: list[Any] = (PAID >> pc.PersonByPerson(id="id", function=function, to=to, rows=most))(rows).tolist()
    return found


def test_worked_examples() -> None:
    rows = [("b", 7), ("a", 40), ("b", 2), ("a", 30), ("a", None), ("a", 30)]
    assert results(median, rows, float) == [30, 4.5]
    assert results(mode, rows) == [30, 2]
    assert results(everything, rows, most=2) == [30, 30, 2, 7]
    assert results(everything, rows, most=9) == [30, 30, 40, None, 2, 7]
    assert results(lambda records: [len(records)] * len(records), rows, most=3) == [4, 4, 4, 2, 2]


def test_the_function_gets_the_records_of_one_person_sorted() -> None:
    seen: list[Any] = []
    results(seen.append, [("b", 7), (None, 1), ("a", 3), ("b", None), ("b", 2), ("b", 7)])
    assert seen == [[{"id": "a", "v": 3}], [{"id": "b", "v": each} for each in (2, 7, 7, None)]]


@given(st.lists(st.tuples(st.sampled_from("ab"), st.none() | st.integers(-5, 50)), max_size=8), st.randoms())
def test_the_order_of_the_data_decides_nothing(rows: Any, dice: Any) -> None:
    mixed = dice.sample(rows, len(rows))
    for function in (first, last_two, everything):
        unit = pc.PersonByPerson(id="id", function=function, to=COLUMN, rows=2)
        assert (PAID >> unit)(rows).tolist() == (PAID >> unit)(mixed).tolist()


class Hostile(list[Any]):
    """A list whose methods do not say what it holds."""

    def __iter__(self) -> Any:
        raise RuntimeError("no")

    def __len__(self) -> int:
        return 10**9

    def copy(self) -> Any:
        return [1] * 10**6

    def __getitem__(self, at: Any) -> Any:
        return 9


def leaves(records: Any) -> Any:
    sys.exit(1)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ([4, 5, 6], [4, 5]),
        ((4, "x"), [4, None]),
        ([], []),
        ([None], [None]),
        (None, []),
        (7, []),
        ("ab", []),
        ({1: 2}, []),
        (iter([1, 2]), []),
        (np.array([1, 2]), []),
        (Hostile([3, 4, 5]), [3, 4]),
        ([99, -7], [40, 0]),
        ([math.nan, 2.5], [None, 2]),
        ([Fraction(7, 2)], [4]),
    ],
)
def test_what_the_function_returns_is_read_like_data(answer: Any, expected: list[Any]) -> None:
    assert results(lambda _: answer, [("a", 1)], COLUMN, 2) == expected


def test_failures_show_nowhere() -> None:
    assert results(leaves, [("a", 1)]) == []
    assert results(lambda records: [1 / records[0]["v"]], [("a", 0), ("b", 1)]) == [1]
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        results(lambda records: [warnings.warn("a person", stacklevel=1)], [("a", 1)])
    assert heard == []
    with pytest.raises(KeyboardInterrupt):
        results(interrupted, [("a", 1)])


def interrupted(records: Any) -> Any:
    raise KeyboardInterrupt


def test_records_and_rows_of_numbers() -> None:
    fields = pc.records(v=COLUMN, name=str)
    made = [{"v": 99, "name": "x", "more": 1}, [3, "y"], {"v": "3"}, [1], 5]
    chain = PAID >> pc.PersonByPerson(id="id", function=lambda _: made, to=fields, rows=5)
    found = chain([("a", 1)])
    assert isinstance(found, Records)
    assert found.columns["v"].tolist() == [40, 3, None, None, None]
    assert found.columns["name"].tolist() == ["x", "y", None, None, None]
    assert len(chain([])) == 0
    pairs = PAID >> pc.PersonByPerson(id="id", function=ends, to=pc.matrix(2, bounds=(0, 9)), rows=2)
    assert pairs([("a", 1), ("a", 30)]).tolist() == [[1, 9], [2, 1]]
    assert pairs([]).shape == (0, 2)


def test_a_list_that_is_used_again_changes_no_result() -> None:
    shared: list[Any] = [0]

    def again(records: Any) -> Any:
        shared[:] = [records[0]["v"]]
        return shared

    assert results(again, [("a", 1), ("b", 2), ("c", 3)]) == [1, 2, 3]


def test_a_function_cannot_write_to_the_data() -> None:
    def empties(records: Any) -> Any:
        for each in records:
            each.clear()
        records.clear()
        return [1]

    data = (PAID.domain).admit([("a", 1), ("a", 2)])
    unit = pc.PersonByPerson(id="id", function=empties, to=int)
    assert unit.apply(data, PAID).tolist() == [1]
    assert data.columns["v"].tolist() == [1, 2]


def test_the_map() -> None:
    assert (PAID >> TWO).map(3) == 6
    assert (PAID >> TWO >> pc.Sum()).map(1) == 80
    assert (PAID >> TWO).output == COLUMN


@pytest.mark.parametrize(("kind", "ids"), IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_persons_of_the_raw_data(kind: Any, ids: list[Any]) -> None:
    unit = pc.PersonByPerson(id="id", function=everything, to=int, rows=2)
    check_raw(space_of(kind) >> unit, ids, 2)


def test_nameless_records_as_one_person_are_caught() -> None:
    kind, ids = IDENTIFIERS["identifiers of the wrong kind"]
    with pytest.raises(AssertionError, match="one person more"):
        check_raw(space_of(kind) >> NobodyIsAPerson(TWO), ids, 2)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"function": 3}, WrongTypeError, "function must be a function of the records of a person, got int"),
        ({"to": "int"}, WrongTypeError, r"PersonByPerson.to must be int, float, bool, str, or a space such as"),
        ({"to": pc.vector(int, size=3)}, InvalidError, "no size of its own"),
        ({"to": pc.records(a=int).of_size(3)}, InvalidError, "no size of its own"),
        ({"to": PAID}, InvalidError, "must be a space of rows, such as pc.records.*, not of persons"),
        ({"rows": 0}, InvalidError, "PersonByPerson.rows must be above zero"),
        ({"rows": 1.5}, WrongTypeError, "rows must be a whole number"),
        ({"id": 3}, WrongTypeError, "id must be the name of a column"),
    ],
)
def test_wrong_parameters_are_refused(changes: Any, error: type[Exception], message: str) -> None:
    given_parameters: dict[str, Any] = {"id": "id", "function": first, "to": int, **changes}
    with pytest.raises(error, match=message):
        pc.PersonByPerson(**given_parameters)


def test_spaces_without_persons_are_refused() -> None:
    with pytest.raises(MismatchError, match=r"PersonByPerson reads persons identified by 'id'"):
        pc.records(id=str, v=int) >> ONE
    with pytest.raises(MismatchError, match="reads records, got VectorDomain"):
        pc.vector(int) >> ONE


@pytest.mark.parametrize("wrong", [np.array([1, 2]), [int], 7])
def test_a_result_that_is_no_kind_is_refused_by_an_error_of_ours(wrong: Any) -> None:
    with pytest.raises(WrongTypeError, match=r"\.to must be"):
        pc.PersonByPerson(id="id", function=first, to=wrong)
    with pytest.raises(WrongTypeError, match=r"\.to must be"):
        pc.RowByRow(function=first, to=wrong)
