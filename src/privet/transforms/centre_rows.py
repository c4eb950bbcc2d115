"""Features moved into a public ball, with a column for an intercept; the target stays."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, not_negative, number, positive, short
from privet.transforms import listed, number_list
from privet.transforms.row_weights import centred, centred_grid, centred_space, in_chunks, stacked


@final
@frozen(kw_only=True)
class CentreRows(RowTransformation):
    """Turn features x and a target t into (z, c, t): z is x minus a centre, shortened to a radius.

    The constant c is the column of an intercept: a coefficient of it acts on every row, and counts in the norm of a
    row. Results are rounded toward zero to a grid of about 2^-16 of the radius.

    Args:
        centre: One number for each feature, chosen without looking at the data or from a release.
        radius: The largest length of z.
        intercept: The constant c.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/centre_rows.md.

    >>> from attrs import evolve
    >>> from privet.core.space import matrix
    >>> plane = matrix(3, bounds=(-9, 9))
    >>> rows = Space(evolve(plane.domain, nan=False), plane.metric)
    >>> (rows >> CentreRows(centre=[1, 1], radius=1, intercept=0.5))([[1, 0.5, 7], [1, 9, 8]]).tolist()
    [[0.0, -0.5, 0.5, 7.0], [0.0, 1.0, 0.5, 8.0]]
    """

    centre: tuple[Fraction, ...] = field(converter=number_list, validator=listed, repr=short)
    radius: Fraction = field(converter=number, validator=positive, repr=short)
    intercept: Fraction = field(default=Fraction(0), converter=number, validator=not_negative, repr=short)

    def output(self, space: Space) -> Space:
        """Bounded columns: the features by the radius, the others by what they are."""
        return centred_space(self, space, centre=self.centre, radius=self.radius, intercept=self.intercept)

    def apply(self, value: Array, space: Space) -> Array:
        """Subtract, shorten, round."""
        return in_chunks(value, self._centred)

    def _centred(self, value: Array) -> Array:
        gaps, weights = centred(value, self.centre, self.radius)
        gaps *= weights
        constant = 0 * weights + float(self.intercept)
        return stacked(gaps, [constant, value[:, -1]], centred_grid(self.radius))
