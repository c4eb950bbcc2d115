"""What every aggregate must survive: order, extremes, and columns with nothing in them."""

import math
import random
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.chains.transformation import Transformation
from privet.core.metric import Parts

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
SIZE = 3


@frozen
class Aggregate:
    """An aggregate, with the kinds of space that it reads."""

    name: str
    unit: Transformation
    private: bool = True
    public: bool = True
    rows: bool = False
    box: bool = True
    ball: bool = True

    def chains(self, **described: Any) -> list[Any]:
        """Place it on a private and on a public size, where it takes them."""
        sizes = [None] * self.private + [SIZE] * self.public
        if not self.rows:
            return [pc.vector(float, size=size, **described) >> self.unit for size in sizes]
        boxed = [pc.matrix(2, size=size, **described) >> self.unit for size in sizes if self.box]
        clamp = pc.ClampNorm(radius=1e17)
        return boxed + [pc.matrix(2, size=size) >> clamp >> self.unit for size in sizes if self.ball]


AGGREGATES = [
    Aggregate("count", pc.Count()),
    Aggregate("count distinct", pc.CountDistinct()),
    Aggregate("count by", pc.CountBy(categories=[0.0, 1.0], null_bin=True)),
    Aggregate("histogram", pc.Histogram(edges=[-1e308, 0, 1e308], outside=True)),
    Aggregate("sum", pc.Sum()),
    Aggregate("mean", pc.Mean(), private=False),
    Aggregate("mean of a least size", pc.Mean(min_size=2), public=False),
    Aggregate("sum of squared deviations", pc.SumOfSquaredDeviations()),
    Aggregate("variance", pc.Variance(), private=False),
    Aggregate("standard deviation", pc.StandardDeviation(), private=False),
    Aggregate("raw moments", pc.RawMoments(order=3)),
    Aggregate("vector sum", pc.VectorSum(), rows=True),
    Aggregate("vector mean", pc.VectorMean(), private=False, rows=True),
    Aggregate("vector variance", pc.VectorVariance(), private=False, rows=True),
    Aggregate("covariance", pc.Covariance(), private=False, rows=True, ball=False),
    Aggregate("sum of outer products", pc.SumOfOuterProducts(), rows=True, box=False),
]
by_name = pytest.mark.parametrize("aggregate", AGGREGATES, ids=lambda aggregate: aggregate.name)


def shaped(aggregate: Aggregate, values: list[Any]) -> list[Any]:
    return [[value, value] for value in values] if aggregate.rows else values


def exactly(chain: Any, rows: Any) -> Any:
    value = chain.run(chain.input.domain.admit(rows))
    return value.tolist() if isinstance(value, np.ndarray) else value


@by_name
def test_permuting_rows_changes_no_aggregate(aggregate: Aggregate) -> None:
    values = [1e16, 1.0, -1e16, 0.1, None, math.nan, 1e-300, -0.1, 3.0, math.inf]
    shuffled = random.Random(1).sample(values, len(values))
    for chain in aggregate.chains(bounds=(-1e17, 1e17)):
        assert exactly(chain, shaped(aggregate, values)) == exactly(chain, shaped(aggregate, shuffled))


@by_name
def test_a_column_of_the_widest_floats_behaves(aggregate: Aggregate) -> None:
    """Sums of 1e308, 1 and -1e308 neither overflow nor depend on the order, and the map covers what they move."""
    for chain in aggregate.chains(bounds=(-1e308, 1e308)):
        one, other = [1e308, 1.0, -1e308], [1e308, -1e308, -1e308]
        a, b = (chain.run(chain.input.domain.admit(shaped(aggregate, rows))) for rows in (one, other))
        moved = chain.output.metric.distance(a, b, chain.output.domain)
        assert moved <= chain.map(2)
        assert exactly(chain, shaped(aggregate, one)) == exactly(chain, shaped(aggregate, one[::-1]))


@by_name
def test_empty_missing_and_single_rows_look_alike(aggregate: Aggregate) -> None:
    inputs: list[list[Any]] = [[], [None] * 4, [math.nan], [5.0], [math.inf, -math.inf, 2.0, 1.0]]
    for chain in aggregate.chains(bounds=(-1e3, 1e3)):
        seen = [chain(shaped(aggregate, rows)) for rows in inputs]
        assert len({(type(item), getattr(item, "dtype", None), np.shape(item)) for item in seen}) == 1
        assert all(np.isfinite(item).all() for item in seen)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        (pc.Sum(), 3 * INT_MAX + INT_MIN),
        (pc.CountDistinct(), 2),
        (pc.SumOfSquaredDeviations(), 3 * (2**64 - 1) ** 2),
        (pc.Variance(), 3 * (2**64 - 1) ** 2),
        (pc.Mean(), 3 * INT_MAX + INT_MIN),
    ],
    ids=lambda item: type(item).__name__,
)
def test_the_extremes_of_64_bits_do_not_wrap(unit: Transformation, expected: int) -> None:
    """The steps of the result, all divisors being in the grid: (4 * sum of squares) - (sum)² for deviations."""
    chain = pc.vector(int, bounds=(INT_MIN, INT_MAX), size=4) >> unit
    assert exactly(chain, [INT_MAX, INT_MAX, INT_MAX, INT_MIN]) == expected


def test_one_row_more_moves_a_sum_of_64_bits_within_its_map() -> None:
    """A sum that wraps moves by 2^64 where a row of size one is added."""
    chain = pc.vector(int, bounds=(INT_MIN, INT_MAX)) >> pc.Sum()
    assert exactly(chain, [INT_MAX, 1]) - exactly(chain, [INT_MAX]) == 1
    chain = pc.vector(int, bounds=(INT_MIN, INT_MAX)) >> pc.RawMoments(order=2)
    assert exactly(chain, [INT_MAX, INT_MIN]) == [-1, INT_MAX**2 + INT_MIN**2]


@by_name
def test_a_missing_or_infinite_value_moves_no_more_than_a_row(aggregate: Aggregate) -> None:
    """Null, NaN and infinities in a row give an ordinary number, as far from the others as any row may be."""
    for chain in aggregate.chains(bounds=(-10, 10)):
        plain = chain.run(chain.input.domain.admit(shaped(aggregate, [1.0, 2.0, 3.0])))
        for odd in (None, math.nan, math.inf, -math.inf):
            other = chain.run(chain.input.domain.admit(shaped(aggregate, [1.0, 2.0, odd])))
            moved = chain.output.metric.distance(plain, other, chain.output.domain)
            assert moved <= chain.map(2)


def test_clamping_again_forgets_the_bounds_before() -> None:
    """A derived column has its own bounds: a stale wider or narrower pair would give the wrong map."""
    chain = pc.vector(int, bounds=(0, 1)) >> pc.Clamp(bounds=(-5, 5)) >> pc.RawMoments(order=2)
    assert chain.map(1) == Parts(l0=2, l1=30, l2_squared=650, linf=25)
    rows = pc.matrix(1, bounds=(0, 1)) >> pc.ClampNorm(radius=9, origin=[50]) >> pc.VectorSum()
    assert rows.map(1) == Parts(l0=1, l1=9, l2_squared=81, linf=9)
    assert rows([[1.0]]).tolist() == [pytest.approx(-9)]
