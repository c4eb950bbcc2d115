"""Reading is total: whatever a source holds becomes a member of the column, row by row, and nothing raises."""

import math
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns.column import LARGEST, SMALLEST, Column
from privet.tables.columns.notation import Notation
from privet.tables.columns.timestamps import FIRST_DAY, FIRST_TIMESTAMP, LAST_DAY, LAST_TIMESTAMP
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.vocabulary.grid_sql import number
from privet.tables.vocabulary.literals import cast, double_bounds, whole
from privet.tables.vocabulary.relation import Relation, column, named
from privet.tables.vocabulary.source_casts import admit, literal, source_type, stand_in

NUMBER = count()
INTEGER, REAL, TEXT, BOOLEAN = (Column(kind=kind) for kind in ("integer", "real", "text", "boolean"))
DATE, TIMESTAMP = Column(kind="date"), Column(kind="timestamp")
QUIET = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def engine() -> Iterator[DuckDBEngine]:
    with DuckDBEngine(threads=1) as opened:
        yield opened


def comparable(relation: Relation) -> Relation:
    """Turn what has no exact form into text or numbers."""
    outputs: dict[str, tuple[exp.Expr, Column]] = {}
    for name, known in relation.columns.items():
        if known.kind == "real":
            outputs[name] = cast(column(name), "text"), TEXT
        elif known.kind in ("date", "timestamp"):
            outputs[name] = number(column(name), known), INTEGER
        else:
            outputs[name] = column(name), known
    return relation.project(outputs)


def read(engine: DuckDBEngine, values: Any, known: Column) -> list[Any]:
    """Read an Arrow array, or the texts of a file, as a column."""
    array = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    source = pa.table({"x": array, "at": list(range(len(array)))})
    relation = engine.load(source, {"x": known, "at": INTEGER}, f"t{next(NUMBER)}")
    found = engine.execute(comparable(relation), order_by=["at"])["x"]
    return [None if value is None else float(value) for value in found] if known.kind == "real" else found


TEXTS = [
    (
        INTEGER,
        [("12", 12), (" 7 ", 7), ("-3", -3), ("12.0", 12), ("1e3", 1000), ("x", None), ("", None), ("nan", None)],
    ),
    (INTEGER, [("9007199254740993", 9007199254740993), ("9" * 400, LARGEST), ("-1e400", SMALLEST), ("inf", LARGEST)]),
    (
        INTEGER,
        [(str(LARGEST), LARGEST), (str(SMALLEST), SMALLEST), (str(2**63), LARGEST), (str(-(2**63) - 1), SMALLEST)],
    ),
    (INTEGER, [("1e30", LARGEST), ("9" * 38, LARGEST), ("-" + "9" * 39, SMALLEST), ("1 2", None), ("12a", None)]),
    (Column(kind="integer", bounds=(0, 9)), [("10", 9), ("-1", 0), ("5", 5), ("1e400", 9), ("nan", None)]),
    (Column(kind="integer", categories=(1, 2)), [("1", 1), ("3", None), ("2.0", 2)]),
    (
        REAL,
        [("0.1", 0.1), ("1e400", None), ("-inf", None), ("nan", None), ("-0.0", 0.0), ("5e-324", 5e-324), ("x", None)],
    ),
    (Column(kind="real", bounds=(0, 1)), [("1e400", 1.0), ("-inf", 0.0), ("nan", None), ("0.5", 0.5), ("-0", 0.0)]),
    (Column(kind="real", bounds=(0, 1), nullable=False), [("nan", 0.0), ("x", 0.0), ("7", 1.0)]),
    (BOOLEAN, [("true", True), ("F", False), ("1", True), ("2", None), ("maybe", None)]),
    (TEXT, [("a", "a"), ("nan", "nan"), ("  b", "  b"), ("\0", "\0")]),
    (Column(kind="text", categories=("a", "b"), nullable=False), [("b", "b"), ("B", "a"), ("", "a")]),
    (
        DATE,
        [
            ("1970-01-02", 1),
            ("2020-02-30", None),
            ("99999999-01-01", None),
            ("infinity", None),
            ("1970-01-03 23:00", 2),
            ("12020-01-01", LAST_DAY),
        ],
    ),
    (Column(kind="date", bounds=(0, 10)), [("1969-01-01", 0), ("2200-01-01", 10), ("-infinity", None), ("x", None)]),
    (
        TIMESTAMP,
        [("1970-01-01T02:00:00+02:00", 0), ("1970-01-01 00:00:01Z", 10**6), ("1970-01-01", 0), ("25:00", None)],
    ),
    (TIMESTAMP, [("1970-01-01 02:00 Nowhere/City", None), ("infinity", None), ("20000-01-01", LAST_TIMESTAMP)]),
]


@pytest.mark.parametrize(("known", "pairs"), TEXTS, ids=lambda item: str(item)[:60])
def test_texts_are_read_by_the_codebook(engine: DuckDBEngine, known: Column, pairs: list[tuple[str, Any]]) -> None:
    found = read(engine, [text for text, _ in pairs], known)
    assert found == [value for _, value in pairs]
    assert [math.copysign(1, value) for value in found if value == 0.0 and isinstance(value, float)].count(-1.0) == 0


MICRO = 10**6
ARROW = [
    (pa.array([1, -1, None], pa.int8()), INTEGER, [1, -1, None]),
    (pa.array([2**64 - 1, 0], pa.uint64()), INTEGER, [LARGEST, 0]),
    (pa.array([5, 99, None], pa.int16()), Column(kind="integer", bounds=(6, 20)), [6, 20, None]),
    (pa.array([Decimal(10) ** 37, -(Decimal(10) ** 37)], pa.decimal128(38, 0)), INTEGER, [LARGEST, SMALLEST]),
    (pa.array([Decimal("2.4"), Decimal("-2.6"), None]), INTEGER, [2, -3, None]),
    (pa.array([Decimal("0.1"), None]), REAL, [0.1, None]),
    (pa.array([math.nan, math.inf, -math.inf, 2.5, -0.5, 2.0**63]), INTEGER, [None, LARGEST, SMALLEST, 2, 0, LARGEST]),
    (pa.array([math.nan, math.inf, -0.0, 0.3]), Column(kind="real", bounds=(-1, 0.25)), [None, 0.25, 0.0, 0.25]),
    (pa.array([1e30], pa.float32()), Column(kind="real", bounds=(0, 5)), [5.0]),
    (pa.array([2**62], pa.int64()), REAL, [2.0**62]),
    (pa.array([0, 1, 2, None]), BOOLEAN, [False, True, None, None]),
    (pa.array([True, None]), INTEGER, [1, None]),
    (pa.array([7, None]), TEXT, ["7", None]),
    (pa.nulls(2), REAL, [None, None]),
    (pa.nulls(1), Column(kind="date", bounds=(5, 9), nullable=False), [5]),
    (pa.array(["a", "z"]).dictionary_encode(), Column(kind="text", categories=("a",)), ["a", None]),
    (pa.array(["a"], pa.large_string()), TEXT, ["a"]),
    (pa.array([2**31 - 2, -5, -(2**31) + 9], pa.int32()).cast(pa.date32()), DATE, [LAST_DAY, -5, FIRST_DAY]),
    (pa.array([2**31 - 2, 1], pa.int32()).cast(pa.date32()), TIMESTAMP, [None, 86_400 * MICRO]),
    (pa.array([5_000_000], pa.int32()).cast(pa.date32()), TIMESTAMP, [LAST_TIMESTAMP]),
    (pa.array([-1, 86_400 * MICRO], pa.timestamp("us")), DATE, [-1, 1]),
    (pa.array([LARGEST, SMALLEST], pa.timestamp("us")), TIMESTAMP, [None, FIRST_TIMESTAMP]),
    (pa.array([2**53, 3], pa.timestamp("s")), TIMESTAMP, [None, 3 * MICRO]),
    (pa.array([2**53, 3], pa.timestamp("s", "Asia/Tokyo")), TIMESTAMP, [None, 3 * MICRO]),
    (pa.array([2**62, -(2**62), 3], pa.timestamp("ms")), TIMESTAMP, [None, None, 3000]),
    (pa.array([2**62, -(2**62), 3], pa.timestamp("ms", "UTC")), DATE, [None, None, 0]),
    (pa.array([1], pa.timestamp("ms")), TIMESTAMP, [1000]),
    (pa.array([1000, None], pa.timestamp("ns")), TIMESTAMP, [1, None]),
    *(
        (pa.array([MICRO], pa.timestamp(unit, "Asia/Tokyo")), TIMESTAMP, [MICRO * size])
        for unit, size in (("s", MICRO), ("us", 1))
    ),
    (pa.array([MICRO], pa.timestamp("ns", "Asia/Tokyo")), TIMESTAMP, [1000]),
    (pa.array([0, 86_400 * MICRO - 1], pa.timestamp("us", "Asia/Tokyo")), DATE, [0, 0]),
]


@pytest.mark.parametrize(("values", "known", "wanted"), ARROW, ids=lambda item: str(item).replace("\n", "")[:50])
def test_machine_types_are_read_by_the_codebook(
    engine: DuckDBEngine, tmp_path: Path, values: Any, known: Column, wanted: list[Any]
) -> None:
    assert read(engine, values, known) == wanted
    pq.write_table(pa.table({"x": values}), tmp_path / "x.parquet")
    with DuckDBEngine(threads=1) as other:
        relation = comparable(other.load(tmp_path / "x.parquet", {"x": known}))
        found = other.execute(relation)["x"]
    if known.kind == "real":
        found = [None if value is None else float(value) for value in found]
    assert Counter(found) == Counter(wanted)


def member(known: Column, value: Any) -> bool:
    """Tell whether a value may occur in a column."""
    if value is None:
        return known.nullable
    if known.categories is not None:
        return value in known.categories
    if known.kind == "real" and (not math.isfinite(value) or math.copysign(1, value) < 0 == value):
        return False
    if known.kind == "real" and known.bounds is not None:
        return bool(float(known.bounds[0]) <= value <= float(known.bounds[1]))
    return known.bounds is None or bool(known.bounds[0] <= value <= known.bounds[1])


def members(known: Column, values: list[Any]) -> bool:
    return all(member(known, value) for value in values)


KNOWN = st.sampled_from(
    [
        *(known for known, _ in TEXTS),
        Column(kind="real", bounds=(Fraction(1, 3), Fraction(2, 3))),
        Column(kind="integer", bounds=(Fraction(-5, 2), Fraction(5, 2)), nullable=False),
        Column(kind="timestamp", bounds=(-(10**15), 10**15), nullable=False),
    ]
)
STRANGE = st.sampled_from(
    ["nan", "-nan", "inf", "1e400", "-1e-400", "0x10", "1_0", "١٢", "1970-01-01", "+5", ".5", "5.", "1e", "--1"]
)
PLAUSIBLE = st.one_of(STRANGE, st.text(max_size=8), st.integers().map(str), st.floats().map(repr), st.dates().map(str))


@QUIET
@given(known=KNOWN, texts=st.lists(st.none() | PLAUSIBLE.filter(lambda text: text.isprintable()), max_size=20))
def test_any_text_becomes_a_member_by_itself(engine: DuckDBEngine, known: Column, texts: list[Any]) -> None:
    found = read(engine, texts, known)
    assert members(known, found)
    for at in range(min(len(texts), 2)):
        assert read(engine, [texts[at]], known) == [found[at]]


@QUIET
@given(known=KNOWN.filter(lambda known: known.kind in ("integer", "real")), values=st.lists(st.floats(), max_size=20))
def test_any_double_becomes_a_member(engine: DuckDBEngine, known: Column, values: list[float]) -> None:
    assert members(known, read(engine, pa.array(values, pa.float64()), known))


def test_the_law_notices_a_plain_cast(engine: DuckDBEngine) -> None:
    """The twin: TRY_CAST alone lets infinities, NaN and values beyond the bounds in."""
    relation = engine.load(pa.table({"x": ["nan", "inf", "7"]}), {"x": TEXT}, f"t{next(NUMBER)}")
    query = exp.Select(expressions=[named(cast(cast(column("x"), "real"), "text"), "x")]).from_(relation.derived())
    values = [float(value) for value in engine.execute(Relation(query=query, columns={"x": TEXT}))["x"]]
    assert not members(Column(kind="real", bounds=(0, 1)), values)


@pytest.mark.parametrize(
    ("known", "wanted"),
    [
        (Column(kind="integer", bounds=(-9, -3)), -3),
        (Column(kind="real", bounds=(Fraction(1, 3), 1)), 1 / 3),
        (REAL, 0.0),
        (TEXT, ""),
        (BOOLEAN, False),
        (Column(kind="text", categories=("z", "a")), "z"),
        (Column(kind="date", bounds=(3, 9)), 3),
        (TIMESTAMP, 0),
    ],
)
def test_the_stand_in_is_public(known: Column, wanted: Any) -> None:
    assert stand_in(known) == wanted
    assert literal(known, wanted) is not None


def test_bounds_of_reals_are_the_nearest_doubles() -> None:
    assert double_bounds((Fraction(1, 10), Fraction(1, 5))) == (0.1, 0.2)
    assert double_bounds((Fraction(-(10**400)), Fraction(10**400))) == (-np.finfo(float).max, np.finfo(float).max)


def test_a_value_that_is_written_like_its_bound_stays(engine: DuckDBEngine) -> None:
    assert read(engine, ["0.1", "0.2", "0.3", "0"], Column(kind="real", bounds=(0.1, 0.2))) == [0.1, 0.2, 0.2, 0.1]


def test_bounds_without_a_whole_number_are_refused() -> None:
    with pytest.raises(InvalidError, match="at least one integer"):
        admit(whole(1), "small", Column(kind="integer", bounds=(Fraction(1, 3), Fraction(2, 3))))


@pytest.mark.parametrize(
    "name", ["INTEGER[]", "INTEGER[3]", "STRUCT(a INTEGER)", "MAP(INTEGER, INTEGER)", "INTERVAL", "BLOB"]
)
def test_other_types_are_refused(name: str) -> None:
    with pytest.raises(InvalidError, match="t.x has a type that cannot be read"):
        source_type("t.x", name, INTEGER, DIALECT.source_types)


def test_the_ends_of_time_are_those_of_python() -> None:
    assert date(1, 1, 1).toordinal() - date(1970, 1, 1).toordinal() == FIRST_DAY
    assert date(9999, 12, 31).toordinal() - date(1970, 1, 1).toordinal() == LAST_DAY
    last = datetime.max.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    assert last // timedelta(microseconds=1) == LAST_TIMESTAMP
    assert FIRST_TIMESTAMP == FIRST_DAY * 86_400 * MICRO


def test_dates_of_python_agree(engine: DuckDBEngine) -> None:
    days = [date(1, 1, 1), date(1582, 10, 15), date(9999, 12, 31)]
    assert read(engine, [str(day) for day in days], DATE) == [
        day.toordinal() - date(1970, 1, 1).toordinal() for day in days
    ]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pa.array([Decimal("-9.5"), Decimal(-9), None], type=pa.decimal128(38, 37)), [-9, None, None]),
        (pa.array(["-99999999999999999999999999999.5", "7.0", "7.5", "1e400", ""]), [7, None, None, None, None]),
        (pa.array([math.inf, -math.inf, math.nan, 5.0, 5.5]), [5, None, None, None, None]),
        (pa.array(["9007199254740993.4", "9007199254740993"]), [9007199254740993, None]),
    ],
)
def test_identifiers_with_a_fraction_are_null_and_raise_for_no_value(values: Any, expected: list[int | None]) -> None:
    with DuckDBEngine() as engine:
        known = Column(kind="integer", exact=True)
        found = engine.execute(engine.load(pa.table({"id": values}), {"id": known}))["id"]
    inside = [each if each is None or abs(each) < 2**62 else None for each in found]  # beyond 64 bits: the outermost
    assert sorted(inside, key=lambda each: (each is None, each)) == expected


UUIDS = pa.array([b"0" * 16, None, b"1" * 16], pa.uuid())
JSON = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["01.02.2020", "NA", "{", '"x"', "1", None]))
CODES = pa.array(["01.02.2020", "NA", "{", '"x"', "1", None]).dictionary_encode()


@pytest.mark.parametrize(
    "known",
    [
        Column(kind="text", notation=Notation(missing=("NA", "{"))),
        Column(kind="date", notation=Notation(format=("%d.%m.%Y",))),
    ],
)
@pytest.mark.parametrize("values", [UUIDS, JSON, CODES], ids=["uuid", "json", "codes"])
def test_markers_and_formats_are_those_of_the_text_of_a_value(engine: DuckDBEngine, values: Any, known: Column) -> None:
    """DuckDB would take the markers, not the values, for UUIDs or JSON, and fail on them once there is a row."""
    if values is UUIDS:
        written = [None if each is None else str(each) for each in values.to_pylist()]
    else:
        written = values.to_pylist()
    assert read(engine, values, known) == read(engine, written, known)
    assert read(engine, values.slice(0, 0), known) == []


@pytest.mark.parametrize("known", [INTEGER, REAL, BOOLEAN, DATE, TIMESTAMP, TEXT], ids=lambda each: each.kind)
def test_json_is_read_as_its_text(engine: DuckDBEngine, known: Column) -> None:
    """As JSON, a text that is none would stop the conversion of all others."""
    written = ["1", "{", "", '"5"', "true", "2020-01-01", '"2020-01-01"', "null", None]
    values = pa.ExtensionArray.from_storage(pa.json_(), pa.array(written))
    assert read(engine, values, known) == read(engine, written, known)
