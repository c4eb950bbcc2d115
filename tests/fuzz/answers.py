"""Random statements of SQL whose releases at a huge epsilon must be what DuckDB answers, as far as it was accepted.

The rows are such as the codebook says, so that neither bounds nor caps change anything. Two differences are documented:
a release has public groups without rows, and leaves out groups whose key is null.
"""

import math
import random
import warnings
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

import duckdb
import pyarrow as pa

import privet as pv
from privet.errors import PrivetError, PrivetWarning
from tests.fuzz.sql_values import TEXTS, Kind, Values

STATEMENTS = 12  # of each seed
_EPSILON = 10**20
_DAY, _MOMENT = date(2024, 1, 1), datetime(2024, 1, 1)  # noqa: DTZ001 - as in a table
_COLUMNS: dict[str, Kind] = {
    "minutes": "integer",
    "cost": "real",
    "ill": "boolean",
    "note": "text",
    "day": "date",
    "ward": "text",
    "moment": "timestamp",
}
_VISITS = {
    "id": pv.column("integer"),
    "ward": pv.column("text", categories=("a", "b", "c")),
    "minutes": pv.column("integer", bounds=(0, 60)),
    "cost": pv.column("real", bounds=(-10, 10)),
    "ill": pv.column("boolean"),
    "note": pv.column("text", length=30),
    "day": pv.column("date", bounds=(_DAY, date(2024, 3, 31))),
    "moment": pv.column("timestamp", bounds=("2024-01-01 00:00:00", "2024-04-01 00:00:00")),
}
_PEOPLE = {
    "id": pv.column("integer"),
    "age": pv.column("integer", bounds=(0, 99)),
    "sex": pv.column("text", categories=("f", "m")),
}
_BOOKS = {
    "visits": pv.Codebook(columns=_VISITS, unit=pv.Persons("id", rows=100)),
    "people": pv.Codebook(columns=_PEOPLE, unit=pv.Persons("id", rows=1)),
}
_SCHEMAS = {
    "visits": pa.schema(
        {
            "id": pa.int64(),
            "ward": pa.string(),
            "minutes": pa.int64(),
            "cost": pa.float64(),
            "ill": pa.bool_(),
            "note": pa.string(),
            "day": pa.date32(),
            "moment": pa.timestamp("us"),
        }
    ),
    "people": pa.schema({"id": pa.int64(), "age": pa.int64(), "sex": pa.string()}),
}
_PUBLIC = pa.table({"w": ["a", "b", "b", "z"], "beds": [3, 5, 6, 9], "kind": ["x", "y", "x", "y"]})
_SUMMARIES = ("SUM({i})", "COUNT({i})", "COUNT(*)", "MAX({i})", "MIN({i})", "COUNT(DISTINCT ward)")
_NARROW = "greatest(least({i}, 99), 0)"  # variances are rounded where bounds are wide, as their page says
_AGGREGATES = (
    *("COUNT({t})", "COUNT({d})", "COUNT({b})", "SUM({i})", "SUM({r})", "AVG({i})", "AVG({r})"),
    *("SUM({i}) FILTER (WHERE {b})", "COUNT(*) FILTER (WHERE {b})", "COUNT_IF({b})", "COUNT(DISTINCT {id})"),
    *("SUM(CASE WHEN {b} THEN 1 ELSE 0 END)", "SUM({i}) + COUNT(*)", "100 * SUM({i}) / NULLIF(COUNT(*), 0)"),
    *("COALESCE(SUM({i}), 0)", "AVG({i}) - 2", f"VAR_POP({_NARROW})", f"STDDEV_SAMP({_NARROW})"),
)
_KINDS: dict[str, Kind] = {"i": "integer", "r": "real", "t": "text", "d": "date", "b": "boolean"}


def _filled(shape: str, values: Values, **more: str) -> str:
    drawn = {place: values.draw(kind) for place, kind in _KINDS.items()}
    return shape.format(**drawn, **more)


def tables(dice: random.Random) -> dict[str, pa.Table]:
    """Draw visits and people."""
    days = [timedelta(days=dice.randint(0, 90)) for _ in range(20)]
    cells: dict[str, tuple[Any, ...]] = {
        "id": tuple(range(1, 13)),
        "ward": ("a", "b", "c", None),
        "minutes": (None, 0, 1, 7, 30, 59, 60),
        "cost": (None, 0.0, 0.25, -1.5, 9.75, -9.9375, 3.0625),
        "ill": (True, False, None),
        "note": (None, *TEXTS),
        "day": (None, *(_DAY + each for each in days)),
        "moment": (None, *(_MOMENT + each + timedelta(seconds=dice.randint(0, 86_399)) for each in days)),
    }
    visits = [{name: dice.choice(values) for name, values in cells.items()} for _ in range(dice.randint(0, 60))]
    people = [
        {"id": number, "age": dice.choice((None, dice.randint(0, 99))), "sex": dice.choice(("f", "m", None))}
        for number in range(1, 13)
        if dice.random() < 0.8
    ]
    rows = {"visits": visits, "people": people}
    return {name: pa.Table.from_pylist(rows[name], _SCHEMAS[name]) for name in rows}


def _source(dice: random.Random) -> tuple[str, dict[str, Kind]]:
    """Draw what stands behind FROM, and its columns."""
    values = Values(dice, _COLUMNS)
    public: dict[str, Kind] = {**_COLUMNS, "beds": "integer", "kind": "text"}
    persons: dict[str, Kind] = {**_COLUMNS, "age": "integer", "sex": "text"}
    names = ", ".join(("id", *_COLUMNS))
    more = dice.choice(("", ", ward"))
    summary = _filled(dice.choice(_SUMMARIES), values)
    where = _filled(dice.choice(("", " WHERE {b}")), values)
    made = f"{values.draw('integer')} AS e1, {values.draw('text')} AS e2, {values.draw('real')} AS e3"
    other = ", ".join(values.draw("integer") if name == "minutes" else name for name in ("id", *_COLUMNS))
    sources: list[tuple[str, Mapping[str, Kind]]] = [
        ("visits", _COLUMNS),
        ("visits", _COLUMNS),
        (f"(SELECT *, {made} FROM visits{where}) AS s", {**_COLUMNS, "e1": "integer", "e2": "text", "e3": "real"}),
        ("visits JOIN people USING (id)", persons),
        ("visits LEFT JOIN people ON visits.id = people.id", persons),
        ("visits JOIN pub ON visits.ward = pub.w", public),
        ("visits LEFT JOIN pub ON ward = w", public),
        (f"(SELECT {names} FROM visits{where} UNION ALL SELECT {other} FROM visits) AS u", _COLUMNS),
        (
            f"(SELECT id{more}, {summary} AS c FROM visits{where} GROUP BY id{more}) AS p",
            {"c": "integer", **({"ward": "text"} if more else {})},
        ),
    ]
    source, columns = dice.choice(sources)
    return source, dict(columns)


def statement(dice: random.Random) -> tuple[str, int]:
    """Draw a statement: keys, the number of rows, and other aggregates; and how many keys there are."""
    source, columns = _source(dice)
    values = Values(dice, columns)
    keys: list[str] = [name for name in ("ward", "ill", "sex", "kind") if name in columns]
    keys += [values.draw("boolean"), f"CASE WHEN {values.draw('boolean')} THEN 'x' ELSE 'y' END"]
    if "minutes" in columns:
        keys += ["minutes % 3", "minutes // 20", "date_trunc('month', day)", "extract(month FROM day)"]
    if "kind" in columns:
        keys += ["COALESCE(kind, 'none')", "beds IS NULL"]
    drawn = dice.sample(keys, dice.choice((0, 1, 1, 2)))
    whose = "visits.id" if "people.id" in source else "id"
    aggregates = [_filled(dice.choice(_AGGREGATES), values, id=whose) for _ in range(2)]
    items = [f"{key} AS k{at}" for at, key in enumerate(drawn)] + ["COUNT(*) AS n"]
    items += [f"{each} AS a{at}" for at, each in enumerate(aggregates)]
    where = f" WHERE {values.draw('boolean')}" if dice.random() < 0.6 else ""
    group = " GROUP BY " + ", ".join(str(at + 1) for at in range(len(drawn))) if drawn else ""
    return f"SELECT {', '.join(items)} FROM {source}{where}{group}", len(drawn)


def _key(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | date):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001
    return float(value)


def _by_key(rows: Sequence[Sequence[Any]], keys: int) -> dict[tuple[Any, ...], Sequence[Any]]:
    return {tuple(map(_key, row[:keys])): row[keys:] for row in rows}


def _close(value: Any, wanted: Any) -> bool:
    if wanted is None or not math.isfinite(wanted):
        return True  # no value of a group without values is promised
    return value is not None and abs(value - float(wanted)) <= 1e-3 + 1e-5 * abs(float(wanted))


def difference(release: Sequence[Sequence[Any]], rows: Sequence[Sequence[Any]], keys: int) -> str | None:
    """Say what a release has that DuckDB's answer has not, or the other way round."""
    given, wanted = _by_key(release, keys), _by_key(rows, keys)
    for key, row in wanted.items():
        if None in key or not row[0]:
            continue
        if key not in given:
            return f"the group {key} is missing"
        if not all(map(_close, given[key], row)):
            return f"the group {key} has {given[key]} and not {row}"
    surplus = [key for key, row in given.items() if key not in wanted and abs(row[0]) > 0.5]
    return f"the group {surplus[0]} should have no rows" if surplus else None


def check_answers(seed: int) -> None:
    """Release random statements and compare with DuckDB; what is refused is passed over."""
    dice = random.Random(seed)
    data = tables(dice)
    with (
        warnings.catch_warnings(action="ignore", category=PrivetWarning),  # of the huge epsilon
        duckdb.connect() as connection,
        pv.Session(data, _BOOKS, pv.budget(epsilon=100 * _EPSILON), public={"pub": _PUBLIC}) as session,
    ):
        for name, each in {**data, "pub": _PUBLIC}.items():
            connection.register(name, each)
        for _ in range(STATEMENTS):
            text, keys = statement(dice)
            try:
                release = session.sql(text).release(epsilon=_EPSILON)
            except PrivetError:
                continue
            columns = [list(release.values(name)) for name in release.names]
            problem = difference(list(zip(*columns, strict=True)), connection.execute(text).fetchall(), keys)
            assert problem is None, f"{text}\n{problem}"
