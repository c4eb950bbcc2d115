"""Released roll-ups: values that add up, intervals that cover, frames and an exact round trip."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.errors import InvalidError
from privet.noise import discrete_gaussian, discrete_laplace
from privet.tables.aggregates.count import count
from privet.tables.aggregates.noise import Noise
from privet.tables.aggregates.sum import sum as total
from privet.tables.columns.column import Column
from privet.tables.rollup.plan import Hierarchy, RollupPlan, add_rollup_noise, plan_rollup, readout
from privet.tables.rollup.release import RollupRelease
from privet.tables.statistics.contribution import Contribution

KEYS = ("region", "district")
RAGGED = Hierarchy(finest=[("n", 1), ("s", 7), ("n", 2), ("w", 1), ("s", 8), ("n", 3), ("n", 4)])
COLUMNS = {"x": Column(kind="real", bounds=(-3, 9), grid=Fraction(1, 8))}
CAPS = Contribution(l0=2, l1=6, linf=3)
BUDGETS = {"pure": pv.budget(epsilon=0.5), "concentrated": pv.budget(rho=0.02)}
SHARES = {"chosen": None, "equal": (1, 1, 1), "some": (0, 1, 2)}


def planned(budget: Any, shares: Any = (1, 1, 1), hierarchy: Hierarchy = RAGGED, weights: Any = None) -> RollupPlan:
    asked = {"n": count(), "x": total("x").bind(COLUMNS)}
    return plan_rollup(
        asked, hierarchy=hierarchy, contribution=CAPS, budget=budget, level_weights=shares, weights=weights
    )


def release(budget: Any = BUDGETS["pure"], shares: Any = (1, 1, 1), size: int = 3) -> RollupRelease:
    plan = planned(budget, shares)
    exact = {each: np.full((7, 1), size, dtype=object) for each in plan.statistics}
    return RollupRelease(keys=KEYS, plan=plan, numbers=add_rollup_noise(plan, exact), notes=("by test",))


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
@pytest.mark.parametrize("change", [(), ("nonnegative",), ("rounded",), ("nonnegative", "rounded")])
def test_children_add_up_to_their_parent_exactly(shares: Any, change: tuple[str, ...]) -> None:
    found = release(shares=shares)
    for what in change:
        found = getattr(found, what)("n")
    table = found.to_dict()
    for name in found.names:
        sums: dict[Any, float] = {}
        for region, value, level in zip(table["region"], table[name], table["level"], strict=True):
            if level == 2:
                sums[region] = sums.get(region, 0) + value
        parents = {
            region: v for region, v, at in zip(table["region"], table[name], table["level"], strict=True) if at == 1
        }
        assert sums == parents
        assert sum(parents.values()) == table[name][0]


def test_values_that_were_measured_do_not_add_up_by_themselves() -> None:
    measured = [level.noisy for level in release().levels if level.noisy is not None]
    sums = [[each.values(name).sum() for each in measured] for name in ("n", "x")]
    assert any(len(set(each)) > 1 for each in sums)


def test_a_level_is_a_view_of_the_whole() -> None:
    found = release(shares=(0, 1, 1))
    assert found.levels[0].noisy is None
    level = found.levels[1]
    assert (level.keys, level.groups, level.names) == (("region",), (("n",), ("s",), ("w",)), ("n", "x"))
    low, high = level.interval(0.9)["x"]
    assert ((low < level.values("x")) & (level.values("x") < high)).all()
    assert level.errors("x")[0] > level.errors("x")[2] * 0.5


def errors_of(plan: RollupPlan, name: str, draws: int) -> np.ndarray:
    """Errors of consistent values, one column for each draw of all noise."""
    finest = plan.levels[-1]
    part = finest.part(name)
    weights = readout(dict(finest.aggregates)[name], 0, finest.planned[part].measured.length)
    tree, _ = plan.tree(part)
    noise: list[np.ndarray | None] = []
    for known, size in zip(plan.noises(part), tree.sizes, strict=True):
        if known is None:
            noise.append(None)
            continue
        sampler = discrete_laplace if known.kind == "laplace" else discrete_gaussian
        steps = sampler(known.scale / known.grid, size=size * draws * len(weights))
        noise.append(steps.reshape(size, draws, len(weights)) @ weights * float(known.grid))
    return np.concatenate(tree.fit(noise))


def mixed(plan: RollupPlan) -> RollupPlan:
    """Gaussian noise at the finest level and Laplace noise above it."""
    last = plan.levels[-1]
    parts = tuple(
        evolve(part, noise=Noise(kind="gaussian", scale=part.noise.scale, grid=part.noise.grid))
        for part in last.planned
    )
    return evolve(plan, levels=(*plan.levels[:-1], evolve(last, planned=parts)))


@pytest.mark.parametrize("weights", [None, {}], ids=["shared", "apart"])
@pytest.mark.parametrize("kind", ["pure", "concentrated", "mixed"])
@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
def test_intervals_cover_as_often_as_they_say(kind: str, shares: Any, weights: Any) -> None:
    plan = planned(BUDGETS.get(kind, BUDGETS["pure"]), shares, weights=weights)
    plan = mixed(plan) if kind == "mixed" else plan
    numbers = tuple(
        tuple(np.zeros((level.groups, part.measured.length), dtype=np.int64) for part in level.planned)
        for level in plan.levels
    )
    still = RollupRelease(keys=KEYS, plan=plan, numbers=numbers)
    for name in still.names:
        half = np.concatenate([high for _, high in still.all_intervals(name, 0.95)])
        covered = (np.abs(errors_of(plan, name, 40_000)) <= half[:, None]).mean(axis=1)
        assert covered.min() > 0.941
        assert covered.max() < 0.965
        deviations = errors_of(plan, name, 40_000).std(axis=1)
        assert np.allclose(deviations, np.concatenate(still.all_errors(name)), rtol=0.06)


def test_intervals_of_one_level_alone_would_be_too_wide() -> None:
    plan = planned(BUDGETS["pure"], weights={})
    alone = np.concatenate(
        [np.full(level.groups, float(level.planned[0].noise.half_width(0.95))) for level in plan.levels]
    )
    covered = (np.abs(errors_of(plan, "n", 40_000)) <= alone[:, None]).mean(axis=1)
    assert covered.min() > 0.965


def test_a_frame_has_all_levels_and_none_where_a_key_is_rolled_up() -> None:
    table = release().to_dict()
    assert list(table)[:5] == ["level", "region", "district", "n", "n_error"]
    assert table["level"] == [0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2]
    assert table["region"][:5] == [None, "n", "s", "w", "n"]
    assert table["district"][:5] == [None, None, None, None, 1]


def test_frames_keep_whole_keys_whole() -> None:
    pytest.importorskip("pandas")
    frame = release().to_pandas()
    assert frame["district"].tolist()[3:5] == [None, 1]
    assert release().to_arrow().column("district").null_count == 4


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
@pytest.mark.parametrize("budget", BUDGETS.values(), ids=BUDGETS)
def test_the_round_trip_is_exact(budget: Any, shares: Any) -> None:
    found = release(budget, shares).nonnegative().rounded("x")
    back = RollupRelease.from_json(found.to_json())
    assert back == found
    assert back.to_json() == found.to_json()
    assert (back.loss, back.notes) == (found.loss, ("by test",))
    assert back.to_dict(0.8) == found.to_dict(0.8)


def test_releases_that_differ_are_not_equal() -> None:
    assert release() != release()


@pytest.mark.parametrize("text", ["[]", '{"privet_rollup": 2}', '{"privet_rollup": 1}', '{"privet_release": 1}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match="from_json"):
        RollupRelease.from_json(text)


def test_levels_that_do_not_belong_together_are_refused() -> None:
    written = json.loads(release().to_json())
    written["levels"][1]["groups"] = [["s"], ["n"], ["w"]]
    with pytest.raises(InvalidError, match="from_json"):
        RollupRelease.from_json(json.dumps(written))


def test_rounded_counts_are_whole_and_their_intervals_reach_outward() -> None:
    plain = release()
    found = plain.rounded("n")
    assert found.levels[2].values("n").dtype == np.int64
    for before, after in zip(plain.all_intervals("n"), found.all_intervals("n"), strict=True):
        assert (after[0] <= before[0]).all()
        assert (after[1] >= before[1]).all()


def test_what_may_be_negative_is_not_cut() -> None:
    with pytest.raises(InvalidError, match="may be below zero"):
        release().nonnegative("x")
    assert release().nonnegative().changes == (("nonnegative", "n"),)
    with pytest.raises(InvalidError, match="no column 'y'"):
        release().rounded("y")


def test_groups_of_one_at_every_level_are_fine() -> None:
    plan = planned(BUDGETS["pure"], (1, 1, 1), Hierarchy(finest=[("n", 1)]), {})
    numbers = add_rollup_noise(plan, {each: [4] for each in plan.statistics})
    found = RollupRelease(keys=KEYS, plan=plan, numbers=numbers)
    values = [float(level.values("n")[0]) for level in found.levels]
    assert values[0] == values[1] == values[2] == pytest.approx(np.mean([level[0][0, 0] for level in numbers]))


@pytest.mark.parametrize("weights", [None, {}], ids=["shared", "apart"])
def test_a_mean_is_the_ratio_of_a_sum_and_a_count_at_every_level(weights: Any) -> None:
    plan = planned(pv.budget(epsilon=5), weights=weights)
    exact = {each: np.full((7, 1), 4000 if each.kind == "rows" else 40_000, dtype=object) for each in plan.statistics}
    found = RollupRelease(keys=KEYS, plan=plan, numbers=add_rollup_noise(plan, exact)).ratio("mean", "x", "n")
    back = RollupRelease.from_json(found.to_json())
    assert back == found
    assert found.names == ("n", "x", "mean")
    for level in back.levels:
        assert np.array_equal(level.values("mean"), level.values("x") / level.values("n"))
        low, high = level.interval(0.99)["mean"]
        assert ((low < level.values("mean")) & (level.values("mean") < high)).all()
        assert (level.errors("mean") < (high - low) / 2).all()


def test_ratios_are_checked_and_left_alone_by_post_processing() -> None:
    found = release().ratio("mean", "x", "n")
    assert found.nonnegative().rounded().changes == (("nonnegative", "n"), ("rounded", "n"), ("rounded", "x"))
    for wrong in (("n", "x", "n"), ("level", "x", "n"), ("y", "x", "x"), ("y", "z", "n")):
        with pytest.raises(InvalidError, match="RollupRelease"):
            found.ratio(*wrong)


def test_a_printed_roll_up_says_which_keys_are_rolled_up() -> None:
    lines = str(release()).splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["region", "district"], ["all", "all"], ["n", "all"]]
    assert [line.split()[:2] for line in lines[5:7]] == [["n", "1"], ["s", "7"]]
    assert len(release()) == 11


def test_numbers_beyond_floats_give_values_and_no_warnings() -> None:
    found = release()
    huge = tuple(tuple(np.full(part.shape, 1e308) for part in level) for level in found.numbers)
    table = evolve(found, numbers=huge).ratio("mean", "x", "n").nonnegative().rounded().to_dict()
    assert len(table["mean_low"]) == 11
