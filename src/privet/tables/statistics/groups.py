"""Public groups: those that the codebook implies, and those that are listed."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.values import check_text
from privet.tables.columns import LARGEST, SMALLEST, Column, closest, find_column

MOST_GROUPS = 2**20
_PYTHON = {"integer": int, "text": str, "boolean": bool}


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
                "in the codebook, list the groups with groups=[...], or release them with private_keys(...)."
            )
    found = all_groups(columns, keys, missing)
    if found is None:
        raise InvalidError(
            f"group_by: there are more than {MOST_GROUPS} groups; list those of interest with groups=[...]."
        )
    return tuple(found)


def listed_groups(columns: Mapping[str, Column], keys: Sequence[str], groups: Any) -> tuple[tuple[Any, ...], ...]:
    """Read the groups that a query lists: values, tuples of values, or a public table with the keys as columns."""
    listed = [item if isinstance(item, tuple) else (item,) for item in _rows(keys, groups)]
    if not listed or len(listed) > MOST_GROUPS:
        raise InvalidError(f"group_by.groups must list between one and {MOST_GROUPS} groups.")
    for group in listed:
        if len(group) != len(keys):
            raise InvalidError(f"group_by.groups must give {len(keys)} values for each group, one for each key.")
        for name, value in zip(keys, group, strict=True):
            kind = columns[name].kind
            if type(value) is not _PYTHON[kind]:
                raise WrongTypeError(f"group_by.groups: {name!r} is {kind}, got {type(value).__name__}.")
            _check_value(value)
            allowed = columns[name].categories
            if allowed is not None and value not in allowed:
                raise InvalidError(
                    f"group_by.groups: {value!r} is no category of {name!r}, so that its group would always be empty."
                    f"{closest(str(value), map(str, allowed))}"
                )
    if len(set(listed)) != len(listed):
        raise InvalidError("group_by.groups must list different groups.")
    return tuple(listed)


def _rows(keys: Sequence[str], groups: Any) -> list[Any]:
    """Read a list, or the key columns of a frame or an Arrow table; each combination once, in order."""
    if isinstance(groups, Sequence) and not isinstance(groups, str | bytes):
        return list(groups)
    names: list[Any] = getattr(groups, "column_names", None) or list(getattr(groups, "columns", []))
    if not names:
        raise WrongTypeError(
            f"group_by.groups must be a list of groups or a public table, got {type(groups).__name__}."
        )
    columns = []
    for name in keys:
        find_column(
            "group_by.groups", name, {each: each for each in names if isinstance(each, str)}, at="in the public table"
        )
        column = groups[name]
        read = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        columns.append(read)
    return list(dict.fromkeys(zip(*columns, strict=True)))


def _check_value(value: Any) -> None:
    """Refuse a listed value that no column can hold and no query can contain."""
    if isinstance(value, str):
        check_text("group_by.groups", value)
    elif not SMALLEST <= value <= LARGEST:
        raise InvalidError("group_by.groups must list 64-bit integers, got a larger one.")
