"""The signal of a fit: an empty table, and one that drowns in noise, must hardly ever look like knowledge."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import privet as pv
from privet.models import forest_growth, logistic_regression, objective_models, tree_growth
from privet.models.spending import Form, spending_of

CLASSES: dict[str, Any] = {"classes": [0, 1]}
NUMBERS: dict[str, Any] = {"target_bounds": (-1, 1)}
NORMAL: dict[str, Any] = {"epsilon": 0.1, "delta": 1e-6}
PURE: dict[str, Any] = {"epsilon": 0.1}
M = pv.models
MODELS: dict[str, tuple[Callable[..., Any], dict[str, Any], int]] = {
    "linear": (M.LinearRegression, NORMAL | NUMBERS, 2),
    "linear with intervals": (M.LinearRegression, NORMAL | NUMBERS | {"inference": "two_step"}, 2),
    "logistic": (M.LogisticRegression, NORMAL | CLASSES, 2),
    "poisson": (M.PoissonRegressor, NORMAL | {"target_bounds": (0, 30)}, 2),
    "boosting": (M.GradientBoostingClassifier, NORMAL | CLASSES, 2),
    "categorical bayes": (M.CategoricalNB, PURE | CLASSES, 1),
    "categorical bayes, two columns": (M.CategoricalNB, NORMAL | CLASSES, 2),
    "gaussian bayes": (M.GaussianNB, PURE | CLASSES, 1),
    "gaussian bayes, normal noise": (M.GaussianNB, NORMAL | CLASSES, 2),
    "objective logistic": (M.ObjectiveLogisticRegression, PURE | CLASSES, 1),
    "objective margin": (M.ObjectiveLinearSVC, PURE | CLASSES, 2),
    "objective huber": (M.ObjectiveHuberRegressor, PURE | NUMBERS, 1),
    "tree": (M.DecisionTreeClassifier, PURE | CLASSES, 2),
    "tree of numbers": (M.DecisionTreeRegressor, PURE | NUMBERS, 2),
    "forest": (M.RandomForestClassifier, NORMAL | CLASSES | {"n_estimators": 10}, 2),
    "theil-sen": (M.TheilSenRegressor, PURE | NUMBERS, 1),
    "pca": (M.PCA, NORMAL, 3),
    "clusters": (M.KMeans, NORMAL | {"n_clusters": 3}, 2),
    "book's clusters": (M.LloydKMeans, NORMAL | {"n_clusters": 3}, 2),
    "scaler": (M.StandardScaler, NORMAL, 2),
    "quantiles": (M.KBinsDiscretizer, NORMAL | {"strategy": "quantile"}, 2),
}


@pytest.mark.parametrize("rows", [0, 20])
@pytest.mark.parametrize("name", list(MODELS))
def test_few_rows_hardly_ever_give_a_signal(name: str, rows: int) -> None:
    """A model that is right in eleven fits of twelve passes but with chance 1e-5; a count without a margin has 30."""
    kind, given, columns = MODELS[name]
    fits = 100
    x = np.random.default_rng(rows).uniform(-1, 1, (rows, columns))
    y = (x[:, 0] > 0).astype(int)
    false = sum(bool(kind(bounds=(-1, 1), **given).fit(x, y).signal_) for _ in range(fits))
    assert false < 22


STRENGTHS: dict[str, Callable[[Any], float]] = {
    "linear models": lambda job: 1 / logistic_regression.noise_ratio(job, 4, 1_000),
    "trees": lambda job: tree_growth.strength_of(job, 1_000),
    "forests": lambda job: forest_growth.strength_of(job, 1_000, 50),
}


def job_of(rows: int, form: Form, **more: Any) -> Any:
    """A fit with so many rows for each person."""
    stated = pv.budget(epsilon=2) if form == "pure" else pv.budget(rho=0.1)
    account = SimpleNamespace(spending=spending_of("Model", stated, (form,)), d_in=rows)
    return SimpleNamespace(account=account, **more)


@pytest.mark.parametrize("form", ["concentrated", "pure"])
@pytest.mark.parametrize("strength", list(STRENGTHS.values()), ids=list(STRENGTHS))
def test_rows_of_persons_are_worth_less(strength: Callable[[Any], float], form: Form) -> None:
    """Noise for four rows of a person is four times as large."""
    assert strength(job_of(1, form)) == pytest.approx(4 * strength(job_of(4, form)))


def test_rows_of_persons_are_worth_less_for_objective_models() -> None:
    for rows, enough in ((1, 30), (4, 120)):
        job = job_of(rows, "pure", features=SimpleNamespace(width=3))
        assert not objective_models.signal(job, enough - 1)
        assert objective_models.signal(job, enough)
