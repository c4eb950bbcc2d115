"""Classes without rows: a misspelt class gives a confident model that predicts the other one."""

import warnings
from typing import Any

import numpy as np
import pytest

import privet as pv

ROWS = np.linspace(-1, 1, 4_000)[:, None]
LABELS = np.where(ROWS[:, 0] > 0.3, "yes", "no")
LOSS: dict[str, Any] = {"epsilon": 1, "delta": 1e-6, "bounds": (-1, 1)}
M = pv.models


@pytest.mark.parametrize("kind", [M.CategoricalNB, M.GaussianNB, M.GradientBoostingClassifier])
def test_a_class_without_rows_gives_a_warning(kind: Any) -> None:
    """2,600 rows are a hundred deviations of the noise; a class without rows is found by 998 of 1,000 fits."""
    found, texts = [], []
    for _ in range(5):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = kind(classes=["No", "Yes", "no", "yes"], **LOSS).fit(ROWS, LABELS)
        found.append(model.rare_classes_.tolist())
        texts += [str(each.message) for each in caught]
        assert not {"no", "yes"} & set(found[-1])
        assert bool(caught) == bool(found[-1])
        assert model.signal_
    assert ["No", "Yes"] in found
    assert "do not stand out from the noise. If the data have more of them, check that classes= has" in texts[0]


@pytest.mark.parametrize("kind", [M.CategoricalNB, M.GaussianNB, M.GradientBoostingClassifier])
def test_classes_with_rows_give_none(kind: Any) -> None:
    assert kind(classes=["no", "yes"], **LOSS).fit(ROWS, LABELS).rare_classes_.tolist() == []
