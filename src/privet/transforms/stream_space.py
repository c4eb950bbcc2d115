"""Streams: exact private answers given one question at a time, their domain and how far apart two of them are.

A stream is what an interactive mechanism such as above-threshold reads. It is never released itself.
"""

import threading
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core.checks import read_number, short
from privet.core.domain import Domain
from privet.core.metric import Metric
from privet.core.rows import saturated
from privet.core.space import Space
from privet.core.steps import to_steps
from privet.errors import InvalidError, MismatchError, WrongTypeError

Answer = Callable[[Any], int]


@final
class Stream:
    """Private answers, in whole steps of a public grid, to questions that come one after the other.

    An answer may depend on the questions before it. One that is no int is rounded to whole steps, halves up, and counts
    as zero where it is no number. Like other private values a stream is neither printed nor copied.

    Args:
        start: Gives a function from question to answer that has not been asked anything yet.
        questions: Questions that tell streams of this kind apart, for measuring distances; public.

    >>> Stream(lambda: lambda question: 2 * question).ask(21)
    42
    """

    __slots__ = ("_answer", "_lock", "_start", "questions")

    def __init__(self, start: Callable[[], Answer], questions: Iterable[Any] = ()) -> None:
        if not callable(start):
            raise WrongTypeError(f"Stream.start must be a function that gives a function, got {type(start).__name__}.")
        self._start, self._answer, self._lock = start, start(), threading.RLock()
        self.questions: tuple[Any, ...] = tuple(questions)

    def ask(self, question: Any) -> int:
        """Answer one question, in steps."""
        with self._lock:
            return _steps(self._answer(question))

    def again(self) -> "Stream":
        """Return a stream of the same private data that has not been asked anything yet."""
        return Stream(self._start, self.questions)

    def __repr__(self) -> str:
        return "Stream(...)"

    def __reduce__(self) -> Any:
        raise WrongTypeError("a stream holds private data and cannot be copied or pickled.")


@final
@frozen(kw_only=True)
class StreamDomain(Domain):
    """Streams whose answers are whole numbers of steps of a public grid.

    Distances between streams are those of the answers on the grid: what a query gives is rounded first.

    Args:
        kind: ``int`` or ``float``: what an answer would be written as.
        grid: The size of a step.
    """

    kind: type = int
    grid: Fraction = Fraction(1)

    def member(self, value: Any) -> bool:
        """Return whether the value is a stream."""
        return isinstance(value, Stream)

    def admit(self, data: Any) -> Stream:
        """Take a stream, from its start; a list of numbers answers in turn, whatever is asked, then zero for ever."""
        if isinstance(data, Stream):
            return data.again()
        table = isinstance(data, np.ndarray) and data.ndim != 1
        if table or not isinstance(data, list | tuple | np.ndarray):
            raise WrongTypeError(f"the data must be a Stream or a list of numbers, got {type(data).__name__}.")
        return in_turn([to_steps(item, self.grid) for item in data])

    def describe(self) -> str:
        """Name the kind and the grid."""
        step = "" if self.grid == 1 else f", grid={short(self.grid)}"
        return f"stream({self.kind.__name__}{step})"

    def widen(self, d_in: Any) -> Any:
        """Round up to whole steps: numbers are rounded to the grid when they are read."""
        return -(-Fraction(d_in) // self.grid) * self.grid

    def answer(self, steps: int) -> int | float:
        """Write one answer in the units of the data."""
        return steps if self.kind is int else saturated(steps * self.grid)


def in_turn(steps: list[int]) -> Stream:
    """Make the stream that gives these answers one after the other, then zero."""

    def start() -> Answer:
        left = iter(steps)
        return lambda _question: next(left, 0)

    return Stream(start, range(len(steps)))


@final
@frozen
class StreamDistance(Metric):
    """The largest change of any one answer, on the grid, whatever is asked."""

    def distance(self, x: Any, y: Any, domain: Domain) -> Fraction:
        """Ask both streams, from their start, the questions that they bring along."""
        return max(map(abs, changes(x, y, domain)), default=Fraction(0))

    def check(self, d_in: Any) -> Fraction:
        """Read a number of zero or more."""
        return _amount("StreamDistance", d_in)


@final
@frozen
class MonotonicStreamDistance(Metric):
    """How far the answers rise plus how far they fall, on the grid, whatever is asked.

    Where all answers move in one direction, as counts do when records are added, it is the largest change. It is a
    metric: two steps in opposite directions add up, so that a replaced record counts two.
    """

    def distance(self, x: Any, y: Any, domain: Domain) -> Fraction:
        """Ask both streams, from their start, the questions that they bring along."""
        moved = [Fraction(0), *changes(x, y, domain)]
        return max(moved) - min(moved)

    def widen(self, d_in: Any, domain: Domain) -> Any:
        """Add a step between streams of real numbers: what rises and what falls are each rounded up to the grid.

        Answers of kind ``int`` are whole numbers, and so are their changes: nothing is rounded.
        """
        reached = domain.widen(d_in)
        if not isinstance(domain, StreamDomain) or domain.kind is int or not reached:
            return reached
        return reached + domain.grid

    def check(self, d_in: Any) -> Fraction:
        """Read a number of zero or more."""
        return _amount("MonotonicStreamDistance", d_in)


def stream_of(unit: object, space: Space) -> StreamDomain:
    """Return the domain of a stream, or say what is there instead."""
    known = isinstance(space.metric, StreamDistance | MonotonicStreamDistance)
    if not isinstance(space.domain, StreamDomain) or not known:
        raise MismatchError(
            f"{type(unit).__name__} reads a stream, got {space!r}: put QueryStream or CountStream before it."
        )
    return space.domain


def changes(x: Any, y: Any, domain: Domain) -> list[Fraction]:
    """Ask two streams the same questions, from the start of both, and subtract their answers."""
    questions = max(x.questions, y.questions, key=len)
    first, second = x.again(), y.again()
    step = domain.grid if isinstance(domain, StreamDomain) else Fraction(1)
    return [(second.ask(question) - first.ask(question)) * step for question in questions]


def _steps(found: Any) -> int:
    """Read an answer as whole steps; what it is made of is private, so nothing is refused."""
    return to_steps(found, Fraction(1))


def _amount(name: str, d_in: Any) -> Fraction:
    value = read_number(f"{name}.distance", d_in)
    if value < 0:
        raise InvalidError(f"{name}.distance must be zero or more, got {short(value)}.")
    return value
