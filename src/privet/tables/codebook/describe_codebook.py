"""A codebook as people read it: its columns in a table, and whom it protects."""

from collections.abc import Mapping

from privet.core import count_text, number_text
from privet.tables.codebook.column import CodebookColumn, kind_text
from privet.tables.codebook.nulls import NullsDropped
from privet.tables.codebook.values import value_text
from privet.tables.columns import Column, Persons, PrivacyUnit

_HEADS = ("column", "type", "values", "nulls", "about")
_SHOWN = 6  # categories
_LONGEST = 60  # characters of the categories, or of a description, in a table


def column_lines(columns: Mapping[str, CodebookColumn], unit: PrivacyUnit) -> list[list[str]]:
    """Give a line of heads, and one for each column: its name, type, bounds or categories, null policy, description.

    Descriptions are left out where there are none.

    Args:
        columns: The columns by name.
        unit: The privacy unit, which names the id column.
    """
    ids = (unit.id,) if isinstance(unit, Persons) else ()
    rows = [
        [
            name,
            f"{item.column.kind}, id" if name in ids else kind_text(item.column),
            _values(item.column.values),
            _nulls(item),
            item.description,
        ]
        for name, item in columns.items()
    ]
    about = any(item.description for item in columns.values())
    return [line if about else line[:-1] for line in ([*_HEADS], *rows)]


def unit_lines(unit: PrivacyUnit) -> tuple[tuple[str, str], ...]:
    """Say what is protected, what is not, and how much one person counts by default."""
    lines = (("protected", unit.protects), ("not protected", unit.leaves_open))
    if not isinstance(unit, Persons):
        return lines
    caps = {"row": unit.rows, "group": unit.groups, "row in a group": unit.rows_per_group}
    plural = {"row in a group": "rows in a group"}
    texts = [count_text(most, what, plural.get(what, "")) for what, most in caps.items() if most is not None]
    texts += [each.describe() for each in unit.by]
    return (*lines, ("caps of a person", ", ".join(texts) or "none: each query sets its own with cap(...)"))


def _nulls(item: CodebookColumn) -> str:
    meaning = item.nulls.meaning(item.column)
    return "left out" if isinstance(item.nulls, NullsDropped) else meaning.removeprefix("nulls are ")


def _values(column: Column) -> str:
    if column.bounds is not None:
        numeric = column.kind in ("integer", "real")
        low, high = (number_text(end) if numeric else value_text(column.kind, end) for end in column.bounds)
        return f"from {low} to {high}"
    if column.categories is None:
        return "any"
    named: list[str] = []
    length = 0
    for category in column.categories[:_SHOWN]:
        length += len(str(category)) + 2
        if named and length > _LONGEST:
            break
        named.append(str(category)[:_LONGEST])
    more = f", ... {len(column.categories):,} in all" if len(named) < len(column.categories) else ""
    return f"{', '.join(named)}{more}"
