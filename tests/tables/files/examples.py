"""Queries of every kind, for tests of files."""

from typing import Any

from hypothesis import strategies as st

import privet as pv
from privet.errors import PrivetError
from privet.tables.columns.unit import PrivacyUnit
from privet.tables.session.planner import Planner
from privet.tables.session.session import Session
from privet.tables.session.table_door import TableDoor

REGIONS = ("north", "south", "no")
PUBLIC: list[dict[str, Any]] = [
    {"region": "north", "people": 3, "opened": "2020-01-01", "height": 0.1},
    {"region": "south", "people": None, "opened": None, "height": 2},
]
PUBLIC_COLUMNS = {
    "region": pv.column("text"),
    "people": pv.column("integer", bounds=(0, 9), nulls=pv.NullsReplaced(4)),
    "opened": pv.column("date"),
    "height": pv.column("real", bounds=(0, 3)),
}
NAMED = {"regions": {"region": list(REGIONS[:2]), "people": [3, 9]}}  # public tables of the session
UNPLANNED = ("estimates", "private groups", "weighted groups", "sql private")  # their noise is not known yet
SELECT = """SELECT region, COUNT(*) AS n,
  AVG(age) AS "mean age"
FROM visits GROUP BY region

HAVING COUNT(*) > 3"""


def books(unit: PrivacyUnit) -> dict[str, pv.Codebook]:
    visits = {
        "id": pv.column("integer"),
        "region": pv.column("text", categories=REGIONS, nulls=pv.NullsAsCategory()),
        "age": pv.column("integer", bounds=(0, 100)),
        "day": pv.column("date", bounds=("2024-01-01", "2024-12-31")),
        "cost": pv.column("real", bounds=(0, 10)),
        "code": pv.column("text"),
        "old": pv.column("boolean"),
        "marks": pv.column("integer", bounds=(0, 9), most_items=4),
    }
    people = {
        "id": pv.column("integer"),
        "sex": pv.column("text", categories=("f", "m")),
        "born": pv.column("date", bounds=("1924-01-01", "2024-12-31")),
    }
    return {
        "visits": pv.Codebook(table="visits", unit=unit, columns=visits),
        "people": pv.Codebook(table="people", unit=unit, columns=people),
    }


def planner(unit: PrivacyUnit | None = None) -> Planner:
    return Planner(books(unit or pv.Persons("id", rows=5)), pv.budget(epsilon=10, delta=1e-3), public=NAMED)


def session() -> Session:
    visits = [
        {"id": n % 20, "region": "north", "age": n % 90, "cost": n % 7, "code": "x", "old": True} for n in range(300)
    ]
    people = [{"id": n, "sex": "f"} for n in range(20)]
    budget = pv.budget(epsilon=1000, delta=1e-3)
    return Session({"visits": visits, "people": people}, books(pv.Persons("id", rows=5)), budget, public=NAMED)


def examples(door: TableDoor) -> dict[str, Any]:
    """One query of every kind, with every node and every aggregate."""
    query, people = door.query("visits"), door.query("people")
    every = (
        pv.count("age"),
        pv.count_distinct("region"),
        pv.count_ids(),
        pv.sum("age", bounds=(0, 1.5)),
        pv.sum_by_person("age", bounds=(0, 500)),
        pv.mean("cost"),
        pv.geometric_mean("cost", bounds=(1, 3)),
        pv.variance("age", ddof=0),
        pv.std("age", bounds=(0, 50)),
        pv.covariance("age", "cost", first_bounds=(0, 1)),
        pv.correlation("age", "cost"),
        pv.histogram("region"),
        pv.quantile("age", 0.3),
        pv.quantiles("day", [0.25, 0.75], bins=16),
        pv.median("age"),
        pv.minimum("age"),
        pv.maximum("age", alpha=0.9),
        pv.top_k("region", 2),
        pv.mode("region"),
    )
    listed = [("f", "north"), ("m", "south")]
    statement = "SELECT code, old, COUNT(*) AS n FROM visits GROUP BY code, old"
    return {
        "aggregates": query.agg(*every),
        "nodes": query.filter("age >= 18")
        .derive(twice="age * 2")
        .bin("age", width=10)
        .bin("day", by="month", into="month")
        .bin("cost", [0, 0.5, 10])
        .rename(town="code")
        .select("region", "age", "cost", "age_bin", "month")
        .cap(rows=3, groups=2)
        .group_by("region", groups=["south", "no"])
        .agg(n=pv.count(), mean_age=pv.mean("age")),
        "terms": query.filter(pv.col("age") >= 18).agg(pv.count()),
        "join": query.join(people.filter("sex = 'f'").derive(year="year(born)"), rows=1, how="left")
        .group_by("sex", "region", groups=listed, other=("x", "y"))
        .agg(pv.count(), a=pv.mean("age")),
        "product": query.group_by("region", "old", groups=[(a, b) for a in REGIONS for b in (True, False)]).agg(
            pv.histogram("cost", [0, 0.1, 10])
        ),
        "union": query.union(query.filter("age < 3"))
        .group_by("code", groups=["1", "no"], other=None)
        .agg(n=pv.count_ids()),
        "summarize": query.summarize("region", visits="count(*)", most="max(cost)").agg(n=pv.count("visits")),
        "split": query.split("code", ": ", most=3, into="part").split("part", "#", most=2).agg(pv.count()),
        "unnest": query.unnest("marks", into="mark").unnest("marks", most=2).agg(pv.count(), pv.sum("mark")),
        "public left": query.join_public([*PUBLIC, *PUBLIC], PUBLIC_COLUMNS, on="region", how="left").agg(pv.count()),
        "join by caps": query.join(people.select("sex")).agg(pv.count()),
        "public": query.join_public(PUBLIC, PUBLIC_COLUMNS, on="region").agg(pv.sum("people")),
        "public by name": query.join_public("regions", on="region", how="left").agg(pv.sum("people", bounds=(0, 9))),
        "private groups": query.filter("age > 3")
        .group_by("code", "old", keys=pv.private(delta=1e-7), other=("x", None))
        .agg(pv.count(), a=pv.mean("age")),
        "weighted groups": query.group_by(
            "code", keys=pv.private(delta=1e-7, share=0.1, method="weighted", noise="laplace", rounds=2)
        ).agg(pv.count()),
        "sql private": door.sql(
            "SELECT code, COUNT(*) AS n FROM visits GROUP BY code", keys=pv.private(delta=1e-7, top=3), dialect="mysql"
        ),
        "sql imputed": door.sql(SELECT, impute={"name": "age", "by": ["region"], "table": "visits", "k": 2}),
        "estimates": query.cap(rows=pv.auto(quantile=0.9), groups=2).agg(pv.sum("cost", bounds=pv.auto(share=0.2))),
        "rollup": query.derive(adult="age >= 18").rollup("region", "adult").agg(pv.count(), s=pv.sum("age")),
        "keys": query.private_keys("code", method="weighted", rounds=2),
        "plain keys": query.private_keys("code", "region"),
        "top keys": query.private_keys("code", top=2, noise="gumbel"),
        "top keys by weight": query.private_keys("code", method="weighted", top=2),
        "sql": door.sql(SELECT),
        "sql groups": door.sql(statement, groups=[("1", True), ("a b", False)], other=(None, False)),
        "batch": door.batch(a=query.agg(pv.count()), b=query.group_by("region").agg(pv.histogram("age", 4))),
        "partition": door.partition("region", groups=["north"], parts_per_person=1),
        "partition of people": door.partition("sex", table="people"),
    }


STEPS: list[Any] = [
    lambda query, _: query.filter("age >= 18 and region in ('north', 'it''s')"),
    lambda query, _: query.filter('"age" < 30\n or cost > 0.1'),
    lambda query, _: query.derive(twice="age * 2", x="twice + 1"),
    lambda query, _: query.derive(age="age + 1"),
    lambda query, _: query.derive(**{"a: b #": "upper(code)"}),
    lambda query, _: query.bin("age", width="7"),
    lambda query, _: query.bin("age", width=7),
    lambda query, _: query.bin("cost", [0, 0.1, 9]),
    lambda query, _: query.bin("day", by="quarter", into="yes"),
    lambda query, _: query.select("region", "age"),
    lambda query, _: query.select("age", "id", "region"),
    lambda query, _: query.rename(years="age"),
    lambda query, _: query.rename(age="years"),
    lambda query, _: query.cap(rows=4),
    lambda query, _: query.cap(by={"region": {"rows_per_group": 2}, "age": {"groups": 3, "rows_per_group": 2}}),
    lambda query, _: query.cap(by={("age", "region"): {"groups": 2}, "age": {"rows_per_group": 2}}),
    lambda query, _: query.impute("age", by=["region"], k=2),
    lambda query, _: query.impute("cost", by={"old": 2}, within="region", default=1),
    lambda query, _: query.cap(groups=2, rows_per_group=3),
    lambda query, other: query.join(other, rows=2),
    lambda query, other: query.join(other.summarize(visits_of_all="count(*)")),
    lambda query, other: query.join(other, on="region", rows=2, how="left"),
    lambda query, other: query.join(other, on="region"),
    lambda query, _: query.split("code", "no: #", most=3, into="part"),
    lambda query, _: query.split("code", "'", most=2),
    lambda query, _: query.unnest("marks", most=3, into="m: #"),
    lambda query, _: query.unnest("marks", how="left"),
    lambda query, other: query.union(query.filter("age < 3")),
    lambda query, other: query.union(other),
    lambda query, _: query.summarize(visits="count(*)", age="max(age)"),
    lambda query, _: query.summarize("region", age="mean(age)"),
]
ENDS: list[Any] = [
    lambda query: query.agg(pv.count(), pv.count_ids()),
    lambda query: query.group_by("region").agg(pv.count(), m=pv.mean("age")),
    lambda query: query.group_by("region", groups=["south"], other="else").agg(s=pv.sum("age", bounds=(0, "1/3"))),
    lambda query: query.group_by("age", groups=[1, 3, -2]).agg(n=pv.count()),
    lambda query: query.group_by("old", "region").agg(pv.std("age"), pv.variance("age", ddof=0)),
    lambda query: query.agg(null=pv.quantiles("age", [0.1, 0.9]), n=pv.median("age", bins=9)),
    lambda query: query.agg(pv.mean("age", bounds=pv.auto(share=0.3, quantile=(0.1, 0.9)))),
    lambda query: query.rollup("region", "old").agg(pv.count()),
    lambda query: query.private_keys("code"),
]


@st.composite
def random_queries(draw: st.DrawFn, door: TableDoor) -> Any:
    """A query of nodes in any order; those that do not fit are left out."""
    queries = [door.query("visits"), door.query("people")]
    for step in draw(st.lists(st.sampled_from(STEPS), max_size=6)):
        place = draw(st.sampled_from((0, 0, 0, 1)))
        try:
            queries[place] = step(queries[place], queries[1 - place])
        except PrivetError:
            continue
    for end in draw(st.permutations(ENDS)):
        try:
            return end(queries[0])
        except PrivetError:
            continue
    return queries[0].agg(pv.count())
