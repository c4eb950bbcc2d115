"""The groups of a statement: values of public tables, values that WHERE lists, calendar periods, and categories.

All of these are public: they follow from the statement, the codebooks and the public tables.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import product
from math import ceil, floor, prod
from typing import Any, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Kind
from privet.tables.expressions import Expression, Reference, parse
from privet.tables.nodes.group_totals import Groups
from privet.tables.queries.row_query import RowQuery
from privet.tables.sql.instead import REAL_KEYS
from privet.tables.sql.periods import periods, unit_of
from privet.tables.sql.public_rows import public_query
from privet.tables.sql.real_keys import real_texts, real_values
from privet.tables.sql.rows import Ends, Origin, SqlRows, projected
from privet.tables.statistics import MOST_GROUPS, implied_groups
from privet.tables.vocabulary import Relation, cast, named, selection

AS_TEXT = " as text"  # behind the name of a column with the texts of a key
_TYPES: dict[Kind, str] = {"date": "date", "timestamp": "timestamp", "real": "double"}


@final
@frozen
class Key:
    """One key of GROUP BY.

    Args:
        name: The column that makes the groups.
        value: Its values, computed from the rows.
        shown: The kind of its values where the groups are texts of them: dates, timestamps and real numbers.
    """

    name: str
    value: Expression
    shown: Kind | None = None

    def tree(self) -> exp.Expr:
        """Refer to the key in a release, as a value of its own kind."""
        column = exp.Column(this=exp.to_identifier(self.name, quoted=True))
        return column if self.shown is None else exp.cast(column, _TYPES[self.shown])


def as_text(value: Expression, rows: SqlRows) -> Expression:
    """Write a value as a text, which can be a key."""
    return parse(f"cast({value} as text)", rows.query.columns)


def beyond_note(name: str, ends: Ends) -> str:
    """Say which groups hold more than their key says."""
    low, high = ceil(ends[0]), floor(ends[1])
    smaller = f", and the group {low} smaller ones" if low else ""  # no count or sum is below a bound of zero
    return f"groups of {name!r}: the group {high} holds larger values too{smaller}"


def clipped(value: Expression, ends: Ends, rows: SqlRows) -> Expression:
    """Move whole numbers between bounds, so that all of them can be listed."""
    return parse(f"clip({value}, {ceil(ends[0])}, {floor(ends[1])})", rows.query.columns)


def find_groups(rows: SqlRows, query: RowQuery, keys: Sequence[Key]) -> Groups | None:
    """List the public groups; None if the categories of the codebook imply them all.

    Args:
        rows: The rows of FROM.
        query: The same rows with a column for each key.
        keys: The keys.
    """
    blocks = [*_public_blocks(rows, keys)]
    for places, groups in blocks:
        allowed = [query.columns[keys[at].name].categories for at in places]
        groups[:] = [group for group in groups if all(map(_is_category, group, allowed))]
        if not groups:
            names = ", ".join(_seen_as(rows, keys[at]) for at in places)
            raise InvalidError(f"SQL: the public tables and conditions on them leave no group of {names}.")
    covered = {at for places, _ in blocks for at in places}
    inferred = bool(blocks)
    for at, key in enumerate(keys):
        if at in covered:
            continue
        values = _listed(rows, query, key)
        if values is None and key.shown == "real":
            name = _seen_as(rows, key)
            raise InvalidError(
                f"SQL: the groups of {name!r} are not known: its values are real, and not few. {REAL_KEYS}"
            )
        inferred = inferred or values is not None
        if values is None:
            values = [group[0] for group in implied_groups(query.columns, [key.name], query.null_groups)]
        blocks.append(([at], [(value,) for value in values]))
    return _combined(blocks, len(keys)) if inferred else None


def _seen_as(rows: SqlRows, key: Key) -> str:
    """Give the name of a key as the statement knows it."""
    if isinstance(key.value, Reference):
        return rows.seen_as(key.value.name)
    return key.name if key.shown is None else key.name.rstrip().removesuffix(AS_TEXT)


def _is_category(value: Any, allowed: tuple[Any, ...] | None) -> bool:
    return allowed is None or value in allowed


def _combined(blocks: Sequence[tuple[list[int], list[tuple[Any, ...]]]], count: int) -> Groups:
    """Combine the groups of keys that have nothing to do with each other."""
    if prod(len(groups) for _, groups in blocks) > MOST_GROUPS:
        raise InvalidError(f"group_by: there are more than {MOST_GROUPS:,} groups; list those of interest.")
    ordered = sorted(blocks, key=lambda block: block[0])
    combined = []
    for parts in product(*(groups for _, groups in ordered)):
        group: list[Any] = [None] * count
        for (places, _), values in zip(ordered, parts, strict=True):
            for at, value in zip(places, values, strict=True):
                group[at] = value
        combined.append(tuple(group))
    return tuple(combined)


def _listed(rows: SqlRows, query: RowQuery, key: Key) -> list[Any] | None:
    """Give the values that WHERE leaves a key, or its periods; None if neither is known."""
    if key.shown in ("date", "timestamp"):
        unit = unit_of(key.value)
        if unit is None and isinstance(key.value, Reference):
            unit = rows.units.get(key.value.name)
        return list(periods(_seen_as(rows, key), key.value.column, unit))
    values = rows.values.get(key.value.name) if isinstance(key.value, Reference) else None
    if key.shown == "real":
        few = real_values(key.value) if values is None else [float(str(each)) for each in values]
        return None if few is None else real_texts(few)
    if values is None:
        return None
    allowed = query.columns[key.name].categories
    kept = [value for value in values if allowed is None or value in allowed]
    return kept or None


def _public_blocks(rows: SqlRows, keys: Sequence[Key]) -> list[tuple[list[int], list[tuple[Any, ...]]]]:
    """Give, for each public table, the keys that are computed from its columns, and the groups that it holds."""
    by_query: dict[int, list[int]] = {}
    queries: dict[int, RowQuery] = {}
    for at, key in enumerate(keys):
        origins = [rows.origins.get(name) for name in key.value.references()]
        first = origins[0] if origins else None
        if first is not None and all(each is not None and each.query is first.query for each in origins):
            by_query.setdefault(id(first.query), []).append(at)
            queries[id(first.query)] = first.query
    return [
        (places, _distinct(queries[of], rows.origins, [keys[at] for at in places])) for of, places in by_query.items()
    ]


def _distinct(query: RowQuery, origins: Mapping[str, Origin], keys: Sequence[Key]) -> list[tuple[Any, ...]]:
    """Read the different values of keys in a public query; those with a null are no groups.

    Behind an outer join a row may have no partner. Its public columns are null, and its keys may still have values.
    """
    columns = query.columns
    here = {name: each for name, each in origins.items() if each.query is query}
    seen = projected(query, {name: Reference(each.name, columns[each.name]) for name, each in here.items()})
    groups = _values(seen, keys)
    if any(each.optional for each in here.values()):
        nothing = {name: evolve(each, nullable=True) for name, each in seen.columns.items()}
        row = exp.Select(expressions=[named(cast(exp.null(), each.kind), name) for name, each in nothing.items()])
        unmatched = _values(public_query(query, Relation(query=row, columns=nothing)), keys)
        groups += [group for group in unmatched if group not in groups]
    return groups


def _values(seen: RowQuery, keys: Sequence[Key]) -> list[tuple[Any, ...]]:
    """Compute keys of public rows: the different ones, in order, without nulls."""
    values: dict[str, Expression] = {}
    for number, key in enumerate(keys):
        text = str(key.value)
        values[f"k{number}"] = parse(f"cast({text} as text)" if key.shown is not None else text, seen.columns)
    relation = projected(seen, values).relation
    outputs = list(relation.outputs())
    distinct = Relation(
        query=selection(outputs, relation.derived(), group_by=[each.copy() for each in outputs]),
        columns=relation.columns,
    )
    read = seen.curator.tables.database.engine.execute(distinct, order_by=list(values))
    return [row for row in zip(*(read[name] for name in values), strict=True) if None not in row]


def texts_of(keys: Sequence[Key], groups: object) -> object:
    """Write the dates, timestamps and numbers of groups that an analyst lists as the texts that make the groups."""
    if all(key.shown is None for key in keys) or not isinstance(groups, list | tuple | set | frozenset):
        return groups
    if len(keys) == 1:
        return [_text(keys[0], value[0] if isinstance(value, tuple) and len(value) == 1 else value) for value in groups]
    return [tuple(map(_text, keys, group)) if isinstance(group, tuple | list) else group for group in groups]


def _text(key: Key, value: Any) -> Any:
    if key.shown == "real" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(float(value))
    return str(value) if key.shown is not None and isinstance(value, date) else value
