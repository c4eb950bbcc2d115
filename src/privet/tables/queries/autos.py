"""Bounds that an aggregate leaves to be estimated."""

from collections.abc import Iterator
from typing import Any, cast

from attrs import fields

from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Auto


def auto_fields(aggregate: Aggregate) -> Iterator[tuple[Aggregate, str, Auto]]:
    """Give the fields of an aggregate, and of the aggregates in it, that are ``auto()``.

    >>> from privet.tables.aggregates.mean import mean
    >>> [name for _, name, _ in auto_fields(mean("age", bounds=Auto()))]
    ['bounds']
    """
    for item in fields(cast("Any", type(aggregate))):
        value = getattr(aggregate, item.name)
        if isinstance(value, Auto):
            yield aggregate, item.name, value
        elif isinstance(value, Aggregate):
            yield from auto_fields(value)
