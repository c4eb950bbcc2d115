"""Query streams: one data set, asked one stable question after the other."""

from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.chains.transformation import RandomTransformation, Transformation, TransformationChain
from privet.core.checks import not_negative, number, optional_grid, positive, short
from privet.core.domain import ScalarDomain
from privet.core.frames import kept
from privet.core.metric import AbsoluteDistance
from privet.core.space import Space
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms.stream_space import Stream, StreamDistance, StreamDomain


@final
@frozen(kw_only=True)
class QueryStream(Transformation):
    """Turn a data set into a stream of exact answers to questions of bounded sensitivity.

    A question is a chain of transformations on the same space that ends in one number. It is answered if its map says
    that inputs ``d_in`` apart give answers at most ``d_out`` apart, and refused otherwise: by the map alone, before
    the data are looked at.

    Args:
        d_in: How far apart neighbouring data sets are.
        d_out: How far one answer may move between them.
        grid: The step of the answers; the grid of a question's answer must be a multiple of it.

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
        """Give the distance as the metric of records wants it: an int where it is whole."""
        return self.d_in.numerator if self.d_in.denominator == 1 else self.d_in

    def apply(self, value: Any, space: Space) -> Stream:
        """Keep the data, and answer from them."""
        data = kept(value)

        def answer(question: Any) -> int:
            steps = self._check(question, space)
            with np.errstate(all="ignore"):  # what numpy warns of depends on the values
                return int(question.run(data)) * steps

        return Stream(lambda: answer)

    def _check(self, question: Any, space: Space) -> int:
        """Refuse a question that is not covered; give how many steps of the stream one step of its answer is."""
        if not isinstance(question, TransformationChain):
            raise WrongTypeError(
                f"a question must be a chain such as `space >> Count()`, got {type(question).__name__}."
            )
        if question.input != space:
            raise MismatchError(f"a question must start from {space!r}, as the stream does, got {question.input!r}.")
        target = question.output
        if not isinstance(target.domain, ScalarDomain) or not isinstance(target.metric, AbsoluteDistance):
            raise MismatchError(f"a question must end in one number, got {target!r}: put Count() or Sum() last.")
        if any(isinstance(link.unit, RandomTransformation) for link in question.links):
            raise MismatchError("a question must toss no coins: its answers are compared one by one.")
        moved: Any = question.map(self._whole())
        if moved > self.d_out:
            raise InvalidError(
                f"a question may move by {short(self.d_out)} at most, got one that moves by {short(moved)}."
            )
        steps = target.domain.grid / self.grid
        if steps.denominator != 1:
            raise MismatchError(f"a question must have a grid that is a multiple of {short(self.grid)}.")
        return steps.numerator

    def stability(self, d_in: Any, space: Space) -> Fraction:
        """Up to ``d_in`` the maps of the questions bound every answer; beyond it nothing does."""
        if d_in == 0:
            return Fraction(0)
        if d_in > self.d_in:
            raise InvalidError(
                f"QueryStream.d_in is {short(self.d_in)}: nothing is known of its answers at distance {short(d_in)}."
            )
        return self.d_out
