"""Groups that a query lists: any iterable of values or tuples, or a public table that has the keys as columns."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from privet.core import count_text
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.values import check_text
from privet.tables.columns import LARGEST, SMALLEST, Column, closest, find_column

MOST_GROUPS = 2**20
KEY_TYPES: Mapping[str, type] = {"integer": int, "text": str, "boolean": bool}
Group = tuple[Any, ...]


def listed_groups(columns: Mapping[str, Column], keys: Sequence[str], groups: Any) -> tuple[Group, ...]:
    """Read the groups that a query lists, in their order.

    Args:
        columns: What is known of the columns.
        keys: The columns that make a group.
        groups: Values, or tuples of values where there are several keys: a list, a set, an array, a column of a frame,
            anything that can be iterated over; or a public table with the keys as columns. Of arrays, columns and
            tables each group counts once. A set has no order: its groups come in that of the categories, and sorted
            where there are none.

    >>> listed_groups({"ward": Column(kind="text")}, ["ward"], {"b", "a"})
    (('a',), ('b',))
    """
    listed = [_group(item) for item in _items(keys, groups)]
    if not 1 <= len(listed) <= MOST_GROUPS:
        raise InvalidError(f"group_by.groups must list between one and {MOST_GROUPS:,} groups.")
    for group in listed:
        if len(group) != len(keys):
            values = count_text(len(keys), "value")
            raise InvalidError(f"group_by.groups must give {values} for each group, one for each key.")
        for name, value in zip(keys, group, strict=True):
            check_value("group_by.groups", name, columns[name].kind, value)
            allowed = columns[name].categories
            if allowed is not None and value not in allowed:
                raise InvalidError(
                    f"group_by.groups: {value!r} is no category of {name!r}, so that its group would always be empty."
                    f"{closest(str(value), map(str, allowed))}"
                )
    if len(set(listed)) != len(listed):
        raise InvalidError("group_by.groups must list different groups.")
    return tuple(_sorted(columns, keys, listed) if isinstance(groups, set | frozenset) else listed)


def check_value(label: str, name: str, kind: str, value: Any, hint: str = "") -> None:
    """Refuse a value of another kind than its key, and one that no column can hold and no query can contain."""
    if type(value) is not KEY_TYPES[kind]:
        raise WrongTypeError(f"{label}: {name!r} is {kind}, got {type(value).__name__}{hint}.")
    if isinstance(value, str):
        check_text(label, value)
    elif isinstance(value, int) and not SMALLEST <= value <= LARGEST:
        raise InvalidError(f"{label} takes 64-bit integers, got a larger one.")


def is_key(value: Any) -> bool:
    """Tell whether a query can contain a value as a key."""
    try:
        if isinstance(value, str):
            check_text("a key", value)
    except InvalidError:
        return False
    return True


def _items(keys: Sequence[str], groups: Any) -> list[Any]:
    """Read the items of an iterable, or the key columns of a public table."""
    if isinstance(groups, str | bytes):
        text = groups if isinstance(groups, str) else groups.decode(errors="replace")
        raise WrongTypeError(f"group_by.groups must be a list of groups, got one text. Write groups=[{text[:40]!r}].")
    names = _column_names(groups)
    if names:
        for name in keys:
            find_column("group_by.groups", name, dict.fromkeys(names), at="in the public table")
        return _each_once(zip(*(_values(groups[name]) for name in keys), strict=True))
    if not isinstance(groups, Iterable) or getattr(groups, "ndim", None) == 0:  # an array without axes has no items
        kind = type(groups).__name__
        raise WrongTypeError(f"group_by.groups must be a list of groups or a public table, got {kind}.")
    items = _values(groups)
    if items and all(isinstance(item, Mapping) for item in items):  # a public table, row by row
        lacks = next((name for name in keys if any(name not in item for item in items)), None)
        if lacks is not None:
            raise InvalidError(f"group_by.groups: a row of the public table has no {lacks!r}.")
        return _each_once(tuple(item[name] for name in keys) for item in items)
    return items


def _column_names(groups: Any) -> list[str]:
    """Name the columns of a frame, an Arrow table or a dictionary of lists; none where there are no columns."""
    names: Any
    if isinstance(groups, Mapping):
        names = groups if all(isinstance(each, list | tuple) for each in groups.values()) else ()
    else:
        names = getattr(groups, "column_names", None) or getattr(groups, "columns", ())
    return [name for name in names if isinstance(name, str)]


def _values(items: Any) -> list[Any]:
    """Give Python values: of an array or a column each once, of an endless iterable no more than there may be."""
    for method in ("to_pylist", "tolist", "to_list"):  # of Arrow; of numpy and pandas; of polars
        if hasattr(items, method):
            return _each_once(map(_hashable, getattr(items, method)()))
    return [_plain(item) for item in islice(items, MOST_GROUPS + 1)]


def _each_once(items: Iterable[Any]) -> list[Any]:
    """Give each item once, or refuse what is no single value."""
    try:
        return list(dict.fromkeys(items))
    except TypeError:
        raise WrongTypeError("group_by.groups must hold single values, or one tuple of them for each group.") from None


def _hashable(item: Any) -> Any:
    return tuple(item) if isinstance(item, list) else item


def _plain(item: Any) -> Any:
    """Give a number or a text of numpy as one of Python."""
    return item.item() if hasattr(item, "item") and hasattr(item, "dtype") and getattr(item, "ndim", 0) == 0 else item


def _group(item: Any) -> Group:
    """Read one group: a value, or the values of all keys."""
    return tuple(map(_plain, item)) if isinstance(item, tuple | list) else (item,)


def _sorted(columns: Mapping[str, Column], keys: Sequence[str], groups: list[Group]) -> list[Group]:
    """Put the groups of a set into the public order of the categories, or of the values where there are none."""

    def place(group: Group) -> tuple[Any, ...]:
        orders = [columns[name].categories for name in keys]
        return tuple(value if order is None else order.index(value) for value, order in zip(group, orders, strict=True))

    return sorted(groups, key=place)
