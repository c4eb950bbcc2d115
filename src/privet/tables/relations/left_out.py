"""How many rows of each person caps leave out; exact, and decided by the person's own rows alone."""

from collections.abc import Sequence

from sqlglot import exp

from privet.tables.columns import Column
from privet.tables.relations.caps import Caps, cap, has_ids, rank_of
from privet.tables.vocabulary import (
    Relation,
    case,
    cast,
    clamped,
    column,
    derived,
    exact_sum,
    named,
    rows,
    selection,
    whole,
)

_ROWS, _KEPT = "privet rows", "privet kept"
_NONE = whole(0)


def left_out_by_caps(
    relation: Relation,
    caps: Caps,
    *,
    person: Sequence[str],
    groups: Sequence[str],
    key: int,
    counted: int,
    most_rows: int,
    into: str,
    used: Sequence[str] = (),
) -> Relation:
    """Give one row for each person: how many rows the caps leave out, or minus the number of rows where none is.

    The groups that count are ranked as ``cap`` ranks them, so they are the same ones. Of a group, or of all rows, as
    many count as the caps allow, whichever rows those are. Under caps by column, how many count depends on which rows
    those are, so ``cap`` itself says it.

    Args:
        relation: The rows, of the groups that are released.
        caps: How many of them count.
        person: The id columns.
        groups: The columns that make a group.
        key: The secret number that decides which groups count.
        counted: The largest number of rows of a person that the caps allow.
        most_rows: Of a person with more rows, so many are looked at; ``counted`` or more.
        into: What to call the number.
        used: The other columns that the query needs, which decide which rows count.
    """
    known = {name: relation[name] for name in person}
    known[into] = Column(kind="integer", bounds=(-counted, most_rows), nullable=False)
    if caps.by_of(groups):
        kept_rows = cap(relation, caps, person=person, groups=groups, used=used, key=key)
        return Relation(query=_both(relation, kept_rows, person, counted, most_rows, into), columns=known)
    groups = [name for name in dict.fromkeys(groups) if name not in person]
    names = [*person, *groups]
    outputs: list[exp.Expr] = [column(name, "r") for name in names]
    by_group = selection(
        [*outputs, named(rows(), _ROWS)],
        has_ids(relation, person).derived(),
        group_by=[each.copy() for each in outputs],
    )
    kept = _kept_in_group(relation, caps, person, groups, key)
    ranked = selection([*(column(name, "r") for name in (*person, _ROWS)), named(kept, _KEPT)], derived(by_group, "r"))
    ids: list[exp.Expr] = [column(name, "r") for name in person]
    value = _balance(
        _at_most(exact_sum(column(_KEPT, "r")), counted), _at_most(exact_sum(column(_ROWS, "r")), most_rows)
    )
    query = selection([*ids, named(value, into)], derived(ranked, "r"), group_by=[each.copy() for each in ids])
    return Relation(query=query, columns=known)


def _both(
    relation: Relation, kept: Relation, person: Sequence[str], counted: int, most_rows: int, into: str
) -> exp.Select:
    """Compare the number of rows of each person with the number of those that are kept."""
    there = _counted(has_ids(relation, person), person, _ROWS)
    both = there.join(_counted(kept, person, _KEPT), on=list(person))
    value = _balance(_at_most(column(_KEPT, "r"), counted), _at_most(column(_ROWS, "r"), most_rows))
    return selection([*(column(name, "r") for name in person), named(value, into)], both.derived())


def _counted(relation: Relation, person: Sequence[str], into: str) -> Relation:
    """Count the rows of each person; every person has at least one, also behind caps."""
    ids: list[exp.Expr] = [column(name, "r") for name in person]
    query = selection([*ids, named(rows(), into)], relation.derived(), group_by=[each.copy() for each in ids])
    known = {name: relation[name] for name in person}
    return Relation(query=query, columns={**known, into: Column(kind="integer", nullable=False)})


def _kept_in_group(relation: Relation, caps: Caps, person: Sequence[str], groups: Sequence[str], key: int) -> exp.Expr:
    """Write how many rows of one group count before the cap on all rows."""
    kept: exp.Expr = column(_ROWS, "r")
    if caps.rows_per_group is not None:
        kept = _at_most(kept, caps.rows_per_group)
    if caps.groups is None or not groups:
        return kept
    rank = rank_of(relation, "row_number", person, [*person, *groups], groups, key)
    return case([(exp.LTE(this=rank, expression=whole(caps.groups)), kept)], _NONE.copy())


def _at_most(value: exp.Expr, most: int) -> exp.Expr:
    limited = clamped(value, whole(0, "int128"), whole(most, "int128"), value.copy())
    return cast(limited, "integer")


def _balance(kept: exp.Expr, there: exp.Expr) -> exp.Expr:
    more = exp.GT(this=there, expression=kept)
    beyond = exp.Sub(this=there.copy(), expression=kept.copy())
    return case([(more, beyond)], exp.Neg(this=exp.Paren(this=kept.copy())))
