"""What all estimators share: which rows have a target."""

import math
from typing import Any

import numpy as np
import pytest

from privet.models.categorical_nb import CategoricalNB
from privet.models.estimator import PrivateEstimator
from privet.models.gaussian_nb import GaussianNB
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression
from privet.models.pipelines import pipeline
from privet.models.standard_scaler import StandardScaler

UNIT: dict[str, Any] = {"rho": 10, "bounds": (-1, 1)}
ROWS = np.zeros((2_000, 1))


@pytest.mark.parametrize("missing", [math.nan, None, "text"])
def test_rows_without_a_number_as_target_are_left_out(missing: Any) -> None:
    """Read as the middle of the bounds, they would halve every prediction; the noise of their number is 2."""
    model = LinearRegression(**UNIT, target_bounds=(-1, 1)).fit(ROWS, np.array([0.5, missing] * 1_000, dtype=object))
    assert abs(model.n_samples_ - 1_000) < 100
    assert abs(model.predict([[0.0]])[0] - 0.5) < 0.1


@pytest.mark.parametrize("missing", [7, math.nan, None, "text"])
@pytest.mark.parametrize("kind", [LogisticRegression, GaussianNB])
def test_rows_of_no_class_of_the_list_are_left_out(kind: type[PrivateEstimator], missing: Any) -> None:
    model: Any = kind(**UNIT, classes=[0, 1]).fit(ROWS, np.array([0, missing] * 1_000, dtype=object))
    assert abs(model.n_samples_ - 1_000) < 100
    assert model.predict_proba([[0.0]])[0, 0] > 0.7


@pytest.mark.parametrize("value", [5e-324, 1e308, -math.inf, math.nan])
def test_no_value_raises_an_error_of_numpy_whatever_a_user_sets(value: float) -> None:
    """The smallest number underflows on the grid of such bounds; an error would show that its row is there."""
    facts: dict[str, Any] = {"rho": 1, "bounds": (-1e307, 1e307), "classes": [0, 1], "edges": {0: [0.0]}}
    rows = np.array([[value], [0.5]] * 1_000)
    with np.errstate(all="raise"):
        model = CategoricalNB(**facts).fit(rows, np.array([0, 1] * 1_000))
        assert len(model.predict(rows)) == 2_000


def test_no_row_between_the_steps_of_a_pipeline_raises_an_error_of_numpy() -> None:
    scaler, model = StandardScaler(bounds=(-1e307, 1e307)), LogisticRegression(classes=[0, 1])
    with np.errstate(all="raise"):
        made = pipeline([("scale", scaler), ("model", model)], rho=1).fit([[5e-324], [0.5]] * 1_000, [0, 1] * 1_000)
    assert made.loss_.rho() == 1
