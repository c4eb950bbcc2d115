"""Random statements of SQL on neighbouring tables, in many forms and dialects, under the laws of random queries."""

import random
from collections.abc import Callable
from typing import Any

import privet as pv
from tests.fuzz.queries import PERSONS, ROWS, Build
from tests.fuzz.questions import check_builds

DIALECTS = (None, None, None, "postgres", "bigquery", "snowflake", "tsql", "mysql", "spark", "trino", "duckdb")
_CONDITIONS = (
    "minutes > 3",
    "minutes = '30'",
    "ward IN ('a', 'b')",
    "ill = 1",
    "day >= '2024-02-01'",
    "day < DATE '2024-01-01' + INTERVAL '1' MONTH",
    "day BETWEEN '2024-01-01' AND '2024-03-01'",
    "minutes / 7 = 1",
    "COALESCE(cost, 1) <> 1.5",
    "CAST(cost AS INT) = 0",
    "CASE WHEN ill THEN minutes ELSE 0 END > 5",
    "REGEXP_REPLACE(CAST(minutes AS TEXT), '[0-5]', 'x') <> '7'",
    "STRPTIME(CAST(day AS TEXT), '%Y-%m-%d') >= '2024-02-01'",
    "PARSE_DATE('%d.%m.%Y', ward) IS NULL",
)
_AGGREGATES = (
    "COUNT(*)",
    "COUNT(minutes)",
    "SUM(minutes)",
    "AVG(cost)",
    "SUM(CASE WHEN minutes > 5 THEN 1 ELSE 0 END)",
    "SUM(1)",
    "COUNT(DISTINCT ward)",
    "COUNT(*) + SUM(minutes)",
    "VAR_POP(minutes)",
    "MAX(minutes)",
    "SUM(GREATEST(LEAST(minutes, 9), 0))",
)
_TABLES = (
    *("visits", "main.visits", "a.b.visits", "(SELECT * FROM visits) v", "(SELECT v.* FROM visits AS v) w"),
    *(
        "visits CROSS JOIN UNNEST(marks) AS m(mark)",
        "(SELECT *, mark * 2 AS d FROM visits, UNNEST(marks) AS m(mark)) v",
    ),
)
_KEYS = (
    "ward",
    "REGEXP_REPLACE(ward, '(a)|b', '<\\1>')",
    "TIME_TRUNC(PARSE_TIME('%H', ward), hour)",
    "ill",
    "CASE WHEN minutes > 5 THEN 'x' ELSE 'y' END",
    "minutes > 3",
)


def _ends(dice: random.Random, named: bool) -> str:
    having = dice.choice(("", "", " HAVING COUNT(*) > 1", " HAVING SUM(minutes) > 0 AND COUNT(*) < 99"))
    order = dice.choice(("", " ORDER BY 1", " ORDER BY AVG(minutes) DESC", " ORDER BY a0 DESC" if named else ""))
    return having + order + dice.choice(("", "", " LIMIT 2", " -- end", " /* end */", ";"))


def _plain(dice: random.Random) -> str:
    """Draw one SELECT of keys and aggregates."""
    keys = dice.sample(_KEYS, dice.choice((0, 1, 1, 2)))
    aggregates = [f"{dice.choice(_AGGREGATES)} AS a{at}" for at in range(dice.choice((0, 1, 1, 2)))]
    constant = dice.choice(([], [], ["1 AS one"], ["'x' AS x"]))
    items = [*(f"{key} AS k{at}" for at, key in enumerate(keys)), *aggregates, *constant]
    where = f" WHERE {dice.choice(_CONDITIONS)}" if dice.random() < 0.6 else ""
    places = ", ".join(str(at + 1) for at in range(len(keys)))
    group = f" GROUP BY {dice.choice((places, ', '.join(keys), 'ALL'))}" if keys else ""
    distinct = "DISTINCT " if keys and not aggregates and dice.random() < 0.5 else ""
    group = "" if distinct else group
    listed = ", ".join(items) or "COUNT(*) AS a0"
    return f"SELECT {distinct}{listed} FROM {dice.choice(_TABLES)}{where}{group}{_ends(dice, named=bool(aggregates))}"


def _persons(dice: random.Random) -> str:
    """Draw a SELECT over one row for each person."""
    inner = dice.choice(
        (
            "SELECT id, COUNT(*) AS c FROM visits GROUP BY 1",
            "SELECT id, SUM(minutes) AS c FROM main.visits GROUP BY ALL",
            "SELECT DISTINCT id, minutes AS c FROM visits",
            "SELECT id, ANY_VALUE(minutes) AS c FROM visits GROUP BY id",
            "SELECT id, minutes AS c FROM visits GROUP BY id, c",
            "SELECT id, COALESCE(SUM(minutes), 0) / COUNT(*) AS c FROM visits GROUP BY id",
        )
    )
    return f"WITH visits AS ({inner}) SELECT COUNT(*) AS n, SUM(clip(c, 0, 9)) AS s FROM visits"


def _outer(dice: random.Random) -> str:
    inner = "SELECT ward, COUNT(*) AS n, SUM(minutes) AS s FROM visits GROUP BY ward"
    return dice.choice(
        (
            f"SELECT ward, s / NULLIF(n, 0) AS r FROM ({inner}) AS t WHERE n > 1 ORDER BY r",
            f"WITH t AS ({inner}), final AS (SELECT t.*, n * 2 AS d FROM t) SELECT * FROM final WHERE d > 2",
            f"SELECT * FROM (SELECT n FROM ({inner}))",
        )
    )


def _private(dice: random.Random) -> str:
    caps = dice.choice(("max_rows_contributed = 2", "kappa=1", "max_groups_contributed='2', max_rows_per_group=1"))
    unit = dice.choice(("", ", privacy_unit_column=id", ", privacy unit column=a.visits.id"))
    words = dice.choice(("DIFFERENTIAL_PRIVACY", "DIFFERENTIAL PRIVACY", "ANONYMIZATION"))
    inner = (
        f"SELECT WITH {words} OPTIONS({caps}{unit}) ward, COUNT(*) AS n, "
        "SUM(minutes, contribution_bounds_per_group => (0, .5e1)) AS s FROM `p.visits` GROUP BY ward"
    )
    return dice.choice((inner, f"SELECT n FROM ({inner}) WHERE s > 0"))


_IMPUTED = (
    "SELECT ward, AVG(minutes) AS a, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 1 ORDER BY a",
    "SELECT SUM(minutes) / COUNT(*) AS a FROM (SELECT minutes FROM visits WHERE ill IS NOT NULL) t WHERE minutes > 3",
    "SELECT minutes > 5 AS k, COUNT(*) AS n, VAR_POP(minutes) AS v FROM main.visits GROUP BY 1 LIMIT 1",
)


def imputed(seed: int, unit: str) -> Build:
    """Draw a statement about a table whose missing minutes are imputed."""
    dice = random.Random(seed)
    text, by, k = dice.choice(_IMPUTED), dice.choice((["ward"], {"ward": 2, "ill": 1})), dice.choice((None, 1, 3))
    within = dice.choice(((), ("ill",))) if by == ["ward"] else ()

    def build(session: pv.Session) -> Any:
        return session.sql(text, impute={"name": "minutes", "by": by, "k": k, "within": within})

    return build


def statement(seed: int, unit: str) -> Build:
    """Draw a statement and a dialect from public facts alone, so that both neighbours get the same."""
    dice = random.Random(seed)
    if dice.random() < 0.1:
        return imputed(seed, unit)
    shapes: list[Callable[[random.Random], str]] = [_plain, _plain, _plain, _outer]
    shapes += [_persons, _private] if unit == PERSONS else []
    shape = dice.choice(shapes)
    text = shape(dice)
    dialect = dice.choice(DIALECTS) if shape in (_plain, _outer) else None

    def build(session: pv.Session) -> Any:
        return session.sql(text, dialect=dialect)

    return build


def check_statements(seed: int) -> None:
    """Run random statements on two neighbouring tables and compare."""
    check_builds(seed, statement, (ROWS, PERSONS))
