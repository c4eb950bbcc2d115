"""How many rows of a person a query has, as far as caps and nodes say; all of it public.

Nothing of privacy rests on this: caps are enforced whatever the rows hold. It decides defaults: how many rows a join
matches, and how many rows of a person count behind it.
"""

from attrs import evolve

from privet.errors import InvalidError
from privet.tables.expressions import Reference
from privet.tables.nodes.joined import How
from privet.tables.nodes.project_columns import ProjectColumns
from privet.tables.relations.caps import Caps

OneRowBy = frozenset[str] | None  # the columns of which a person has one row for each combination; None if none do


def kept_by(node: ProjectColumns, one_row_by: OneRowBy) -> OneRowBy:
    """Follow the columns that make a person's rows unique through a projection; None where one of them is lost."""
    kept = {value.name: name for name, value in node.outputs if isinstance(value, Reference)}
    if one_row_by is None or not one_row_by <= set(kept):
        return None
    return frozenset(kept[name] for name in one_row_by)


def matched_rows(most: int | None) -> int:
    """Give the rows of a person that a join takes from the other query, where the join does not say it."""
    if most is None:
        raise InvalidError(
            "join: nothing says how many rows of a person the other query has: give its codebook a cap, "
            "unit=Persons(id, rows=...), or say how many are matched at most, rows=..., or summarize it to one row "
            "for each person first."
        )
    return most


def joined_caps(first: Caps, *, unique: bool, matched: int, how: How) -> Caps:
    """Give the caps behind a join, so that caps which hold for both queries leave no joined row out.

    Where a row of the first query matches at most one row of the second, the caps of the first hold as they are.

    Args:
        first: The caps of the first query.
        unique: Whether a row of the second query matches at most one row of a person in the first.
        matched: The largest number of rows of a person in the second query.
        how: Whether rows without a partner stay.

    Proof: docs/tables/nodes/join_persons.md.

    >>> joined_caps(Caps(rows=3), unique=False, matched=5, how="inner").rows
    15
    >>> joined_caps(Caps(rows=3), unique=True, matched=5, how="left").rows
    8
    """
    rows = first.distances[1]
    if rows is not None:
        product = rows * matched
        alone = rows if how == "left" else 0
        rows = min(product, matched + alone) if unique else product
    per_group = first.rows_per_group
    if per_group is not None:
        per_group = per_group * matched if rows is None else min(per_group * matched, rows)
    return evolve(first, rows=rows, rows_per_group=per_group)
