"""Lloyd's algorithm as an estimator: the law of histories, quality beside KMeans, what is refused and ordinary."""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from attrs import frozen

import privet as pv
from privet.combinators.lloyd import _Nearest, move_centres
from privet.core.space import Space
from privet.errors import BudgetExceededError, InvalidError, PrivetWarning, WrongTypeError
from privet.models import lloyd_k_means
from privet.models.json_form import from_json
from privet.models.k_means import KMeans
from privet.models.lloyd_k_means import LloydKMeans
from privet.transforms.clamp_norm import ClampNorm
from tests.models.history_law import check_history, drawn_mixture, drawn_table
from tests.transforms.twins import TwinOf

MIDDLES = np.array([[-0.6, -0.6], [0.6, 0.6]])
BUDGETS: list[dict[str, Any]] = [{"epsilon": 2, "delta": 1e-6}, {"epsilon": 2}, {"rho": 0.1}, {"rho": 5_000}]
MIXED: dict[str, Any] = {"bounds": {1: (-1, 1)}, "categories": {0: ["a", "b", "c"]}}


def drawn(count: int = 20_000) -> Any:
    """Rows of two clusters with a standard deviation of 0.1."""
    source = np.random.default_rng(0)
    return MIDDLES[source.integers(0, 2, count)] + 0.1 * source.normal(size=(count, 2))


def make(budget: dict[str, Any], **more: Any) -> Callable[[], Any]:
    return lambda: LloydKMeans(**{"n_clusters": 3, "iterations": 2, "bounds": (-1, 1), **budget, **more})


@pytest.mark.parametrize("budget", [{"epsilon": 1, "delta": 1e-6}, {"epsilon": 1}, {"rho": 0.05}])
def test_one_centre_is_the_mean(budget: dict[str, Any]) -> None:
    """20,000 rows: noise moves the mean by about 0.001, for Laplace noise by 0.003; 0.1 is far away."""
    rows = np.clip(drawn() / 4 + [0.3, -0.4], -1, 1)
    model = LloydKMeans(n_clusters=1, **budget, bounds=(-1, 1)).fit(rows)
    assert np.abs(model.cluster_centers_[0] - rows.mean(axis=0)).max() < 0.1
    assert abs(model.n_samples_ - 20_000) < 2_000
    assert abs(model.cluster_counts_[0] - 20_000) < 2_000
    assert model.signal_


def test_two_clusters_are_found_by_some_of_many_starts() -> None:
    """Of 300 fits 277 found both, so twelve fail less than once in a million times; no start is so near."""
    gaps = []
    for _ in range(12):
        centres = LloydKMeans(n_clusters=2, epsilon=1, delta=1e-6, bounds=(-1, 1)).fit(drawn()).cluster_centers_
        gaps.append(float(np.linalg.norm(centres[:, None] - MIDDLES[None], axis=2).min(axis=0).max()))
    assert min(gaps) < 0.1


def test_k_means_by_a_tree_of_cells_is_better() -> None:
    """Ten clusters in ten columns: the inertia is 1.02 times the best one with KMeans, 2.9 times in the median here.

    Of 200 fits five were below 1.4 times, so that the median of 15 is below less than once in a million times.
    """
    source = np.random.default_rng(1)
    middles = source.uniform(-0.7, 0.7, (10, 10))
    rows = np.clip(middles[source.integers(0, 10, 20_000)] + source.normal(0, 0.1, (20_000, 10)), -1, 1)
    public: dict[str, Any] = {"n_clusters": 10, "epsilon": 1, "delta": 1e-6, "bounds": (-1, 1)}
    by_lloyd = [LloydKMeans(**public).fit(rows).score(rows) for _ in range(15)]
    assert np.median(by_lloyd) < 1.3 * KMeans(**public).fit(rows).score(rows) < 0


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_neighbours_with_one_history_give_near_statistics(budget: dict[str, Any]) -> None:
    for number in range(50):
        source = random.Random(f"{budget} {number}")
        rows, mixed = source.choice([1, 2, 5, 12]), number % 2 == 1
        table = (drawn_mixture if mixed else drawn_table)(source, rows, 2)
        model = make(budget, **(MIXED if mixed else {}))
        check_history(model, table, None, remove=source.randrange(rows), seed=number)


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_persons_with_several_rows_are_protected_by_their_cap(budget: dict[str, Any]) -> None:
    for number in range(25):
        source = random.Random(f"persons {budget} {number}")
        table, persons = drawn_table(source, 24, 2), np.repeat(np.arange(8), 3)
        model = make(budget, rows_per_person=3)
        check_history(model, table, None, remove=source.randrange(8), seed=number, persons=persons)


class BoundsFromData:
    """Takes the bounds from the rows."""

    def fit(self, X: Any) -> Any:
        inside = np.nan_to_num(X, posinf=1, neginf=-1)
        return LloydKMeans(n_clusters=2, epsilon=2, bounds=(-1, max(1, float(inside.max(initial=1))))).fit(X)


class StartsAtRows:
    """Starts from rows of the data, as Lloyd's algorithm without privacy does."""

    def fit(self, X: Any) -> Any:
        rows = np.clip(np.nan_to_num(X), -1, 1)
        start = rows[:2] if len(rows) > 1 else np.zeros((2, 2))
        with mock.patch.object(lloyd_k_means, "random_centres", return_value=start):
            return make(BUDGETS[0], n_clusters=2)().fit(X)


class MovesToTheTruth:
    """Moves the centres to exact means."""

    def fit(self, X: Any) -> Any:
        rows = np.clip(np.nan_to_num(X), -1, 1)
        right = move_centres

        def exact(centres: Any, counts: Any, sums: Any, *more: Any) -> Any:
            return right(centres, counts, sums + rows.sum(axis=0), *more)

        with mock.patch.object(lloyd_k_means, "move_centres", exact):
            return make({"rho": 5_000}, n_clusters=1)().fit(X)


@frozen
class _NotMoved(TwinOf):
    """Claims a ball and leaves the rows where they are."""

    def apply(self, value: Any, space: Space) -> Any:
        return value


class ShortBall:
    """Claims a ball for the sums that is smaller than the rows with the column of ones."""

    def fit(self, X: Any) -> Any:
        balls: list[Any] = []

        def claimed(*, radius: Fraction, grid: Fraction) -> Any:
            balls.append(ClampNorm(radius=radius if not balls else radius / 2, grid=grid))
            return balls[0] if len(balls) == 1 else _NotMoved(balls[-1])

        with mock.patch.object(lloyd_k_means, "ClampNorm", claimed):
            return make(BUDGETS[0])().fit(X)


class StopsWhenNothingMoves:
    """Stops early where the exact counts of two moves are equal."""

    def fit(self, X: Any) -> Any:
        return make(BUDGETS[0], iterations=1 + len(X) % 2)().fit(X)


class EveryCluster:
    """Adds every row to every cluster, for the price of one."""

    def fit(self, X: Any) -> Any:
        with mock.patch.object(_Nearest, "apply", lambda self, value, space: (value,) * len(self.centres)):
            return make(BUDGETS[0])().fit(X)


@pytest.mark.parametrize(
    ("twin", "message"),
    [
        (BoundsFromData, "moves by|what was learnt depends on the data"),
        (StartsAtRows, "the chain of sums and counts of clusters depends on the data"),
        (MovesToTheTruth, "the chain of sums and counts of clusters depends on the data"),
        (ShortBall, "sums and counts of clusters moves by"),
        (StopsWhenNothingMoves, "the noise of sums and counts of clusters depends on the data"),
        (EveryCluster, "sums and counts of clusters moves by"),
    ],
)
def test_a_twin_is_caught(twin: Any, message: str) -> None:
    def check_all() -> None:
        for number in range(100):
            source = random.Random(f"{twin.__name__} {number}")
            rows = source.choice([1, 2, 5, 12])
            check_history(twin, drawn_table(source, rows, 2), None, remove=source.randrange(rows), seed=number)

    with pytest.raises(AssertionError, match=f"^history law: .*({message})"):
        check_all()


@pytest.mark.parametrize("budget", BUDGETS, ids=str)
@pytest.mark.parametrize(
    "x", [np.empty((0, 2)), [[math.nan, math.inf]], [[0.1, 0.2]] * 2, [[0.5, 0.5]] * 301, [[1e300, -1e300], [None, 3]]]
)
def test_any_numbers_and_any_number_of_rows_are_ordinary(x: Any, budget: dict[str, Any]) -> None:
    model = LloydKMeans(n_clusters=4, bounds=(-1, 1), **budget).fit(x)
    assert model.cluster_centers_.shape == (4, 2)
    assert (np.abs(model.cluster_centers_) <= 1).all()
    assert (model.cluster_counts_ >= 0).all()
    assert set(model.predict([[math.nan, math.inf], [0, 0]]).tolist()) <= {0, 1, 2, 3}


@pytest.mark.parametrize("budget", BUDGETS[:3], ids=str)
def test_the_loss_is_within_the_budget(budget: dict[str, Any]) -> None:
    loss = LloydKMeans(n_clusters=3, iterations=7, bounds=(-1, 1), **budget).fit(drawn(500)).loss_
    spent = loss.rho() / Fraction("0.1") if "rho" in budget else loss.epsilon(budget.get("delta", 0)) / 2
    assert 0.999 < float(spent) <= 1


def test_every_move_costs_the_same() -> None:
    model = make(BUDGETS[0], iterations=9)().fit(drawn(200))
    assert len(model.releases_) == 1
    assert model.releases_[0].startswith("sums and counts of clusters, 9 times: Gaussian of scale ")
    once = make(BUDGETS[0], iterations=1)().fit(drawn(200))
    scales = [each.noise_scale_["sums and counts of clusters"] for each in (model, once)]
    assert scales[0] / scales[1] == pytest.approx(3, rel=1e-6)


def test_categories_and_units() -> None:
    """Centres have numbers in the units of the data, and one column for each category."""
    source = np.random.default_rng(2)
    table = np.empty((10_000, 2), dtype=object)
    table[:, 0], table[:, 1] = ["a", "b"] * 5_000, source.normal(60, 3, 10_000)
    model = LloydKMeans(n_clusters=1, rho=1, bounds={1: (0, 80)}, categories={0: ["a", "b"]})
    model.fit(table)
    assert model.cluster_centers_[0] == pytest.approx([0.5, 0.5, 60], abs=1)
    assert model.transform(table).shape == (10_000, 1)
    assert model.get_feature_names_out().tolist() == ["lloydkmeans0"]


def test_labels_of_private_rows_are_refused() -> None:
    model = make(BUDGETS[0])().fit(drawn(100))
    with pytest.raises(AttributeError, match="LloydKMeans has no labels_: the label of a row of the fit depends on"):
        model.labels_
    assert "labels_" not in model.to_json()
    assert make(BUDGETS[0])().fit_predict(drawn(100)).shape == (100,)


def test_too_few_rows_are_named() -> None:
    with pytest.warns(PrivetWarning, match="of 30 centres are means that stand out from the noise: use fewer clusters"):
        model = LloydKMeans(n_clusters=30, epsilon=0.1, delta=1e-6, bounds=(-1, 1)).fit(drawn(100))
    assert not model.signal_


@pytest.mark.parametrize(
    ("more", "error", "message"),
    [
        ({"n_clusters": 0}, InvalidError, "LloydKMeans.n_clusters must be between 1 and 1,000, got 0"),
        ({"n_clusters": 1.5}, WrongTypeError, "LloydKMeans.n_clusters must be a whole number"),
        ({"iterations": 0}, InvalidError, "LloydKMeans.iterations must be between 1 and 1,000, got 0"),
        ({"bounds": None}, InvalidError, "LloydKMeans.bounds must give"),
        ({"epsilon": None, "delta": None}, InvalidError, "needs a privacy budget"),
    ],
)
def test_public_mistakes_are_refused(more: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(BUDGETS[0], **more)().fit(drawn(10))


def test_a_model_in_json_predicts_bit_by_bit_the_same() -> None:
    model = make({"epsilon": 1})().fit(drawn(400))
    again = from_json(model.to_json())
    assert again.transform(drawn(50)).tolist() == model.transform(drawn(50)).tolist()
    assert again.to_json() == model.to_json()


@pytest.mark.parametrize("budget", [{"epsilon": 2}, {"epsilon": 2, "delta": 1e-6}, {"rho": 0.1}])
def test_a_session_pays_for_a_fit(budget: dict[str, Any]) -> None:
    columns: dict[str, Any] = {"a": pv.column("real", bounds=(-1, 1)), "b": pv.column("real", bounds=(-1, 1))}
    table = [{"a": a, "b": b} for a, b in (drawn(3_000) / 4 + [0.2, 0.4]).tolist()]
    opened = pv.Session(table, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(**budget))
    model = opened.query().select("a", "b").fit(LloydKMeans(n_clusters=1), **budget)
    assert model.cluster_centers_[0] == pytest.approx([0.2, 0.4], abs=0.2)
    assert "LloydKMeans" in repr(opened.history)
    with pytest.raises(BudgetExceededError):
        opened.query().select("a", "b").fit(LloydKMeans(n_clusters=1), **budget)
