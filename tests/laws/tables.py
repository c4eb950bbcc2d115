"""Inputs for the laws of query steps: tables with everything that breaks queries, and their neighbours."""

import atexit
import random
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from privet.tables.columns.column import Column
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.relations.table_space import Database, DatabaseDomain, Table, TableDomain
from tests.laws.inputs import FLOATS, INTEGERS, JUNK, WORDS

Rows = list[Any]
Data = dict[str, Rows]
TABLE_EXAMPLES, TABLE_PARITY, TABLE_TWIN = 3, 3, 600  # random pairs; of a twin, those within which one fails
DATES = ("2024-01-31", "2024-02-01T00:00", "2024-01-31T23:59:59.999999", "0001-01-01", "9999-12-31", "never", None)
_held: dict[str, Any] = {}
_apart: dict[str, Any] = {}


def is_table(chain: Any) -> bool:
    return isinstance(chain.input.domain, TableDomain | DatabaseDomain)


def admitted(domain: Any, data: Any) -> Any:
    """Admit data; tables are loaded once, since every case of a space meets the same ones, and into one engine."""
    if not isinstance(domain, TableDomain | DatabaseDomain):
        return domain.admit(data)
    key = repr((domain, data))
    if key not in _held:
        engine, number = _engine(), len(_held)
        parts = {"": data} if isinstance(domain, TableDomain) else data
        loaded = {
            name: engine.load(parts[name], known, f"law {number} {name}")
            for name, known in columns_by_table(domain).items()
        }
        one = loaded.get("")
        _held[key] = Database(tables=loaded, engine=engine) if one is None else Table(relation=one, engine=engine)
    return _held[key]


@cache
def _engine() -> DuckDBEngine:
    atexit.register(_forget)
    return DuckDBEngine(threads=1)


def _forget() -> None:
    """Let go of the engine while the interpreter can still take it apart."""
    _held.clear()
    _engine.cache_clear()


def input_distance(space: Any, x: Any, y: Any) -> Any:
    """Measure two inputs; tables once."""
    domain, metric = space.domain, space.metric
    if not isinstance(domain, TableDomain | DatabaseDomain):
        return metric.distance(domain.admit(x), domain.admit(y), domain)
    key = repr((domain, metric, x, y))
    if key not in _apart:
        _apart[key] = metric.distance(admitted(domain, x), admitted(domain, y), domain)
    return _apart[key]


def columns_by_table(domain: Any) -> Mapping[str, Mapping[str, Column]]:
    return domain.tables if isinstance(domain, DatabaseDomain) else {"": domain.columns}


def given(chain: Any, data: Data) -> Any:
    """Data as the domain takes them: one list of rows, or several by name."""
    return data[""] if isinstance(chain.input.domain, TableDomain) else data


def cells(name: str, known: Column, id_columns: tuple[str, ...]) -> tuple[Any, ...]:
    """The values of a column that are most likely to break a query; few identifiers, so that persons have many rows."""
    if name in id_columns:
        return ("ann", "bob", "cy", None) if known.kind == "text" else (1, 2, 3, None)
    if known.kind in ("date", "timestamp"):
        return DATES
    if known.item is not None:
        return _lists(cells("", known.item, ()), known.most or 0)
    basic: dict[str, tuple[Any, ...]] = {"integer": INTEGERS, "real": FLOATS, "text": WORDS, "boolean": (True, False)}
    ends = [float(end) if known.kind == "real" else int(end) for end in known.bounds or ()]
    likely = (*(known.categories or ()), *ends, *(end + 1 for end in ends), None)
    return (*likely, *likely, *basic[known.kind])


def _lists(items: tuple[Any, ...], most: int) -> tuple[Any, ...]:
    """Lists that are null, empty, short, long and too long, and what is no list at all."""
    lengths = (1, 2, most, most + 1, most + 3)
    cut = [[items[(at * 3 + place) % len(items)] for place in range(length)] for at, length in enumerate(lengths)]
    return (*cut, tuple(cut[1]), [*items], [[items[0]]], [], None, "text", {"a": 1}, *cut)


def ids_of(chain: Any, name: str) -> tuple[str, ...]:
    """The id columns of one table, which other tables may call otherwise."""
    return tuple(chain.input.metric.in_table(name).id_columns)


def _row(chain: Any, name: str, columns: Mapping[str, Column], at: int) -> dict[str, Any]:
    id_columns = ids_of(chain, name)
    found = {}
    for place, (each, known) in enumerate(columns.items()):
        choices = cells(each, known, id_columns)
        found[each] = (
            choices[(at // 2 + at * place) % len(choices)]
            if each in id_columns
            else choices[at * (place + 1) % len(choices)]
        )
    return found


def _of(row: Any, id_columns: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row.get(name) for name in id_columns) if isinstance(row, dict) else ()


def extreme_tables(chain: Any) -> Iterator[tuple[Any, Any]]:
    """Neighbours at the corners: everything of one owner, or one row, more or less, or another."""
    tables = columns_by_table(chain.input.domain)
    full = {name: [_row(chain, name, known, at) for at in range(17)] for name, known in tables.items()}
    yield given(chain, full), given(chain, {name: rows[::-1] for name, rows in full.items()})
    for x, y in _extreme_owners(chain, full) if chain.input.metric.id_columns else _extreme_rows(full):
        yield given(chain, x), given(chain, y)


def _extreme_rows(full: Data) -> Iterator[tuple[Data, Data]]:
    nothing: Data = {name: [] for name in full}
    for name, rows in full.items():
        for few in (rows[:1], rows[6:8], rows[7:5:-1], rows[2:10:7]):
            yield {**nothing, name: few[:-1]}, {**nothing, name: few}
        yield {**full, name: [rows[4]] * 3}, {**full, name: [rows[4]] * 4}
        yield full, {**full, name: rows[1:]}
        yield full, {**full, name: [*rows, rows[0], rows[5]]}


def _extreme_owners(chain: Any, full: Data) -> Iterator[tuple[Data, Data]]:
    first, known = next(iter(columns_by_table(chain.input.domain).items()))
    id_columns = ids_of(chain, first)
    one, two = (tuple(cells(name, known[name], id_columns)[at] for name in id_columns) for at in (0, 1))
    some, others = (_each(chain, {name: rows[at::2] for name, rows in full.items()}, one) for at in (0, 1))
    rest = {name: [row for row in rows if _of(row, ids_of(chain, name)) != one] for name, rows in full.items()}
    yield {name: [] for name in full}, some
    yield rest, _both(rest, some)
    yield rest, _both(others, rest)
    yield some, others
    yield _both(rest, some), _both(others, rest)
    yield full, _both(_each(chain, full, (None,) * len(id_columns)), full)  # rows of nobody
    for few in ((6, 7), (7, 6), (2, 9)):
        alone, more = (
            _each(chain, {name: [rows[at]] for name, rows in full.items()}, who)
            for at, who in zip(few, (one, two), strict=True)
        )
        yield alone, _both(alone, more)


def _each(chain: Any, data: Data, person: tuple[Any, ...]) -> Data:
    """Give all rows to one person."""
    return {
        name: [{**row, **dict(zip(ids_of(chain, name), person, strict=True))} for row in rows]
        for name, rows in data.items()
    }


def _both(first: Data, second: Data) -> Data:
    return {name: [*rows, *second[name]] for name, rows in first.items()}


def table_neighbours(chain: Any, source: random.Random, *, junk: bool = False) -> tuple[Any, Any]:
    """Two inputs that differ in one or two owners, or in one or two rows; and in order, which does not count."""
    tables = columns_by_table(chain.input.domain)
    ids = {name: ids_of(chain, name) for name in tables}
    first = next(iter(tables))

    def rows(name: str, most: int) -> Rows:
        return [_drawn_row(tables[name], ids[name], source, junk=junk) for _ in range(source.randint(0, most))]

    x = {name: rows(name, 8) for name in tables}
    if junk:
        x = {name: [source.choice(JUNK) if source.random() < 0.2 else row for row in each] for name, each in x.items()}
    y = {name: list(each) for name, each in x.items()}
    for _ in range(source.randint(1, 2)):
        if ids[first]:
            one = _of(_drawn_row(tables[first], ids[first], source, junk=junk), ids[first])
            y = {name: [row for row in each if _of(row, ids[name]) != one] for name, each in y.items()}
            if source.random() < 0.6:
                y = _both(y, _each(chain, {name: rows(name, 6) for name in y}, one))
        else:
            name = source.choice(sorted(y))
            if y[name] and source.random() < 0.5:
                y[name] = y[name][1:]
            else:
                y[name] = [*y[name], _drawn_row(tables[name], ids[name], source, junk=junk)]
    for each in y.values():
        source.shuffle(each)
    return given(chain, x), given(chain, y)


def _drawn_row(
    columns: Mapping[str, Column], id_columns: tuple[str, ...], source: random.Random, *, junk: bool
) -> dict[str, Any]:
    """Draw a row; where junk is among them, any cell may be junk or be left out."""
    row = {name: source.choice(cells(name, known, id_columns)) for name, known in columns.items()}
    if junk:
        row = {name: source.choice(JUNK) if source.random() < 0.3 else cell for name, cell in row.items()}
        row = {name: cell for name, cell in row.items() if source.random() < 0.8}
    return row
