"""Releases: values, errors, intervals, post-processing that keeps them, and an exact round trip."""

import json
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import count
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as sum_
from privet.tables.noise.plan import add_noise
from privet.tables.noise.planner import plan_noise
from privet.tables.releases.release import Release
from privet.tables.statistics.contribution import Contribution
from tests.tables.aggregates.reference import people, statistics
from tests.tables.aggregates.test_distances import ASKED, COLUMNS, _row
from tests.tables.opened import released

CAPS = Contribution(l0=1, l1=1, linf=1)
GROUPS = ["a", "b", "nobody"]


def release(asked: dict[str, Aggregate], budget: Any = None, groups: Any = GROUPS) -> Release:
    bound = {name: item.bind(COLUMNS) for name, item in asked.items()}
    plan = plan_noise(bound, contribution=CAPS, groups=len(groups), budget=budget or pv.budget(epsilon=1))
    exact = statistics(people(1, 60, _row), groups, plan.statistics)
    return released(plan, add_noise(plan, exact), keys=["g"], groups=[(item,) for item in groups], notes=["by test"])


USUAL: dict[str, Aggregate] = {"n": count(), "total": sum_("x"), "average": mean("x")}
EVERYTHING = {f"{item.name}_{at}": item for at, item in enumerate(ASKED)}


def test_a_frame_has_keys_values_errors_and_intervals() -> None:
    table = release(USUAL).to_dict()
    assert list(table)[:5] == ["g", "n", "n_error", "n_low", "n_high"]
    assert table["g"] == GROUPS
    assert all(isinstance(item, int) for item in table["n"])
    assert all(
        low <= value <= high for low, value, high in zip(table["n_low"], table["n"], table["n_high"], strict=True)
    )


def test_a_higher_level_gives_a_wider_interval() -> None:
    found = release(USUAL)
    narrow, wide = found.interval(0.5), found.interval(0.99)
    for name in found.names:
        assert (wide[name][0] <= narrow[name][0]).all()
        assert (wide[name][1] >= narrow[name][1]).all()


@pytest.mark.parametrize("budget", [pv.budget(epsilon=1), pv.budget(rho=0.1)], ids=["laplace", "gaussian"])
def test_the_round_trip_is_exact_for_every_aggregate(budget: Any) -> None:
    found = release(EVERYTHING, budget).nonnegative("count_0").rounded("mean_x_7")
    back = Release.from_json(found.to_json())
    assert back == found
    assert back.to_json() == found.to_json()
    assert back.loss == found.loss
    assert [part.noise for part in back.plan.planned] == [part.noise for part in found.plan.planned]


def test_keys_of_every_kind_survive_the_round_trip() -> None:
    keys = [(None,), (True,), (3,), ("é",), (0.1,), (date(2024, 2, 29),), (datetime(2024, 1, 1, 5, tzinfo=UTC),)]
    plan = plan_noise({"n": count()}, contribution=CAPS, groups=len(keys), budget=pv.budget(epsilon=1))
    found = released(plan, add_noise(plan, {plan.statistics[0]: [1] * len(keys)}), keys=["k"], groups=keys)
    assert Release.from_json(found.to_json()).groups == tuple(keys)


@pytest.mark.parametrize("number", [np.inf, -np.inf, 1e308])
def test_numbers_that_no_json_has_survive_the_round_trip(number: float) -> None:
    found = release({"n": count()})
    huge = evolve(found, numbers=(np.full(found.numbers[0].shape, number),))
    assert Release.from_json(huge.to_json()) == huge


def test_json_holds_fractions_as_fractions_and_counts_as_whole_numbers() -> None:
    written = json.loads(release(USUAL).to_json())
    assert [scale for _, _, scale in written["noise"]] == ["14"]
    assert all(isinstance(item, int) for row in written["numbers"][0] for item in row)


@pytest.mark.parametrize("text", ['{"privet_release": 2}', "[]", '{"privet_release": 1}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match=r"Release.from_json"):
        Release.from_json(text)


def test_nothing_but_aggregates_is_made_from_a_file() -> None:
    written = json.loads(release(USUAL).to_json())
    written["aggregates"][0][1]["class"] = "Popen"
    with pytest.raises(InvalidError, match=r"there is no aggregate 'Popen'"):
        Release.from_json(json.dumps(written))


def test_nonnegative_moves_values_and_ends() -> None:
    found = release(USUAL, pv.budget(epsilon=0.001)).nonnegative()
    assert (found.values("n") >= 0).all()
    assert (found.interval()["n"][0] >= 0).all()


def test_nonnegative_is_refused_where_values_may_be_negative() -> None:
    with pytest.raises(InvalidError, match=r"the exact values of 'total' may be below zero"):
        release(USUAL).nonnegative("total")


def test_rounding_gives_whole_values_and_keeps_the_interval_inside() -> None:
    before, after = release(USUAL), None
    after = before.rounded("average")
    low, high = before.interval()["average"]
    assert (after.values("average") == np.rint(before.values("average"))).all()
    assert (after.interval()["average"][0] == np.floor(low)).all()
    assert (after.interval()["average"][1] == np.ceil(high)).all()


def test_post_processing_costs_nothing() -> None:
    found = release(USUAL)
    assert found.nonnegative().rounded().ratio("per_row", "total", "n").loss == found.loss


def test_a_ratio_of_a_mean_is_refused() -> None:
    with pytest.raises(InvalidError, match=r"takes counts and sums"):
        release(USUAL).ratio("r", "average", "n")


def test_a_ratio_of_a_ratio_is_refused_as_one() -> None:
    """The column exists, so the message must not say that there is none."""
    with pytest.raises(InvalidError, match=r"takes counts and sums, got 'r'"):
        release(USUAL).ratio("r", "total", "n").ratio("s", "r", "n")


def test_a_column_with_a_slip_is_named_with_the_one_that_is_near() -> None:
    with pytest.raises(InvalidError, match=r"Release: there is no column 'totl'; .* Did you mean 'total'\?"):
        release(USUAL).values("totl")


def test_an_unknown_column_is_named() -> None:
    with pytest.raises(InvalidError, match=r"there is no column 'm'; there are 'n', 'total', 'average'"):
        release(USUAL).rounded("m")


def test_groups_must_be_those_of_the_plan() -> None:
    found = release(USUAL)
    with pytest.raises(InvalidError, match=r"must be the 3 groups of the plan, got 1"):
        released(found.plan, found.numbers, keys=["g"], groups=[("a",)])


def test_it_prints_as_a_table() -> None:
    found = release(USUAL)
    heads = str(found).splitlines()[0].replace(" (95 % interval)", "").split()
    assert heads == ["g", "n", "total", "average"]
    assert str(found).splitlines()[-1] == "by test"
    assert repr(found) == str(found)


def test_arrow_keeps_types() -> None:
    pa = pytest.importorskip("pyarrow")
    assert release(USUAL).to_arrow().schema.field("n").type == pa.int64()


def test_pandas_and_polars_hold_the_same_values() -> None:
    found = release(USUAL)
    for module, frame in (("pandas", "to_pandas"), ("polars", "to_polars")):
        pytest.importorskip(module)
        assert list(getattr(found, frame)()["n"]) == found.values("n").tolist()


def test_an_empty_group_looks_like_any_other() -> None:
    found = release(EVERYTHING)
    full, empty = ({name: type(column[at]) for name, column in found.to_dict().items()} for at in (0, 2))
    assert full == empty


def test_levels_are_read_exactly() -> None:
    found = release(USUAL)
    assert found.interval(0.95)["n"][0].tolist() == found.interval(Fraction(95, 100))["n"][0].tolist()
