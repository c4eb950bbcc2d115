"""An imputation is stable in what does not depend on imputed values, and so is every node behind it."""

from typing import Any

import pytest
from attrs import evolve, frozen

import privet as pv
from privet.core import Space
from privet.errors import InvalidError, MismatchError
from privet.imputation.scheme import MeanOfNeighbours
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.group_totals import Grouping, GroupTotals
from privet.tables.nodes.impute_column import ImputeColumn
from privet.tables.nodes.imputed_table import ImputedDomain, ImputedTable
from privet.tables.nodes.imputed_values import ImputedFacts, ImputedValues
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.summarize_persons import SummarizePersons
from privet.tables.relations.caps import Caps
from tests.laws import Case, Twin
from tests.tables.imputed_tables import people
from tests.tables.nodes.spaces import MONTHS, PERSONS, ROWS
from tests.tables.nodes.twins import ChargedOnce
from tests.transforms.twins import TwinOf

NEAREST = ImputeColumn(name="minutes", by="ward", caps=Caps(rows=2), key=5)
STRATA = ImputeColumn(name="cost", by="paid", within="ward", scheme=MeanOfNeighbours(k=2))
LONG = FilterRows(condition="minutes > 40")
LATE = FilterRows(condition="paid or day > date '2024-02-01'")
KEPT = {name: name for name in ("id", "ward", "minutes", "paid")}
HOURS = ProjectColumns(outputs={**KEPT, "hours": "minutes // 60", "twice": "minutes + minutes", "w": "upper(ward)"})
CASES = [
    Case(name="imputation, persons", chain=PERSONS >> NEAREST),
    Case(name="imputation, rows", chain=ROWS >> STRATA),
    Case(name="imputation, months", chain=MONTHS >> NEAREST),
    Case(name="nodes behind an imputation", chain=PERSONS >> NEAREST >> LONG >> LATE >> HOURS),
]


@frozen
class Uncapped(TwinOf):
    """Finds donors among all rows of a person."""

    def apply(self, value: Any, space: Space) -> Any:
        node: Any = self.right
        return evolve(node, caps=Caps(rows=100)).apply(value, space)


@frozen
class Trusting(TwinOf):
    """Takes imputed values for observed ones where it filters."""

    def apply(self, value: Any, space: Space) -> Any:
        domain: Any = space.domain
        return self.right.apply(value, Space(evolve(domain, facts=ImputedFacts()), space.metric))


@frozen
class Forgetting(TwinOf):
    """Forgets that what is computed from imputed values depends on them."""

    def output(self, space: Space) -> Space:
        right: Any = self.right.output(space)
        facts = ImputedFacts(columns={"minutes": ImputedValues()})
        return Space(evolve(right.domain, facts=facts), right.metric)


TWINS = [
    Twin(law="map", case=Case(name="imputation that counts a person once", chain=PERSONS >> ChargedOnce(NEAREST))),
    Twin(law="map", case=Case(name="imputation without a cap", chain=PERSONS >> Uncapped(NEAREST))),
    Twin(law="map", case=Case(name="a fact that is forgotten", chain=PERSONS >> NEAREST >> Forgetting(HOURS))),
]


HUB: list[dict[str, Any]] = [{"id": 0, "ward": "a", "minutes": 60}] + [{"id": n, "ward": "a"} for n in range(1, 30)]


def test_a_filter_by_imputed_values_never_decides_what_is_known() -> None:
    """One donor gives to thirty; a twin that takes imputed values for observed ones loses them all with it."""
    apart = {}
    for name, node in {"right": LONG, "twin": Trusting(LONG)}.items():
        chain = PERSONS >> NEAREST >> node
        apart[name] = chain.output.metric.distance(chain(HUB), chain(HUB[1:]), chain.output.domain)
    assert apart == {"right": 1, "twin": 30}


def facts_of(chain: Any) -> ImputedFacts:
    domain = chain.output.domain
    assert isinstance(domain, ImputedDomain)
    return domain.facts


def test_facts_are_inferred_along_the_chain() -> None:
    facts = facts_of(PERSONS >> NEAREST >> LONG >> HOURS)
    assert set(facts.columns) == {"minutes", "hours", "twice"}
    assert facts.columns["minutes"].reach == 60
    assert facts.columns["twice"].reach is None
    assert facts.rows
    assert not facts_of(PERSONS >> NEAREST >> LATE).rows


def test_strata_follow_copies_and_functions_of_them() -> None:
    chain = ROWS >> STRATA >> ProjectColumns(outputs={"w": "upper(ward)", "ward": "cost > 0", "one": "1"})
    assert facts_of(chain).strata == {"w", "one"}


def test_the_completed_column_is_never_null() -> None:
    assert not (PERSONS >> NEAREST).output.domain.columns["minutes"].nullable  # type: ignore[attr-defined]


def test_nothing_is_read_before_it_runs() -> None:
    table = (PERSONS >> NEAREST)([{"id": 1, "ward": "a"}])
    assert isinstance(table, ImputedTable)
    assert "labelled" not in repr(table.engine)


@pytest.mark.parametrize("after", [SummarizePersons(summaries={"n": "count(*)"}), NEAREST])
def test_a_node_without_a_rule_is_refused(after: Any) -> None:
    with pytest.raises(MismatchError, match="needs a table, got"):
        PERSONS >> NEAREST >> after


def test_totals_with_ordinary_noise_are_refused() -> None:
    """Their map would count one row where an imputation moves many."""
    totals = GroupTotals(grouping=Grouping(caps=Caps(rows=2)), measured=pv.count().measured())
    with pytest.raises(MismatchError, match="needs a table, got"):
        PERSONS >> NEAREST >> totals


def test_persons_without_a_cap_are_refused() -> None:
    with pytest.raises(InvalidError, match="not bounded"):
        PERSONS >> ImputeColumn(name="minutes", by="ward")


IMPUTED = {"by": "age", "within": "sex"}


@pytest.mark.parametrize(
    ("what", "ask"),
    [
        ("cap", lambda query: query.cap(rows=1)),
        ("summarize", lambda query: query.summarize(n="count(*)")),
        ("join_public", lambda query: query.join_public([{"age": 1}], {"age": pv.column("integer")}, on="age")),
        ("union", lambda query: query.union(query)),
        ("this release", lambda query: query.grouping((), ((),))),
        ("this release", lambda query: query.relation),
    ],
)
def test_a_query_says_what_cannot_follow(what: str, ask: Any) -> None:
    query = people([], pv.Persons(id="id", rows=2)).query().impute("income", **IMPUTED)  # type: ignore[arg-type]
    with pytest.raises(InvalidError, match=rf"{what} cannot follow impute"):
        ask(query)


@pytest.mark.parametrize("what", ["union", "join"])
def test_an_imputed_query_is_no_partner(what: str) -> None:
    session = people([], pv.Persons(id="id", rows=2))
    imputed = session.query().impute("income", by="age")
    with pytest.raises(InvalidError, match=f"{what} cannot follow impute"):
        getattr(session.query(), what)(imputed)


def test_every_node_that_makes_a_row_from_a_row_may_follow() -> None:
    session = people([{"id": n, "age": n % 4, "sex": "fm"[n % 2], "income": 2} for n in range(50)], epsilon=10**6)
    query = session.query().impute("income", **IMPUTED).rename(gender="sex").select("gender", "income", "age")  # type: ignore[arg-type]
    release = query.group_by("gender", old="age > 1").agg(pv.mean("income"), n=pv.count()).release(epsilon=800)
    assert release.keys == ("gender", "old")
    assert release.values("n").tolist() == pytest.approx([13, 12, 13, 12], abs=2)
    assert query.group_by("gender").agg(pv.mean("income")).plan(epsilon=1).together == 1


def test_texts_that_grow_behind_an_imputation_are_limited() -> None:
    query: Any = people([]).query().impute("income", by="age").derive(t="sex || job")
    for _ in range(12):
        query = query.derive(t="t || t")  # 8,192 characters
    with pytest.raises(InvalidError, match="characters for one row"):
        query.derive(**{f"t{n}": "t || 'x'" for n in range(20)})
