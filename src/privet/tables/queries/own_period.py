"""Groups by the unit's own period: a person within a month has rows in one group by month.

Only expressions that are known to be functions of the period count; whatever else there is, is not recognised. A cap of
one group is put in their place, so that privacy rests on the cap and never on what is recognised here.
"""

from collections.abc import Sequence
from typing import Literal

from privet.chains.transformation import TransformationChain
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.nulls import NullsAsCategory, NullsDropped, NullsReplaced
from privet.tables.columns import Columns, Length, Persons
from privet.tables.expressions import Binned, Call, Expression, Reference, Term
from privet.tables.expressions import Literal as Constant
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.from_table import FromTable
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.nodes.read_expression import read

Known = dict[str, Literal["date", "period"]]  # the column of the period, and columns that are functions of the period
# Parts of a date that all dates of a period share. A week may lie in two months, and in two years.
_PARTS: dict[Length, frozenset[str]] = {
    "day": frozenset(("year", "quarter", "month", "week", "day", "dayofweek", "isodow", "dayofyear")),
    "week": frozenset(("week",)),
    "month": frozenset(("year", "quarter", "month")),
    "quarter": frozenset(("year", "quarter")),
    "year": frozenset(("year",)),
}


def is_own_period(chain: TransformationChain, book: Codebook, keys: Sequence[str]) -> bool:
    """Tell whether every key is a function of the calendar period that the privacy unit names.

    All rows of one unit are then in one group. Proof: docs/tables/unit.md.

    Args:
        chain: The nodes of the query.
        book: What is publicly known of its table, with the unit.
        keys: The columns that make a group.
    """
    unit = book.unit
    if not keys or not isinstance(unit, Persons) or unit.period is None:
        return False
    name, length = unit.period
    if not isinstance(book.columns[name].nulls, NullsDropped | NullsAsCategory | NullsReplaced):
        return False  # rows without a date are one period; what is drawn for them may lie in several
    known: Known = {name: "date"}
    for place, link in enumerate(chain.links):
        node = link.unit
        if isinstance(node, ProjectColumns):
            known = _projected(node, link.input.domain.columns, known, length)  # type: ignore[attr-defined]
        elif not isinstance(node, FilterRows) and not (place == 0 and isinstance(node, FromTable)):
            return False
    return all(known.get(key) == "period" for key in keys)


def _projected(node: ProjectColumns, columns: Columns, known: Known, length: Length) -> Known:
    """Follow the columns through a projection."""
    followed: Known = {}
    for name, value in node.outputs:
        if isinstance(value, Binned):
            if known.get(value.words["name"]) == "date" and value.words["by"] == length:
                followed[name] = "period"
        else:
            kept = _follow(value, columns, known, length)
            followed |= {name: kept} if kept is not None else {}
    return followed


def _follow(
    value: str | Term | Expression, columns: Columns, known: Known, length: Length
) -> Literal["date", "period"] | None:
    """Give what an expression is: a column that is known, or a part of the date; None for anything else."""
    expression = read(value, columns)
    if isinstance(expression, Reference):
        return known.get(expression.name)
    if not isinstance(expression, Call) or expression.function.name != "extract":
        return None
    part, of = expression.arguments
    dated = isinstance(of, Reference) and known.get(of.name) == "date"
    return "period" if dated and isinstance(part, Constant) and part.value in _PARTS[length] else None
