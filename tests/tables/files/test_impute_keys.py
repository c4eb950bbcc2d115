"""Imputed queries and their plans are read as they were written."""

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import privet as pv
from privet.core.problem import ProblemsError
from privet.errors import UnavailableError
from privet.imputation.scheme import CustomScheme, MajorityOfNeighbours, MeanOfNeighbours, NearestNeighbour
from privet.tables.files.impute_keys import GUESS, IMPUTE
from tests.tables.files.examples import planner, session

ROOT = Path(__file__).parents[3]
PLANNER = planner()
GUESSED = pv.Guess(incomplete=40, changes=3)
FORMS: dict[str, dict[str, Any]] = {
    "nearest": {"by": "region"},
    "weights": {"by": {"region": 2, "old": ("ordinal", 3)}, "guess": GUESSED, "default": 20},
    "mean": {"by": ["old"], "within": ["region"], "k": 3, "default": Fraction(7, 2)},
    "majority": {"by": "old", "scheme": MajorityOfNeighbours(k=2)},
    "one": {"by": "old", "scheme": NearestNeighbour()},
    "mean of many": {"by": ["old", "region"], "scheme": MeanOfNeighbours(k=5), "default": 0.5},
}


def imputed(door: Any, name: str) -> Any:
    query = door.query("visits").filter("age is null or age > 3").cap(rows=2).impute("age", **FORMS[name])
    grouped = query.filter("age > 18").derive(twice="age + age").rename(place="region").group_by("place")
    return grouped.agg(pv.count(), m=pv.mean("age"), s=pv.sum("cost", bounds=(0, 5)))


@pytest.mark.parametrize("name", FORMS)
def test_an_imputed_query_is_read_as_it_was_written(name: str) -> None:
    query = imputed(PLANNER, name)
    again = PLANNER.read_query(query.to_yaml())
    assert again == query
    assert again.to_yaml() == query.to_yaml()


def test_caps_stand_before_the_imputation() -> None:
    text = imputed(PLANNER, "weights").to_yaml()
    assert re.findall(r"- (\w+):", text) == ["filter", "cap", "impute", "filter", "derive", "rename"]


def test_a_plan_is_read_and_released_as_it_was_planned() -> None:
    plan = imputed(PLANNER, "mean").plan(epsilon=2, interval=0.25)
    again = PLANNER.read_plan(plan.to_yaml())
    assert again.plan == plan
    assert again.to_yaml() == plan.to_yaml()
    assert again.describe() == imputed(PLANNER, "mean").describe(epsilon=2, interval=0.25)
    opened: Any = session()
    release = opened.read_plan(plan.to_yaml()).release()
    assert set(release.intervals) == {"count", "m", "s"}
    assert opened.spent.epsilon == plan.loss.epsilon()


def test_a_plan_with_noise_of_its_own_is_refused() -> None:
    text = imputed(PLANNER, "mean").plan(epsilon=2).to_yaml() + "noise: [{noise: laplace, scale: 1}]\n"
    with pytest.raises(ProblemsError, match="for other numbers"):
        PLANNER.read_plan(text)


START = "format: query/1\ntable: visits\nnodes:\n  - impute: {name: age, by: region}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (START + "  - cap: {rows: 1}\naggregates: {n: count}\n", "cap cannot follow impute"),
        (START + "  - impute: {name: cost, by: old}\naggregates: {n: count}\n", "impute cannot follow impute"),
        (START + "rollup: [region]\naggregates: {n: count}\n", "rollup cannot follow impute"),
        (START + "private_keys: [code]\n", "private_keys cannot follow impute"),
        (START + "group_by: [region]\nother: rest\naggregates: {n: count}\n", "a group of all other rows"),
        (START.replace("by:", "buy:") + "aggregates: {n: count}\n", "Did you mean by"),
        (START.replace("region", "nosuch") + "aggregates: {n: count}\n", "there is no column 'nosuch'"),
        (START.replace("region}", "region, k: 2, scheme: nearest}") + "aggregates: {n: count}\n", "no k"),
        (START.replace("region}", "region, scheme: mean}") + "aggregates: {n: count}\n", "k for the scheme mean"),
        (START.replace("region}", "region, scheme: best}") + "aggregates: {n: count}\n", "one of nearest, mean"),
        (START.replace("region}", "{region: [odd, 1]}}") + "aggregates: {n: count}\n", "whole weight"),
        (START.replace("region}", "{region: [ordinal, {}]}}") + "aggregates: {n: count}\n", "impute"),
        (START.replace("region}", "region, guess: {changes: 0}}") + "aggregates: {n: count}\n", "Guess.changes"),
        (START.replace("region}", "region, default: 1e999999999}") + "aggregates: {n: count}\n", "default"),
        (START.replace("region}", "region, default: ..}") + "aggregates: {n: count}\n", "default"),
    ],
)
def test_what_is_wrong_is_a_problem(text: str, message: str) -> None:
    with pytest.raises(ProblemsError, match=message):
        PLANNER.read_query(text)


def test_a_scheme_of_your_own_is_not_written() -> None:
    scheme = CustomScheme(k=2, function=lambda values: np.max(values, axis=1))
    query = PLANNER.query("visits").impute("age", by="region", scheme=scheme).agg(pv.mean("age"))
    with pytest.raises(UnavailableError, match="write yours in Python"):
        query.to_yaml()


def test_a_plan_of_other_shares_is_another_plan() -> None:
    plan = imputed(PLANNER, "nearest").plan(epsilon=1, interval=0.2)
    assert evolve(plan, source=None) == plan
    assert "interval: 0.2" in plan.to_yaml() or "interval: 1/5" in plan.to_yaml()


def test_every_key_is_in_the_documentation() -> None:
    page = (ROOT / "docs" / "tables" / "files.md").read_text(encoding="utf-8")
    names = [name for part in (IMPUTE, GUESS) for name in part.names]
    assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []


def test_files_are_read_for_ever() -> None:
    """What these files say must not change: they are compared with queries, not with what is written now."""
    kept = ROOT / "tests" / "formats"
    assert PLANNER.read_query(kept / "imputed-query-1.yaml") == imputed(PLANNER, "weights")
    plan = PLANNER.read_plan(kept / "imputed-plan-1.yaml")
    assert (plan.query, plan.loss) == (imputed(PLANNER, "mean"), plan.plan.loss)
    assert plan.arguments == {"epsilon": 2, "interval": Fraction(1, 4)}
