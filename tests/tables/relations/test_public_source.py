"""Public tables of a session: from memory or files, by name, in queries and in statements."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.parquet import write_table

import privet as pv
from privet import Codebook, Planner, Rows, Session, column
from privet.errors import InvalidError, WrongTypeError
from tests.tables.sql.public_query import aggregates_of

_BOOK = Codebook(unit=Rows(), columns={"ward": column("text"), "x": column("integer", bounds=(0, 9))})
_ROWS = [{"ward": "ab"[n % 2], "x": n % 10} for n in range(100)]
_FLOORS = {"ward": ["a", "b"], "floor": [1, 4]}


def _session(**public: Any) -> Session:
    return Session(_ROWS, _BOOK, pv.budget(epsilon=10**6), public=public)


def _answer(session: Session) -> dict[str, int]:
    release = session.query().join_public("floors", on="ward").group_by("floor").agg(n=pv.count()).release(epsilon=1000)
    return {str(floor): round(n) for floor, n in zip(release.to_dict()["floor"], release.values("n"), strict=True)}


def test_every_form_of_a_public_table_is_read(tmp_path: Path) -> None:
    table = pa.table(_FLOORS)
    csv, parquet = tmp_path / "floors.csv", tmp_path / "floors.parquet"
    csv.write_text("ward,floor\na,1\nb,4\n")
    write_table(table, parquet)
    for source in (table, _FLOORS, table.to_pylist(), csv, str(parquet)):
        assert _answer(_session(floors=source)) == {"1": 50, "2": 0, "3": 0, "4": 50}


def test_a_planner_has_public_tables_too() -> None:
    planner = Planner(_BOOK, pv.budget(epsilon=1), public={"floors": _FLOORS})
    query = planner.sql("SELECT floor, COUNT(*) AS n FROM data JOIN floors USING (ward) GROUP BY floor")
    assert aggregates_of(query).grouped.groups == ((1,), (4,))


def test_what_is_read_at_opening_stays(tmp_path: Path) -> None:
    path = tmp_path / "floors.csv"
    path.write_text("ward,floor\na,1\nb,4\n")
    session = _session(floors=path)
    path.write_text("ward,floor\na,9\nb,9\n")
    assert _answer(session) == {"1": 50, "2": 0, "3": 0, "4": 50}


@pytest.mark.parametrize(
    ("public", "error", "message"),
    [
        ([_FLOORS], WrongTypeError, "public tables by name"),
        ({"floors": 3}, WrongTypeError, "must"),
        ({"floors": {"ward": ["a"], "floor": [1, 2]}}, InvalidError, "all of the same length"),
        ({"data": _FLOORS}, InvalidError, "one name"),
        ({"floors": "floors.txt"}, InvalidError, "must be a .csv, .tsv or .parquet file"),
        ({"floors": "no such file.csv"}, InvalidError, "cannot be read"),
    ],
)
def test_refusals(public: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Session(_ROWS, _BOOK, pv.budget(epsilon=1), public=public)


def test_unknown_names_are_refused_by_name() -> None:
    session = _session(floors=_FLOORS)
    with pytest.raises(InvalidError, match="there is no public table 'flors'; there are floors"):
        session.query().join_public("flors", on="ward")
    with pytest.raises(InvalidError, match="there is no column 'nosuch' in the public table 'floors'"):
        session.query().join_public("floors", on="nosuch")
