# ruff: noqa: E501
"""The page lists every function with what it means; every function can be written."""

from pathlib import Path

from privet.tables.expressions import parse
from privet.tables.expressions.catalog import FAMILIES
from privet.tables.expressions.node import Call, Expression, Function
from tests.tables.expressions.generate import COLUMNS

PAGE = Path(__file__).parents[3] / "docs" / "tables" / "expressions.md"
EXAMPLES = [
    "i + 1", "i - 1", "i * 2", "x / 2", "i // 2", "i % 2", "-i", "i = 1", "i <> 1", "i < 1", "i <= 1", "i > 1", "i >= 1", "i is null",
    "b and flag", "b or flag", "not b", "s in ('a', 'b')", "case when b then i else n end", "coalesce(i, 1)", "nullif(i, 1)", "least(i, n)",
    "greatest(i, n)", "clip(i, 0, 1)", "abs(i)", "floor(x)", "ceil(x)", "trunc(x)", "sign(x)", "round(x, 2)", "sqrt(x)", "exp(x)", "ln(x)", "log10(x)", "log2(x)",
    "pow(x, 2)", "lower(s)", "upper(s)", "trim(s)", "length(s)", "strlen(s)", "strpos(s, 'a')", "substr(s, 1, 2)", "right(s, 2)", "replace(s, 'a', 'b')", "s || s", "concat(s, s)", "starts_with(s, 'a')",
    "ends_with(s, 'a')", "contains(s, 'a')", "s like 'a%'", "s ilike 'a%'", "regexp_replace(s, 'a+', 'b')", "year(d)", "date_trunc('month', d)", "d - since", "d + interval 1 month",
    "strptime(s, '%d.%m.%Y')", "parse_time('%H:%M', s)", "time_trunc(cast(s as time), hour)", 'cast("value" as time)',
    "cast(i as real)", "cast(i as boolean)", "cast(i as text)", "cast(x as integer)", "cast(x as boolean)", "cast(x as text)",
    "cast(b as integer)", "cast(b as real)", "cast(b as text)", "cast(d as text)", "cast(d as timestamp)", 'cast("value" as text)',
    'cast("value" as date)', "cast(s as integer)", "cast(s as real)", "cast(s as boolean)", "cast(s as date)", "cast(s as timestamp)",
]  # fmt: skip


def row(function: Function) -> str:
    """Write the row of the page for a function."""
    cells = (f"`{function.usage}`", function.meaning, function.nulls, function.domain)
    return "| " + " | ".join(cells) + " |"


def used(expression: Expression) -> set[Function]:
    if not isinstance(expression, Call):
        return set()
    return {expression.function}.union(*(used(argument) for argument in expression.arguments))


def test_the_page_lists_every_function() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    missing = [row(function) for functions in FAMILIES.values() for function in functions if row(function) not in lines]
    assert missing == []


def test_the_page_lists_nothing_else() -> None:
    listed = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert sorted(listed) == sorted(row(function) for functions in FAMILIES.values() for function in functions)


def test_every_function_can_be_written() -> None:
    written = set().union(*(used(parse(text, COLUMNS)) for text in EXAMPLES))
    missing = [function.name for functions in FAMILIES.values() for function in functions if function not in written]
    assert missing == []


def test_names_are_unique() -> None:
    names = [function.name for functions in FAMILIES.values() for function in functions]
    assert len(set(names)) == len(names)
