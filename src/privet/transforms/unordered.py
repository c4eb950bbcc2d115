"""Forgetting the order of rows."""

from typing import Any, ClassVar, final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import HammingDistance, ReplacementDistance, Space, SymmetricDistance
from privet.transforms import size_of, table, with_size


@final
@frozen(kw_only=True)
class Unordered(Transformation):
    """Ignore the order of rows from here on: count added and removed rows, not positions.

    The rows themselves do not change.

    Guarantee: ``d_out = d_in`` from ``InsertDelete`` and ``SymmetricDistance``, ``2 d_in`` from ``HammingDistance`` and
        ``ReplacementDistance``.
    Proof: docs/transforms/unordered.md.

    >>> from privet.core.space import vector
    >>> (vector(int, size=3, ordered=True) >> Unordered()).map(1)
    2
    """

    inclusive: ClassVar[bool] = True

    def output(self, space: Space) -> Space:
        """The same table under the symmetric distance; a public size stays public."""
        domain = table(self, space)
        return with_size(domain, size_of(domain), SymmetricDistance())

    def apply(self, value: Any, space: Space) -> Any:
        """Change nothing."""
        return value

    def stability(self, d_in: int, space: Space) -> int:
        """A replaced row is one row removed and one added."""
        return 2 * d_in if isinstance(space.metric, HammingDistance | ReplacementDistance) else d_in
