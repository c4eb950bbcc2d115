"""Null policies carried out: what stands in for a null is a function of its row."""

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.nulls import NullsDrawn, NullsDrawnFromCategories, NullsDrawnFromGaussian, NullsReplaced
from privet.tables.columns import LARGEST, SMALLEST
from privet.tables.relations.drawn_nulls import drawn, drawn_from
from privet.tables.relations.gaussian_nulls import GaussianDraw
from privet.tables.vocabulary import Relation, case, column, literal


def fill_nulls(
    table: Relation, columns: Mapping[str, CodebookColumn], *, key: int, person: str | None = None
) -> Relation:
    """Apply the null policies of columns; other columns, such as a period of the date as read, do not change.

    Args:
        table: As it was read.
        columns: What the codebook says of each.
        key: A secret number, for values that are drawn.
        person: The id column, where there is one.
    """
    outputs: dict[str, tuple[exp.Expr, Any]] = {name: (column(name, "r"), table[name]) for name in table.columns}
    draws = {
        name: GaussianDraw.of(name, item.column, item.nulls, table.columns)
        for name, item in columns.items()
        if isinstance(item.nulls, NullsDrawnFromGaussian)
    }
    if draws:  # each hash is computed once, since many comparisons read it
        hashed = [draw.hashes(list(columns), key) for draw in draws.values()]
        table = table.project({**outputs, **{name: made for each in hashed for name, made in each.items()}})
    for name, item in columns.items():
        value: exp.Expr = column(name, "r")
        instead = draws[name].value() if name in draws else _instead(name, item, list(columns), key)
        if instead is not None:
            value = exp.Coalesce(this=value, expressions=[instead])
        if name == person and item.column.kind == "integer":
            # numbers beyond 64 bits are read as the outermost ones, which would merge persons
            ends = [exp.EQ(this=column(name, "r"), expression=literal(item.column, end)) for end in (SMALLEST, LARGEST)]
            value = case([(exp.or_(*ends), exp.null())], value)
        outputs[name] = (value, item.after_nulls)
    return table.project(outputs)


def _instead(name: str, item: CodebookColumn, row: list[str], key: int) -> exp.Expr | None:
    policy = item.nulls
    if isinstance(policy, NullsReplaced):
        return literal(item.column, policy.value)
    if isinstance(policy, NullsDrawn):
        return drawn(item.column, policy.bounds, row, key, name)
    if isinstance(policy, NullsDrawnFromCategories):
        return drawn_from(item.column, policy.choices(item.column), policy.weights, row, key, name)
    return None
