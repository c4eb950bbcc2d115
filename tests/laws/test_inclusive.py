"""What the sampling of records needs to know about the units before it."""

from typing import Any, ClassVar, final

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.chains.transformation import Transformation
from privet.core.space import Space
from tests.laws import Case, check_map


@final
@frozen(kw_only=True)
class FirstRow(Transformation):
    """A broken twin: where the first row is removed, the second appears."""

    inclusive: ClassVar[bool] = True

    def output(self, space: Space) -> Space:
        return space

    def apply(self, value: Any, space: Space) -> Any:
        return value[:1]

    def stability(self, d_in: int, space: Space) -> int:
        return 2 * d_in


def test_a_unit_that_replaces_rows_is_not_inclusive() -> None:
    case = Case(name="first row", chain=pc.vector(int, bounds=(0, 9)) >> FirstRow())
    with pytest.raises(AssertionError, match="^map law: a unit that says it is inclusive"):
        check_map(case, quick=True)


def test_behind_other_units_a_sample_is_undirected() -> None:
    """Truncating to one row for each person may put one row in the place of another."""
    space = pc.vector(float, bounds=(0, 1))
    sampled = pc.Clamp(bounds=(0, 1)) >> pc.PoissonSample(rate=0.1) >> pc.Sum() >> pc.Gaussian(scale=1)
    assert (space >> sampled).map(1).directed
    shuffled = space >> pc.Shuffle() >> sampled
    assert shuffled.map(1).directed
    assert not pc.Sum().inclusive
