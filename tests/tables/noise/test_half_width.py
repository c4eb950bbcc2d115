"""Expected half-widths are those of the intervals of a release, for a typical group."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.core import Array
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate, Expected
from privet.tables.aggregates.noise import Noise
from privet.tables.noise.half_width import half_width, read_group_size
from privet.tables.statistics import NumbersSpec
from tests.tables.aggregates.cases import aggregate_cases
from tests.tables.nodes.spaces import VISITS

LEVEL = Fraction(95, 100)
ROWS = 4000
BOOK = pv.Codebook(
    columns={"spent": pv.column("real", bounds=(0, 60)), "day": pv.column("date", bounds=("2024-01-01", "2024-12-31"))},
    unit=pv.Rows(),
)
WITHOUT_ROWS = ("count", "sum", "histogram", "count_distinct")


def noise_of(aggregate: Aggregate) -> Noise:
    measured = aggregate.measured()
    return Noise(kind="laplace", scale=measured.row.l1, grid=measured.grid)


@pytest.mark.parametrize("bound", [case.bind(VISITS) for case in aggregate_cases()], ids=lambda each: each.name)
def test_every_aggregate_has_a_half_width_or_says_why_not(bound: Aggregate) -> None:
    noise = noise_of(bound)
    known, unknown = half_width(bound, noise, LEVEL, Fraction(10**6)), half_width(bound, noise, LEVEL)
    if not bound.numeric and bound.moments is None:
        assert math.isnan(known.most)
        assert known.text == "no interval"
        return
    assert 0 <= known.least <= known.most < math.inf
    assert not known.per_rows
    assert unknown.per_rows or unknown == known
    assert unknown.text == ("needs group_size=..." if unknown.per_rows else known.text)


@pytest.mark.parametrize("amounts", [{"epsilon": 1}, {"rho": 0.02}])
@pytest.mark.parametrize(
    "aggregate", [pv.count(), pv.sum("spent"), pv.mean("spent"), pv.std("spent"), pv.median("spent")]
)
def test_a_release_of_a_typical_group_has_about_this_half_width(aggregate: Aggregate, amounts: dict[str, Any]) -> None:
    """Values spread evenly; the mean is expected a quarter of the way up, where its interval is a little wider."""
    rows = [{"spent": 60 * n / ROWS} for n in range(ROWS)]
    session = pv.Session(rows, BOOK, pv.InfiniteBudget())
    query: Any = session.query().agg(x=aggregate)
    expected = query.plan(**amounts).half_width("x", LEVEL, Fraction(ROWS))
    widths = []
    for _ in range(21):
        low, high = query.release(**amounts).interval(0.95)["x"]
        widths.append(float(high[0] - low[0]) / 2)
    assert 0.5 * expected.most < np.median(widths) < 2 * expected.most


def test_counts_and_sums_do_not_depend_on_rows() -> None:
    for aggregate in (pv.count(), pv.sum("spent").bind({"spent": BOOK.columns["spent"].column})):
        assert half_width(aggregate, noise_of(aggregate), LEVEL) == half_width(
            aggregate, noise_of(aggregate), LEVEL, Fraction(5)
        )


def test_dates_have_spans_of_time() -> None:
    query: Any = pv.Planner(BOOK, pv.budget(epsilon=1)).query().agg(d=pv.median("day"))
    wide = query.plan(epsilon=1).half_width("d", LEVEL, Fraction(100_000))
    assert wide.spans
    assert wide.text.endswith("days")


class OwnMean(Aggregate):
    """An aggregate of a user's own, which foresees no numbers."""

    name = "own"

    def measured(self) -> NumbersSpec:
        """Those of a count."""
        return pv.count().measured()

    def interval(self, numbers: Array, noise: Noise, level: Fraction) -> tuple[Array, Array]:
        """Something that depends on the numbers."""
        return numbers - 1.0, numbers + 1.0

    def expected(self, noise: Noise, rows: Fraction) -> Expected:
        """An error that falls with the rows."""
        return Expected(error=noise.deviation / float(rows), size=1.0)


def test_an_aggregate_of_ones_own_falls_back_to_its_expected_error() -> None:
    noise = Noise(kind="laplace", scale=10, grid=1)
    assert half_width(OwnMean(), noise, LEVEL).per_rows
    assert half_width(OwnMean(), noise, LEVEL, Fraction(10)).most == pytest.approx(3.0)


@pytest.mark.parametrize(("size", "message"), [(0, "above zero, got 0"), (2**64, "at most 2\\^63")])
def test_sizes_of_groups_are_checked(size: int, message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        read_group_size("describe", size)
