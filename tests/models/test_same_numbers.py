"""A fit from a session and a fit from a frame with the same rows: the same chains, and the same exact numbers."""

from typing import Any
from unittest import mock

import numpy as np
import pytest

import privet as pv
from privet.models import rows_in_parts
from privet.models.rows_in_parts import RowsInParts
from privet.tables.engines.duckdb import DuckDBEngine
from tests.laws.replay import replayed
from tests.models.history_law import Step, histories
from tests.models.test_query_fit import COLUMNS, frame, session

LOSS: dict[str, Any] = {"epsilon": 1, "delta": 1e-7}
RICH: dict[str, Any] = {"target": "rich"}
INCOME: dict[str, Any] = {"target": "income"}
MIXED, NUMBERS = ("age", "job", "hours"), ("age", "hours")
M = pv.models
MODELS: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    "linear": (M.LinearRegression, INCOME, MIXED),
    "linear with intervals": (M.LinearRegression, INCOME | {"inference": "two_step"}, MIXED),
    "logistic": (M.LogisticRegression, RICH, MIXED),
    "poisson": (M.PoissonRegressor, INCOME, MIXED),
    "boosted classes": (M.GradientBoostingClassifier, RICH | {"n_estimators": 8}, MIXED),
    "boosted numbers": (M.GradientBoostingRegressor, INCOME | {"n_estimators": 8}, MIXED),
    "categorical bayes": (M.CategoricalNB, RICH, MIXED),
    "gaussian bayes": (M.GaussianNB, RICH, NUMBERS),
    "tree": (M.DecisionTreeClassifier, RICH, MIXED),
    "tree of numbers": (M.DecisionTreeRegressor, INCOME, MIXED),
    "forest": (M.RandomForestClassifier, RICH | {"n_estimators": 8}, MIXED),
    "forest of numbers": (M.RandomForestRegressor, INCOME | {"n_estimators": 8}, MIXED),
    "theil-sen": (M.TheilSenRegressor, INCOME, ("age",)),
    "objective logistic": (M.ObjectiveLogisticRegression, RICH, MIXED),
    "objective margin": (M.ObjectiveLinearSVC, RICH, MIXED),
    "objective huber": (M.ObjectiveHuberRegressor, INCOME, MIXED),
    "pca": (M.PCA, {}, MIXED),
    "clusters": (M.KMeans, {"n_clusters": 3}, MIXED),
    "book's clusters": (M.LloydKMeans, {"n_clusters": 3}, MIXED),
    "scaler": (M.StandardScaler, LOSS, NUMBERS),
    "quantiles": (M.KBinsDiscretizer, LOSS | {"strategy": "quantile"}, NUMBERS),
}
WITHOUT_BUDGET = dict.fromkeys(LOSS)  # a session pays


IN_PARTS = [name for name, (kind, *_) in MODELS.items() if kind.in_parts]
PART = 300  # rows


@pytest.mark.parametrize("name", list(MODELS))
def test_a_session_and_a_frame_give_the_same_exact_numbers(name: str) -> None:
    compare(name)


@pytest.mark.parametrize("held", [0, 2**28], ids=["read anew", "held"])
@pytest.mark.parametrize("name", IN_PARTS)
def test_rows_in_parts_give_the_same_exact_numbers(name: str, held: int) -> None:
    with (
        mock.patch.object(DuckDBEngine, "each_part", each_part),
        mock.patch.object(rows_in_parts, "HELD", held),
        mock.patch.object(RowsInParts, "together", autospec=True, side_effect=RowsInParts.together) as together,
    ):
        releases = compare(name)
    assert together.call_count == releases, "the law puts rows together for every release; the fit never does"


def each_part(engine: Any, relation: Any, work: Any) -> None:
    """Give few rows at a time; an engine would give them all at once."""
    found = engine.arrays(relation)
    rows = len(next(iter(found.values()))[0])
    for start in range(0, rows, PART):
        part = {
            name: (values[start : start + PART], null[start : start + PART]) for name, (values, null) in found.items()
        }
        if not work(part):
            return


def compare(name: str) -> int:
    """Fit a session and a frame, and return how many releases were made."""
    kind, given, features = MODELS[name]
    target = given.get("target")
    names = [*features, *([target] if target else [])]
    public: dict[str, Any] = {
        "bounds": {each: COLUMNS[each].column.values.bounds for each in features if each != "job"},
        "categories": {"job": ["c", "a", "b"]} if "job" in features else None,
        "classes": [False, True],
        "target_bounds": (0, 200_000),
    }
    known = {each: value for each, value in public.items() if each in kind._get_param_names() and value is not None}
    first: list[Step] = []
    second: list[Step] = []
    opened = session(epsilon=5, delta=1e-6).query().select(*names)  # before coins are replayed: it draws a key
    model = kind(**given | (WITHOUT_BUDGET if "epsilon" in given else {}))
    in_memory = mock.patch.object(kind, "counted", new=False)  # of an engine's own counts there is a test
    with replayed(seed=1), histories(first, None), mock.patch("privet.models.query_fit._rehearse"), in_memory:
        from_session = opened.fit(model, **LOSS)
    table = frame()[names]
    with replayed(seed=1), histories(second, None):
        from_frame = kind(**given | known | LOSS).fit(table)
    assert [step.name for step in first] == [step.name for step in second]
    for one, other in zip(first, second, strict=True):
        assert one.links == other.links
        assert np.array_equal(np.asarray(one.exact, dtype=object), np.asarray(other.exact, dtype=object))
    assert from_session.n_samples_ == from_frame.n_samples_
    return len(first)
