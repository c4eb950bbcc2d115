"""One table of rules: each applies where it says, its text is one line, and the guide has the same table."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

import privet as pv
from privet.accounting.numerics import factor_text
from privet.accounting.planning.budget import ConcentratedBudget
from privet.accounting.planning.rules import RULES, Facts, advice, applying, facts_of_budget
from privet.core import exp_down

GUIDE = Path(__file__).parents[3] / "docs" / "guides" / "choosing-epsilon.md"


def names(facts: Facts) -> list[str]:
    return [rule.name for rule in applying(facts)]


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [(1, []), ("1.000001", ["large epsilon"]), (5, ["large epsilon"]), ("5.1", ["very large epsilon"])],
)
def test_epsilon_is_compared_with_one_and_five(epsilon: str, expected: list[str]) -> None:
    assert names(facts_of_budget(pv.budget(epsilon=epsilon))) == expected


@pytest.mark.parametrize(("delta", "expected"), [("1e-6", []), ("2e-6", ["large delta"])])
def test_delta_is_compared_with_one_in_a_million(delta: str, expected: list[str]) -> None:
    assert names(facts_of_budget(pv.budget(epsilon=1, delta=delta))) == expected


def test_delta_is_compared_with_a_guess_of_the_rows() -> None:
    small = Facts(epsilon=Fraction(1), delta=Fraction(1, 10**7))
    assert names(small) == []
    assert names(Facts(epsilon=Fraction(1), delta=small.delta, people=Fraction(10**7))) == []
    assert names(Facts(epsilon=Fraction(1), delta=small.delta, people=Fraction(10**7 + 1))) == ["delta above one in n"]


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (pv.budget(rho=Fraction(1, 100)), ["another form"]),
        (pv.budget(rho=Fraction(1, 10)), ["large epsilon"]),
        (pv.budget(rho=2), ["very large epsilon"]),
        (pv.budget(mu=Fraction(1, 10)), ["another form"]),
        (pv.budget(order=8, renyi=Fraction(1, 2)), ["large epsilon"]),
        (pv.InfiniteBudget(), []),
    ],
)
def test_other_forms_are_read_at_one_in_a_million(budget: object, expected: list[str]) -> None:
    facts = facts_of_budget(budget)
    assert names(facts) == expected
    if expected:
        assert facts.epsilon == budget.loss().epsilon(1e-6)  # type: ignore[attr-defined]


def test_every_text_is_one_line_that_says_what_was_given() -> None:
    facts = Facts(
        epsilon=Fraction(7),
        delta=Fraction(1, 2),
        people=Fraction(1000),
        protects="rows",
        leaves_open="persons",
        unit="row",
        id_column="visitor_id",
    )
    for rule in RULES:
        line = rule.line(facts)
        assert "\n" not in line
        assert not line.endswith(".")
        assert "{" not in line
    assert "epsilon = 7" in "".join(advice(facts))


def test_the_guide_has_the_table() -> None:
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (note|warning) \|$", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(rule.name, rule.when, rule.level) for rule in RULES]


def test_bounds_are_rounded_up_and_never_down() -> None:
    loss = facts_of_budget(ConcentratedBudget(rho=Fraction(1, 3)))
    reached = ConcentratedBudget(rho=Fraction(1, 3)).loss().epsilon(Fraction(1, 10**6))
    line = advice(loss)[0]
    assert Fraction(line.partition("(epsilon = ")[2].partition(" ")[0]) >= Fraction(reached)
    assert "rho = 0.333334" in line


@pytest.mark.parametrize("epsilon", [1, 100, 690, 691, 695, 700, 701])
def test_factors_are_rounded_up(epsilon: int) -> None:
    text = factor_text(Fraction(epsilon))
    exact = exp_down(Fraction(epsilon))
    assert text == "more than 10^300" or Fraction(text.replace(",", "")) >= exact
