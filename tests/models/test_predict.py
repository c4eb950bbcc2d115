"""Predictions as a unit: under the laws, within bounds, charged where they are released."""

import math
from typing import Any

import numpy as np
import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression
from privet.models.pipelines import pipeline
from privet.models.poisson_regression import PoissonRegressor
from privet.models.predict import Predict, _scores
from privet.models.standard_scaler import StandardScaler
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

ROWS = np.array([[-1.0, 2.0], [1.0, -2.0], [0.5, 0.0]] * 200)


def logistic(classes: Any = ("no", "yes")) -> LogisticRegression:
    """A model with coefficients that no chance decides."""
    model = LogisticRegression(rho=100, bounds=(-2, 2), classes=classes).fit(
        ROWS, [classes[0], classes[1], classes[-1]] * 200
    )
    model._encoded_coef = np.array([[1.1, -0.7], [-0.3, 0.9], [0.1, 0.2]][: 1 if len(classes) == 2 else 3])
    model._encoded_intercept = np.array([0.1, 0.3, -0.2][: len(model._encoded_coef)])
    return model


def linear() -> LinearRegression:
    model = LinearRegression(rho=100, bounds=(-2, 2), target_bounds=(-3, 10)).fit(ROWS, ROWS[:, 0])
    model._encoded_coef, model._encoded_intercept = np.array([1.7, -0.4]), 0.3
    return model


def poisson() -> PoissonRegressor:
    model = PoissonRegressor(rho=100, bounds=(-2, 2), target_bounds=(0, 5)).fit(ROWS, [1, 2, 3] * 200)
    model._encoded_coef, model._encoded_intercept = np.array([0.7, -0.4]), -0.3
    return model


def scaled() -> Any:
    steps = [("scale", StandardScaler(bounds=(-2, 2))), ("model", LinearRegression(target_bounds=(-3, 10)))]
    made = pipeline(steps, rho=100).fit(ROWS, ROWS[:, 0])
    last = made.steps_[-1][1]
    last._encoded_coef, last._encoded_intercept = np.array([1.7, -0.4]), 0.3
    return made


NUMBERS, CLASSES = Predict(model=linear()), Predict(model=logistic())
SHARES, THREE = Predict(model=logistic(), of="yes"), Predict(model=logistic(("a", "b", "c")), of="b")
CASES = [
    Case(name="predicted numbers", chain=pc.matrix(2) >> NUMBERS),
    Case(name="sums of predictions", chain=pc.matrix(2) >> NUMBERS >> pc.Sum()),
    Case(name="predicted classes", chain=pc.matrix(2, bounds=(-1, 1)) >> CLASSES),
    Case(name="predicted probabilities of known size", chain=pc.matrix(2, size=3) >> SHARES),
    Case(name="predicted probabilities of three", chain=pc.matrix(2, size=2, ordered=True) >> THREE),
    Case(name="predicted events", chain=pc.matrix(2) >> Predict(model=poisson()) >> pc.Sum()),
    Case(name="predictions of a pipeline", chain=pc.matrix(2) >> Predict(model=scaled())),
]


@frozen
class Centred(TwinOf):
    """Subtracts the mean of the batch first, as a scaler does that is fitted on what it predicts."""

    def apply(self, value: Any, space: Space) -> Any:
        finite = np.nan_to_num(value, posinf=0, neginf=0)
        return self.right.apply(value - finite.mean(axis=0) if len(value) else value, space)


@frozen
class AllOrNothing(TwinOf):
    """Gives zeros if a prediction of the batch is large."""

    def apply(self, value: Any, space: Space) -> Any:
        right = self.right.apply(value, space)
        return right * (right.max() <= 5) if len(right) else right


@frozen
class Unclamped(TwinOf):
    """Gives the linear predictor without bounds and grid."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.nan_to_num(value[:, 0], posinf=0, neginf=0) * 1e3 / 7


TWINS = [
    Twin(
        law="row by row", case=Case(name="centred by the batch", chain=pc.matrix(2, bounds=(-1, 1)) >> Centred(NUMBERS))
    ),
    Twin(law="map", case=Case(name="zeros after a large one", chain=pc.matrix(2) >> AllOrNothing(NUMBERS))),
    Twin(law="membership", case=Case(name="predictions without bounds", chain=pc.matrix(2) >> Unclamped(NUMBERS))),
]


def test_predictions_are_those_of_the_model() -> None:
    rows = np.random.default_rng(0).normal(size=(500, 2))
    for model in (linear(), poisson(), scaled()):
        found = (pc.matrix(2) >> Predict(model=model))(rows)
        assert np.allclose(np.asarray(found, dtype=float), model.predict(rows), atol=1e-6)
    for model in (logistic(), logistic(("a", "b", "c"))):
        assert (pc.matrix(2) >> Predict(model=model))(rows).tolist() == model.predict(rows).tolist()
        for place, name in enumerate(model.classes_.tolist()):
            found = (pc.matrix(2) >> Predict(model=model, of=name))(rows)
            assert np.allclose(np.asarray(found, dtype=float), model.predict_proba(rows)[:, place], atol=1e-6)


def test_one_row_at_a_time_gives_what_the_fast_way_gives() -> None:
    rows = np.random.default_rng(0).normal(size=(100, 2))
    for unit in (NUMBERS, CLASSES, SHARES, THREE):
        slow = np.array([unit._alone(row) for row in rows])
        assert np.allclose(slow, unit._raw(rows), atol=1e-9)


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 7, 8, 16, 33])
def test_a_score_has_the_same_bits_alone_and_among_other_rows(columns: int) -> None:
    """A product of matrices adds up in an order that depends on how many rows there are."""
    source = np.random.default_rng(columns)
    rows, weights = source.normal(size=(200, columns)), source.normal(size=columns)
    whole = _scores(rows, weights, 0.3)
    for at in range(len(rows)):
        assert _scores(rows[at : at + 1], weights, 0.3)[0] == whole[at]
    assert (_scores(np.asfortranarray(rows)[::-1], weights, 0.3)[::-1] == whole).all()
    in_order = [sum((z * w for z, w in zip(row, weights.tolist(), strict=True)), 0.0) + 0.3 for row in rows.tolist()]
    assert whole.tolist() == in_order


def test_released_sums_are_charged() -> None:
    chain = pc.matrix(2) >> NUMBERS >> pc.Sum() >> pc.Laplace(scale=20)
    assert chain.map(1).epsilon() <= 0.5 + 1e-9
    assert math.isfinite(chain(ROWS))


def test_missing_values_are_predicted() -> None:
    found = (pc.matrix(2) >> NUMBERS)([[math.nan, math.inf], [None, "x"], [0, 0]])
    assert len(found) == 3
    assert all(-3 <= item <= 10 for item in found.tolist())
    assert (pc.matrix(2) >> CLASSES)([]).tolist() == []


def test_a_prediction_that_fails_or_is_no_number_is_the_middle_of_the_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Row by row: an error for one row must not show, nor change what is said of another."""

    def predict(self: LinearRegression, X: Any) -> Any:
        if X[0, 0] > 0:
            raise ValueError("a row of the data")
        return [math.nan if X[0, 0] == 0 else 1.0]

    monkeypatch.setattr(LinearRegression, "predict", predict)
    found = (pc.matrix(2) >> Predict(model=scaled()))([[-1, 0], [0, 0], [1, 0]])
    assert found.tolist() == [1.0, 3.5, 3.5]


def test_a_later_fit_changes_no_unit() -> None:
    model = linear()
    chain = pc.matrix(2) >> Predict(model=model)
    before = chain([[1, 1]]).tolist()
    model._encoded_intercept = -0.9
    assert chain([[1, 1]]).tolist() == before


def test_wrong_models_are_refused() -> None:
    for model in (LinearRegression(), StandardScaler(bounds=(0, 1)).fit([[1]]), 3):
        with pytest.raises(
            WrongTypeError, match=r"Predict\.model must be a classifier or regressor of privet\.models after its fit"
        ):
            Predict(model=model)
    with pytest.raises(InvalidError, match="one of the classes"):
        Predict(model=logistic(), of="maybe")
    with pytest.raises(InvalidError, match="for classifiers with probabilities"):
        Predict(model=linear(), of=1)
    with pytest.raises(MismatchError, match=r"Predict\.model reads 2 columns, and the rows have 3"):
        pc.matrix(3) >> NUMBERS
    texts = LogisticRegression(rho=1, categories={0: ["a", "b"]}, classes=[0, 1]).fit(
        [["a"], ["b"]] * 500, [0, 1] * 500
    )
    with pytest.raises(MismatchError, match="a column of texts"):
        pc.matrix(1) >> Predict(model=texts)
