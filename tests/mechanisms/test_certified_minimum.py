"""Minima that are certified."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from flint import arb

from privet.core.exact import ends
from privet.mechanisms import certified_minimum
from privet.mechanisms.certified_minimum import Objective, minimise, refine
from privet.mechanisms.margin_losses import SLOPE_ERROR, HingeLoss, HuberLoss, LogisticLoss, MarginLoss

LOSSES = [LogisticLoss(), HuberLoss(), HingeLoss(0.05)]


def objective(loss: MarginLoss, rows: int = 40, columns: int = 3, **more: Any) -> Objective:
    source = np.random.default_rng(rows)
    features = source.normal(size=(rows, columns))
    features /= np.maximum(np.sqrt((features**2).sum(axis=1, keepdims=True)), 1) * 1.000001
    given = {
        "rows": features,
        "targets": np.where(source.integers(0, 2, rows) == 1, 1.0, -1.0),
        "loss": loss,
        "ridge": 0.5,
        "tilt": [Fraction(3, 7)] * columns,
    }
    return Objective(**{**given, **more})


def norm(balls: list[arb]) -> Fraction:
    return Fraction(max(float(max(map(abs, ends(item)))) for item in balls)) * len(balls)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("rows", [0, 1, 40, 3000])
def test_the_gradient_is_short(loss: MarginLoss, rows: int) -> None:
    problem = objective(loss, rows)
    point = minimise(problem, Fraction(1, 2**20))
    assert norm(problem.gradient_balls(point, 200)) < Fraction(1, 2**20)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("size", [0.0, 1.0, 1e6, 1e12])
def test_the_error_bound_holds(loss: MarginLoss, size: float) -> None:
    """At points of every size, for many rows of the same sign, floats are within their bound."""
    problem = objective(loss, 2000, 20)
    point = np.linspace(-1, 1, 20) * size
    truth = problem.gradient_balls([Fraction(item) for item in point.tolist()], 256)
    gaps = [arb(item) - exact for item, exact in zip(problem.gradient(point).tolist(), truth, strict=True)]
    assert norm(gaps) <= Fraction(problem.gradient_error(point)) * 20


@pytest.mark.parametrize("loss", LOSSES)
def test_the_error_bound_has_room_for_an_error_of_every_row(loss: MarginLoss) -> None:
    """The errors of slopes that were seen are smaller, and partly cancel; the proof has the sum of the largest."""
    for rows in (1, 40, 3_000):
        assert objective(loss, rows).gradient_error(np.zeros(3)) >= rows * SLOPE_ERROR


@pytest.mark.parametrize("loss", LOSSES)
def test_the_fallback_starts_anywhere(loss: MarginLoss) -> None:
    problem, goal = objective(loss, 20, 2), Fraction(1, 2**70)
    found = [refine(problem, [Fraction(start)] * 2, goal) for start in (0, -40)]
    for point in found:
        assert norm(problem.gradient_balls(point, 400)) <= 2 * goal
    apart = max(abs(one - other) for one, other in zip(*found, strict=True))
    assert apart <= 4 * goal / Fraction(1, 2)


def test_short_steps_alone_reach_the_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Newton's steps may all fail: steps down the gradient shorten it by a fixed factor."""
    monkeypatch.setattr(certified_minimum, "_newton_step", lambda problem, point, slope: np.full_like(slope, np.nan))
    problem = objective(LogisticLoss(), 5, 2)
    point = minimise(problem, Fraction(1, 2**12))
    assert norm(problem.gradient_balls(point, 200)) < Fraction(1, 2**11)


def test_a_float_gradient_that_is_short_by_chance_certifies_nothing() -> None:
    """The goal is what floats see at their minimum; at about half of these the true gradient is longer."""
    for at in range(20):
        problem = objective(LogisticLoss(), 40, 2, tilt=[Fraction(at, 7), Fraction(1, 3)])
        with_floats, _ = certified_minimum._search(problem)
        seen = Fraction(float(np.linalg.norm(problem.gradient(with_floats))))
        goal = seen * (1 + Fraction(1, 2**18)) + Fraction(1, 2**60)
        slope = problem.gradient_balls(minimise(problem, goal), 300)
        assert sum(max(map(abs, ends(item))) ** 2 for item in slope) <= goal**2


@pytest.mark.parametrize(("loss", "far"), [(HingeLoss(0.1), 1.0), (HingeLoss(0.01), 1.0), (HuberLoss(), 1000.0)])
def test_corners_do_not_stop_the_search(loss: MarginLoss, far: float) -> None:
    """With a large epsilon the ridge is small, and a Newton step jumps over the corners of many rows.

    Floats must come near the minimum by themselves: the short steps that are left to balls would take years.
    """
    rows = np.tile([1.0, 0.0], (1000, 1))
    targets = np.where(np.arange(1000) % 10 == 0, -far, far)
    problem = objective(loss, columns=2, rows=1000, ridge=float(loss.curvature) / 2**16)
    problem = evolve(problem, rows=rows, targets=targets, tilt=[Fraction(1, 50), Fraction(-1, 30)])
    _, size = certified_minimum._search(problem)
    assert size < 2.0**-18


def test_numbers_beyond_floats_are_minimised_too() -> None:
    problem = objective(LogisticLoss(), 3, 2, tilt=[Fraction(10) ** 400, Fraction(-1)])
    point = minimise(problem, Fraction(1, 2**16))
    assert norm(problem.gradient_balls(point, 3000)) < Fraction(1, 2**15)


def test_a_gradient_that_floats_cannot_certify_is_left_to_balls() -> None:
    problem = objective(LogisticLoss(), 10, 2, tilt=[Fraction(2**60), Fraction(1)])
    assert problem.gradient_error(np.zeros(2)) > 1
    point = minimise(problem, Fraction(1, 2**16))
    assert norm(problem.gradient_balls(point, 300)) < Fraction(1, 2**15)
