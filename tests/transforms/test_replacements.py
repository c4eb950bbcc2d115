"""Counting replaced rows."""

from fractions import Fraction
from typing import Any

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.core.metric import InsertDelete, ReplacementDistance, SymmetricDistance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError
from tests.laws import Case, Twin, check_loss
from tests.transforms.sampled import noisy_sum, resized, whole
from tests.transforms.twins import TwinOf

SIZED = pc.vector(int, size=4)
IN_PLACE = pc.vector(int, size=4, ordered=True)
IN_ORDER = Space(IN_PLACE.domain, InsertDelete())
BOUNDED = Space(pc.vector(float, bounds=(-2, 10), size=4, grid=0.5).domain, ReplacementDistance())
RECORDS = Space(pc.records(a=int, b=str).of_size(3).domain, ReplacementDistance())
LATER: list[Any] = [
    pc.Sum(),
    pc.Mean(),
    pc.Count(),
    pc.Variance(),
    pc.Duplicate(times=3),
    pc.DropNulls(),
    pc.Filter(keep=bool),
    pc.PoissonSample(rate=0.5),
    pc.SimpleSample(size=2),
    pc.RandomOrder(),
    pc.RandomPositions(),
    pc.Resize(n=3, p=1.5),
    pc.Unordered(),
    pc.PartitionRandomly(parts=3),
    pc.QuantileScores(alpha=0.5, candidates=[0, 5, 9]),
    pc.Digitize(edges=[0, 5]) >> pc.CountBy(categories=[0, 1, 2]),
    pc.RawMoments(order=2),
    pc.CountDistinct(),
    pc.ImputeConstant(value=1) >> pc.Sum(),
    pc.ImputeUniform() >> pc.Sum(),
]
CASES = [
    Case(name="replacements from a known size", chain=SIZED >> pc.Replacements()),
    Case(name="replacements from positions", chain=IN_PLACE >> pc.Replacements()),
    Case(name="replacements from insert/delete", chain=IN_ORDER >> pc.Replacements()),
    Case(name="replacements in records", chain=pc.records(a=int, b=str).of_size(3) >> pc.Replacements()),
    Case(name="replacements in a matrix", chain=pc.matrix(2, size=3) >> pc.Replacements() >> pc.Unordered()),
    Case(name="replaced records >> select", chain=RECORDS >> pc.Select(columns="a")),
    Case(name="replaced records >> drop nulls", chain=RECORDS >> pc.DropNulls()),
    Case(name="replaced records >> duplicate", chain=RECORDS >> pc.Duplicate(times=2)),
    Case(name="replaced records >> random positions", chain=RECORDS >> pc.RandomPositions()),
    *(Case(name=f"replacement >> {unit!r}", chain=BOUNDED >> unit) for unit in LATER),
]


@frozen
class Quarter(TwinOf):
    """Halves the distance twice."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in // 4


@frozen
class HalfOfPositions(TwinOf):
    """Takes two positions for one replacement."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in // 2


@frozen
class LargestValue(TwinOf):
    """Charges a replaced row of a sum like an added one."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(10 * d_in)


@frozen
class OneForTwo(TwinOf):
    """Counts a replaced row once where rows are added and removed."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return d_in


TWINS = [
    Twin(law="map", case=Case(name="a quarter of the rows", chain=SIZED >> Quarter(pc.Replacements()))),
    Twin(law="map", case=Case(name="half of the positions", chain=IN_PLACE >> HalfOfPositions(pc.Replacements()))),
    Twin(law="map", case=Case(name="the largest value for a width", chain=BOUNDED >> LargestValue(pc.Sum()))),
    Twin(law="map", case=Case(name="a replacement is one row", chain=BOUNDED >> OneForTwo(pc.DropNulls()))),
    Twin(law="map", case=Case(name="replaced and unordered is one", chain=BOUNDED >> OneForTwo(pc.Unordered()))),
]


def test_one_replacement_is_two_rows() -> None:
    assert (SIZED >> pc.Replacements()).map(1) == (SIZED >> pc.Replacements()).map(2) == 1
    assert (SIZED >> pc.Replacements() >> pc.Unordered()).map(2) == 2
    assert (SIZED >> pc.Replacements() >> pc.Unordered() >> pc.Replacements()).map(5) == 3
    assert (IN_PLACE >> pc.Replacements()).map(3) == 3
    assert (IN_PLACE >> pc.Replacements()).output == Space(SIZED.domain, ReplacementDistance())


def test_the_distance_counts_replaced_rows() -> None:
    metric, domain = ReplacementDistance(), SIZED.domain
    assert metric.distance([1, 2, 2, None], [2, 1, None, 2], domain) == 0
    assert metric.distance([1, 2, 2, None], [2, 1, None, 3], domain) == 1
    assert SymmetricDistance().distance([1, 2, 2, None], [2, 1, None, 3], domain) == 2
    with pytest.raises(InvalidError, match="of the same size only"):
        metric.distance([1], [1, 2], domain)


def test_units_charge_the_width_for_a_replacement() -> None:
    assert (BOUNDED >> pc.Sum()).map(1) == 12
    assert (BOUNDED >> pc.Mean()).map(1) == 3
    assert (BOUNDED >> pc.Count()).map(5) == 0
    assert (BOUNDED >> pc.Sum() >> pc.Laplace(scale=12)).map(1).epsilon() == 1
    sized = pc.vector(float, bounds=(-2, 10), size=4, grid=0.5)
    for unit in LATER:
        after, same = (BOUNDED >> unit), (sized >> unit)
        if after.output.metric == same.output.metric:
            assert after.map(2) == same.map(4), f"{unit!r}: one replacement is two rows"


def test_a_sample_of_a_table_of_public_size_costs_as_much_by_either_metric() -> None:
    for unit in (pc.SimpleSample(size=2), pc.PoissonSample(rate=0.5), pc.Resize(n=3, p=0.5)):
        rest = unit >> pc.Sum() >> pc.Laplace(scale=24)
        sized = pc.vector(float, bounds=(-2, 10), size=4, grid=0.5)
        assert (BOUNDED >> rest).map(1).epsilon() == (sized >> rest).map(2).epsilon()


BITS = Space(pc.vector(int, bounds=(0, 1), size=3).domain, ReplacementDistance())
SWAPS: list[tuple[list[int], list[int]]] = [([0, 0, 0], [1, 0, 0]), ([0, 1, 1], [1, 1, 1]), ([0, 0, 1], [1, 1, 1])]


@pytest.mark.parametrize("p", ["1", "1/2", "3/2"])
@pytest.mark.share(3)
def test_the_exact_loss_of_a_replacement_is_within_the_claim(p: str) -> None:
    """Every way the coins may fall, with the distance counted in replacements."""
    unit = pc.Resize(n=2, p=Fraction(p), imputation=0)
    chain = whole(BITS >> unit >> pc.Sum() >> pc.Laplace(scale=1))
    masses = noisy_sum(resized(2, p, fill={0: 1}))
    check_loss(Case(name=p, chain=chain, pairs=SWAPS, masses=masses, tight="no", input=[1, 1, 0]))


@pytest.mark.parametrize("space", [pc.vector(int), pc.records(a=int), pc.matrix(2)])
def test_a_private_size_is_refused(space: Space) -> None:
    with pytest.raises(MismatchError, match="needs a public size"):
        space >> pc.Replacements()
    with pytest.raises(MismatchError, match="so the size must be public"):
        Space(space.domain, ReplacementDistance())


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MismatchError, match="does not fit an ordered domain"):
        Space(IN_PLACE.domain, ReplacementDistance())
    with pytest.raises(MismatchError, match="Truncate"):
        pc.persons("a", a=int, b=int).of_size(3)
    with pytest.raises(MismatchError, match="of_size is for a column"):
        pc.scalar(int).of_size(3)
    with pytest.raises(MismatchError, match="must be ordered"):
        Space(pc.records(a=int).of_size(3).domain, pc.HammingDistance())
    with pytest.raises(MismatchError, match="Marginals reads records under SymmetricDistance"):
        RECORDS >> pc.Marginals(columns=["a"], ways=(0, 1))
