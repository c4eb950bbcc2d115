"""Plots: what is drawn is what the loss answers."""

import sys
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privet as pv
import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.accounting.plots.plot import plot
from privet.accounting.plots.plot_data import masses_of, outcomes_of, profile_of, tradeoff_of
from privet.errors import InvalidError, UnavailableError, WrongTypeError

matplotlib = pytest.importorskip("matplotlib", reason="the extra [plot] is not installed")
matplotlib.use("Agg")

GAUSSIAN = pc.GaussianLoss(distance=1, scale=1)
LAPLACE = pc.LaplaceLoss(distance=1, scale=1)
RESPONSE = pc.RandomizedResponseLoss(truth=Fraction(3, 4), other=Fraction(1, 4))
POINT = pc.ApproximateLoss(1, 1e-6)
SAMPLED = GAUSSIAN.amplify(pv.Poisson(0.01)) * 20
LOSSES = [GAUSSIAN, LAPLACE, RESPONSE, POINT, SAMPLED, pc.PureLoss(0), pc.PureLoss(5000), pc.ConcentratedLoss(0.5)]
TAIL = Fraction(1, 10**12)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Leave no figure open."""
    from matplotlib import pyplot as plt

    yield
    plt.close("all")


def line(axes: Any, label: str) -> Any:
    """The points of the line with this label."""
    return next(each for each in axes.get_lines() if each.get_label() == label).get_xydata()


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("kind", ["profile", "tradeoff", "distribution"])
@pytest.mark.share(2)
def test_every_loss_is_drawn(loss: Loss, kind: str) -> None:
    few = {"points": 20, "lower": 1} if kind == "profile" else {}
    axes: Any = plot(loss, kind, **few)
    axes.figure.draw_without_rendering()
    assert axes.get_title()
    assert axes.get_xlabel()


@pytest.mark.parametrize("loss", [GAUSSIAN, LAPLACE, RESPONSE, POINT], ids=str)
def test_the_profile_is_delta(loss: Loss) -> None:
    drawn = line(plot(loss, points=30, lower=0), "certified upper bound")
    assert len(drawn) >= 30
    for epsilon, delta in drawn:
        exact = float(loss.delta(epsilon))
        assert delta == pytest.approx(exact, rel=1e-6) or (exact == 0 and delta < 1e-8)


def test_the_profile_of_a_sum_is_never_below_delta_and_close_to_it() -> None:
    drawn = line(plot(SAMPLED, points=9, lower=0), "certified upper bound")
    for epsilon, delta in drawn:
        assert SAMPLED.interval(epsilon=epsilon)[0] <= delta <= 1.01 * SAMPLED.delta(epsilon)


def test_marks_show_the_lower_end_of_the_interval() -> None:
    marks = line(plot(GAUSSIAN, points=5, lower=3), "lower bound")
    expected = [float(GAUSSIAN.interval(epsilon=epsilon)[0]) for epsilon, _ in marks]
    assert marks[:, 1] == pytest.approx(expected, rel=1e-9)


def test_marks_of_a_population_are_those_of_the_amplified_loss() -> None:
    """The parts of such a loss are not amplified: their lower bounds would lie above the curve."""
    loss = pc.GaussianLoss(distance=1, scale=1).amplify(pv.Population(rate=0.1))
    data = profile_of(loss, Fraction(1, 10**6), 20, 3)
    for place, below in zip(data.places, data.below, strict=True):
        assert 0 < below <= float(loss.delta(place)) * (1 + 1e-9)


def test_no_marks_without_lower_bounds() -> None:
    labels = [each.get_label() for each in plot(GAUSSIAN, points=5, lower=0).get_lines()]
    assert labels == ["certified upper bound"]


def test_a_profile_never_rises() -> None:
    deltas = profile_of(SAMPLED, Fraction(1, 10**8), 60, 0).deltas
    assert np.all(np.diff(deltas) <= 0)


def test_where_delta_ends_is_written() -> None:
    assert [text.get_text() for text in plot(LAPLACE, points=5, lower=0).texts] == ["δ = 0 from\nε = 1"]


def test_a_delta_that_remains_stays_in_the_picture() -> None:
    axes = plot(POINT, points=5, lower=0)
    assert axes.get_ylim()[0] < 1e-6
    assert line(axes, "certified upper bound")[-1][1] == pytest.approx(1e-6)


@pytest.mark.parametrize("loss", [GAUSSIAN, LAPLACE, RESPONSE, POINT, SAMPLED], ids=str)
@pytest.mark.share(2)
def test_the_tradeoff_curve_is_beta_from_below(loss: Loss) -> None:
    drawn = line(plot(loss, "tradeoff"), "certified bound")
    for alpha, beta in drawn[:: len(drawn) // 3]:
        best = float(loss.beta(min(alpha, 1.0)))
        assert best - 0.002 <= beta <= best + 1e-4


def test_the_corner_of_randomised_response_is_drawn() -> None:
    alphas, betas = tradeoff_of(RESPONSE, 60)
    assert np.interp(0.25, alphas, betas) == pytest.approx(0.25, abs=1e-9)


def test_no_test_is_claimed_to_be_worse_than_guessing() -> None:
    for loss in LOSSES:
        alphas, betas = tradeoff_of(loss, 20)
        assert np.all(betas <= 1 - alphas + 1e-12)


def test_guessing_is_the_diagonal() -> None:
    assert line(plot(RESPONSE, "tradeoff"), "nothing can be learnt").tolist() == [[0, 1], [1, 0]]


def test_single_losses_have_their_probabilities() -> None:
    data = masses_of(RESPONSE, None, TAIL)
    assert data.alone == pytest.approx([-np.log(3), np.log(3)], abs=1e-3)
    assert data.heights == pytest.approx([0.25, 0.75], abs=1e-3)
    assert len(data.densities) == 0


def test_laplace_noise_has_single_losses_and_a_density() -> None:
    data = masses_of(LAPLACE, None, TAIL)
    assert data.alone == pytest.approx([-1, 1], abs=1e-2)
    assert data.heights == pytest.approx([np.exp(-1) / 2, 0.5], abs=1e-2)
    middles = (data.edges[1:] + data.edges[:-1]) / 2
    assert data.densities == pytest.approx(np.exp((middles - 1) / 2) / 4, rel=0.05)


def test_the_density_of_gaussian_noise_is_normal() -> None:
    data = masses_of(GAUSSIAN, None, TAIL)
    middles = (data.edges[1:] + data.edges[:-1]) / 2
    assert len(data.alone) == 0
    assert data.densities == pytest.approx(np.exp(-((middles - 0.5) ** 2) / 2) / np.sqrt(2 * np.pi), abs=2e-3)


@pytest.mark.parametrize(
    "loss",
    [LAPLACE, GAUSSIAN, RESPONSE, SAMPLED, pc.ConcentratedLoss(0.5), pc.PureLoss(1e-6), pc.PureLoss(0.1) * 50],
    ids=str,
)
def test_nothing_of_a_distribution_is_lost_from_sight(loss: Loss) -> None:
    data = masses_of(loss, None, TAIL)
    shown = float((data.densities * np.diff(data.edges)).sum() + data.heights.sum()) + data.infinite
    assert 0.97 < shown < 1.001


def test_infinite_loss_is_written() -> None:
    assert "infinite with probability 1e-06 →" in [text.get_text() for text in plot(POINT, "distribution").texts]
    assert [text.get_text() for text in plot(LAPLACE, "distribution").texts] == []


def test_a_given_step_is_used() -> None:
    axes: Any = plot(GAUSSIAN, "distribution", step=0.5)
    assert np.diff(axes.patches[0].get_data().edges) == pytest.approx(0.5)


def test_given_axes_are_drawn_into() -> None:
    from matplotlib import pyplot as plt

    _, axes = plt.subplots()
    assert plot(RESPONSE, "tradeoff", ax=axes) is axes
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize(
    ("kind", "options", "error", "told"),
    [
        ("curve", {}, InvalidError, "kind must be one of profile, tradeoff, distribution, outcomes, got 'curve'"),
        (["profile"], {}, InvalidError, "kind must be one of"),
        ("tradeoff", {"step": 1}, WrongTypeError, "takes ax, points, got step"),
        ("profile", {"delta": 0}, InvalidError, "delta must be above zero"),
        ("profile", {"points": 1}, InvalidError, "points must be two or more"),
        ("profile", {"lower": 1.5}, WrongTypeError, "lower must be a whole number"),
        ("distribution", {"step": 0}, InvalidError, "step must be above zero"),
        ("profile", {"ax": 3}, WrongTypeError, "ax must be matplotlib axes, got int"),
    ],
)
def test_wrong_questions(kind: Any, options: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        plot(RESPONSE, kind, **options)


@pytest.mark.parametrize("kind", ["profile", "tradeoff", "distribution"])
def test_a_missing_matplotlib_is_told(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.axes", None)
    with pytest.raises(UnavailableError, match=r'pip install "privet\[plot\]"'):
        plot(RESPONSE, kind)


def test_a_failure_leaves_no_figure_behind() -> None:
    from matplotlib import pyplot as plt

    with pytest.raises(UnavailableError, match="give a larger step"):
        plot(SAMPLED, "distribution", step=1e-6)
    assert plt.get_fignums() == []


DRAWN = [
    LAPLACE,
    GAUSSIAN,
    RESPONSE,
    pc.RandomizedResponseLoss(truth=Fraction(1, 2), other=Fraction(1, 4)),
    pc.LaplaceLoss(distance=2, scale=3, step=1),
    pc.LaplaceLoss(distance=1, scale=2, step=Fraction(1, 1000)),
    pc.GaussianLoss(distance=2, scale=3, step=1),
    pc.GaussianLoss(squared=2, scale=3, coordinates=5),
    pc.TruncatedLaplaceLoss(distance=1, scale=2, radius=3),
    pc.TruncatedLaplaceLoss(distance=30, scale=100, radius=400),
    pc.TruncatedLaplaceLoss(distance=9, scale=1, radius=3),
]


@pytest.mark.parametrize("loss", DRAWN, ids=repr)
def test_the_picture_of_outcomes_shows_the_loss_at_each(loss: Loss) -> None:
    axes: Any = plot(loss, "outcomes")
    axes.figure.draw_without_rendering()
    data = outcomes_of(loss)
    seen = np.isfinite(data.losses)
    assert line(axes, "privacy loss")[:, 1] == pytest.approx(data.losses[seen])
    assert data.losses == pytest.approx([float(loss.at(place)) for place in loss._outcomes().places], abs=1e-9)
    with np.errstate(divide="ignore"):
        assert data.losses == pytest.approx(np.log(data.own) - np.log(data.neighbour), abs=1e-6)
    # some five scales of the noise hold nearly all of it
    mass = data.own.sum() if data.single else np.trapezoid(data.own, data.places)
    assert mass == pytest.approx(1, abs=0.02)


def test_epsilon_is_drawn_where_there_is_one() -> None:
    assert "±ε = 1" in [each.get_label() for each in plot(LAPLACE, "outcomes").get_lines()]
    assert not [each for each in plot(GAUSSIAN, "outcomes").get_lines() if str(each.get_label()).startswith("±")]


def test_a_bound_has_no_outcomes_to_draw() -> None:
    with pytest.raises(UnavailableError, match="PureLoss bounds the loss of many mechanisms"):
        pc.PureLoss(1).plot("outcomes")
    with pytest.raises(WrongTypeError, match=r"Loss\.plot\('outcomes'\) takes ax, got step"):
        LAPLACE.plot("outcomes", step=1)
