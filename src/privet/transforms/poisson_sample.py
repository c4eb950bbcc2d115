"""Poisson sampling: an independent coin decides about each record."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.sampling import Poisson
from privet.chains.transformation import RandomTransformation
from privet.core import (
    Array,
    Distance,
    InsertDelete,
    Records,
    Space,
    SymmetricDistance,
    must_be,
    number,
    short,
)
from privet.noise import bernoulli
from privet.transforms import rows_changed, table, take, with_size


@final
@frozen(kw_only=True)
class PoissonSample(RandomTransformation):
    """Keep each record with the same probability, independently of all others.

    The size of the sample is random and private, even if the size of the input is public.

    Args:
        rate: The probability, above zero and at most one.

    Guarantee: one added or removed record costs the subsequent loss for one record, amplified with the rate; several
        cost its group. ``d_out = d_in``, or ``2 d_in`` from ``HammingDistance``.
    Proof: docs/transforms/poisson_sample.md.

    >>> from privet.core.space import vector
    >>> (vector(int) >> PoissonSample(rate=0.1)).map(3)
    3
    """

    rate: Fraction = field(
        converter=number, validator=must_be(lambda rate: 0 < rate <= 1, "above zero and at most one"), repr=short
    )

    def output(self, space: Space) -> Space:
        """The same table, of private size; rows keep their order if it matters."""
        ordered = isinstance(space.metric, InsertDelete)
        return with_size(table(self, space), None, InsertDelete() if ordered else SymmetricDistance())

    def coins(self, rows: int, space: Space) -> Array:
        """Draw one coin for each row."""
        return bernoulli(self.rate, rows)

    def combine(self, value: Records | Array, coins: Array, space: Space) -> Any:
        """Keep the rows whose coin is True."""
        return take(value, coins)

    def stability(self, d_in: int, space: Space) -> int:
        """A row that both tables share stays in both samples or in neither."""
        return rows_changed(space, d_in)

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        """Amplify the loss for one row, then take the group: a replacement is one removal and one addition."""
        rows = rows_changed(space, d_in)
        return then(rows) if self.rate == 1 else then(1).amplify(Poisson(self.rate)).group(rows)
