"""Facts about imputed values: what an expression is said to do is compared with what it does."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from privet.errors import InvalidError
from privet.tables.columns.column import Column
from privet.tables.expressions.node import Expression, Reference
from privet.tables.nodes.imputed_values import WHOLE_RANGE, ImputedFacts, ImputedValues
from privet.tables.nodes.read_expression import read
from tests.tables.expressions.oracle import evaluate

COLUMNS = {
    "income": Column(kind="integer", bounds=(-3, 3), nullable=False),
    "age": Column(kind="integer", bounds=(0, 2), nullable=False),
    "sex": Column(kind="text", categories=("f", "m"), nullable=False),
}
REACH = Fraction(2)
FACTS = ImputedFacts(columns={"income": ImputedValues(REACH)})
TEXTS = (
    "income", "age", "sex", "income + age", "income * income", "-income", "abs(income)", "age * 2", "age + 1",
    "income > 1", "age > 1", "sex = 'f'", "case when sex = 'f' then income else age end",
    "case when income > 0 then age else 0 end", "coalesce(income, age)", "10 // income", "3 * income",
)  # fmt: skip
Infer = Callable[[ImputedFacts, Expression], ImputedValues | None]
ROWS = [
    ({"income": one, "age": age, "sex": sex}, {"income": other, "age": age, "sex": sex})
    for one, other, age, sex in product(range(-3, 4), range(-3, 4), range(3), "fm")
    if abs(one - other) <= REACH
]


def check(infer: Infer) -> None:
    """No donor changes a value without a fact, or moves a value further than its fact says."""
    for text in TEXTS:
        expression = read(text, COLUMNS)
        fact = infer(FACTS, expression)
        for before, after in ROWS:
            one, other = evaluate(expression, before), evaluate(expression, after)
            if fact is None:
                assert one == other, text
            elif fact.reach is not None:
                assert abs(one - other) <= fact.reach, text


def test_no_donor_moves_a_value_further_than_its_fact() -> None:
    check(ImputedFacts.infer)


def only_references(facts: ImputedFacts, expression: Expression) -> ImputedValues | None:
    """The twin that forgets what is computed from imputed values."""
    return facts.columns.get(expression.name) if isinstance(expression, Reference) else None


def always_the_reach(facts: ImputedFacts, expression: Expression) -> ImputedValues | None:
    """The twin by which every function moves as its argument does."""
    return ImputedValues(REACH) if facts.reads(expression.references()) else None


def no_reach(facts: ImputedFacts, expression: Expression) -> ImputedValues | None:
    """The twin that takes imputed values for observed ones."""
    return ImputedValues(Fraction(0)) if facts.reads(expression.references()) else None


@pytest.mark.parametrize("wrong", [only_references, always_the_reach, no_reach])
def test_wrong_facts_are_caught(wrong: Infer) -> None:
    with pytest.raises(AssertionError):
        check(wrong)


@pytest.mark.parametrize("text", [text for text in TEXTS if read(text, COLUMNS).kind == "boolean"])
def test_rows_depend_on_a_condition_exactly_where_its_truth_does(text: str) -> None:
    condition = read(text, COLUMNS)
    changes = any(evaluate(condition, before) != evaluate(condition, after) for before, after in ROWS)
    assert FACTS.filter(condition).rows == changes


def test_a_copy_keeps_the_reach_and_anything_else_has_the_whole_range() -> None:
    copy = FACTS.project({"other": read("income", COLUMNS)})
    assert copy.columns["other"] == ImputedValues(REACH)
    assert FACTS.project({"other": read("income + 0", COLUMNS)}).columns["other"] == WHOLE_RANGE
    assert "other" not in FACTS.project({"other": read("age", COLUMNS)}).columns


def test_a_column_that_is_computed_anew_depends_on_nothing_old() -> None:
    anew = FACTS.project({"income": read("age", COLUMNS)})
    assert anew == ImputedFacts()
    assert not anew.filter(read("income > 0", COLUMNS)).rows


def test_facts_follow_a_chain() -> None:
    rich: Any = {**COLUMNS, "rich": Column(kind="boolean", nullable=False)}
    derived = FACTS.project({"rich": read("income > 1", COLUMNS), "sex": read("sex", COLUMNS)})
    assert derived.filter(read("rich", rich)).rows
    assert derived.group_by(["sex", "rich"]).rows
    assert not derived.group_by(["sex"]).rows
    assert derived.filter(read("rich", rich)).group_by(["sex"]).rows  # once is enough


def test_a_negative_reach_is_refused() -> None:
    with pytest.raises(InvalidError, match="ImputedValues.reach must be zero or more"):
        ImputedValues(Fraction(-1))
