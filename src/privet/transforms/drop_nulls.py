"""Rows with something missing left out."""

from typing import Any, ClassVar, final

import numpy as np
from attrs import evolve, frozen

from privet.chains.transformation import Transformation
from privet.core.domain import VectorDomain
from privet.core.frames import Records, RecordsDomain
from privet.core.metric import IdentifierDistance
from privet.core.rows import Array
from privet.core.space import Space
from privet.transforms.cleaning import Table, missing, table, unsized
from privet.transforms.columns import present
from privet.transforms.tables import rows_changed


@final
@frozen(kw_only=True)
class DropNulls(Transformation):
    """Leave out every row that is null or NaN, in any of its columns.

    How many rows remain is private, so a public size is given up.

    Guarantee: ``d_out = d_in`` where the size was private; ``2 ceil(d_in / 2)`` where it was public, ``2 d_in`` from
    ``HammingDistance``.
    Proof: docs/transforms/drop_nulls.md.

    >>> from privet.core.space import vector
    >>> (vector(float) >> DropNulls())([1.0, None, float("nan"), 2.0]).tolist()
    [1.0, 2.0]
    """

    inclusive: ClassVar[bool] = True

    def output(self, space: Space) -> Space:
        """Nothing is missing any more, and the size is private."""
        return unsized(_without_gaps(table(self, space), _identifier(space)), space)

    def apply(self, value: Any, space: Space) -> Any:
        """Keep the rows that have every value."""
        if not isinstance(value, Records):
            return present(value)[0][~_incomplete(value)]
        gone = np.zeros(len(value), dtype=bool)
        for cells in value.columns.values():
            gone = gone | missing(cells)
        person = _identifier(space)
        kept = {name: cells[~gone] for name, cells in value.columns.items()}
        return Records({name: cells if name == person else present(cells)[0] for name, cells in kept.items()})

    def stability(self, d_in: int, space: Space) -> int:
        """A row is kept or not by itself; a replacement may be one row removed and another added."""
        return rows_changed(space, d_in)


def _incomplete(value: Any) -> Array:
    gone = missing(value)
    return np.asarray(gone.any(axis=1)) if gone.ndim == 2 else gone


def _identifier(space: Space) -> Any:
    """Give the column that tells persons apart; None where records are counted."""
    return space.metric.id if isinstance(space.metric, IdentifierDistance) else None


def _without_gaps(domain: Table, person: Any) -> Table:
    if isinstance(domain, VectorDomain):
        return evolve(domain, nullable=False, nan=False)
    if isinstance(domain, RecordsDomain):
        # the identifier stays nullable: without nulls it would look as if it had been filled, and persons merged
        gaps = {name: inner.nullable and name == person for name, inner in domain.columns}
        columns = ((name, evolve(inner, nullable=gaps[name], nan=False)) for name, inner in domain.columns)
        return evolve(domain, columns=tuple(columns))
    return evolve(domain, nan=False)
