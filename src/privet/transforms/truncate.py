"""Truncation: a public limit on the records of each person."""

from typing import Literal, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, Records, Space, SymmetricDistance, one_of, positive, whole
from privet.errors import InvalidError
from privet.transforms import (
    KeyedTransformation,
    by_person,
    column_name,
    contents,
    field_of,
    first_of_each,
    has_identifier,
    value_ranks,
)


@final
@frozen(kw_only=True)
class Truncate(KeyedTransformation):
    """Keep at most a public number of records of each person.

    A person with fewer records keeps them all: no record is drawn twice. Records without a readable identifier belong
    to no person and are dropped.

    Args:
        id: The id column: text, or whole numbers of 64 bits.
        rows: The largest number of records of a person.
        keep: Which records to keep: a uniformly random choice, or the first or last by a column.
        order: The column that decides which records are first and last. The other fields of a record break ties, never
            its position; a record without a value in this column comes after all others.

    Guarantee: ``d_out = rows d_in``, from persons to records.
    Proof: docs/transforms/truncate.md.

    >>> from privet.core.metric import IdentifierDistance
    >>> from privet.core.space import records
    >>> visits = Space(records(id=str, day=int).domain, IdentifierDistance("id"))
    >>> chain = visits >> Truncate(id="id", rows=1, keep="last", order="day")
    >>> chain([("ann", 1), ("ann", 3), ("bob", 2)]).columns["day"].tolist()
    [3, 2]
    >>> chain.map(2)
    2
    """

    id: str = field(validator=column_name)
    rows: int = field(converter=whole, validator=positive)
    keep: Literal["random", "first", "last"] = field(default="random", validator=one_of("random", "first", "last"))
    order: str | None = field(default=None)

    def __attrs_post_init__(self) -> None:
        if (self.order is None) != (self.keep == "random"):
            raise InvalidError('Truncate.order must name a column for keep="first" and keep="last", and only for them.')

    def output(self, space: Space) -> Space:
        """The same records under the symmetric distance."""
        domain = by_person(self, space, self.id)
        if self.order is not None:
            field_of(self, domain, self.order)
        return Space(domain, SymmetricDistance())

    def combine(self, value: Records, coins: Array, space: Space) -> Records:
        """Keep the records of each person that come first."""
        known = has_identifier(value, self.id)
        value, coins = value.take(known), coins[known]
        person = value_ranks(value.columns[self.id])
        first = coins if self.order is None else self._order(value.columns[self.order])
        return value.take(first_of_each(person, [first, *contents(value)], self.rows))

    def _order(self, column: Array) -> Array:
        numbers = value_ranks(column)
        missing = numbers >= len(numbers)
        return numbers if self.keep == "first" else np.where(missing, numbers, -numbers)

    def stability(self, d_in: int, space: Space) -> int:
        """A person who is added or removed adds or removes at most this many records."""
        return self.rows * d_in
