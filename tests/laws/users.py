"""Users' functions under the laws: every unit that calls one, with functions that answer and write anything."""

from fractions import Fraction
from typing import Any

import numpy as np
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet.chains.measurement import Measurement
from privet.core.queryable import Queryable
from privet.core.space import Space
from privet.imputation.imputed_total import ImputedTotal
from privet.imputation.scheme import CustomScheme
from tests.laws.cases import Case, Twin
from tests.laws.drawn import HOSTILE
from tests.laws.spies import Spy
from tests.mechanisms.twins import TwinOf as MechanismTwinOf
from tests.transforms.twins import TwinOf

RAGGED = [[1.0], [1.0, 2.0]]
ROWS = tuple(np.array(row, dtype=float) for row in ([3, 4], [1e300, -1e300], [0.5, 0.25], [np.inf, 1], [np.nan, 0]))
WIDE = tuple(np.full(40, size) for size in (1.0, -1.0, 0.01, 1e300))
FAILURES = (ValueError, SystemExit, GeneratorExit, RecursionError)
VALUES: tuple[Any, ...] = (*HOSTILE, *ROWS, RAGGED, "a", "b", -5, 3, 7.25, 1e300, Fraction(1, 3), *FAILURES)
ANYTHING, ANY_ROW, ANY_WIDE = Spy(VALUES), Spy((*ROWS * 9, *VALUES)), Spy((*WIDE, *FAILURES, RAGGED))
RECORDS: list[Any] = [{"x": 3, "id": "a"}, {"x": "b"}, 5]
LISTS: tuple[list[Any], ...] = (list(VALUES[:3]), list(VALUES[-9:]), list(ROWS), RECORDS, [])
ANY_LIST = Spy((*LISTS * 5, *VALUES))

COLUMN = pc.vector(int)
REALS = pc.vector(float)
BITS = pc.vector(float, bounds=(-1, 1), grid=0.125)
PEOPLE = pc.persons("id", id=int, x=pc.vector(float))
LETTERS = pc.vector(str, categories=["a", "b"], nullable=False)
BALL = (pc.matrix(2) >> pc.ClampNorm(radius=1)).output
DIAMOND = (pc.matrix(2) >> pc.ClampNorm(radius=0.75, order=1, origin=[10, -3])).output
WITH_ONES = (pc.matrix(1) >> pc.ClampNorm(radius=2) >> pc.InsertOnes()).output
WIDE_BALL = (pc.matrix(40) >> pc.ClampNorm(radius=1)).output
RESULTS = {
    "a ball": BALL,
    "a diamond away from zero": DIAMOND,
    "a ball whose box leaves out its centre": WITH_ONES,
    "a box": pc.matrix(2, bounds=[(-1, 1), (2, 3)]),
    "rows of anything": pc.matrix(2),
    "letters": LETTERS,
    "bounded reals": BITS,
    "integers": pc.vector(int, bounds=(1, 5)),
    "truth values": bool,
}
IMPUTED: dict[str, Any] = {"features": ["age"], "label": "id", "value": "income", "beta": 1}
CROWD = pc.records(
    id=pc.vector(int, categories=[1, 2, 3]), age=pc.vector(int, bounds=(0, 3)), income=pc.vector(int, bounds=(-3, 7))
)


def any_share(to: Any) -> Any:
    return pc.SampleAndAggregate(parts=3, function=ANY_ROW, to=to)


def any_test(**noise: Any) -> pc.ProposeTestRelease:
    return pc.ProposeTestRelease(distance=ANYTHING, answer=ANYTHING, scale=2, threshold=30, **noise)


EXACT = pc.Clamp(bounds=(0, 200)) >> pc.Sum() >> pc.Laplace(scale=Fraction(1, 1000))
HOSTILE_QUESTIONS = (
    EXACT,
    any_test(),
    any_test(proposed=1, noise=pc.Laplace(scale=3)),
    pc.RowByRow(function=ANYTHING, to=pc.vector(int, bounds=(0, 1))) >> pc.Sum() >> pc.Laplace(scale=1),
    pc.Filter(keep=ANYTHING) >> pc.Count() >> pc.Laplace(scale=1),
    pc.UserScores(function=ANYTHING, candidates=[1, 2], range=1) >> pc.Exponential(temperature=2),
    pc.SampleAndAggregate(parts=2, function=ANYTHING, to=pc.vector(int, bounds=(0, 5)))
    >> pc.Sum()
    >> pc.Laplace(scale=1),
)
MUCH = pv.budget(epsilon=10**8, delta=0.5)
EACH = pv.budget(epsilon=10**6, delta=0.01)
CASES = [
    *(Case(name=f"any result in {name}", chain=REALS >> any_share(to)) for name, to in RESULTS.items()),
    Case(name="any result of persons", chain=PEOPLE >> any_share(BALL)),
    Case(
        name="any result in a wide ball",
        chain=REALS >> pc.SampleAndAggregate(parts=2, function=ANY_WIDE, to=WIDE_BALL) >> pc.VectorSum(),
    ),
    *(
        Case(name=f"any answer about a row, {kind}", chain=space >> pc.RowByRow(function=ANYTHING, to=kind))
        for kind in (int, float, bool, str, BITS, LETTERS)
        for space in (REALS, COLUMN)
    ),
    Case(name="any answer about rows", chain=pc.matrix(2) >> pc.RowByRow(function=ANYTHING, to=float)),
    Case(name="any answer about records", chain=pc.records(id=str, x=int) >> pc.RowByRow(function=ANYTHING, to=BITS)),
    *(
        Case(name=f"any row about a row, {name}", chain=REALS >> pc.RowByRow(function=ANY_ROW, to=RESULTS[name]))
        for name in (
            "a ball",
            "a diamond away from zero",
            "a ball whose box leaves out its centre",
            "a box",
            "rows of anything",
        )
    ),
    Case(
        name="any wide row about a row", chain=REALS >> pc.RowByRow(function=ANY_WIDE, to=WIDE_BALL) >> pc.VectorSum()
    ),
    *(
        Case(
            name=f"any results of a person, {name}",
            chain=PEOPLE >> pc.PersonByPerson(id="id", function=ANY_LIST, to=to, rows=2),
        )
        for name, to in {**RESULTS, "records": pc.records(x=BITS, id=str)}.items()
    ),
    Case(name="any filter", chain=COLUMN >> pc.Filter(keep=ANYTHING)),
    Case(name="any filter of records", chain=pc.records(id=str, x=int) >> pc.Filter(keep=ANYTHING)),
    Case(
        name="any scores",
        chain=COLUMN >> pc.UserScores(function=ANYTHING, candidates=[1, 2], range=1, grid=Fraction(1, 3)),
    ),
    *(
        Case(
            name=f"any score and any cuts of an interval of {name}",
            chain=space
            >> pc.ExponentialInterval(
                function=ANYTHING, cuts=ANYTHING, bounds=(-3, 9), range=1, temperature=2, step=Fraction(1, 3)
            ),
        )
        for name, space in (("integers", COLUMN), ("reals", REALS), ("words", pc.vector(str)))
    ),
    Case(name="any test", chain=COLUMN >> any_test()),
    Case(name="any test of text", chain=pc.vector(str) >> any_test(proposed=1, noise=pc.Laplace(scale=3))),
    Case(name="any test in order", chain=pc.vector(float, size=4, ordered=True) >> any_test()),
    Case(
        name="any scheme",
        chain=CROWD >> ImputedTotal(**IMPUTED, scheme=CustomScheme(k=2, function=Spy((np.array([3]), *VALUES)))),
    ),
    Case(
        name="any score",
        chain=pc.scalar(int)
        >> pc.PrivateSelection(candidate=pc.Laplace(scale=2), repetitions=pc.GeometricRepetitions(0.5), score=ANYTHING),
    ),
    *(
        Case(name=f"data kept by {type(unit).__name__}", chain=COLUMN >> unit, questions=HOSTILE_QUESTIONS)
        for unit in (
            pc.FilterCompositor(budget=MUCH, d_in=1),
            pc.OdometerCompositor(form="approximate", d_in=1),
            pc.Compositor(losses=[(EACH, 40)], d_in=1),
            pc.ConcurrentCompositor(losses=[(EACH, 40)], d_in=1),
        )
    ),
]


@frozen
class OutOfTheBall(TwinOf):
    """Reads what users give into the bounds, and forgets the ball."""

    def apply(self, value: Any, space: Space) -> Any:
        return np.tile([[1.0, -1.0]], (3, 1))


@frozen
class OffTheGrid(TwinOf):
    """Leaves results where they lie."""

    def apply(self, value: Any, space: Space) -> Any:
        return self.right.apply(value, space) * 0.9


@frozen
class TooMany(TwinOf):
    """Gives a result more than was said."""

    def apply(self, value: Any, space: Space) -> Any:
        found = self.right.apply(value, space)
        return np.concatenate([found, found[:1]])


@frozen
class SortsInPlace(TwinOf):
    """Puts the rows of its input in order where they are."""

    def apply(self, value: Any, space: Space) -> Any:
        plain = np.ma.getdata(value)
        plain[:] = np.sort(plain)
        return self.right.apply(value, space)


@frozen
class HandsOver(MechanismTwinOf):
    """Hands the stored column to a user's function."""

    function: Any

    def release(self, value: Any, space: Space) -> Any:
        try:
            self.function(value)
        except BaseException:  # noqa: BLE001 - it answers anything
            return ()
        return ()


@frozen
class HandsOverCopies(MechanismTwinOf):
    """Hands over a copy, with what lies under the mask."""

    function: Any

    def release(self, value: Any, space: Space) -> Any:
        return HandsOver(self.right, self.function).release(value.copy(), space)


@frozen
class HandsOverViews(MechanismTwinOf):
    """Hands over a copy of the rows that are there, cut from all of them."""

    function: Any

    def release(self, value: Any, space: Space) -> Any:
        plain = np.ma.getdata(value).copy()
        shown = plain[np.argsort(np.ma.getmaskarray(value), kind="stable")]
        return HandsOver(self.right, self.function).release(shown[: int(np.ma.count(value))], space)


@frozen
class Lets(Measurement):
    """Answers from the data of the caller, or keeps them where questions can write."""

    keeps: bool

    def accept(self, space: Space) -> None: ...

    def release(self, value: Any, space: Space) -> Any:
        data = np.ma.copy(value) if self.keeps else value

        def answer(question: Any) -> Any:
            if isinstance(question, pc.ProposeTestRelease):
                data.data[:] = 3
                return ()
            return int(np.ma.filled(data, 0).clip(0, 200).sum())

        return Queryable(answer)

    def loss(self, d_in: Any, space: Space) -> Any:
        return pc.PureLoss(0)


RIGHT = any_share(BALL)
TEST = any_test()
TWINS = [
    Twin(law="membership", case=Case(name="a ball that nobody enforces", chain=REALS >> OutOfTheBall(RIGHT))),
    Twin(law="membership", case=Case(name="results off the grid", chain=REALS >> OffTheGrid(any_share(BITS)))),
    Twin(law="membership", case=Case(name="a result too many", chain=REALS >> TooMany(RIGHT))),
    Twin(law="touching", case=Case(name="a unit that sorts its input", chain=COLUMN >> SortsInPlace(pc.Count()))),
    Twin(law="touching", case=Case(name="the stored column handed over", chain=COLUMN >> HandsOver(TEST, ANYTHING))),
    Twin(law="touching", case=Case(name="a copy with its mask", chain=COLUMN >> HandsOverCopies(TEST, ANYTHING))),
    Twin(law="touching", case=Case(name="a view of all", chain=COLUMN >> HandsOverViews(TEST, ANYTHING))),
    Twin(
        law="touching",
        case=Case(name="data that are not kept", chain=COLUMN >> Lets(keeps=False), questions=HOSTILE_QUESTIONS),
    ),
    Twin(
        law="touching",
        case=Case(name="data kept where all can write", chain=COLUMN >> Lets(keeps=True), questions=HOSTILE_QUESTIONS),
    ),
]
