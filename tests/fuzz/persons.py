"""Random identifiers, as they are handed over: two that are not the same never belong to one person.

Distances are usually measured between data that were read. Here they are measured before: all rows of one identifier,
as it was written, are taken away, and what was read must lose one person at most.
"""

import math
import random
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

import privet as pv
import privet.calculus as pc
from privet.transforms.persons import has_identifier
from tests.tables.opened import database_of

NEAR = (1, 2, 7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63))


def identifier(dice: random.Random) -> Any:
    """Draw a number of some class, whole or nearly so, or a text that looks like one."""
    whole = dice.choice(NEAR)
    shapes = (
        whole,
        whole,
        float(whole),
        whole + 0.25,
        whole - 0.4,
        Decimal(whole) + Decimal("1e-17"),
        Decimal(whole),
        Fraction(whole) + Fraction(1, 10**30),
        Fraction(whole),
        np.float64(whole) if dice.random() < 0.5 else np.int64(whole),
        whole + 2**64,
        f"{whole}.0000000000000000001",
        f"{whole}",
        None,
        math.nan,
        math.inf,
        True,
    )
    return dice.choice(shapes)


def same(first: Any, second: Any) -> bool:
    """Tell whether two identifiers are the same number, exactly, or the same text."""
    first, second = (item.item() if isinstance(item, np.generic) else item for item in (first, second))
    if isinstance(first, str) or isinstance(second, str):
        return type(first) is type(second) and first == second
    if first is None or second is None:
        return first is second
    return bool(first == second) or (first != first and second != second)


def check_persons(seed: int) -> None:
    """Take away one person as written, in memory and in a table, and count the persons that were read."""
    dice = random.Random(seed)
    rows = [{"id": identifier(dice), "x": dice.randint(0, 3)} for _ in range(dice.randint(1, 10))]
    gone = dice.choice(rows)["id"]
    rest = [row for row in rows if not same(row["id"], gone)]
    space = pc.persons("id", id=int, x=pc.vector(int, bounds=(0, 3)))
    data: list[list[tuple[Any, int]]] = [[(row["id"], row["x"]) for row in side] for side in (rows, rest)]
    read: list[Any] = [space.domain.admit(side) for side in data]
    first, second = (each.take(has_identifier(each, "id")) for each in read)  # the other rows belong to nobody
    apart: Any = space.metric.distance(first, second, space.domain)
    assert apart <= 1, f"persons law: without {gone!r}, {apart} persons are others\nrows = {rows!r}"
    lost = [_read(rows), _read(rest)]
    changed = sum(lost[0].get(name) != lost[1].get(name) for name in {*lost[0], *lost[1]})
    assert changed <= 1, f"persons law: without {gone!r}, {changed} persons of a table are others\nrows = {rows!r}"


def _read(rows: list[dict[str, Any]]) -> dict[Any, list[int]]:
    """Give the rows of each person that a session reads."""
    book = pv.Codebook(
        columns={"id": pv.column("integer"), "x": pv.column("integer", bounds=(0, 3))},
        unit=pv.Persons(id="id", rows=1),
    )
    session = pv.Session(rows, book, pv.budget(epsilon=1), threads=1)
    try:
        database: Any = database_of(session)
        relation = next(iter(database.tables.values()))
        found = database.engine.execute(relation)
        held: dict[Any, list[int]] = {}
        for person, value in sorted(zip(found["id"], found["x"], strict=True), key=repr):
            if person not in (None, -(2**63), 2**63 - 1):  # rows without an identifier of 64 bits belong to nobody
                held.setdefault(person, []).append(value)
        return held
    finally:
        session.close()
