"""Noise scales: every release has noise, so no fit may report a scale of zero."""

from typing import Any

import numpy as np
import pytest

import privet as pv

M = pv.models
CLASSES: dict[str, Any] = {"classes": [0, 1]}
NUMBERS: dict[str, Any] = {"target_bounds": (0, 1)}
MODELS = [
    M.DecisionTreeClassifier(epsilon=1, bounds=(-1, 1), **CLASSES),
    M.DecisionTreeRegressor(rho=1, bounds=(-1, 1), **NUMBERS),
    M.ObjectiveHuberRegressor(epsilon=1, bounds=(-1, 1), **NUMBERS),
    M.ObjectiveLogisticRegression(epsilon=1, bounds=(-1, 1), **CLASSES),
    M.RandomForestClassifier(epsilon=1, bounds=(-1, 1), **CLASSES),
    M.TheilSenRegressor(epsilon=1, bounds=(-1, 1), **NUMBERS),
    M.TheilSenRegressor(rho=1, bounds=(-1, 1), **NUMBERS),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_release_has_the_scale_that_its_line_says(model: Any) -> None:
    table = np.linspace(-1, 1, 2_000)[:, None]
    model.fit(table, (table[:, 0] > 0).astype(int))
    assert len(model.noise_scale_) == len(model.releases_)
    for line, scale in zip(model.releases_, model.noise_scale_.values(), strict=True):
        assert scale > 0
        assert f" {scale:.6g}, " in line
