"""Sessions neither write into what they are given nor see what is hidden in its memory."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import privet as pv
from tests.tables.opened import exact_totals, fix_key, key_of

SECRET = 2**40 + 7
COUNT = 60
BOOK = pv.Codebook(
    columns={
        "id": pv.column("integer"),
        "x": pv.column("integer", bounds=(0, 2**50)),
        "y": pv.column("real", bounds=(0, 100)),
        "word": pv.column("text", categories=("a", "b")),
    },
    unit=pv.Persons(id="id", rows=3),
)


def plain() -> dict[str, Any]:
    at = np.arange(COUNT)
    return {"id": at // 2, "x": at % 7, "y": at / 2, "word": np.array(["a", "b", "ä"], dtype=object)[at % 3]}


def nulls() -> Any:
    return np.arange(COUNT) % 4 == 0


def arrow() -> Any:
    """A slice out of the middle of a table, with numbers under its nulls and rows before and behind it."""
    columns = plain()
    hidden = np.where(nulls(), SECRET, columns["x"])
    bits = pa.py_buffer(np.packbits(~nulls(), bitorder="little").tobytes())
    middle = pa.Int64Array.from_buffers(pa.int64(), COUNT, [bits, pa.py_buffer(hidden)])
    secrets = pa.array([SECRET] * 5)
    whole = {name: pa.array(values) for name, values in columns.items() if name != "x"}
    around = {name: pa.concat_arrays([each[:5], each, each[:5]]) for name, each in whole.items()}
    around["x"] = pa.concat_arrays([secrets, middle, secrets])
    return pa.table(around).slice(5, COUNT)


def pandas_masked() -> Any:
    """Integers with a mask, whose numbers under it are secrets."""
    columns = plain()
    hidden = pd.arrays.IntegerArray(np.where(nulls(), SECRET, columns["x"]), nulls())
    return pd.DataFrame({**columns, "x": hidden})


def pandas_view() -> Any:
    """Every second row of a frame whose other rows are secrets."""
    columns = plain()
    wide = pd.DataFrame({name: np.repeat(values, 2) for name, values in columns.items()})
    wide.loc[1::2, "x"] = SECRET
    wide.loc[1::2, "id"] = SECRET
    return wide.iloc[::2]


SOURCES: dict[str, Callable[[], Any]] = {
    "Arrow": arrow,
    "pandas, masked": pandas_masked,
    "pandas, a view": pandas_view,
    "polars": lambda: pl.DataFrame(plain())[3:],
    "dictionaries": lambda: pd.DataFrame(plain()).to_dict("records"),
}


def bits(source: Any) -> Any:
    """Every bit of a source, hidden ones included."""
    if isinstance(source, list):
        return repr(source), [id(row) for row in source]
    if isinstance(source, pd.DataFrame):
        cells = [source[name].array for name in source]
        return [(type(each).__name__, np.asarray(getattr(each, "_data", each)).tolist()) for each in cells]
    table = source if isinstance(source, pa.Table) else source.to_arrow()
    return [
        (chunk.offset, len(chunk), [None if part is None else part.to_pybytes() for part in chunk.buffers()])
        for column in table.columns
        for chunk in column.chunks
    ]


def exact(session: pv.Session) -> list[list[int]]:
    question = session.query().group_by("word").agg(pv.count(), pv.sum("x"), pv.mean("y"), pv.count_ids())
    plan = question.plan(epsilon=1)
    found = exact_totals(question, plan)
    return [part.measured.exact(found, plan.groups).tolist() for part in plan.planned]


@pytest.mark.parametrize("kind", SOURCES)
def test_a_source_is_the_same_after_every_question(kind: str) -> None:
    source = SOURCES[kind]()
    before = bits(source)
    session = pv.Session(source, BOOK, pv.budget(epsilon=10, delta=1e-3))
    exact(session)
    session.query().filter("x > 2").derive(z="y * 2").agg(pv.median("y")).release(epsilon=1)
    session.query().private_keys("x").release(epsilon=1, delta=1e-4)
    session.close()
    assert bits(source) == before


@pytest.mark.parametrize("kind", SOURCES)
def test_what_is_hidden_counts_for_nothing(kind: str) -> None:
    shown = SOURCES[kind]()
    rows = shown.to_dict("records") if isinstance(shown, pd.DataFrame) else shown
    rows = rows if isinstance(rows, list) else rows.to_pylist() if isinstance(rows, pa.Table) else rows.to_dicts()
    sessions = [pv.Session(source, BOOK, pv.budget(epsilon=1)) for source in (shown, rows)]
    for session in sessions[1:]:
        fix_key(session, key_of(sessions[0]))  # whose rows stay where there are too many
    assert exact(sessions[0]) == exact(sessions[1])


@pytest.mark.parametrize("kind", ["pandas, masked", "pandas, a view", "dictionaries"])
def test_what_the_caller_writes_later_is_not_seen(kind: str) -> None:
    source = SOURCES[kind]()
    session = pv.Session(source, BOOK, pv.budget(epsilon=1))
    before = exact(session)
    if isinstance(source, list):
        for row in source:
            row["x"] = 1
    else:
        source["y"] = 1.0
        source.iloc[:, 0] = 0
    assert exact(session) == before
