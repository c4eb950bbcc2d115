"""Resizing with one deliberate mistake each."""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.numerics.convert import amplified
from privet.accounting.sampling.sampling import Poisson
from privet.core.frames import Records
from privet.core.metric import Distance
from privet.core.space import Space
from tests.transforms.sampled import RandomTwinOf
from tests.transforms.twins import TwinOf


@frozen
class LargerOfBoth(RandomTwinOf):
    """Samples max(m, n) of the m copies instead of min(m, n)."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        kept, _ = coins
        rows = np.nonzero(kept)[0]
        return value[rows] if len(rows) > self.right.n else self.right.combine(value, coins, space)


@frozen
class SumFromOne(RandomTwinOf):
    """Sums e^(i epsilon) delta from i = 1, so that a single copy costs no delta at all."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        base = then(2)
        cost = amplified(Fraction(base.epsilon(Fraction(1, 10))), self.right.rate)
        terms = sum((Fraction(math.exp(i * cost)) for i in range(1, self.right.copies)), Fraction(0))
        return ApproximateLoss(cost * self.right.copies, self.right.rate * terms / 10)


@frozen
class NoCopies(RandomTwinOf):
    """Amplifies, and forgets that there are several copies."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(2).amplify(Poisson(self.right.rate)).group(d_in)


@frozen
class RateOverCopies(RandomTwinOf):
    """Divides the rate by the copies once more."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        copies = self.right.copies
        return then(2).amplify(Poisson(self.right.rate / copies)).group(copies * d_in)


@frozen
class SecondSampleCounted(RandomTwinOf):
    """Counts the sampling down to n as well, for a guessed number of rows that may not be there."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(2).amplify(Poisson(self.right.rate * Fraction(self.right.n, 4))).group(self.right.copies * d_in)


@frozen
class OneRowForAReplacement(RandomTwinOf):
    """Amplifies the loss of one added row, although neighbours differ by a replacement."""

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        return then(1).amplify(Poisson(self.right.rate)).group(self.right.copies * d_in)


@frozen
class ByRows(TwinOf):
    """A sum charged for rows removed and rows added, not for replacements; correct, and it records its distances."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return Fraction(d_in)


@frozen
class RowsStayRows(RandomTwinOf):
    """Claims one more row for one more row, although the result always has n rows: a sum after it costs nothing."""

    def stability(self, d_in: Any, space: Space) -> Distance:
        return int(self.right.copies * d_in)


@frozen
class NotApplied(RandomTwinOf):
    """Claims the amplification and keeps every copy."""

    def coins(self, rows: int, space: Space) -> Any:
        kept, keys = self.right.coins(rows, space)
        return np.ones_like(kept), keys


@frozen
class ByPosition(RandomTwinOf):
    """Cuts after the n-th row."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        missing = np.ma.MaskedArray(np.zeros(self.right.n, dtype=np.int64), mask=True)
        data = np.concatenate([value.data, missing.data])
        mask = np.concatenate([np.ma.getmaskarray(value), np.ma.getmaskarray(missing)])
        return np.ma.MaskedArray(data[: self.right.n], mask=mask[: self.right.n])


@frozen
class FilledFromTheData(RandomTwinOf):
    """Repeats rows until there are n, so that one record may stand there n times."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        enough = np.resize(np.arange(len(value)), self.right.n) if len(value) else None
        return self.right.combine(value, coins, space) if enough is None else value[enough]


@frozen
class RaisesOnWrongSize(RandomTwinOf):
    """Treats n as an assertion."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        if len(value) != self.right.n:
            raise ValueError("the size is not n")
        return self.right.combine(value, coins, space)


@frozen
class SaysSo(RandomTwinOf):
    """Warns how many rows were imputed."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        warnings.warn(f"{max(self.right.n - len(value), 0)} rows imputed", stacklevel=1)
        return self.right.combine(value, coins, space)


@frozen
class FieldsApart(RandomTwinOf):
    """Keeps the rows of each field by keys of its own, so that one record more mixes the others anew."""

    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        kept, keys = coins
        whole = self.right.combine(value, coins, space)
        name = next(iter(whole.columns))
        parts = [self.right.combine(value, (kept, keys * np.uint64(2 * len(value) + 3)), space), whole]
        return Records({each: parts[each == name].columns[each] for each in whole.columns})
