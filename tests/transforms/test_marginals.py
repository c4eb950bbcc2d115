"""Marginal counts."""

from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

PEOPLE = pc.records(
    sex=pc.vector(str, categories=["f", "m"]),
    old=pc.vector(bool, categories=[False, True]),
    area=pc.vector(int, categories=[0, 1, 7]),
)
ALL = pc.Marginals(columns=["sex", "old", "area"], ways=(0, 1, 2, 3))
PAIRS = pc.Marginals(columns=["old", "area"], ways=[1, 2])
CASES = [Case(name="marginals", chain=PEOPLE >> ALL)]


@frozen
class SquareOfOne(TwinOf):
    """Adds squares as if no two records could share a cell."""

    def stability(self, d_in: Any, space: Space) -> Any:
        right: Any = self.right.stability(d_in, space)
        return pc.Parts(l0=right.l0, l1=right.l1, l2_squared=right.l1, linf=right.linf)


@frozen
class OneTable(TwinOf):
    """Charges for one table, although each record is counted in all."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return pc.Parts(l0=d_in, l1=d_in, l2_squared=d_in**2, linf=d_in)


@frozen
class MissingRefused(TwinOf):
    """Fails if a record has no category."""

    def apply(self, value: Any, space: Space) -> Any:
        if np.ma.getmaskarray(value.columns["old"]).any():
            raise KeyError("no such cell")
        return self.right.apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="records never share a cell", chain=PEOPLE >> SquareOfOne(PAIRS))),
    Twin(law="map", case=Case(name="marginals charged once", chain=PEOPLE >> OneTable(PAIRS))),
    Twin(law="parity", case=Case(name="missing categories refused", chain=PEOPLE >> MissingRefused(PAIRS))),
]
ROWS = [("f", True, 7), ("m", False, 0), ("f", True, 0), ("f", None, 0), (None, None, None)]


def test_counts_are_split_into_tables() -> None:
    tables = ALL.split((PEOPLE >> ALL)(ROWS), PEOPLE)
    assert list(tables)[:4] == [(), ("sex",), ("old",), ("area",)]
    assert tables[()] == 5
    assert tables["sex",].tolist() == [3, 1]
    assert tables["sex", "old"].tolist() == [[0, 2], [1, 0]]
    assert tables["sex", "area"].tolist() == [[2, 0, 1], [1, 0, 0]]
    assert tables["sex", "old", "area"][0, 1].tolist() == [1, 0, 1]


def test_a_full_table_adds_up_to_its_margins() -> None:
    rows = [row for row in ROWS if None not in row]
    tables = ALL.split((PEOPLE >> ALL)(rows), PEOPLE)
    full = tables["sex", "old", "area"]
    assert full.sum() == tables[()] == 3
    assert full.sum(axis=(1, 2)).tolist() == tables["sex",].tolist()
    assert full.sum(axis=0).tolist() == tables["old", "area"].tolist()


def test_the_map() -> None:
    assert (PEOPLE >> PAIRS).map(1) == pc.Parts(l0=3, l1=3, l2_squared=3, linf=1)
    assert (PEOPLE >> PAIRS).map(4) == pc.Parts(l0=2 + 3 + 4, l1=12, l2_squared=48, linf=4)


def test_an_empty_data_set_has_zeros() -> None:
    assert (PEOPLE >> PAIRS)([]).tolist() == [0] * 11


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"columns": "sex", "ways": (1,)}, WrongTypeError, "Marginals.columns must be a list"),
        ({"columns": ["a", "a"], "ways": (1,)}, InvalidError, "must be different columns"),
        ({"columns": ["a"], "ways": (2,)}, InvalidError, "different numbers from 0 to 1"),
        ({"columns": ["a"], "ways": 1}, WrongTypeError, "Marginals.ways must be a list"),
        ({"columns": ["a"], "ways": (True,)}, WrongTypeError, "must be a whole number"),
    ],
)
def test_wrong_parameters_are_named(wrong: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pc.Marginals(**wrong)


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MismatchError, match="needs public categories, got the column 'a' without"):
        pc.records(a=str) >> pc.Marginals(columns=["a"], ways=[1])
    with pytest.raises(MismatchError, match="reads records under SymmetricDistance"):
        pc.vector(int) >> PAIRS
