"""Imputation of missing values by one public value."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import (
    INT_MAX,
    INT_MIN,
    Array,
    MatrixDomain,
    Sides,
    Space,
    VectorDomain,
    clamp_side,
    nearest_step,
    number,
    saturated,
    short,
)
from privet.errors import InvalidError, WrongTypeError
from privet.transforms import all_readable, column_or_matrix, complete, for_each, missing, one_or_each, present


def _constant(value: object) -> Any:
    return value if isinstance(value, bool | str) else one_or_each(value)


@final
@frozen(kw_only=True)
class ImputeConstant(RowTransformation):
    """Replace every null and every NaN by a public value.

    Args:
        value: The replacement, chosen without looking at the data: of the kind of the column, and within its bounds or
            one of its categories. For a matrix one number, or a list with one number for each column. Real values
            are rounded to the grid of the column.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/impute_constant.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> ImputeConstant(value=7))([1, None, 3]).tolist()
    [1, 7, 3]
    """

    value: Any = field(converter=_constant, validator=all_readable, repr=short)

    def output(self, space: Space) -> Space:
        """Nothing is missing any more."""
        domain = column_or_matrix(self, space)
        self._stand_in(domain)
        return Space(complete(domain), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Impute row by row."""
        domain = column_or_matrix(self, space)
        values, null = present(value)[0], missing(value)
        stand_in = self._stand_in(domain)
        if isinstance(domain, MatrixDomain):
            return np.where(null, np.array(stand_in), values)
        result = values.copy()  # assign instead of np.where, which would choose a common dtype
        result[null] = stand_in[0]
        return result

    def _stand_in(self, domain: VectorDomain | MatrixDomain) -> list[Any]:
        """Return the replacement for each column, in the representation of the domain."""
        if isinstance(domain, VectorDomain) and domain.categories is not None:
            return [_category(self.value, domain.kind, domain.categories)]
        if isinstance(domain, VectorDomain) and domain.kind in (bool, str):
            if type(self.value) is not domain.kind:
                kind = domain.kind.__name__
                raise WrongTypeError(f"ImputeConstant.value must be of kind {kind}, the kind of the column.")
            return [self.value]
        if isinstance(self.value, bool | str):
            raise WrongTypeError(f"ImputeConstant.value must be a number, got {type(self.value).__name__}.")
        values = for_each("ImputeConstant.value", self.value, domain)
        if isinstance(domain, MatrixDomain):
            limits = domain.bounds or (None,) * domain.columns
            return [_real(value, limit, domain.grid) for value, limit in zip(values, limits, strict=True)]
        limit = domain.sides if domain.bounds is None else domain.bounds
        if domain.kind is int:
            return [_whole(values[0], limit)]
        return [_real(values[0], limit, domain.grid)]


def _category(value: object, kind: type, categories: tuple[Any, ...]) -> Any:
    if kind in (bool, str):
        matches = [item for item in categories if type(value) is kind and item == value]
    else:  # the number was read as a fraction: choose the category that is typed in the same way
        matches = [item for item in categories if type(value) is Fraction and number(item) == value]
    if not matches:
        raise InvalidError(f"ImputeConstant.value must be one of the categories of the column, got {short(value)}.")
    return matches[0]


def _check_within(value: Fraction, limit: Sides | None) -> None:
    lower, upper = limit or (None, None)
    if (lower is not None and value < lower) or (upper is not None and value > upper):
        raise InvalidError(
            f"ImputeConstant.value must lie within the bounds of the column, {short(limit)}, got {short(value)}."
        )


def _whole(value: Fraction, limit: Sides | None) -> int:
    if value.denominator != 1 or not INT_MIN <= value <= INT_MAX:
        raise InvalidError(
            f"ImputeConstant.value must be a whole number of 64 bits for a column of int, got {short(value)}."
        )
    _check_within(value, limit)
    return int(value)


def _real(value: Fraction, limit: Sides | None, grid: Fraction | None) -> float:
    _check_within(value, limit)
    if limit is None:
        return saturated(value)
    lower, upper = limit
    if lower is None or upper is None or grid is None:
        return float(clamp_side(np.array([saturated(value)]), limit)[0])  # the nearest float may lie beyond the bound
    return float(nearest_step(value, (lower, upper), grid) * grid)
