"""One row for each person."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin
from tests.transforms.raw_people import IDENTIFIERS, check_raw, space_of
from tests.transforms.twins import TwinOf

ID = pc.IdentifierDistance("id")
PAID = pc.Space(pc.records(id=str, v=pc.vector(int, bounds=(-5, 50))).domain, ID)
REAL = pc.Space(pc.records(id=str, v=pc.vector(float, bounds=(-1, 1), grid=Fraction(1, 8))).domain, ID)
FREE = pc.Space(pc.records(v=str, id=int).domain, ID)
HUGE = pc.Space(pc.records(id=int, v=pc.vector(int, bounds=(-(2**63), 2**63 - 1))).domain, ID)
SUM = pc.Summarize(id="id", column="v", how="sum", bounds=(0, 60))
CASES = [
    Case(name="summarize a sum", chain=PAID >> SUM),
    Case(name="summarize a mean of reals", chain=REAL >> pc.Summarize(id="id", column="v", how="mean")),
    Case(name="summarize a count", chain=FREE >> pc.Summarize(id="id", column="v", how="count", bounds=(0, 9))),
]


@frozen
class OnePersonFree(TwinOf):
    """Charges a person with other records once, not as removed and added."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return (d_in + 1) // 2


@frozen
class RowByRow(TwinOf):
    """Gives a summary for every record, not for every person."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.ma.filled(value.columns["v"], 0).clip(0, 60)


@frozen
class RefusesNobody(TwinOf):
    """Fails for a person without values, as a plain maximum does."""

    def apply(self, value: Any, space: Space) -> Any:
        if any(item is None for item in value.columns["v"].tolist()):
            raise ValueError("max() of an empty list")
        return self.right.apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="a changed person charged once", chain=PAID >> OnePersonFree(SUM))),
    Twin(law="map", case=Case(name="a summary for every record", chain=PAID >> RowByRow(SUM))),
    Twin(law="parity", case=Case(name="a person without values refused", chain=PAID >> RefusesNobody(SUM))),
]


def summary(space: Space, rows: list[Any], **how: Any) -> list[Any]:
    found: list[Any] = (space >> pc.Summarize(id="id", column="v", **how))(rows).tolist()
    return sorted(found, key=lambda item: (item is None, item))


def test_a_worked_example() -> None:
    rows = [("a", 40), ("b", 2), ("a", 30), ("a", None)]
    assert summary(PAID, rows, how="sum", bounds=(0, 60)) == [2, 60]
    assert summary(PAID, rows, how="mean") == [2.0, 35.0]
    assert summary(PAID, rows, how="min") == [2, 30]
    assert summary(PAID, rows, how="max") == [2, 40]
    assert summary(PAID, rows, how="count", bounds=(0, 10)) == [1, 3]


def test_a_person_without_values() -> None:
    assert summary(PAID, [("a", None)], how="sum", bounds=(3, 60)) == [3], "zero, clamped"
    assert summary(PAID, [("a", None)], how="mean") == [None]
    assert summary(REAL, [("a", math.nan)], how="max") == [None]
    assert summary(PAID, [], how="sum", bounds=(0, 1)) == []


def test_sums_do_not_wrap_or_round() -> None:
    assert summary(HUGE, [(1, 2**63 - 1)] * 3, how="sum", bounds=(0, 2**63 - 1)) == [2**63 - 1]
    assert summary(HUGE, [(1, 2**63 - 1), (1, 5), (1, -(2**63))], how="sum", bounds=(0, 100)) == [4]


def test_a_mean_is_rounded_once_to_the_grid() -> None:
    assert summary(REAL, [("a", 0.125), ("a", 0.25), ("a", 0.25)], how="mean") == [0.25], "5/24 is nearer to 2/8"


def test_the_map_is_one_row_for_one_person() -> None:
    assert (PAID >> SUM).map(3) == 3


@pytest.mark.parametrize("how", ["sum", "count"])
def test_a_sum_and_a_count_need_bounds(how: Any) -> None:
    with pytest.raises(MismatchError, match=f"Summarize.bounds must be stated for a {how}"):
        PAID >> pc.Summarize(id="id", column="v", how=how)


def test_only_bounded_columns_are_summarised() -> None:
    with pytest.raises(MismatchError, match="needs a bounded column of numbers"):
        FREE >> SUM
    with pytest.raises(MismatchError, match="start from pc.persons"):
        pc.records(id=str, v=int) >> SUM
    with pytest.raises(InvalidError, match="Summarize.how must be one of"):
        pc.Summarize(id="id", column="v", how="sd")  # type: ignore[arg-type]


def test_records_without_a_readable_identifier_belong_to_no_person() -> None:
    assert summary(PAID, [(None, 40), ("a", 1), (7, 30)], how="max") == [1]
    assert summary(HUGE, [(2**70, 40), (-(2**70), 1), (0, 7)], how="max") == [7]


@pytest.mark.parametrize(("kind", "ids"), IDENTIFIERS.values(), ids=IDENTIFIERS)
def test_persons_are_never_merged_by_reading(kind: Any, ids: list[Any]) -> None:
    chain = space_of(kind) >> pc.Summarize(id="id", column="v", how="sum", bounds=(0, 100))
    check_raw(chain, ids, chain.map(1))


def test_identifiers_that_reading_may_merge_are_refused() -> None:
    with pytest.raises(MismatchError, match="Summarize needs identifiers that no two persons share"):
        space_of(float) >> SUM
