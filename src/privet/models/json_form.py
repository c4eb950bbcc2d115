"""Models as text: JSON with parameters and what was released, never a pickle, so that reading runs no code."""

import json
import re
import sys
from importlib import import_module
from inspect import get_annotations
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from privet.accounting.losses.loss import Loss
from privet.core import few_items, write_format
from privet.errors import InvalidError
from privet.models.features import Features
from privet.models.json_values import BUDGETS, LOSSES, MOST_ROOM, read_value, refuse_value, room_of_texts, write_value
from privet.models.learnt import is_learnt, learnt
from privet.models.signal import Signal
from privet.tables.releases.json_text import agrees, check, check_format, read_json, reading

_FORMAT = write_format("model", 1)
_PACKAGE = "privet.models."
_NAME = re.compile(r"_?[A-Za-z][A-Za-z0-9_]{0,80}", re.ASCII)
# The module of each estimator that may be read. A text names one of these, and nothing else is imported or called.
ESTIMATORS = {
    "CategoricalNB": "categorical_nb",
    "DecisionTreeClassifier": "decision_tree",
    "DecisionTreeRegressor": "decision_tree",
    "GaussianNB": "gaussian_nb",
    "GradientBoostingClassifier": "gradient_boosting",
    "GradientBoostingRegressor": "gradient_boosting",
    "KBinsDiscretizer": "k_bins_discretizer",
    "KMeans": "k_means",
    "LinearRegression": "linear_regression",
    "LloydKMeans": "lloyd_k_means",
    "LogisticRegression": "logistic_regression",
    "ObjectiveHuberRegressor": "objective_huber_regressor",
    "ObjectiveLinearSVC": "objective_linear_svc",
    "ObjectiveLogisticRegression": "objective_logistic_regression",
    "OneHotEncoder": "one_hot_encoder",
    "PCA": "pca",
    "Pipeline": "pipelines",
    "PoissonRegressor": "poisson_regression",
    "RandomForestClassifier": "random_forest",
    "RandomForestRegressor": "random_forest",
    "StandardScaler": "standard_scaler",
    "TheilSenRegressor": "theil_sen",
}


def to_json(model: Any) -> str:
    """Write an estimator: its parameters, and if it is fitted what it learnt.

    Everything in the text comes from releases and public facts, so that the text may be published as the model may.

    Args:
        model: An estimator of ``privet.models``, or a pipeline of them.
    """
    return json.dumps({"format": _FORMAT, "model": _write_model(model)}, allow_nan=False)


def from_json(text: object) -> Any:
    """Read an estimator that ``to_json`` wrote; it predicts bit by bit what the written one did.

    A text that this function cannot have written gives ``InvalidError``; a text with other numbers gives another model,
    so keep files where nobody can change them. Nothing in the text is executed.

    Args:
        text: What ``to_json`` wrote.

    >>> from privet.models.logistic_regression import LogisticRegression
    >>> from_json(LogisticRegression(rho=0.1, bounds=(0, 1), classes=[0, 1]).to_json())
    LogisticRegression(bounds=(0, 1), classes=[0, 1], rho=0.1)
    """
    data = read_json("models", text)
    check_format("models.from_json", _FORMAT, data)
    with reading("models"):
        check(set(data) == {"format", "model"} and room_of_texts(data) <= MOST_ROOM)
        model = _read_model(data["model"])
        check(agrees(data["model"], _write_model(model)))
    return model


def arguments(model: Any) -> Any:
    """Write the parameters of an estimator as plain data; other parameters, other data.

    Args:
        model: An estimator of ``privet.models``.
    """
    return _write_model(model)["parameters"]


def save(model: Any, path: str | Path) -> None:
    """Write an estimator into a file, as ``to_json`` does.

    Args:
        model: The estimator.
        path: The file; an existing one is replaced.
    """
    Path(path).write_text(to_json(model) + "\n", encoding="utf-8")


def load(path: str | Path) -> Any:
    """Read an estimator from a file that ``save`` wrote.

    Args:
        path: The file.
    """
    return from_json(Path(path).read_bytes())


def _write_model(model: Any) -> dict[str, Any]:
    name = type(model).__name__
    if ESTIMATORS.get(name) is None or type(model).__module__ != _PACKAGE + ESTIMATORS[name]:
        return dict(refuse_value(model))
    parts, parameters = _parts(type(model)), model.get_params(deep=False)

    def other(value: Any) -> Any:
        return {"model": _write_model(value)} if type(value).__name__ in ESTIMATORS else refuse_value(value)

    return {
        "class": name,
        "parameters": {name: write_value(value, parts, other) for name, value in parameters.items()},
        "fitted": {name: write_value(value, parts, other) for name, value in learnt(model).items()},
    }


def _read_model(data: Any) -> Any:
    check(isinstance(data, dict) and set(data) == {"class", "parameters", "fitted"})
    name = data["class"]
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise InvalidError(f"there is no estimator {str(name)[:40]!r}; there are {few_items(tuple(ESTIMATORS))}.")
    kind = getattr(import_module(_PACKAGE + ESTIMATORS[name]), name)
    parts = _parts(kind)

    def other(tag: str, inner: Any) -> Any:
        check(tag == "model")
        return _read_model(inner)

    check(isinstance(data["parameters"], dict) and isinstance(data["fitted"], dict))
    check(data["parameters"].keys() <= set(kind._get_param_names()))
    model = kind(**{key: read_value(item, parts, other) for key, item in data["parameters"].items()})
    for key, item in data["fitted"].items():
        check(_NAME.fullmatch(key) and is_learnt(kind, key))
        vars(model)[key] = read_value(item, parts, other)
    _check_complete(model)
    return model


def _check_complete(model: Any) -> None:
    """Refuse a fitted model without what every fit writes."""
    fitted, kind = learnt(model), type(model)
    if not fitted:
        return
    if kind.__name__ == "Pipeline":
        check(isinstance(fitted.get("steps_"), list) and isinstance(fitted.get("loss_"), Loss))
        return
    ours = [each for each in kind.__mro__ if each.__module__.startswith(_PACKAGE)]
    written = {name for each in ours for name in get_annotations(each) if is_learnt(kind, name)}
    check(written <= fitted.keys() and isinstance(fitted.get("features_"), Features))
    check(isinstance(fitted.get("loss_"), Loss) and isinstance(fitted.get("signal_"), Signal))
    check(isinstance(fitted.get("releases_"), list) and isinstance(fitted.get("noise_scale_"), dict))
    check("classes" not in kind._get_param_names() or isinstance(fitted.get("classes_"), np.ndarray))


def _parts(kind: type) -> dict[str, type]:
    """Return the small classes that a fitted model holds: losses, budgets, and those of the modules of its class."""
    found: dict[str, type] = {each.__name__: each for each in (*LOSSES, *BUDGETS)}
    waiting, seen = [kind.__module__, _PACKAGE + "estimator", _PACKAGE + "features"], set()
    while waiting:
        module = waiting.pop()
        if module in seen:
            continue
        seen.add(module)
        for each in list(vars(sys.modules[module]).values()):
            if isinstance(each, type) and each.__module__.startswith(_PACKAGE) and attrs.has(each):
                found[each.__name__] = each
                waiting.append(each.__module__)
    return found


def contiguous(model: Any) -> None:
    """Copy the arrays of a fitted model into plain order, so that its copy from a text computes bit by bit the same."""
    for name, value in learnt(model).items():
        vars(model)[name] = np.ascontiguousarray(value) if _is_strided(value) else value


def _is_strided(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0 and not value.flags.c_contiguous
