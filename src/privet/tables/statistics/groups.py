"""Public groups: those that the codebook implies, those that are listed, and the other group of all other rows."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.statistics.listed_groups import KEY_TYPES, MOST_GROUPS, check_value
from privet.tables.vocabulary import Relation, call, case, column, literal, named, type_named

Group = tuple[Any, ...]
_LISTED = "privet listed"
_FEW = 100  # groups that are written one by one; more than that as one list


def categories_of(known: Column) -> tuple[Any, ...] | None:
    """Give the values that a column may have, where that is known and they are not too many.

    >>> categories_of(Column(kind="integer", bounds=(2, 4)))
    (2, 3, 4)
    """
    if known.categories is not None:
        return known.categories
    if known.kind == "boolean":
        return (False, True)
    if known.kind == "integer" and known.bounds is not None:
        lowest, highest = math.ceil(known.bounds[0]), math.floor(known.bounds[1])
        if highest - lowest < MOST_GROUPS:
            return tuple(range(lowest, highest + 1))
    return None


def all_groups(
    columns: Mapping[str, Column], keys: Sequence[str], missing: frozenset[str] = frozenset()
) -> list[tuple[Any, ...]] | None:
    """Give every combination of the values of the keys, in public order; nulls last, where they are a category.

    Gives None where they are not known, or too many.
    """
    groups: list[tuple[Any, ...]] = [()]
    for name in keys:
        values = categories_of(columns[name])
        if values is None or len(groups) * (len(values) + 1) > MOST_GROUPS:
            return None
        values = (*values, *((None,) if name in missing else ()))
        groups = [(*group, value) for group in groups for value in values]
    return groups


def implied_groups(
    columns: Mapping[str, Column], keys: Sequence[str], missing: frozenset[str]
) -> tuple[tuple[Any, ...], ...]:
    """Give the groups that the codebook implies, or say why it implies none."""
    for name in keys:
        if categories_of(columns[name]) is None:
            raise InvalidError(
                f"group_by: the groups of {name!r} are not known. Put its categories (or close bounds of an integer) "
                "in the codebook, list the groups with groups=[...], or let the release find them with "
                "keys=pv.private(delta=1e-7)."
            )
    implied = all_groups(columns, keys, missing)
    if implied is None:
        raise InvalidError(
            f"group_by: there are more than {MOST_GROUPS:,} groups; list those of interest with groups=[...]."
        )
    return tuple(implied)


def with_other(
    relation: Relation, keys: Sequence[str], groups: Sequence[Group], other: Any, *, id_columns: Sequence[str] = ()
) -> tuple[Relation, tuple[Group, ...]]:
    """Give every row a group: its own where that is listed, and the other group where it is not, or is null.

    Args:
        relation: The rows.
        keys: The columns that make a group; their values become those of the groups.
        groups: The public groups.
        other: What to call the other group: a value of the key that is not listed, or None for null; a tuple of these
            where there are several keys.
        id_columns: The id columns, which must not change.

    Returns:
        The rows, each of which has one of the groups, and the groups with the other one last.

    Guarantee: a function of the row and of public lists. Proof: docs/tables/other_group.md.

    >>> from privet.tables.vocabulary.relation import table
    >>> towns = table("towns", {"town": Column(kind="text")})
    >>> with_other(towns, ["town"], [("Ulm",), ("Bonn",)], "elsewhere")[1]
    (('Ulm',), ('Bonn',), ('elsewhere',))
    """
    label = read_other(relation.columns, keys, groups, other, id_columns=id_columns)
    mark, taken = _LISTED, {name.casefold() for name in relation.columns}
    while mark in taken:
        mark += " "
    marked = relation.with_column(mark, in_groups(relation, keys, groups), Column(kind="boolean"))
    outputs: dict[str, tuple[exp.Expr, Column]] = {}
    for name, known in relation.columns.items():
        if name not in keys:
            outputs[name] = (column(name, "r"), known)
            continue
        place = list(keys).index(name)
        otherwise = exp.null() if label[place] is None else literal(known, label[place])
        value = case([(column(mark, "r"), column(name, "r"))], otherwise)
        outputs[name] = (value, _known(known, [group[place] for group in (*groups, label)]))
    return marked.project(outputs), (*groups, label)


def read_other(
    columns: Mapping[str, Column],
    keys: Sequence[str],
    groups: Sequence[Group],
    other: Any,
    *,
    id_columns: Sequence[str],
) -> Group:
    """Read the name of the other group, one value for each key, or refuse it."""
    if not keys:
        raise InvalidError("group_by.other needs at least one key.")
    label: Group = other if isinstance(other, tuple) else (other,)
    if len(label) != len(keys):
        raise InvalidError(f"group_by.other must give as many values as there are keys, {len(keys)}, got {len(label)}.")
    for name, value in zip(keys, label, strict=True):
        if name in id_columns:
            raise InvalidError(
                f"group_by.other: {name!r} tells whose rows are protected; derive a copy and group by that."
            )
        kind = columns[name].kind
        if kind not in KEY_TYPES:
            raise InvalidError(f"group_by.other is for integer, text and boolean keys; {name!r} is {kind}.")
        if value is not None:
            check_value("group_by.other", name, kind, value, "; give a value that is not listed, or None")
    if label in set(groups):
        raise InvalidError("group_by.other must differ from the listed groups; choose another name for it.")
    return label


def in_groups(relation: Relation, keys: Sequence[str], groups: Sequence[Group]) -> exp.Expr:
    """Build the condition that a row has one of the groups; null where that is not known, which counts as no."""
    whole = [group for group in groups if None not in group]
    parts: list[exp.Expr] = [_matches(relation, keys, group) for group in groups if None in group]
    if whole:
        parts.append(_among(relation, keys, whole))
    return exp.or_(*parts) if parts else exp.false()


def _among(relation: Relation, keys: Sequence[str], groups: Sequence[Group]) -> exp.Expr:
    """Build the condition that a row has one of the groups, none of which has a null."""
    known = [relation[name] for name in keys]
    compared: exp.Expr = (
        column(keys[0], "r") if len(keys) == 1 else exp.Tuple(expressions=[column(name, "r") for name in keys])
    )
    if len(groups) > _FEW and not any("\0" in value for group in groups for value in group if isinstance(value, str)):
        columns = [
            named(call("each_listed", exp.Literal.string(json.dumps(values)), type_named(each.kind)), name)
            for name, each, values in zip(keys, known, zip(*groups, strict=True), strict=True)
        ]  # one literal for each key: engines read a list of many casts slowly
        among: exp.Expr = exp.In(this=compared, query=exp.Subquery(this=exp.Select(expressions=columns)))
    else:
        rows = [[literal(each, value) for each, value in zip(known, group, strict=True)] for group in groups]
        among = exp.In(
            this=compared, expressions=[row[0] if len(keys) == 1 else exp.Tuple(expressions=row) for row in rows]
        )
    if len(keys) == 1:
        return among
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in keys]
    return exp.and_(exp.Not(this=exp.Paren(this=exp.or_(*missing))), among)  # nulls equal nothing here


def _matches(relation: Relation, keys: Sequence[str], group: Group) -> exp.Expr:
    """Build the condition that a row has a group in which nulls are a value of their own."""
    return exp.and_(
        *(
            exp.Is(this=column(name, "r"), expression=exp.null())
            if value is None
            else exp.EQ(this=column(name, "r"), expression=literal(relation[name], value))
            for name, value in zip(keys, group, strict=True)
        )
    )


def _known(known: Column, values: Sequence[Any]) -> Column:
    """Say what is known of a key now: it has one of the values of the groups."""
    present = tuple(dict.fromkeys(value for value in values if value is not None))
    return evolve(known, bounds=None, categories=present or None, nullable=None in values)
