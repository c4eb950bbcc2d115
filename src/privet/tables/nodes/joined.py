"""Columns of two tables put together."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from attrs import evolve

from privet.core import is_among, short
from privet.errors import InvalidError, MismatchError
from privet.tables.columns import Column, Columns, find_column

How = Literal["inner", "left"]
_KEYS = ("integer", "text", "boolean", "date")


def check_how(what: str, how: object) -> None:
    """Refuse kinds of joins other than those of the list."""
    if not is_among(how, get_args(How)):
        raise InvalidError(f"{what}.how must be one of {', '.join(get_args(How))}, got {short(how)}.")


def joined_columns(what: str, first: Columns, second: Columns, on: Sequence[str], how: How) -> dict[str, Column]:
    """Give the columns of a join, or say why it cannot be written."""
    check_how(what, how)
    if not on:
        raise InvalidError(f"{what} needs at least one column to match.")
    for name in on:
        for side, columns in (("here", first), ("there", second)):
            find_column(what, name, columns, at=side)
        if first[name].kind != second[name].kind:
            raise MismatchError(f"{what}: {name!r} is {first[name].kind} here and {second[name].kind} there.")
        if first[name].kind not in _KEYS:
            raise MismatchError(f"{what}: {name!r} is {first[name].kind}; columns to match are {', '.join(_KEYS)}.")
    shared = [name for name in second if name in first and name not in on]
    if shared:
        raise MismatchError(f"{what}: both have {', '.join(map(repr, shared))}; rename or drop one first.")
    added = {name: known for name, known in second.items() if name not in on}
    if how == "left":
        added = {name: evolve(known, nullable=True) for name, known in added.items()}
    return {**first, **added}


def under_our_ids(what: str, others: Columns, theirs: Sequence[str], ours: Sequence[str]) -> dict[str, str]:
    """Say which id columns of a second query get the names of the first, old to new; they match by their place.

    Args:
        what: Who puts the queries together, for messages.
        others: The columns of the second query.
        theirs: Its id columns.
        ours: The id columns of the first query.
    """
    names = {old: new for old, new in zip(theirs, ours, strict=True) if old != new}
    shared = [new for new in names.values() if new in others and new not in theirs]
    if shared:
        raise MismatchError(
            f"{what}: {shared[0]!r} is the id column of the first query and an ordinary column of the second, whose id "
            f"column is {theirs[0]!r}; rename or drop it there first."
        )
    return names


def renamed_columns(columns: Columns, names: Mapping[str, str]) -> dict[str, Column]:
    """Give columns new names, old to new."""
    return {names.get(name, name): known for name, known in columns.items()}


def widest(first: Column, second: Column) -> Column | None:
    """Give what is known of the values of either column, or None where their kinds differ."""
    if first.kind != second.kind:
        return None
    if first.item is not None and second.item is not None:
        item = widest(first.item, second.item)
        most = max(first.most or 1, second.most or 1)
        return None if item is None else Column(kind="list", item=item, most=most)
    bounds = None
    if first.bounds is not None and second.bounds is not None:
        bounds = min(first.bounds[0], second.bounds[0]), max(first.bounds[1], second.bounds[1])
    categories = None
    if first.categories is not None and second.categories is not None:
        categories = tuple(dict.fromkeys((*first.categories, *second.categories)))
    return Column(
        kind=first.kind,
        bounds=bounds,
        grid=first.grid if first.grid == second.grid else None,
        categories=categories,
        nullable=first.nullable or second.nullable,
        length=max(first.length or 0, second.length or 0) if first.kind == "text" else None,
    )
