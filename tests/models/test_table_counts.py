"""Counts that an engine makes: the whole numbers of an array with the same rows, thresholds included."""

import random
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import privet as pv
from privet.models.binning import Binning
from privet.models.categorical_nb import CategoricalNB
from privet.models.class_counts import ArrayCounts, TableCounts
from privet.models.features import read_features
from privet.models.fit_job import GRID
from privet.models.table_counts import _starts
from privet.tables.columns import Column
from privet.tables.vocabulary import grid_of, step_bounds
from tests.models.history_law import Step, histories

LOSS: dict[str, Any] = {"epsilon": 1, "delta": 1e-7}


def table(seed: int) -> tuple[dict[str, Any], Any]:
    """Draw a codebook and rows: bounds that are no grid points, values at every edge of a bin, missing ones."""
    source = random.Random(seed)
    low, width = source.uniform(-50, 50), source.choice([1e-3, 1.0, 7.3, 1e6])
    whole = source.randrange(-5, 5)
    columns: dict[str, Any] = {
        "real": pv.column("real", bounds=(low, low + width)),
        "whole": pv.column("integer", bounds=(whole, whole + source.choice([1, 6, 1000]))),
        "text": pv.column("text", categories=("b", "a", "ü'")),
        "flag": pv.column("boolean"),
        "class": pv.column("text", categories=("z", "y", "x")),
    }
    rows = source.choice([0, 1, 40, 400])
    odd = [None, float("nan"), float("inf"), -1e300]
    edges = [low + width * source.choice([source.random(), source.randrange(-1, 34) / 32]) for _ in range(rows)]
    reals = [source.choice(odd) if source.random() < 0.1 else each for each in edges]

    def drawn(values: list[Any]) -> list[Any]:
        return [source.choice(values) for _ in range(rows)]

    frame = pd.DataFrame(
        {
            "real": pd.Series(reals, dtype=float),
            "whole": pd.Series(drawn([None, *range(-9, 1010)]), dtype="Int64"),
            "text": pd.Series(drawn(["a", "b", "c", "ü'", None]), dtype=object),
            "flag": pd.Series(drawn([True, False, None]), dtype="boolean"),
            "class": pd.Series(drawn(["x", "y", "z", "w", None]), dtype=object),
        }
    )
    return columns, frame


UNITS = {
    "rows": pv.Rows(),
    "persons": pv.Persons("person", rows=2),
    "persons by month": pv.Persons("person", rows=3, period=("day", "month")),
}


@pytest.mark.parametrize("unit", list(UNITS))
@pytest.mark.parametrize("number", range(25))
def test_an_engine_counts_as_an_array_does(number: int, unit: str) -> None:
    (columns, frame), bins = table(number), (2, 7, 32)[number % 3]
    low, high = map(float, columns["real"].column.values.bounds)
    known = frame["real"].dropna()
    inner = sorted({low - 1, (low + high) / 2, high + 1e-9, *known[:2], *np.nextafter(known[2:4], high)})
    edges = {"real": inner, "whole": [-7.5, 0, 3]} if number % 2 else None  # some of them outside the bounds
    columns |= {"person": pv.column("integer"), "day": pv.column("date", bounds=("2020-01-01", "2020-12-31"))}
    frame["person"] = pd.Series([None if at % 11 == 7 else at % 17 for at in range(len(frame))], dtype="Int64")
    frame["day"] = pd.Series([pd.Timestamp(2020, 1 + at % 3, 5).date() for at in range(len(frame))], dtype=object)
    book = pv.Codebook(columns=columns, unit=UNITS[unit])
    found: list[Any] = []

    def keep(kind: Any) -> Any:
        def release(self: Any, binning: Binning, classes: int, share: Fraction) -> Any:
            if kind is TableCounts:
                counts = self.count(binning)
            else:
                codes, target = binning.codes(self.job.table.columns), np.asarray(self.job.target).astype(np.int64)
                parts = [
                    np.bincount(codes[:, at].astype(np.int64) * classes + target, minlength=size * classes)
                    for at, size in enumerate(binning.sizes)
                ]
                counts = np.concatenate(parts)
            found.append(counts.tolist())
            return np.asarray(counts, dtype=float), 1.0

        return mock.patch.object(kind, "release", release)

    session = pv.Session(frame, book, pv.budget(epsilon=5, delta=1e-6))  # one, since its key decides whose rows count
    for counted in (True, False):
        quiet = mock.patch("privet.models.query_fit._rehearse")
        with mock.patch.object(CategoricalNB, "counted", counted), keep(TableCounts), keep(ArrayCounts), quiet:
            query = session.query().select("real", "whole", "text", "flag", "day", "class")
            query.fit(CategoricalNB(target="class", bins=bins, edges=edges), **LOSS)
    in_engine, in_memory = found
    assert in_engine == in_memory


def test_an_array_and_a_table_have_the_same_codes_at_own_edges() -> None:
    """A codebook moves values to the grid and into the bounds, which may take them to the other side of an edge."""
    edges = {"x": [-1.0, 0.3, 1.0, 1.5]}
    values = [-5.0, -0.5, 0.0, 0.3, np.nextafter(0.3, 0), 0.7, 1.0, 1.2, 9.0, np.inf, -np.inf, np.nan]
    frame = pd.DataFrame({"x": values, "y": ["a", "b"] * 6})
    book = pv.Codebook(
        columns={"x": pv.column("real", bounds=(0, 1)), "y": pv.column("text", categories=("a", "b"))}, unit=pv.Rows()
    )
    in_engine: list[Any] = []
    real = TableCounts.release

    def release(self: Any, binning: Binning, classes: int, share: Fraction) -> Any:
        in_engine.append(self.count(binning).tolist())
        return real(self, binning, classes, share)

    with mock.patch.object(TableCounts, "release", release), mock.patch("privet.models.query_fit._rehearse"):
        session = pv.Session(frame, book, pv.budget(rho=1))
        session.query().fit(CategoricalNB(target="y", edges=edges), rho=0.1)
    steps: list[Step] = []
    with histories(steps, None):
        CategoricalNB(target="y", edges=edges, bounds=(0, 1), classes=["a", "b"], rho=0.1).fit(frame)
    assert in_engine == [(np.array(steps[0].exact, dtype=float) * float(GRID)).tolist()]


@pytest.mark.parametrize("edge", [-5.0, 0.0, 0.1, 0.3, 9.99, 100.0, 150.0])
def test_a_value_at_an_edge_is_in_the_bin_above(edge: float) -> None:
    """The grid moves a value to either side; its edge must move with it, and edges beyond the bounds must not."""
    binning = Binning(features=read_features("Model", None, 1, (0, 100), None, None), bins=4, edges=((edge,),))
    values = np.array([edge, edge - 0.01, edge + 0.01])
    inside = np.clip(values, 0, 100)
    assert binning.codes_of(0, values).tolist() == (inside >= edge).astype(int).tolist()


@pytest.mark.parametrize("bounds", [(0, 1), (-0.1, 0.3), (1e-9, 2e-9), (-3, 2**40)])
def test_codes_change_at_the_starts_and_nowhere_else(bounds: tuple[float, float]) -> None:
    known = Column(kind="real", bounds=bounds)
    features = read_features("Model", None, 1, bounds, None, None)
    binning = Binning(features=features, bins=32, edges=(None,))
    grid, (low, high) = float(grid_of("", known)), step_bounds("", known)
    starts = _starts(binning, 0, known)
    assert starts == sorted(starts)
    for code, start in enumerate(starts, start=1):
        around = np.array([each for each in (start - 1, start) if low <= each <= high], dtype=np.int64)
        codes = binning.codes_of(0, around * grid).tolist()
        assert codes == [code - 1, code][-len(codes) :]


def test_rows_of_a_table_stay_in_the_engine() -> None:
    columns, frame = table(3)
    session = pv.Session(frame, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=5, delta=1e-6))
    rows: list[int] = []
    engine = type(session.query().table.engine)
    real = engine.arrays

    def arrays(self: Any, relation: Any) -> Any:
        found = real(self, relation)
        rows.append(len(next(iter(found.values()))[0]))
        return found

    with mock.patch.object(engine, "arrays", arrays):
        session.query().fit(CategoricalNB(target="class", bins=4), **LOSS)
    assert rows[0] <= 5 * 5 * 4 * 3 * 3
    assert len(rows) == 1  # few combinations of codes: one query for all features
