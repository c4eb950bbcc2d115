"""Partitioning by key."""

import math
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

LETTERS = pc.PartitionByKey(categories=["a", "b", "c"])
RECORDS = pc.records(group=pc.vector(str, categories=["a", "b"]), v=int)
SIZED = pc.vector(str, size=3)
CASES = [
    Case(name="partition text", chain=pc.vector(str) >> LETTERS),
    Case(name="partition of known size", chain=SIZED >> pc.PartitionByKey(categories=["a", "b", ""], other=True)),
    Case(name="partition in order", chain=pc.vector(int, size=2, ordered=True) >> pc.PartitionByKey(categories=[0, 1])),
    Case(name="partition records", chain=RECORDS >> pc.PartitionByKey(key="group", other=True)),
]


@frozen
class ReplacedOnce(TwinOf):
    """Charges a replaced record once, though it can leave one part and enter another."""

    def stability(self, d_in: Any, space: Space) -> Any:
        half = (d_in + 1) // 2
        return pc.Parts(l0=half, l1=half, l2_squared=half**2, linf=half)


@frozen
class DealtOut(TwinOf):
    """Deals records out in turn, by where they stand."""

    def apply(self, value: Any, space: Space) -> Any:
        return tuple(value[start::3] for start in range(3))


@frozen
class UnknownRefused(TwinOf):
    """Fails at a key that is not in the list."""

    def apply(self, value: Any, space: Space) -> Any:
        if any(item not in ("a", "b", "c") for item in value.tolist()):
            raise KeyError("unknown key")
        return self.right.apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="replaced in one part only", chain=SIZED >> ReplacedOnce(LETTERS))),
    Twin(law="map", case=Case(name="dealt out in turn", chain=pc.vector(str) >> DealtOut(LETTERS))),
    Twin(law="parity", case=Case(name="unknown keys refused", chain=pc.vector(str) >> UnknownRefused(LETTERS))),
]


def test_unknown_and_missing_keys_are_dropped_or_make_a_part() -> None:
    rows = ["b", "z", None, "a", "b"]
    assert [part.tolist() for part in (pc.vector(str) >> LETTERS)(rows)] == [["a"], ["b", "b"], []]
    kept = pc.vector(str) >> pc.PartitionByKey(categories=["a", "b"], other=True)
    assert [part.tolist() for part in kept(rows)] == [["a"], ["b", "b"], ["z", None]]


def test_nan_is_no_key() -> None:
    chain = pc.vector(float) >> pc.PartitionByKey(categories=[1.0], other=True)
    assert [len(part) for part in chain([1.0, math.nan, math.inf])] == [1, 2]


def test_records_keep_their_columns() -> None:
    chain = RECORDS >> pc.PartitionByKey(key="group")
    first, second = chain([("a", 1), ("b", 2), ("a", 3), (None, 4)])
    assert first.columns["v"].tolist() == [1, 3]
    assert second.columns["v"].tolist() == [2]


def test_the_map() -> None:
    added = pc.vector(str) >> LETTERS
    assert added.map(2) == pc.Parts(l0=2, l1=2, l2_squared=4, linf=2)
    assert added.map(5) == pc.Parts(l0=3, l1=5, l2_squared=25, linf=5), "no more parts than there are"
    assert (SIZED >> LETTERS).map(1) == pc.Parts(l0=2, l1=2, l2_squared=4, linf=2), "one replacement"


@pytest.mark.parametrize(
    ("categories", "error"),
    [("ab", WrongTypeError), ([], InvalidError), (["a", "a"], InvalidError), ([["a"]], WrongTypeError)],
)
def test_wrong_lists_are_refused(categories: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="PartitionByKey.categories must be"):
        pc.PartitionByKey(categories=categories)


@pytest.mark.parametrize(
    ("space", "unit", "message"),
    [
        (RECORDS, LETTERS, "key must name a column"),
        (RECORDS, pc.PartitionByKey(key="v"), "must be stated for a column without categories"),
        (RECORDS, pc.PartitionByKey(key="w"), "needs a column named 'w'"),
        (pc.vector(int), LETTERS, "must be of kind int"),
        (pc.scalar(int), LETTERS, "reads rows"),
    ],
)
def test_spaces_that_do_not_fit_are_refused(space: Space, unit: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> unit
