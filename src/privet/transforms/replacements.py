"""Counting replaced rows instead of added and removed ones."""

from typing import Any, ClassVar, final

from attrs import frozen

from privet.chains.transformation import Transformation
from privet.core import ReplacementDistance, Space
from privet.transforms import replaced, sized_table, with_size


@final
@frozen(kw_only=True)
class Replacements(Transformation):
    """Count replaced rows from here on; the size of the table is public.

    The rows themselves do not change.

    Guarantee: ``d_out = ceil(d_in / 2)`` from ``SymmetricDistance`` and ``InsertDelete``, ``d_in`` from
        ``HammingDistance``.
    Proof: docs/transforms/replacements.md.

    >>> from privet.core.space import vector
    >>> (vector(int, size=3) >> Replacements()).map(2)
    1
    """

    inclusive: ClassVar[bool] = True

    def output(self, space: Space) -> Space:
        """The same table under the distance of replacements."""
        domain, size = sized_table(self, space, "write size=... on the space, or put Resize before it")
        return with_size(domain, size, ReplacementDistance())

    def apply(self, value: Any, space: Space) -> Any:
        """Change nothing."""
        return value

    def stability(self, d_in: int, space: Space) -> int:
        """One record removed and one added is one replacement."""
        return replaced(space, d_in) or 0
