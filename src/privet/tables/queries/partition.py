"""Child sessions over the parts of a table: parallel composition."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from privet.core.checks import read_whole
from privet.errors import InvalidError
from privet.tables.columns.unit import Rows
from privet.tables.relations.caps import Caps, cap
from privet.tables.vocabulary.relation import Relation, column
from privet.tables.vocabulary.source_casts import literal

if TYPE_CHECKING:
    from privet.tables.queries.query import Query

MOST_PARTS = 10_000


def part_of(relation: Relation, key: str, value: Any) -> Relation:
    """Give the rows of one part; null is a part of its own where it is listed."""
    return relation.filter(_among(relation, key, [value]))


def most_parts(query: "Query", parts: int, groups: Any) -> int:
    """In how many parts one privacy unit may have rows, from the unit and what the caller allows."""
    if parts > MOST_PARTS:
        raise InvalidError(
            f"partition opens at most {MOST_PARTS} child sessions, got {parts}; list values with among=[...]."
        )
    unit = query.unit
    if isinstance(unit, Rows):
        if groups is not None:
            raise InvalidError("partition.groups is for units of persons; a row lies in one part.")
        rows: Any = query.chain.map(unit.count)
        return min(int(rows), parts)
    most = 1 if groups is None else read_whole("partition.groups", groups)
    if most < 1:
        raise InvalidError(f"partition.groups must be one or more, got {most}.")
    return min(most, parts)


def shared_out(query: "Query", key: str, values: Sequence[Any], most: int) -> Relation:
    """Keep the rows of each person in as many of the parts as allowed; which ones a keyed hash decides."""
    owner = query.session.owner
    relation = query.relation
    if not owner:
        return relation
    listed = relation.filter(_among(relation, key, values))  # rows of no part take nobody's place
    used = [name for name in relation.columns if name != key and name not in owner]
    capped = cap(listed, Caps(groups=most), person=owner, groups=(key,), used=used, key=query.session.key)
    return capped.select(*relation.columns)


def _among(relation: Relation, key: str, values: Sequence[Any]) -> exp.Expr:
    """Tell the rows of some parts."""
    conditions: list[exp.Expr] = []
    present: list[exp.Expr] = [literal(relation[key], value) for value in values if value is not None]
    if present:
        conditions.append(exp.In(this=column(key, "r"), expressions=present))
    if None in values:
        conditions.append(exp.Is(this=column(key, "r"), expression=exp.null()))
    return exp.or_(*conditions)
