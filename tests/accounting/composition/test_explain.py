"""Explanations say what was used and what was assumed."""

import math

import privet as pv
import privet.calculus as pc


def test_the_best_way_comes_first_and_is_what_counts() -> None:
    loss = pc.PureLoss(0.1) * 100
    told = loss.explain(1e-6)
    assert told.upper == loss.epsilon(1e-6) == told.routes[0].epsilon
    assert told.routes[0].name == "distributions"
    assert {route.name for route in told.routes} >= {"addition", "concentrated", "Rényi"}
    assert "split" in {route.name for route in (loss + pc.ConcentratedLoss(0.1)).explain(1e-6).routes}
    assert told.lower <= told.upper


def test_few_large_losses_are_added() -> None:
    told = (pc.PureLoss(5) * 2).explain(1e-9)
    assert {route.name: route.epsilon for route in told.routes}["addition"] <= 10
    assert told.upper <= 10


def test_a_single_loss_is_explained_too() -> None:
    told = pc.GaussianLoss(distance=1, scale=1).explain(1e-6)
    assert told.routes[0].name == "own curve"
    assert any(route.epsilon == math.inf for route in told.routes)


def test_the_text_is_rounded_up_and_names_assumptions() -> None:
    loss = pc.PureLoss(1).amplify(pv.Population(rate=0.1))
    text = str(loss.explain(1e-6))
    assert text.startswith("epsilon is between ")
    assert "! assumed: the data are a secret" in text
    shown = float(text.split(" and ")[1].split(" ")[0])
    assert shown >= loss.epsilon(1e-6)


def test_nothing_costs_nothing() -> None:
    assert (pc.PureLoss(1) * 0).explain(1e-6).upper == 0
