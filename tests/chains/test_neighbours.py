"""Made-up neighbours cover the edges of their domain."""

import math

import pytest

import privet.calculus as pc
from privet.chains.neighbours import neighbours_of, odd_rows
from privet.errors import MismatchError


def test_rows_lie_at_and_beyond_the_bounds() -> None:
    rows = odd_rows(pc.vector(int, bounds=(3, 9)))
    assert {2, 3, 4, 8, 9, 10, 2**63 - 1, -(2**63), None} <= {row for row in rows if isinstance(row, int | None)}
    assert {4, 5, 6} <= {row for row in odd_rows(pc.vector(int, bounds=(5, None))) if isinstance(row, int)}
    assert "b" in odd_rows(pc.vector(str, categories=["b", "c"]))
    assert any(isinstance(row, float) and math.isnan(row) for row in odd_rows(pc.vector(float)))
    assert all(len(row) == 3 for row in odd_rows(pc.matrix(3)))
    assert all(len(row) == 2 for row in odd_rows(pc.records(a=int, b=str)))


@pytest.mark.parametrize("size", [1, 2, 40])
def test_data_of_a_public_size_have_that_size(size: int) -> None:
    space = pc.vector(int, size=size, ordered=True)
    pairs = list(neighbours_of(space, [77]))
    assert all(len(x) == len(y) == size for x, y in pairs)
    assert any(77 in x and 77 not in y for x, y in pairs)


def test_neighbours_of_private_size_differ_in_few_rows_and_in_order() -> None:
    space = pc.vector(bool)
    distances = {space.distance(x, y) for x, y in neighbours_of(space, [])}
    assert {0, 1, 2, 7} <= distances
    assert ([], []) not in list(neighbours_of(space, []))


def test_other_spaces_have_no_made_up_data() -> None:
    with pytest.raises(MismatchError, match="no made-up data are known for scalar"):
        odd_rows(pc.scalar(int))
