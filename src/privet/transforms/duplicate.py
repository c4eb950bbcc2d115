"""Repetition of every row."""

from typing import Any, ClassVar, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    HammingDistance,
    IdentifierDistance,
    Records,
    ReplacementDistance,
    Space,
    positive,
    whole,
)
from privet.transforms import rows_changed, table_or_persons, take


@final
@frozen(kw_only=True)
class Duplicate(Transformation):
    """Repeat every row a public number of times, one copy after the other.

    Args:
        times: The number of copies, one or more.

    Guarantee: ``d_out = times d_in``; ``d_in`` from ``IdentifierDistance``. A public size is multiplied.
    Proof: docs/transforms/duplicate.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> Duplicate(times=2))([1, None]).tolist()
    [1, 1, None, None]
    """

    inclusive: ClassVar[bool] = True

    times: int = field(converter=whole, validator=positive)

    def output(self, space: Space) -> Space:
        """The same space; a public size is multiplied."""
        domain = table_or_persons(self, space)
        if domain.size is None:
            return space
        return Space(evolve(domain, size=domain.size * self.times), space.metric)

    def apply(self, value: Records | Array, space: Space) -> Any:
        """Repeat."""
        return take(value, np.repeat(np.arange(len(value)), self.times))

    def stability(self, d_in: int, space: Space) -> int:
        """A changed row changes all its copies; a person with more records is still one person."""
        if isinstance(space.metric, IdentifierDistance):
            return d_in
        in_place = isinstance(space.metric, HammingDistance | ReplacementDistance)
        changed = d_in if in_place else rows_changed(space, d_in)
        return self.times * changed
