"""Arrow arrays by their memory: the same as Arrow itself would make."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privet.tables.engines.arrow_arrays import is_present, number_array, text_array

KINDS: list[tuple[Any, Any, Any]] = [
    (pa.int64(), np.int64, st.integers(-(2**63), 2**63 - 1)),
    (pa.float64(), np.float64, st.floats(allow_nan=False)),
    (pa.bool_(), np.bool_, st.booleans()),
    (pa.date32(), np.int32, st.integers(-(2**20), 2**20)),
    (pa.timestamp("us"), np.int64, st.integers(-(2**50), 2**50)),
]


@pytest.mark.parametrize(("kind", "machine", "values"), KINDS, ids=[str(kind) for kind, _, _ in KINDS])
@given(data=st.data())
def test_numbers_are_those_that_arrow_lays_out(kind: Any, machine: Any, values: Any, data: Any) -> None:
    items = data.draw(st.lists(st.none() | values, max_size=40))
    null = np.array([each is None for each in items], dtype=bool)
    numbers = np.array([0 if each is None else each for each in items], dtype=machine)
    made = number_array(numbers, kind, null)
    made.validate(full=True)
    assert made.equals(pa.array(numbers, mask=null).cast(kind))
    assert number_array(numbers, kind).null_count == 0
    assert is_present(made).tolist() == (~null).tolist()


@given(st.lists(st.none() | st.text(max_size=5), max_size=40), st.integers(0, 9))
def test_texts_are_those_that_arrow_lays_out(items: list[str | None], skipped: int) -> None:
    made = text_array([None if each is None else each.encode() for each in items])
    made.validate(full=True)
    assert made.equals(pa.array(items, pa.large_string()))
    assert is_present(made[skipped:]).tolist() == [each is not None for each in items[skipped:]]


def test_numbers_that_do_not_lie_side_by_side_are_read_too() -> None:
    assert number_array(np.arange(10)[::3], pa.int64()).to_pylist() == [0, 3, 6, 9]
