"""Parallel composition."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.forms import PureForm
from privet.accounting.losses.loss import Loss
from privet.combinators.measure_conversion import MeasureConversion
from privet.combinators.parallel_composition import ParallelComposition
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from privet.mechanisms.moves import all_longest_moves
from tests.laws import Case, Twin, check_loss, check_parity, check_samples, check_twin_samples
from tests.laws.masses import Masses, laplace
from tests.mechanisms.twins import TwinOf

KEYS = ["a", "b"]
COUNTS = pc.Count() >> pc.Laplace(scale=0.5)
UNIT = ParallelComposition(each=COUNTS)
MIXED = ParallelComposition(each=[COUNTS, pc.Count() >> pc.Laplace(scale=1)])
# the loss law reads the pure form: that of a sum is exact, and its other forms are the sum's own business
PURE, PURE_MIXED = (MeasureConversion(measurement=unit, to=PureForm()) for unit in (UNIT, MIXED))
FREE, SIZED = (space >> pc.PartitionByKey(categories=KEYS) for space in (pc.vector(str), pc.vector(str, size=3)))


def exactly(scales: tuple[str, str] = ("1/2", "1/2")) -> Any:
    def masses(value: Any, space: Space) -> Masses:
        sides = [laplace(Fraction(scale), len(part), 14) for scale, part in zip(scales, value, strict=True)]
        inside = {(x, y): a * b for (x, a), (y, b) in product(sides[0].inside.items(), sides[1].inside.items())}
        return Masses(inside, sides[0].outside + sides[1].outside)

    return masses


def case(name: str, chain: Any, pairs: Any, **more: Any) -> Case:
    return Case(name=name, chain=chain, pairs=pairs, masses=more.pop("masses", exactly()), **more)


ADDED = [(["a"], ["a", "b"]), ([], ["b"]), (["a"], [])]
REPLACED = [(["a", "a", "b"], ["a", "b", "b"])]
CASES = [
    case("counts of parts", FREE >> UNIT, ADDED, tight="epsilon", sample=2_000, input=["a", "b", "c"]),
    case("two records", FREE >> PURE, [([], ["a", "b"]), (["a"], ["b"]), ([], ["b", "b"])], tight="epsilon"),
    case("a replaced record", SIZED >> PURE, REPLACED, tight="epsilon"),
    case(
        "parts measured differently",
        SIZED >> PURE_MIXED,
        REPLACED,
        masses=exactly(("1/2", "1")),
        sample=2_000,
        input=["a", "a", "b"],
    ),
]


@frozen
class MaximumAlways(TwinOf):
    """Charges the largest part only, as for an added record, whatever the distance (errata B19)."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.PureLoss(2)


@frozen
class SkipsEmptyParts(TwinOf):
    """Releases nothing for an empty part."""

    def release(self, value: Any, space: Space) -> Any:
        found = self.right.release(value, space)
        return tuple(release if len(part) else 0 for release, part in zip(found, value, strict=True))


@frozen
class TypeTellsEmpty(TwinOf):
    """Releases a list where the first part is empty."""

    def release(self, value: Any, space: Space) -> Any:
        found = self.right.release(value, space)
        return found if len(value[0]) else list(found)


TWINS = [
    Twin(law="loss", case=case("the largest part under replacement", SIZED >> MaximumAlways(UNIT), REPLACED)),
    Twin(
        law="samples", case=case("no noise for empty parts", FREE >> SkipsEmptyParts(UNIT), [], sample=2_000, input=[])
    ),
    Twin(law="parity", case=case("empty parts told", FREE >> TypeTellsEmpty(UNIT), [])),
]
LAWS = {"loss": check_loss, "samples": check_samples, "parity": check_parity}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_laws_hold(case: Case) -> None:
    check_loss(case)
    check_parity(case)
    if case.sample:
        check_samples(case)


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.case.name)
def test_a_broken_twin_is_caught(twin: Twin) -> None:
    with pytest.raises(AssertionError, match=f"^{twin.law} law"):
        {**LAWS, "samples": check_twin_samples}[twin.law](twin.case)


def test_one_part_for_an_added_record_and_two_for_a_replaced_one() -> None:
    each = ParallelComposition(each=pc.Count() >> pc.Laplace(scale=2))
    assert (FREE >> each).map(1).epsilon() == Fraction(1, 2)
    assert (SIZED >> each).map(2).epsilon() == 1
    assert (FREE >> each).map(0).epsilon() == 0


def test_different_measurements_cost_the_worst_choice_of_parts() -> None:
    scales = (1, 2, 4)
    chain = (
        pc.vector(str)
        >> pc.PartitionByKey(categories=["x", "y", "z"])
        >> ParallelComposition(each=[pc.Count() >> pc.Laplace(scale=scale) for scale in scales])
    )
    assert chain.map(1).epsilon() == 1
    assert chain.map(2).epsilon() == 2  # both records in the first part, or 1 + 1/2 in two
    d_in = pc.Parts(l0=2, l1=2, l2_squared=2, linf=1)
    assert chain.mechanism.loss(d_in, chain.place).epsilon() == Fraction(3, 2)
    d_in = pc.Parts(l0=3, l1=3, l2_squared=3, linf=1)
    assert chain.mechanism.loss(d_in, chain.place).epsilon() == Fraction(7, 4)


def test_persons_cost_as_many_parts_as_they_may_be_in() -> None:
    people = pc.persons("id", id=str, year=int) >> pc.PartitionPersons(
        id="id", key="year", categories=[2023, 2024, 2025], groups=2, rows=3, total=4
    )
    counts = people >> ParallelComposition(each=pc.Count() >> pc.Laplace(scale=1))
    assert counts.map(1).epsilon() == 4  # four records, however dealt
    gaussian = people >> ParallelComposition(each=pc.Count() >> pc.Gaussian(scale=1))
    assert gaussian.map(1).rho() == Fraction(3**2 + 1, 2)  # three in one part and one in another


def brute(d_in: pc.Parts) -> list[tuple[int, ...]]:
    """Every falling vector within the norms that no other one dominates."""
    ends = range(int(d_in.linf) + 1)
    within = [
        deal
        for deal in product(ends, repeat=d_in.l0)
        if list(deal) == sorted(deal, reverse=True)
        and sum(deal) <= d_in.l1
        and sum(size**2 for size in deal) <= d_in.l2_squared
    ]
    top = [
        deal
        for deal in within
        if not any(other != deal and all(a <= b for a, b in zip(deal, other, strict=True)) for other in within)
    ]
    return [tuple(size for size in deal if size) for deal in top]


@pytest.mark.parametrize(
    ("l0", "l1", "l2", "linf"), [(2, 2, 4, 2), (3, 6, 18, 3), (4, 5, 7, 5), (2, 4, 10, 3), (1, 5, 9, 5)]
)
def test_the_deals_are_those_that_cannot_be_enlarged(l0: int, l1: int, l2: int, linf: int) -> None:
    d_in = pc.Parts(l0=l0, l1=l1, l2_squared=l2, linf=linf)
    assert sorted(all_longest_moves(d_in)) == sorted(brute(d_in))


@pytest.mark.parametrize("d_in", [13, 100])
def test_many_records_go_one_after_the_other(d_in: int) -> None:
    parts = pc.vector(str) >> pc.PartitionByKey(categories=KEYS)
    assert (parts >> ParallelComposition(each=pc.Count() >> pc.Laplace(scale=1))).map(d_in).epsilon() == d_in
    assert (parts >> ParallelComposition(each=pc.Count() >> pc.Gaussian(scale=1))).map(d_in).rho() == Fraction(
        d_in**2, 2
    )


def test_distances_beyond_the_parts_or_below_one_record() -> None:
    unit = ParallelComposition(each=[pc.Count() >> pc.Laplace(scale=1), pc.Count() >> pc.Laplace(scale=2)])
    chain = FREE >> unit
    wide = pc.Parts(l0=5, l1=5, l2_squared=5, linf=1)
    assert unit.loss(wide, chain.place).epsilon() == Fraction(3, 2)
    assert unit.loss(pc.Parts(l0=1, l1=1, l2_squared=Fraction(1, 2), linf=1), chain.place).epsilon() == 0


def test_parts_may_see_opposite_directions() -> None:
    """A record that leaves one part enters another: a loss with two directions is taken in both."""
    each = pc.PoissonSample(rate=0.5) >> pc.Count() >> pc.Laplace(scale=1)
    loss = (SIZED >> ParallelComposition(each=each)).map(2)
    one = (FREE >> ParallelComposition(each=each)).map(1)
    assert loss.epsilon() >= 2 * one.epsilon()
    assert not loss.directed


def test_a_measurement_that_is_placed_already_fits() -> None:
    chain = pc.vector(str) >> pc.Count() >> pc.Laplace(scale=1)
    assert (FREE >> ParallelComposition(each=chain)).map(1).epsilon() == 1


def test_results_come_in_the_order_of_the_parts() -> None:
    chain = FREE >> ParallelComposition(each=pc.Count() >> pc.Laplace(scale=Fraction(1, 100)))
    assert chain(["b"] * 7 + ["a"] * 3) == (3, 7)
    assert chain([]) == (0, 0)


def test_spaces_that_do_not_fit_are_refused() -> None:
    with pytest.raises(MismatchError, match="ParallelComposition reads a partition"):
        pc.vector(str) >> UNIT
    with pytest.raises(MismatchError, match="lists 1 measurement, the partition has 2 parts"):
        FREE >> ParallelComposition(each=[COUNTS])
    with pytest.raises(WrongTypeError, match="ParallelComposition.each must be a measurement"):
        ParallelComposition(each=len)
    with pytest.raises(MismatchError, match="ParallelComposition.each must end in a mechanism"):
        FREE >> ParallelComposition(each=pc.Count())
    interactive = ParallelComposition(each=COUNTS >> (lambda _: Queryable(lambda question: question)))
    with pytest.raises(WrongTypeError, match="must make finished releases"):
        (FREE >> interactive)([])


def test_masses_are_complete() -> None:
    inside = exactly()(([], []), FREE.output).inside
    assert math.isclose(float(sum(inside.values(), arb(0))), 1, rel_tol=1e-9)
