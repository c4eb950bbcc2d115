"""Assignment of numbers to public bins."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, final

import numpy as np
from attrs import Attribute, field, frozen

from privet.chains.transformation import Transformation
from privet.core import DTYPES, INT_MAX, INT_MIN, Array, Space, VectorDomain, number, saturated, short
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.categories import check_categories, plain_tuple
from privet.transforms.cleaning import all_readable, missing
from privet.transforms.columns import column, present


def _edges(value: object) -> tuple[Fraction, ...] | None:
    return tuple(map(number, value)) if isinstance(value, tuple | list | range | np.ndarray) else None


def _labels(value: object) -> tuple[Any, ...] | None:
    return None if value is None else plain_tuple(value) or ()


@final
@frozen(kw_only=True)
class Digitize(Transformation):
    """Replace every number by the bin that contains it.

    Edges e1 < ... < ek make k + 1 bins: bin 0 is below e1, bin i holds e_i <= v < e_(i+1), bin k is from ek on.
    Nulls and NaN become null.

    Args:
        edges: One or more increasing numbers, chosen without looking at the data.
        labels: Names for the k + 1 bins, lowest first; without them a bin is its number.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/digitize.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> Digitize(edges=[18, 65]))([3, 18, 64, 65, None]).tolist()
    [0, 1, 1, 2, None]
    """

    inclusive: ClassVar[bool] = True

    edges: tuple[Fraction, ...] = field(converter=_edges, repr=short)
    labels: tuple[Any, ...] | None = field(default=None, converter=_labels)

    @edges.validator
    def _check_edges(self, attribute: "Attribute[Any]", value: tuple[Any, ...] | None) -> None:
        if not value:
            raise WrongTypeError("Digitize.edges must be a list of one or more numbers.")
        all_readable(self, attribute, value)
        if any(low >= high for low, high in pairwise(value)):
            raise InvalidError(f"Digitize.edges must rise, got {short(value)}.")

    @labels.validator
    def _check_labels(self, _: object, value: tuple[Any, ...] | None) -> None:
        if value is None:
            return
        check_categories("Digitize.labels", value)
        if len(value) != len(self.edges) + 1:
            raise WrongTypeError(
                f"Digitize.labels must be {len(self.edges) + 1}, one more than edges: the first bin is below them, "
                f"the last above; got {len(value)}."
            )

    def output(self, space: Space) -> Space:
        """Bins: categories if they have labels, otherwise bounded whole numbers."""
        return Space(self._bins(_numbers(self, space)), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Count the edges at or below each value."""
        domain = _numbers(self, space)
        null, values = missing(value), present(value)[0]
        bins = np.searchsorted(self._thresholds(domain), values, side="right").astype(np.int64)
        bins[null] = 0
        if self.labels is None:
            return self._bins(domain).coerce(bins, null)
        names: Array = np.array(self.labels, dtype=DTYPES[type(self.labels[0])])
        return self._bins(domain).coerce(names[bins], null)

    def stability(self, d_in: int, space: Space) -> int:
        """Each output row is a function of one input row, so no more rows change."""
        return d_in

    def _thresholds(self, domain: VectorDomain) -> Array:
        """Return the smallest value of each bin; an edge beyond 64 bits is above, or below, every value."""
        if domain.kind is int:
            whole = [max(math.ceil(edge), INT_MIN) for edge in self.edges]
            return np.array([edge for edge in whole if edge <= INT_MAX], dtype=np.int64)
        if domain.grid is None:
            return np.array([saturated(edge) for edge in self.edges])
        # values were rounded to the grid: with rounded edges a value stays on its side of each edge
        return np.array([saturated(round(edge / domain.grid) * domain.grid) for edge in self.edges])

    def _bins(self, domain: VectorDomain) -> VectorDomain:
        nullable = domain.nullable or domain.nan
        rows: dict[str, Any] = {"size": domain.size, "ordered": domain.ordered, "nullable": nullable}
        if self.labels is not None:
            return VectorDomain(kind=type(self.labels[0]), categories=self.labels, **rows)
        return VectorDomain(kind=int, bounds=(Fraction(0), Fraction(len(self.edges))), **rows)


def _numbers(unit: object, space: Space) -> VectorDomain:
    domain = column(unit, space)
    if domain.kind not in (int, float):
        raise MismatchError(
            f"Digitize reads numbers, got a column of {domain.kind.__name__}: put Cast(to=float) before it."
        )
    return domain
