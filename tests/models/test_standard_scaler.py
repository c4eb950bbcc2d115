"""Scaling by public bounds or private moments."""

from typing import Any

import numpy as np
import pytest

from privet.accounting.losses.pure import PureLoss
from privet.errors import InvalidError
from privet.models.features import Numeric
from privet.models.json_form import from_json
from privet.models.standard_scaler import StandardScaler

ROWS = np.random.default_rng(0).normal([3, -1], [1, 2], size=(20_000, 2))


def test_bounds_are_free() -> None:
    scaler = StandardScaler(bounds=[(0, 10), (-1, 1)]).fit(np.empty((0, 2)))
    assert scaler.transform([[0, 0], [20, 1]]).tolist() == [[-1, 0], [1, 1]]
    assert scaler.loss_ == PureLoss(0)
    assert scaler.output_features_.columns == (Numeric(lower=-1, upper=1),) * 2
    assert scaler.inverse_transform([[0, 0]]).tolist() == [[5, 0]]


@pytest.mark.parametrize("budget", [{"epsilon": 1, "delta": 1e-6}, {"epsilon": 1}, {"rho": 0.1}])
def test_moments_are_close(budget: dict[str, Any]) -> None:
    """With Laplace noise the mean of a column errs by about 0.005, and its variance of 1 by 0.045.

    A scale that errs by 0.5 has a variance that errs by 0.75: 23 scales of the noise.
    """
    scaler = StandardScaler(bounds=(-10, 10), **budget).fit(ROWS)
    assert np.abs(scaler.mean_ - [3, -1]).max() < 0.5
    assert np.abs(scaler.scale_ / [1, 2] - 1).max() < 0.5
    assert abs(scaler.n_samples_ - 20_000) < 500
    assert scaler.loss_.epsilon(1e-6) <= 1 or "rho" in budget
    within = scaler.transform(np.array([[-99, 99], [99, -99]]))
    facts: Any = scaler.output_features_.columns
    for column, item in zip(within.T, facts, strict=True):
        assert sorted(column) == [float(item.lower), float(item.upper)]


def test_missing_values_stay_missing_and_other_rows_do_not_change() -> None:
    scaler = StandardScaler(rho=1, bounds=(-10, 10)).fit([[np.nan, np.inf], [None, -np.inf], ["x", 3]] * 100)
    found = scaler.transform([[np.nan, np.inf], [1, 1]])
    assert np.isnan(found[0, 0])
    ends: Any = scaler.output_features_.columns[1]
    assert found[0, 1] == float(ends.upper)
    assert (scaler.transform([[1, 1]]) == found[1]).all()


@pytest.mark.parametrize("rows", [np.empty((0, 2)), np.full((50, 2), np.nan)])
def test_nothing_to_learn_is_no_error(rows: Any) -> None:
    with pytest.warns(UserWarning, match="mostly noise"):
        scaler = StandardScaler(rho=0.001, bounds=(0, 1)).fit(rows)
    assert np.isfinite(scaler.mean_).all()
    assert (scaler.scale_ > 0).all()


def test_a_scale_is_no_smaller_than_its_noise() -> None:
    """Twenty columns of one number each: without a floor the noise makes half of the scales tiny."""
    scaler = StandardScaler(rho=1, bounds=(-10, 10)).fit(np.full((2_000, 20), 3.0))
    noise = scaler.noise_scale_["moments of a column"] / scaler.n_samples_
    assert ((scaler.scale_ / 10) ** 2 >= 0.999 * noise).all()


def test_the_signal_compares_deviations_with_noise_and_not_with_their_floor() -> None:
    """A deviation of 0.02 in bounds of 4, where the noise makes it 0.4; with a deviation of 1 it is clear."""
    drawn = np.random.default_rng(1).normal(size=(2_000, 3))
    for deviation, clear in ((0.02, False), (1.0, True)):
        scaler = StandardScaler(epsilon=0.3, delta=1e-6, bounds=(-2, 2))
        found = [bool(scaler.fit(np.clip(deviation * drawn, -2, 2)).signal_) for _ in range(20)]
        assert (sum(found) > 10) is clear


def test_persons_and_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["a", "b"])
    scaler = StandardScaler(rho=1, bounds={"a": (-9, 9), "b": (-9, 9)}, rows_per_person=5)
    scaler.fit(frame, persons=np.arange(20_000) // 5)
    assert scaler.get_feature_names_out().tolist() == ["a", "b"]
    assert scaler.loss_.rho() <= 1
    assert (from_json(scaler.to_json()).transform(frame) == scaler.transform(frame)).all()


def test_bounds_are_needed() -> None:
    with pytest.raises(InvalidError, match=r"StandardScaler\.bounds must give a lower and an upper bound for column 0"):
        StandardScaler(rho=1).fit(ROWS)
