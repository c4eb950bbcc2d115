"""Totals over records whose missing values are imputed from their nearest neighbours, with smooth sensitivity."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    Records,
    Space,
    VectorDomain,
    number,
    positive,
    read_bounds,
    short,
)
from privet.errors import MismatchError, WrongTypeError
from privet.imputation.completion import (
    CompletedRows,
    Completion,
    check_features,
    column_of,
    in_steps,
    read_features,
    records_of,
    steps_of,
)
from privet.imputation.influence import Group, Influence, Number
from privet.imputation.queries import CentredSum, ImputedRange, ImputedTotalQuery, Terms
from privet.imputation.scheme import NearestNeighbour, Scheme
from privet.transforms import present
from privet.transforms.smooth_pairs import FLOOR, SmoothDistance, SmoothDomain


@final
@frozen(kw_only=True)
class ImputedTotal(Transformation):
    """Complete a column from the nearest records that have it, and add up a function of the completed records.

    Args:
        features: The columns by which the distance of two records is measured: names, or names with whole weights.
            Columns with categories are categorical, and a missing value is one more category. Whole numbers with
            bounds are ordinal.
        label: The column that decides between records that are equally near. It belongs to the record: an identifier.
        value: The column to complete; it has bounds.
        beta: The smoothness: one record changes S by a factor of at most e^beta.
        scheme: How the values of donors become the missing value.
        query: What each completed record adds.
        other: The second column of ``Products``, which is observed and has bounds.
        within: Only records whose completed value lies in ``[low, high)``: a group that depends on imputed values.
        where: Only records that have this (column, category): a group that does not.

    Guarantee: ``d_out = d_in`` neighbour steps.
    Proof: docs/imputation/imputed_total.md.

    >>> from privet.core.space import records, vector
    >>> people = records(id=int, age=vector(int, bounds=(0, 9)), income=vector(int, bounds=(0, 100)))
    >>> total = people >> ImputedTotal(features=["age"], label="id", value="income", beta=0.7)
    >>> total([(1, 3, 20), (2, 7, 90), (3, 4, None)])  # 20 + 90 + 20, each less 50, and S = 50 + 100
    (-20, 150.0)
    """

    features: tuple[tuple[str, int], ...] = field(converter=read_features)
    label: str
    value: str
    beta: Fraction = field(converter=number, validator=positive, repr=short)
    scheme: Scheme = field(factory=NearestNeighbour)
    query: ImputedTotalQuery = field(factory=CentredSum)
    other: str | None = None
    within: tuple[Number, Number] | None = None
    where: tuple[str, object] | None = None

    def __attrs_post_init__(self) -> None:
        check_features("ImputedTotal", self.features, self.scheme)
        query: Any = self.query
        if not isinstance(query, ImputedTotalQuery):
            raise WrongTypeError(f"ImputedTotal.query must be one such as CentredSum(), got {type(query).__name__}.")
        if self.within is not None:
            read_bounds("ImputedTotal.within", self.within)
        where: Any = self.where
        if where is not None and (not isinstance(where, tuple) or len(where) != 2):
            raise WrongTypeError("ImputedTotal.where must be a pair (column, category).")

    def output(self, space: Space) -> Space:
        """Pairs of the total and its bound."""
        completion, terms = self._completion(space), self.terms(space)
        self._place(space)
        whole = terms.grid == 1 and (completion.value[1].kind is int or terms.addend.width == 0)
        domain = SmoothDomain(kind=int if whole else float, beta=self.beta, grid=terms.grid)
        return Space(domain, SmoothDistance())

    def terms(self, space: Space) -> Terms:
        """Give what each record adds, from public facts alone, for post-processing and planning."""
        completion = self._completion(space)
        parts, (low, high) = self.scheme.parts, self._limits(completion)
        low_value, high_value = completion.bounds
        move = self.scheme.influence * (high_value - low_value) * parts
        values = ImputedRange(low=low, high=high, unit=completion.value[1].step / parts, move=move)
        return self.query.terms(values, self._others(space))

    def influence(self, space: Space) -> Influence:
        """Give how far one record moves the total, from public facts alone, for planning."""
        group: Group = "fixed" if self.within is None else "imputed"
        return self.terms(space).influence(group)

    def apply(self, value: Records, space: Space) -> tuple[int, Fraction]:
        """Complete the records, add up those of the group, and bound how far one record moves the total."""
        completion = self._completion(space)
        return self.summarize(value, completion.complete(completion.read(value)), space)

    def summarize(self, value: Records, completed: CompletedRows, space: Space) -> tuple[int, Fraction]:
        """Add up completed records, and give S."""
        members = self._members(value, completed, space)
        seconds: list[int] = []
        if self.other is not None:
            seconds = in_steps(value.columns[self.other], self._column(space, self.other))[0][members].tolist()
        total = self.terms(space).add(completed.values[members].tolist(), seconds)
        bound = self.influence(space).smooth(changes=completed.changes, incomplete=completed.incomplete, beta=self.beta)
        return total, max(bound, self.terms(space).grid * FLOOR)

    def stability(self, d_in: int, space: Space) -> int:
        """A record is one neighbour step."""
        return d_in

    def _members(self, value: Records, completed: CompletedRows, space: Space) -> Array:
        """Tell which records are in the group."""
        low, high = self._limits(self._completion(space))
        members = np.ones(len(value), dtype=bool)
        if self.within is not None:
            members &= (completed.values >= low) & (completed.values <= high)
        place = self._place(space)
        if place is not None:
            name, category = place
            plain, null = present(value.columns[name])
            members &= np.fromiter((item == category for item in plain.tolist()), dtype=bool, count=len(plain))
            if null is not None:
                members &= ~null
        return members

    def _limits(self, completion: Completion) -> tuple[int, int]:
        """The range of the values of the group, in parts of a grid step."""
        low, high = (end * self.scheme.parts for end in completion.bounds)
        if self.within is None:
            return low, high
        unit = completion.value[1].step / self.scheme.parts
        first, beyond = (math.ceil(end / unit) for end in read_bounds("ImputedTotal.within", self.within))
        low, high = max(low, first), min(high, beyond - 1)
        if low > high:
            raise MismatchError("ImputedTotal.within must hold a value within the bounds of the column.")
        return low, high

    def _place(self, space: Space) -> tuple[str, object] | None:
        """The column and the category of the group, checked."""
        if self.where is None:
            return None
        name, category = self.where
        column = self._column(space, name)
        if name == self.value:
            raise MismatchError("ImputedTotal.where must not be the column to complete: use within=(low, high).")
        if column.categories is None or not any(type(category) is type(c) and category == c for c in column.categories):
            raise MismatchError(f"ImputedTotal.where must name one of the public categories of {name!r}.")
        return name, category

    def _others(self, space: Space) -> ImputedRange | None:
        if self.other is None:
            return None
        column = self._column(space, self.other)
        if self.other == self.value:
            raise MismatchError("ImputedTotal.other must be another column than the one to complete.")
        low, high = steps_of("ImputedTotal", self.other, column, 1)
        return ImputedRange(low=low, high=high, unit=column.step)

    def _column(self, space: Space, name: str) -> VectorDomain:
        return column_of("ImputedTotal", records_of("ImputedTotal", space), name)

    def _completion(self, space: Space) -> Completion:
        return Completion.on(
            "ImputedTotal", records_of("ImputedTotal", space), dict(self.features), self.label, self.value, self.scheme
        )
