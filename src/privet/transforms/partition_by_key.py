"""Partitioning by a public list of keys."""

from typing import Any, final

from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Parts, Records, RecordsDomain, Space, VectorDomain
from privet.errors import MismatchError
from privet.transforms import (
    as_tuple,
    different_keys,
    field_of,
    keys_of,
    partition_space,
    places,
    rows_changed,
    table,
    take,
)


@final
@frozen(kw_only=True)
class PartitionByKey(Transformation):
    """Split records by a public list of keys, one part for each.

    Args:
        key: The column of the records that holds the key; None if the data are a column of keys.
        categories: The keys, in the order of the parts; by default the categories of the column.
        other: Whether records with another key, or none, form a last part; otherwise they are dropped.

    Guarantee: ``l1 = linf = d_in``, ``l0 <= d_in``, ``l2² <= d_in²``; a replaced record counts two.
    Proof: docs/transforms/partition_by_key.md.

    >>> from privet.core.space import vector
    >>> chain = vector(str) >> PartitionByKey(categories=["a", "b"])
    >>> [part.tolist() for part in chain(["b", "a", "b", "c"])]
    [['a'], ['b', 'b']]
    """

    key: str | None = field(default=None)
    categories: tuple[Any, ...] | None = field(default=None, converter=as_tuple, validator=different_keys)
    other: bool = field(default=False)

    def output(self, space: Space) -> Space:
        """One part for each key."""
        table(self, space)
        return partition_space(self, space, self._parts(space))

    def _keys(self, space: Space) -> tuple[Any, ...]:
        domain = space.domain
        if isinstance(domain, RecordsDomain):
            if self.key is None:
                raise MismatchError("PartitionByKey.key must name a column of the records.")
            return keys_of(self, self.categories, field_of(self, domain, self.key))
        if not isinstance(domain, VectorDomain) or self.key is not None:
            raise MismatchError("PartitionByKey reads records with a key, or a column of keys and no key=...")
        return keys_of(self, self.categories, domain)

    def _parts(self, space: Space) -> int:
        return len(self._keys(space)) + int(self.other)

    def apply(self, value: Records | Array, space: Space) -> tuple[Any, ...]:
        """Assign each record to the part of its key."""
        column = value.columns[self.key or ""] if isinstance(value, Records) else value
        place = places(column, self._keys(space))
        return tuple(take(value, place == part) for part in range(self._parts(space)))

    def stability(self, d_in: int, space: Space) -> Parts:
        """A record is in one part; a replacement may leave one part and enter another."""
        rows = rows_changed(space, d_in)
        return Parts(l0=min(rows, self._parts(space)), l1=rows, l2_squared=rows**2, linf=rows)
