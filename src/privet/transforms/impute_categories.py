"""Imputation of missing values by weighted draws from a list."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import Attribute, converters, evolve, field, frozen

from privet.chains.transformation import RandomTransformation, RowTransformation
from privet.core import DTYPES, Array, Space, VectorDomain, short
from privet.errors import InvalidError, WrongTypeError
from privet.noise import uniform_below
from privet.transforms import (
    all_readable,
    categories_only,
    check_kind,
    column,
    missing,
    number_list,
    plain,
    plain_tuple,
    present,
)


def _null_values(value: object) -> tuple[Any, ...]:
    if value is None:
        return ()
    values = plain_tuple(value)
    if values == ():
        raise WrongTypeError("ImputeCategories.null_value must be a value or a list of one or more, got an empty list.")
    return values or (plain(value),)


@final
@frozen(kw_only=True)
class ImputeCategories(RowTransformation, RandomTransformation):
    """Replace every null, every NaN and every null value by an independent draw from a list of categories.

    Args:
        categories: The values to draw from, listed without looking at the data.
        weights: The weight of each category, zero or more, in any unit; equal by default. The probability of a
            category is exactly its weight divided by the sum of all weights.
        null_value: A value, or a list or set of values, that means a missing value, in addition to null.

    Guarantee: ``d_out = d_in``, for every metric on rows.
    Proof: docs/transforms/impute_categories.md.

    >>> from privet.core.space import vector
    >>> unit = ImputeCategories(categories=["a", "b"], weights=[1, 0], null_value="?")
    >>> (vector(str) >> unit)(["b", None, "?"]).tolist()
    ['b', 'a', 'a']
    """

    categories: tuple[Any, ...] = field(converter=plain_tuple, validator=categories_only)
    weights: tuple[Fraction, ...] | None = field(default=None, converter=converters.optional(number_list), repr=short)
    null_value: tuple[Any, ...] = field(default=None, converter=_null_values)

    @weights.validator
    def _check_weights(self, attribute: "Attribute[Any]", value: tuple[Fraction, ...] | None) -> None:
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
    def _check_null_value(self, _: object, value: tuple[Any, ...]) -> None:
        if any(item in self.categories for item in value):
            raise InvalidError("ImputeCategories.null_value must not be one of the categories that are drawn.")

    def output(self, space: Space) -> Space:
        """Nothing is missing any more."""
        return Space(self._complete_domain(column(self, space)), space.metric)

    def coins(self, rows: int, space: Space) -> Array:
        """Draw a whole number below the sum of the weights for every row, missing or not."""
        return uniform_below(self._cumulative_weights()[-1], rows)

    def combine(self, value: Array, coins: Array, space: Space) -> Array:
        """Impute each missing value from the coin of its row."""
        domain, nulls = column(self, space), set(self.null_value)
        null, values = missing(value), present(value)[0].copy()
        if nulls:
            null = null | np.fromiter((item in nulls for item in values.tolist()), dtype=bool, count=len(values))
        cumulative = self._cumulative_weights()
        ends = np.array(cumulative, dtype=np.int64 if cumulative[-1] < 2**63 else object)
        # category i has the coins c with (sum of the weights before i) <= c < (that sum plus its own weight)
        draws = np.searchsorted(ends, coins[null], side="right")
        values[null] = _array(self.categories, domain.kind)[draws]
        return values

    def _cumulative_weights(self) -> list[int]:
        """Return the sums of the weights up to each category, as whole numbers."""
        weights = self.weights or (Fraction(1),) * len(self.categories)
        unit = math.lcm(*(weight.denominator for weight in weights))
        return [int(item) for item in np.cumsum(np.array([int(weight * unit) for weight in weights], dtype=object))]

    def _complete_domain(self, domain: VectorDomain) -> VectorDomain:
        check_kind("ImputeCategories.categories", self.categories, domain)
        check_kind("ImputeCategories.null_value", self.null_value, domain)
        known = None
        if domain.categories is not None:
            others = [item for item in domain.categories if item not in self.null_value]
            known = (*others, *(item for item in self.categories if item not in others))
        after = evolve(domain, nullable=False, nan=False, categories=known)
        if not evolve(after, size=None).member(_array(self.categories, domain.kind)):
            raise InvalidError(
                "ImputeCategories.categories must lie within the bounds of the column, and on its grid; "
                f"got {short(self.categories)} for {domain.describe()}."
            )
        return after


def _array(values: tuple[Any, ...], kind: type) -> Array:
    return np.array(values, dtype=DTYPES[kind])
