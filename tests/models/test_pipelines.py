"""Pipelines: one budget, bounds from step to step, and no step that learns without privacy."""

from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import PCA
from sklearn.preprocessing import Binarizer, FunctionTransformer, MinMaxScaler, Normalizer
from sklearn.preprocessing import StandardScaler as Foreign

import privet as pv
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.models.json_form import from_json
from privet.models.k_bins_discretizer import KBinsDiscretizer
from privet.models.logistic_regression import LogisticRegression
from privet.models.one_hot_encoder import OneHotEncoder
from privet.models.pipelines import Pipeline, pipeline
from privet.models.private_rows import Account
from privet.models.standard_scaler import StandardScaler

SOURCE = np.random.default_rng(5)
ROWS = SOURCE.normal(size=(3_000, 2))
LABELS = (ROWS[:, 0] + 0.2 * SOURCE.normal(size=3_000) > 0).astype(int)


def model() -> LogisticRegression:
    return LogisticRegression(classes=[0, 1])


def test_bounds_are_carried_and_the_budget_is_split() -> None:
    steps = [("scale", StandardScaler(bounds=(-4, 4))), ("bins", KBinsDiscretizer(n_bins=8, strategy="quantile"))]
    made = pipeline([*steps, ("model", model())], epsilon=2, delta=1e-6).fit(ROWS, LABELS)
    assert made.score(ROWS, LABELS) > 0.85
    assert made.loss_.epsilon(1e-6) <= 2
    assert made.named_steps["model"].loss_.rho() <= made.loss_.rho()
    assert made.named_steps["bins"].loss_.rho() * 8 < made.named_steps["model"].loss_.rho() + 1e-9
    assert not made.named_steps["scale"].releases_
    assert "bins: KBinsDiscretizer: what the fit released" in made.explain()
    assert "scale: StandardScaler: reads no private data" in made.explain()
    assert made.predict_proba(ROWS).shape == (3_000, 2)
    assert made.classes_.tolist() == [0, 1]


def test_shares_make_a_free_step_pay() -> None:
    steps = [("scale", StandardScaler(bounds=(-40, 40))), ("model", model())]
    made = pipeline(steps, rho=1, shares={"scale": 0.2, "model": 0.8}).fit(ROWS, LABELS)
    assert abs(made.named_steps["scale"].loss_.rho() - 0.2) < 1e-6
    assert made.loss_.rho() <= 1
    assert made.score(ROWS, LABELS) > 0.85


def test_one_spending_step_has_the_whole_budget() -> None:
    made = pipeline([("scale", StandardScaler(bounds=(-4, 4))), ("model", model())], epsilon=1, delta=1e-6)
    alone = LogisticRegression(epsilon=1, delta=1e-6, bounds=(-4, 4), classes=[0, 1])
    losses = [each.fit(ROWS, LABELS).loss_.epsilon(1e-6) for each in (made, alone)]
    assert 0.99 < min(losses) <= max(losses) <= 1


def test_pure_budgets() -> None:
    steps = [("scale", StandardScaler(bounds=(-4, 4))), ("bins", KBinsDiscretizer(strategy="quantile"))]
    made = pipeline(steps, epsilon=1, shares={"scale": 0.5, "bins": 0.5}).fit(ROWS)
    assert made.loss_.epsilon(0) <= 1
    assert made.transform(ROWS).max() == 4


def test_the_loss_is_that_of_all_steps_together() -> None:
    steps = [("scale", StandardScaler(bounds=(-4, 4))), ("model", model())]
    made = pipeline(steps, rho=1, shares={"scale": 0.25, "model": 0.75}).fit(ROWS, LABELS)
    assert made.loss_.rho() == 1
    assert [step.loss_.rho() for _, step in made.steps_] == [0.25, 0.75]
    bins = KBinsDiscretizer(strategy="quantile")
    pure = pipeline([steps[0], ("bins", bins)], epsilon=2, shares={"scale": 0.25, "bins": 0.75}).fit(ROWS)
    assert pure.loss_.epsilon(0) == 2
    normal = pipeline(steps, epsilon=1, delta=1e-6, shares={"scale": 0.25, "model": 0.75}).fit(ROWS, LABELS)
    assert 0.99 < normal.loss_.epsilon(1e-6) <= 1


def test_free_steps_need_no_budget() -> None:
    made = pipeline([("hot", OneHotEncoder(categories={0: ["a"]})), ("scale", StandardScaler())])
    assert made.fit([["a"]]).transform([["a"], ["b"]]).tolist() == [[1], [-1]]
    assert made.loss_.epsilon(0) == 0
    with pytest.raises(InvalidError, match="no step spends a budget"):
        pipeline(made.steps, rho=1).fit([["a"]])


@pytest.mark.parametrize("foreign", [Foreign(), MinMaxScaler(), PCA(), BaseEstimator(), "passthrough", None])
def test_steps_that_learn_without_privacy_are_refused(foreign: Any) -> None:
    with pytest.raises(WrongTypeError, match="may learn from the data without privacy"):
        pipeline([("first", foreign), ("model", model())], rho=1)


def test_other_wrong_pipelines_are_refused() -> None:
    scale = StandardScaler(bounds=(0, 1))
    for steps, message in (
        ([], "must be pairs"),
        ([("a", scale), ("a", model())], "different names"),
        ([("a", model()), ("b", scale)], "has no transform"),
        ([("a", scale), ("b", LogisticRegression(rho=1, classes=[0, 1]))], "'b' has a budget; leave it out"),
        ([("a", scale), ("b", LogisticRegression())], "classes must list the classes"),
    ):
        with pytest.raises((InvalidError, WrongTypeError), match=message):
            pipeline(steps, rho=1)
    for shares, message in (
        ({"model": 2}, "add up to at most one"),
        ({"model": 0}, "above zero"),
        ({"other": 1}, "names 'other'"),
        ({"scale": 1}, "must have a share for 'model'"),
    ):
        with pytest.raises(InvalidError, match=message):
            pipeline([("scale", scale), ("model", model())], rho=1, shares=shares).fit(ROWS, LABELS)
    with pytest.raises(InvalidError, match="needs a privacy budget"):
        pipeline([("scale", scale), ("model", model())]).fit(ROWS, LABELS)


@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_rows_are_normalized_as_scikit_learn_does(norm: Any) -> None:
    made = pipeline([("norm", Normalizer(norm=norm)), ("model", model())], rho=1).fit(ROWS, LABELS)
    assert np.allclose(made._rows(ROWS), Normalizer(norm=norm).fit_transform(ROWS))
    assert made.predict([[np.nan, np.inf], [0, 0]]).shape == (2,)


def test_functions_see_one_row() -> None:
    seen: list[int] = []

    def centre(rows: Any) -> Any:
        seen.append(len(rows))
        if rows[0, 0] > 3:
            raise ValueError("data")
        return np.hstack([rows - rows.mean(axis=0), rows])

    steps = [("f", FunctionTransformer(centre)), ("model", LogisticRegression(classes=[0, 1], bounds=(-4, 4)))]
    made = pipeline(steps, rho=1).fit(ROWS, LABELS)
    assert set(seen) == {1}
    assert (made._rows(ROWS[:5])[:, :2] == 0).all()
    assert np.isnan(made._rows([[9, 9]])).all()
    with pytest.raises(InvalidError, match="bounds must give"):
        pipeline([("f", FunctionTransformer(centre)), ("model", model())], rho=1).fit(ROWS, LABELS)


def test_thresholds() -> None:
    made = pipeline([("cut", Binarizer(threshold=0.5)), ("model", model())], rho=1).fit(ROWS, LABELS)
    assert made._rows([[0.6, np.nan]]).tolist() == [[1, 0]]


def test_a_text_of_a_pipeline_predicts_the_same() -> None:
    made = pipeline([("scale", StandardScaler(bounds=(-4, 4))), ("model", model())], rho=1).fit(ROWS, LABELS)
    again = from_json(made.to_json())
    assert isinstance(again, Pipeline)
    assert (again.predict_proba(ROWS) == made.predict_proba(ROWS)).all()
    assert again.loss_ == made.loss_
    assert isinstance(clone(made), Pipeline)


def test_empty_tables_and_persons() -> None:
    steps = [
        ("scale", StandardScaler(bounds=(-4, 4))),
        ("model", LogisticRegression(classes=[0, 1], rows_per_person=3)),
    ]
    made = pipeline(steps, rho=1).fit(ROWS, LABELS, persons=np.arange(3_000) // 3)
    assert made.loss_.rho() <= 1
    with pytest.warns(UserWarning, match="too few"):
        pipeline(steps, rho=1).fit(np.empty((0, 8)), np.empty(0), persons=[])  # eight columns: 5.5 deviations of noise


def test_a_cap_without_persons_and_persons_without_a_cap_are_refused_before_a_step_spends() -> None:
    scaler = StandardScaler(bounds=(-4, 4), rows_per_person=3)
    steps = [("scale", scaler), ("model", LogisticRegression(classes=[0, 1]))]
    made = pipeline(steps, rho=1, shares={"scale": 0.1, "model": 0.9})
    with (
        mock.patch.object(StandardScaler, "fit", side_effect=AssertionError),
        pytest.raises(InvalidError, match="step 'model' no rows_per_person"),
    ):
        made.fit(ROWS, LABELS, persons=np.arange(3_000) // 3)
    with pytest.raises(InvalidError, match=r"LogisticRegression.rows_per_person is given, and fit has no persons="):
        LogisticRegression(rho=1, bounds=(-4, 4), classes=[0, 1], rows_per_person=3).fit(ROWS, LABELS)


def test_a_fit_that_breaks_forgets_the_one_before() -> None:
    """The steps of one fit beside the loss of another would understate it."""
    made = pipeline([("model", LogisticRegression(classes=[0, 1], bounds=(-4, 4)))], rho=0.1).fit(ROWS, LABELS)
    with (
        mock.patch.object(LogisticRegression, "fit", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        made.set_params(rho=1).fit(ROWS, LABELS)
    assert not hasattr(made, "loss_")
    assert not hasattr(made, "steps_")


LATE: list[tuple[str, Any, str]] = [
    ("clusters", pv.models.KMeans(n_clusters=0), "n_clusters must be between 1 and 1,000"),
    ("depth", pv.models.DecisionTreeClassifier(classes=[0, 1], max_depth=99), "max_depth"),
]


@pytest.mark.parametrize(("name", "last", "message"), LATE)
def test_what_a_later_step_refuses_is_refused_before_an_earlier_one_reads(name: str, last: Any, message: str) -> None:
    released: list[str] = []
    made = pipeline([("pca", pv.models.PCA(n_components=2, bounds=(-1, 1))), (name, last)], rho=0.1)
    charge = Account.charge

    def noted(self: Account, what: str, chain: Any) -> None:
        released.append(what)
        charge(self, what, chain)

    rows = np.zeros((50, 3))
    with (
        mock.patch.object(Pipeline, "_rehearse"),
        mock.patch.object(Account, "charge", noted),
        pytest.raises(InvalidError, match=message),
    ):
        made.fit(rows, np.zeros(50))
    assert released, "without the rehearsal, the first step would have read the rows"
    seen: list[int] = []
    read = pv.models.PCA._fit

    def counted(self: Any, job: Any) -> None:
        seen.append(job.table.rows)
        read(self, job)

    with mock.patch.object(pv.models.PCA, "_fit", counted), pytest.raises(InvalidError, match=message):
        made.fit(rows, np.zeros(50))
    assert seen == [0]


def test_bounds_are_carried_by_position_whatever_container_steps_make() -> None:
    """Columns named 1 and 0 once swapped their bounds where scikit-learn was told to make frames."""
    rows = pd.DataFrame({"1": np.linspace(0, 1, 4_000), "0": np.tile([0.0, 100.0], 2_000)})
    steps = [
        ("scale", pv.models.StandardScaler(bounds={"1": (0, 1), "0": (0, 100)})),
        ("model", pv.models.LinearRegression(target_bounds=(0, 100))),
    ]
    with config_context(transform_output="pandas"):
        made = pipeline(steps, rho=10).fit(rows, rows["0"])
        assert made["model"].bounds == {0: (-1, 1), 1: (-1, 1)}
        assert abs(made.predict(rows)[1] - 100) < 10


def test_a_lack_of_memory_shows_no_number_of_rows() -> None:
    made = pipeline([("pca", pv.models.PCA(bounds=(-1, 1))), ("clusters", pv.models.KMeans(n_clusters=2))], rho=1)
    with (
        mock.patch.object(pv.models.PCA, "transform", side_effect=MemoryError("shape (12345, 7)")),
        pytest.raises(UnavailableError, match="pipeline: the fit was broken off") as caught,
    ):
        made.fit(np.zeros((50, 3)))
    assert caught.value.__context__ is None
