"""Selection of rows by a user's predicate."""

from collections.abc import Callable
from typing import Any, ClassVar, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, Records, Space
from privet.transforms import answers, function_name, is_function, rows_changed, table_or_persons, take, without_size


@final
@frozen(kw_only=True)
class Filter(Transformation):
    """Keep the rows for which a function returns True; any other result, or an exception, drops the row.

    The function is called once for each row, with that row alone: a value (None for null) of a column, a tuple of a
    matrix, a dict of records. The number of rows that remain is private, so the result has no public size.

    Args:
        keep: A function of one row. It must depend on nothing else: not on earlier rows, a clock or chance.

    Guarantee: ``d_out = d_in`` if the size was private; ``2 ceil(d_in / 2)`` if it was public, ``2 d_in`` from
    ``HammingDistance``.
    Proof: docs/transforms/filter.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> Filter(keep=lambda age: age >= 18))([3, 18, None, 70]).tolist()
    [18, 70]
    """

    inclusive: ClassVar[bool] = True

    keep: Callable[[Any], Any] = field(validator=is_function, repr=function_name)

    def output(self, space: Space) -> Space:
        """The same table, of private size."""
        return without_size(table_or_persons(self, space), space)

    def apply(self, value: Records | Array, space: Space) -> Any:
        """Call the function on each row."""
        return take(value, np.array([answer is True for answer in answers(self.keep, value, _truth)], dtype=bool))

    def stability(self, d_in: int, space: Space) -> int:
        """Each row stays or goes by itself; a replacement may be one removed and one added row."""
        return rows_changed(space, d_in)


def _truth(answer: object) -> bool:
    return answer is True or (isinstance(answer, np.bool_) and bool(answer))
