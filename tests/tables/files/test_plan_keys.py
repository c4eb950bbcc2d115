"""A plan that is read is the plan that was written: the same query, noise, privacy loss and description."""

import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

import privet as pv
from privet.core.problem import ProblemsError
from privet.errors import InvalidError, MismatchError, UnavailableError
from privet.tables.curator.allowance import read_allowance
from privet.tables.files.plan_keys import ARGUMENTS, PLAN, plan_schema
from privet.tables.noise.plan import NoisePlan
from privet.tables.session.query_plan import QueryPlan
from tests.tables.codebook.test_keys import refusals
from tests.tables.files.examples import UNPLANNED, books, examples, planner, random_queries, session
from tests.tables.files.test_query_keys import resolved

ROOT = Path(__file__).parents[3]
KEPT = sorted((ROOT / "tests" / "formats").glob("plan-*.yaml"))
PLANNER = planner()
EXAMPLES = {name: query for name, query in examples(PLANNER).items() if name not in UNPLANNED}
BUDGET = {"epsilon": 1, "delta": 1e-6}
COUNT = PLANNER.query("visits").agg(n=pv.count(), s=pv.sum("age"))
PLAN_TEXT = COUNT.plan(epsilon=1, weights={"n": 1, "s": 1}).to_yaml()


def refused(text: str) -> str:
    with pytest.raises(ProblemsError) as caught:
        PLANNER.read_plan(text)
    return "\n".join(map(str, caught.value.problems))


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_plan_is_read_as_it_was_written(name: str) -> None:
    plan = EXAMPLES[name].plan(**BUDGET)
    again = PLANNER.read_plan(plan.to_yaml())
    assert again.plan == plan
    assert again.to_yaml() == plan.to_yaml()
    assert again.describe() == EXAMPLES[name].describe(**BUDGET)
    assert again.loss.epsilon(1e-6) == plan.loss.epsilon(1e-6)


@pytest.mark.parametrize("name", ["aggregates", "rollup", "batch", "sql"])
def test_plans_of_concentrated_privacy_are_read_as_they_were_written(name: str) -> None:
    plan = EXAMPLES[name].plan(rho=Fraction(1, 30), delta=1e-6)
    assert PLANNER.read_plan(plan.to_yaml()).plan == plan


@given(query=random_queries(PLANNER), epsilon=st.fractions(Fraction(1, 50), 5, max_denominator=50))
@settings(max_examples=25, deadline=None)
def test_random_plans_are_read_as_they_were_written(query: Any, epsilon: Any) -> None:
    keys = "private_keys" in query.words()
    try:
        plan = query.plan(epsilon=epsilon, delta=1e-6 if keys else None)
    except UnavailableError:  # of a query that estimates first
        return
    again = PLANNER.read_plan(plan.to_yaml())
    assert again.to_yaml() == plan.to_yaml()
    assert keys or (again.query, again.plan) == (query, plan)  # plans of keys hold a relation, which has no equality


def test_arguments_of_a_plan_are_kept() -> None:
    weighted = COUNT.plan(epsilon=0.1, weights={"n": Fraction(1, 3), "s": 2})
    assert PLANNER.read_plan(weighted.to_yaml()).plan == weighted
    unusual = COUNT.plan(epsilon=Decimal("0.1"), weights=MappingProxyType({"n": np.float64(3), "s": np.int64(2)}))
    assert PLANNER.read_plan(unusual.to_yaml()).plan == unusual
    equal = COUNT.plan(epsilon=1, weights="equal errors", group_size=100)
    again = PLANNER.read_plan(equal.to_yaml())
    assert again.plan == equal
    assert "needs group_size" not in again.describe()
    levels = EXAMPLES["rollup"].plan(epsilon=1, level_weights=np.array([0, 1, 2]))
    assert "level_weights: [0, 1, 2]" in levels.to_yaml()
    assert PLANNER.read_plan(levels.to_yaml()).plan == levels


def test_a_plan_without_noise_is_planned_now() -> None:
    text = "format: plan/1\nquery: {table: visits, aggregates: {n: count}}\nbudget: {epsilon: 1}\n"
    assert PLANNER.read_plan(text).plan == PLANNER.query("visits").agg(n=pv.count()).plan(epsilon=1)


def test_a_plan_is_released_with_its_own_noise_and_charged_with_its_own_loss() -> None:
    """A file may ask for more noise than this version would choose: it is added, and it costs less."""
    text = PLAN_TEXT.replace("scale: 10,", "scale: 40,")
    assert text != PLAN_TEXT
    opened: Any = session()
    plan = opened.read_plan(text)
    release = plan.release()
    assert release.plan.planned[0].noise.scale == 40
    assert opened.spent.epsilon == plan.loss.epsilon() == Fraction(5, 8)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_kind_of_plan_is_released(name: str) -> None:
    opened: Any = session()
    text = EXAMPLES[name].plan(**BUDGET).to_yaml()
    released = opened.read_plan(text).release()
    expected = examples(opened)[name].release(**BUDGET)
    assert type(released) is type(expected)
    assert 1 <= opened.spent.epsilon <= 2


def test_a_plan_of_options_is_read_with_the_budget_of_its_statement() -> None:
    text = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.1, delta = 1e-6) COUNT(*) AS n FROM visits"
    plan = PLANNER.sql(text).plan()
    assert "epsilon: 0.1" in plan.to_yaml()
    assert PLANNER.read_plan(plan.to_yaml()).plan == plan
    assert "OPTIONS give epsilon" in refused(plan.to_yaml().replace("epsilon: 0.1\n", "epsilon: 0.2\n"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("scale: 10,", "scale: 9,", "the noise costs more than the budget of the plan allows; plan the query again."),
        ("scale: 10,", "scale: 0,", "line 11: Noise.scale must be above zero, got 0."),
        ("scale: 10,", "scale: 1e999,", "would hide about"),
        ("epsilon: 1", "epsilon: 0.5", "the noise costs more than the budget"),
        ("for: [s]", "for: [n]", "the noise is for other numbers"),
        ("l1: 5}", "l1: 4}", "or for another codebook"),
        ("noise: laplace", "noise: normal", "Noise.kind must be laplace or gaussian, got 'normal'."),
        ("noise: laplace", "level: 2, noise: laplace", "the noise is for other numbers"),
        ("table: visits", "table: visits\n  nodes: [{cap: {rows: 6}}]", "the noise is for other numbers"),
        ("s: {sum: age}", "s: {sum: age, bounds: [0, 50]}", "the noise is for other numbers"),
        ("weights:", "level_weights: [1, 2]\nweights:", "level_weights is no part of a plan of such a query."),
        ("budget:", "budgets:", "budgets is no key of a plan. Did you mean budget?"),
        ("format: plan/1", "format: plan/7", "plan/7 needs a newer version of Privet"),
        ("format: plan/1", "format: query/1", "this file is a query (query/1), and a plan is needed."),
        ("table: visits", "table: visits\n  nodes: [{cap: {rows: auto}}]", "estimated first"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(old: str, new: str, message: str) -> None:
    assert old in PLAN_TEXT
    assert message in refused(PLAN_TEXT.replace(old, new, 1))


@pytest.mark.parametrize(("old", "new"), [("threshold: ", "threshold: -"), ("scale: ", "scale: 1"), ("l1: ", "l1: 1")])
def test_a_plan_of_keys_whose_threshold_is_too_low_is_refused(old: str, new: str) -> None:
    """More noise needs a higher threshold: a key that one person has would be released too often."""
    text = EXAMPLES["plain keys"].plan(**BUDGET).to_yaml()
    assert refused(text.replace(old, new))


def test_a_plan_of_another_query_is_not_released() -> None:
    """A plan whose loss holds for lower caps, or for fewer parts, would be charged too little."""
    opened = session()
    query, limits = opened.query("visits"), read_allowance("test", epsilon=1)
    rollup, low = query.rollup("region", "old").agg(pv.count()), query.cap(rows=1).rollup("region", "old")
    with pytest.raises(MismatchError, match="for another roll-up"):
        rollup.release_plan(low.agg(pv.count()).plan(epsilon=1), limits)
    with pytest.raises(MismatchError, match="for another query"):
        rollup.release_plan(query.rollup("region", "old").agg(pv.sum("age")).plan(epsilon=1), limits)
    plan = rollup.plan(epsilon=1)
    empty = evolve(plan, levels=(*plan.levels[:-1], evolve(plan.levels[-1], planned=())))
    with pytest.raises(MismatchError, match="for another query"):
        rollup.release_plan(empty, limits)
    parts = opened.partition("region", parts_per_person=2)
    with pytest.raises(MismatchError, match="for another partition"):
        parts.release_plan(opened.partition("region").plan(epsilon=1), limits)
    assert opened.spent == pv.budget(epsilon=0, delta=0)


def test_a_plan_for_another_codebook_is_refused() -> None:
    caps = pv.Planner(books(pv.Persons("id", rows=4)), pv.budget(epsilon=1))
    with pytest.raises(ProblemsError, match="for another codebook"):
        caps.read_plan(PLAN_TEXT)


def test_a_plan_that_no_query_made_cannot_be_written() -> None:
    plan = COUNT.plan(epsilon=1)
    bare = NoisePlan(
        aggregates=plan.aggregates, contribution=plan.contribution, groups=plan.groups, planned=plan.planned
    )
    assert bare == plan
    for each in (bare, plan.scaled(Fraction(2))):
        with pytest.raises(UnavailableError, match="does not know its query"):
            each.to_yaml()


def test_a_planner_reads_a_plan_and_releases_nothing() -> None:
    plan = PLANNER.read_plan(PLAN_TEXT)
    assert isinstance(plan, QueryPlan)
    with pytest.raises(UnavailableError, match="there are no data here"):
        plan.release()


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_files_of_every_format_are_read_for_ever(path: Path) -> None:
    """The noise is that of the file, whatever this version would choose."""
    text = path.read_text(encoding="utf-8")
    plan = PLANNER.read_plan(path)
    written = [line.strip() for line in text.partition("noise:")[2].splitlines() if line]
    assert [line.strip() for line in plan.to_yaml().partition("noise:")[2].splitlines() if line] == written
    assert plan.loss <= pv.budget(epsilon=1, delta=1e-6)


def test_there_is_a_file_of_every_kind_of_plan() -> None:
    assert [path.name for path in KEPT] == [
        f"plan-1-{name}.yaml" for name in ("aggregates", "batch", "keys", "partition", "rollup", "sql")
    ]


def test_the_schema_accepts_what_is_written_and_refuses_the_rest() -> None:
    schema = plan_schema()
    known = resolved(schema, schema["$defs"])
    query = {"table": "visits", "aggregates": {"n": "count"}}
    data = {"format": "plan/1", "query": query, "budget": {"epsilon": 1, "delta": "1e-6"}}
    noise = [{"for": ["n"], "noise": "laplace", "scale": "1/3", "l1": 5}]
    assert refusals(known, {**data, "noise": noise}) == []
    assert refusals(known, {**data, "noise": [{"for": ["n"]}]}) != []
    assert refusals(known, {**data, "budget": 3}) != []
    assert set(PLAN.names) == {"format", "query", "budget", *ARGUMENTS, "noise"}


@given(
    cuts=st.lists(
        st.tuples(
            st.integers(0, 999), st.sampled_from([".nan", "null", "[]", "{}", "-1", "1/0", "x", "'", "*a", "9" * 50])
        ),
        min_size=1,
        max_size=2,
    )
)
@settings(max_examples=60, deadline=None)
def test_a_hostile_plan_is_refused_and_nothing_else(cuts: list[tuple[int, str]]) -> None:
    text = PLAN_TEXT
    for place, word in cuts:
        words = list(re.finditer(r"[^\s\[\]{},:]+", text))
        found = words[place % len(words)]
        text = text[: found.start()] + word + text[found.end() :]
    with suppress(InvalidError):
        PLANNER.read_plan(text + "\n")


OPTIONS = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1) region, COUNT(*) AS n FROM visits GROUP BY region"


def test_options_of_a_statement_are_the_budget_of_a_plan_without_one() -> None:
    text = re.sub(r"budget:\n(  .*\n)+", "", PLANNER.sql(OPTIONS).plan().to_yaml())
    assert "budget" not in text
    opened: Any = session()
    release = opened.read_plan(text).release()
    assert (opened.spent.epsilon, release.text) == (1, OPTIONS)
    with pytest.raises(ProblemsError, match="costs more than the budget"):
        opened.read_plan(re.sub(r"scale: [^,]+,", "scale: 0.01,", text))


def test_the_kind_of_noise_of_private_keys_is_that_of_the_query() -> None:
    text = EXAMPLES["plain keys"].plan(**BUDGET).to_yaml()
    changed = re.sub(r"noise: laplace, (.*), l1: (\d+)", r"noise: gaussian, \1, l2_squared: \2", text)
    assert changed != text
    assert "for other numbers" in refused(changed)


def test_a_partition_without_noise_may_say_so() -> None:
    text = PLANNER.partition("region", parts_per_person=2).plan(epsilon=1).to_yaml()
    assert PLANNER.read_plan(text + "noise: []\n").plan == PLANNER.read_plan(text).plan


def test_a_name_that_no_file_has_is_refused() -> None:
    for read in (PLANNER.read_plan, PLANNER.read_query):
        with pytest.raises(InvalidError, match="no file has such a name"):
            read("a\0b")


def test_a_column_that_is_copied_as_an_expression_is_planned_and_written() -> None:
    query = PLANNER.query("visits")
    plan = query.derive(z=query.references()["age"]).agg(n=pv.count()).plan(epsilon=1)  # type: ignore[arg-type]
    assert "derive: {z:" in plan.to_yaml()
