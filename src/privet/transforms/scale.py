"""Numbers multiplied by a public constant or a public matrix."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    AbsoluteDistance,
    Array,
    Distance,
    GridDomain,
    NumbersDomain,
    Parts,
    RangeDistance,
    ScalarDomain,
    Space,
    VectorDistance,
    short,
)
from privet.errors import MismatchError
from privet.transforms.operator_norms import PublicMatrix, check_factor, moved, number_or_matrix, whole_matrix


@final
@frozen(kw_only=True)
class Scale(Transformation):
    """Multiply a number or a vector of numbers by a public constant, or a vector by a public matrix, exactly.

    Args:
        factor: A number other than zero; or a matrix, as a list of rows, with one column for each number.

    Guarantee: for a constant every distance is multiplied by its magnitude; for a matrix every norm is bounded by the
    operator norms.
    Proof: docs/transforms/scale.md.

    >>> from privet.core.space import numbers, scalar
    >>> (scalar(int) >> Scale(factor=0.5)).map(3)
    Fraction(3, 2)
    >>> (numbers(2) >> Scale(factor=[[1, 1], [1, -1]]))([5, 3]).tolist()
    [8, 2]
    """

    factor: Fraction | PublicMatrix = field(converter=number_or_matrix, validator=check_factor, repr=short)

    def output(self, space: Space) -> Space:
        """Numbers on a grid that holds every product."""
        domain, factor = self._numbers(space), self.factor
        if isinstance(factor, tuple):
            step = domain.grid / whole_matrix(_unweighted(factor, domain))[1]
            return Space(NumbersDomain(length=len(factor), kind=_kind(domain, step), grid=step), space.metric)
        if _stays_whole(domain, factor):
            return space
        return Space(evolve(domain, kind=float, grid=domain.grid * abs(factor)), space.metric)

    def _numbers(self, space: Space) -> Any:
        """Return the domain of one or several numbers, or raise an error that names the actual one."""
        domain, metric = space.domain, space.metric
        known = isinstance(domain, ScalarDomain) and isinstance(metric, AbsoluteDistance)
        known |= isinstance(domain, NumbersDomain) and isinstance(metric, VectorDistance | RangeDistance)
        if not known:
            raise MismatchError(
                f"Scale multiplies a number or a vector of numbers, got {space!r}: put Sum, Histogram or another "
                "aggregate before it, or use ScaleRows to multiply the rows of a column or a matrix."
            )
        if not isinstance(self.factor, tuple):
            return domain
        if not isinstance(domain, NumbersDomain) or not isinstance(metric, VectorDistance):
            raise MismatchError(f"Scale.factor must be one number for {space!r}, got a matrix.")
        if len(self.factor[0]) != domain.length:
            raise MismatchError(
                f"Scale.factor must have {domain.length} columns, one for each number, got {len(self.factor[0])}."
            )
        return domain

    def apply(self, value: Any, space: Space) -> Any:
        """Multiply whole numbers of grid steps."""
        domain, factor = self._numbers(space), self.factor
        if isinstance(factor, tuple):
            return _product(whole_matrix(_unweighted(factor, domain))[0], value)
        times = int(factor) if _stays_whole(domain, factor) else (1 if factor > 0 else -1)
        if isinstance(domain, ScalarDomain):
            return times * value
        return np.array([times * item for item in value.tolist()], dtype=object)  # 64 bits could overflow

    def stability(self, d_in: Any, space: Space) -> Distance:
        """A linear map moves differences as it moves vectors."""
        if isinstance(self.factor, tuple):
            return moved(_unweighted(self.factor, self._numbers(space)), d_in)
        times = abs(self.factor)
        if not isinstance(d_in, Parts):
            return Fraction(d_in) * times
        return Parts(l0=d_in.l0, l1=d_in.l1 * times, l2_squared=d_in.l2_squared * times**2, linf=d_in.linf * times)


def _unweighted(factor: PublicMatrix, domain: NumbersDomain) -> PublicMatrix:
    """Divide the columns by the weights that the numbers carry: the result carries none."""
    weights = domain.weights
    if weights is None:
        return factor
    return tuple(tuple(item / weight for item, weight in zip(row, weights, strict=True)) for row in factor)


def _product(rows: list[list[int]], value: Array) -> Array:
    steps = value.tolist()
    sums = [sum(item * step for item, step in zip(row, steps, strict=True) if item) for row in rows]
    result: Array = np.empty(len(sums), dtype=object)
    result[:] = sums
    return result


def _stays_whole(domain: GridDomain, factor: Fraction) -> bool:
    return domain.kind is int and factor.denominator == 1


def _kind(domain: GridDomain, step: Fraction) -> type:
    return int if domain.kind is int and step == 1 else float
