"""Whole rows of a regression multiplied by a weight that moves their features into a public ball."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, not_negative, number, positive, short
from privet.transforms import listed, number_list
from privet.transforms.row_weights import centred, centred_grid, centred_space, in_chunks, stacked


@final
@frozen(kw_only=True)
class WeightRows(RowTransformation):
    """Turn features x and a target y into w (x - m, c, y - t), where w moves the features into a ball.

    The weight w is the radius divided by the length of x - m, at most one. It multiplies the constant and the target
    too, and depends on the features only: a linear relation between them holds after it. Results are rounded toward
    zero to a grid of about 2^-16 of the radius.

    Args:
        centre: The centre m, one number for each feature, chosen without looking at the data or from a release.
        radius: The largest length of the weighted features.
        intercept: The constant c.
        target: The number t that is subtracted from the target.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/weight_rows.md.

    >>> from attrs import evolve
    >>> from privet.core.space import matrix
    >>> plane = matrix(2, bounds=(-9, 9))
    >>> rows = Space(evolve(plane.domain, nan=False), plane.metric)
    >>> (rows >> WeightRows(centre=[0], radius=2, intercept=1))([[1, 5], [4, 8]]).tolist()
    [[1.0, 1.0, 5.0], [2.0, 0.5, 4.0]]
    """

    centre: tuple[Fraction, ...] = field(converter=number_list, validator=listed, repr=short)
    radius: Fraction = field(converter=number, validator=positive, repr=short)
    intercept: Fraction = field(default=Fraction(1), converter=number, validator=not_negative, repr=short)
    target: Fraction = field(default=Fraction(0), converter=number, repr=short)

    def output(self, space: Space) -> Space:
        """Bounded columns: the features by the radius, the others by their largest value."""
        return centred_space(
            self, space, centre=self.centre, radius=self.radius, intercept=self.intercept, target=self.target
        )

    def apply(self, value: Array, space: Space) -> Array:
        """Subtract, weigh, round."""
        return in_chunks(value, self._weighted)

    def _weighted(self, value: Array) -> Array:
        gaps, weights = centred(value, self.centre, self.radius)
        gaps *= weights
        more = [weights * float(self.intercept), (value[:, -1] - float(self.target)) * weights]
        return stacked(gaps, more, centred_grid(self.radius))
