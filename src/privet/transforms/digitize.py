"""Numbers sorted into public bins."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core.checks import number, short
from privet.core.domain import VectorDomain
from privet.core.rows import DTYPES, INT_MAX, INT_MIN, Array, saturated
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.categories import check_categories, listed
from privet.transforms.cleaning import all_readable, missing
from privet.transforms.columns import column, present


def _edges(value: Any) -> tuple[Fraction, ...] | None:
    return tuple(map(number, value)) if isinstance(value, tuple | list | range | np.ndarray) else None


def _labels(value: Any) -> tuple[Any, ...] | None:
    return None if value is None else listed(value) or ()


@final
@frozen(kw_only=True)
class Digitize(Transformation):
    """Replace every number by the bin that it falls into.

    Edges e1 < ... < ek make k + 1 bins: bin 0 is below e1, bin i holds e_i <= v < e_(i+1), bin k is from ek on.
    Nulls and NaN are null.

    Args:
        edges: One or more rising numbers, chosen without looking at the data.
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
    def _check_edges(self, attribute: Any, value: Any) -> None:
        if not value:
            raise WrongTypeError("Digitize.edges must be a list of one or more numbers.")
        all_readable(self, attribute, value)
        if any(low >= high for low, high in pairwise(value)):
            raise InvalidError(f"Digitize.edges must rise, got {short(value)}.")

    @labels.validator
    def _check_labels(self, _: Any, value: Any) -> None:
        if value is None:
            return
        check_categories("Digitize.labels", value)
        if len(value) != len(self.edges) + 1:
            raise WrongTypeError(
                f"Digitize.labels must be {len(self.edges) + 1}, one more than edges: the first bin is below them, "
                f"the last above; got {len(value)}."
            )

    def output(self, space: Space) -> Space:
        """Bins: categories where they have labels, otherwise whole numbers within bounds."""
        return Space(self._bins(_numbers(self, space)), space.metric)

    def apply(self, value: Any, space: Space) -> Array:
        """Count the edges that each value has reached."""
        domain = _numbers(self, space)
        gone, values = missing(value), present(value)[0]
        reached = np.searchsorted(self._thresholds(domain), values, side="right").astype(np.int64)
        reached[gone] = 0
        if self.labels is None:
            return self._bins(domain).coerce(reached, gone)
        names: Array = np.array(self.labels, dtype=DTYPES[type(self.labels[0])])
        return self._bins(domain).coerce(names[reached], gone)

    def stability(self, d_in: int, space: Space) -> int:
        """A function of each row by itself changes no more rows than were changed."""
        return d_in

    def _thresholds(self, domain: VectorDomain) -> Array:
        """Give the values at which each bin begins; edges beyond 64 bits are never, or always, reached."""
        if domain.kind is int:
            whole = [max(math.ceil(edge), INT_MIN) for edge in self.edges]
            return np.array([edge for edge in whole if edge <= INT_MAX], dtype=np.int64)
        if domain.grid is None:
            return np.array([saturated(edge) for edge in self.edges])
        # values were rounded to the grid: rounding the edges as well keeps a value on the side that it was on
        return np.array([saturated(round(edge / domain.grid) * domain.grid) for edge in self.edges])

    def _bins(self, domain: VectorDomain) -> VectorDomain:
        nullable = domain.nullable or domain.nan
        kept: dict[str, Any] = {"size": domain.size, "ordered": domain.ordered, "nullable": nullable}
        if self.labels is not None:
            return VectorDomain(kind=type(self.labels[0]), categories=self.labels, **kept)
        return VectorDomain(kind=int, bounds=(Fraction(0), Fraction(len(self.edges))), **kept)


def _numbers(unit: object, space: Space) -> VectorDomain:
    domain = column(unit, space)
    if domain.kind not in (int, float):
        raise MismatchError(
            f"Digitize reads numbers, got a column of {domain.kind.__name__}: put Cast(to=float) before it."
        )
    return domain
