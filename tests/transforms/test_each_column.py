"""Units of their own for the fields of mixed records."""

import math
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.frames import Records
from privet.core.metric import InsertDelete
from privet.core.space import Space
from privet.errors import PrivetError, WrongTypeError
from privet.transforms.columns import missing
from tests.laws import Case, Twin
from tests.transforms.random_twins import RandomTwinOf
from tests.transforms.twins import TwinOf

MIXED = pc.records(sex=str, age=int, height=float, smokes=bool, name=str)
CLEAN = pc.EachColumn(
    units={
        "sex": pc.ClampCategories(categories=["f", "m"]) >> pc.ImputeCategories(categories=["f", "m"], weights=[2, 1]),
        "age": pc.Clamp(bounds=(0, 120)) >> pc.ImputeUniform(bounds=(18, 65)),
        "height": pc.Clamp(bounds=(50, 250)) >> pc.ImputeGaussian(shift=170, scale=10),
        "smokes": pc.ImputeConstant(value=False),
    }
)
PERSONS = pc.persons("id", id=int, age=int, city=str)
AGES = pc.EachColumn(units={"age": pc.Clamp(bounds=(0, 9)) >> pc.ImputeUniform()})
SMALL = pc.records(a=pc.vector(int, bounds=(0, 9)), b=int)
DRAWN = pc.EachColumn(units={"a": pc.ImputeUniform()})
CASES = [
    Case(name="each column of mixed records", chain=MIXED >> CLEAN),
    Case(name="each column of a known size", chain=MIXED.of_size(3) >> CLEAN),
    Case(name="each column of replaced records", chain=MIXED.of_size(3) >> pc.Replacements() >> CLEAN),
    Case(name="each column in order", chain=Space(MIXED.domain, InsertDelete()) >> CLEAN),
    Case(name="each column of persons", chain=PERSONS >> AGES),
    Case(name="each column >> select", chain=SMALL >> DRAWN >> pc.Select(columns="a") >> pc.Sum()),
    Case(
        name="each column, cast and binned",
        chain=SMALL >> pc.EachColumn(units={"a": pc.Digitize(edges=[3, 5]), "b": pc.Cast(to=float)}),
    ),
    Case(
        name="each column by a function",
        chain=SMALL >> pc.EachColumn(units={"b": pc.RowByRow(function=lambda value: value and 1 // value, to=int)}),
    ),
]


@frozen
class CoinsInTurn(RandomTwinOf):
    """Uses the coins of a field for its missing cells in turn."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        gone = missing(value.columns["a"])
        turn = np.zeros(len(gone), dtype=np.int64)
        turn[gone] = np.arange(int(gone.sum()))
        (((first,),),) = coins
        return self.right.combine(value, (((first[turn],),),), space)


@frozen
class HotDeck(RandomTwinOf):
    """Imputes one of the values of the field."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        cells = value.columns["a"]
        gone = missing(cells)
        seen = cells.data[~gone] if (~gone).any() else np.array([0])
        (((first,),),) = coins
        filled = np.where(gone, seen[first % len(seen)], cells.data)
        return Records({**value.columns, "a": filled})


@frozen
class SortedField(RandomTwinOf):
    """Sorts one field by itself, which pairs cells of different records."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        right = self.right.combine(value, coins, space)
        return Records({**right.columns, "a": np.sort(right.columns["a"])})


@frozen
class MergedPersons(TwinOf):
    """Clamps the identifiers too: the records of all persons beyond nine are those of one."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        names = right.columns["id"]
        return Records({**right.columns, "id": np.ma.MaskedArray(np.clip(names.data, 0, 1), mask=names.mask)})


PLAIN = pc.EachColumn(units={"age": pc.Clamp(bounds=(0, 9))})
TWINS = [
    Twin(law="map", case=Case(name="coins of a field in turn", chain=SMALL >> CoinsInTurn(DRAWN))),
    Twin(law="map", case=Case(name="a field drawn from itself", chain=SMALL >> HotDeck(DRAWN))),
    Twin(law="map", case=Case(name="a field sorted by itself", chain=SMALL >> SortedField(DRAWN))),
    Twin(law="map", case=Case(name="identifiers clamped", chain=PERSONS >> MergedPersons(PLAIN))),
]


def test_every_field_is_cleaned_by_its_own_unit() -> None:
    rows = (MIXED >> CLEAN)([("x", 999, math.inf, None, None), ("f", -5, None, True, "n"), (None, None, 3.0, 1, "m")])
    columns = {name: cells.tolist() for name, cells in rows.columns.items()}
    assert columns["name"] == [None, "n", "m"]
    assert columns["smokes"] == [False, True, False]
    assert columns["sex"][1] == "f"
    assert set(columns["sex"]) <= {"f", "m"}
    assert columns["age"][:2] == [120, 0]
    assert 18 <= columns["age"][2] <= 65
    assert columns["height"][0] == 250
    assert columns["height"][2] == 50
    assert 50 <= columns["height"][1] <= 250


def test_the_domains_are_those_of_the_units() -> None:
    domain: Any = (MIXED >> CLEAN).output.domain
    assert domain.column("age").bounds == (0, 120)
    assert not domain.column("height").nullable
    assert not domain.column("height").nan
    assert domain.column("sex").categories == ("f", "m")
    before: Any = MIXED.domain
    assert domain.column("name") == before.column("name")
    sized: Any = (MIXED.of_size(7) >> CLEAN).output.domain
    assert sized.size == 7


def test_the_loss_is_that_of_the_clamped_field() -> None:
    chain = MIXED >> CLEAN >> pc.Select(columns="age") >> pc.Sum() >> pc.Laplace(scale=120)
    assert chain.map(1).epsilon() == 1
    sized = MIXED.of_size(10) >> CLEAN >> pc.Select(columns="age") >> pc.Mean() >> pc.Laplace(scale=12)
    assert sized.map(2).epsilon() == 1


def test_draws_of_two_fields_are_independent() -> None:
    space = pc.records(a=pc.vector(int, bounds=(0, 1)), b=pc.vector(int, bounds=(0, 1)))
    rows = (space >> pc.EachColumn(units={"a": pc.ImputeUniform(), "b": pc.ImputeUniform()}))([(None, None)] * 4_000)
    same = int((rows.columns["a"] == rows.columns["b"]).sum())
    assert abs(same - 2_000) < 6.1 * math.sqrt(1_000), "six deviations, exceeded with probability below 1e-8"


@pytest.mark.parametrize(
    ("space", "units", "message"),
    [
        (pc.vector(int), {"a": pc.Clamp(bounds=(0, 1))}, "use the unit itself"),
        (MIXED, {"nosuch": pc.Clamp(bounds=(0, 1))}, "no field is called 'nosuch'; the fields are sex, age"),
        (MIXED, {"sex": pc.Clamp(bounds=(0, 1))}, "str"),
        (MIXED, {"age": pc.Clamp(bounds=(0, 1)) >> pc.Sum()}, "must turn each row of a column into one row"),
        (MIXED, {"age": pc.ImputeConstant(value=1) >> pc.DropNulls()}, "must turn each row"),
        (MIXED, {"age": pc.Clamp(bounds=(0, 1)) >> pc.Shuffle()}, "must turn each row"),
        (PERSONS, {"id": pc.Clamp(bounds=(0, 1))}, "identifies persons"),
    ],
)
def test_what_does_not_fit_is_refused(space: Space, units: Any, message: str) -> None:
    with pytest.raises(PrivetError, match=message):
        space >> pc.EachColumn(units=units)


@pytest.mark.parametrize("units", [{}, 5, {"a": 5}, {"a": pc.DropNulls()}, {1: pc.Clamp(bounds=(0, 1))}])
def test_wrong_units_are_refused(units: Any) -> None:
    with pytest.raises(WrongTypeError, match=r"EachColumn\.units must be a dict"):
        pc.EachColumn(units=units)
