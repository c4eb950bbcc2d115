"""Parallel composition: a measurement of each part of a partition."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any, final

from attrs import Attribute, evolve, field, frozen

from privet.accounting.losses.alternatives import LeastLoss, WorstLoss
from privet.accounting.losses.concentrated import ConcentratedLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement, MeasurementChain
from privet.combinators.inner_measurement import is_measurement, place_measurement, require_finished, run_measurement
from privet.core import Parts, Space, count_text
from privet.errors import MismatchError
from privet.mechanisms.moves import Move, all_longest_moves
from privet.transforms import as_tuple, partition_metric, partition_of

_LABEL = "ParallelComposition.each"
_FEW = 12  # up to this many differing records, every distribution over the parts is examined
_CHOICES = 2000  # and up to this many choices of parts, if the parts have different measurements


@final
@frozen(kw_only=True)
class ParallelComposition(Measurement):
    """Apply a measurement to each part of a partition, empty parts included.

    Releases one result for each part, in the public order of the parts.

    Args:
        each: One measurement for all parts, on the space of a part or to be placed there; or a list with one
            measurement for each part.

    Guarantee: the worst total of ``loss(d_1) + loss(d_2) + ...`` over all whole distances of the parts within the
        partition distance: one part for an added or removed record, two for a replaced record.
    Proof: docs/combinators/parallel_composition.md.

    >>> from privet.core.space import vector
    >>> from privet.mechanisms.laplace import Laplace
    >>> from privet.transforms.count import Count
    >>> from privet.transforms.partition_by_key import PartitionByKey
    >>> each = ParallelComposition(each=Count() >> Laplace(scale=2))
    >>> (vector(str) >> PartitionByKey(categories=["a", "b", "c"]) >> each).map(1).epsilon()
    Fraction(1, 2)
    >>> (vector(str, size=9) >> PartitionByKey(categories=["a", "b", "c"]) >> each).map(2).epsilon()
    Fraction(1, 1)
    """

    each: Any = field(converter=as_tuple)

    @each.validator
    def _check(self, attribute: "Attribute[Any]", value: object) -> None:
        for measurement in value if isinstance(value, tuple) else (value,):
            is_measurement(self, attribute, measurement)

    def accept(self, space: Space) -> None:
        """A partition whose parts the measurements can read."""
        self._chains(space)

    def release(self, value: tuple[Any, ...], space: Space) -> tuple[Any, ...]:
        """Measure part by part."""
        chains = self._chains(space)
        return tuple(
            require_finished(_LABEL, run_measurement(chain, part)) for chain, part in zip(chains, value, strict=True)
        )

    def _chains(self, space: Space) -> tuple[MeasurementChain, ...]:
        domain = partition_of(self, space)
        inner = Space(domain.inner, partition_metric(self, space))
        if not isinstance(self.each, tuple):
            return (place_measurement(_LABEL, self.each, inner),) * domain.parts
        if len(self.each) != domain.parts:
            raise MismatchError(
                f"{_LABEL} lists {count_text(len(self.each), 'measurement')}, the partition has "
                f"{count_text(domain.parts, 'part')}."
            )
        return tuple(place_measurement(_LABEL, measurement, inner) for measurement in self.each)

    def loss(self, d_in: Parts, space: Space) -> Loss:
        """Distribute the differing records over the parts in the worst way."""
        records, largest = math.floor(d_in.l1), math.floor(min(d_in.linf, d_in.l1))
        chains = self._chains(space)
        norms = evolve(d_in, l0=min(d_in.l0, len(chains)))
        if not records or not largest or not norms.l0 or d_in.l2_squared < 1:
            return PureLoss(0)  # distances of parts are whole
        if records <= _FEW:
            worst = _worst_deal(chains, all_longest_moves(norms))
            if worst is not None:
                return worst
        return LeastLoss.of(_bounds(chains, d_in, records, largest))


def _worst_deal(chains: tuple[MeasurementChain, ...], deals: list[Move]) -> Loss | None:
    """Return the worst total over all deals and all choices of their parts, or None if there are too many."""
    kinds = _kinds(chains)
    if len(kinds) == 1:
        return WorstLoss.of(_total([chains[0]] * len(deal), deal) for deal in deals)
    if sum(math.perm(len(chains), len(deal)) for deal in deals) > _CHOICES:
        return None
    numbers = [kinds.index(chain) for chain in chains]
    choices = {(parts, deal) for deal in deals for parts in permutations(numbers, len(deal))}
    return WorstLoss.of(_total([kinds[number] for number in parts], deal) for parts, deal in sorted(choices))


def _kinds(chains: tuple[MeasurementChain, ...]) -> list[MeasurementChain]:
    """Return the different measurements, in the order of the parts."""
    kinds = [chains[0]]
    for chain in chains:
        if all(chain is not other and chain != other for other in kinds):
            kinds.append(chain)
    return kinds


def _total(chains: list[MeasurementChain], deal: Move) -> Loss:
    losses = [chain.map(size) for chain, size in zip(chains, deal, strict=True)]
    if len(losses) == 1:
        return losses[0]
    # a record that is removed from one part may be added to another
    both = [loss.undirected() for loss in losses]
    return sum(both[1:], both[0])


def _bounds(chains: tuple[MeasurementChain, ...], d_in: Parts, records: int, largest: int) -> Iterator[Loss]:
    """Bounds for many records: every part at the largest distance, or one record after another."""
    kinds = _kinds(chains)
    parts = min(d_in.l0, len(chains), records)
    yield WorstLoss.of(chain.map(largest).undirected() for chain in kinds) * parts
    if getattr(chains[0].input.domain, "size", None) is not None:
        return  # if the size of a part is public, no record can be added or removed alone
    one = WorstLoss.of(chain.map(1).undirected() for chain in kinds)
    yield one.group(records)
    rho = one.rho()
    if isinstance(rho, Fraction):
        yield ConcentratedLoss(rho * min(d_in.l2_squared, Fraction(records * largest)))
