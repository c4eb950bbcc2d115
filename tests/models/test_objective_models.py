"""Models by objective perturbation: pure privacy, two classes or a number."""

import math
from typing import Any

import numpy as np
import pytest

from privet.errors import InvalidError
from privet.models.objective_huber_regressor import ObjectiveHuberRegressor
from privet.models.objective_linear_svc import ObjectiveLinearSVC
from privet.models.objective_logistic_regression import ObjectiveLogisticRegression
from tests.models.history_law import Step, histories

CLASSIFIERS = [ObjectiveLinearSVC, ObjectiveLogisticRegression]


def drawn(rows: int) -> tuple[Any, Any]:
    source = np.random.default_rng(1)
    table = source.uniform(-1, 1, size=(rows, 3))
    return table, (table @ [1.0, -1.0, 0.5] + 0.2 * source.normal(size=rows) > 0).astype(np.int64)


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_two_classes_are_learnt_with_pure_privacy(kind: Any) -> None:
    """2,000 rows at epsilon 1: above 0.85, where 0.91 is usual and chance is 0.5."""
    table, target = drawn(2_000)
    model = kind(epsilon=1, bounds=(-1, 1), classes=[0, 1]).fit(table, target)
    assert model.score(table, target) > 0.85
    assert model.loss_.epsilon() <= 1
    assert abs(model.n_samples_ - 2_000) < 500
    assert model.signal_
    assert "minimiser" in model.explain()


def test_probabilities_add_up() -> None:
    table, target = drawn(500)
    model = ObjectiveLogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1]).fit(table, target)
    chances = model.predict_proba(table)
    assert np.allclose(chances.sum(axis=1), 1)
    assert ((chances[:, 1] > 0.5) == (model.predict(table) == 1)).all()


def test_a_number_is_learnt_with_pure_privacy() -> None:
    table, _ = drawn(4_000)
    model = ObjectiveHuberRegressor(epsilon=2, bounds=(-1, 1), target_bounds=(-4, 4), radius=2)
    target = table @ [1.0, -1.0, 0.5]
    assert model.fit(table, target).score(table, target) > 0.8
    assert model.loss_.epsilon() <= 2


@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_a_row_beyond_the_radius_is_predicted_as_the_fit_reads_it(kind: Any) -> None:
    """At its end the row of ones is the square root of three long, and the radius is one."""
    model = kind(epsilon=1, bounds=(-1, 1), classes=[0, 1], radius=1).fit(*drawn(100))
    far, near = model.decision_function([[1, 1, -1], [1 / math.sqrt(3), 1 / math.sqrt(3), -1 / math.sqrt(3)]])
    assert abs(far - near) < 1e-9


def test_a_number_beyond_the_radius_is_predicted_as_the_fit_reads_it() -> None:
    model = ObjectiveHuberRegressor(epsilon=1, bounds=(-1, 1), target_bounds=(-4, 4), radius=1)
    far, near = model.fit(*drawn(100)).predict([[1, 1, -1], [1 / math.sqrt(3), 1 / math.sqrt(3), -1 / math.sqrt(3)]])
    assert abs(far - near) < 1e-9


@pytest.mark.parametrize(
    ("kind", "argument", "more"),
    [
        (ObjectiveHuberRegressor, "threshold", {"target_bounds": (-4, 4)}),
        (ObjectiveLinearSVC, "width", {"classes": [0, 1]}),
    ],
)
def test_the_shape_of_the_loss_is_that_of_the_argument(kind: Any, argument: str, more: dict[str, Any]) -> None:
    steps: list[Step] = []
    with histories(steps, None):
        kind(epsilon=1, bounds=(-1, 1), **{argument: 0.25}, **more).fit(*drawn(20))
    assert getattr(steps[-1].mechanism, argument) == 0.25


def test_no_number_leaves_the_bounds_of_the_target() -> None:
    model = ObjectiveHuberRegressor(epsilon=1, bounds=(-1, 1), target_bounds=(-4, 4)).fit(*drawn(20))
    for constant, end in ((50.0, 4.0), (-50.0, -4.0)):
        model._encoded_intercept = constant
        assert model.predict([[0, 0, 0]]).tolist() == [end]


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_almost_no_rows_are_an_ordinary_input(kind: Any, rows: int) -> None:
    model = kind(epsilon=1, bounds=(-1, 1), classes=[0, 1])
    model.fit(np.full((rows, 2), math.nan), np.zeros(rows))
    assert np.isfinite(model.decision_function([[math.inf, 0.0]])).all()


def test_three_classes_are_refused_with_the_reason() -> None:
    with pytest.raises(InvalidError, match="a curvature of rank one"):
        ObjectiveLogisticRegression(epsilon=1, bounds=(-1, 1), classes=[0, 1, 2]).fit([[0.0]], [0])


def test_a_radius_must_be_above_zero() -> None:
    with pytest.raises(InvalidError, match="radius must be above zero"):
        ObjectiveLinearSVC(radius=0, epsilon=1, bounds=(-1, 1), classes=[0, 1]).fit([[0.0]], [0])
