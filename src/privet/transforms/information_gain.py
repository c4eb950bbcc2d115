"""Scores of attributes for a split in a decision tree: the information that each has about the label."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    NumbersDomain,
    RangeDistance,
    Records,
    RecordsDomain,
    Space,
    SymmetricDistance,
    at_most,
    positive,
    row_keys,
    whole,
)
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms import field_of, one_or_more

GRID = Fraction(1, 2**20)
_MOST = 2**24


@final
@frozen(kw_only=True)
class InformationGain(Transformation):
    """Score each attribute by its information gain about the label, in nats, summed over the rows.

    The score is the gain up to a constant that all attributes share: ``sum n_vc ln(n_vc / n_v)`` over the values v of
    the attribute and the classes c of the label. Here ``n ln n`` is tabulated in whole grid steps and continued
    linearly beyond ``rows``. Null and NaN are two further values.

    Args:
        label: The field to predict.
        attributes: The fields to choose from.
        rows: A public guess of the number of rows, up to 2^24. A wrong guess costs accuracy, never privacy.

    Guarantee: ``d_out = d_in (rows ln(rows) - (rows - 1) ln(rows - 1))``, about ``d_in (1 + ln(rows))``, on its grid.
    Proof: docs/transforms/information_gain.md.

    >>> from privet.core.space import records
    >>> gain = records(ill=bool, smoker=bool, even=bool) >> InformationGain(
    ...     label="ill", attributes=["smoker", "even"], rows=100
    ... )
    >>> round(float(gain.map(1)), 3)
    5.6
    """

    label: str = field()
    attributes: tuple[str, ...] = field(converter=one_or_more)
    rows: int = field(converter=whole, validator=[positive, at_most(_MOST)])

    @attributes.validator
    def _check(self, _: object, value: tuple[Any, ...]) -> None:
        if not value or not all(isinstance(name, str) for name in (self.label, *value)):
            raise WrongTypeError("InformationGain.attributes must be a list of one or more names, and label a name.")
        if len({self.label, *value}) != len(value) + 1:
            raise InvalidError("InformationGain.attributes must be different fields, and not the label.")

    def output(self, space: Space) -> Space:
        """One score for each attribute."""
        if not isinstance(space.domain, RecordsDomain) or not isinstance(space.metric, SymmetricDistance):
            raise MismatchError(
                f"InformationGain reads records, got {type(space.domain).__name__}: start from pc.records(...)."
            )
        for name in (self.label, *self.attributes):
            field_of(self, space.domain, name)
        return Space(NumbersDomain(length=len(self.attributes), kind=float, grid=GRID), RangeDistance())

    def apply(self, value: Records, space: Space) -> Array:
        """Count values and pairs, and look up their weights."""
        classes = row_keys(value.columns[self.label])
        return np.array(
            [self._score(row_keys(value.columns[name]), classes) for name in self.attributes], dtype=np.int64
        )

    def stability(self, d_in: int, space: Space) -> Fraction:
        """An added row lowers every score, by at most the last difference of the table."""
        if len(self.attributes) == 1:
            return Fraction(0)
        return d_in * _last_difference(self.rows) * GRID

    def _score(self, values: list[Any], classes: list[Any]) -> int:
        pairs, singles = Counter(zip(values, classes, strict=True)), Counter(values)
        return sum(map(self._weight, pairs.values())) - sum(map(self._weight, singles.values()))

    def _weight(self, count: int) -> int:
        inside = min(count, self.rows)
        return int(_table(self.rows)[inside]) + (count - inside) * _last_difference(self.rows)


@lru_cache(maxsize=4)
def _table(rows: int) -> Array:
    """Return n ln n for n up to ``rows`` in whole grid steps, as sums of differences that never decrease.

    Float errors affect only how close the table is to n ln n. The guarantee holds for the table as it is.
    """
    n = np.arange(1, rows, dtype=np.float64)
    differences = np.concatenate([[0.0], np.log1p(n) + n * np.log1p(1 / n)]) / float(GRID)
    rising = np.maximum.accumulate(np.rint(differences).astype(np.int64))
    return np.concatenate([[0], np.cumsum(rising)])


def _last_difference(rows: int) -> int:
    table = _table(rows)
    return int(table[-1] - table[-2])
