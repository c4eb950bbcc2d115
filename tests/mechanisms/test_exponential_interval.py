"""The exponential mechanism over an interval."""

import random
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from attrs import frozen
from flint import arb

import privet.calculus as pc
from privet.accounting.losses.loss import Loss
from privet.core.exact import ball
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, NotExactError, WrongTypeError
from privet.mechanisms.selection import gaps_of, select
from privet.noise import uniform_below
from privet.transforms import ends_in_steps
from tests.laws import Case, Twin, masses
from tests.mechanisms.scores import present, quantile
from tests.mechanisms.twins import TwinOf


def numbers(rows: tuple[Any, ...]) -> list[Any]:
    return [row for row in rows if row is not None and row == row]


def balance(rows: tuple[Any, ...], point: Any) -> int:
    """Twice the score of a median."""
    known = numbers(rows)
    return -abs(sum(int(row < point) for row in known) - sum(int(row > point) for row in known))


def close(rows: tuple[Any, ...], point: Any) -> int:
    """Count the rows within two of a point: one row more raises some scores and lowers none."""
    return sum(abs(row - point) <= 2 for row in numbers(rows))


def ends(rows: tuple[Any, ...]) -> list[Any]:
    return [row + side for row in numbers(rows) for side in (-2, 2)]


def longest(rows: tuple[Any, ...], point: Any) -> Fraction:
    """A score in thirds about words: how many are as long as the point."""
    return Fraction(sum(row is not None and len(row) == point for row in rows), 3)


def weighed(points: list[Any], score: Callable[..., Any], temperature: Any) -> Any:
    """The output distribution, from the definition: every point has its own score."""

    def at(value: Any, space: Space) -> masses.Masses:
        rows = tuple(present(value))
        weights = {point: ball(Fraction(score(rows, point)) / Fraction(temperature)).exp() for point in points}
        whole = sum(weights.values(), arb(0))
        return masses.Masses({point: weight / whole for point, weight in weights.items()}, arb(0))

    return at


MEDIAN = pc.ExponentialInterval(function=balance, bounds=(-3, 9), range=2, temperature=2)
DENSEST = pc.ExponentialInterval(function=close, cuts=ends, bounds=(0, 12), range=1, temperature=1)
QUARTERS = pc.ExponentialInterval(
    function=close, cuts=ends, bounds=(Fraction(-1, 10), 2.1), range=1, temperature=Fraction(3, 4), step=0.25
)
WORDS = pc.ExponentialInterval(
    function=longest,
    cuts=lambda rows: range(9),
    bounds=(0, 5),
    range=Fraction(1, 3),
    temperature=1,
    grid=Fraction(1, 3),
)
POINTS = list(range(-3, 10))
ROWS = [-3, 1, 1, 2, 9, 100, None]
PLACES = [5, 5, 6, 11, -40, None]
CASES = [
    Case(
        name="a median of an interval",
        chain=pc.vector(int) >> MEDIAN,
        pairs=[(ROWS, ROWS[1:]), ([], [4]), ([0] * 9, [0] * 9 + [-2]), ([], [None])],
        masses=quantile(POINTS, Fraction(1, 2), 1),
        sample=1_500,
        input=ROWS,
    ),
    Case(
        name="the densest place of an interval",
        chain=pc.vector(int) >> DENSEST,
        # one point far from the rest gains a row: nearly the whole claim
        pairs=[([3] * 20, [3] * 20 + [11]), (PLACES, PLACES[1:]), ([], [6]), ([1, 2], [1])],
        masses=weighed(list(range(13)), close, 1),
        tight="epsilon",
        sample=3_000,
        input=PLACES,
    ),
    Case(
        name="the densest place, rows in order",
        chain=pc.vector(int, size=3, ordered=True) >> DENSEST,
        pairs=[([0, 6, 12], [0, 12, 12]), ([0, 0, 0], [None, 0, 0])],
        masses=weighed(list(range(13)), close, 1),
    ),
    Case(
        name="the densest place among reals",
        chain=pc.vector(float) >> QUARTERS,
        pairs=[([-1.2, 3.5], [-1.2]), ([], [float("inf")]), ([float("nan")], [0.3])],
        masses=weighed([number / 4 for number in range(9)], close, Fraction(3, 4)),
        sample=1_500,
        input=[-1.2, -1.2, -1.2, 3.5, 3.9, float("nan"), -float("inf")],
    ),
    Case(
        name="an interval for words",
        chain=pc.vector(str, nullable=False) >> WORDS,
        pairs=[(["a", "bb"], ["a", "bb", "cc"]), ([], ["ddd"])],
        masses=weighed(list(range(6)), longest, 1),
        sample=1_500,
        input=["a", "bb", "cc", "dd", "eeeee", "ffffffffffff"],
    ),
]


@frozen
class LengthsForgotten(TwinOf):
    """Draws a piece by its score alone, however many points it has."""

    def release(self, value: Any, space: Space) -> int:
        rows = tuple(sorted(present(value)))
        starts, counts = DENSEST._pieces(rows)
        scores = [close(rows, start) for start in starts]
        chosen = select(gaps_of(np.array(scores, dtype=object)), Fraction(1))
        return starts[chosen] + uniform_below(counts[chosen])


@frozen
class FirstPoint(TwinOf):
    """Releases the first point of the piece."""

    def release(self, value: Any, space: Space) -> int:
        starts, _ = DENSEST._pieces(tuple(sorted(present(value))))
        return max(start for start in starts if start <= self.right.release(value, space))


@frozen
class CutsBetween(TwinOf):
    """Forgets that a cut is a piece of its own."""

    def release(self, value: Any, space: Space) -> Any:
        broken = pc.ExponentialInterval(
            function=close,
            cuts=lambda rows: [end + Fraction(1, 2) for end in ends(rows)],
            bounds=(0, 12),
            range=1,
            temperature=1,
        )
        return broken.release(value, space)


@frozen
class HalfCost(TwinOf):
    """Charges a score that changes in both directions as if it were monotonic."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in) / 2)


@frozen
class ReplacementForOne(TwinOf):
    """Charges a replaced row as one row."""

    def loss(self, d_in: Any, space: Space) -> Loss:
        return pc.BoundedRangeLoss(Fraction(d_in))


@frozen
class LetsItRaise(TwinOf):
    """Lets the exceptions of a user's function through."""

    def release(self, value: Any, space: Space) -> Any:
        1 // len(present(value))
        return self.right.release(value, space)


SAMPLED: dict[str, Any] = {"masses": weighed(list(range(13)), close, 1), "sample": 3_000, "input": PLACES}
TWINS = [
    *(
        Twin(law="samples", case=Case(name=name, chain=pc.vector(int) >> twin, **SAMPLED))
        for name, twin in (
            ("pieces of an interval without their lengths", LengthsForgotten(DENSEST)),
            ("the first point of a piece", FirstPoint(DENSEST)),
            ("cuts that belong to the piece before", CutsBetween(DENSEST)),
        )
    ),
    Twin(
        law="loss",
        case=Case(
            name="an interval at the cost of a monotonic score",
            chain=pc.vector(int) >> HalfCost(MEDIAN),
            masses=quantile(POINTS, Fraction(1, 2), 1),
            pairs=[([0] * 9, [0] * 9 + [-2])],
        ),
    ),
    Twin(
        law="loss",
        case=Case(
            name="an interval where a replacement costs one row",
            chain=pc.vector(int, size=41, ordered=True) >> ReplacementForOne(DENSEST),
            masses=weighed(list(range(13)), close, 1),
            # two places share the weight, and the row moves from one to the other
            pairs=[([0] * 20 + [12] * 20 + [0], [0] * 20 + [12] * 20 + [12])],
        ),
    ),
    Twin(
        law="parity",
        case=Case(name="an exception of a score of an interval", chain=pc.vector(int) >> LetsItRaise(MEDIAN)),
    ),
]


def test_pieces_cover_every_candidate_once_and_have_one_score() -> None:
    dice = random.Random(4)
    for _ in range(200):
        step = dice.choice((Fraction(1), Fraction(1, 3), Fraction(2), Fraction(1, 4)))
        unit = pc.ExponentialInterval(
            function=close, cuts=ends, bounds=(-4, dice.randint(2, 30)), range=1, temperature=1, step=step
        )
        rows = tuple(dice.choice((dice.randint(-9, 40), dice.randint(-40, 99) / 8)) for _ in range(dice.randint(0, 9)))
        starts, counts = unit._pieces(rows)
        covered = [at for start, count in zip(starts, counts, strict=True) for at in range(start, start + count)]
        assert covered == [at for at in range(-200, 200) if -4 <= at * step <= unit.bounds[1]]
        for start, count in zip(starts, counts, strict=True):
            assert len({close(rows, (start + more) * step) for more in range(count)}) == 1


@pytest.mark.parametrize("answer", [1.5, "3", True, float("nan"), None, Fraction(1, 2), ValueError, [1]])
def test_whatever_is_no_score_counts_as_the_lowest(answer: Any) -> None:
    """The point 0 has 60 more than any other: only a wrong reading of the others could select them."""

    def score(rows: tuple[Any, ...], point: int) -> Any:
        if point == 0:
            return 0
        if isinstance(answer, type):
            raise answer
        return answer

    unit = pc.ExponentialInterval(
        function=score, cuts=lambda rows: range(9), bounds=(0, 8), range=0, temperature=1, lowest=-60
    )
    assert (pc.vector(int) >> unit)([1, 2]) == 0


@pytest.mark.parametrize("answer", [None, 3, "ab", [float("nan"), "x", None, float("inf"), 1j], SystemExit, sys.exit])
def test_whatever_are_no_cuts_leave_one_piece(answer: Any) -> None:
    def cuts(rows: tuple[Any, ...]) -> Any:
        if answer in (SystemExit, sys.exit):
            sys.exit(3)
        return answer

    unit = pc.ExponentialInterval(function=balance, cuts=cuts, bounds=(0, 8), range=2, temperature=1)
    assert unit._pieces((1, 2)) == ([0], [9])
    assert (pc.vector(int) >> unit)([1, 2]) in range(9)


def test_nobody_hears_a_warning_of_a_score() -> None:
    def loud(rows: tuple[Any, ...], point: int) -> int:
        warnings.warn("a row", UserWarning, stacklevel=1)
        return 0

    unit = pc.ExponentialInterval(function=loud, bounds=(0, 1), range=0, temperature=1)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        (pc.vector(int) >> unit)([1])
    assert heard == []


def test_a_release_is_a_multiple_of_the_step() -> None:
    whole = pc.ExponentialInterval(function=balance, bounds=(0.5, 100), range=2, temperature=1, step=7)
    release = (pc.vector(int) >> whole)([50] * 9)
    assert type(release) is int
    assert release in range(7, 100, 7)
    tenths = pc.ExponentialInterval(function=balance, bounds=(0, 1), range=2, temperature=1, step=0.1)
    assert (pc.vector(float) >> tenths)([0.5]) in {number / 10 for number in range(11)}


def test_an_interval_of_many_points_is_exact() -> None:
    """2^62 points on one side and 2 on the other, at the same score: the few are never drawn."""
    unit = pc.ExponentialInterval(function=lambda rows, p: 0, bounds=(0, 2**62), range=0, temperature=1)
    assert (pc.vector(int) >> unit)([2]) > 2


TOP = Fraction(sys.float_info.max)
LITTLE = Fraction(1, 2**1074)


@pytest.mark.parametrize(
    ("limits", "step"),
    [
        ((0, TOP), TOP / 3),
        ((-TOP, TOP), TOP / 7),
        ((TOP - 1, TOP), Fraction(1, 3)),
        ((-TOP, -TOP + 1), 1),
        ((0, 9 * LITTLE), LITTLE),
        ((0, 9 * LITTLE), LITTLE * Fraction(4, 3)),
    ],
)
def test_bounds_at_the_ends_of_the_floats(limits: Any, step: Any) -> None:
    """Every point has a float within the bounds: nothing overflows, whatever is drawn."""
    unit = pc.ExponentialInterval(function=balance, bounds=limits, step=step, range=2, temperature=10**9)
    low, high = ends_in_steps(unit.bounds, unit.step)
    points = {unit._point(at) for at in range(low, high + 1)}
    assert 1 < len(points) < 20
    for rows in ([], [sys.float_info.max, -sys.float_info.max, 5e-324, float("inf")]):
        drawn = {(pc.vector(float) >> unit)(rows) for _ in range(40)}
        assert drawn <= {point if isinstance(point, int) else float(point) for point in points}


def test_cuts_far_below_the_step_are_cuts() -> None:
    unit = pc.ExponentialInterval(
        function=balance,
        cuts=lambda rows: [Decimal("1e-2000"), Decimal("-1e-2000"), Decimal("1e2000"), Fraction(1, 10**3000)],
        bounds=(-3 * LITTLE, 3 * LITTLE),
        step=LITTLE,
        range=2,
        temperature=1,
    )
    assert unit._pieces(()) == ([-3, 0, 1], [3, 1, 3])


def test_the_maps() -> None:
    assert (pc.vector(int) >> MEDIAN).map(3).epsilon() == 3
    assert (pc.vector(int, size=4) >> MEDIAN).map(2).epsilon() == 2
    assert (pc.vector(int) >> DENSEST).map(1).rho() == pc.BoundedRangeLoss(1).rho()
    assert MEDIAN.shortfall(0.1) == pc.Exponential(temperature=2).shortfall(0.1, candidates=13)


WRONG: Any = 3


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"function": WRONG}, WrongTypeError, r"ExponentialInterval\.function must be a function of rows and a point"),
        ({"cuts": WRONG}, WrongTypeError, r"ExponentialInterval\.cuts must be a function of rows, got int\."),
        ({"bounds": (3, 1)}, InvalidError, r"ExponentialInterval\.bounds: lower must be below upper"),
        ({"bounds": (0.2, 0.8)}, InvalidError, r"step must have from one to 2\^63 multiples .* choose a finer step"),
        ({"bounds": (0, 2**64)}, InvalidError, r"step must have from one to 2\^63 multiples .* choose a coarser step"),
        ({"bounds": (0, 2**1024)}, InvalidError, r"bounds must be within the floats, up to about 1\.8e308: no data"),
        ({"bounds": (-(10**400), 1)}, InvalidError, r"got \(about -10\^400, 1\)\."),
        ({"bounds": (Fraction(10**5000), 10**5001), "step": 10**4999}, InvalidError, r"got \(about 10\^5000, about"),
        (
            {"bounds": (0, LITTLE), "step": LITTLE / 2},
            InvalidError,
            r"step must be at least 5e-324, the smallest float",
        ),
        ({"step": 0}, InvalidError, r"ExponentialInterval\.step must be above zero"),
        ({"step": "x"}, NotExactError, r"ExponentialInterval\.step"),
        ({"lowest": 0.5}, InvalidError, r"ExponentialInterval\.lowest must be a multiple of the grid, got 0\.5\."),
        ({"temperature": 0}, InvalidError, r"ExponentialInterval\.temperature must be above zero"),
    ],
)
def test_parameters_are_checked(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    parameters: dict[str, Any] = {"function": balance, "bounds": (0, 1), "range": 1, "temperature": 1, **changes}
    with pytest.raises(error, match=message):
        pc.ExponentialInterval(**parameters)


def test_words_need_cuts() -> None:
    with pytest.raises(MismatchError, match="needs cuts for a column of str.*pass cuts="):
        pc.vector(str) >> MEDIAN
