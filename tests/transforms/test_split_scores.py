"""Scores of the splits of a decision tree."""

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from attrs import evolve, frozen

import privet.calculus as pc
from privet.core.metric import Parts
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.information_gain import GRID
from privet.transforms.split_criteria import CRITERIA, gain, gini, max_class
from privet.transforms.split_scores import SplitScores, next_nodes
from tests.laws import Case, Twin
from tests.transforms.twins import TwinOf

# a node, a feature with thresholds, one without, and a class; what is beyond the bounds counts nowhere or is missing
LIMITS: Any = [(-1, 2), (-1, 2), (-1, 2), (-1, 2)]
ROWS = pc.matrix(4, bounds=LIMITS, grid=1)
SHAPE: dict[str, Any] = {"nodes": 2, "sizes": [2, 2], "classes": 2, "unordered": [1]}
GAIN, GINI, LARGEST = (SplitScores(**SHAPE, criterion=name, rows=20) for name in CRITERIA)
CASES = [
    Case(name="splits by gain", chain=ROWS >> GAIN),
    Case(name="splits by gain, too few rows", chain=ROWS >> evolve(GAIN, rows=2)),
    Case(name="splits by gain, one row", chain=ROWS >> evolve(GAIN, rows=1)),
    Case(name="splits by gini", chain=ROWS >> GINI),
    Case(name="splits by the largest class", chain=ROWS >> LARGEST),
    Case(name="splits of any numbers", chain=pc.matrix(4) >> GINI),
    Case(name="splits of known size", chain=pc.matrix(4, bounds=LIMITS, size=3) >> GINI),
    Case(name="splits in order", chain=pc.matrix(4, bounds=LIMITS, size=3, ordered=True) >> LARGEST),
    Case(name="one split", chain=ROWS >> evolve(GINI, splits=[(0, 0)])),
    Case(
        name="splits of three classes and some candidates",
        chain=pc.matrix(5, bounds=(-1, 3), grid=1)
        >> SplitScores(nodes=3, sizes=[4, 3, 1], classes=3, unordered=[1, 2], splits=[(1, 2), (0, 1), (2, 0)]),
    ),
]


@frozen
class OneForGini(TwinOf):
    """Charges one for the Gini impurity, as for the largest class."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return LARGEST.stability(d_in, space)


@frozen
class OneNat(TwinOf):
    """Forgets the logarithm of the number of rows."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return LARGEST.stability(d_in, space)


@frozen
class InTwoNodes(TwinOf):
    """Counts a row in its node and in its sibling, and charges one node."""

    def apply(self, value: Any, space: Space) -> Any:
        sibling = np.where(value[:, :1] >= 0, 1 - value[:, :1], value[:, :1])
        return self.right.apply(np.concatenate([value, np.column_stack([sibling, value[:, 1:]])]), space)


@frozen
class ClassesSeen(TwinOf):
    """Multiplies the scores by the number of classes in the data, as a normalised impurity does."""

    def apply(self, value: Any, space: Space) -> Any:
        seen = len({label for label in value[:, -1].tolist() if label == label})
        return tuple(scores * seen for scores in self.right.apply(value, space))


@frozen
class SplitsSeen(TwinOf):
    """Scores only the codes that occur."""

    def apply(self, value: Any, space: Space) -> Any:
        some = max(1, len({code for code in value[:, 2].tolist() if code == code}))
        return tuple(scores[:some] for scores in self.right.apply(value, space))


@frozen
class MissingClass(TwinOf):
    """Uses the class as a position, and raises where there is none."""

    def apply(self, value: Any, space: Space) -> Any:
        for row in value.tolist():
            int(row[-1])
        return self.right.apply(value, space)


@frozen
class EmptyNodesLeftOut(TwinOf):
    """Gives scores for the nodes only that have rows."""

    def apply(self, value: Any, space: Space) -> Any:
        scores = self.right.apply(value, space)
        return tuple(score for node, score in enumerate(scores) if (value[:, 0] == node).any())


@frozen
class ReplacedOnce(TwinOf):
    """Charges a replacement like an added row."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return LARGEST.stability((d_in + 1) // 2, ROWS)


TWINS = [
    Twin(law="map", case=Case(name="gini for one", chain=ROWS >> OneForGini(GINI))),
    Twin(law="map", case=Case(name="gain for one nat", chain=ROWS >> OneNat(GAIN))),
    Twin(law="map", case=Case(name="a row in two nodes", chain=ROWS >> InTwoNodes(LARGEST))),
    Twin(law="map", case=Case(name="classes seen in the data", chain=ROWS >> ClassesSeen(LARGEST))),
    Twin(law="membership", case=Case(name="codes seen in the data", chain=ROWS >> SplitsSeen(GINI))),
    Twin(law="membership", case=Case(name="nodes seen in the data", chain=ROWS >> EmptyNodesLeftOut(GINI))),
    Twin(law="parity", case=Case(name="a missing class", chain=ROWS >> MissingClass(GINI))),
    Twin(
        law="map",
        case=Case(
            name="splits replaced at one row",
            chain=pc.matrix(4, bounds=(0, 1), grid=1, size=4) >> ReplacedOnce(LARGEST),
        ),
    ),
]


def exactly(chain: Any, rows: Any) -> list[list[float]]:
    """The scores in their units."""
    domain = chain.output.domain.inner
    return [domain.release(scores).tolist() for scores in chain.run(chain.input.domain.admit(rows))]


def entropy(*counts: int) -> float:
    """The rows times their entropy, in nats."""
    return sum(-count * math.log(count / sum(counts)) for count in counts if count)


CONCERTS = [(12, 0, 1), (2, 1, 1), (5, 0, 0), (8, 1, 0), (12, 1, 0), (12, 0, 1), (3, 1, 0)]  # month, city, rain


def test_the_gains_of_the_concerts_of_the_book() -> None:
    """Table 8-1: 2.871 nats for the month with a child for each value, 0.621 for the city, which has two values."""
    month, city, rain = (list(column) for column in zip(*CONCERTS, strict=True))
    many = pc.records(month=int, city=int, rain=int) >> pc.InformationGain(
        label="rain", attributes=["month", "city"], rows=7
    )
    scores = many({"month": month, "city": city, "rain": rain})
    assert [round(entropy(3, 4) + float(score), 3) for score in scores] == [2.871, 0.621]

    unit = SplitScores(nodes=1, sizes=[13, 2], classes=2, unordered=[0, 1], criterion="gain", rows=7)
    (node,) = exactly(pc.matrix(4) >> unit, [[0, *row] for row in CONCERTS])
    gains = {split: entropy(3, 4) + score for split, score in zip(unit.all_splits, node, strict=True)}
    assert round(gains[1, 0], 3) == round(gains[1, 1], 3) == round(gains[0, 12], 3) == 0.621
    assert max(gains, key=lambda split: gains[split]) == (0, 2)
    assert round(gains[0, 2], 3) == 0.961


def by_definition(unit: SplitScores, rows: list[Any]) -> list[list[float]]:
    """Count child by child, row by row."""
    found = []
    for node in range(unit.nodes):
        here = [row for row in rows if row[0] == node and row[-1] in range(unit.classes)]
        scores = []
        for feature, code in unit.all_splits:
            score = 0.0
            for side in (True, False):
                child = [row[-1] for row in here if _left(row[feature + 1], feature, code, unit) == side]
                counts = [child.count(label) for label in range(unit.classes)]
                score += {
                    "gain": -entropy(*counts),
                    "gini": sum(count * count for count in counts) / max(len(child), 1) - len(child),
                    "max_class": max(counts),
                }[unit.criterion]
            scores.append(score)
        found.append(scores)
    return found


def _left(own: float, feature: int, code: int, unit: SplitScores) -> bool:
    own = own if 0 <= own < unit.sizes[feature] else -1
    return own == code if feature in unit.unordered else own <= code


@pytest.mark.parametrize("criterion", CRITERIA)
def test_scores_are_what_they_are_by_definition(criterion: str) -> None:
    unit = SplitScores(nodes=3, sizes=[4, 3], classes=3, unordered=[1], criterion=criterion, rows=500)
    rows = np.random.default_rng(5).integers(-1, 5, size=(400, 4)).astype(float)
    rows[np.random.default_rng(6).random(rows.shape) < 0.05] = math.nan
    found = exactly(pc.matrix(4) >> unit, rows)
    assert np.abs(np.array(found) - np.array(by_definition(unit, rows.tolist()))).max() < 1e-3


@pytest.mark.parametrize("criterion", CRITERIA)
def test_missing_numbers_have_a_meaning(criterion: str) -> None:
    """A missing code goes to the left of thresholds and is no code; a missing node or class counts nowhere."""
    unit = SplitScores(nodes=1, sizes=[2, 2], classes=2, unordered=[1], criterion=criterion)
    chain = pc.matrix(4) >> unit
    for gone in (math.nan, -1, -0.5, 2, math.inf, -math.inf, 1e300):
        assert exactly(chain, [[0, gone, 1, 0], [0, 1, 1, 1]]) == exactly(chain, [[0, 0, 1, 0], [0, 1, 1, 1]])
        assert exactly(chain, [[0, 1, gone, 0], [0, 1, 1, 1]])[0][1:] == [
            exactly(chain, [[0, 1, 0, 0], [0, 1, 0, 1]])[0][2],  # not 0: with the other row, which is not 0 either
            exactly(chain, [[0, 1, 0, 0], [0, 1, 1, 1]])[0][2],
        ]
        for row in ([gone, 0, 0, 0], [0, 0, 0, gone]):
            assert exactly(chain, [row]) == exactly(chain, [])
    assert exactly(chain, [[0.5, 0.9, 0.1, 1.99]]) == exactly(chain, [[0, 0, 0, 1]])


def test_no_rows_give_zeros_for_every_node() -> None:
    for unit in (GAIN, GINI, LARGEST):
        assert exactly(ROWS >> unit, []) == [[0, 0, 0]] * 2


@pytest.mark.parametrize("unit", [GAIN, GINI, LARGEST], ids=lambda unit: unit.criterion)
def test_the_map_is_reached(unit: SplitScores) -> None:
    """A row of another class joins 19 rows in one split, and is alone in the other."""
    chain = ROWS >> unit
    before: list[Any] = [[0, 0, 0, 0]] * 19
    after = [*before, [0, 0, 1, 1]]
    first, second = (chain.run(chain.input.domain.admit(rows)) for rows in (before, after))
    moved = chain.output.metric.distance(first, second, chain.output.domain)
    claimed: Any = chain.map(1)
    assert isinstance(moved, Parts)
    if unit.criterion == "gini":
        assert Fraction(19, 10) < moved.linf <= Fraction(19 * 2, 20) + GRID < claimed.linf == 2
    else:
        assert moved == claimed


def test_a_row_in_one_node_costs_one_node() -> None:
    assert (ROWS >> GINI).map(1) == Parts(l0=1, l1=2, l2_squared=4, linf=2)
    assert (ROWS >> LARGEST).map(5) == Parts(l0=2, l1=5, l2_squared=25, linf=5)
    assert (ROWS >> evolve(GINI, splits=[(0, 0)])).map(5) == Parts(l0=0, l1=0, l2_squared=0, linf=0)
    assert (pc.matrix(4, size=3) >> LARGEST).map(1) == Parts(l0=2, l1=2, l2_squared=4, linf=2)


def changes(score: Any, largest: int) -> list[int]:
    """The change of a score, in grid steps, for every child with so many rows of three classes and one row more."""
    found = []
    for counts in product(range(largest + 1), repeat=3):
        for label in range(3):
            more = [count + (place == label) for place, count in enumerate(counts)]
            pair = np.array([counts, more], dtype=np.int64).T.reshape(1, 1, 3, 2)
            before, after = score(pair)[0].tolist()
            found.append(after - before)
    return found


def test_one_row_changes_a_child_within_the_proved_ends() -> None:
    """All children of up to 12 rows of each of three classes."""
    steps = int(1 / GRID)
    assert {min(changes(max_class, 6)), max(changes(max_class, 6))} == {0, 1}
    impure = changes(gini, 12)
    assert -2 * steps <= min(impure) < -1.8 * steps
    assert max(impure) == 0
    mixed = changes(lambda counts: gain(counts, 20), 12)
    assert max(mixed) == 0
    assert Fraction(min(mixed)) * GRID >= -GAIN.stability(1, ROWS).linf


def test_large_counts_do_not_wrap() -> None:
    """Beyond 2^31 rows in a child the squares need more than 64 bits; each score is right to a step."""
    counts = np.array([[2**31 - 1, 5], [2**31, 7], [2**40, 2**40], [3, 2**33]], dtype=np.int64)
    for large in (counts[:1], counts):
        pairs = large.T.reshape(1, 1, 2, len(large))
        for (a, b), score in zip(large.tolist(), gini(pairs)[0].tolist(), strict=True):
            assert score == math.floor(Fraction(a * a + b * b, a + b) / GRID) - (a + b) / GRID
    assert gini(counts.T.reshape(1, 1, 2, 4)).dtype == np.int64


def test_rows_go_to_the_children_that_were_scored() -> None:
    """Route by the selected splits, and count the children: the scores are those of the selected splits."""
    unit = SplitScores(nodes=2, sizes=[4, 3], classes=2, unordered=[1], criterion="max_class")
    rows = np.random.default_rng(1).integers(-1, 5, size=(300, 4)).astype(float)
    scores = exactly(pc.matrix(4) >> unit, rows)
    for chosen in product(range(len(unit.all_splits)), repeat=2):
        below = next_nodes(unit, rows, chosen)
        assert ((below < 0) == ~np.isin(rows[:, 0], [0, 1])).all()
        assert (below[below >= 0] // 2 == rows[below >= 0, 0]).all()
        for node, position in enumerate(chosen):
            children = [rows[below == child, 3].tolist() for child in (2 * node, 2 * node + 1)]
            right = sum(max(child.count(0.0), child.count(1.0)) for child in children)
            assert scores[node][position] == right


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": 0}, "SplitScores.nodes must be above zero"),
        ({"sizes": []}, "SplitScores.sizes must be the number of codes of each feature, got no feature"),
        ({"sizes": [2, 0]}, "SplitScores.sizes must be one or more, got 0"),
        ({"unordered": [2]}, r"SplitScores.unordered must be positions from 0 to 1, got \(2,\)"),
        ({"unordered": [-1]}, "SplitScores.unordered must be positions"),
        ({"splits": [(0, 1)]}, r"SplitScores.splits must divide the codes of a feature, got \(0, 1\)"),
        ({"splits": []}, "SplitScores.splits must be one split or more"),
        ({"sizes": [1, 1], "unordered": []}, "SplitScores.splits must be one split or more"),
        ({"criterion": "entropy"}, "SplitScores.criterion must be one of 'gain', 'gini', 'max_class'"),
        ({"rows": 2**25}, "SplitScores.rows must be at most"),
    ],
)
def test_parameters_are_checked(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidError, match=message):
        SplitScores(**{**SHAPE, **given})


def test_what_are_no_rows_with_a_node_and_a_class_is_refused() -> None:
    with pytest.raises(MismatchError, match="SplitScores reads 4 columns: the node, 2 codes and the class. Got 3."):
        pc.matrix(3) >> GINI
    with pytest.raises(MismatchError, match="SplitScores reads rows of numbers"):
        pc.vector(float) >> GINI
    with pytest.raises(WrongTypeError, match="SplitScores.splits must be a list of pairs"):
        SplitScores(**SHAPE, splits=[3])
