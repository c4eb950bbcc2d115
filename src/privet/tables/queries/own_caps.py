"""Caps that a query sets itself: numbers, or estimates."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from attrs import evolve

from privet.errors import InvalidError
from privet.tables.columns import Auto, KeyCaps
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
    by: Sequence[KeyCaps],
    has_ids: bool,
) -> tuple[Caps, AutoCaps]:
    """Give the caps of a query after some were set; those that are not given stay.

    Args:
        caps: Its numbers so far.
        auto_caps: What is estimated so far.
        given: By name, a number or ``auto()``; None for a cap that stays.
        by: Caps by column; each replaces an earlier one of its column.
        has_ids: Whether there are persons, whose rows caps count.
    """
    some = {name: value for name, value in given.items() if value is not None}
    autos = {name: value for name, value in some.items() if isinstance(value, Auto)}
    if autos and not has_ids:
        raise InvalidError("cap: the unit is rows: there are no persons whose rows could be counted for auto().")
    if (some or by) and not has_ids:
        raise InvalidError("cap: the unit is rows, so that there are no persons to cap; use unit=Persons(id=...).")
    numbers: dict[str, Any] = {name: None if name in autos else value for name, value in some.items()}
    kept = {name: auto for name, auto in auto_caps if name not in some} | autos
    columns = {each.column: each for each in (*caps.by, *by)}
    return evolve(caps, **numbers, by=tuple(columns.values())), tuple(kept.items())


def describe_own_caps(caps: Caps, auto_caps: AutoCaps) -> str:
    """Write the caps of a query, those that are estimated first included."""
    unknown: dict[str, Any] = dict.fromkeys(name for name, _ in auto_caps)
    texts = [describe_caps(evolve(caps, **unknown))]
    texts += [f"{name.replace('_', ' ')} estimated first" for name in unknown]
    return ", ".join(texts[texts[0] == "none" and len(texts) > 1 :])
