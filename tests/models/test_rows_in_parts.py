"""Rows that pass through memory in parts give the sums of all rows at once."""

from collections.abc import Callable
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from privet.chains.transformation import TransformationChain
from privet.core import Array, MatrixDomain, Space, SymmetricDistance
from privet.models import rows_in_parts
from privet.models.rows_in_parts import RowsInParts, read_parts
from privet.transforms.ball_moments import BallMoments
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.clipped_gradients import ClippedGradients
from privet.transforms.count import Count
from privet.transforms.sum_of_outer_products import SumOfOuterProducts
from privet.transforms.sums_by_group import SumsByGroup
from privet.transforms.take_columns import TakeColumns

_DOMAIN = MatrixDomain(columns=3, bounds=((Fraction(-2), Fraction(2)),) * 3, grid=Fraction(1, 256), nan=False)
SPACE = Space(_DOMAIN, SymmetricDistance())
ROWS = np.round(np.random.default_rng(0).uniform(-2, 2, size=(50, 3)) * 256) / 256
BALL = ClampNorm(radius=1, grid=2**-8)
CHAINS: dict[str, TransformationChain] = {
    "moments": SPACE >> BALL >> BallMoments(),
    "products": SPACE >> BALL >> SumOfOuterProducts(),
    "gradients": SPACE >> ClippedGradients(coefficients=[[0.5, -1]], residual="squared", clip=1),
}


def given(size: int, calls: list[int] | None = None) -> Callable[[Callable[[Array], bool]], None]:
    """Give the rows, so many at a time."""

    def read(work: Callable[[Array], bool]) -> None:
        for start in range(0, len(ROWS), size):
            if calls is not None:
                calls.append(start)
            if not work(ROWS[start : start + size]):
                return

    return read


def parts(size: int, held: int) -> RowsInParts:
    with mock.patch.object(rows_in_parts, "HELD", held):
        found = read_parts(given(size), ROWS[:0])
    assert isinstance(found, RowsInParts)
    return found


@pytest.mark.parametrize("held", [0, 10_000], ids=["read anew", "held"])
@pytest.mark.parametrize("name", list(CHAINS))
def test_sums_of_parts_are_the_sums_of_all_rows(name: str, held: int) -> None:
    found = parts(7, held)
    assert (found.held is None) == (held == 0)
    with mock.patch.object(RowsInParts, "together", side_effect=AssertionError):
        assert found.result_of(CHAINS[name]).tolist() == CHAINS[name].run(ROWS).tolist()


@pytest.mark.parametrize("held", [0, 10_000], ids=["read anew", "held"])
def test_row_by_row_units_pass_over_each_part(held: int) -> None:
    take = SPACE >> TakeColumns(columns=[2, 0])
    ball = take.output >> BALL
    found = parts(7, held).through(take).through(ball)
    assert found.together().tolist() == ball.run(take.run(ROWS)).tolist()
    assert found.nothing.shape == (0, 2)


def test_sums_of_many_parts_do_not_wrap() -> None:
    """A sum fits into 64 bits where a call has fewer than 2^30 rows; here 1,100 parts of 2^20 rows have more."""
    chain = SPACE >> SumsByGroup(groups=[5, 5, 5])
    nothing, part = np.empty((0, 3)), np.zeros((1, 3))
    found = RowsInParts(nothing=nothing, held=(part,) * 3, read=lambda _: None)
    with mock.patch.object(SumsByGroup, "apply", lambda _unit, value, _space: np.array([2**62 * len(value)])):
        assert found.result_of(chain).tolist() == [3 * 2**62]


def test_what_is_no_sum_reads_all_rows_at_once() -> None:
    """Only units that are known to be sums are; for others the parts are put together."""
    for chain in (SPACE >> BALL, SPACE >> Count()):
        with mock.patch.object(RowsInParts, "together", autospec=True, side_effect=RowsInParts.together) as together:
            found = parts(7, 0).result_of(chain)
        assert np.array_equal(np.asarray(found), np.asarray(chain.run(ROWS)))
        assert together.call_count == 1


def test_rows_are_held_up_to_a_public_size_and_reading_stops_behind_it() -> None:
    calls: list[int] = []
    with mock.patch.object(rows_in_parts, "HELD", ROWS[:14].size):
        found = read_parts(given(7, calls), ROWS[:0])
    assert isinstance(found, RowsInParts)
    assert found.held is None
    assert calls == [0, 7, 14]


def test_one_part_is_an_array_and_none_has_no_rows() -> None:
    one, none = read_parts(given(50), ROWS[:0]), read_parts(lambda _: None, ROWS[:0])
    assert isinstance(one, np.ndarray)
    assert isinstance(none, np.ndarray)
    assert one.tolist() == ROWS.tolist()
    assert none.shape == (0, 3)


def test_rows_are_not_shown() -> None:
    assert "0." not in repr(parts(7, 10_000))
