"""One transformation applied to each part of a partition."""

import math
from typing import Any, final

import numpy as np
from attrs import Attribute, field, frozen

from privet.chains.transformation import RandomTransformation, Transformation, TransformationChain
from privet.core import (
    AbsoluteDistance,
    Array,
    Distance,
    InsertDelete,
    NumbersDomain,
    PartitionDistance,
    PartitionDomain,
    Parts,
    Placeable,
    ScalarDomain,
    Space,
    SymmetricDistance,
    VectorDistance,
    require_type,
)
from privet.errors import MismatchError
from privet.transforms import partition_metric, partition_of


@final
@frozen(kw_only=True)
class EachPart(Transformation):
    """Apply a transformation to each part of a partition, empty parts included.

    Parts of records stay a partition. If the transformation ends in numbers, the result is a vector: the numbers of the
    first part, then those of the second, and so on.

    Args:
        unit: A transformation such as ``Clamp(bounds=(0, 10))``, or a pipeline of them. It must not be random.

    Guarantee: a part that differs by d records moves by at most the map of the unit at d, and by d times its map at 1;
    the norms over the parts follow.
    Proof: docs/transforms/each_part.md.

    >>> from privet.core.space import vector
    >>> from privet.transforms.partition_by_key import PartitionByKey
    >>> from privet.transforms.sum import Sum
    >>> chain = vector(int, bounds=(0, 9)) >> PartitionByKey(categories=[1, 2, 5]) >> EachPart(unit=Sum())
    >>> chain([5, 1, 5]).tolist()
    [1, 0, 10]
    """

    unit: Any = field()

    @unit.validator
    def _check(self, attribute: "Attribute[Any]", value: object) -> None:
        require_type(isinstance(value, Placeable), "EachPart.unit", "a transformation, or a pipeline of them", value)

    def output(self, space: Space) -> Space:
        """A partition of the results, or a vector of numbers."""
        target, parts = self._chain(space).output, partition_of(self, space).parts
        domain = target.domain
        if isinstance(domain, ScalarDomain) and isinstance(target.metric, AbsoluteDistance):
            return Space(NumbersDomain(length=parts, kind=domain.kind, grid=domain.grid), VectorDistance())
        if isinstance(domain, NumbersDomain) and isinstance(target.metric, VectorDistance):
            weights = None if domain.weights is None else domain.weights * parts
            numbers = NumbersDomain(length=parts * domain.length, kind=domain.kind, grid=domain.grid, weights=weights)
            return Space(numbers, VectorDistance())
        if isinstance(target.metric, SymmetricDistance | InsertDelete) and _public_size(target) is None:
            return Space(PartitionDomain(parts=parts, inner=domain), PartitionDistance(target.metric))
        raise MismatchError(f"EachPart.unit must end in records of private size or in numbers, got {target!r}.")

    def _chain(self, space: Space) -> TransformationChain:
        """Place the unit on the space of one part."""
        inner = Space(partition_of(self, space).inner, partition_metric(self, space))
        if _public_size(inner) is not None:
            raise MismatchError(f"EachPart reads parts of private size, got {inner!r}.")
        chain = inner >> self.unit
        if not isinstance(chain, TransformationChain):
            raise MismatchError("EachPart.unit must be a transformation: for a measurement use ParallelComposition.")
        if any(isinstance(link.unit, RandomTransformation) or _samples(link.unit) for link in chain.links):
            raise MismatchError("EachPart.unit must not be random: apply random units before the partition.")
        return chain

    def apply(self, value: tuple[Any, ...], space: Space) -> Any:
        """Transform part by part."""
        chain, target = self._chain(space), self.output(space).domain
        results = tuple(chain.run(part) for part in value)
        if not isinstance(target, NumbersDomain):
            return results
        numbers: Array = np.empty(target.length, dtype=object)
        numbers[:] = [number for result in results for number in _listed(result)]
        return numbers

    def stability(self, d_in: Parts, space: Space) -> Parts:
        """Add up what the parts can move, once by the number of parts and once by the number of records."""
        chain = self._chain(space)
        largest, parts = math.floor(min(d_in.linf, d_in.l1)), min(d_in.l0, partition_of(self, space).parts)
        if not largest or not parts:
            return Parts(l0=0, l1=0, l2_squared=0, linf=0)
        one, most = _norms(chain.map(1)), _norms(chain.map(largest))
        records = math.floor(d_in.l1)
        l0, l1 = min(parts * most.l0, records * one.l0), min(d_in.l1 * one.l1, parts * most.l1)
        linf = min(most.linf, largest * one.linf)
        l2_squared = min(d_in.l2_squared * one.l2_squared, parts * most.l2_squared, l1 * linf, l0 * linf**2)
        return Parts(l0=l0, l1=l1, l2_squared=l2_squared, linf=linf)


def _listed(result: Any) -> list[Any]:
    return result.tolist() if isinstance(result, np.ndarray) else [result]


def _public_size(space: Space) -> int | None:
    size: int | None = getattr(space.domain, "size", None)
    return size


def _samples(unit: Transformation) -> bool:
    """Return whether a unit bounds losses in its own way, so that its map alone says nothing."""
    return type(unit).bound is not Transformation.bound


def _norms(distance: Distance) -> Parts:
    """Return the distance of one part in every norm; a number is one coordinate."""
    if isinstance(distance, Parts):
        return distance
    return Parts(l0=1 if distance else 0, l1=distance, l2_squared=distance**2, linf=distance)
