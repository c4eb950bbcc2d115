"""Caps: how much one person may count, by dropping rows of those who have more.

Which rows stay is decided by the person's own rows and nothing else: groups and rows are ranked by a keyed hash of
their content, then by the content itself. Proof: docs/tables/caps.md.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast, final

from attrs import field, frozen
from sqlglot import exp

from privet.core import read_whole
from privet.errors import InvalidError
from privet.tables.columns import Column, KeyCaps, most_values, read_key_caps
from privet.tables.vocabulary import (
    Relation,
    call,
    clamped,
    column,
    exact_sum,
    keyed_hash,
    named,
    rows,
    selection,
    steps,
    whole,
)

KEY_BITS = 63
_RANK = "privet rank"
_COUNT_LIMIT = 2**63 - 1


def _cap(value: Any) -> int | None:
    if value is None:
        return None
    number = read_whole("cap", value)
    if number < 1:
        raise InvalidError(f"a cap must be 1 or more, or None for no cap, got {number}.")
    return number


def _caps_by(value: object) -> tuple[KeyCaps, ...]:
    return read_key_caps("Caps.by", value)


@final
@frozen(kw_only=True)
class Caps:
    """How much one person may count in a query.

    Args:
        rows: Rows of a person in all.
        groups: Groups in which a person has rows.
        rows_per_group: Rows of a person in one group.
        by: Caps by column, or by several columns together: how many values a person has, and rows with the same value.

    Guarantee: adding or removing one person changes the rows of at most ``l0`` groups, ``l1`` rows in all and ``linf``
    rows in one group. Proof: docs/tables/caps.md.

    >>> Caps(groups=3, rows_per_group=10).distances
    (3, 30, 10)
    >>> Caps(by={"month": {"groups": 3, "rows_per_group": 2}}).within({"month": 12, "town": 4})
    (6, 6, 2)
    """

    rows: int | None = field(default=None, converter=_cap)
    groups: int | None = field(default=None, converter=_cap)
    rows_per_group: int | None = field(default=None, converter=_cap)
    by: tuple[KeyCaps, ...] = field(default=(), converter=_caps_by)

    @property
    def distances(self) -> tuple[int | None, int | None, int | None]:
        """The most that one person changes: (l0, l1, linf); None where nothing bounds it."""
        return self.within({})

    def within(self, keys: Mapping[str, int | None]) -> tuple[int | None, int | None, int | None]:
        """Give the most that one person changes in groups by these keys: (l0, l1, linf); None where nothing bounds it.

        Args:
            keys: The keys, each with the number of its values in the groups; None where that is not known.
        """
        by = self.by_of(keys)
        groups = _least(self.groups, most_values(keys, by, keys) if _bounds_groups(by, keys) else None)
        in_group = _least(self.rows_per_group, _rows_in_group(by, keys))
        of_values = (_product((most_values(each.columns, by, keys), each.rows_per_group)) for each in by)
        l1 = _least(self.rows, _product((groups, in_group)), *of_values)
        return _least(groups, l1), l1, _least(in_group, l1)

    def by_of(self, keys: Iterable[str]) -> tuple[KeyCaps, ...]:
        """Give the caps by column that hold in groups by these keys: those of keys, and those that bound all rows.

        A cap on the values of several columns holds if one of them is a key, since a person has no more values of that
        key. Any other number alone bounds nothing here, and would drop rows for nothing.
        """
        names = set(keys)
        return tuple(
            each
            for each in self.by
            if names.issuperset(each.columns) or each.most_rows is not None or _bounds_groups([each], names)
        )


def level_contribution(by: Sequence[KeyCaps], keys: Mapping[str, int | None]) -> tuple[int | None, int | None]:
    """Give in how many groups by some of the keys a person is, and with how many rows in one, by caps that held.

    Args:
        by: Caps by column that held when the groups by all keys were counted.
        keys: Some of the keys, each with the number of its values in the groups.
    """
    return most_values(keys, by, keys) if _bounds_groups(by, keys) else None, _rows_in_group(by, keys)


def _bounds_groups(by: Iterable[KeyCaps], keys: Iterable[str]) -> bool:
    names = set(keys)
    return any(each.groups is not None and not names.isdisjoint(each.columns) for each in by)


def _rows_in_group(by: Iterable[KeyCaps], keys: Iterable[str]) -> int | None:
    """Give how many rows of a person one group may hold: all of them have the same values of the keys."""
    names = set(keys)
    return _least(*(each.rows_per_group for each in by if names.issuperset(each.columns)))


def _least(*values: int | None) -> int | None:
    return min((value for value in values if value is not None), default=None)


def _product(factors: Iterable[int | None]) -> int | None:
    known = list(factors)
    return None if None in known else math.prod(cast("list[int]", known))


def cap(
    relation: Relation, caps: Caps, *, person: str | Sequence[str], groups: Sequence[str], used: Sequence[str], key: int
) -> Relation:
    """Keep at most as many rows of each person as the caps allow; rows without a person are dropped.

    Args:
        relation: The rows.
        caps: How many to keep.
        person: The id column, or several, such as the person and the month.
        groups: The columns that make a group; none where all rows are one group.
        used: The other columns that the query needs; the result holds only these, the groups and the person.
        key: A secret number of 63 bits, drawn once.
    """
    id_columns = _ids(person)
    by = caps.by_of(groups)
    if by:  # in the order of the table, so that every node that caps by column ranks alike
        rest = {*used, *(name for each in by for name in each.columns)}
        used = [name for name in relation.columns if name in rest]
    names = list(dict.fromkeys((*id_columns, *groups, *used)))
    content = [name for name in names if name not in id_columns]
    kept = relation.select(*names).filter(_present(id_columns))
    groups = [name for name in dict.fromkeys(groups) if name not in id_columns]
    for each in by:
        if each.groups is not None:
            own = list(each.columns)
            kept = _ranked(kept, "dense_rank", id_columns, [*id_columns, *own], own, key, each.groups)
    if caps.groups is not None and groups:
        kept = _ranked(kept, "dense_rank", id_columns, [*id_columns, *groups], groups, key, caps.groups)
    for each in by:
        if each.rows_per_group is not None:
            part, own = [*id_columns, *each.columns], [name for name in content if name not in each.columns]
            kept = _ranked(kept, "row_number", part, [*part, *own], own, key, each.rows_per_group)
    if caps.rows_per_group is not None and (groups or caps.rows is None or caps.rows_per_group < caps.rows):
        own = [name for name in content if name not in groups]
        kept = _ranked(
            kept, "row_number", [*id_columns, *groups], [*id_columns, *groups, *own], own, key, caps.rows_per_group
        )
    if caps.rows is not None:
        kept = _ranked(kept, "row_number", id_columns, [*id_columns, *content], content, key, caps.rows)
    return kept


def sum_by_person(
    relation: Relation,
    caps: Caps,
    *,
    person: str | Sequence[str],
    groups: Sequence[str],
    count: str,
    sums: Mapping[str, tuple[exp.Expr, tuple[int, int]]],
    key: int,
) -> Relation:
    """Add up the grid steps of each person in each group, clamp those totals, and keep at most ``caps.groups`` groups.

    Gives one row for each person and group that is kept: the number of rows, at most ``caps.rows_per_group``, under the
    name ``count``, and the clamped totals under theirs.

    Args:
        relation: The rows.
        caps: Its ``rows`` must be None: totals add up all rows.
        person: The id column, or several.
        groups: The columns that make a group.
        count: What to call the number of rows.
        sums: By name, an expression in grid steps and the pair of totals to clamp to.
        key: A secret number of 63 bits, drawn once.
    """
    if caps.rows is not None:
        raise InvalidError("sum_by_person adds up all rows of a person: Caps.rows must be None; use rows_per_group.")
    id_columns = _ids(person)
    names = list(dict.fromkeys((*id_columns, *groups)))
    groups = [name for name in names if name not in id_columns]
    known = {name: relation[name] for name in names}
    highest = caps.rows_per_group or _COUNT_LIMIT
    outputs: list[exp.Expr] = [column(name, "r") for name in names]
    outputs.append(named(clamped(rows(), whole(0), whole(highest), rows()), count))
    known[count] = Column(kind="integer", bounds=(0, highest), nullable=False)
    for name, (counted, (lower, upper)) in sums.items():
        if lower >= upper:
            raise InvalidError(
                f"sum_by_person: the totals of {name!r} need lower below upper, got {lower} and {upper}."
            )
        total = exact_sum(counted)
        ends = whole(lower, "int128"), whole(upper, "int128")
        outputs.append(named(clamped(total, *ends, total.copy()), name))
        known[name] = Column(kind="integer", bounds=(lower, upper), nullable=False)
    source = relation.filter(_present(id_columns)).derived()
    query = selection(outputs, source, group_by=[column(name, "r") for name in names])
    totals = Relation(query=query, columns=known)
    if caps.groups is None or not groups:
        return totals
    return _ranked(totals, "row_number", id_columns, [*id_columns, *groups], groups, key, caps.groups)


def has_ids(relation: Relation, id_columns: Sequence[str]) -> Relation:
    """Leave out the rows that belong to nobody."""
    return relation.filter(_present(id_columns))


def _ids(person: str | Sequence[str]) -> list[str]:
    id_columns = [person] if isinstance(person, str) else list(person)
    if not id_columns:
        raise InvalidError("caps need at least one column that tells persons apart.")
    return id_columns


def _present(names: Sequence[str]) -> exp.Expr:
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in names]
    return exp.Not(this=exp.Paren(this=exp.or_(*missing)))


def _ranked(
    relation: Relation,
    rank: str,
    within: Sequence[str],
    hashed: Sequence[str],
    content: Sequence[str],
    key: int,
    most: int,
) -> Relation:
    """Keep the rows of the first ranks within each partition: by keyed hash, then by content, if two share a hash."""
    window = rank_of(relation, rank, within, hashed, content, key)
    within_cap = exp.LTE(this=window, expression=whole(min(most, _COUNT_LIMIT)))  # no rank is larger
    query = selection(relation.outputs(), relation.derived())
    query.set("qualify", exp.Qualify(this=within_cap))
    return Relation(query=query, columns=relation.columns)


def rank_of(
    relation: Relation, rank: str, within: Sequence[str], hashed: Sequence[str], content: Sequence[str], key: int
) -> exp.Window:
    """Write the rank of a row within a partition: by keyed hash, then by content.

    Args:
        relation: The rows.
        rank: The function that numbers the rows.
        within: The columns of the partition.
        hashed: The columns of which the hash is taken.
        content: The columns that decide if two rows share a hash.
        key: A secret number of 63 bits, drawn once.
    """
    spread = keyed_hash(key, [_encoded(name, relation[name]) for name in hashed])
    order = [_ordered(spread), *(_ordered(column(name, "r")) for name in content)]
    return exp.Window(
        this=call(rank),
        partition_by=[column(name, "r") for name in within],
        order=exp.Order(expressions=order),
        over="OVER",
    )


def _encoded(name: str, known: Column) -> exp.Expr:
    """Write what is hashed of a column: reals on a grid by their steps, whose digits every engine writes fast."""
    value = column(name, "r")
    if known.kind != "real" or known.bounds is None:
        return value
    try:
        return steps(name, value, known)
    except InvalidError:  # bounds that are too narrow for a grid
        return value


def _ordered(value: exp.Expr) -> exp.Ordered:
    return exp.Ordered(this=value, desc=False, nulls_first=True)
