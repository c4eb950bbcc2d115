"""Random statements with joins, public tables, periods, listed groups and averages of persons."""

import random
from typing import Any

import privet as pv
from tests.fuzz.queries import PERSONS, ROWS, Build
from tests.fuzz.questions import check_builds

PUBLIC: dict[str, dict[str, list[Any]]] = {
    "wards": {"name": ["a", "b", "a", "q", None], "z": [1, 5, 2, 9, 9], "price": [0.5, 1.25, 0.5, 2.0, 3.0]},
    "levels": {"level": [0, 1, 2, 5], "label": ["nil", "one", "two", "five"]},
}
_AGGREGATES = ("COUNT(*) AS n", "SUM(minutes) AS n", "COUNT(minutes) AS n, SUM(cost) AS s", "AVG(minutes) AS n")
_PER_GROUP, _WITH = "contribution_bounds_per_group", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS"
_ANY = (
    "SELECT {a} FROM visits JOIN wards ON ward = name",
    "SELECT {a} FROM wards, visits WHERE ward = name AND z < {n}",
    "SELECT z, {a} FROM visits JOIN wards ON ward = name GROUP BY z",
    "SELECT name, price, {a} FROM visits, wards WHERE ward = name AND z > {n} GROUP BY name, price",
    "SELECT {a} FROM visits LEFT JOIN wards ON ward = name AND z > {n} WHERE z IS NULL OR minutes > {n}",
    "SELECT {a}, COUNT(wards.name) AS m FROM visits LEFT JOIN wards ON ward = name AND minutes > {n}",
    "SELECT name, {a} FROM visits RIGHT JOIN wards ON ward = name GROUP BY name",
    "SELECT name, {a} FROM wards LEFT JOIN visits ON ward = name GROUP BY name",
    "SELECT label, {a} FROM visits, wards, levels WHERE ward = name AND z = level GROUP BY label",
    "SELECT label, {a} FROM visits JOIN levels ON minutes = level GROUP BY label ORDER BY 1 LIMIT 2",
    "SELECT {a} FROM visits, wards WHERE (ward = name AND z = 1) OR (ward = name AND minutes = {n})",
    "SELECT {a} FROM visits JOIN (SELECT name AS w, z + 1 AS y FROM wards WHERE z < 9) AS s ON w = ward WHERE y > {n}",
    "SELECT DATE_TRUNC('month', day) AS m, {a} FROM visits GROUP BY m ORDER BY m DESC",
    "SELECT DATE_TRUNC('week', day) AS m, {a} FROM visits GROUP BY m HAVING m > DATE '2024-01-15'",
    "SELECT day, {a} FROM visits WHERE minutes > {n} GROUP BY day",
    "SELECT note, {a} FROM visits WHERE note IN ('x', 'yy') GROUP BY note",
    "SELECT ward, {a} FROM visits WHERE ward = 'b' GROUP BY ward",
    "SELECT free, {a} FROM visits WHERE free IN (3, 1, -2) AND minutes <> {n} GROUP BY free",
)
_OF_PERSONS = (
    "SELECT {a} FROM visits JOIN people ON visits.id = people.{p}",
    "SELECT {a} FROM people, visits WHERE people.{p} = visits.id AND age > {n}",
    "SELECT visits.ward, {a} FROM visits JOIN people ON people.{p} = visits.id AND age > minutes GROUP BY visits.ward",
    "SELECT {a} FROM visits LEFT JOIN people ON visits.id = people.{p} AND age > {n}",
    "SELECT {a} FROM visits LEFT JOIN people ON visits.id = people.{p} AND minutes > {n} WHERE age IS NULL",
    "SELECT {a} FROM visits RIGHT JOIN people ON visits.id = people.{p} AND visits.ward = people.ward",
    "SELECT {a}, COUNT(people.{p}) AS m FROM visits LEFT JOIN people ON visits.id = people.{p}",
    "SELECT COUNT(*) AS n FROM visits AS v JOIN visits AS w ON v.id = w.id AND v.minutes < w.minutes",
    "SELECT z, {a} FROM visits, people, wards WHERE visits.id = people.{p} AND people.ward = name GROUP BY z",
    "SELECT who, COUNT(*) AS n FROM (SELECT id AS i, ward AS who FROM visits) AS s JOIN people ON i = {p} GROUP BY who",
    "{w}(max_groups_contributed=2) ward, AVG(minutes, {g} => (0, 9)) AS a, COUNT(DISTINCT id) FROM visits GROUP BY 1",
    "{w}(max_groups_contributed=1) AVG(cost) AS a, SUM(minutes, {g} => (-3, 9)), COUNT(*, {g} => (0, 4)) FROM visits",
)


def join_statement(seed: int, unit: str) -> Build:
    """Draw a statement from public facts alone, so that both neighbours get the same."""
    dice = random.Random(seed)
    template = dice.choice((*_ANY, *_OF_PERSONS) if unit == PERSONS else _ANY)
    aggregates, number = dice.choice(_AGGREGATES), dice.randrange(8)

    def build(session: pv.Session) -> Any:
        person = getattr(session.codebooks["people"].unit, "id", "id")
        return session.sql(template.format(a=aggregates, n=number, p=person, g=_PER_GROUP, w=_WITH))

    return build


def check_join_statements(seed: int) -> None:
    """Run random statements with joins on two neighbouring tables and compare."""
    check_builds(seed, join_statement, (ROWS, PERSONS), public=PUBLIC)
