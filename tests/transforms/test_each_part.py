"""A unit on each part moves each part as far as its own map says."""

import random
from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.domain import VectorDomain
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

SALES = pc.records(day=pc.vector(str, categories=["a", "b"]), paid=float)
BY_DAY = SALES >> pc.PartitionByKey(key="day", other=True)
PAID = pc.Select(columns="paid") >> pc.Clamp(bounds=(-1, 10))
LETTERS = pc.vector(int, bounds=(-3, 5)) >> pc.PartitionByKey(categories=[-3, 0, 5])
SIZED = pc.vector(int, bounds=(-3, 5), size=3) >> pc.PartitionByKey(categories=[-3, 0, 5])
CASES = [
    Case(name="clamped parts", chain=BY_DAY >> pc.EachPart(unit=PAID)),
    Case(name="sums of parts", chain=BY_DAY >> pc.EachPart(unit=PAID >> pc.Sum())),
    Case(name="sums of parts of known size", chain=SIZED >> pc.EachPart(unit=pc.Sum())),
    Case(name="histograms of parts", chain=LETTERS >> pc.EachPart(unit=pc.Histogram(edges=[-9, 0, 9]))),
    Case(name="different values of parts", chain=LETTERS >> pc.EachPart(unit=pc.CountDistinct())),
    Case(name="deviations of parts", chain=LETTERS >> pc.EachPart(unit=pc.SumOfSquaredDeviations())),
    Case(name="doubled parts", chain=LETTERS >> pc.EachPart(unit=pc.Duplicate(times=3)) >> pc.GroupSize()),
    Case(name="clamped parts as a stream", chain=BY_DAY >> pc.EachPart(unit=PAID) >> pc.PartStream()),
    Case(
        name="parts in order",
        chain=pc.Space(VectorDomain(kind=int), pc.InsertDelete())
        >> pc.PartitionByKey(categories=[0, 1])
        >> pc.EachPart(unit=pc.Clamp(bounds=(0, 1))),
    ),
    Case(
        name="products of random parts",
        chain=pc.matrix(2)
        >> pc.PartitionRandomly(parts=2)
        >> pc.EachPart(unit=pc.ClampNorm(radius=2) >> pc.SumOfOuterProducts(weight=Fraction(140, 99))),
    ),
]


@frozen
class OnePart(TwinOf):
    """Charges the largest part only."""

    def stability(self, d_in: Any, space: Space) -> Any:
        right: Any = self.right.stability(d_in, space)
        return Parts(l0=min(right.l0, 1), l1=right.linf, l2_squared=right.linf**2, linf=right.linf)


@frozen
class MapOfOne(TwinOf):
    """Charges every part for one record, however many differ."""

    def stability(self, d_in: Any, space: Space) -> Any:
        right: Any = self.right.stability(Parts(l0=1, l1=1, l2_squared=1, linf=1), space)
        many = d_in.l0
        return Parts(
            l0=right.l0 * many, l1=right.l1 * many, l2_squared=right.l2_squared * many, linf=right.linf * min(many, 1)
        )


@frozen
class AllTogether(TwinOf):
    """Subtracts the mean of all parts: a record of one part moves the others."""

    def apply(self, value: Any, space: Space) -> Any:
        sums = self.right.apply(value, space)
        return sums - int(sum(sums.tolist()))


@frozen
class EmptyLeftOut(TwinOf):
    """Leaves out empty parts: the length of the result shows them."""

    def apply(self, value: Any, space: Space) -> Any:
        sums = self.right.apply(value, space)
        return sums[[len(part) > 0 for part in value]]


SUMS = pc.EachPart(unit=pc.Sum())
TWINS = [
    Twin(law="map", case=Case(name="one part charged", chain=SIZED >> OnePart(SUMS))),
    Twin(law="map", case=Case(name="one record of each part charged", chain=LETTERS >> MapOfOne(SUMS))),
    Twin(law="map", case=Case(name="parts that meet", chain=LETTERS >> AllTogether(SUMS))),
    Twin(law="map", case=Case(name="empty parts left out", chain=LETTERS >> EmptyLeftOut(SUMS))),
]


def test_sums_of_parts_cost_what_parallel_composition_costs() -> None:
    each = BY_DAY >> pc.EachPart(unit=PAID >> pc.Sum()) >> pc.Laplace(scale=10)
    parallel = BY_DAY >> pc.ParallelComposition(each=PAID >> pc.Sum() >> pc.Laplace(scale=10))
    for d_in in (1, 2, 5):
        assert each.map(d_in).epsilon() == parallel.map(d_in).epsilon() == d_in


def test_the_same_sums_as_part_by_part() -> None:
    days = pc.partition(3, pc.vector(int, bounds=(0, 10)))
    assert (days >> SUMS)([[9, 99], [], [3, None]]).tolist() == [19, 0, 3]
    stream = (days >> pc.PartStream())([[9, 99], [], [3, None]])
    assert [stream.ask(None) for _ in range(3)] == [19, 0, 3]


def test_every_norm_against_a_model() -> None:
    """Random partitions, measured exactly, against the map at their distance: linear, bounded and vector units."""
    source = random.Random(4)
    inner = pc.vector(int, bounds=(-2, 3))
    for unit in (pc.Sum(), pc.CountDistinct(), pc.Histogram(edges=[-2, 0, 3]), pc.Duplicate(times=2)):
        chain: Any = pc.partition(3, inner) >> pc.EachPart(unit=unit)
        for _ in range(60):
            x, y = ([[source.randint(-2, 3) for _ in range(source.randint(0, 3))] for _ in range(3)] for _ in range(2))
            a, b = (chain.input.domain.admit(data) for data in (x, y))
            moved = chain.output.metric.distance(chain.run(a), chain.run(b), chain.output.domain)
            assert moved <= chain.map(chain.input.distance(x, y))


def test_a_person_in_every_part_with_one_record_each() -> None:
    chain = pc.partition(30, pc.vector(float)) >> pc.EachPart(unit=pc.Clamp(bounds=(0, 10)) >> pc.Sum())
    assert chain.map(pc.Parts(l0=30, l1=30, l2_squared=30, linf=1)) == pc.Parts(l0=30, l1=300, l2_squared=3000, linf=10)
    assert chain.map(0) == pc.Parts(l0=0, l1=0, l2_squared=0, linf=0)


def test_a_bounded_map_is_used() -> None:
    """However many records differ in a part, at most the nine whole numbers come and go."""
    chain = pc.partition(3, pc.vector(int, bounds=(0, 8))) >> pc.EachPart(unit=pc.CountDistinct())
    moved = chain.map(pc.Parts(l0=1, l1=1000, l2_squared=10**6, linf=1000))
    assert moved == pc.Parts(l0=1, l1=9, l2_squared=81, linf=9)


def test_the_first_day_of_high_sales() -> None:
    days = pc.partition(4, pc.vector(float)) >> pc.EachPart(unit=pc.Clamp(bounds=(0, 10)))
    alert = days >> pc.PartStream() >> pc.AboveThreshold(threshold=100, scale=20)
    assert alert.map(pc.Parts(l0=4, l1=4, l2_squared=4, linf=1)).epsilon() == 1


@pytest.mark.parametrize(
    ("space", "unit", "message"),
    [
        (pc.vector(int), pc.Sum(), "EachPart reads a partition"),
        (pc.partition(2, pc.vector(int, size=3)), pc.Count(), "parts of private size"),
        (pc.partition(2, pc.vector(int)), pc.Sum(), "put Clamp"),
        (pc.partition(2, pc.vector(int)), pc.Count() >> pc.Laplace(scale=1), "use ParallelComposition"),
        (pc.partition(2, pc.vector(int)), pc.PoissonSample(rate=0.5), "must not be random"),
        (pc.partition(2, pc.vector(int)), pc.SimpleSample(size=1), "must not be random|public size"),
        (pc.partition(2, pc.vector(int)), pc.Resize(n=3), "must not be random"),
        (pc.partition(2, pc.vector(int)), pc.PartitionByKey(categories=[1, 2]), "must end in records of private size"),
    ],
)
def test_what_does_not_fit_is_refused(space: Space, unit: Any, message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        space >> pc.EachPart(unit=unit)


@pytest.mark.parametrize("unit", [len, pc.Sum, 3, pc.vector(int) >> pc.Count()])
def test_only_units_that_can_be_placed(unit: Any) -> None:
    with pytest.raises(WrongTypeError, match="EachPart.unit must be a transformation, or a pipeline of them"):
        pc.EachPart(unit=unit)
