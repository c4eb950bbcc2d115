"""Missing values replaced by weighted draws from a list."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
from attrs import evolve, field, frozen

from privet.chains.transformation import RandomTransformation
from privet.core.checks import number, short
from privet.core.domain import VectorDomain
from privet.core.rows import DTYPES, Array
from privet.core.space import Space
from privet.errors import InvalidError, WrongTypeError
from privet.noise import uniform_below
from privet.transforms.categories import check_categories, check_kind, listed, plain
from privet.transforms.cleaning import all_readable, missing
from privet.transforms.columns import column, present


def _weights(value: Any) -> tuple[Fraction, ...] | None:
    return tuple(map(number, value)) if isinstance(value, tuple | list | np.ndarray) else None


def _null_values(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    values = listed(value)
    if values == ():
        raise WrongTypeError("ImputeCategories.null_value must be a value or a list of one or more, got an empty list.")
    return values or (plain(value),)


@final
@frozen(kw_only=True)
class ImputeCategories(RandomTransformation):
    """Replace every null, every NaN and every null value by an independent draw from a list of categories.

    Args:
        categories: What may be drawn, listed without looking at the data.
        weights: How often each is drawn, zero or more, in any unit; equal by default. They are exact: a category is
            drawn with its weight over the sum of all.
        null_value: A value, or a list or set of values, that stands for a missing one beside null itself.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/impute_categories.md.

    >>> from privet.core.space import vector
    >>> unit = ImputeCategories(categories=["a", "b"], weights=[1, 0], null_value="?")
    >>> (vector(str) >> unit)(["b", None, "?"]).tolist()
    ['b', 'a', 'a']
    """

    inclusive: ClassVar[bool] = True

    categories: tuple[Any, ...] = field(converter=listed)
    weights: tuple[Fraction, ...] | None = field(default=None, converter=_weights, repr=short)
    null_value: tuple[Any, ...] = field(default=None, converter=_null_values)

    @categories.validator
    def _check_categories(self, _: Any, value: Any) -> None:
        check_categories("ImputeCategories.categories", value)

    @weights.validator
    def _check_weights(self, attribute: Any, value: Any) -> None:
        if value is None:
            return
        all_readable(self, attribute, value)
        if len(value) != len(self.categories):
            raise WrongTypeError(
                f"ImputeCategories.weights must be a list of {len(self.categories)}, one for each category; "
                f"got {len(value)}."
            )
        if min(value) < 0 or sum(value) == 0:
            raise InvalidError("ImputeCategories.weights must be zero or more, and not all zero.")

    @null_value.validator
    def _check_null_value(self, _: Any, value: tuple[Any, ...]) -> None:
        if any(item in self.categories for item in value):
            raise InvalidError("ImputeCategories.null_value must not be one of the categories that are drawn.")

    def output(self, space: Space) -> Space:
        """Nothing is missing any more."""
        return Space(self._filled(column(self, space)), space.metric)

    def coins(self, rows: int, space: Space) -> Array:
        """Draw a whole number below the sum of the weights for every row, needed or not."""
        return uniform_below(self._cumulated()[-1], rows)

    def combine(self, value: Any, coins: Array, space: Space) -> Array:
        """Fill the gaps, each from the coin of its own row."""
        domain, nulls = column(self, space), set(self.null_value)
        gone, filled = missing(value), present(value)[0].copy()
        if nulls:
            gone = gone | np.fromiter((item in nulls for item in filled.tolist()), dtype=bool, count=len(filled))
        cumulated = self._cumulated()
        ends = np.array(cumulated, dtype=np.int64 if cumulated[-1] < 2**63 else object)
        # category i has the coins from the sum of the weights before it up to, but not with, its own
        drawn = np.searchsorted(ends, coins[gone], side="right")
        filled[gone] = _array(self.categories, domain.kind)[drawn]
        return filled

    def stability(self, d_in: int, space: Space) -> int:
        """A function of each row and its own coin changes no more rows than were changed."""
        return d_in

    def _cumulated(self) -> list[int]:
        """Give the sums of the weights up to each category, as whole numbers."""
        weights = self.weights or (Fraction(1),) * len(self.categories)
        unit = math.lcm(*(weight.denominator for weight in weights))
        return [int(item) for item in np.cumsum(np.array([int(weight * unit) for weight in weights], dtype=object))]

    def _filled(self, domain: VectorDomain) -> VectorDomain:
        check_kind("ImputeCategories.categories", self.categories, domain)
        check_kind("ImputeCategories.null_value", self.null_value, domain)
        known = None
        if domain.categories is not None:
            kept = [item for item in domain.categories if item not in self.null_value]
            known = (*kept, *(item for item in self.categories if item not in kept))
        after = evolve(domain, nullable=False, nan=False, categories=known)
        if not evolve(after, size=None).member(_array(self.categories, domain.kind)):
            raise InvalidError(
                "ImputeCategories.categories must lie within the bounds of the column, and on its grid; "
                f"got {short(self.categories)} for {domain.describe()}."
            )
        return after


def _array(values: tuple[Any, ...], kind: type) -> Array:
    return np.array(values, dtype=DTYPES[kind])
