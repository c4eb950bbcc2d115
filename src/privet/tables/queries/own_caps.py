"""Caps that a query sets itself: numbers, or estimates."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from attrs import evolve

from privet.errors import InvalidError
from privet.tables.columns import Auto, Columns, KeyCaps, find_column, read_key_caps
from privet.tables.queries.describe_nodes import describe_caps
from privet.tables.relations.caps import Caps

CapName = Literal["groups", "rows_per_group", "rows"]
CAP_NAMES: tuple[CapName, ...] = ("groups", "rows_per_group", "rows")  # in the order in which caps are applied
AutoCaps = tuple[tuple[CapName, Auto], ...]


def set_caps(
    caps: Caps,
    auto_caps: AutoCaps,
    given: Mapping[CapName, int | Auto | None],
    *,
    by: object,
    columns: Columns,
    id_columns: Sequence[str],
) -> tuple[Caps, AutoCaps]:
    """Give the caps of a query after some were set; those that are not given stay.

    Args:
        caps: Its numbers so far.
        auto_caps: What is estimated so far.
        given: By name, a number or ``auto()``; None for a cap that stays.
        by: Caps by column; each replaces an earlier one of the same columns.
        columns: The columns of the query.
        id_columns: Those that tell persons apart, whose rows caps count; none where the unit is rows.
    """
    own = _read_by(by, columns, id_columns)
    some = {name: value for name, value in given.items() if value is not None}
    autos = {name: value for name, value in some.items() if isinstance(value, Auto)}
    if autos and not id_columns:
        raise InvalidError("cap: the unit is rows: there are no persons whose rows could be counted for auto().")
    if (some or own) and not id_columns:
        raise InvalidError("cap: the unit is rows, so that there are no persons to cap; use unit=Persons(id=...).")
    numbers: dict[str, Any] = {name: None if name in autos else value for name, value in some.items()}
    kept = {name: auto for name, auto in auto_caps if name not in some} | autos
    return evolve(caps, **numbers, by=merged(caps.by, own)), tuple(kept.items())


def _read_by(by: object, columns: Columns, id_columns: Sequence[str]) -> tuple[KeyCaps, ...]:
    """Read the caps by column of a query; the columns must be there, and tell nobody apart."""
    own = read_key_caps("cap.by", by)
    for name in (name for each in own for name in each.columns):
        find_column("cap.by", name, columns)
        if name in id_columns:
            raise InvalidError(f"cap.by: {name!r} tells whose rows are protected and must stay as it is.")
    return own


def merged(before: Sequence[KeyCaps], after: Sequence[KeyCaps]) -> tuple[KeyCaps, ...]:
    """Put caps by column in the place of those before that are for the same columns."""
    return tuple({each.columns: each for each in (*before, *after)}.values())


def with_names(caps: Caps, names: Mapping[str, str]) -> Caps:
    """Give the same caps after columns have new names.

    Args:
        caps: The caps.
        names: The new names, by the old ones.
    """
    by = (evolve(each, columns=[names.get(name, name) for name in each.columns]) for each in caps.by)
    return evolve(caps, by=tuple(by))


def describe_own_caps(caps: Caps, auto_caps: AutoCaps) -> str:
    """Write the caps of a query, those that are estimated first included."""
    unknown: dict[str, Any] = dict.fromkeys(name for name, _ in auto_caps)
    texts = [describe_caps(evolve(caps, **unknown))]
    texts += [f"{name.replace('_', ' ')} estimated first" for name in unknown]
    return ", ".join(texts[texts[0] == "none" and len(texts) > 1 :])
