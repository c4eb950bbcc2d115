"""The law of limits: what a query makes of rows is bounded by public facts, and is what its columns say.

Random queries over tables with extreme texts. Of each result: every value is a member of its column (length, bounds,
categories, nulls, no NaN, no -0.0); there are no more rows than the query may make; the rows of a person are the same
alone and among others, in any order, with one thread and with several. Of each question: with and without a hostile
person, it is answered or refused in the same words, and costs the same.
"""

import atexit
import json
import math
import random
from collections import Counter
from functools import cache
from itertools import count
from typing import Any

import privet as pv
from privet.chains.transformation import TransformationChain
from privet.core.space import Space
from privet.errors import PrivetError
from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Database, DatabaseDomain, UnitDistance, limits_of
from privet.tables.vocabulary.grid_sql import number
from privet.tables.vocabulary.literals import call, cast
from privet.tables.vocabulary.relation import column
from tests.laws.queries import random_chain, random_question

Row = dict[str, Any]
VISITS = {
    "id": Column(kind="integer", exact=True),
    "note": Column(kind="text"),
    "code": Column(kind="text", length=7),
    "ward": Column(kind="text", categories=("a", "ß", "İstanbul", "")),
    "minutes": Column(kind="integer", bounds=(-60, 60)),
    "cost": Column(kind="real", bounds=(-10, 10), grid=0.25),
    "free": Column(kind="real"),
    "day": Column(kind="date"),
    "tags": Column(kind="list", item=Column(kind="text", length=5), most=4),
    "amounts": Column(kind="list", item=Column(kind="real", bounds=(-10, 10), grid=0.25), most=3),
}
PEOPLE = {"id": Column(kind="integer", exact=True), "name": Column(kind="text", length=40)}
TABLES: dict[str, dict[str, Column]] = {"visits": VISITS, "people": PEOPLE}
SPACE = Space(DatabaseDomain(tables=TABLES), UnitDistance(("id",)))
_places = count(1)
LETTERS = ("a", "ß", "İ", "ŉ", "ﬁ", "e\u0301", "🤦🏼\u200d♂️", "\U0010ffff", "日", " ", "\u00a0", "'", "%")
CELLS: dict[str, tuple[Any, ...]] = {
    "minutes": (0, -1, 60, -60, 99, None),
    "cost": (0.0, -0.0, -0.1, 9.99, -1e-310, 1e300, float("nan"), None),
    "free": (0.0, -0.0, 5e-324, -5e-324, 1e308, -1e308, 0.5, float("inf"), None),
    "day": ("2024-02-29", "0001-01-01", "9999-12-31", None),
    "ward": ("a", "ß", "İstanbul", "", "other", None),
}


def hostile_text(source: random.Random, most: int) -> str | None:
    """Draw a text: short, as long as it may be, or longer."""
    length = source.choice((0, 1, 3, most - 1, most, most, most + 1, 2 * most))
    letters = source.choice((LETTERS, ("\U0010ffff",), ("ß",), ("e\u0301",)))
    text = "".join(source.choice(letters) for _ in range(length))[:length]
    return None if source.random() < 0.05 else text


def hostile_row(source: random.Random, table: str, person: int) -> Row:
    """Draw a row of a person."""
    return {name: person if name == "id" else _cell(source, name, known) for name, known in TABLES[table].items()}


def _cell(source: random.Random, name: str, known: Column) -> Any:
    if known.item is not None:
        length = source.choice((0, 1, 2, (known.most or 0), (known.most or 0) + 3))
        items = [_cell(source, "cost" if name == "amounts" else "", known.item) for _ in range(length)]
        return source.choice((items, items, tuple(items), None, "no list"))
    return source.choice(CELLS[name]) if name in CELLS else hostile_text(source, known.length or 0)


def tables(source: random.Random) -> dict[str, list[Row]]:
    """Draw the rows of a few persons; the last of them has the most."""
    persons = [1, 1, 2, 3, 7, 7, 7, 7]
    return {name: [hostile_row(source, name, source.choice(persons)) for _ in range(12)] for name in TABLES}


@cache
def _engine(threads: int) -> DuckDBEngine:
    engine = DuckDBEngine(threads=threads)
    atexit.register(engine.close)
    return engine


def values(chain: TransformationChain, rows: dict[str, list[Row]], threads: int = 1) -> list[tuple[Any, ...]]:
    """Load tables, run a query on them, and forget them."""
    engine, place = _engine(threads), next(_places)
    names = {name: f"limits {place} {name}" for name in TABLES}
    try:
        loaded = {name: engine.load(rows[name], TABLES[name], names[name]) for name in TABLES}
        return _values(chain, Database(engine=engine, tables=loaded))
    finally:
        for name in names.values():
            engine.drop(name)


def _values(chain: TransformationChain, database: Database) -> list[tuple[Any, ...]]:
    """Run a query: reals as the shortest text that gives them back, dates and times as whole numbers."""
    relation = chain.run(database).relation
    outputs: dict[str, tuple[Any, Column]] = {}
    for name, known in relation.columns.items():
        value: Any = column(name, "r")
        if known.kind == "real":
            outputs[name] = (cast(value, "text"), Column(kind="text"))
        elif known.kind in ("date", "timestamp"):
            outputs[name] = (number(value, known), Column(kind="integer"))
        elif known.kind == "list":
            outputs[name] = (call("list_text", value), Column(kind="text"))
        else:
            outputs[name] = (value, known)
    found = database.engine.execute(relation.project(outputs))
    return list(zip(*(found[name] for name in outputs), strict=True))


def belongs(value: Any, known: Column) -> bool:
    """Whether a value, as it was read, is a member of a column."""
    if value is None:
        return known.nullable
    if known.item is not None:
        items = json.loads(value)
        return len(items) <= (known.most or 0) and all(belongs(each, known.item) for each in items)
    if known.kind == "real":
        value = float(value)
        if not math.isfinite(value) or (math.copysign(1, value) < 0 and value == 0):
            return False
    if known.kind == "text" and len(value) > (known.length or 0):
        return False
    if known.categories is not None and value not in known.categories:
        return False
    if known.bounds is None:
        return True
    low, high = known.bounds
    return bool(float(low) <= value <= float(high) if known.kind == "real" else low <= value <= high)


def problems(chain: TransformationChain, rows: dict[str, list[Row]]) -> list[str]:
    """Say what a query does beyond its limits, or not row by row."""
    found = []
    result = values(chain, rows)
    turned = values(chain, {name: each[::-1] for name, each in rows.items()}, threads=4)
    domain: Any = chain.output.domain
    known = domain.columns
    for at, (name, each) in enumerate(known.items()):
        odd = next((row[at] for row in result if not belongs(row[at], each)), None)
        if odd is not None or (not each.nullable and any(row[at] is None for row in result)):
            found.append(f"{name} holds {odd!r:.60}, which is no member of {each!r} with length {each.length}")
    if Counter(result) != Counter(turned):
        found.append("other threads and another order give other rows")
    place = list(known).index("id")
    for person in (1, 2, 3, 7):
        alone = {name: [row for row in each if row["id"] == person] for name, each in rows.items()}
        most = limits_of(chain.output).rows * max(map(len, alone.values()))
        among = [row for row in result if row[place] == person]
        if len(among) > most:
            found.append(f"{len(among)} rows of one person, {most} may be")
        if person in (2, 7) and Counter(values(chain, alone)) != Counter(among):
            found.append("the rows of a person are others when alone")
    return found


def behaviour(seed: int, rows: dict[str, list[Row]], memory: str) -> tuple[str, Any]:
    """Ask a random question and tell how it ended, and what it cost."""
    books = {name: _book(known) for name, known in TABLES.items()}
    session = pv.Session(rows, books, pv.budget(epsilon=10, delta=0.001), memory=memory, threads=1)
    try:
        random_question(random.Random(seed), session)
        ended = "answered"
    except PrivetError as error:
        ended = f"{type(error).__name__}: {error}"
    finally:
        session.close()
    return ended, session.spent


def _book(known: dict[str, Column]) -> pv.Codebook:
    columns = {
        name: pv.column(
            each.values.kind,
            bounds=each.values.bounds if each.values.kind in ("integer", "real") else None,
            categories=each.categories,
            length=None if each.categories is not None else each.values.length,
            most_items=each.most,
        )
        for name, each in known.items()
    }
    return pv.Codebook(columns=columns, unit=pv.Persons(id="id", rows=3))


def check_limits(seed: int, examples: int = 1) -> None:
    """Check random queries and random questions; a finding names the seed that gives it again."""
    for each in range(seed, seed + examples):
        source = random.Random(each)
        chain = random_chain(source, SPACE)
        rows = tables(source)
        found = problems(chain, rows)
        assert not found, f"check_limits({each}): {found[0]}, by {chain!r:.2000}"
        crowd = {name: [{**hostile_row(source, name, 1), "id": at} for at in range(100, 130)] for name in TABLES}
        text = "\U0010ffff" * 1_000
        hostile = {name: [{**hostile_row(source, name, 7), "note": text}] * 150 for name in TABLES}
        both = {name: [*crowd[name], *hostile[name]] for name in TABLES}
        without, together = (behaviour(each, data, "64MB") for data in (crowd, both))
        assert without == together, f"check_limits({each}): {without} without a person, {together} with that person"
