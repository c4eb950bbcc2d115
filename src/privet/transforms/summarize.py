"""Summaries: one row for all records of a person."""

from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import converters, field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    DTYPES,
    Array,
    Bounds,
    Records,
    Space,
    SymmetricDistance,
    VectorDomain,
    bounded_grid,
    bounds,
    nearest_step,
    one_of,
    readable,
    short,
)
from privet.errors import InvalidError, MismatchError
from privet.transforms import (
    by_person,
    column_name,
    column_steps,
    field_of,
    has_identifier,
    missing,
    people,
    value_ranks,
)


@final
@frozen(kw_only=True)
class Summarize(Transformation):
    """Summarise the records of each person in one number.

    Records without a readable identifier belong to no person and are dropped; missing values are left out. For a person
    without values a sum is zero, and other summaries are null. Every summary is computed exactly, then rounded to the
    grid, half to even, and clamped.

    Args:
        id: The id column: text, or whole numbers of 64 bits.
        column: The bounded column of numbers to summarise.
        how: ``sum``, ``mean``, ``min`` or ``max`` of the values, or ``count`` of the records, missing values included.
        bounds: Clamp summaries to this interval; by default the bounds of the column. A sum and a count need bounds.

    Guarantee: ``d_out = d_in``, from persons to rows.
    Proof: docs/transforms/summarize.md.

    >>> from privet.core.metric import IdentifierDistance
    >>> from privet.core.space import records, vector
    >>> sales = Space(records(id=str, paid=vector(int, bounds=(0, 50))).domain, IdentifierDistance("id"))
    >>> chain = sales >> Summarize(id="id", column="paid", how="sum", bounds=(0, 60))
    >>> chain([("ann", 40), ("ann", 30), ("bob", 2)]).tolist()
    [60, 2]
    """

    id: str = field(validator=column_name)
    column: str = field(validator=column_name)
    how: Literal["sum", "mean", "min", "max", "count"] = field(validator=one_of("sum", "mean", "min", "max", "count"))
    bounds: Bounds | None = field(default=None, converter=converters.optional(bounds), validator=readable, repr=short)

    def output(self, space: Space) -> Space:
        """A bounded column of numbers, one for each person."""
        source = self._source(space)
        limits = source.bounds if self.bounds is None else self.bounds
        if limits is None or (self.bounds is None and self.how in ("sum", "count")):
            raise MismatchError(f"Summarize.bounds must be stated for a {self.how}: no column bounds its size.")
        kind = {"mean": float, "count": int}.get(self.how, source.kind)
        grid = _grid(kind, limits, source.grid if kind is source.kind else None)
        nullable = self.how in ("mean", "min", "max")
        domain = VectorDomain(kind=kind, bounds=limits, grid=grid, nullable=nullable)
        return Space(domain, SymmetricDistance())

    def _source(self, space: Space) -> VectorDomain:
        source = field_of(self, by_person(self, space, self.id), self.column)
        if self.how != "count" and (source.kind not in (int, float) or source.bounds is None):
            raise MismatchError(
                f"Summarize needs a bounded column of numbers, got {source.describe()}: "
                f"write pc.records({self.column}=pc.vector(float, bounds=(lower, upper)), ...)."
            )
        return source

    def apply(self, value: Records, space: Space) -> Array:
        """Summarise person by person."""
        target: Any = self.output(space).domain
        source = self._source(space)
        value = value.take(has_identifier(value, self.id))
        cells = value.columns[self.column]
        known = np.ones(len(value), dtype=bool) if self.how == "count" else ~missing(cells)
        steps = column_steps(cells, source, missing=0)
        order, starts = people(value_ranks(value.columns[self.id]))
        groups = [rows[known[rows]] for rows in np.split(order, starts[1:])] if len(order) else []
        ratio = source.step / target.step
        summaries = [self._summary(steps[rows].tolist(), ratio) for rows in groups]
        null = np.array([item is None for item in summaries], dtype=bool)
        clamped = [nearest_step((item or Fraction(0)) * target.step, target.bounds, target.step) for item in summaries]
        values: Array = np.array([target.kind(step * target.step) for step in clamped], dtype=DTYPES[target.kind])
        return np.ma.MaskedArray(values, mask=null) if target.nullable else values

    def _summary(self, steps: list[int], ratio: Fraction) -> Fraction | None:
        if self.how == "count":
            return Fraction(len(steps))
        if self.how == "sum":
            return sum(steps) * ratio
        if not steps:
            return None
        return {"min": Fraction(min(steps)), "max": Fraction(max(steps))}.get(
            self.how, Fraction(sum(steps), len(steps))
        ) * ratio

    def stability(self, d_in: int, space: Space) -> int:
        """A person is one row."""
        return d_in


def _grid(kind: type, limits: Bounds, before: Fraction | None) -> Fraction | None:
    """Keep the grid of the column if it is coarse enough to stay exact within the bounds."""
    try:
        return bounded_grid("Summarize", kind, limits, before)
    except InvalidError:
        return bounded_grid("Summarize", kind, limits, None)
