"""Streams: exact private answers to one query at a time, their domain and their metrics.

An interactive mechanism such as above-threshold reads a stream. The stream itself is never released.
"""

import threading
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

from privet.core import AmountMetric, Domain, GridDomain, Space, to_steps
from privet.errors import MismatchError, WrongTypeError

Answer = Callable[[Any], int]


@final
class Stream:
    """Private answers, in whole steps of a public grid, to one query after another.

    An answer may depend on the earlier queries. An answer that is not an int is rounded to whole grid steps, halves up;
    anything that is not a number becomes zero. Like other private values, a stream can be neither printed nor copied.

    Args:
        start: Returns a function from query to answer, in its initial state.
        queries: Public queries that distinguish streams of this kind, to measure distances.

    >>> Stream(lambda: lambda query: 2 * query).ask(21)
    42
    """

    __slots__ = ("_answer", "_lock", "_start", "queries")

    def __init__(self, start: Callable[[], Answer], queries: Iterable[Any] = ()) -> None:
        if not callable(start):
            raise WrongTypeError(
                f"Stream.start must be a function that returns a function, got {type(start).__name__}."
            )
        self._start, self._answer, self._lock = start, start(), threading.RLock()
        self.queries: tuple[Any, ...] = tuple(queries)

    def ask(self, query: object) -> int:
        """Answer one query, in grid steps."""
        with self._lock:
            return to_steps(self._answer(query), Fraction(1))  # the answer is private, so nothing is refused

    def again(self) -> "Stream":
        """Return a stream of the same private data in its initial state."""
        return Stream(self._start, self.queries)

    def __repr__(self) -> str:
        return "Stream(...)"

    def __reduce__(self) -> Any:
        raise WrongTypeError("a stream holds private data and cannot be copied or pickled.")


@final
@frozen(kw_only=True)
class StreamDomain(GridDomain):
    """Streams whose answers are whole numbers of steps of a public grid.

    Distances between streams refer to the answers on the grid: an answer is rounded first.

    Args:
        kind: ``int`` or ``float``: the type of an answer in the units of the data.
        grid: The grid step.
    """

    kind: type = int
    grid: Fraction = Fraction(1)

    def member(self, value: object) -> bool:
        """Return whether the value is a stream."""
        return isinstance(value, Stream)

    def admit(self, data: object) -> Stream:
        """Take a stream in its initial state; a list of numbers answers any queries in order, then always zero."""
        if isinstance(data, Stream):
            return data.again()
        table = isinstance(data, np.ndarray) and data.ndim != 1
        if table or not isinstance(data, list | tuple | np.ndarray):
            raise WrongTypeError(f"the data must be a Stream or a list of numbers, got {type(data).__name__}.")
        return in_turn([to_steps(item, self.grid) for item in data])

    def describe(self) -> str:
        """Name the kind and the grid."""
        return f"stream({self.kind.__name__}{self.describe_grid()})"

    def widen(self, d_in: Any) -> Any:
        """Round up to whole grid steps: numbers are rounded to the grid when they are read."""
        return -(-Fraction(d_in) // self.grid) * self.grid


def in_turn(steps: list[int]) -> Stream:
    """Make the stream that gives these answers one after the other, then zero."""

    def start() -> Answer:
        remaining = iter(steps)
        return lambda _query: next(remaining, 0)

    return Stream(start, range(len(steps)))


@final
@frozen
class StreamDistance(AmountMetric):
    """The largest change of a single answer, on the grid, for any queries."""

    def distance(self, x: Stream, y: Stream, domain: Domain) -> Fraction:
        """Ask both streams, from their start, the public queries that they carry."""
        return max(map(abs, changes(x, y, domain)), default=Fraction(0))


@final
@frozen
class MonotonicStreamDistance(AmountMetric):
    """The largest rise plus the largest fall of an answer, on the grid, for any queries.

    If all answers change in one direction, as counts do when records are added, this is the largest change. It is a
    metric: changes in opposite directions add up, so a replaced record counts two.
    """

    def distance(self, x: Stream, y: Stream, domain: Domain) -> Fraction:
        """Ask both streams, from their start, the public queries that they carry."""
        differences = [Fraction(0), *changes(x, y, domain)]
        return max(differences) - min(differences)

    def widen(self, d_in: Any, domain: Domain) -> Any:
        """Add a grid step for streams of real numbers: the rise and the fall are each rounded up to the grid.

        Answers of kind ``int`` are whole numbers, and so are their changes: nothing is rounded.
        """
        distance = domain.widen(d_in)
        if not isinstance(domain, StreamDomain) or domain.kind is int or not distance:
            return distance
        return distance + domain.grid


def stream_of(unit: object, space: Space) -> StreamDomain:
    """Return the domain of a stream, or raise an error that names the actual one."""
    known = isinstance(space.metric, StreamDistance | MonotonicStreamDistance)
    if not isinstance(space.domain, StreamDomain) or not known:
        raise MismatchError(
            f"{type(unit).__name__} reads a stream, got {space!r}: put QueryStream or CountStream before it."
        )
    return space.domain


def changes(x: Stream, y: Stream, domain: Domain) -> list[Fraction]:
    """Ask two streams the same queries, from the start of both, and subtract their answers."""
    queries = max(x.queries, y.queries, key=len)
    first, second = x.again(), y.again()
    step = domain.grid if isinstance(domain, StreamDomain) else Fraction(1)
    return [(second.ask(query) - first.ask(query)) * step for query in queries]
