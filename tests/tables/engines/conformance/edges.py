# ruff: noqa: E501
"""Tables whose cells are the edges of every type, written once and created in every engine."""

from datetime import date, datetime
from typing import Any

from tests.tables.expressions.generate import COLUMNS, rows

NAMES = {  # what each engine calls a type
    "duckdb": {"float8": "DOUBLE", "float4": "REAL", "text": "VARCHAR", "varchar(5)": "VARCHAR"},
    "postgres": {},
    "spark": {
        "float8": "DOUBLE", "float4": "FLOAT", "text": "STRING", "varchar(5)": "STRING", "numeric(38,10)": "DECIMAL(38, 10)",
        "timestamp": "TIMESTAMP_NTZ", "timestamptz": "TIMESTAMP_LTZ",
    },
}  # fmt: skip
SOURCE: dict[str, str] = {
    "row": "bigint",
    "small": "smallint",
    "whole": "bigint",
    "exact": "numeric(38,10)",
    "real": "float8",
    "single": "float4",
    "truth": "boolean",
    "words": "text",
    "written": "text",
    "short": "varchar(5)",
    "day": "date",
    "moment": "timestamp",
    "zoned": "timestamptz",
}
VALUES: dict[str, list[str | None]] = {
    "small": [None, "-32768", "32767", "0", "1", "-1", "17"],
    "whole": [None, "-9223372036854775808", "9223372036854775807", "9007199254740993", "0", "1", "-1", "42"],
    "exact": [None, "0.5", "1.5", "2.5", "-0.5", "-2.5", "9223372036854775807.5", "-9223372036854775808.5", "0.0000000001",
              "9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999", "17", "0.1"],
    "real": [None, "NaN", "Infinity", "-Infinity", "-0.0", "0.0", "5e-324", "-5e-324", "1.7976931348623157e308",
             "-1.7976931348623157e308", "0.5", "1.5", "2.5", "-0.5", "9223372036854775807", "-9223372036854775808", "1e15",
             "1000000000000000.1", "1e16", "9999999999999998", "1e-5", "0.0001", "123456.789", "1e300", "1e-300"],
    "single": [None, "NaN", "Infinity", "-Infinity", "0.1", "16777217", "3.4028235e38", "1e-45", "-2.5"],
    "truth": [None, "true", "false"],
    "words": [None, "", " ", "a", "A", "ä", "Ä", "ß", "İ", "ı", "Σ", "ς", "日本語", "🤦🏼‍♂️", "é", "e\u0301", "\u00a0x\u00a0", "\u3000",
              "\ufeff", "it's", "a%b_c", "a\\b", "x,y,,z", ",", "tab\there", "line\nend", "12", "true", "zzzzzzzzzzzz", "\u07ff", "\uffff",
              "\U0010ffff", "ſ", "K"],
    "written": [None, "", "31.12.2023", "29.02.2023", "29.02.2024", " 1.2.1999 ", "1.2.0001", "31.12.9999", "n/a", "0.1.2000", "1.13.2000",
                "2024-05-06 07:08", "2024-05-06 24:08", "x", "01.01.0000", "1/2/70", "1/2/68", "12/31/69"],
    "short": [None, "", "abc", "ABC", "été", "x y"],
    "day": [None, "0001-01-01", "9999-12-31", "1970-01-01", "1969-12-31", "2024-02-29", "infinity", "-infinity", "10000-01-01",
            "20000-06-15", "0001-12-31"],
    "moment": [None, "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1969-12-31 23:59:59.999999", "2024-02-29 12:30:15.5",
               "infinity", "-infinity", "10000-01-01 00:00:00", "2000-01-01 00:00:00.000001"],
    "zoned": [None, "0001-01-01 00:00:00+00", "2024-02-29 23:30:00-02", "1969-12-31 23:59:59.999999+00", "9999-12-31 23:59:59+00",
              "10000-01-01 00:00:00+00", "2024-06-01 00:00:00+05:30"],
}  # fmt: skip
TYPES = {
    "integer": "bigint", "real": "float8", "boolean": "boolean", "text": "text", "date": "date", "timestamp": "timestamp"
}  # fmt: skip
VISITS = {
    "id": "bigint", "ward": "text", "minutes": "bigint", "cost": "float8", "free": "bigint", "paid": "boolean", "day": "date"
}  # fmt: skip
PEOPLE = {"id": "bigint", "age": "smallint", "city": "text"}
Table = tuple[dict[str, str], list[list[str | None]]]


def _edges() -> Table:
    number = 400
    cells = [
        [str(row), *(values[(row * step + row // len(values)) % len(values)] for step, values in _steps())]
        for row in range(number)
    ]
    return SOURCE, cells


def _steps() -> list[tuple[int, list[str | None]]]:
    return [(3 + 2 * at, values) for at, values in enumerate(VALUES.values())]


def _expressions() -> Table:
    types = {"row": "bigint", **{name: TYPES[known.kind] for name, known in COLUMNS.items()}}
    cells = [[str(at), *(_written(value) for value in row.values())] for at, row in enumerate(rows(150))]
    return types, cells


def _written(value: Any) -> str | None:
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    return None if value is None else str(value).replace("\0", "")  # PostgreSQL has no text with a NUL


def _visits() -> Table:
    wards = ["a", "b", "c", None, "unseen", "A"]
    costs = ["0.25", "-10", "10", "NaN", None, "Infinity", "-0.0", "3.125", "1e308", "0.3"]
    free = ["9223372036854775807", "-9223372036854775808", None, "0", "7", "-3"]
    days = ["2024-01-31", "2024-02-01", None, "0001-01-01", "9999-12-31", "2023-12-31"]
    cells: list[list[str | None]] = []
    for at in range(600):
        person = None if at % 37 == 0 else str(at * at % 53 - 5)
        cell = [wards[at * 7 % 6], str(at * 11 % 75 - 5), costs[at * 3 % 10], free[at * 5 % 6 if at % 4 else 3]]
        cells.append([person, *cell, ["true", "false", None][at // 2 % 3], days[(at + at // 6) % 6]])
    return VISITS, cells


def _people() -> Table:
    cities = ["a", "B", "ä,b", "", None, "c,a,a"]
    return PEOPLE, [
        [str(at % 70 - 10), [None, "0", "33", "120", "-1", "130"][at % 6], cities[at // 3 % 6]] for at in range(140)
    ]


TABLES: dict[str, Table] = {
    "edges": _edges(),
    "expressions": _expressions(),
    "visits": _visits(),
    "people": _people(),
}


def statements(engine: str) -> list[tuple[str, str, list[list[str | None]]]]:
    """Give for each table the statement that creates it, the one that fills it, and the rows."""
    found = []
    for name, (columns, cells) in TABLES.items():
        types = {each: NAMES[engine].get(kind, kind) for each, kind in columns.items()}
        fields = ", ".join(f"{_quoted(each)} {kind}" for each, kind in types.items())
        mark = "?" if engine == "duckdb" else "%s"
        marks = ", ".join(f"CAST({mark} AS {kind})" for kind in types.values())
        found.append((f"CREATE TABLE {name} ({fields})", f"INSERT INTO {name} VALUES ({marks})", cells))
    return found


def frames(engine: str) -> list[tuple[str, dict[str, str], list[list[str | None]]]]:
    """Give the name, the types of the quoted columns and the texts of each table, as Spark reads them."""
    found = []
    for name, (columns, cells) in TABLES.items():
        types = {f"`{each.replace('`', '``')}`": NAMES[engine].get(kind, kind) for each, kind in columns.items()}
        found.append(
            (
                name,
                types,
                [[_for_spark(cell, kind) for cell, kind in zip(row, columns.values(), strict=True)] for row in cells],
            )
        )
    return found


def _for_spark(cell: str | None, kind: str) -> str | None:
    """Write years beyond 9999 with a sign; there are no infinite dates, which all engines read as null."""
    if cell is None or kind not in ("date", "timestamp", "timestamptz"):
        return cell
    if "infinity" in cell:
        return None
    return f"+{cell}" if len(cell.partition("-")[0]) > 4 else cell


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
