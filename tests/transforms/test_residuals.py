"""Residuals of generalised linear models: a table and a fixed order, so that every row has the same bits anywhere."""

import math

import numpy as np
import pytest

from privet.transforms.residuals import RESIDUALS

GRID = np.arange(-24 * 4096, 24 * 4096 + 1, 37) / 4096
NONE = np.zeros(len(GRID))


def test_exponentials_are_those_of_one_number_at_a_time() -> None:
    """A vectorised exponential has other last bits, on some machines only, and not at every place of an array."""
    assert RESIDUALS["poisson"](GRID[:, None], NONE)[:, 0].tolist() == [math.exp(item) for item in GRID.tolist()]
    chances = [1 / (1 + math.exp(-item)) for item in GRID.tolist()]
    assert RESIDUALS["logistic"](GRID[:, None], NONE)[:, 0].tolist() == chances


@pytest.mark.parametrize("residual", ["logistic", "poisson"])
def test_predictors_are_read_as_the_nearest_entry_of_the_table(residual: str) -> None:
    """Whatever computes an exponential elsewhere would tell these predictors apart."""
    near = GRID[:, None] + np.linspace(-0.4, 0.4, len(GRID))[:, None] / 4096
    assert (RESIDUALS[residual](near, NONE) == RESIDUALS[residual](GRID[:, None], NONE)).all()
    far = np.array([[-1e9], [-24.0], [24.0], [1e9]])
    found = RESIDUALS[residual](far, np.zeros(4))
    assert found[0] == found[1]
    assert found[2] == found[3]


def test_the_softmax_of_two_classes_reads_the_table_too() -> None:
    found = RESIDUALS["multinomial"](np.stack([np.zeros(5), -GRID[-5:] - 1e-5], axis=1), np.full(5, 1.0))
    small = [math.exp(-item) for item in GRID[-5:].tolist()]
    assert found[:, 0].tolist() == [1 / (1 + item) for item in small]


@pytest.mark.parametrize(("residual", "scores"), [("logistic", 1), ("multinomial", 3)])
@pytest.mark.parametrize("target", [-1.0, 0.5, 3.0, math.inf])
def test_a_class_outside_the_list_gives_zeros(residual: str, scores: int, target: float) -> None:
    found = RESIDUALS[residual](np.ones((2, scores)), np.array([target, 1.0]))
    assert (found[0] == 0).all()
    assert (found[1] != 0).all()
