"""Private principal components: what they find, how they treat rows, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import privet as pv
from privet.errors import InvalidError, WrongTypeError
from privet.models.json_form import from_json
from privet.models.logistic_regression import LogisticRegression
from privet.models.pca import PCA
from privet.models.pipelines import pipeline
from privet.models.standard_scaler import StandardScaler
from tests.laws.replay import replayed
from tests.models.history_law import Step, histories

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
DIRECTION = np.array([3, 2, -1, 0]) / np.sqrt(14)


def rows(count: int = 20_000) -> Any:
    """Rows around (0.1, -0.2, 0, 0) with a standard deviation of 0.2 along one direction and 0.04 along the others."""
    source = np.random.default_rng(1)
    along, around = source.normal(size=(count, 1)), source.normal(size=(count, 4))
    return np.array([0.1, -0.2, 0, 0]) + 0.2 * along * DIRECTION + 0.04 * around


def test_a_clear_direction_is_found() -> None:
    """40 fits had cosines above 0.99998, means within 0.007 and variances from 0.0347 to 0.0374, less than the true
    0.0416: rows far out are moved inward."""
    model = PCA(**BUDGET, bounds=(-1, 1)).fit(rows())
    first = model.components_[0]
    assert abs(first @ DIRECTION) > 0.999
    assert np.allclose(model.components_ @ model.components_.T, np.eye(4), atol=1e-9)
    assert abs(model.mean_ - [0.1, -0.2, 0, 0]).max() < 0.03
    assert 0.03 < model.explained_variance_[0] < 0.0416
    assert (np.diff(model.explained_variance_) <= 0).all()
    assert 0.8 < model.explained_variance_ratio_[0] < 0.95
    assert abs(model.explained_variance_ratio_.sum() - 1) < 1e-9
    assert abs(model.n_samples_ - 20_000) < 200
    assert model.signal_
    assert model.loss_.epsilon(1e-6) <= 1


def test_few_components_are_the_first_of_all() -> None:
    model = PCA(n_components=1, **BUDGET, bounds=(-1, 1)).fit(rows())
    assert model.components_.shape == (1, 4)
    assert model.n_components_ == 1
    assert model.transform(rows(7)).shape == (7, 1)
    assert model.get_feature_names_out().tolist() == ["pca0"]
    assert model.signal_.reason == "all 1 components stand out from the noise."


def test_coordinates_and_back() -> None:
    data = 50 + 40 * rows(5_000)
    model = PCA(rho=10, bounds=(10, 90)).fit(data)
    found = model.transform(data)
    assert np.allclose(model.inverse_transform(found), data)
    assert 1 < np.cov(found.T)[0, 0] / model.explained_variance_[0] < 1.3


def test_the_signal_says_what_stands_out() -> None:
    """Noise alone passes for a component in about one of a thousand fits; here the noise is recorded."""
    with replayed(seed=0), pytest.warns(UserWarning, match="no component stands out"):
        model = PCA(rho=1e-4, bounds=(-1, 1)).fit(rows(100))
    assert not model.signal_
    flat = np.zeros((20_000, 2))
    flat[:, 0] = np.linspace(-1, 1, 20_000)
    with replayed(seed=0):
        model = PCA(rho=0.01, bounds=(-1, 1)).fit(flat)
    assert model.signal_.reason.startswith("1 of 2 components stand out")


@pytest.mark.parametrize(
    ("count", "problem"), [(0, "from 1 to 2"), (3, "from 1 to 2"), (-1, "from 1 to 2"), (1.5, "n_components")]
)
def test_a_number_of_components_out_of_range_is_refused_before_anything_is_read(count: Any, problem: str) -> None:
    found: list[Step] = []
    with histories(found, None), pytest.raises((InvalidError, WrongTypeError), match=problem):
        PCA(n_components=count, **BUDGET, bounds=(-1, 1)).fit(np.zeros((5, 2)))
    assert not found


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"bounds": None}, "bounds must give"),
        ({"epsilon": None, "delta": None}, "needs a privacy budget"),
        ({"delta": None}, "Gaussian noise"),
    ],
)
def test_public_facts_and_a_budget_are_needed(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidError, match=problem):
        PCA(**{**BUDGET, "bounds": (-1, 1), **wrong}).fit(np.zeros((5, 2)))


def test_categories_become_columns() -> None:
    """The two categories exclude each other: the first direction separates them."""
    source = np.random.default_rng(2)
    frame = pd.DataFrame({"kind": source.choice(["a", "b"], 5_000), "size": source.normal(size=5_000)})
    frame.loc[::100, "kind"] = "unknown"
    model = PCA(n_components=2, **BUDGET, bounds={"size": (-20, 20)}, categories={"kind": ["a", "b"]}).fit(frame)
    assert model.components_.shape == (2, 3)
    first = model.components_[0]
    assert abs(first[0] - first[1]) > 1.3
    assert model.transform(pd.DataFrame({"kind": ["a", "b", None], "size": [0.0, 0, 0]})).shape == (3, 2)


def test_persons_are_protected_by_a_cap() -> None:
    ids = np.arange(20_000) // 4
    model = PCA(**BUDGET, bounds=(-1, 1), rows_per_person=2).fit(rows(), persons=ids)
    assert abs(model.n_samples_ - 10_000) < 500
    assert abs(model.components_[0] @ DIRECTION) > 0.99
    single = PCA(**BUDGET, bounds=(-1, 1)).fit(rows())
    assert abs(model.noise_scale_["centre and radius"] / single.noise_scale_["centre and radius"] - 2) < 1e-6
    with pytest.raises(InvalidError, match="rows_per_person must be given"):
        PCA(**BUDGET, bounds=(-1, 1)).fit(rows(5), persons=range(5))


@pytest.mark.parametrize(
    "data",
    [
        np.empty((0, 2)),
        np.array([[0.5, -0.5]]),
        np.full((30, 2), np.nan),
        np.array([[np.nan, np.inf], [-np.inf, 1e308], [0.0, -0.0]]),
        [[None, "text"], [1, 10**400]],
    ],
)
def test_any_values_are_read(data: Any) -> None:
    with replayed(seed=0), pytest.warns(UserWarning, match="no component stands out"):
        model = PCA(rho=0.001, bounds=(-1, 1)).fit(data)
    for found in (model.mean_, model.components_, model.explained_variance_, model.transform(data)):
        assert np.isfinite(found).all()


def test_missing_values_count_as_the_middle_and_infinite_ones_as_the_bounds() -> None:
    model = PCA(rho=1, bounds=(0, 10)).fit(rows(500))
    found = model.transform([[np.nan, np.inf, 1, 1], [5, 10, 1, 1]])
    assert (found[0] == found[1]).all()


def test_a_row_has_the_same_coordinates_alone_and_among_others() -> None:
    """A step of a pipeline reads these coordinates: they must not depend on other rows by a bit."""
    data = rows(300)
    model = PCA(**BUDGET, bounds=(-1, 1)).fit(data)
    whole = model.transform(data)
    for at in range(len(data)):
        assert (model.transform(data[at : at + 1]) == whole[at]).all()
    assert (model.transform(np.asfortranarray(data)) == whole).all()


def test_a_text_gives_the_same_model() -> None:
    model = PCA(n_components=2, **BUDGET, bounds=(-1, 1)).fit(rows())
    again = from_json(model.to_json())
    assert (again.transform(rows(100)) == model.transform(rows(100))).all()
    assert again.loss_ == model.loss_
    assert again.explain() == model.explain()
    assert again.to_json() == model.to_json()


def test_a_session_pays() -> None:
    columns = {name: pv.column("real", bounds=(-1, 1)) for name in "abcd"}
    table = pd.DataFrame(rows(), columns=list("abcd"))
    opened: Any = pv.Session(table, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=2, delta=1e-6))
    model = opened.query().fit(PCA(n_components=1), epsilon=1, delta=1e-7)
    assert abs(model.components_[0] @ DIRECTION) > 0.99
    assert opened.spent.epsilon <= 1
    assert opened.history[0].query == "PCA"
    assert (model.transform(table)[0] == model.transform(table[:1])[0]).all()


def test_it_is_a_step_of_a_pipeline() -> None:
    steps = [("scale", StandardScaler(bounds=(-1, 1))), ("pca", PCA(n_components=2))]
    made = pipeline(steps, **BUDGET).fit(rows())
    assert made.transform(rows(5)).shape == (5, 2)
    assert made.loss_.epsilon(1e-6) <= 1


def test_bounds_are_carried_to_the_next_step_of_a_pipeline() -> None:
    line = np.linspace(-1, 1, 4_000)
    steps = [("axes", PCA(n_components=1, bounds=(-1, 1))), ("model", LogisticRegression(classes=[0, 1]))]
    model = pipeline(steps, epsilon=2, delta=1e-6).fit(np.column_stack([line, line]), (line > 0).astype(int))
    assert model.predict([[0.9, 0.9], [-0.9, -0.9]]).tolist() == [1, 0]
    ends = model.named_steps["axes"].output_features_.columns[0].bounds
    assert 1.5 < float(ends[1]) < 4
