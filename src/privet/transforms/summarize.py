"""Summaries: one row for all records of a person."""

from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    Bounds,
    Records,
    Space,
    SymmetricDistance,
    VectorDomain,
    bounded_grid,
    bounds,
    nearest_step,
    readable,
    short,
)
from privet.errors import InvalidError, MismatchError
from privet.transforms.columns import present
from privet.transforms.persons import by_person, field_of, has_identifier, name, one_of, people, ranks
from privet.transforms.sum import step_of


def _optional_bounds(value: object) -> Bounds | None:
    return None if value is None else bounds(value)


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

    id: str = field(validator=name)
    column: str = field(validator=name)
    how: Literal["sum", "mean", "min", "max", "count"] = field(validator=one_of("sum", "mean", "min", "max", "count"))
    bounds: Bounds | None = field(default=None, converter=_optional_bounds, validator=readable, repr=short)

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
        steps, known = _steps(value.columns[self.column], source, count=self.how == "count")
        order, starts = people(ranks(value.columns[self.id]))
        groups = [rows[known[rows]] for rows in np.split(order, starts[1:])] if len(order) else []
        ratio = step_of(source) / step_of(target)
        summaries = [self._summary(steps[rows].tolist(), ratio) for rows in groups]
        null = np.array([item is None for item in summaries], dtype=bool)
        clamped = [
            nearest_step((item or Fraction(0)) * step_of(target), target.bounds, step_of(target)) for item in summaries
        ]
        values = np.array([target.kind(step * step_of(target)) for step in clamped], dtype=_dtype(target))
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


def _dtype(domain: VectorDomain) -> Any:
    return np.int64 if domain.kind is int else np.float64


def _steps(column: Array, domain: VectorDomain, *, count: bool) -> tuple[Array, Array]:
    """Return a bounded column in whole grid steps, and a mask of the rows with a value."""
    values, null = present(column)
    known = np.ones(len(values), dtype=bool) if null is None else ~null
    if count:
        return np.zeros(len(values), dtype=np.int64), np.ones(len(values), dtype=bool)
    if domain.kind is int:
        return values, known
    known = known & ~np.isnan(values)
    scaled = np.where(known, values, 0.0) * float(1 / step_of(domain))
    return scaled.astype(np.int64), known  # exact: below 2^53 grid steps
