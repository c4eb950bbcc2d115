"""Products and distances of rows: the same bits alone, among others and in any layout of memory."""

from typing import Any

import numpy as np
import pytest

from privet.models.row_products import distances, projected

SOURCE = np.random.default_rng(3)


@pytest.mark.parametrize("columns", [1, 2, 3, 8, 17])
@pytest.mark.parametrize("found", [projected, distances])
def test_a_row_gives_the_same_bits_whatever_is_beside_it(found: Any, columns: int) -> None:
    rows, others = SOURCE.normal(size=(200, columns)), SOURCE.normal(size=(5, columns))
    whole = found(rows, others)
    for at in range(len(rows)):
        assert (found(rows[at : at + 1], others) == whole[at]).all()
    assert (found(np.asfortranarray(rows), np.asfortranarray(others)) == whole).all()
    assert (found(rows[::-1], others)[::-1] == whole).all()
    assert (found(rows[::3], others) == whole[::3]).all()


def test_they_are_products_and_distances() -> None:
    rows, others = SOURCE.normal(size=(50, 6)), SOURCE.normal(size=(4, 6))
    assert np.allclose(projected(rows, others), rows @ others.T)
    assert np.allclose(distances(rows, others), np.linalg.norm(rows[:, None] - others[None], axis=2))
    assert projected(rows[:0], others).shape == distances(rows[:0], others).shape == (0, 4)
