"""The result of a SELECT: what is written and read back, and the types of its columns."""

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from privet.errors import InvalidError, WrongTypeError
from privet.tables.session.session import Session
from privet.tables.sql.answer import SqlRelease
from tests.tables.hospital import open_hospital

TEXTS = [
    "SELECT COUNT(*) n, ward FROM visits GROUP BY ward HAVING n > -9 ORDER BY n DESC NULLS FIRST, 2 LIMIT 2 OFFSET 1",
    "SELECT ROUND(3 - SUM(minutes) / COUNT(*), 2) AS r, upper(ward) AS w FROM visits GROUP BY 2",
    "SELECT ward, CASE WHEN COUNT(*) > 3 THEN 'it''s big' END AS size, COUNT(*) > 5 AS some FROM visits GROUP BY ward",
    "SELECT MEDIAN(day) AS d, AVG(minutes) AS m FROM visits",
    "SELECT WITH DIFFERENTIAL_PRIVACY ward, SAFE_DIVIDE(COUNT(*), COUNT(minutes)) AS x FROM visits GROUP BY ward",
    "SELECT w, n / 7 AS x FROM (SELECT ward AS w, COUNT(*) AS n FROM visits GROUP BY ward) WHERE n > 10 ORDER BY x",
]

REACH = {"base": ["n"], "value": '"privet base"', "smooth": '"privet base"', "rising": True}


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    opened = open_hospital()
    yield opened
    opened.close()


@pytest.mark.parametrize("text", TEXTS)
def test_the_select_is_kept_with_its_release(session: Session, text: str) -> None:
    answer = session.sql(text).release(epsilon=1)
    written = answer.to_json()
    read = SqlRelease.from_json(written)
    assert read == answer
    assert read.text == text
    assert read.names == answer.names
    assert (read.to_json(), str(read), len(read)) == (written, str(answer), len(answer))
    assert json.loads(written)["format"] == "sql-release/1"


@pytest.mark.parametrize(
    "change",
    [
        {"text": 5},
        {"columns": []},
        {"having": '"ward"'},
        {"having": "no sql ("},
        {"having": '"other" > 1'},
        {"offset": -1},
        {"limit": True},
        {"order": [['"n"', 1, 0]]},
        {"order": [["pragma x", True, False]]},
        {"kinds": {"n": "real", "ward": "text", "secret": "text"}},
        {"columns": [{"label": "n", "value": '"n"', "reach": {**REACH, "base": ["other"]}}]},
        {"columns": [{"label": "n", "value": '"n"', "reach": {**REACH, "rising": 1}}]},
        {"release": {}},
        {"kinds": {"n": "date", "ward": "text"}},
        {"kinds": {"n": "real", "ward": "integer"}},
    ],
    ids=str,
)
def test_a_select_that_was_changed_is_refused(session: Session, change: dict[str, Any]) -> None:
    answer = session.sql(TEXTS[0]).release(epsilon=1)
    with pytest.raises(InvalidError, match=r"SqlRelease\.from_json|Release\.from_json"):
        SqlRelease.from_json(json.dumps({**json.loads(answer.to_json()), **change}))


def test_arrow_types_do_not_depend_on_what_was_released(session: Session) -> None:
    items = "ward, COUNT(*) AS n, AVG(minutes) AS m, MEDIAN(day) AS d, CASE WHEN COUNT(*) > 1e9 THEN 'a' END AS t"
    some, none, unknown = (
        session.sql(f"SELECT {items} FROM visits GROUP BY ward {rest}").release(epsilon=1).to_arrow()
        for rest in ("", "HAVING n > 1e12", "LIMIT 1")
    )
    assert (len(some) > 1, len(none), len(unknown)) == (True, 0, 1)
    assert some.schema == none.schema == unknown.schema
    types = {name: some.schema.field(name).type for name in ("ward", "n", "n_low", "m", "d", "d_error", "d_low", "t")}
    whole, real = pa.int64(), pa.float64()
    assert types == {
        "ward": pa.string(),
        "n": whole,
        "n_low": real,
        "m": real,
        "d": pa.date32(),
        "d_error": pa.duration("us"),
        "d_low": pa.date32(),
        "t": pa.string(),
    }


def test_a_label_may_look_like_a_part_of_a_key(session: Session) -> None:
    text = "SELECT ward, COUNT(*) AS n, upper(ward) AS ward_low FROM visits GROUP BY ward, 3"
    assert session.sql(text).release(epsilon=1).to_arrow().schema.field("ward_low").type == pa.string()


@pytest.mark.parametrize("given", [{"epsilon": 1}, {"rho": 1, "weights": {}}, {"size": 1}])
def test_a_budget_belongs_to_the_release(session: Session, given: dict[str, Any]) -> None:
    with pytest.raises(WrongTypeError, match=rf"write session\.sql\(text\)\.release\({next(iter(given))}=\.\.\."):
        session.sql("SELECT COUNT(*) FROM visits", **given)
