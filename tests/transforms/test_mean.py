"""The mean of a column of public size."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet as pv
from privet.core.domain import ScalarDomain
from privet.core.space import Space
from privet.errors import Mismatch
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

SPACE = pv.vector(int, size=4, bounds=(0, 100))
CASES = [
    Case(name="mean of integers", chain=SPACE >> pv.Mean()),
    Case(name="mean of reals", chain=pv.vector(float, size=3) >> pv.Clamp(bounds=(-0.1, 0.7)) >> pv.Mean()),
    Case(name="mean in order", chain=pv.vector(float, size=3, bounds=(90, 100), ordered=True) >> pv.Mean()),
    Case(name="mean of one row", chain=pv.vector(float, size=1, bounds=(5, 7)) >> pv.Mean()),
]


@frozen
class SizeMinusOne(TwinOf):
    """Divides the width by one row more than there is."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(d_in // 2 * 100, 5)


@frozen
class DividesByPresent(TwinOf):
    """Averages the rows that have a value, so that the divisor depends on the data."""

    def apply(self, value: Any, space: Space) -> int:
        rows = value.compressed()
        return round(Fraction(int(rows.sum()) * 4, max(len(rows), 1)))


TWINS = [
    Twin(law="map", case=Case(name="mean divided by too much", chain=SPACE >> SizeMinusOne(pv.Mean()))),
    Twin(law="map", case=Case(name="mean of the rows present", chain=SPACE >> DividesByPresent(pv.Mean()))),
]


def mean(chain: Any, rows: Any) -> Fraction:
    assert isinstance(chain.output.domain, ScalarDomain)
    return Fraction(chain.run(chain.input.domain.admit(rows))) * chain.output.domain.grid


def test_the_mean_is_exact() -> None:
    assert mean(SPACE >> pv.Mean(), [1, 2, 3, 5]) == Fraction(11, 4)
    assert mean(pv.vector(float, size=3, bounds=(0, 1)) >> pv.Mean(), [0.25, 0.5, 1.0]) == Fraction(7, 12)


def test_a_mean_is_written_in_the_units_of_the_data() -> None:
    assert (SPACE >> pv.Mean())([1, 2, 3, 5]) == 2.75


def test_missing_values_count_as_the_middle() -> None:
    chain = pv.vector(float, size=4, bounds=(90, 100)) >> pv.Mean()
    assert mean(chain, [90, 100, None, math.nan]) == 95
    assert mean(chain, [90, 90]) == Fraction(185, 2), "rows that are not there are missing rows"


def test_a_larger_column_than_stated_keeps_the_smallest_rows() -> None:
    assert mean(SPACE >> pv.Mean(), [50, 1, 2, 3, 4, 99]) == Fraction(10, 4)
    assert mean(SPACE >> pv.Mean(), np.arange(100)) == Fraction(6, 4)


@pytest.mark.parametrize("space", [pv.vector(int, bounds=(0, 1)), pv.vector(int, bounds=(0, 1), size=0)])
def test_a_private_size_is_sent_to_noisy_mean(space: Space) -> None:
    with pytest.raises(Mismatch, match="NoisyMean"):
        space >> pv.Mean()


def test_bounds_come_first() -> None:
    with pytest.raises(Mismatch, match="put Clamp"):
        pv.vector(int, size=3) >> pv.Mean()
