"""Which part of a number decides its type in another system."""

import pytest
import sqlglot
from sqlglot import exp

from privet.tables.sql.vendors_numbers import find_operand


@pytest.mark.parametrize(
    "text",
    [
        "ROUND(n)",
        "-(1 + ROUND(n))",
        "COALESCE(n, ROUND(m))",
        "CASE WHEN a THEN 1 ELSE ROUND(n) END",
        "ABS(ROUND(n)) % 3",
    ],
)
def test_arithmetic_and_choices_take_the_type_of_their_parts(text: str) -> None:
    assert isinstance(find_operand(sqlglot.parse_one(text), (exp.Round,)), exp.Round)


@pytest.mark.parametrize(
    "text", ["n", "CAST(ROUND(n) AS INT)", "LENGTH(s)", "CASE WHEN ROUND(n) > 1 THEN 1 END", "NULLIF(n, ROUND(m))"]
)
def test_casts_conditions_and_other_functions_have_types_of_their_own(text: str) -> None:
    assert find_operand(sqlglot.parse_one(text), (exp.Round,)) is None
