"""One selection for each node of a level."""

from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.frames import PartitionDomain
from privet.core.metric import PartitionDistance, Parts
from privet.core.space import Space
from privet.errors import MismatchError, WrongTypeError
from privet.mechanisms.select_each import SelectEach
from privet.transforms.split_scores import SplitScores
from tests.laws import Case, Twin, check_loss, masses
from tests.mechanisms.scores import exponential, permute_and_flip, scores
from tests.mechanisms.twins import TwinOf
from tests.transforms.test_split_scores import InTwoNodes

ROWS = pc.matrix(4, bounds=[(-1, 2)] * 4, grid=1)
SHAPE: dict[str, Any] = {"nodes": 2, "sizes": [2, 2], "classes": 2}
LARGEST, GINI, GAIN = (SplitScores(**SHAPE, criterion=name, rows=50) for name in ("max_class", "gini", "gain"))
ONE, TWO = pc.Exponential(temperature=1), pc.Exponential(temperature=2)


def parts(count: int, length: int) -> Space:
    """A space of scores in parts."""
    each = scores(length)
    return Space(PartitionDomain(parts=count, inner=each.domain), PartitionDistance(each.metric))


def jointly(one: Any) -> Any:
    """The joint distribution of independent selections, each with the distribution of one."""

    def at(value: Any, space: Any) -> masses.Masses:
        part = Space(space.domain.inner, space.metric.inner)
        found = [one(each, part).inside for each in value]
        positions = product(*(range(len(each)) for each in found))
        inside = {at: prod((each[p] for each, p in zip(found, at, strict=True)), start=arb(1)) for at in positions}
        return masses.Masses(inside, arb(0))

    return at


# in node 0 the first feature predicts the class and the second does not; one row more helps only the second
HALVES: list[Any] = [[0, side, other, side] for side in (0, 1) for other in (0, 1)] * 12
WRONG: Any = [0, 0, 1, 1]
FEW: list[Any] = [[0, 0, 0, 0], [0, 1, 0, 1], [0, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 1], [1, 1, 0, 0]]
ADDED = [(HALVES, [*HALVES, WRONG]), ([], [[0, 0, 1, 1]]), (FEW, FEW[:-1]), (FEW, [*FEW, [1, 0, 0, 1]])]
BOTH = [
    (FEW, [*FEW, [0, 0, 1, 1], [1, 1, 1, 0]]),
    (FEW, FEW[1:-1]),
    (FEW, [*FEW[:-1], WRONG]),
    (FEW, [*FEW, *[WRONG] * 2]),
]
CASES = [
    Case(
        name="a split for each node",
        chain=ROWS >> LARGEST >> SelectEach(each=ONE),
        pairs=ADDED,
        masses=jointly(exponential(1)),
        tight="epsilon",
        sample=3_000,
        input=FEW,
    ),
    Case(
        name="a split for each node, two rows",
        chain=ROWS >> GINI >> SelectEach(each=TWO),
        pairs=BOTH,
        masses=jointly(exponential(2)),
        sample=3_000,
        input=[*FEW, *FEW, WRONG],
    ),
    Case(
        name="a split for each node by gain",
        chain=ROWS >> GAIN >> SelectEach(each=pc.GumbelMax(scale=5)),
        pairs=ADDED + BOTH,
        masses=jointly(exponential(5)),
        sample=1_000,
        input=HALVES,
    ),
    Case(
        name="a split for each node by permute-and-flip",
        chain=ROWS >> LARGEST >> SelectEach(each=pc.PermuteAndFlip(scale=1)),
        pairs=ADDED + BOTH,
        masses=jointly(permute_and_flip(1)),
        sample=3_000,
        input=[],
    ),
    Case(
        name="a split for each node of known size",
        chain=pc.matrix(4, bounds=[(-1, 2)] * 4, grid=1, size=6) >> LARGEST >> SelectEach(each=TWO),
        pairs=[(FEW, [*FEW[1:], WRONG])],
        masses=jointly(exponential(2)),
        sample=1_000,
        input=FEW,
    ),
]
APART = Case(
    name="scores of two parts",
    chain=parts(2, 3) >> SelectEach(each=ONE),
    pairs=[
        ([[-20, 0, 0], [0, 0, -20]], [[-19, 0, 0], [0, 0, -19]]),
        ([[0, 0, 0], [0, 0, 0]], [[1, 0, 0], [0, -1, 0]]),
        ([[0, 1, 2], [3, 4, 5]], [[1, 1, 2], [3, 3, 5]]),
    ],
    masses=jointly(exponential(1)),
    tight="epsilon",
)


@frozen
class LargestPart(TwinOf):
    """Charges the part that moves most, whatever the others do."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ONE.loss(d_in.linf, space)


@frozen
class Monotonic(TwinOf):
    """Charges half, as if the range of the scores were counted twice."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return ONE.loss(d_in.l1 / 2, space)


@frozen
class OneDraw(TwinOf):
    """Uses one draw for all nodes."""

    def release(self, value: Any, space: Any) -> Any:
        chosen = ONE.release(value[0], Space(space.domain.inner, space.metric.inner))
        return (chosen,) * len(value)


@frozen
class EmptyNodes(TwinOf):
    """Takes the first split of a node without rows."""

    def release(self, value: Any, space: Space) -> Any:
        found = self.right.release(value, space)
        return tuple(at if np.any(each) else 0 for at, each in zip(found, value, strict=True))


@frozen
class NodesLeftOut(TwinOf):
    """Gives a list where a node is empty."""

    def release(self, value: Any, space: Space) -> Any:
        found = self.right.release(value, space)
        return found if all(np.any(each) for each in value) else list(found)


EACH = SelectEach(each=ONE)
DRAWS: dict[str, Any] = {"masses": jointly(exponential(1)), "sample": 3_000}
TWINS = [
    Twin(
        law="loss",
        case=Case(
            name="two parts for one",
            chain=parts(2, 3) >> LargestPart(EACH),
            pairs=APART.pairs,
            masses=jointly(exponential(1)),
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="half a selection for each node",
            chain=ROWS >> LARGEST >> Monotonic(EACH),
            pairs=ADDED,
            masses=jointly(exponential(1)),
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="splits of rows in two nodes",
            chain=ROWS >> InTwoNodes(LARGEST) >> EACH,
            pairs=ADDED,
            masses=jointly(exponential(1)),
        ),
    ),
    Twin(
        law="samples",
        case=Case(name="one draw for all nodes", chain=ROWS >> LARGEST >> OneDraw(EACH), **DRAWS, input=[]),
    ),
    Twin(
        law="samples",
        case=Case(name="no draw for empty nodes", chain=ROWS >> LARGEST >> EmptyNodes(EACH), **DRAWS, input=[]),
    ),
    Twin(law="parity", case=Case(name="empty nodes told", chain=ROWS >> LARGEST >> NodesLeftOut(EACH))),
]


def test_parts_that_move_apart_lose_what_they_lose_together() -> None:
    check_loss(APART)


def test_a_row_costs_one_selection_whatever_the_number_of_nodes() -> None:
    for nodes in (1, 2, 64):
        level = pc.matrix(4) >> SplitScores(nodes=nodes, sizes=[2, 2], classes=2) >> SelectEach(each=TWO)
        assert level.map(1).epsilon() == 1
        assert level.map(1).rho() == pc.BoundedRangeLoss(1).rho()
        assert level.map(3).epsilon() == 3
        assert level.map(0).epsilon() == 0


def test_parts_that_all_move_a_little_cost_less_together() -> None:
    """Nine parts that move by one each: rho is nine times that of one, not that of one that moves by nine."""
    chain = parts(9, 2) >> SelectEach(each=ONE)
    far = Parts(l0=9, l1=9, l2_squared=9, linf=1)
    assert chain.map(far).epsilon() == 9
    assert chain.map(far).rho() == 9 * Fraction(pc.BoundedRangeLoss(1).rho())
    assert chain.map(Parts(l0=20, l1=9, l2_squared=9, linf=1)).epsilon() == 9
    assert chain.map(Parts(l0=2, l1=9, l2_squared=81, linf=9)).epsilon() == 9
    assert chain.map(Parts(l0=2, l1=9, l2_squared=81, linf=3)).epsilon() == 6


def test_clear_winners_are_found_in_every_node() -> None:
    level = pc.matrix(4) >> SplitScores(**SHAPE, criterion="gini") >> SelectEach(each=ONE)
    rows = [[0, code, 0, code] for code in (0, 1)] * 200 + [[1, 0, code, code] for code in (0, 1)] * 200
    assert level(rows) == (0, 1)


def test_what_is_no_scores_in_parts_is_refused() -> None:
    with pytest.raises(MismatchError, match=r"put SplitScores\(...\) before it, or use Exponential for one list"):
        scores(3) >> EACH
    with pytest.raises(MismatchError, match="SelectEach selects by scores measured by RangeDistance, got parts in"):
        pc.vector(str) >> pc.PartitionByKey(categories=["a", "b"]) >> EACH
    with pytest.raises(MismatchError, match="Exponential needs at least one candidate"):
        parts(2, 0) >> EACH
    with pytest.raises(
        WrongTypeError, match=r"SelectEach.each must be a selection such as Exponential\(temperature=1\)"
    ):
        SelectEach(each=pc.Laplace(scale=1))  # type: ignore[arg-type]
