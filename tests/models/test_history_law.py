"""Every estimator under the law of histories, and twins that it must catch."""

import ast
import contextlib
import copy
import random
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.models.categorical_nb import CategoricalNB
from privet.models.gaussian_nb import GaussianNB
from privet.models.gradient_boosting import GradientBoostingClassifier, GradientBoostingRegressor
from privet.models.json_form import ESTIMATORS
from privet.models.k_bins_discretizer import KBinsDiscretizer
from privet.models.k_means import KMeans
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression
from privet.models.objective_huber_regressor import ObjectiveHuberRegressor
from privet.models.objective_linear_svc import ObjectiveLinearSVC
from privet.models.objective_logistic_regression import ObjectiveLogisticRegression
from privet.models.one_hot_encoder import OneHotEncoder
from privet.models.pca import PCA
from privet.models.pipelines import Pipeline
from privet.models.poisson_regression import PoissonRegressor
from privet.models.standard_scaler import StandardScaler
from tests.models.history_law import (
    check_history,
    drawn_classes,
    drawn_mixture,
    drawn_numbers,
    drawn_table,
    spends_within,
)
from tests.models.history_twins import HISTORY_TWINS, HistoryTwin

BLOCKS, SETS = 10, 10  # of random data sets for each estimator; with persons one block runs every day
APPROXIMATE: dict[str, Any] = {"epsilon": 2.0, "delta": 1e-6}
PURE: dict[str, Any] = {"epsilon": 2.0}
LARGE: dict[str, Any] = {"rho": 5_000}  # so that noise hides nothing, and every branch for clear data is taken
UNIT: dict[str, Any] = {**APPROXIMATE, "bounds": (-1, 1)}
SOME: dict[str, Any] = {"rho": 8, "bounds": (-1, 1)}  # so that a row more or less changes the number of bins
MIXED: dict[str, Any] = {"bounds": {1: (-1, 1)}, "categories": {0: ["a", "b", "c"]}}
TWO, THREE = {"classes": [0, 1]}, {"classes": [0, 1, 2]}
SIDES: dict[str, Any] = {"target_bounds": (-1, 1)}
TREES: dict[str, Any] = {"n_estimators": 8}


@frozen
class Law:
    """An estimator, and what it reads.

    Args:
        name: For the test's id.
        kind: Its class.
        target: "class", "number" or "none".
        args: Its arguments.
        table: What draws rows.
        sets: How many data sets a block has.
        persons: Whether it protects persons too.
    """

    name: str
    kind: Callable[..., Any]
    target: str
    args: dict[str, Any] = field(repr=False)
    table: Callable[..., Any] = drawn_table
    sets: int = SETS
    persons: bool = True

    def make(self, most: int | None = None) -> Any:
        """Return a fresh estimator, with a cap for the rows of a person."""
        model = self.kind(**copy.deepcopy(self.args))
        for part in [step for _, step in model.steps] if isinstance(model, Pipeline) else [model]:
            if most is not None:
                part.rows_per_person = most
        return model

    def draw(self, source: random.Random, rows: int) -> tuple[Any, Any]:
        """Draw rows and targets."""
        target = None
        table = self.table(source, rows, 2)
        if self.target != "none":
            target = drawn_classes(source, rows, 2) if self.target == "class" else drawn_numbers(source, rows)
        return table, target

    def affords(self, loss: Loss) -> bool:
        """Tell whether a loss fits the budget."""
        if "rho" in self.args:
            return bool(loss.rho() <= self.args["rho"])
        return spends_within(loss, self.args.get("epsilon", 0), self.args.get("delta", 0))


def steps(*pairs: tuple[str, Any]) -> dict[str, Any]:
    """The arguments of a pipeline."""
    return {"steps": list(pairs)}


PAID = steps(("scale", StandardScaler(bounds=(-1, 1))), ("model", LogisticRegression(**TWO)))
SHARES: dict[str, Any] = {"shares": {"scale": 0.4, "model": 0.6}}
TURNED = steps(("turn", PCA(bounds=(-1, 1))), ("model", LinearRegression(bounds=(-2, 2), **SIDES)))
BINNED = steps(("bins", KBinsDiscretizer(strategy="quantile", bounds=(-1, 1))), ("clusters", KMeans(n_clusters=2)))

LAWS = [
    Law("linear", LinearRegression, "number", {**UNIT, **SIDES}),
    Law("two steps", LinearRegression, "number", {**UNIT, **SIDES, "inference": "two_step"}),
    Law("two steps, clear", LinearRegression, "number", {**LARGE, "bounds": (-1, 1), **SIDES, "inference": "two_step"}),
    Law("logistic", LogisticRegression, "class", {**UNIT, **TWO}),
    Law("multinomial", LogisticRegression, "class", {**UNIT, **THREE}),
    Law("poisson", PoissonRegressor, "number", {**UNIT, "target_bounds": (0, 2)}),
    Law("categorical bayes", CategoricalNB, "class", {**UNIT, **TWO}),
    Law("categorical bayes, pure", CategoricalNB, "class", {**PURE, **MIXED, **TWO}, drawn_mixture),
    Law("categorical bayes, clear", CategoricalNB, "class", {**LARGE, **MIXED, **THREE}, drawn_mixture),
    Law("categorical bayes, some bins", CategoricalNB, "class", {**SOME, **THREE}),
    Law("normal bayes", GaussianNB, "class", {**UNIT, **TWO}),
    Law("normal bayes, pure", GaussianNB, "class", {**PURE, "bounds": (-1, 1), **THREE, "variance": "by class"}),
    Law("two boosted classes", GradientBoostingClassifier, "class", {**UNIT, **TWO, **TREES}),
    Law(
        "three boosted classes",
        GradientBoostingClassifier,
        "class",
        {**APPROXIMATE, **MIXED, **THREE, **TREES},
        drawn_mixture,
    ),
    Law("boosted, clear", GradientBoostingClassifier, "class", {**LARGE, **MIXED, **TWO, **TREES}, drawn_mixture),
    Law("boosted, some bins", GradientBoostingClassifier, "class", {**SOME, "rho": 700, **TWO, **TREES}),
    Law("boosted number", GradientBoostingRegressor, "number", {**UNIT, **SIDES, **TREES}),
    Law("boosted number, all trees", GradientBoostingRegressor, "number", {**UNIT, **SIDES}, sets=1),
    Law(
        "boosted number, narrow",
        GradientBoostingRegressor,
        "number",
        {**LARGE, "bounds": (-1, 1), "target_bounds": (-40, 40), **TREES},
    ),
    Law("components", PCA, "none", UNIT),
    Law("components, clear", PCA, "none", {**LARGE, **MIXED, "n_components": 2}, drawn_mixture),
    Law("clusters", KMeans, "none", {**UNIT, "n_clusters": 2}),
    Law("clusters, clear", KMeans, "none", {**LARGE, "bounds": (-1, 1), "n_clusters": 3}),
    Law("mixed clusters, clear", KMeans, "none", {**LARGE, **MIXED, "n_clusters": 2}, drawn_mixture),
    Law("logistic, tilted", ObjectiveLogisticRegression, "class", {**PURE, "bounds": (-1, 1), **TWO}),
    Law("hinge, tilted", ObjectiveLinearSVC, "class", {**PURE, **MIXED, **TWO}, drawn_mixture),
    Law("huber, tilted", ObjectiveHuberRegressor, "number", {**PURE, "bounds": (-1, 1), **SIDES}),
    Law("moments", StandardScaler, "none", UNIT),
    Law("moments, pure", StandardScaler, "none", {**PURE, "bounds": (-1, 1)}),
    Law("scale by bounds", StandardScaler, "none", {"bounds": (-1, 1)}, persons=False),
    Law("quantiles", KBinsDiscretizer, "none", {**UNIT, "strategy": "quantile"}),
    Law("quantiles, pure", KBinsDiscretizer, "none", {**PURE, "bounds": (-1, 1), "strategy": "quantile"}),
    Law("columns of categories", OneHotEncoder, "none", MIXED, drawn_mixture, persons=False),
    Law("pipeline of two releases", Pipeline, "class", {**APPROXIMATE, **PAID, **SHARES}),
    Law("pipeline of components", Pipeline, "number", {**LARGE, **TURNED}),
    Law("pipeline of bins", Pipeline, "none", {**LARGE, **BINNED}),
]


@pytest.mark.parametrize(
    ("law", "block"), [pytest.param(law, block, id=f"{law.name} {block}") for law in LAWS for block in range(BLOCKS)]
)
def test_neighbours_with_one_history_give_near_statistics(law: Law, block: int) -> None:
    for number in range(block * law.sets, (block + 1) * law.sets):
        source = random.Random(f"{law.name} {number}")
        rows = source.choice([1, 2, 5, 12, 31])
        table, target = law.draw(source, rows)
        loss = check_history(law.make, table, target, remove=source.randrange(rows), seed=number)
        assert law.affords(loss)


@pytest.mark.share(BLOCKS)
@pytest.mark.parametrize(
    ("law", "block"),
    [pytest.param(law, block, id=f"{law.name} {block}") for law in LAWS if law.persons for block in range(BLOCKS)],
)
def test_persons_with_several_rows_are_protected_by_their_cap(law: Law, block: int) -> None:
    """Ten persons with up to six rows each, of which two count; some rows belong to nobody."""
    source = random.Random(f"{law.name} {block}")
    table, target = law.draw(source, 24)
    persons = [source.choice([*range(10), 0, 0, 0, None]) for _ in range(24)]
    loss = check_history(
        lambda: law.make(most=2), table, target, remove=source.choice([0, 1]), persons=np.array(persons, dtype=object)
    )
    assert law.affords(loss)


def modules() -> Iterator[Path]:
    """The tests that run the law."""
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        if "check_history" in path.read_text(encoding="utf-8"):
            yield path


def under_the_law() -> set[str]:
    """The estimators that some test runs the law over: those of the laws here, and those that such a test imports."""
    found = {type(law.make()).__name__ for law in LAWS}
    for path in modules():
        if path.name != Path(__file__).name:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            found |= {each.name for node in imports for each in node.names}
    return found


def test_every_estimator_is_under_the_law() -> None:
    """A new estimator is added to the laws here, or has the law in its own test."""
    written = {name for name, module in ESTIMATORS.items() if find_spec(f"privet.models.{module}") is not None}
    assert written <= under_the_law()
    for name in written:
        assert hasattr(import_module(f"privet.models.{ESTIMATORS[name]}"), name)


@pytest.mark.parametrize("twin", HISTORY_TWINS, ids=lambda twin: twin.make.__name__)
def test_a_twin_is_caught(twin: HistoryTwin) -> None:
    """Each takes something from the data that must be public, or moves further than it says; the law says which."""
    law = Law(twin.make.__name__, twin.make, twin.target, {})

    def check_all() -> None:
        for number in range(100):
            source = random.Random(f"{law.name} {number}")
            rows = source.choice([1, 2, 5, 12])
            table, target = law.draw(source, rows)
            with contextlib.suppress(ValueError):  # which both fits raised
                check_history(law.make, table, target, remove=source.randrange(rows), seed=number)

    with pytest.raises(AssertionError, match=f"^history law: .*({twin.message})"):
        check_all()
