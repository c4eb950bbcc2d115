"""Cells and distances."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privet.errors import InvalidError, WrongTypeError
from privet.imputation.feature_grid import FARTHEST, MOST_MOVES, Feature, FeatureGrid


@st.composite
def grids(draw: Any) -> FeatureGrid:
    kinds = st.sampled_from(["ordinal", "categorical"])
    features = [
        Feature(kind=draw(kinds), levels=draw(st.integers(1, 5)), weight=draw(st.integers(1, 3)))
        for _ in range(draw(st.integers(1, 3)))
    ]
    return FeatureGrid(features=tuple(features))


def apart(grid: FeatureGrid, one: Any, other: Any) -> int:
    """By the definition."""
    total = 0
    for feature, a, b in zip(grid.features, one, other, strict=True):
        total += feature.weight * (a - b) ** 2 if feature.kind == "ordinal" else 2 * feature.weight * (a != b)
    return total


def levels(grid: FeatureGrid) -> list[tuple[int, ...]]:
    return list(product(*(range(feature.levels) for feature in grid.features)))


@settings(max_examples=100, deadline=None)
@given(grids())
def test_cells_are_all_combinations(grid: FeatureGrid) -> None:
    everything = np.array(levels(grid))
    assert grid.encode(everything).tolist() == list(range(grid.cells))
    assert (grid.decode(np.arange(grid.cells)) == everything).all()


@settings(max_examples=100, deadline=None)
@given(grids(), st.data())
def test_distances_are_those_of_the_definition(grid: FeatureGrid, data: st.DataObject) -> None:
    start = data.draw(st.sampled_from(levels(grid)))
    wanted = [apart(grid, start, other) for other in levels(grid)]
    assert grid.distances(np.array(start), np.array(levels(grid))).tolist() == wanted
    assert grid.distances_from(np.array(start)).tolist() == wanted
    assert grid.farthest == max(apart(grid, one, other) for one in levels(grid) for other in levels(grid))


@settings(max_examples=100, deadline=None)
@given(grids(), st.data())
def test_shells_reach_every_cell_once_at_its_distance(grid: FeatureGrid, data: st.DataObject) -> None:
    start = data.draw(st.sampled_from(levels(grid)))
    seen: dict[int, int] = {}
    before = -1
    for distance, moves in grid.shells():
        assert distance > before
        before = distance
        for move in moves:
            cells, inside = grid.moved(np.array([start]), move)
            if inside[0]:
                assert int(cells[0]) not in seen
                seen[int(cells[0])] = distance
    assert seen == {at: apart(grid, start, other) for at, other in enumerate(levels(grid))}


def test_a_grid_of_one_cell() -> None:
    grid = FeatureGrid(
        features=(Feature(kind="ordinal", levels=1, weight=2**70), Feature(kind="categorical", levels=1))
    )
    assert (grid.cells, grid.farthest) == (1, 0)
    assert [(distance, moves.tolist()) for distance, moves in grid.shells()] == [(0, [[0, 0]])]
    assert grid.distances(np.array([[0, 0]]), np.array([[0, 0]])).tolist() == [0]


def test_the_largest_weights_are_exact() -> None:
    grid = FeatureGrid(features=(Feature(kind="categorical", levels=3, weight=2**61 - 1),))
    assert grid.distances_from(np.array([1])).tolist() == [2**62 - 2, 0, 2**62 - 2]
    assert [distance for distance, _ in grid.shells()] == [0, 2**62 - 2]


def test_moves_stay_within_memory() -> None:
    """Six features of sixteen levels have 31^6 moves, of which the widest reach holds few."""
    grid = FeatureGrid(features=(Feature(kind="ordinal", levels=16),) * 6)
    assert len(grid.offsets(grid.reach(grid.cells))[0]) <= MOST_MOVES


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: Feature(kind="real", levels=3), InvalidError, "Feature.kind must be ordinal or categorical"),  # type: ignore[arg-type]
        (lambda: Feature(kind="ordinal", levels=0), InvalidError, "Feature.levels must be above zero"),
        (lambda: Feature(kind="ordinal", levels=3, weight=0), InvalidError, "Feature.weight must be above zero"),
        (
            lambda: Feature(kind="ordinal", levels=3, weight=0.5),
            WrongTypeError,
            "Feature.weight must be a whole number",
        ),
        (lambda: FeatureGrid(features=()), InvalidError, "one or more features"),
        (
            lambda: FeatureGrid(features=(Feature(kind="ordinal", levels=10**8),)),
            InvalidError,
            "use fewer features or wider",
        ),
        (
            lambda: FeatureGrid(features=(Feature(kind="ordinal", levels=3, weight=FARTHEST),)),
            InvalidError,
            "use smaller weights",
        ),
    ],
)
def test_wrong_parameters_are_refused(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
