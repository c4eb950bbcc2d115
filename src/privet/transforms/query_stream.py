"""Query streams: answer one stable query after another about one data set."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import RandomTransformation, Transformation, TransformationChain
from privet.core import (
    AbsoluteDistance,
    ScalarDomain,
    Space,
    frozen_copy,
    not_negative,
    number,
    optional_grid,
    positive,
    short,
)
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.stream_space import Stream, StreamDistance, StreamDomain


@final
@frozen(kw_only=True)
class QueryStream(Transformation):
    """Turn a data set into a stream of exact answers to queries of bounded sensitivity.

    A query is a chain of transformations on the same space that ends in one number. The stream answers it if its map
    bounds the distance of answers by ``d_out`` for inputs at distance ``d_in``, and refuses it otherwise. The decision
    depends on the map alone and is made before the data are read.

    Args:
        d_in: The distance of neighbouring data sets.
        d_out: The largest change of one answer between them.
        grid: The grid step of the answers; the grid of a query must be a multiple of it.

    Guarantee: every answer moves by at most ``d_out`` for inputs up to ``d_in`` apart; nothing is claimed beyond.
    Proof: docs/transforms/query_stream.md.

    >>> from privet.core.space import vector
    >>> from privet.transforms.count import Count
    >>> chain = vector(int) >> QueryStream(d_in=1, d_out=1)
    >>> chain([4, 5, 6]).ask(vector(int) >> Count())
    3
    """

    d_in: Fraction = field(converter=number, validator=positive, repr=short)
    d_out: Fraction = field(converter=number, validator=not_negative, repr=short)
    grid: Fraction = field(default=Fraction(1), converter=optional_grid, validator=positive, repr=short)

    def output(self, space: Space) -> Space:
        """Streams of numbers on the grid."""
        space.metric.check(self._whole())
        kind = int if self.grid == 1 else float
        return Space(StreamDomain(kind=kind, grid=self.grid), StreamDistance())

    def _whole(self) -> Any:
        """Return the distance as an int if it is whole, as the metrics of records require."""
        return self.d_in.numerator if self.d_in.denominator == 1 else self.d_in

    def apply(self, value: Any, space: Space) -> Stream:
        """Keep a copy of the data, and answer from it."""
        data = frozen_copy(value)

        def answer(query: object) -> int:
            chain, steps = self._check(query, space)
            with np.errstate(all="ignore"):  # numpy's warnings depend on the values
                return int(chain.run(data)) * steps

        return Stream(lambda: answer)

    def _check(self, query: object, space: Space) -> tuple[TransformationChain, int]:
        """Refuse a query that is not covered; return its chain, and its grid step in grid steps of the stream."""
        if not isinstance(query, TransformationChain):
            raise WrongTypeError(f"a query must be a chain such as `space >> Count()`, got {type(query).__name__}.")
        if query.input != space:
            raise MismatchError(f"a query must start from {space!r}, the space of the stream, got {query.input!r}.")
        target = query.output
        if not isinstance(target.domain, ScalarDomain) or not isinstance(target.metric, AbsoluteDistance):
            raise MismatchError(f"a query must end in one number, got {target!r}: put Count() or Sum() last.")
        if any(isinstance(link.unit, RandomTransformation) for link in query.links):
            raise MismatchError("a query must be deterministic: its answers are compared one by one.")
        change: Any = query.map(self._whole())
        if change > self.d_out:
            raise InvalidError(
                f"a query may change by at most {short(self.d_out)}, got one that changes by {short(change)}."
            )
        steps = target.domain.grid / self.grid
        if steps.denominator != 1:
            raise MismatchError(f"a query must have a grid that is a multiple of {short(self.grid)}.")
        return query, steps.numerator

    def stability(self, d_in: int | Fraction, space: Space) -> Fraction:
        """Up to ``d_in`` the maps of the queries bound every answer; beyond it there is no bound."""
        if d_in == 0:
            return Fraction(0)
        if d_in > self.d_in:
            raise InvalidError(
                f"QueryStream.d_in is {short(self.d_in)}: nothing is known about answers at distance {short(d_in)}."
            )
        return self.d_out
