"""Rows in a ball, wherever a domain reads them."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

import privet.calculus as pc
from privet.core.balls import Norm, into_ball
from privet.core.frames import MatrixDomain
from privet.errors import InvalidError
from tests.laws.members import misfit

CELLS = st.one_of(st.floats(), st.sampled_from([0.5, 1.0, 1e300, -1e300, 5e-324, 10.0, -3.0]))
BALLS = {
    "a disc": pc.matrix(3) >> pc.ClampNorm(radius=1),
    "a diamond": pc.matrix(3) >> pc.ClampNorm(radius=0.7, order=1),
    "a disc away from zero": pc.matrix(3) >> pc.ClampNorm(radius=2, origin=[10, -3, 0.1]),
    "a disc with ones": pc.matrix(2) >> pc.ClampNorm(radius=2) >> pc.InsertOnes(),
    "a part of a disc": pc.matrix(4) >> pc.ClampNorm(radius=1) >> pc.Select(columns=[3, 0, 1]),
}


@pytest.mark.parametrize("name", BALLS)
@given(rows=st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=4), size=st.sampled_from([None, 0, 3]))
def test_any_rows_become_members(name: str, rows: list[Any], size: int | None) -> None:
    domain: Any = BALLS[name].output.domain
    sized = evolve(domain, size=size)
    values = np.array(rows, dtype=np.float64).reshape(-1, 3)
    assert misfit(sized.coerce(values), sized) is None
    with_nan = evolve(domain, nan=True)
    assert misfit(with_nan.coerce(values), with_nan) is None


@pytest.mark.parametrize("name", BALLS)
def test_members_stay_as_they_are(name: str) -> None:
    chain: Any = BALLS[name]
    domain = chain.output.domain
    rows = np.random.default_rng(5).normal(size=(50, chain.input.domain.columns))
    inside = chain.run(chain.input.domain.admit(rows))
    assert np.array_equal(domain.coerce(inside), inside)
    assert misfit(domain.blank()[None, :], domain) is None


def test_a_box_that_misses_the_ball_is_refused() -> None:
    norm = Norm(order=2, radius=Fraction(1), origin=(Fraction(0),))
    domain = MatrixDomain(columns=1, bounds=((Fraction(2), Fraction(3)),), grid=Fraction(1, 4), norm=norm, nan=False)
    with pytest.raises(InvalidError, match="no row lies in both"):
        domain.blank()


@pytest.mark.parametrize("order", [1, 2])
def test_a_row_does_not_depend_on_its_neighbours_or_on_the_memory(order: Any) -> None:
    rows = np.random.default_rng(order).integers(-100, 100, size=(200, 16)).astype(np.float64)
    norm = Norm(order=order, radius=Fraction(1), origin=(Fraction(0),) * 16)
    alone = np.concatenate([into_ball(row[None, :], norm, Fraction(1, 2**52)) for row in rows])
    for laid in (rows, np.asfortranarray(rows), rows[::-1][::-1], np.repeat(rows, 2, axis=1)[:, ::2]):
        assert np.array_equal(into_ball(laid, norm, Fraction(1, 2**52)), alone)


def test_a_norm_is_compared_exactly() -> None:
    norm = Norm(order=2, radius=Fraction(1), origin=(Fraction(0), Fraction(0)))
    assert norm.holds([1.0, 0.0])
    assert not norm.holds([1.0, 2.0**-600]), "a float would not see it"
    assert math.hypot(1.0, 2.0**-600) == 1.0
