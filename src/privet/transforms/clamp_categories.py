"""Clamping of categories: values outside the list become one null value."""

from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RowTransformation
from privet.core import Array, Space, VectorDomain
from privet.transforms import (
    categories_only,
    check_categories,
    check_kind,
    column,
    missing,
    plain,
    plain_tuple,
    present,
)


@final
@frozen(kw_only=True)
class ClampCategories(RowTransformation):
    """Replace every value that is not one of the categories by the null value.

    Nulls stay null, and NaN becomes null.

    Args:
        categories: The values that may occur, listed without looking at the data.
        null_value: The replacement for other values: null by default, or a value of the kind of the column. It is then
            a category as well (the last, if it is not listed).

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/clamp_categories.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> ClampCategories(categories=["a", "b"], null_value="other"))(["a", "x", None]).tolist()
    ['a', 'other', None]
    """

    categories: tuple[Any, ...] = field(converter=plain_tuple, validator=categories_only)
    null_value: Any = field(default=None, converter=plain)

    def output(self, space: Space) -> Space:
        """A column with these categories."""
        return Space(self._known(column(self, space)), space.metric)

    def apply(self, value: Array, space: Space) -> Array:
        """Compare each row with the list."""
        domain, known = self._known(column(self, space)), set(self.categories)
        values, null = present(value)[0], missing(value)
        outside = np.fromiter((item not in known for item in values.tolist()), dtype=bool, count=len(values))
        if self.null_value is None:
            return domain.coerce(values, null | outside)
        result = values.copy()  # assign instead of np.where, which would choose a common dtype
        result[outside | null] = self.null_value  # under the mask too: no value of the data stays there
        return domain.coerce(result, null)

    def _known(self, domain: VectorDomain) -> VectorDomain:
        check_kind("ClampCategories.categories", self.categories, domain)
        values = self.categories
        if self.null_value is not None:
            check_kind("ClampCategories.null_value", (self.null_value,), domain)
            check_categories("ClampCategories.null_value", (self.null_value,))
            values = values if self.null_value in values else (*values, self.null_value)
        nullable = domain.nullable or domain.nan or self.null_value is None
        return evolve(domain, categories=values, bounds=None, sides=None, grid=None, nan=False, nullable=nullable)
