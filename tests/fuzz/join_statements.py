# ruff: noqa: E501 - statements are written out
"""Random statements with joins, public tables, and groups that public tables give."""

import random
from typing import Any

from tests.fuzz.queries import PERSONS, ROWS
from tests.fuzz.questions import check_builds
from tests.fuzz.sql_forms import Forms
from tests.fuzz.statements import Drawn

PUBLIC: dict[str, dict[str, list[Any]]] = {
    "wards": {"name": ["a", "b", "a", "q", None], "z": [1, 5, 2, 9, 9], "price": [0.5, 1.25, 0.5, 2.0, 3.0]},
    "levels": {"level": [0, 1, 2, 5], "label": ["nil", "one", "two", "five"]},
}
AGGREGATES = ("COUNT(*) AS n", "SUM(minutes) AS n", "COUNT(minutes) AS n, SUM(cost) AS s", "AVG(minutes) AS n")
PUBLIC_JOINS: Forms = {
    "JOIN with a public table": "SELECT {a} FROM visits JOIN wards ON ward = name",
    "comma with a public table": "SELECT {a} FROM wards, visits WHERE ward = name AND z < {n}",
    "CROSS JOIN with a public table": "SELECT {a} FROM visits CROSS JOIN wards WHERE ward = name",
    "CROSS JOIN without an equation": "SELECT z, {a} FROM visits CROSS JOIN wards WHERE z < {n} GROUP BY z",
    "groups of a public column": "SELECT z, {a} FROM visits JOIN wards ON ward = name GROUP BY z",
    "groups of two public columns": "SELECT name, price, {a} FROM visits, wards WHERE ward = name AND z > {n} "
    "GROUP BY name, price",
    "LEFT JOIN with a public table": "SELECT {a} FROM visits LEFT JOIN wards ON ward = name AND z > {n} "
    "WHERE z IS NULL OR minutes > {n}",
    "condition of the rows in ON": "SELECT {a}, COUNT(wards.name) AS m FROM visits LEFT JOIN wards ON ward = name AND "
    "minutes > {n}",
    "RIGHT JOIN to keys": "SELECT name, {a} FROM visits RIGHT JOIN wards ON ward = name GROUP BY name",
    "keys LEFT JOIN": "SELECT name, {a} FROM wards LEFT JOIN visits ON ward = name GROUP BY name",
    "two public tables": "SELECT label, {a} FROM visits, wards, levels WHERE ward = name AND z = level GROUP BY label",
    "public join with LIMIT": "SELECT label, {a} FROM visits JOIN levels ON minutes = level GROUP BY label ORDER BY 1 "
    "LIMIT 2",
    "equation in every part of OR": "SELECT {a} FROM visits, wards WHERE (ward = name AND z = 1) OR (ward = name AND "
    "minutes = {n})",
    "public sub-query": "SELECT {a} FROM visits JOIN (SELECT name AS w, z + 1 AS y FROM wards WHERE z < 9) AS s ON w = "
    "ward WHERE y > {n}",
    "GROUP BY of a public table": "SELECT m, {a} FROM visits JOIN (SELECT name AS w, MAX(z) AS m, COUNT(*) AS k FROM wards "
    "GROUP BY name) AS s ON w = ward WHERE k > 0 GROUP BY m",
    "DISTINCT of a public table": "SELECT w, {a} FROM visits JOIN (SELECT DISTINCT name AS w FROM wards) AS s ON w = "
    "ward GROUP BY w",
    "join in parentheses": "SELECT z, {a} FROM (visits JOIN wards ON ward = name) WHERE minutes > {n} GROUP BY z",
    "join in a sub-query": "SELECT z, {a} FROM (SELECT v.*, z FROM visits AS v JOIN wards ON ward = name) AS s GROUP BY z",
    "UNNEST of keys": "SELECT item, {a} FROM UNNEST(['a', 'b', 'q']) AS item LEFT JOIN visits ON item = ward GROUP BY "
    "item",
    "UNNEST in a join": "SELECT {a} FROM visits JOIN UNNEST([0, 1, 30]) AS t(m) ON minutes = m",
    "groups of a public table that WHERE lists": "SELECT z, {a} FROM visits JOIN wards ON ward = name WHERE z IN (1, 5) "
    "GROUP BY z",
    "listed groups": "SELECT free, {a} FROM visits WHERE free IN (3, 1, -2) AND minutes <> {n} GROUP BY free",
    "one listed group": "SELECT ward, {a} FROM visits WHERE ward = 'b' GROUP BY ward",
}
PRIVATE_JOINS: Forms = {
    "JOIN of persons": "SELECT {a} FROM visits JOIN people ON visits.id = people.{p}",
    "comma join of persons": "SELECT {a} FROM people, visits WHERE people.{p} = visits.id AND age > {n}",
    "CROSS JOIN of persons": "SELECT {a} FROM people CROSS JOIN visits WHERE people.{p} = visits.id",
    "comparison of both tables": "SELECT visits.ward, {a} FROM visits JOIN people ON people.{p} = visits.id AND age > "
    "minutes GROUP BY visits.ward",
    "LEFT JOIN of persons": "SELECT {a} FROM visits LEFT JOIN people ON visits.id = people.{p} AND age > {n}",
    "rows without a partner": "SELECT {a} FROM visits LEFT JOIN people ON visits.id = people.{p} AND minutes > {n} "
    "WHERE age IS NULL",
    "RIGHT JOIN of persons": "SELECT {a} FROM visits RIGHT JOIN people ON visits.id = people.{p} AND visits.ward = "
    "people.ward",
    "copy of the id": "SELECT {a}, COUNT(people.{p}) AS m FROM visits LEFT JOIN people ON visits.id = people.{p}",
    "join with itself": "SELECT COUNT(*) AS n FROM visits AS v JOIN visits AS w ON v.id = w.id AND v.minutes < w.minutes",
    "USING": "SELECT {a} FROM visits JOIN (SELECT {p} AS id, age FROM people) AS q USING (id)",
    "private and public tables": "SELECT z, {a} FROM visits, people, wards WHERE visits.id = people.{p} AND people.ward "
    "= name GROUP BY z",
    "renamed id": "SELECT who, COUNT(*) AS n FROM (SELECT id AS i, ward AS who FROM visits) AS s JOIN people ON i = {p} "
    "GROUP BY who",
    "join with one row for each person": "SELECT {a} FROM visits JOIN (SELECT {p}, MAX(age) AS old FROM people GROUP BY "
    "{p}) AS q ON visits.id = q.{p} WHERE old > {n}",
    "union of two tables": "SELECT ward, COUNT(*) AS n FROM (SELECT id, ward FROM visits UNION ALL SELECT {p}, ward "
    "FROM people) AS u GROUP BY ward",
    "three tables": "SELECT COUNT(*) AS n FROM visits AS v, people AS q, visits AS w WHERE v.id = q.{p} AND w.id = v.id",
}


def join_statement(seed: int, unit: str) -> Drawn:
    """Draw a statement from public facts alone, so that both neighbours get the same."""
    dice = random.Random(seed)
    forms = {**PUBLIC_JOINS, **PRIVATE_JOINS} if unit == PERSONS else PUBLIC_JOINS
    name = dice.choice(list(forms))
    words = {"a": dice.choice(AGGREGATES), "n": str(dice.randrange(8))}
    return Drawn(forms[name], frozenset({name}), words=words)


def check_join_statements(seed: int) -> None:
    """Run random statements with joins on two neighbouring tables and compare."""
    check_builds(seed, join_statement, (ROWS, PERSONS), public=PUBLIC)
