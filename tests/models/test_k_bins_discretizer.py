"""Bins of equal width, and bins between private quantiles."""

from typing import Any

import numpy as np
import pytest

from privet.accounting.losses.pure import PureLoss
from privet.errors import InvalidError
from privet.models.features import Numeric
from privet.models.json_form import from_json
from privet.models.k_bins_discretizer import KBinsDiscretizer
from tests.models.test_query_fit import session

ROWS = np.random.default_rng(0).normal([3, -1], [1, 2], size=(5_000, 2))


def test_equal_bins_are_free() -> None:
    bins = KBinsDiscretizer(n_bins=4, bounds=(0, 8)).fit(np.empty((0, 1)))
    assert bins.transform([[-1], [2], [7.9], [99], [np.nan]]).tolist() == [[0], [1], [3], [3], [2]]
    assert bins.loss_ == PureLoss(0)
    assert bins.output_features_.columns == (Numeric(lower=0, upper=3),)


def test_bins_as_columns() -> None:
    bins = KBinsDiscretizer(n_bins=2, bounds=(0, 8), encode="onehot-dense").fit([[0]])
    assert bins.transform([[1], [7]]).tolist() == [[1, 0], [0, 1]]
    assert bins.get_feature_names_out().tolist() == ["x0_0", "x0_1"]
    assert bins.output_features_.columns == (Numeric(lower=0, upper=1),) * 2


@pytest.mark.parametrize("budget", [{"epsilon": 1, "delta": 1e-6}, {"epsilon": 1}, {"rho": 0.1}])
def test_quantiles_are_close(budget: dict[str, Any]) -> None:
    """The noise of a sum of counts is below 100 rows of 5,000, or 0.06 deviations: 0.6 is ten times as far."""
    bins = KBinsDiscretizer(n_bins=4, strategy="quantile", bounds=(-10, 10), **budget).fit(ROWS)
    for edges, column in zip(bins.bin_edges_, ROWS.T, strict=True):
        assert np.abs(edges[1:-1] - np.quantile(column, [0.25, 0.5, 0.75])).max() < 0.6
        assert edges[0] == -10
        assert edges[-1] == 10
    assert bins.loss_.epsilon(1e-6) <= 1 or "rho" in budget
    assert (from_json(bins.to_json()).transform(ROWS) == bins.transform(ROWS)).all()


@pytest.mark.parametrize("rows", [np.empty((0, 1)), np.full((40, 1), np.nan), [["x"]] * 9])
def test_nothing_to_learn_is_no_error(rows: Any) -> None:
    """The noisy number of rows would have to be ten deviations too large to hide it; with five bins, two and a half."""
    with pytest.warns(UserWarning, match="mostly noise"):
        bins = KBinsDiscretizer(n_bins=20, strategy="quantile", rho=0.0001, bounds=(0, 1)).fit(rows)
    assert (np.diff(bins.bin_edges_[0]) > 0).all()


def test_wrong_parameters_are_refused() -> None:
    for given, message in (
        ({"n_bins": 1}, "n_bins must be from 2"),
        ({"strategy": "kmeans"}, "strategy must be 'uniform' or 'quantile', got 'kmeans'"),
        ({"encode": "onehot"}, "encode must be"),
        ({"strategy": "quantile"}, "needs a privacy budget"),
        ({"rho": 1}, "takes no budget"),
    ):
        with pytest.raises(InvalidError, match=message):
            KBinsDiscretizer(bounds=(0, 1), **given).fit([[0.5]])


def test_what_reads_no_rows_is_refused_before_the_charge() -> None:
    opened = session()
    for model in (KBinsDiscretizer(), KBinsDiscretizer(strategy="uniform", n_bins=3)):
        with pytest.raises(InvalidError, match="KBinsDiscretizer learns nothing from rows with these arguments"):
            opened.query().select("age", "hours").fit(model, epsilon=1, delta=1e-7)
    with pytest.raises(InvalidError, match="n_bins must be from 2 to 256"):
        opened.query().select("age").fit(KBinsDiscretizer(strategy="quantile", n_bins=1), epsilon=1, delta=1e-7)
    assert opened.spent.epsilon == 0
    edges = (
        opened.query()
        .select("age", "hours")
        .fit(KBinsDiscretizer(strategy="quantile"), epsilon=4, delta=1e-7)
        .bin_edges_
    )
    assert abs(edges[1][2] - 32) < 8
