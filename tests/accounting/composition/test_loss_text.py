"""A loss in words, at once."""

import time

import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss

MANY = sum((pc.GaussianLoss(distance=1, scale=10 + n) for n in range(500)), pc.GaussianLoss(distance=1, scale=7))


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (pc.PureLoss(1), "epsilon = 1"),
        (pc.PureLoss(0.1) * 10, "epsilon = 1"),
        (pc.ApproximateLoss(0.5, 1e-8), "epsilon = 0.5 at delta = 1e-8"),
        (pc.ConcentratedLoss(0.5), "rho = 0.5, that is epsilon = 5.22154 at delta = 1e-6"),
        (pc.ApproximateConcentratedLoss(0.5, 1e-9), "rho = 0.5 with delta = 1e-9, that is epsilon = 5.22"),
        (pc.GaussianLoss(distance=1, scale=1), "rho = 0.5, that is epsilon = 4.88656 at delta = 1e-6"),
        (MANY, "rho = 0.0"),
        (pc.GaussianLoss(distance=1, scale=1).amplify(pv.Poisson(0.01)) * 1000, "epsilon = 2.12453 at delta = 1e-6"),
        (pc.RenyiLoss(((2, 1), (8, 2))), "a curve of epsilon and delta: loss.epsilon(delta) reads it"),
    ],
)
def test_a_loss_says_what_it_is(loss: Loss, text: str) -> None:
    assert loss.describe().startswith(text)
    assert loss.describe().split(",")[0] in loss._repr_html_()


def test_what_is_written_bounds_the_loss() -> None:
    loss = pc.ConcentratedLoss(0.5) + pc.PureLoss(0.3) + pc.ConcentratedLoss(0.1)
    text = loss.describe()
    assert "that is at most epsilon = " in text, "a sum of several parts gets a bound that is quick to compute"
    assert float(text.partition("epsilon = ")[2].split()[0]) >= loss.epsilon(1e-6)


def test_a_sum_of_many_parts_is_written_at_once_and_briefly() -> None:
    begin = time.perf_counter()
    assert len(repr(MANY)) < 600
    assert "501 in all" in repr(MANY)
    assert "at most epsilon" in MANY.describe()
    assert time.perf_counter() - begin < 2


def test_a_loss_of_a_sample_shows_what_it_is_alone_and_what_was_assumed() -> None:
    loss = pc.PureLoss(1).amplify(pv.Population(rate=0.1))
    assert loss.describe() == "epsilon = 0.158566"
    assert "assumed" in loss._repr_html_()
