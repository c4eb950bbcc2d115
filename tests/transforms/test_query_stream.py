"""Query streams."""

from fractions import Fraction
from typing import Any, final

import pytest
from attrs import frozen

import privet.calculus as pc
from privet.chains.transformation import Transformation
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.stream_space import Stream, StreamDistance
from tests.laws import Case, Twin
from tests.transforms.streams import Probed
from tests.transforms.twins import TwinOf

INTS = pc.vector(int)
REALS = pc.vector(float)
COUNT = INTS >> pc.Count()
SUM = INTS >> pc.Clamp(bounds=(-1, 1)) >> pc.Sum()
UNIT = pc.QueryStream(d_in=100, d_out=100)
HALVES = REALS >> pc.Clamp(bounds=(0, 1), grid=Fraction(1, 4)) >> pc.Sum()
CASES = [
    Case(name="stream of queries", chain=INTS >> UNIT >> pc.AskStream(queries=[COUNT, SUM, COUNT])),
    Case(
        name="stream of real queries",
        chain=REALS >> Probed(pc.QueryStream(d_in=100, d_out=200, grid=Fraction(1, 8)), (HALVES, REALS >> pc.Count())),
    ),
]


@final
@frozen(kw_only=True)
class Inhabited(Transformation):
    """Tell by zero or one whether there is any row; its map does not grow."""

    def output(self, space: Space) -> Space:
        return pc.scalar(int)

    def apply(self, value: Any, space: Space) -> int:
        return int(len(value) > 0)

    def stability(self, d_in: Any, space: Space) -> Fraction:
        return Fraction(min(d_in, 1))


@frozen
class Proportional(TwinOf):
    """Takes every map for a straight line: a hundredth of the distance, a hundredth of the change."""

    def stability(self, d_in: Any, space: Space) -> Any:
        return Fraction(d_in, 100)


@frozen
class Unchecked(TwinOf):
    """Answers a query that is too sensitive."""

    def apply(self, value: Any, space: Space) -> Any:
        return Stream(lambda: lambda query: int(query.run(value)))


@frozen
class RefusedByTheAnswer(TwinOf):
    """Refuses large answers: the refusal reveals what it hides."""

    def apply(self, value: Any, space: Space) -> Any:
        if len(value) > 3:
            raise InvalidError("the answer is too large")
        return self.right.apply(value, space)


ASK_COUNT = pc.AskStream(queries=[COUNT])
WIDE = INTS >> pc.Clamp(bounds=(-1000, 1000)) >> pc.Sum()
TWINS = [
    Twin(
        law="map",
        case=Case(
            name="maps taken for straight lines",
            chain=INTS
            >> Proportional(pc.QueryStream(d_in=100, d_out=1))
            >> pc.AskStream(queries=[INTS >> Inhabited()]),
        ),
    ),
    Twin(law="map", case=Case(name="queries unchecked", chain=INTS >> Probed(Unchecked(UNIT), (WIDE,)))),
    Twin(law="parity", case=Case(name="refused by the answer", chain=INTS >> RefusedByTheAnswer(UNIT) >> ASK_COUNT)),
]


def test_queries_are_answered_exactly() -> None:
    stream = (INTS >> pc.QueryStream(d_in=1, d_out=1))([4, -7, None])
    assert (stream.ask(COUNT), stream.ask(SUM), stream.ask(COUNT)) == (3, 0, 3)


def test_answers_are_in_grid_steps() -> None:
    chain = REALS >> pc.QueryStream(d_in=1, d_out=1, grid=Fraction(1, 8))
    stream = chain([0.5, 0.75])
    assert stream.ask(HALVES) == 10
    assert stream.ask(REALS >> pc.Count()) == 16


def test_the_map_holds_up_to_the_stated_distance() -> None:
    chain = INTS >> pc.QueryStream(d_in=3, d_out=5)
    assert [chain.map(d_in) for d_in in (0, 1, 2, 3)] == [0, 5, 5, 5]
    with pytest.raises(InvalidError, match="QueryStream.d_in is 3: nothing is known"):
        chain.map(4)
    assert isinstance(chain.output.metric, StreamDistance)


@pytest.mark.parametrize("rows", [[], [1, 2, 3] * 100])
def test_a_query_is_refused_by_its_map_alone(rows: list[int]) -> None:
    stream = (INTS >> pc.QueryStream(d_in=2, d_out=1))(rows)
    with pytest.raises(InvalidError, match="a query may change by at most 1, got one that changes by 2"):
        stream.ask(COUNT)


@pytest.mark.parametrize(
    ("query", "error", "message"),
    [
        (pc.Count(), WrongTypeError, "must be a chain such as"),
        (REALS >> pc.Count(), MismatchError, "must start from vector\\(int\\)"),
        (INTS >> pc.Clamp(bounds=(0, 1)), MismatchError, "must end in one number"),
        (INTS >> pc.PartitionRandomly(parts=2) >> pc.Union() >> pc.Count(), MismatchError, "must be deterministic"),
        (INTS >> pc.Count() >> pc.Laplace(scale=1), WrongTypeError, "must be a chain such as"),
    ],
)
def test_only_chains_on_the_space_are_queries(query: Any, error: type[Exception], message: str) -> None:
    stream = (INTS >> UNIT)([1])
    with pytest.raises(error, match=message):
        stream.ask(query)


def test_a_query_off_the_grid_is_refused() -> None:
    stream = (REALS >> pc.QueryStream(d_in=1, d_out=1))([0.5])
    with pytest.raises(MismatchError, match="a grid that is a multiple of 1"):
        stream.ask(HALVES)


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(InvalidError, match="QueryStream.d_out must be zero or more"):
        pc.QueryStream(d_in=1, d_out=-1)
    with pytest.raises(WrongTypeError, match="SymmetricDistance.distance must be a whole number"):
        INTS >> pc.QueryStream(d_in=0.5, d_out=1)
