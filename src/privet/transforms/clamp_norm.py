"""Clamping rows of numbers: move every row into a public ball."""

from fractions import Fraction
from typing import Literal, final

from attrs import converters, evolve, field, frozen, validators

from privet.chains.transformation import RowTransformation
from privet.core import (
    Array,
    MatrixDomain,
    Norm,
    Space,
    into_ball,
    matrix_grid,
    number,
    one_of,
    optional_grid,
    positive,
    readable,
    short,
    whole,
)
from privet.errors import MismatchError
from privet.transforms import listed, matrix_domain, norm_ball, number_list


@final
@frozen(kw_only=True)
class ClampNorm(RowTransformation):
    """Move every row toward the origin until it lies in a ball.

    Rows are also rounded to a public grid, toward the origin, so that the result lies in the ball exactly. A row with
    NaN becomes the origin; an infinity is read as the largest float.

    Args:
        radius: The radius of the ball, above zero.
        order: 1 for the sum of the magnitudes, 2 for the Euclidean norm.
        origin: The centre of the ball, one number for each column, rounded to the grid; by default zero.
        grid: The grid step of all values, a power of two; by default 2^-32 of the largest coordinate of the ball.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/clamp_norm.md.

    >>> from privet.core.space import matrix
    >>> (matrix(2) >> ClampNorm(radius=1, order=1, grid=2**-3))([[0.5, 0.25], [3, -1]]).tolist()
    [[0.5, 0.25], [0.625, -0.125]]
    """

    radius: Fraction = field(converter=number, validator=positive, repr=short)
    order: Literal[1, 2] = field(default=2, converter=whole, validator=one_of(1, 2))
    origin: tuple[Fraction, ...] | None = field(
        default=None, converter=converters.optional(number_list), validator=validators.optional(listed), repr=short
    )
    grid: Fraction | None = field(default=None, converter=optional_grid, validator=readable, repr=False)

    def output(self, space: Space) -> Space:
        """Rows in the ball, without NaN; the ball bounds the columns."""
        domain = matrix_domain(self, space)
        grid = matrix_grid("ClampNorm", self._box(self._centre(domain)), self.grid)
        origin = tuple(round(item / grid) * grid for item in self._centre(domain))
        norm = Norm(order=self.order, radius=self.radius, origin=origin)
        bounds = self._box(origin)
        matrix_grid("ClampNorm", bounds, grid)
        return Space(evolve(domain, bounds=bounds, grid=grid, norm=norm, nan=False), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Scale in floats, round toward the origin, and check in exact arithmetic."""
        return into_ball(value, *norm_ball(self, self.output(space)))

    def _centre(self, domain: MatrixDomain) -> tuple[Fraction, ...]:
        if self.origin is None:
            return (Fraction(0),) * domain.columns
        if len(self.origin) != domain.columns:
            raise MismatchError(f"ClampNorm.origin has {len(self.origin)} numbers, the rows have {domain.columns}.")
        return self.origin

    def _box(self, centre: tuple[Fraction, ...]) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple((item - self.radius, item + self.radius) for item in centre)
