"""A user's function of each single row."""

from collections.abc import Callable
from typing import Any, final

from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import (
    Array,
    IdentifierDistance,
    MatrixDomain,
    Records,
    Space,
    VectorDomain,
)
from privet.errors import MismatchError, WrongTypeError
from privet.transforms import (
    answers,
    column_space,
    function_name,
    gathered,
    is_function,
    result_reader,
    results_in,
    table_or_persons,
)


@final
@frozen(kw_only=True)
class RowByRow(RowTransformation):
    """Replace every row by a user's function of it; if the function fails, the result is null.

    The function is called once for each row, with that row alone: a value (None for null) of a column, a tuple of a
    matrix, a dict of records. Its results are read into ``to`` like data: values of another kind become null, values
    out of bounds are clamped, and values outside the categories become null. A result that is not a list of as many
    numbers as ``to`` has columns is a row of NaN.

    Args:
        function: A function of one row. It must depend on nothing else: not on earlier rows, a clock or chance.
        to: The kind of its results: ``int``, ``float``, ``bool``, ``str``, or a column made by ``pc.vector(...)`` or
            rows of numbers made by ``pc.matrix(...)``, without a size.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/row_by_row.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> RowByRow(function=len, to=int))(["a", "", None]).tolist()
    [1, 0, None]
    """

    function: Callable[[Any], Any] = field(validator=is_function, repr=function_name)
    to: Space = field(
        converter=column_space,
        validator=results_in(
            VectorDomain | MatrixDomain,
            "int, float, bool, str, a column such as pc.vector(float, bounds=(0, 1)) or rows of numbers such as "
            "pc.matrix(2)",
        ),
    )

    def output(self, space: Space) -> Space:
        """A column or a matrix with the same number of rows."""
        return Space(self._results(space), space.metric)

    def apply(self, value: Records | Array, space: Space) -> Array:
        """Call the function on each row, and read the results like data."""
        domain = self._results(space)
        read: Array = gathered(answers(self.function, value, result_reader(domain)), domain)
        return read

    def _results(self, space: Space) -> VectorDomain | MatrixDomain:
        before, after = table_or_persons(self, space), self.to.domain
        if not isinstance(after, VectorDomain | MatrixDomain):
            raise WrongTypeError("RowByRow.to must be a column or a matrix.")
        if isinstance(space.metric, IdentifierDistance):
            raise MismatchError("RowByRow returns rows without the identifier that IdentifierDistance needs.")
        return evolve(after, size=before.size, ordered=before.ordered)
