"""The routes of a loss say what was used and what was assumed."""

import math

import privet as pv
import privet.calculus as pc


def test_the_best_way_comes_first_and_is_what_counts() -> None:
    loss = pc.PureLoss(0.1) * 100
    routes = loss.routes(1e-6)
    assert routes.upper == loss.epsilon(1e-6) == routes.routes[0].epsilon
    assert routes.routes[0].name == "distributions"
    assert {route.name for route in routes.routes} >= {"addition", "concentrated", "Rényi"}
    assert "split" in {route.name for route in (loss + pc.ConcentratedLoss(0.1)).routes(1e-6).routes}
    assert routes.lower <= routes.upper


def test_few_large_losses_are_added() -> None:
    routes = (pc.PureLoss(5) * 2).routes(1e-9)
    assert {route.name: route.epsilon for route in routes.routes}["addition"] <= 10
    assert routes.upper <= 10


def test_a_single_loss_has_routes_too() -> None:
    routes = pc.GaussianLoss(distance=1, scale=1).routes(1e-6)
    assert routes.routes[0].name == "own curve"
    assert any(route.epsilon == math.inf for route in routes.routes)


def test_the_text_is_rounded_up_and_names_assumptions() -> None:
    loss = pc.PureLoss(1).amplify(pv.Population(rate=0.1))
    text = str(loss.routes(1e-6))
    assert text.startswith("epsilon is between ")
    assert "! assumed: the data are a secret" in text
    shown = float(text.split(" and ")[1].split(" ")[0])
    assert shown >= loss.epsilon(1e-6)


def test_nothing_costs_nothing() -> None:
    assert (pc.PureLoss(1) * 0).routes(1e-6).upper == 0
