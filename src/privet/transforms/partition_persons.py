"""Partitioning with a public limit on the contribution of each person."""

from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, PartitionDistance, PartitionDomain, Parts, Records, Space, positive, whole
from privet.transforms import (
    KeyedTransformation,
    as_tuple,
    by_person,
    column_name,
    contents,
    different_keys,
    field_of,
    first_of_each,
    has_identifier,
    keys_of,
    places,
    value_ranks,
)


@final
@frozen(kw_only=True)
class PartitionPersons(KeyedTransformation):
    """Split records by a public list of keys, and limit the records and the parts of each person.

    For each person and key, at most ``rows`` records stay, chosen at random. Then at most ``groups`` keys stay, chosen
    at random; keys with more records are more likely. Then at most ``total`` records stay. No record is drawn twice, so
    no limit undoes another. Records with another key or none, or without a readable identifier, are dropped.

    Args:
        id: The id column: text, or whole numbers of 64 bits.
        key: The column that holds the key.
        categories: The keys, in the order of the parts; by default the categories of the column.
        groups: How many parts a person may be in.
        rows: How many records a person may have in one part.
        total: How many records a person may have in all; by default ``groups`` times ``rows``.

    Guarantee: for one person ``l0 = min(groups, total)``, ``linf = min(rows, total)``, ``l1 = min(total, l0 linf)``,
        ``l2² = linf l1``; l0, l1 and linf grow by d_in, l2² by its square.
    Proof: docs/transforms/partition_persons.md.

    >>> from privet.core.metric import IdentifierDistance
    >>> from privet.core.space import records
    >>> visits = Space(records(id=str, year=int).domain, IdentifierDistance("id"))
    >>> unit = PartitionPersons(id="id", key="year", categories=[2023, 2024, 2025], groups=2, rows=1)
    >>> (visits >> unit).map(1)
    Parts(l0=2, l1=2, l2_squared=2, linf=1)
    """

    id: str = field(validator=column_name)
    key: str = field(validator=column_name)
    categories: tuple[Any, ...] | None = field(default=None, converter=as_tuple, validator=different_keys)
    groups: int = field(converter=whole, validator=positive)
    rows: int = field(converter=whole, validator=positive)
    total: int = field(converter=whole, validator=positive)

    @total.default
    def _all(self) -> int:
        return self.groups * self.rows

    def output(self, space: Space) -> Space:
        """One part for each key."""
        parts = len(self._keys(space))
        return Space(PartitionDomain(parts=parts, inner=by_person(self, space, self.id)), PartitionDistance())

    def _keys(self, space: Space) -> tuple[Any, ...]:
        return keys_of(self, self.categories, field_of(self, by_person(self, space, self.id), self.key))

    def combine(self, value: Records, coins: Array, space: Space) -> tuple[Records, ...]:
        """Apply the limits one after the other; the coins of a person's records decide."""
        keys, known = self._keys(space), has_identifier(value, self.id)
        value, coins = value.take(known), coins[known]
        place = places(value.columns[self.key], keys)
        kept = np.flatnonzero(place < len(keys))
        person = value_ranks(value.columns[self.id])
        order = [coins, *contents(value)]
        group = person * len(keys) + place  # a person's records with one key
        kept = kept[first_of_each(group[kept], [key[kept] for key in order], self.rows)]
        first = kept[first_of_each(group[kept], [key[kept] for key in order], 1)]
        chosen = first[first_of_each(person[first], [key[first] for key in order], self.groups)]
        kept = kept[np.isin(group[kept], group[chosen])]
        kept = kept[first_of_each(person[kept], [key[kept] for key in order], self.total)]
        return tuple(value.take(kept[place[kept] == part]) for part in range(len(keys)))

    def stability(self, d_in: int, space: Space) -> Parts:
        """Each person contributes a vector with these norms, and the vectors add up."""
        parts = len(self._keys(space))
        groups, linf = min(self.groups, self.total, parts), min(self.rows, self.total)
        l1 = min(self.total, groups * linf)
        return Parts(l0=min(groups * d_in, parts), l1=l1 * d_in, l2_squared=linf * l1 * d_in**2, linf=linf * d_in)
