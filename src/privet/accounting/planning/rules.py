"""Guard rails: one table of rules that say when a loss or a privacy unit is unusual, and what to do.

Sessions, queries and explanations read it. A rule depends on public facts alone: what an analyst typed and what the
codebook says. ``docs/guides/choosing-epsilon.md`` has the table; a test compares.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Literal, final

from attrs import frozen

from privet.accounting.numerics import LARGEST_EPSILON, USUAL_DELTA, USUAL_EPSILON, Amount, factor_text
from privet.accounting.planning.budget import (
    AdditiveBudget,
    ApproximateBudget,
    ConcentratedBudget,
    GaussianBudget,
    RenyiBudget,
)
from privet.accounting.planning.infinite import InfiniteBudget
from privet.core import amount_text, number_text

Level = Literal["note", "warning"]


@final
@frozen(kw_only=True)
class Facts:
    """What is known in public of a loss and of whom it protects.

    Args:
        epsilon: The loss; in another form, its epsilon at a delta of one in a million. None where no loss is stated.
        delta: The probability of a larger loss.
        other_form: The loss as it was stated, where that is not an epsilon, such as ``rho = 0.5``.
        people: About how many rows or persons there are.
        protects: What the unit protects; empty where no unit is stated.
        leaves_open: What it does not protect.
        unit: Whether it is a whole person, a person within a period, or a row.
        id_column: A column that looks like an id, where rows are protected one by one.
    """

    epsilon: Amount | None = None
    delta: Fraction = Fraction(0)
    other_form: str = ""
    people: Fraction | None = None
    protects: str = ""
    leaves_open: str = ""
    unit: Literal["", "person", "period", "row"] = ""
    id_column: str = ""

    @property
    def words(self) -> dict[str, str]:
        """The facts as the texts of rules quote them."""
        epsilon = 0 if self.epsilon is None else self.epsilon
        largest = amount_text(epsilon)  # rounded up, as a bound is
        stated = f"epsilon = {largest}"
        if self.other_form:
            stated = f"{self.other_form} (epsilon = {largest} at delta = {number_text(USUAL_DELTA)})"
        return {
            "stated": stated,
            "epsilon": largest,
            "factor": factor_text(epsilon),
            "delta": number_text(self.delta),
            "people": number_text(self.people or 0),
            "protects": self.protects,
            "leaves_open": self.leaves_open,
            "id": repr(self.id_column),
            "other_form": self.other_form,
        }


@final
@frozen(kw_only=True)
class Rule:
    """One rule.

    Args:
        name: What warnings call it.
        level: ``warning`` for what is probably a mistake, ``note`` for what a reader should know.
        when: When it applies, in words.
        applies: Whether it applies to some facts.
        text: What was given, what is usual and what to do, on one line.
    """

    name: str
    level: Level
    when: str
    applies: Callable[[Facts], bool]
    text: str

    def line(self, facts: Facts) -> str:
        """Give the text for some facts."""
        return self.text.format(**facts.words)


def _above(facts: Facts, limit: Fraction) -> bool:
    return facts.epsilon is not None and facts.epsilon > limit


RULES: tuple[Rule, ...] = (
    Rule(
        name="large epsilon",
        level="note",
        when="epsilon above 1, up to 5",
        applies=lambda facts: _above(facts, USUAL_EPSILON) and not _above(facts, LARGEST_EPSILON),
        text="{stated} is above the usual 1: odds that a person is in the data may grow by a factor of {factor}",
    ),
    Rule(
        name="very large epsilon",
        level="warning",
        when="epsilon above 5",
        applies=lambda facts: _above(facts, LARGEST_EPSILON),
        text=(
            "{stated} protects little: odds that a person is in the data may grow by a factor of {factor}. An epsilon "
            "of 0.1 to 1 is usual, and 5 is the most. Use a smaller loss"
        ),
    ),
    Rule(
        name="large delta",
        level="warning",
        when="delta above 0.000001",
        applies=lambda facts: facts.delta > USUAL_DELTA,
        text=(
            "with probability delta = {delta}, a release may reveal everything. A delta of 0.000001 or less is usual, "
            "and below one divided by the number of persons. Use a smaller delta"
        ),
    ),
    Rule(
        name="delta above one in n",
        level="warning",
        when="delta above 1 / n, for a public guess of n rows (`group_size` times the groups) or `people=`",
        applies=lambda facts: facts.people is not None and facts.delta * facts.people > 1,
        text=(
            "delta = {delta} is above 1 / n for about n = {people} rows or persons: publishing one of them at random, "
            "unprotected, would be as private. Use a delta well below 1 / n"
        ),
    ),
    Rule(
        name="part of a person",
        level="warning",
        when="the privacy unit is a person within a period",
        applies=lambda facts: facts.unit == "period",
        text=(
            "protected: {protects}. Not protected: {leaves_open}. Leave period out of pv.Persons(...) to protect "
            "persons with all of their rows"
        ),
    ),
    Rule(
        name="rows of persons",
        level="warning",
        when="the privacy unit is rows, and a column is called like an id, such as `visitor_id`",
        applies=lambda facts: facts.unit == "row" and facts.id_column != "",
        text=(
            "protected: {protects}. Not protected: {leaves_open}. Column {id} looks like an id: use "
            "pv.Persons({id}) to protect persons with all of their rows"
        ),
    ),
    Rule(
        name="rows",
        level="note",
        when="the privacy unit is rows, and no column is called like an id",
        applies=lambda facts: facts.unit == "row" and facts.id_column == "",
        text="each row is protected by itself: that protects persons only if each of them has one row",
    ),
    Rule(
        name="another form",
        level="note",
        when="the loss is stated in rho, mu or a Rényi divergence",
        applies=lambda facts: facts.other_form != "" and not _above(facts, USUAL_EPSILON),
        text="{other_form} is epsilon = {epsilon} at delta = 0.000001",
    ),
)


def applying(facts: Facts) -> tuple[Rule, ...]:
    """Give the rules that apply to some facts, in the order of the table."""
    return tuple(rule for rule in RULES if rule.applies(facts))


def advice(facts: Facts) -> tuple[str, ...]:
    """Write one line for each rule that applies.

    >>> advice(Facts(epsilon=Fraction(2)))
    ('note: epsilon = 2 is above the usual 1: odds that a person is in the data may grow by a factor of 7.39',)
    """
    return tuple(f"{rule.level}: {rule.line(facts)}" for rule in applying(facts))


@lru_cache(maxsize=256)
def facts_of_budget(budget: object) -> Facts:
    """Give the facts of a loss that is stated as a budget.

    >>> facts_of_budget(ConcentratedBudget(rho=Fraction(1, 2))).other_form
    'rho = 0.5'
    """
    if isinstance(budget, ApproximateBudget):
        return Facts(epsilon=budget.epsilon, delta=budget.delta)
    if not isinstance(budget, AdditiveBudget) or isinstance(budget, InfiniteBudget):
        return Facts()
    epsilon = budget.loss().epsilon(USUAL_DELTA)
    return Facts(epsilon=epsilon, other_form=_form(budget))


def _form(budget: AdditiveBudget) -> str:
    if isinstance(budget, ConcentratedBudget):
        return f"rho = {amount_text(budget.rho)}"
    if isinstance(budget, GaussianBudget):
        return f"mu = {amount_text(budget.mu)}"
    if isinstance(budget, RenyiBudget):
        return f"a Rényi divergence of {amount_text(budget.cost)} at order {number_text(budget.order)}"
    return type(budget).__name__
