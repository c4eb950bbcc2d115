"""Predictions of a fitted model as a unit: row by row, within public bounds, on a public grid."""

import copy
import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, VectorDomain, default_grid, must_be, quietly, type_name
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.models.estimator import PrivateClassifier, PrivateEstimator, PrivateRegressor
from privet.models.features import Features, Numeric
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression
from privet.models.pipelines import Pipeline
from privet.models.poisson_regression import PoissonRegressor
from privet.transforms import matrix_domain

_LINEAR = (LinearRegression, LogisticRegression, PoissonRegressor)


def _own(model: Any) -> Any:
    """Copy a model, so that a later fit of it changes no unit; a matrix has no names of columns."""
    if not isinstance(model, PrivateEstimator | Pipeline):
        return model
    own = copy.deepcopy(model)
    for each in (own, *(step for _, step in getattr(own, "steps_", ()))):
        vars(each).pop("feature_names_in_", None)
    return own


def _predictor(model: Any) -> Any:
    """Return the step of a model that predicts, or None if there is none or it is not fitted."""
    last = getattr(model, "steps_", [("", None)])[-1][1] if isinstance(model, Pipeline) else model
    good = isinstance(last, PrivateClassifier | PrivateRegressor) and hasattr(last, "features_")
    return last if good else None


@final
@frozen(kw_only=True)
class Predict(RowTransformation):
    """Replace every row of numbers by what a fitted private model predicts for it.

    The result is a column: numbers within the bounds of the target for a regression, names of classes for a
    classifier, or with ``of`` the probability of a class. Every row is predicted by itself, in arithmetic of a fixed
    order, and rounded to a grid. Linear models are fast; others are called with one row at a time.

    The prediction for a private row is private. A model that was fitted with privacy may be published; what it says of
    a person's row may not. Release sums, means or counts of predictions with a mechanism, and they are charged.

    Args:
        model: A fitted classifier or regressor of ``privet.models``, or a pipeline that ends in one.
        of: For a classifier, the class whose probability is the result; None for the class that is predicted.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/models/predict.md.

    >>> from privet.core.space import matrix
    >>> from privet.models.logistic_regression import LogisticRegression
    >>> model = LogisticRegression(rho=10, bounds=(-1, 1), classes=["a", "b"])
    >>> model = model.fit([[-1], [1]] * 500, ["a", "b"] * 500)
    >>> (matrix(1) >> Predict(model=model))([[-1], [5]]).tolist()
    ['a', 'b']
    """

    model: Any = field(
        converter=_own,
        validator=must_be(
            lambda model: _predictor(model) is not None,
            "a classifier or regressor of privet.models after its fit",
            WrongTypeError,
            type_name,
        ),
        repr=type_name,
    )
    of: Any = None

    def __attrs_post_init__(self) -> None:
        last = _predictor(self.model)
        if self.of is None:
            return
        if not isinstance(last, PrivateClassifier) or not hasattr(self.model, "predict_proba"):
            raise InvalidError(f"Predict.of is for classifiers with probabilities, got a {type(last).__name__}.")
        if self.of not in last.classes_.tolist():
            raise InvalidError(f"Predict.of must be one of the classes of the model, got {self.of!r}.")

    def output(self, space: Space) -> Space:
        """A column with as many rows, with public bounds and a grid, or with the classes as categories."""
        domain = matrix_domain(self, space)
        first = self.model.steps_[0][1] if isinstance(self.model, Pipeline) else self.model
        facts = getattr(first, "features_", None)
        if not isinstance(facts, Features):
            raise MismatchError("Predict needs a pipeline whose first step is an estimator of privet.models.")
        if len(facts.columns) != domain.columns:
            raise MismatchError(
                f"Predict.model reads {len(facts.columns)} columns, and the rows have {domain.columns}."
            )
        texts = [item for item in facts.columns if not isinstance(item, Numeric) and any(map(_is_text, item.values))]
        if texts:
            raise MismatchError("Predict reads rows of numbers, and Predict.model has a column of texts.")
        return Space(self._results(domain.size, ordered=domain.ordered), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Predict each row, then clamp and round."""
        domain, last = self._results(None, ordered=False), _predictor(self.model)
        if isinstance(last, PrivateClassifier) and self.of is None:
            names = [str(item) for item in last.classes_.tolist()]
            found = np.empty(len(value), dtype=object)
            found[:] = [names[int(place)] for place in self._raw(value)]
            return found
        numbers = self._raw(value)
        middle = float(sum(domain.bounds or ()) / 2)
        result: Array = domain.coerce(np.where(np.isnan(numbers), middle, numbers), None)
        return result

    def _results(self, size: int | None, *, ordered: bool) -> VectorDomain:
        last = _predictor(self.model)
        if isinstance(last, PrivateClassifier) and self.of is None:
            names = tuple(str(item) for item in last.classes_.tolist())
            return VectorDomain(kind=str, nullable=False, categories=names, size=size, ordered=ordered)
        ends = (Fraction(0), Fraction(1))
        if isinstance(last, PrivateRegressor):
            ends = (last.target_column_.lower, last.target_column_.upper)
        grid = default_grid("Predict", ends)
        return VectorDomain(kind=float, nullable=False, bounds=ends, grid=grid, size=size, ordered=ordered)

    def _raw(self, value: Array) -> Array:
        """Return numbers, probabilities, or positions of classes."""
        if isinstance(self.model, _LINEAR):
            return self._linear(value)
        return np.array([self._alone(row) for row in value], dtype=np.float64).reshape(len(value))

    def _linear(self, value: Array) -> Array:
        """Add up column by column, so that a row depends on itself alone; call exp on one number at a time."""
        model = self.model
        rows = model.features_.encode([np.array(value[:, at]) for at in range(value.shape[1])], len(value))
        weights = np.atleast_2d(model._encoded_coef)
        scores = [
            _scores(rows, each, float(c)) for each, c in zip(weights, np.ravel(model._encoded_intercept), strict=True)
        ]
        if isinstance(model, LinearRegression):
            return np.clip(scores[0], -1.0, 1.0) * model.target_column_.half + model.target_column_.middle
        if isinstance(model, PoissonRegressor):
            shares = [math.exp(min(each, 0.0)) for each in scores[0].tolist()]
            return np.array(shares, dtype=np.float64) * float(model.target_column_.upper)
        scores = [np.zeros(len(rows)), scores[0]] if len(scores) == 1 else scores
        best = np.zeros(len(rows), dtype=np.int64)
        top = scores[0]
        for place, each in enumerate(scores[1:], start=1):
            best, top = np.where(each > top, place, best), np.maximum(each, top)
        if self.of is None:
            return best.astype(np.float64)
        parts = [np.array([math.exp(item) for item in (each - top).tolist()]) for each in scores]
        total = np.zeros(len(rows))
        for each in parts:
            total = total + each
        return np.asarray(parts[model.classes_.tolist().index(self.of)] / total)

    def _alone(self, row: Array) -> float:
        """Return the prediction for one row; whatever fails gives NaN, or the first class."""
        single, last = np.array(row, dtype=np.float64).reshape(1, -1), _predictor(self.model)
        if self.of is not None:
            place = last.classes_.tolist().index(self.of)
            return _number(quietly(lambda: self.model.predict_proba(single)[0, place]), math.nan)
        if isinstance(last, PrivateClassifier):
            listed = last.classes_.tolist()
            return _number(quietly(lambda: listed.index(self.model.predict(single).tolist()[0])), 0.0)
        return _number(quietly(lambda: self.model.predict(single)[0]), math.nan)


def _scores(rows: Array, weights: Array, constant: float) -> Array:
    total = np.zeros(len(rows))
    for at, weight in enumerate(weights.tolist()):
        total = total + rows[:, at] * weight
    return np.asarray(total + constant)


def _number(found: Any, otherwise: float) -> float:
    return otherwise if found is None else float(found)


def _is_text(value: Any) -> bool:
    return not isinstance(value, int | float | Fraction)
