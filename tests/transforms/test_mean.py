"""The mean of a column of public size, or of at least a public number of rows."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.grid_domains import ScalarDomain
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

SPACE = pc.vector(int, size=4, bounds=(0, 100))
PRIVATE = pc.vector(int, bounds=(1, 201))
AT_LEAST_3 = pc.Mean(min_size=3)
CASES = [
    Case(name="mean of integers", chain=SPACE >> pc.Mean()),
    Case(name="mean of reals", chain=pc.vector(float, size=3) >> pc.Clamp(bounds=(-0.1, 0.7)) >> pc.Mean()),
    Case(name="mean in order", chain=pc.vector(float, size=3, bounds=(90, 100), ordered=True) >> pc.Mean()),
    Case(name="mean of one row", chain=pc.vector(float, size=1, bounds=(5, 7)) >> pc.Mean()),
    Case(name="mean of three rows or more", chain=PRIVATE >> AT_LEAST_3),
    Case(name="mean of ten reals or more", chain=pc.vector(float, bounds=(-0.1, 0.7)) >> pc.Mean(min_size=10)),
    Case(name="mean of one row or more", chain=pc.vector(float, bounds=(-1e308, 1e308)) >> pc.Mean(min_size=1)),
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


@frozen
class DividesByTrueSize(TwinOf):
    """Divides a short column by its own size: with no rows at all one row moves everything."""

    def apply(self, value: Any, space: Space) -> int:
        rows = np.ma.filled(value, 101).tolist()
        return round(Fraction(sum(rows), max(len(rows), 1)) * 2**12)


@frozen
class DivisorStays(TwinOf):
    """Forgets that an added row also moves the divisor: half the width over the least size."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(d_in * 200, 6)


@frozen
class RoundingIsFree(TwinOf):
    """Rounds the mean to its grid and charges for the mean before that."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return max(Fraction(d_in, 6 + d_in), min(Fraction(d_in, 12), Fraction(1))) * 100


TWINS = [
    Twin(law="map", case=Case(name="mean by the true size", chain=PRIVATE >> DividesByTrueSize(AT_LEAST_3))),
    Twin(law="map", case=Case(name="mean by a divisor that stays", chain=PRIVATE >> DivisorStays(AT_LEAST_3))),
    Twin(
        law="map",
        case=Case(
            name="mean rounded for free",
            chain=pc.vector(int, bounds=(1, 101)) >> RoundingIsFree(pc.Mean(min_size=6)),
        ),
    ),
    Twin(law="map", case=Case(name="mean divided by too much", chain=SPACE >> SizeMinusOne(pc.Mean()))),
    Twin(law="map", case=Case(name="mean of the rows present", chain=SPACE >> DividesByPresent(pc.Mean()))),
]


def mean(chain: Any, rows: Any) -> Fraction:
    assert isinstance(chain.output.domain, ScalarDomain)
    return Fraction(chain.run(chain.input.domain.admit(rows))) * chain.output.domain.grid


def test_the_mean_is_exact() -> None:
    assert mean(SPACE >> pc.Mean(), [1, 2, 3, 5]) == Fraction(11, 4)
    assert mean(pc.vector(float, size=3, bounds=(0, 1)) >> pc.Mean(), [0.25, 0.5, 1.0]) == Fraction(7, 12)


def test_a_mean_is_written_in_the_units_of_the_data() -> None:
    assert (SPACE >> pc.Mean())([1, 2, 3, 5]) == 2.75


def test_missing_values_count_as_the_midpoint() -> None:
    chain = pc.vector(float, size=4, bounds=(90, 100)) >> pc.Mean()
    assert mean(chain, [90, 100, None, math.nan]) == 95
    assert mean(chain, [90, 90]) == Fraction(185, 2), "rows that are not there are missing rows"


def test_a_larger_column_than_stated_keeps_the_smallest_rows() -> None:
    assert mean(SPACE >> pc.Mean(), [50, 1, 2, 3, 4, 99]) == Fraction(10, 4)
    assert mean(SPACE >> pc.Mean(), np.arange(100)) == Fraction(6, 4)


@pytest.mark.parametrize("space", [pc.vector(int, bounds=(0, 1)), pc.vector(int, bounds=(0, 1), size=0)])
def test_a_private_size_is_sent_to_noisy_mean(space: Space) -> None:
    with pytest.raises(MismatchError, match="NoisyMean"):
        space >> pc.Mean()


def test_bounds_come_first() -> None:
    with pytest.raises(MismatchError, match="put Clamp"):
        pc.vector(int, size=3) >> pc.Mean()


@pytest.mark.parametrize("least", [1, 2, 3])
def test_with_a_least_size_the_map_is_the_largest_move_of_the_mean(least: int) -> None:
    """Columns of rows at the bounds, of any length up to six: the map is reached, and never exceeded."""
    chain = pc.vector(int, bounds=(0, 1)) >> pc.Mean(min_size=least)
    domain = chain.output.domain
    assert isinstance(domain, ScalarDomain)
    columns = [(low, high) for low in range(7) for high in range(7 - low)]
    means = {pair: mean(chain, [0] * pair[0] + [1] * pair[1]) for pair in columns}
    furthest: dict[int, Fraction] = {}
    for one, other in product(columns, columns):
        apart = abs(one[0] - other[0]) + abs(one[1] - other[1])
        furthest[apart] = max(furthest.get(apart, Fraction(0)), abs(means[one] - means[other]))
    for apart in range(1, least + 2):
        claimed = chain.map(apart)
        assert isinstance(claimed, Fraction)
        assert claimed - domain.grid <= furthest[apart] <= claimed


def test_a_short_column_is_padded_with_the_midpoint() -> None:
    chain = pc.vector(int, bounds=(0, 11)) >> pc.Mean(min_size=4)
    assert mean(chain, []) == Fraction(11, 2)
    assert mean(chain, [0, 0, 0]) == Fraction(11, 8)
    assert mean(chain, [1, 2, 3, 4, 5, 6, 7, 8]) == Fraction(9, 2)


def test_a_least_size_is_for_a_private_size() -> None:
    with pytest.raises(MismatchError, match="Mean.min_size is for a private size"):
        SPACE >> AT_LEAST_3


@pytest.mark.parametrize(("least", "kind"), [(0, InvalidError), (-3, InvalidError), (2.5, WrongTypeError)])
def test_a_least_size_is_a_whole_number_above_zero(least: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match="Mean.min_size must be"):
        pc.Mean(min_size=least)
