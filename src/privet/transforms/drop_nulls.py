"""Removal of rows with missing values."""

from typing import Any, ClassVar, final

import numpy as np
from attrs import evolve, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, IdentifierDistance, Records, RecordsDomain, Space, VectorDomain
from privet.transforms import Table, missing, present, rows_changed, table_or_persons, without_size


@final
@frozen(kw_only=True)
class DropNulls(Transformation):
    """Drop every row that is null or NaN in any of its columns.

    The number of rows that remain is private, so the result has no public size.

    Guarantee: ``d_out = d_in`` if the size was private; ``2 ceil(d_in / 2)`` if it was public, ``2 d_in`` from
    ``HammingDistance``.
    Proof: docs/transforms/drop_nulls.md.

    >>> from privet.core.space import vector
    >>> (vector(float) >> DropNulls())([1.0, None, float("nan"), 2.0]).tolist()
    [1.0, 2.0]
    """

    inclusive: ClassVar[bool] = True

    def output(self, space: Space) -> Space:
        """Nothing is missing any more, and the size is private."""
        return without_size(_without_gaps(table_or_persons(self, space), _identifier(space)), space)

    def apply(self, value: Records | Array, space: Space) -> Any:
        """Keep the rows that have every value."""
        if not isinstance(value, Records):
            return present(value)[0][~_incomplete(value)]
        incomplete = np.zeros(len(value), dtype=bool)
        for cells in value.columns.values():
            incomplete = incomplete | missing(cells)
        person = _identifier(space)
        columns = {name: cells[~incomplete] for name, cells in value.columns.items()}
        return Records({name: cells if name == person else present(cells)[0] for name, cells in columns.items()})

    def stability(self, d_in: int, space: Space) -> int:
        """Each row stays or goes by itself; a replacement may be one removed and one added row."""
        return rows_changed(space, d_in)


def _incomplete(value: Array) -> Array:
    null = missing(value)
    return np.asarray(null.any(axis=1)) if null.ndim == 2 else null


def _identifier(space: Space) -> Any:
    """Return the id column, or None if the metric counts records."""
    return space.metric.id if isinstance(space.metric, IdentifierDistance) else None


def _without_gaps(domain: Table, person: object) -> Table:
    if isinstance(domain, VectorDomain):
        return evolve(domain, nullable=False, nan=False)
    if isinstance(domain, RecordsDomain):
        # the id column stays nullable: a column without nulls may have been imputed, which merges persons
        nullable = {name: inner.nullable and name == person for name, inner in domain.columns}
        columns = ((name, evolve(inner, nullable=nullable[name], nan=False)) for name, inner in domain.columns)
        return evolve(domain, columns=tuple(columns))
    return evolve(domain, nan=False)
