"""A budget that refuses says what is needed, what is left and what is missing, in every form."""

import pytest

import privet as pv
from privet.accounting.planning.shortfall import describe_shortfall

AGAIN = "open the data with a larger budget; the losses of both budgets add up."


@pytest.mark.parametrize(
    ("needed", "left", "text"),
    [
        (
            {"epsilon": 0.5},
            {"epsilon": 0.2},
            (
                "the release needs epsilon = 0.5, and the budget has 0.2 left: 0.3 is missing. Nothing was spent. "
                f"Ask for at most epsilon = 0.2, or {AGAIN}"
            ),
        ),
        (
            {"epsilon": 0.5},
            {"epsilon": 0},
            (
                "the release needs epsilon = 0.5, and the budget has nothing left: 0.5 is missing. Nothing was spent. "
                f"The budget is spent: to go on, {AGAIN}"
            ),
        ),
        (
            {"epsilon": 2, "delta": 1e-6},
            {"epsilon": 1, "delta": 1e-7},
            (
                "the release needs epsilon = 2 and delta = 1e-6, and the budget has epsilon = 1 and delta = 1e-7 left: "
                "epsilon = 1 and delta = 9e-7 are missing. Nothing was spent. "
                f"Ask for at most epsilon = 1 and delta = 1e-7, or {AGAIN}"
            ),
        ),
        (
            {"epsilon": 0.5, "delta": 1e-6},
            {"epsilon": 1},
            (
                "the release needs epsilon = 0.5 and delta = 1e-6, and the budget has epsilon = 1 left: "
                "delta = 1e-6 is missing. Nothing was spent. "
                f"Ask for a release without delta, or {AGAIN}"
            ),
        ),
        (
            {"epsilon": 2},
            {"epsilon": 1, "delta": 1e-7},
            (
                "the release needs epsilon = 2, and the budget has epsilon = 1 and delta = 1e-7 left: epsilon = 1 is "
                f"missing. Nothing was spent. Ask for at most epsilon = 1 and delta = 1e-7, or {AGAIN}"
            ),
        ),
        (
            {"rho": 1},
            {"rho": 0.25},
            (
                "the release needs rho = 1, and the budget has 0.25 left: 0.75 is missing. Nothing was spent. "
                f"Ask for at most rho = 0.25, or {AGAIN}"
            ),
        ),
        (
            {"mu": 1},
            {"mu": 0.5},
            (
                "the release needs mu squared = 1, and the budget has 0.25 left: 0.75 is missing. Nothing was spent. "
                f"Ask for at most mu = 0.5, or {AGAIN}"
            ),
        ),
        (
            {"order": 8, "renyi": 1},
            {"order": 8, "renyi": 0.25},
            (
                "the release needs renyi = 1 at order 8, and the budget has 0.25 left: 0.75 is missing. "
                f"Nothing was spent. Ask for at most renyi = 0.25 at order 8, or {AGAIN}"
            ),
        ),
    ],
)
def test_every_form_says_what_is_missing(needed: dict[str, float], left: dict[str, float], text: str) -> None:
    assert describe_shortfall("the release needs", pv.budget(**needed).point(), pv.budget(**left)) == text


def test_what_is_left_is_rounded_down_so_that_it_can_be_asked_for() -> None:
    text = describe_shortfall("the release needs", pv.budget(epsilon=1).point(), pv.budget(epsilon=2 / 3))
    assert "has 0.666666 left: 0.333334 is missing" in text
