"""Counting rows by category."""

from collections import Counter
from typing import Any, final

import numpy as np
from attrs import Attribute, field, frozen

from privet.chains.transformation import Transformation
from privet.core import INT_MAX, INT_MIN, Array, Parts, Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.bins import counted, counts_distance, counts_space
from privet.transforms.columns import column, present, replaced


def _as_tuple(value: object) -> Any:
    return value if isinstance(value, str) or not hasattr(value, "__iter__") else tuple(value)


def _check(instance: "CountBy", attribute: "Attribute[Any]", value: object) -> None:
    label = f"{type(instance).__name__}.{attribute.name}"
    if not isinstance(value, tuple):
        raise WrongTypeError(f"{label} must be a list of values, got {type(value).__name__}.")
    kinds = {type(item) for item in value}
    if len(kinds) != 1 or not kinds <= {int, float, bool, str}:
        raise WrongTypeError(f"{label} must be one or more values of one kind: int, float, bool or str.")
    if any(item != item for item in value):
        raise InvalidError(f"{label} must be finite numbers; NaN is not a category.")
    if kinds == {int} and not all(INT_MIN <= item <= INT_MAX for item in value):
        raise InvalidError(f"{label} must lie within 64-bit integers.")
    if len(set(value)) != len(value):
        raise InvalidError(f"{label} must be different values, got {len(value)} with repetitions.")


@final
@frozen(kw_only=True)
class CountBy(Transformation):
    """Count the rows of each public category, in the given order.

    Rows with other values, nulls and NaN are not counted, or are counted together in a last bin.

    Args:
        categories: The values to count, known without looking at the data.
        null_bin: Whether a last number counts all other rows.

    Guarantee: ``l1 = linf = d_in``, ``l2² = d_in²``; for k replacements ``l1 = 2k``, ``l2² = 2k²``, ``linf = k``.
    Proof: docs/transforms/count_by.md.

    >>> from privet.core.space import vector
    >>> (vector(str) >> CountBy(categories=["a", "b"], null_bin=True))(["b", "c", "b", None]).tolist()
    [0, 2, 2]
    """

    categories: tuple[Any, ...] = field(converter=_as_tuple, validator=_check)
    null_bin: bool = field(default=False, converter=bool)

    def output(self, space: Space) -> Space:
        """One whole number for each category."""
        domain = column(self, space)
        kind = type(self.categories[0])
        if kind is not domain.kind:
            raise MismatchError(
                f"CountBy.categories are of kind {kind.__name__}, the column holds {domain.kind.__name__}: "
                "write the categories in the kind of the column."
            )
        return counts_space(self._bins())

    def apply(self, value: Array, space: Space) -> Array:
        """Count."""
        values, null = present(value)
        known = values if null is None else values[~null]
        if known.dtype == object:
            by_value = Counter(known.tolist())
            counts = np.array([by_value[item] for item in self.categories], dtype=np.int64)
        else:
            counts = counted(_places(known, self.categories), len(self.categories), rest=None)
        if not self.null_bin:
            return counts
        return np.append(counts, np.int64(len(values) - int(counts.sum())))

    def stability(self, d_in: int, space: Space) -> Parts:
        """A row counts in at most one bin."""
        return counts_distance(d_in, replaced(space, d_in), self._bins())

    def _bins(self) -> int:
        return len(self.categories) + self.null_bin


def _places(values: Array, categories: tuple[Any, ...]) -> Array:
    """Return the position of each value among the categories, or -1."""
    keys = np.array(categories, dtype=values.dtype)
    order = np.argsort(keys, kind="stable")
    at = order[np.minimum(np.searchsorted(keys[order], values), len(keys) - 1)]
    return np.where(keys[at] == values, at, -1)
