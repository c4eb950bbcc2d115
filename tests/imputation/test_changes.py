"""L1 is exact: it agrees with brute force over all neighbours, and wrong versions do not."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from privet.imputation import changes as module
from privet.imputation.changes import most_changes
from privet.imputation.donors import Donors, find_donors
from privet.imputation.feature_grid import Feature, FeatureGrid
from tests.imputation.naive import Row, changes, donors_of

MANY = settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def problems(draw: Any) -> tuple[FeatureGrid, list[Row], int, int]:
    """Small grids, few labels, few rows: ties everywhere."""
    kinds = st.sampled_from(["ordinal", "categorical"])
    features = [
        Feature(kind=draw(kinds), levels=draw(st.integers(2, 4)), weight=draw(st.integers(1, 2)))
        for _ in range(draw(st.integers(1, 2)))
    ]
    circle = draw(st.sampled_from([3, 6, 12]))
    levels = st.tuples(*(st.integers(0, feature.levels - 1) for feature in features))
    drawn = draw(st.lists(st.tuples(levels, st.integers(0, circle - 1), st.booleans()), max_size=9))
    rows = [(cell, (label, Fraction(at + 1)), complete) for at, (cell, label, complete) in enumerate(drawn)]
    return FeatureGrid(features=tuple(features)), rows, circle, draw(st.integers(1, 3))


def found(grid: FeatureGrid, rows: list[Row], k: int) -> Donors:
    width = len(grid.features)
    codes = np.array([row[0] for row in rows], dtype=np.int64).reshape(-1, width)
    labels = np.array([row[1][0] for row in rows], dtype=np.int64)
    places = np.array([int(row[1][1]) for row in rows], dtype=np.int64)
    complete = np.array([row[2] for row in rows], dtype=bool)
    return find_donors(grid, grid.encode(codes), labels, complete, k=k, ties=[places])


def cells(grid: FeatureGrid) -> list[tuple[int, ...]]:
    return list(product(*(range(feature.levels) for feature in grid.features)))


@MANY
@given(problems())
def test_donors_are_the_first_of_the_order(problem: tuple[FeatureGrid, list[Row], int, int]) -> None:
    grid, rows, circle, k = problem
    donors, wanted = found(grid, rows, k), donors_of(grid, rows, k, circle)
    for given_to, at in zip(donors.rows, donors.incomplete, strict=True):
        assert {rows[each] for each in given_to if each >= 0} == wanted[rows[at]]


@MANY
@given(problems())
def test_changes_agree_with_brute_force(problem: tuple[FeatureGrid, list[Row], int, int]) -> None:
    grid, rows, circle, k = problem
    assert most_changes(found(grid, rows, k)) == changes(grid, rows, cells(grid), k, circle)


def pairwise_bound(donors: Donors) -> int:
    """The bound of the source: removals, and unions of classes that lie near each other."""
    sizes = np.bincount(donors.member, minlength=len(donors.classes))
    codes = donors.grid.decode(donors.classes)
    worst = max(1, module._removal(donors))
    for at in range(len(codes)):
        apart = donors.grid.distances(codes[at], codes)
        near = apart <= donors.radii + donors.radii[at]
        worst = max(worst, int(sizes[near & (donors.radii > 0)].sum()))
    return worst


def ties_ignored(donors: Donors) -> int:
    """Additions at the radius of a class are forgotten."""
    return _with(donors, "_most_tied", lambda each: np.zeros(len(each.classes), dtype=np.int64))


def only_removals(donors: Donors) -> int:
    return max(1, module._removal(donors))


def only_where_rows_are(donors: Donors) -> int:
    """Cases (a) to (c): new rows are looked for in cells that hold incomplete rows, and nowhere else."""

    def stamps(each: Donors) -> Any:
        for at, classes, ties in module_stamps(each):
            there = np.isin(at, each.classes)
            yield at[there], classes[there], ties

    module_stamps = module._stamps
    return _with(donors, "_stamps", stamps)


def _with(donors: Donors, name: str, other: Any) -> int:
    kept = getattr(module, name)
    setattr(module, name, other)
    try:
        return most_changes(donors)
    finally:
        setattr(module, name, kept)


def between() -> tuple[FeatureGrid, list[Row], int, int]:
    """The worst new row lies between two classes, in a cell where nobody is."""
    grid = FeatureGrid(features=(Feature(kind="ordinal", levels=7),))
    rows: list[Row] = []
    for at in range(3):
        for place, (cell, complete) in enumerate(((2, False), (4, False), (0, True), (6, True))):
            rows.append(((cell,), (2 * at, Fraction(4 * at + place + 1)), complete))
    return grid, rows, 6, 1


@pytest.mark.parametrize("wrong", [pairwise_bound, ties_ignored, only_removals, only_where_rows_are])
def test_wrong_versions_are_caught(wrong: Callable[[Donors], int]) -> None:
    @settings(MANY, database=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
    @given(problems())
    @example(between())
    def law(problem: tuple[FeatureGrid, list[Row], int, int]) -> None:
        grid, rows, circle, k = problem
        assert wrong(found(grid, rows, k)) == changes(grid, rows, cells(grid), k, circle)

    with pytest.raises(AssertionError):
        law()


@MANY
@given(problems(), st.data())
def test_changes_at_most_double(problem: tuple[FeatureGrid, list[Row], int, int], data: st.DataObject) -> None:
    grid, rows, _, k = problem
    here = most_changes(found(grid, rows, k))
    row = (
        data.draw(st.sampled_from(cells(grid))),
        (data.draw(st.integers(0, 12)), Fraction(99)),
        data.draw(st.booleans()),
    )
    assert here <= 2 * most_changes(found(grid, [*rows, row], k))
    if rows:
        assert here <= 2 * most_changes(found(grid, rows[1:], k))


def test_ties_across_classes_can_beat_removals() -> None:
    """Errata K4: adding beside existing donors may change more rows than removing the busiest one."""
    grid = FeatureGrid(features=(Feature(kind="ordinal", levels=3),))
    rows: list[Row] = [((1,), (at, Fraction(at + 1)), False) for at in range(10)]
    rows += [((0,), (10, Fraction(50)), True), ((1,), (10, Fraction(51)), True)]
    rows += [((2,), (at, Fraction(at + 100)), False) for at in range(10)]
    donors = found(grid, rows, 1)
    assert most_changes(donors) == changes(grid, rows, cells(grid), 1, 12)
