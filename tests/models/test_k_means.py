"""Private clusters: what they find, how they treat rows, and what is refused."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import privet as pv
from privet.errors import InvalidError, PrivetWarning, WrongTypeError
from privet.models.cell_tree import Cell, CellTree
from privet.models.json_form import from_json
from privet.models.k_means import KMeans, _clustered, _means
from privet.models.pipelines import pipeline
from privet.models.standard_scaler import StandardScaler
from tests.laws.replay import replayed
from tests.models.history_law import Step, histories

BUDGET: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
MIDDLES = np.array([[-0.6, -0.6], [-0.6, 0.6], [0.6, -0.6], [0.6, 0.6], [0, 0]])


def rows(count: int = 20_000) -> Any:
    """Rows of five clusters with a standard deviation of 0.08."""
    source = np.random.default_rng(0)
    return MIDDLES[source.integers(0, 5, count)] + 0.08 * source.normal(size=(count, 2))


def farthest(centres: Any) -> float:
    """The distance of a true middle from the nearest centre, at most."""
    return float(np.linalg.norm(centres[:, None] - MIDDLES[None], axis=2).min(axis=0).max())


def test_clear_clusters_are_found() -> None:
    """40 fits had centres within 0.04 and counts from 3,450 to 4,080; two middles are 0.85 apart."""
    model = KMeans(n_clusters=5, **BUDGET, bounds=(-1, 1)).fit(rows())
    assert farthest(model.cluster_centers_) < 0.15
    assert abs(model.cluster_counts_ - 4_000).max() < 1_500
    assert abs(model.n_samples_ - 20_000) < 400
    assert model.signal_
    assert model.loss_.epsilon(1e-6) <= 1
    labels = model.predict(rows())
    assert len({int(label) for label in model.predict(MIDDLES)}) == 5
    assert (labels == model.transform(rows()).argmin(axis=1)).all()
    assert model.get_feature_names_out().tolist() == [f"kmeans{at}" for at in range(5)]
    best = 2 * 0.08**2 * 20_000  # the sum of squares around the true middles
    assert -1.5 * best < model.score(rows()) < -0.95 * best


def test_centres_are_in_the_units_of_the_data() -> None:
    model = KMeans(n_clusters=5, rho=1, bounds=[(0, 200), (-1, 1)]).fit(rows() * [100, 1] + [100, 0])
    assert farthest((model.cluster_centers_ - [100, 0]) / [100, 1]) < 0.15


def test_labels_of_private_rows_are_refused() -> None:
    model = KMeans(n_clusters=2, **BUDGET, bounds=(-1, 1)).fit(rows())
    with pytest.raises(AttributeError, match="KMeans has no labels_: the label of a row"):
        model.labels_
    assert not hasattr(model, "labels_")
    assert "labels_" not in model.to_json()


def test_the_signal_says_whether_cells_stand_out() -> None:
    with replayed(seed=0), pytest.warns(UserWarning, match="at most one cell with rows stands out .* for 8 clusters"):
        model = KMeans(**BUDGET, bounds=(-1, 1)).fit(rows(50))
    assert not model.signal_
    assert model.cluster_centers_.shape == (8, 2)
    assert KMeans(n_clusters=3, rho=1, bounds=(-1, 1)).fit(rows()).signal_


def test_one_cell_for_each_cluster_is_enough() -> None:
    model = KMeans(n_clusters=2, **BUDGET, bounds=(-1, 1)).fit(np.repeat([[-0.5, -0.5], [0.5, 0.5]], 5_000, axis=0))
    assert model.signal_
    assert abs(np.sort(model.cluster_centers_, axis=0) - [[-0.5, -0.5], [0.5, 0.5]]).max() < 0.05


def test_centres_of_categories_are_shares() -> None:
    """Noise would move them below zero, where no share is."""
    x = np.repeat([["a"], ["b"]], 30, axis=0)
    for _ in range(5):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivetWarning)
            model = KMeans(n_clusters=3, **BUDGET, categories={0: ["a", "b", "c"]}).fit(x)
        assert model.cluster_centers_.min() >= 0
        assert model.cluster_centers_.max() <= 1


def test_one_cluster_is_the_mean() -> None:
    model = KMeans(n_clusters=1, **BUDGET, bounds=(-1, 1)).fit(0.1 * rows() + 0.3)
    assert abs(model.cluster_centers_ - 0.3).max() < 0.05
    assert model.signal_
    with replayed(seed=0), pytest.warns(UserWarning, match="at most one cell"):
        assert not KMeans(n_clusters=1, rho=0.001, bounds=(-1, 1)).fit(rows(10)).signal_


@pytest.mark.parametrize(
    ("count", "problem"), [(0, "between 1 and 1,000, got 0"), (-3, "between 1"), (2.5, "n_clusters")]
)
def test_a_wrong_number_of_clusters_is_refused_before_anything_is_read(count: Any, problem: str) -> None:
    found: list[Step] = []
    with histories(found, None), pytest.raises((InvalidError, WrongTypeError), match=problem):
        KMeans(n_clusters=count, **BUDGET, bounds=(-1, 1)).fit(np.zeros((5, 2)))
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
        KMeans(**{**BUDGET, "bounds": (-1, 1), **wrong}).fit(np.zeros((5, 2)))


def test_means_of_cells_are_shrunk_toward_their_middles_where_noise_is_large() -> None:
    """Two cells along the first axis, with middles at -1/2 and 1/2 and noisy means beside them."""
    cells = [Cell(middle=np.array([at]), width=np.ones(1), count=100.0) for at in (-0.5, 0.5)]
    tree = CellTree(axes=np.array([[1.0, 0.0]]), levels=(), cells=tuple(cells))
    middles, raw = np.array([[-0.5, 0.0], [0.5, 0.0]]), np.array([[-0.4, 0.3], [0.9, -0.3]])
    within = 0.8**2 / 2**2 / 2  # the variance of a number inside a cell
    for noise, kept in ((1e-9, 1.0), (100 * within**0.5, 0.5), (1e9, 0.0)):
        found = _means(raw.ravel() * 100, tree, 0.8, noise)
        assert np.allclose(found, middles + kept * (raw - middles))


def test_categories_become_columns() -> None:
    """Two kinds of rows, of which one is small and the other large."""
    kind = np.repeat(["a", "b", "unknown"], [4_900, 4_900, 200])
    frame = pd.DataFrame({"kind": kind, "size": np.where(kind == "a", 10.0, 90.0)})
    model = KMeans(n_clusters=2, **BUDGET, bounds={"size": (0, 100)}, categories={"kind": ["a", "b"]}).fit(frame)
    small, large = model.cluster_centers_[model.cluster_centers_[:, 2].argsort()]
    assert small[0] > 0.8 > 0.2 > small[1]
    assert large[0] < 0.2
    assert small[2] < 30 < 70 < large[2]
    assert len(set(model.predict(frame[:1]).tolist() + model.predict(frame[-1:]).tolist())) == 2


def test_persons_are_protected_by_a_cap() -> None:
    ids = np.arange(20_000) // 4
    model = KMeans(n_clusters=5, **BUDGET, bounds=(-1, 1), rows_per_person=2).fit(rows(), persons=ids)
    assert abs(model.n_samples_ - 10_000) < 500
    single = KMeans(n_clusters=5, **BUDGET, bounds=(-1, 1)).fit(rows())
    assert abs(model.noise_scale_["centre and radius"] / single.noise_scale_["centre and radius"] - 2) < 1e-6
    with pytest.raises(InvalidError, match="rows_per_person must be given"):
        KMeans(**BUDGET, bounds=(-1, 1)).fit(rows(5), persons=range(5))


@pytest.mark.parametrize("clusters", [1, 3])
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
def test_any_values_are_read_and_centres_lie_within_the_bounds(data: Any, clusters: int) -> None:
    with replayed(seed=0), pytest.warns(UserWarning, match="at most one cell"):
        model = KMeans(n_clusters=clusters, rho=0.001, bounds=(0, 10)).fit(data)
    assert model.cluster_centers_.shape == (clusters, 2)
    assert ((model.cluster_centers_ >= 0) & (model.cluster_centers_ <= 10)).all()
    assert model.cluster_counts_.shape == (clusters,)
    assert np.isfinite(model.transform(data)).all()
    assert model.predict(data).shape == (len(data),)


def test_missing_values_count_as_the_middle_and_infinite_ones_as_the_bounds() -> None:
    model = KMeans(n_clusters=2, rho=1, bounds=(0, 10)).fit(5 + 5 * rows(2_000))
    found = model.transform([[np.nan, np.inf], [5, 10]])
    assert (found[0] == found[1]).all()


def test_a_row_has_the_same_distances_alone_and_among_others() -> None:
    """A step of a pipeline reads these distances: they must not depend on other rows by a bit."""
    data = rows(300)
    model = KMeans(n_clusters=5, **BUDGET, bounds=(-1, 1)).fit(rows())
    whole = model.transform(data)
    for at in range(len(data)):
        assert (model.transform(data[at : at + 1]) == whole[at]).all()
    assert (model.transform(np.asfortranarray(data)) == whole).all()


def test_a_text_gives_the_same_model() -> None:
    model = KMeans(n_clusters=5, **BUDGET, bounds=(-1, 1)).fit(rows())
    again = from_json(model.to_json())
    assert (again.transform(rows(100)) == model.transform(rows(100))).all()
    assert again.loss_ == model.loss_
    assert again.explain() == model.explain()
    assert again.to_json() == model.to_json()


def test_a_session_pays() -> None:
    columns = {name: pv.column("real", bounds=(-1, 1)) for name in "ab"}
    table = pd.DataFrame(rows(), columns=list("ab"))
    opened: Any = pv.Session(table, pv.Codebook(columns=columns, unit=pv.Rows()), pv.budget(epsilon=2, delta=1e-6))
    model = opened.query().fit(KMeans(n_clusters=5), epsilon=1, delta=1e-7)
    assert farthest(model.cluster_centers_) < 0.15
    assert opened.spent.epsilon <= 1
    assert opened.history[0].query == "KMeans"
    assert model.predict(table[:3]).shape == (3,)


def test_it_is_a_step_of_a_pipeline() -> None:
    steps = [("scale", StandardScaler(bounds=(-1, 1))), ("clusters", KMeans(n_clusters=5))]
    made = pipeline(steps, **BUDGET).fit(rows())
    assert len(set(made.predict(MIDDLES).tolist())) == 5
    assert made.loss_.epsilon(1e-6) <= 1


def test_the_loss_is_that_of_the_budget_wherever_the_tree_ends() -> None:
    """Less would be no guarantee: when the tree ends depends on releases."""
    for count in (0, 60, 60, 60, 2_000):
        assert KMeans(n_clusters=3, rho=0.02, bounds=(-1, 1)).fit(rows(count)).loss_.rho() == Fraction(1, 50)


def test_equal_means_of_cells_are_one() -> None:
    """Scikit-learn would warn of fewer means than clusters, and a fit warns of nothing before it is stored."""
    means = np.array([[0.5, 0.5], [-0.5, 0.0], [0.5, 0.5]])
    centres, counts = _clustered(means, np.array([3.0, 2.0, 4.0]), 2)
    assert sorted(zip(centres.tolist(), counts.tolist(), strict=True)) == [([-0.5, 0.0], 2.0), ([0.5, 0.5], 7.0)]
