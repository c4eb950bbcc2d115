"""Simple random sampling: a fixed number of records, drawn without replacement."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.simple_sampling import SimpleSampling
from privet.core import Array, Distance, Records, Space, SymmetricDistance, positive, whole
from privet.errors import MismatchError
from privet.transforms import KeyedTransformation, records_changed, sized_table, take, with_size


@final
@frozen(kw_only=True)
class SimpleSample(KeyedTransformation):
    """Draw a fixed number of different records, every set of that many with the same probability.

    Args:
        size: The size of the sample; at most the public size of the table.

    Guarantee: one replaced record costs the subsequent loss for one replacement, amplified with the rate size / size of
        the table; several cost its group. ``d_out = 2 ceil(d_in / 2)``, at most ``2 size``.
    Proof: docs/transforms/simple_sample.md.

    >>> from privet.core.space import vector
    >>> len((vector(int, size=100) >> SimpleSample(size=10))(list(range(100))))
    10
    """

    size: int = field(converter=whole, validator=positive)

    def output(self, space: Space) -> Space:
        """The same table with the size of the sample; the order of rows does not matter."""
        domain, rows = sized_table(self, space, "write size=... on the space, or use PoissonSample or Resize")
        if self.size > rows:
            raise MismatchError(
                f"SimpleSample.size must be at most the size of the table, {rows}, got {self.size}: "
                "use Resize to add rows."
            )
        return with_size(domain, self.size, SymmetricDistance())

    def combine(self, value: Records | Array, coins: Array, space: Space) -> Any:
        """Keep the rows with the smallest keys."""
        return take(value, np.argsort(coins)[: self.size])

    def stability(self, d_in: int, space: Space) -> int:
        """A record takes over the key of the record that it replaces, so it takes its place in the sample, if any."""
        return 2 * min(records_changed(space, d_in), self.size)

    def bound(self, d_in: Any, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        """Amplify the loss for one replacement, then take the group."""
        rate = Fraction(self.size, sized_table(self, space, "write size=...")[1])
        if rate == 1:
            return then(self.stability(d_in, space))
        return then(2).amplify(SimpleSampling(rate=rate)).group(records_changed(space, d_in))
