"""Aggregates with bounds that a query estimates first: finding those, and putting numbers in their place."""

from collections.abc import Iterator, Mapping
from typing import Any, cast

from attrs import evolve, fields

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Auto, Bounds

_OF = {"bounds": "column", "first_bounds": "first", "second_bounds": "second"}


def autos_of(aggregate: Aggregate) -> Iterator[tuple[str, Auto]]:
    """Give the columns whose bounds an aggregate wants estimated, and how."""
    for item in fields(cast("Any", type(aggregate))):
        value = getattr(aggregate, item.name)
        if isinstance(value, Auto):
            yield getattr(aggregate, _OF[item.name]), value
        elif isinstance(value, Aggregate):
            yield from autos_of(value)


def with_bounds(aggregate: Aggregate, bounds: Mapping[tuple[str, Auto], Bounds]) -> Aggregate:
    """Put bounds in the place of ``Auto``.

    Args:
        aggregate: The aggregate, not yet bound.
        bounds: By column and ``Auto``, the bounds.
    """
    changes: dict[str, Any] = {}
    for item in fields(cast("Any", type(aggregate))):
        value = getattr(aggregate, item.name)
        if isinstance(value, Auto):
            changes[item.name] = bounds[getattr(aggregate, _OF[item.name]), value]
        elif isinstance(value, Aggregate):
            changes[item.name] = with_bounds(value, bounds)
    return cast("Aggregate", evolve(cast("Any", aggregate), **changes))
