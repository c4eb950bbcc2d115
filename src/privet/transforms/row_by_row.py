"""A user's function of each single row."""

import math
from collections.abc import Callable
from functools import partial
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
    MatrixDomain,
    Records,
    Space,
    VectorDomain,
    quietly,
)
from privet.errors import MismatchError, WrongTypeError
from privet.transforms import answers, column_space, function_name, is_function, results_in, table_or_persons


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
        if isinstance(domain, MatrixDomain):
            return domain.coerce(self._rows(value, domain.columns))
        results = answers(self.function, value, READERS[domain.kind])
        null = np.array([result is None for result in results], dtype=bool)
        values: Array = np.empty(len(results), dtype=DTYPES[domain.kind])
        values[:] = [BLANKS[domain.kind] if result is None else result for result in results]
        return domain.coerce(values, null)

    def _rows(self, value: Records | Array, columns: int) -> Array:
        """Call the function on each row; a result that is not a row of this many numbers is a row of NaN."""
        blank = (math.nan,) * columns
        results = answers(self.function, value, partial(_read_row, columns))
        rows = [blank if result is None else result for result in results]
        return np.array(rows, dtype=np.float64).reshape(len(rows), columns)

    def _results(self, space: Space) -> VectorDomain | MatrixDomain:
        before, after = table_or_persons(self, space), self.to.domain
        if not isinstance(after, VectorDomain | MatrixDomain):
            raise WrongTypeError("RowByRow.to must be a column or a matrix.")
        if isinstance(space.metric, IdentifierDistance):
            raise MismatchError("RowByRow returns rows without the identifier that IdentifierDistance needs.")
        return evolve(after, size=before.size, ordered=before.ordered)


def _read_row(columns: int, result: object) -> tuple[float, ...] | None:
    """Copy a row of numbers; an entry that is not a number is NaN. Anything but a row of this length is None.

    The methods of the bases are called: those of a user's class could return other entries at every call.
    """
    if isinstance(result, np.ndarray):
        items = result.tolist() if type(result) in (np.ndarray, np.ma.MaskedArray) and result.ndim == 1 else None
    elif isinstance(result, list):
        items = list.copy(result)
    else:
        items = list(tuple.__iter__(result)) if isinstance(result, tuple) else None
    if items is None or len(items) != columns:
        return None
    return tuple(math.nan if number is None else number for number in (quietly(READERS[float], item) for item in items))
