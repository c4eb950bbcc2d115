"""One operation at a time, on neighbours that differ as much as they can: each seed has its own theme.

Random chains rarely meet the one row that an operation multiplies. Here the unit that only one neighbour has is made
for it: many rows, values at their largest, texts with many parts. Consecutive seeds go through all operations.
"""

import random
from itertools import zip_longest
from typing import Any

import privet as pv
from tests.fuzz.queries import FOUND, PERSONS, ROWS, WARDS, Build, aggregate, operations, row
from tests.fuzz.questions import BUDGETS, Data, check_builds

_LISTS = (
    [(ROWS, name) for name in operations(ROWS)],
    [(PERSONS, name) for name in operations(PERSONS)],
    [(unit, f"private keys {at}") for unit in (PERSONS, ROWS) for at in range(len(FOUND))],
)
THEMES: list[tuple[str, str]] = [each for three in zip_longest(*_LISTS) for each in three if each is not None]
_NEW = 9  # the person whom only one neighbour has
_TIMES = 6


def worst(dice: random.Random, table: str) -> dict[str, Any]:
    """Draw a row that moves numbers as far as a row can."""
    day = dice.choice(("2024-01-31", "2024-02-01", "2024-03-05"))
    cells = {"ward": dice.choice(WARDS), "day": day}
    if table == "people":
        return {"id": _NEW, **cells, "age": 120}
    note = dice.choice(("FLU,flu,x,,y,z", "x" * 50, "lxlxl,l,l"))
    marks = dice.choice(([9] * 7, [9, None, 9, 9], [9, 9]))
    numbers = {"minutes": 10**6, "cost": 1e300, "free": dice.randrange(9), "marks": marks}
    return {"id": _NEW, **cells, **numbers, "ill": True, "note": note}


def neighbours(dice: random.Random, unit: str) -> tuple[Data, Data]:
    """Draw two neighbours: one of them has a unit more, the worst there is."""
    first: Data = {
        name: [row(dice, dice.choice((1, 2, 3, None)), name) for _ in range(dice.randint(0, 6))]
        for name in ("visits", "people")
    }
    if unit == ROWS:
        second = {**first, "visits": [*first["visits"], worst(dice, "visits")]}
    else:
        second = {name: [*rows, *(worst(dice, name) for _ in range(_TIMES))] for name, rows in first.items()}
    second = {name: dice.sample(rows, len(rows)) for name, rows in second.items()}
    return (first, second) if dice.random() < 0.5 else (second, first)


def themed(unit: str, theme: str) -> Any:
    """Give a function that draws queries around one operation."""

    def draw(seed: int, _: str) -> Build:
        def build(session: pv.Session) -> Any:
            dice = random.Random(seed)
            query: Any = session.query("visits")
            if theme in operations(unit):
                query = operations(unit)[theme](dice, query, session)
                asked = aggregate(dice, query.columns, unit, adds_up=dice.random() < 0.7)
                grouped = query.group_by("ward") if dice.random() < 0.5 else query
                return grouped.agg(n=pv.count(), a=asked) if dice.random() < 0.6 else grouped.agg(n=pv.count())
            how = FOUND[int(theme.split()[-1])]
            keys = dice.sample(("note", "free", "ward", "ill"), dice.choice((1, 1, 2)))
            if dice.random() < 0.5:
                return query.private_keys(*keys, **how)
            return query.group_by(*keys, keys=pv.private(delta=1e-7, **how)).agg(n=pv.count())

        return build

    return draw


def check_nodes(seed: int) -> None:
    """Ask around one operation, of two neighbours that differ as much as they can."""
    unit, theme = THEMES[seed % len(THEMES)]
    try:
        budgets = BUDGETS if theme in operations(unit) else BUDGETS[1:2]  # a threshold needs a delta
        check_builds(seed, themed(unit, theme), (unit,), neighbours=neighbours, budgets=budgets)
    except AssertionError as error:
        raise AssertionError(f"theme: {theme} of {unit}\n{error}") from error
