"""Scores of candidates for a quantile of a column whose missing values are imputed."""

from bisect import bisect_left
from fractions import Fraction
from itertools import count
from math import ceil, floor
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import Array, NumbersDomain, RangeDistance, Records, Space, number, probability, short
from privet.imputation.completion import CompletedRows, Completion, check_features, read_features, records_of
from privet.imputation.scheme import NearestNeighbour, Scheme
from privet.transforms import number_list, rising


@final
@frozen(kw_only=True)
class ImputedQuantileScores(Transformation):
    """Complete a column from the nearest records that have it, and score candidates for a quantile of it.

    The score of c is minus a lower bound of how many records must change before c is a quantile; zero is best.

    Args:
        features: The columns by which the distance of two records is measured, as for ``ImputedTotal``.
        label: The column that decides between records that are equally near. It belongs to the record: an identifier.
        value: The column to complete; it has bounds.
        candidates: Increasing numbers, chosen without looking at the data.
        alpha: The share of rows below the quantile, from zero to one; a half for the median.
        scheme: How the values of donors become the missing value.

    Guarantee: ``d_out = 2 d_in``.
    Proof: docs/imputation/imputed_quantile_scores.md.

    >>> from privet.core.space import records, vector
    >>> people = records(id=int, age=vector(int, bounds=(0, 9)), income=vector(int, bounds=(0, 100)))
    >>> unit = ImputedQuantileScores(features=["age"], label="id", value="income", candidates=[0, 20, 90], alpha=0.5)
    >>> (people >> unit)([(1, 3, 20), (2, 7, 90), (3, 4, None)]).tolist()
    [-1, 0, -1]
    """

    features: tuple[tuple[str, int], ...] = field(converter=read_features)
    label: str
    value: str
    candidates: tuple[Fraction, ...] = field(converter=number_list, validator=rising, repr=short)
    alpha: Fraction = field(converter=number, validator=probability, repr=short)
    scheme: Scheme = field(factory=NearestNeighbour)

    def __attrs_post_init__(self) -> None:
        check_features("ImputedQuantileScores", self.features, self.scheme)

    def output(self, space: Space) -> Space:
        """One whole score for each candidate."""
        self._completion(space)
        return Space(NumbersDomain(length=len(self.candidates), kind=int, grid=Fraction(1)), RangeDistance())

    def apply(self, value: Records, space: Space) -> Array:
        """Complete the records and score the candidates."""
        completion = self._completion(space)
        return self.score(completion.complete(completion.read(value)), space)

    def score(self, completed: CompletedRows, space: Space) -> Array:
        """Give for each candidate how many changes its gap takes, with the sign reversed."""
        unit = self._completion(space).value[1].step / self.scheme.parts
        values = np.sort(completed.values)
        gaps = [self._gap(values, point / unit) for point in self.candidates]
        reached = self._reached(max(gaps), completed)
        return np.array([-bisect_left(reached, gap) for gap in gaps], dtype=np.int64)

    def stability(self, d_in: int, space: Space) -> int:
        """Every score moves by at most one for each record, up or down."""
        return 2 * d_in

    def _gap(self, values: Array, point: Fraction) -> int:
        """How many rows too many lie on one side of a point, in parts of one over the denominator of alpha."""
        top, bottom = self.alpha.as_integer_ratio()
        below = int(np.searchsorted(values, ceil(point), side="left"))
        above = len(values) - int(np.searchsorted(values, floor(point), side="right"))
        rows = len(values)
        return max(0, bottom * below - top * rows, bottom * above - (bottom - top) * rows)

    def _reached(self, largest: int, completed: CompletedRows) -> list[int]:
        """Add up how far each further change can move a gap, until the largest gap is reached."""
        top, bottom = self.alpha.as_integer_ratio()
        own, reached = max(top, bottom - top), [0]
        for step in count():
            if reached[-1] >= largest:
                return reached
            changed = min(completed.changes << step, completed.incomplete + step)
            reached.append(reached[-1] + own + bottom * changed)
        raise AssertionError

    def _completion(self, space: Space) -> Completion:
        domain = records_of("ImputedQuantileScores", space)
        names: Any = dict(self.features)
        return Completion.on("ImputedQuantileScores", domain, names, self.label, self.value, self.scheme)
