"""Products of columns: the product of float matrices is exact."""

import numpy as np
import pytest

from privet.transforms import exact_sums
from privet.transforms.exact_sums import dot, products


@pytest.mark.parametrize("bits", [0, 1, 10, 20, 21, 22, 25, 30])
def test_products_of_matrices_are_those_of_columns(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the ends of what fits, for chunks of every length, against limbs of whole numbers."""
    source = np.random.default_rng(bits)
    largest = 2**bits
    x = np.where(source.random((3000, 4)) < 0.5, largest, source.integers(-largest, largest + 1, size=(3000, 4)))
    slow = [[sum(int(a) * int(b) for a, b in zip(x[:, i], x[:, j], strict=True)) for j in range(4)] for i in range(4)]
    assert products(x, largest**2).tolist() == slow
    assert [[dot(x[:, i], x[:, j], largest**2) for j in range(4)] for i in range(4)] == slow
    monkeypatch.setattr(exact_sums, "_FEWEST", 0 if bits < 26 else exact_sums._FEWEST)
    assert products(np.asfortranarray(x)[::-1], largest**2).tolist() == slow


def test_no_rows_and_zeros() -> None:
    assert products(np.zeros((0, 2), dtype=np.int64), 1).tolist() == [[0, 0], [0, 0]]
    assert products(np.zeros((5, 1), dtype=np.int64), 0).tolist() == [[0]]


def test_a_full_chunk_reaches_the_largest_exact_float() -> None:
    """2^11 rows of squares 2^42 add up to 2^53 exactly, and one row more goes into the next chunk."""
    x = np.full((2**11 + 1, 1), 2**21, dtype=np.int64)
    assert products(x, 2**42).tolist() == [[(2**11 + 1) * 2**42]]
