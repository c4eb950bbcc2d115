"""A pipeline of private estimators under one budget, with bounds carried from step to step."""

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar, final

import numpy as np
from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.metaestimators import _BaseComposition, available_if
from sklearn.utils.validation import check_is_fitted

from privet.accounting.planning.budget import AdditiveBudget
from privet.core import Array
from privet.errors import InvalidError, WrongTypeError
from privet.models.codebook_unit import check_unit
from privet.models.estimator import PrivateClassifier, PrivateEstimator, PrivateRegressor
from privet.models.features import Features, Numeric
from privet.models.fit_job import guarded
from privet.models.json_form import save, to_json
from privet.models.learnt import learnt
from privet.models.loss_words import loss_in_words, stated_delta
from privet.models.pipeline_budgets import read_shares, split_budget, sum_of_losses
from privet.models.preprocessor import BUDGET
from privet.models.stateless import STATELESS, through
from privet.models.tables_of import is_frame, without_rows

Method = TypeVar("Method", bound=Callable[..., Any])


def _last_has(name: str) -> Callable[[Method], Method]:
    """Offer a method only where the last step has it."""
    decorate: Callable[[Method], Method] = available_if(lambda self: hasattr(self.steps[-1][1], name))
    return decorate


@final
class Pipeline(_BaseComposition):
    """Private steps, one after the other: ``pipeline`` makes one; ``made[0]`` and ``made["name"]`` are its steps.

    Args:
        steps: Pairs of a name and a step. All but the last have ``transform``. A step is an estimator of Privet, or
            one of ``Binarizer``, ``FunctionTransformer`` and ``Normalizer`` of scikit-learn, which learn nothing.
        epsilon: The privacy loss of all steps together, with ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        shares: The part of the budget of each step that spends, by name; None for a tenth for each but the last.

    Guarantee: ``loss_``, the sum of the losses of the steps, at most the budget.
    Proof: docs/models/pipeline.md.
    """

    def __init__(
        self,
        steps: Any,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        shares: Any = None,
    ) -> None:
        self.steps = steps
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.shares = shares

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002 - as scikit-learn has it
        """Return the parameters, and as ``name__parameter`` those of the steps.

        Args:
            deep: Whether to give those of the steps, too.
        """
        found: dict[str, Any] = self._get_params("steps", deep=deep)
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters; ``name__parameter`` is one of a step, and ``name`` replaces the step.

        Args:
            parameters: The parameters.
        """
        self._set_params("steps", **parameters)
        return self

    @property
    def named_steps(self) -> Bunch:
        """The steps by name: fitted ones after a fit."""
        return Bunch(**dict(self._latest()))

    @property
    def classes_(self) -> Array:
        """The classes of the last step."""
        found: Array = self._fitted().classes_
        return found

    def __getitem__(self, which: int | str) -> Any:
        """Return a step by its position or its name: a fitted one after a fit."""
        if isinstance(which, slice):
            raise WrongTypeError("pipeline[...] takes the position or the name of one step, got slice.")
        return dict(self._latest())[which] if isinstance(which, str) else self._latest()[which][1]

    def __len__(self) -> int:
        return len(self.steps)

    def _latest(self) -> Any:
        return getattr(self, "steps_", self.steps)

    def _fitted(self) -> Any:
        """Return the last step; scikit-learn's own error says so if there was no fit."""
        check_is_fitted(self, "steps_")
        return self.steps_[-1][1]

    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> Self:  # noqa: N803
        """Fit the steps in order; each reads the rows that the step before it gives.

        Args:
            X: The rows, as for the first step.
            y: The target of the last step. It may be left out if ``target`` of the last step names a column of the
                frame, which no step reads as a feature.
            persons: The person of each row, as for a single estimator.
        """
        return guarded("pipeline", lambda: self._fit_rows(X, y, persons))

    def _fit_rows(self, X: Any, y: Any, persons: Any) -> Self:  # noqa: N803
        for name in learnt(self):
            delattr(self, name)
        _check_steps(self.steps)
        shares = read_shares(self.steps, self.shares)
        _check_caps(self.steps, shares, persons)
        spending, budgets = split_budget(self, dict(self.steps), shares)
        final = self.steps[-1][1]
        data, y = final._split_target(X, y) if isinstance(final, PrivateEstimator) else (X, y)
        self._rehearse(data, y, persons, budgets)
        fitted = self._fit_steps(data, y, persons, budgets)
        self.steps_ = fitted
        self.loss_ = sum_of_losses(spending, [dict(fitted)[name].loss_ for name in shares])
        return self

    def _rehearse(self, data: Any, y: Any, persons: Any, budgets: Mapping[str, AdditiveBudget]) -> None:
        """Fit copies to no rows, so that what a later step refuses is refused before an earlier one spends."""
        nobody: Any = None if persons is None else []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows, target = without_rows(data, y if getattr(self.steps[-1][1], "supervised", False) else None)
            self._fit_steps(rows, target, nobody, budgets)

    def _fit_steps(self, data: Any, y: Any, persons: Any, budgets: Mapping[str, AdditiveBudget]) -> list[Any]:
        """Fit copies of the steps, each to the rows that the one before it gives."""
        facts, fitted = None, []
        for at, (name, step) in enumerate(self.steps):
            if isinstance(step, STATELESS):
                data, facts = through(step, data, facts)
                fitted.append((name, step))
                continue
            found = clone(step).set_params(**_carried(step, facts))
            if name in budgets:
                found.set_params(budget=budgets[name])
            found.fit(data, y, persons=persons) if persons is not None else found.fit(data, y)
            fitted.append((name, found))
            if at < len(self.steps) - 1:
                data, facts = _transformed(found, data), getattr(found, "output_features_", None)
        return fitted

    def _rows(self, X: Any) -> Any:  # noqa: N803
        """Return rows as the last step reads them."""
        last = self._fitted()
        data = last._without_target(X) if isinstance(last, PrivateEstimator) else X
        for _, step in self.steps_[:-1]:
            data = through(step, data, None)[0] if isinstance(step, STATELESS) else _transformed(step, data)
        return data

    @_last_has("predict")
    def predict(self, X: Any) -> Array:  # noqa: N803
        """Return the predictions of the last step."""
        found: Array = self._fitted().predict(self._rows(X))
        return found

    @_last_has("predict_proba")
    def predict_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the probabilities of the last step."""
        found: Array = self._fitted().predict_proba(self._rows(X))
        return found

    @_last_has("predict_log_proba")
    def predict_log_proba(self, X: Any) -> Array:  # noqa: N803
        """Return the logarithms of the probabilities of the last step."""
        found: Array = self._fitted().predict_log_proba(self._rows(X))
        return found

    @_last_has("decision_function")
    def decision_function(self, X: Any) -> Array:  # noqa: N803
        """Return the decision function of the last step."""
        found: Array = self._fitted().decision_function(self._rows(X))
        return found

    @_last_has("transform")
    def transform(self, X: Any) -> Array:  # noqa: N803
        """Return the rows after all steps."""
        rows, last = self._rows(X), self._fitted()
        found: Array = through(last, rows, None)[0] if isinstance(last, STATELESS) else last.transform(rows)
        return found

    @_last_has("score")
    def score(self, X: Any, y: Any = None) -> float:  # noqa: N803
        """Return the score of the last step on public rows; a score on private rows is a release of its own."""
        return float(self._fitted().score(self._rows(X), y))

    def explain(self) -> str:
        """Describe every step, what it released and what all of them cost."""
        check_is_fitted(self, "steps_")
        lines = [f"Pipeline of {len(self.steps_)} steps."]
        for name, step in self.steps_:
            free = f"{type(step).__name__}: reads no private data to learn from, and costs nothing."
            text = free if isinstance(step, STATELESS) or not step.releases_ else step.explain()
            lines.append(f"{name}: {text}")
        cost = loss_in_words(self.loss_, stated_delta(self))
        return "\n".join([*lines, f"All steps together: {cost}; loss_ has it exactly."])

    def to_json(self) -> str:
        """Write the steps and what they learnt as JSON; ``from_json`` reads it, and runs nothing."""
        return to_json(self)

    def save(self, path: str | Path) -> None:
        """Write the text of ``to_json`` into a file; ``load`` reads it.

        Args:
            path: The file; an existing one is replaced.
        """
        save(self, path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "steps_")

    def __sklearn_tags__(self) -> Any:
        return self.steps[-1][1].__sklearn_tags__()


def pipeline(
    steps: Any,
    *,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    budget: Any = None,
    shares: Any = None,
) -> Pipeline:
    """Make a pipeline of private steps under one budget.

    Args:
        steps: Pairs of a name and a step.
        epsilon: The privacy loss of all steps together, with ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        shares: The part of the budget of each step that spends, by name.

    >>> from privet.models.logistic_regression import LogisticRegression
    >>> from privet.models.standard_scaler import StandardScaler
    >>> steps = [("scale", StandardScaler(bounds=(0, 9))), ("model", LogisticRegression(classes=[0, 1]))]
    >>> model = pipeline(steps, epsilon=1, delta=1e-6).fit([[1], [8]] * 500, [0, 1] * 500)
    >>> model.predict([[0], [9]]).tolist()
    [0, 1]
    """
    made = Pipeline(list(steps), epsilon=epsilon, delta=delta, rho=rho, budget=budget, shares=shares)
    _check_steps(made.steps)
    return made


def _check_steps(steps: Any) -> None:
    pairs = isinstance(steps, list | tuple) and all(isinstance(each, list | tuple) and len(each) == 2 for each in steps)
    if not pairs or not steps or len({name for name, _ in steps}) != len(steps):
        raise InvalidError('pipeline.steps must be pairs of different names and steps, such as ("model", PCA(...)).')
    for at, (name, step) in enumerate(steps):
        _check_name(name)
        if isinstance(step, type):
            raise WrongTypeError(
                f"pipeline.steps: {name!r} must be an estimator, got the class {step.__name__}: write "
                f"{step.__name__}(...)."
            )
        if not isinstance(step, (PrivateEstimator, *STATELESS)):
            known = ", ".join(each.__name__ for each in STATELESS)
            raise WrongTypeError(
                f"pipeline.steps: {name!r} is a {type(step).__name__}, which may learn from the data without privacy. "
                f"Use the estimators of privet.models; of scikit-learn only {known}, which learn nothing."
            )
        if at < len(steps) - 1 and not hasattr(step, "transform"):
            raise WrongTypeError(f"pipeline.steps: {name!r} has no transform, so it can only be the last step.")
        if any(getattr(step, each, None) is not None for each in BUDGET):
            raise InvalidError(f"pipeline.steps: {name!r} has a budget; leave it out: the pipeline splits its own.")
        # what a later step would refuse is refused before an earlier one spends
        if isinstance(step, PrivateClassifier):
            step._known_classes()
        if isinstance(step, PrivateRegressor):
            step._target_column()


def _check_caps(steps: Any, shares: Mapping[str, Any], persons: Any) -> None:
    """Refuse persons without a cap, or what protects rows only, in a later step before an earlier one spends."""
    for _, step in steps:
        if shares:
            check_unit(f"pipeline: {type(step).__name__}", getattr(step, "codebook", None), persons)
    for name in shares:
        capped = dict(steps)[name].rows_per_person is not None
        if persons is None and capped:
            raise InvalidError(
                f"pipeline: step {name!r} has rows_per_person, and fit no persons=: without ids each row is protected "
                "by itself. Give fit(..., persons=ids), or leave rows_per_person out."
            )
        if persons is not None and not capped:
            raise InvalidError(
                f"pipeline.fit has persons=, and step {name!r} no rows_per_person: without a cap a person with many "
                "rows would not be protected."
            )


def _check_name(name: Any) -> None:
    """Refuse names that set_params could not tell from parameters."""
    if not isinstance(name, str):
        raise WrongTypeError(f"pipeline.steps must have names that are texts, got {type(name).__name__}.")
    if "__" in name or name in (*BUDGET, "steps", "shares"):
        raise InvalidError(
            f"pipeline.steps: {name!r} is no name for a step: choose one without two underscores that is no parameter "
            "of pipeline."
        )


def _transformed(step: Any, data: Any) -> Array:
    """Return an array, whatever container scikit-learn was told to make: carried bounds are by position."""
    found = step.transform(data)
    return np.asarray(found.to_numpy() if is_frame(found) else found)


def _carried(step: Any, facts: Features | None) -> dict[str, Any]:
    """Return the bounds and categories of the step before, unless a step states its own.

    A codebook is about the columns of the data, not about those of a step; the last step may have it for its target.
    """
    parameters = step.get_params(deep=False)
    own = any(parameters.get(name) is not None for name in ("bounds", "categories"))
    if facts is None or own:
        return {}
    bounds = {at: (item.lower, item.upper) for at, item in enumerate(facts.columns) if isinstance(item, Numeric)}
    lists = {at: list(item.values) for at, item in enumerate(facts.columns) if not isinstance(item, Numeric)}
    return {"bounds": bounds} | ({"categories": lists} if lists else {})
