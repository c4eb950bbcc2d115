"""Which levels are measured: never worse, on the whole, than equal shares for all of them."""

import math
from typing import Any

import numpy as np
import pytest

from privet.core.metric import Parts
from privet.tables.rollup.plan import _spread, levels_worth_measuring

ONCE = Parts(l0=1, l1=1, l2_squared=1, linf=1)


def branches(*counts: int) -> tuple[np.ndarray, ...]:
    parents, above = [], 1
    for count in counts:
        parents.append(np.repeat(np.arange(above), count))
        above *= count
    return tuple(parents)


@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.parametrize("counts", [(2,), (10,), (5, 50), (2, 2, 2, 2), (1, 1, 40)])
def test_the_choice_is_no_worse_than_all_levels(counts: Any, kind: Any) -> None:
    parents, moved = branches(*counts), (ONCE,) * (len(counts) + 1)
    chosen = levels_worth_measuring(parents, moved, kind)
    assert chosen[-1] == 1
    assert _spread(parents, moved, kind, chosen) <= _spread(parents, moved, kind, (1,) * len(moved))


def test_a_binary_tree_under_pure_privacy_measures_few_levels() -> None:
    parents, moved = branches(2, 2, 2, 2), (ONCE,) * 5
    chosen = levels_worth_measuring(parents, moved, "laplace")
    gain = _spread(parents, moved, "laplace", chosen) - _spread(parents, moved, "laplace", (1,) * 5)
    assert sum(chosen) <= 2
    assert math.exp(gain / 10) < 0.7  # the deviation, on average over levels


def test_wide_trees_measure_every_level() -> None:
    assert levels_worth_measuring(branches(10, 10), (ONCE,) * 3, "laplace") == (1, 1, 1)
    assert levels_worth_measuring(branches(100, 100), (ONCE,) * 3, "gaussian") == (1, 1, 1)


def test_a_level_with_the_groups_of_the_next_one_is_left_out() -> None:
    assert levels_worth_measuring(branches(100, 1), (ONCE,) * 3, "laplace") == (1, 0, 1)
