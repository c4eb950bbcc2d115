"""Assignment of numbers to public bins."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import DTYPES, INT_MAX, INT_MIN, Array, Space, VectorDomain, saturated, short
from privet.errors import WrongTypeError
from privet.transforms import check_categories, missing, number_list, numeric_column, plain_tuple, present, rising

_REMEDY = ": put Cast(to=float) before it"


def _labels(value: object) -> tuple[Any, ...] | None:
    return None if value is None else plain_tuple(value) or ()


@final
@frozen(kw_only=True)
class Digitize(RowTransformation):
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

    edges: tuple[Fraction, ...] = field(converter=number_list, validator=rising, repr=short)
    labels: tuple[Any, ...] | None = field(default=None, converter=_labels)

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
        return Space(self._bins(numeric_column(self, space, _REMEDY)), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Count the edges at or below each value."""
        domain = numeric_column(self, space, _REMEDY)
        null, values = missing(value), present(value)[0]
        bins = np.searchsorted(self._thresholds(domain), values, side="right").astype(np.int64)
        bins[null] = 0
        if self.labels is None:
            return self._bins(domain).coerce(bins, null)
        names: Array = np.array(self.labels, dtype=DTYPES[type(self.labels[0])])
        return self._bins(domain).coerce(names[bins], null)

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
