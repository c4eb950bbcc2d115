"""Some columns of a matrix."""

from typing import Any, final

from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, must_be, read_whole
from privet.errors import MismatchError
from privet.transforms import matrix_domain, one_or_more


def _positions(value: Any) -> tuple[int, ...]:
    return tuple(read_whole("TakeColumns.columns", item) for item in one_or_more(value))


@final
@frozen(kw_only=True)
class TakeColumns(RowTransformation):
    """Keep the named columns of every row, in the order in which they are named.

    Args:
        columns: The positions of the columns, counted from zero; a column may be named more than once.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/take_columns.md.

    >>> from privet.core.space import matrix
    >>> (matrix(3) >> TakeColumns(columns=[2, 0]))([[1, 2, 3], [4, 5, 6]]).tolist()
    [[3.0, 1.0], [6.0, 4.0]]
    """

    columns: tuple[int, ...] = field(
        converter=_positions,
        validator=must_be(lambda columns: len(columns) > 0 and min(columns) >= 0, "a list of positions from zero"),
    )

    def output(self, space: Space) -> Space:
        """The bounds of the columns that stay; the ball goes, because a column named twice may leave it."""
        domain = matrix_domain(self, space)
        if max(self.columns) >= domain.columns:
            raise MismatchError(
                f"TakeColumns.columns names column {max(self.columns)}, and the rows have {domain.columns}: "
                "positions are counted from zero."
            )
        bounds = None if domain.bounds is None else tuple(domain.bounds[at] for at in self.columns)
        return Space(evolve(domain, columns=len(self.columns), bounds=bounds, norm=None), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Copy the columns; the first ones are there already."""
        if self.columns == tuple(range(len(self.columns))):
            return value[:, : len(self.columns)]
        return value[:, list(self.columns)]
