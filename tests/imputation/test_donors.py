"""Who gives to whom: edges that brute force on small problems does not reach."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privet.imputation import donors as module
from privet.imputation.changes import most_changes
from privet.imputation.donors import NEVER, Donors, find_donors
from privet.imputation.feature_grid import Feature, FeatureGrid

LINE = FeatureGrid(features=(Feature(kind="ordinal", levels=9),))
LAST = 2**63 - 1


def found(cells: list[int], labels: list[int], complete: list[bool], k: int = 1, values: Any = None) -> Donors:
    ties = [] if values is None else [np.array(values)]
    return find_donors(
        LINE,
        np.array(cells, dtype=np.int64),
        np.array(labels, dtype=np.int64),
        np.array(complete, dtype=bool),
        k=k,
        ties=ties,
    )


def test_no_rows_at_all() -> None:
    nobody = found([], [], [])
    assert nobody.rows.shape == (0, 1)
    assert most_changes(nobody) == 1


@pytest.mark.parametrize("complete", [True, False])
def test_one_row(complete: bool) -> None:
    alone = found([3], [7], [complete], k=2)
    assert alone.rows.tolist() == ([] if complete else [[-1, -1]])
    assert most_changes(alone) == 1


def test_fewer_complete_rows_than_donors() -> None:
    few = found([0, 8, 4, 4], [1, 2, 3, 4], [True, True, False, False], k=3)
    assert {tuple(sorted(row)) for row in few.rows.tolist()} == {(-1, 0, 1)}
    assert few.radii.tolist() == [NEVER]
    assert most_changes(few) == 2, "every new row gives to all"


def test_labels_at_both_ends_of_the_circle() -> None:
    rows = found([0] * 4, [0, LAST, LAST, 0], [True, True, False, False])
    assert rows.rows.tolist() == [[1], [0]], "an equal label is nearest"
    around = found([0] * 3, [0, 5, LAST], [True, True, False])
    assert around.rows.tolist() == [[0]], "behind the last label comes the first"


def test_equal_rows_are_interchangeable() -> None:
    """Five copies of one donor: its donees have the same value, and one more or less changes at most all of them."""
    copies = found([2] * 5 + [2] * 3, [9] * 8, [True] * 5 + [False] * 3, values=[4] * 8)
    assert len(set(map(tuple, copies.rows.tolist()))) == 1
    assert most_changes(copies) == 3


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.booleans(), st.integers(0, 1)), max_size=12),
    st.randoms(use_true_random=False),
    st.integers(1, 3),
)
def test_the_order_of_rows_does_not_count(rows: list[Any], chance: Any, k: int) -> None:
    """Neither for L1 nor for what is given, even where labels and values are equal."""
    shuffled = list(rows)
    chance.shuffle(shuffled)
    seen = []
    for data in (rows, shuffled):
        cells, labels, complete, values = ([row[at] for row in data] for at in range(4))
        donors = found(cells, labels, complete, k=k, values=values)
        given = [
            (data[at], sorted(values[donor] if donor >= 0 else -1 for donor in row))
            for at, row in zip(donors.incomplete, donors.rows.tolist(), strict=True)
        ]
        seen.append((most_changes(donors), sorted(given)))
    assert seen[0] == seen[1]


def test_cells_decide_where_labels_and_values_are_equal() -> None:
    """Two donors equally near: which of them gives must not depend on who stands first."""
    for cells in ([1, 5, 3], [5, 1, 3]):
        rows = found(cells, [0, 0, 0], [True, True, False], values=[4, 4, 4]).rows
        assert cells[rows[0, 0]] == 1


def test_far_donors_are_found_without_walking_the_grid() -> None:
    """A handful of donors at the other end of six features: their distances, by the definition."""
    grid = FeatureGrid(features=(Feature(kind="ordinal", levels=12),) * 6)
    corner = np.arange(40) % 7
    codes = np.array([[11] * 6, [11, 11, 11, 11, 11, 10], *[[level] * 6 for level in corner]])
    complete = np.arange(len(codes)) < 2
    donors = find_donors(grid, grid.encode(codes), np.arange(len(codes)), complete, k=1)
    wanted = [5 * (11 - level) ** 2 + (10 - level) ** 2 for level in range(7)]
    assert sorted(donors.radii.tolist()) == sorted(wanted)
    assert set(donors.rows.ravel().tolist()) == {1}
    assert most_changes(donors) == 40


@pytest.mark.parametrize("chunk", [1, 7, 10**9])
def test_work_in_pieces_gives_the_same(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.arange(60)
    cells, labels, complete = (rng * 7) % 9, (rng * 11) % 13, rng % 5 == 0
    whole = find_donors(LINE, cells, labels, complete, k=4)
    monkeypatch.setattr(module, "_CHUNK", chunk)
    pieces = find_donors(LINE, cells, labels, complete, k=4)
    assert (pieces.given == whole.given).all()
    assert (pieces.radii == whole.radii).all()
