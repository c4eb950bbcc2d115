"""Information gain of attributes."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.information_gain import _table
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

SICK = pc.records(ill=bool, smoker=bool, age=int)
GAIN = pc.InformationGain(label="ill", attributes=["smoker", "age"], rows=20)
SHORT = pc.InformationGain(label="ill", attributes=["smoker", "age"], rows=2)
CASES = [
    Case(name="information gain", chain=SICK >> GAIN),
    Case(name="information gain, too few rows", chain=SICK >> SHORT),
    Case(
        name="information gain, one row",
        chain=SICK >> pc.InformationGain(label="ill", attributes=["smoker", "age"], rows=1),
    ),
    Case(
        name="information gain of words and reals",
        chain=pc.records(a=str, b=float, c=str) >> pc.InformationGain(label="c", attributes=["a", "b"], rows=7),
    ),
    Case(
        name="information gain, one attribute",
        chain=SICK >> pc.InformationGain(label="ill", attributes=["age"], rows=9),
    ),
]


@frozen
class OneNat(TwinOf):
    """Forgets the logarithm of the number of rows."""

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return Fraction(d_in)


@frozen
class NotCut(TwinOf):
    """Charges for few rows but lets n ln n grow on."""

    def apply(self, value: Any, space: Space) -> Any:
        return GAIN.apply(value, space)


TWINS = [
    Twin(law="map", case=Case(name="information gain for one nat", chain=SICK >> OneNat(GAIN))),
    Twin(law="map", case=Case(name="a gain that grows on", chain=SICK >> NotCut(SHORT))),
]


def rows_of(*rows: tuple[Any, ...]) -> dict[str, list[Any]]:
    ill, smoker, age = zip(*rows, strict=True)
    return {"ill": list(ill), "smoker": list(smoker), "age": list(age)}


def test_the_score_is_the_gain_up_to_a_shared_constant() -> None:
    data = rows_of(*[(True, True, 1)] * 6, *[(False, True, 1)] * 2, *[(False, False, 1)] * 7, *[(True, False, 1)])
    smoker, age = (SICK >> GAIN)(data)

    def entropy(*counts: int) -> float:
        return -sum(count * math.log(count / sum(counts)) for count in counts)

    assert abs(smoker - -(entropy(6, 2) + entropy(7, 1))) < 1e-4
    assert abs(age - -entropy(7, 9)) < 1e-4


def test_the_informative_attribute_is_selected() -> None:
    data = rows_of(*[(True, True, 1)] * 400, *[(False, False, 1)] * 400)
    chain = (
        SICK >> pc.InformationGain(label="ill", attributes=["age", "smoker"], rows=800) >> pc.Exponential(temperature=8)
    )
    assert chain(data) == 1


@pytest.mark.parametrize("rows", [1, 2, 3, 1000])
def test_the_table_is_near_and_its_differences_rise(rows: int) -> None:
    table = _table(rows)
    assert len(table) == rows + 1
    assert table[0] == table[1] == 0
    assert np.all(np.diff(np.diff(table)) >= 0)
    assert abs(int(table[rows]) / 2**20 - rows * math.log(rows)) < rows * 1e-6


def test_the_map_is_met() -> None:
    """A row of a class of its own joins a large group in one attribute and stands alone in the other."""
    before = [(True, True, 1)] * 20
    chain = SICK >> GAIN
    first, second = (
        chain.run(chain.input.domain.admit(rows_of(*rows))) for rows in (before[:19], [*before[:19], (False, True, 2)])
    )
    moved = chain.output.metric.distance(first, second, chain.output.domain)
    assert moved == chain.map(1)


def test_parameters_are_checked() -> None:
    with pytest.raises(WrongTypeError, match="InformationGain.attributes must be a list"):
        pc.InformationGain(label="ill", attributes=[], rows=5)
    with pytest.raises(InvalidError, match="must be different fields"):
        pc.InformationGain(label="ill", attributes=["ill"], rows=5)
    with pytest.raises(InvalidError, match="InformationGain.rows must be at most"):
        pc.InformationGain(label="ill", attributes=["age"], rows=2**25)
    with pytest.raises(MismatchError, match="needs a column named 'weight', got the columns ill, smoker, age"):
        SICK >> pc.InformationGain(label="ill", attributes=["weight"], rows=5)
    with pytest.raises(MismatchError, match="InformationGain reads records"):
        pc.vector(int) >> GAIN
