"""A first column of ones, for an intercept."""

from fractions import Fraction
from typing import final

import numpy as np
from attrs import evolve, frozen

from privet.chains.transformation import RowTransformation
from privet.core import EXACT_STEPS, Array, MatrixDomain, Norm, Space, sqrt_up
from privet.errors import MismatchError
from privet.transforms import table_or_persons

_ONE = Fraction(1)


@final
@frozen(kw_only=True)
class InsertOnes(RowTransformation):
    """Put a column of ones before the columns of a matrix.

    A ball around c becomes a ball around (0, c), of radius sqrt(R² + 1), or R + 1 for order 1.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/insert_ones.md.

    >>> from privet.core.space import matrix
    >>> (matrix(2) >> InsertOnes())([[3, 4], [5, 6]]).tolist()
    [[1.0, 3.0, 4.0], [1.0, 5.0, 6.0]]
    """

    def output(self, space: Space) -> Space:
        """One more column, with the bounds (1, 1)."""
        domain = table_or_persons(self, space)
        if not isinstance(domain, MatrixDomain):
            raise MismatchError(f"InsertOnes reads a matrix, got {domain.describe()}: start from pc.matrix(...).")
        grid = domain.grid
        if grid is not None and ((1 / grid).denominator != 1 or 1 / grid >= EXACT_STEPS):
            raise MismatchError(
                f"InsertOnes needs a grid that contains one, coarser than 2^-53; got {grid}: "
                "put Clamp(bounds=..., grid=...) before it."
            )
        bounds = None if domain.bounds is None else ((_ONE, _ONE), *domain.bounds)
        norm = domain.norm
        if norm is not None:  # centred at zero, so that products with the new column give sums and the row count
            radius = norm.radius + 1 if norm.order == 1 else sqrt_up(norm.radius**2 + 1)
            norm = Norm(order=norm.order, radius=radius, origin=(Fraction(0), *norm.origin))
        return Space(evolve(domain, columns=domain.columns + 1, bounds=bounds, norm=norm), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Put a one before each row."""
        return np.column_stack([np.ones(len(value)), value])
