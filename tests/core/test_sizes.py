"""A table of public size that is too long keeps a fair random sample of its rows."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privet as pv
import privet.calculus as pc
from privet.core.frames import PartitionDomain
from privet.core.metric import ReplacementDistance, SymmetricDistance, row_keys
from tests.laws.map import matched
from tests.laws.sizes import check_fair, read_both

COLUMN: list[Any] = [3, 1, None, 7, 5]
TEXT = ["b", "a", None, "d", "c"]
PAIRS = [(1, "a"), (2, "b"), (None, "c"), (4, None), (5, "e")]
SPACES = [
    (pc.vector(int, size=2), COLUMN),
    (pc.vector(float, bounds=(0, 8), size=3), COLUMN),
    (pc.vector(str, size=2), TEXT),
    (pc.matrix(2, size=2), [[1, 2], [3, 4], [5, None], [7, 8], [9, 0]]),
    (pc.records(a=int, b=str).of_size(3), PAIRS),
    (pc.Space(pc.vector(int, size=2).domain, ReplacementDistance()), COLUMN),
]


@pytest.mark.parametrize(("space", "rows"), SPACES, ids=repr)
def test_every_subset_is_kept_equally_often(space: Any, rows: list[Any]) -> None:
    check_fair(space.domain.admit_sample, rows, space.domain.size)


@pytest.mark.parametrize("kept", ["smallest", "first", "last", "one by chance, then the smallest"])
def test_an_unfair_choice_is_caught(kept: str) -> None:
    domain, whole = pc.vector(int, size=2).domain, pc.vector(int).domain

    def read(rows: list[Any], keys: Any) -> Any:
        values = whole.admit(rows)
        if kept == "smallest":
            return domain.admit(rows)
        if kept == "first":
            return values[:2]
        if kept == "last":
            return values[-2:]
        one = int(np.argmin(keys(len(rows))))
        rest = sorted((row for row in range(len(rows)) if row != one), key=lambda row: (rows[row] is None, rows[row]))
        return values[[one, rest[0]]]

    with pytest.raises(AssertionError, match="some subsets are"):
        check_fair(read, COLUMN, 2)


@pytest.mark.parametrize(("space", "rows"), SPACES, ids=repr)
@given(data=st.data())
def test_one_row_more_or_another_row_replaces_at_most_one(space: Any, rows: list[Any], data: Any) -> None:
    x = data.draw(st.lists(st.sampled_from(rows), max_size=6))
    y = list(x)
    if isinstance(space.metric, SymmetricDistance):
        y = [*x, data.draw(st.sampled_from(rows))]
    elif y:
        y[data.draw(st.integers(0, len(y) - 1))] = data.draw(st.sampled_from(rows))
    y = data.draw(st.permutations(y))
    match = lambda a, b: matched(a, b, space.metric)  # noqa: E731
    a, b = read_both(space.domain, x, y, match, seed=data.draw(st.integers(0, 10**6)))
    assert space.domain.member(a)
    assert space.domain.member(b)
    assert ReplacementDistance().distance(a, b, space.domain) <= 1


def test_a_systematic_sample_would_move_many_rows() -> None:
    """A choice by rank is as fair as one likes, and one row more shifts all later ones."""
    x = list(range(8))
    first, second = (sorted(rows)[::2][:4] for rows in (x, [*x, -1]))
    assert ReplacementDistance().distance(first, second, pc.vector(int, size=4).domain) == 4


def test_the_mean_of_a_column_that_is_too_long_is_that_of_a_fair_sample() -> None:
    """50 of 0 .. 99: each mean has deviation 2.9, so that of 200 lies within 1.3 except with probability 1e-9."""
    chain = pc.vector(int, bounds=(0, 99), size=50) >> pc.Mean()
    rows = list(range(100))
    means = [float(chain(rows)) for _ in range(200)]
    assert abs(sum(means) / 200 - 49.5) < 1.3, "the smallest rows have a mean of 24.5"
    assert len(set(means)) > 100, "every reading draws keys of its own"


def test_a_mechanism_reads_a_fair_sample_too() -> None:
    """The same bound, for the release of a mechanism whose noise is small."""
    chain = pc.vector(int, bounds=(0, 99), size=50) >> pc.Mean() >> pc.Laplace(scale=0.01)
    releases = [chain(list(range(100))) for _ in range(200)]
    assert abs(sum(releases) / 200 - 49.5) < 1.3


def test_parts_have_samples_of_their_own() -> None:
    inner = pc.vector(int, size=2).domain
    read = PartitionDomain(parts=2, inner=inner).admit_sample([[1, 2, 3], [4]], lambda count: np.arange(count)[::-1])
    assert [row_keys(part) for part in read] == [[3, 2], [4, ("null",)]]


def test_an_interactive_measurement_reads_one_sample() -> None:
    space = pc.vector(int, bounds=(0, 99), size=50)
    chain = space >> pc.Compositor(d_in=2, losses=[pv.budget(epsilon=10**6)] * 2)
    queryable = chain(list(range(100)))
    query = space >> pc.Sum() >> pc.Laplace(scale=0.001)
    assert queryable.ask(query) == queryable.ask(query)


def test_ordered_columns_keep_their_first_rows() -> None:
    chain = pc.vector(int, size=3, ordered=True) >> pc.Replacements()
    assert chain([5, 4, 3, 2, 1]).tolist() == [5, 4, 3]


def test_records_of_public_size_get_missing_records() -> None:
    space = pc.records(a=int, b=pc.vector(str, categories=["x", "y"], nullable=False)).of_size(3)
    assert row_keys(space.domain.admit([(1, "y")])) == [(1, "y"), (("null",), "x"), (("null",), "x")]
    assert repr(space) == "records(a=int, b=str).of_size(3)"
    assert space.reached(1) == 2
