"""One selection for each of several lists of candidates, such as the nodes of one level of a decision tree."""

from fractions import Fraction
from typing import final

from attrs import field, frozen

from privet.accounting.losses.alternatives import LeastLoss
from privet.accounting.losses.loss import Loss
from privet.chains.measurement import Measurement
from privet.core import Array, PartitionDistance, PartitionDomain, Parts, RangeDistance, Space, is_a
from privet.errors import MismatchError
from privet.mechanisms.exponential import Exponential
from privet.mechanisms.gumbel_max import GumbelMax
from privet.mechanisms.permute_and_flip import PermuteAndFlip


@final
@frozen(kw_only=True)
class SelectEach(Measurement):
    """Select one candidate in each part by its score in this part, with independent draws.

    Releases one position for each part, in the public order of the parts.

    Args:
        each: The selection for every part: ``Exponential``, ``GumbelMax`` or ``PermuteAndFlip``.

    Guarantee: the loss of one selection at ``l1``, the range distances of all parts together; and, if it is no more
        than that, ``l0`` times the loss at ``linf``. A row that counts in one part costs one selection.
    Proof: docs/mechanisms/select_each.md.

    >>> from privet.core.space import matrix
    >>> from privet.transforms.split_scores import SplitScores
    >>> level = matrix(4) >> SplitScores(nodes=16, sizes=[32, 5], classes=2)
    >>> (level >> SelectEach(each=Exponential(temperature=4))).map(1).epsilon()
    Fraction(1, 2)
    """

    each: Exponential | GumbelMax | PermuteAndFlip = field(
        validator=is_a(Exponential | GumbelMax | PermuteAndFlip, "a selection such as Exponential(temperature=1)")
    )

    def accept(self, space: Space) -> None:
        """A partition into scores of one or more candidates."""
        self._part(space)

    def _part(self, space: Space) -> Space:
        """Return the space of one part."""
        domain, metric = space.domain, space.metric
        if not isinstance(domain, PartitionDomain) or not isinstance(metric, PartitionDistance) or domain.parts < 1:
            raise MismatchError(
                f"SelectEach reads the scores of one or more parts, got {space!r}: put SplitScores(...) before it, "
                f"or use {type(self.each).__name__} for one list of scores."
            )
        part = Space(domain.inner, metric.inner)
        if not isinstance(metric.inner, RangeDistance):
            raise MismatchError(f"SelectEach selects by scores measured by RangeDistance, got parts in {part!r}.")
        self.each.accept(part)
        return part

    def release(self, value: tuple[Array, ...], space: Space) -> tuple[int, ...]:
        """Select part by part."""
        part = self._part(space)
        return tuple(self.each.release(scores, part) for scores in value)

    def loss(self, d_in: Parts, space: Space) -> Loss:
        """Draws are independent, so the losses of the parts add up, and so do their ranges."""
        part, domain = self._part(space), space.domain
        parts = min(d_in.l0, domain.parts) if isinstance(domain, PartitionDomain) else d_in.l0
        largest = min(d_in.linf, d_in.l1) if parts else Fraction(0)
        together = self.each.loss(min(d_in.l1, parts * largest), part)
        if parts < 2 or parts * largest > d_in.l1:
            return together
        return LeastLoss.of([together, self.each.loss(largest, part) * parts])
