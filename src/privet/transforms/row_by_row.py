"""A user's function of each single row."""

from collections.abc import Callable
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import (
    BLANKS,
    DTYPES,
    READERS,
    Array,
    IdentifierDistance,
    Records,
    RecordsDomain,
    Space,
    VectorDomain,
)
from privet.errors import MismatchError, WrongTypeError
from privet.transforms import answers, column_space, function_name, is_function, results_in, table_or_persons


@final
@frozen(kw_only=True)
class RowByRow(RowTransformation):
    """Replace every row by a user's function of it; if the function fails, the result is null.

    The function is called once for each row, with that row alone: a value (None for null) of a column, a tuple of a
    matrix, a dict of records. Its results are read into ``to`` like data: values of another kind become null, values
    out of bounds are clamped, and values outside the categories become null.

    Args:
        function: A function of one row. It must depend on nothing else: not on earlier rows, a clock or chance.
        to: The kind of its results: ``int``, ``float``, ``bool``, ``str``, or a column made by ``pc.vector(...)``
            without a size.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/row_by_row.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> RowByRow(function=len, to=int))(["a", "", None]).tolist()
    [1, 0, None]
    """

    function: Callable[[Any], Any] = field(validator=is_function, repr=function_name)
    to: Space = field(
        converter=column_space,
        validator=results_in(VectorDomain, "int, float, bool, str or a column such as pc.vector(float, bounds=(0, 1))"),
    )

    def output(self, space: Space) -> Space:
        """A column with the same number of rows."""
        return Space(self._column(space), space.metric)

    def apply(self, value: Records | Array, space: Space) -> Array:
        """Call the function on each row, and read the results like data."""
        domain = self._column(space)
        results = answers(self.function, value, READERS[domain.kind])
        null = np.array([result is None for result in results], dtype=bool)
        values: Array = np.empty(len(results), dtype=DTYPES[domain.kind])
        values[:] = [BLANKS[domain.kind] if result is None else result for result in results]
        return domain.coerce(values, null)

    def _column(self, space: Space) -> VectorDomain:
        before, after = table_or_persons(self, space), self.to.domain
        if not isinstance(after, VectorDomain):
            raise WrongTypeError("RowByRow.to must be a column.")
        if isinstance(space.metric, IdentifierDistance):
            raise MismatchError("RowByRow returns a column without the identifier that IdentifierDistance needs.")
        if isinstance(before, RecordsDomain):
            return after
        return evolve(after, size=before.size, ordered=before.ordered)
