"""Transformations: functions between spaces that bring close inputs to close outputs, and chains of them."""

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, cast, final

import numpy as np
from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.chains.pipeline import Unit
from privet.core import Distance, Placeable, Placed, Space, not_a_unit
from privet.errors import WrongTypeError
from privet.noise import distinct_keys


class Transformation(Unit["TransformationChain"]):
    """A stable function, specified without its input space.

    A subclass is final, frozen and keyword-only, and defines ``output``, ``apply`` and ``stability``. The laws of
    ``tests/laws`` check that ``apply`` moves no further than ``stability`` says.
    """

    ends_chain = False
    start = "pc.vector(...)"
    inclusive: ClassVar[bool] = False  # whether removing input rows only removes output rows, never adds or changes any

    @abstractmethod
    def output(self, space: Space) -> Space:
        """Return the output space for an input space, or raise ``MismatchError`` with a remedy."""

    @abstractmethod
    def apply(self, value: Any, space: Space) -> Any:
        """Compute the exact result for a member of the input domain; raise nothing and print nothing."""

    @abstractmethod
    def stability(self, d_in: Any, space: Space) -> Distance:
        """Return the largest distance between the outputs of inputs at distance ``d_in``."""

    def bound(self, d_in: Distance, space: Space, then: Callable[[Distance], Loss]) -> Loss:
        """Give the loss of this unit and what follows.

        A sampling unit overrides this method: it amplifies the loss for *one* change of its own neighbour relation,
        and then takes the group of ``d_in`` such changes. The other order would put the group inside the amplification
        and charge more.
        """
        lost = then(self.stability(d_in, space))
        return lost if self.inclusive else lost.undirected()  # a removed row may otherwise have become an added one

    def place(self, space: Space) -> "TransformationChain":
        """Put this unit on a space."""
        return TransformationChain((Link(self, space, self.output(space)),))

    def map(self, d_in: Any) -> Distance:
        """Return the output distance on the default space."""
        return self.on_default().map(d_in)


@final
@frozen
class Link:
    """A transformation with its input and output space."""

    unit: Transformation
    input: Space
    output: Space


@final
@frozen(repr=False)
class TransformationChain:
    """Transformations placed on a space.

    Calling it gives the exact, *private* result: for tests and for building measurements, never for release.
    """

    links: tuple[Link, ...]

    @property
    def input(self) -> Space:
        """Where the data live."""
        return self.links[0].input

    @property
    def output(self) -> Space:
        """Where the result lives."""
        return self.links[-1].output

    def __call__(self, data: Any) -> Any:
        with np.errstate(all="ignore"):  # what numpy warns of depends on the values
            return self.output.domain.release(self.run(self.input.domain.admit_sample(data, distinct_keys)))

    def run(self, value: Any) -> Any:
        """Apply every unit to a member of the input domain; the result is a member of the output domain."""
        for link in self.links:
            value = link.unit.apply(value, link.input)
        return value

    def map(self, d_in: Any) -> Distance:
        """How far apart the results of inputs at distance ``d_in`` can be."""
        distance = self.input.reached(d_in)
        for link in self.links:
            distance = link.unit.stability(distance, link.input)
        return distance

    def bound(self, d_in: Distance, then: Callable[[Distance], Loss]) -> Loss:
        """The loss of the whole, where ``then`` gives the loss of what follows this chain."""
        follow = then
        for link in reversed(self.links):
            follow = _before(link, follow)
        return follow(d_in)

    def __rshift__(self, unit: Placeable[Placed]) -> Placed:
        if not isinstance(unit, Placeable):
            raise WrongTypeError(not_a_unit(unit, "a transformation"))
        placed: Any = unit.place(self.output)
        joined: Any = evolve(placed, links=self.links + placed.links)
        return cast("Placed", joined)

    def __repr__(self) -> str:
        return " >> ".join([repr(self.input), *(repr(link.unit) for link in self.links)])


def _before(link: Link, then: Callable[[Distance], Loss]) -> Callable[[Distance], Loss]:
    return lambda distance: link.unit.bound(distance, link.input, then)


class RowTransformation(Transformation):
    """A transformation that turns each row into one row, whatever the other rows are.

    Rows that two inputs share become rows that the two results share, so the distance stays what it is.
    """

    inclusive: ClassVar[bool] = True

    def stability(self, d_in: Any, space: Space) -> Any:
        """A row more, less or replaced in the input is one in the result."""
        return d_in


class RandomTransformation(Transformation):
    """A randomised transformation that is stable under a coupling of its coins.

    The coins are independent draws, one for each row, made before the data are read. The map is proved, and checked,
    for inputs whose common rows share their coins: ``combine`` is a deterministic function of rows and coins.
    """

    @abstractmethod
    def coins(self, rows: int, space: Space) -> Any:
        """Draw an array (or a tuple of arrays) with one independent entry for each row."""

    @abstractmethod
    def combine(self, value: Any, coins: Any, space: Space) -> Any:
        """Compute the result for a member of the input domain and its coins."""

    def apply(self, value: Any, space: Space) -> Any:
        """Toss the coins, then combine."""
        return self.combine(value, self.coins(len(value), space), space)
