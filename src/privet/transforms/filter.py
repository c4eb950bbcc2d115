"""Rows kept or left out by a user's predicate."""

from collections.abc import Callable
from typing import Any, ClassVar, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core.space import Space
from privet.transforms.cleaning import table, unsized
from privet.transforms.row_functions import answers, is_function, named
from privet.transforms.tables import rows_changed, take


@final
@frozen(kw_only=True)
class Filter(Transformation):
    """Keep the rows for which a function answers True; any other answer, or an exception, leaves the row out.

    The function is called once for each row, with that row alone: a value (None for null) of a column, a tuple of a
    matrix, a dict of records. How many rows remain is private, so a public size is given up.

    Args:
        keep: A function of one row. It must depend on nothing but the row: not on rows seen before, a clock or chance.

    Guarantee: ``d_out = d_in`` where the size was private; ``2 ceil(d_in / 2)`` where it was public, ``2 d_in`` from
    ``HammingDistance``.
    Proof: docs/transforms/filter.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> Filter(keep=lambda age: age >= 18))([3, 18, None, 70]).tolist()
    [18, 70]
    """

    inclusive: ClassVar[bool] = True

    keep: Callable[[Any], Any] = field(validator=is_function, repr=named)

    def output(self, space: Space) -> Space:
        """The same rows, of private number."""
        return unsized(table(self, space), space)

    def apply(self, value: Any, space: Space) -> Any:
        """Ask about each row."""
        return take(value, np.array([kept is True for kept in answers(self.keep, value, _truth)], dtype=bool))

    def stability(self, d_in: int, space: Space) -> int:
        """A row is kept or not by itself; a replacement may be one row removed and another added."""
        return rows_changed(space, d_in)


def _truth(answer: Any) -> bool:
    return answer is True or (isinstance(answer, np.bool_) and bool(answer))
