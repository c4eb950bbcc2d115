"""Transformations: functions between spaces that map close inputs to close outputs."""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from privet.core.chain import Link, Pipeline, TransformationChain, join
from privet.core.metric import Distance
from privet.core.space import Placeable, Space
from privet.errors import WrongTypeError

if TYPE_CHECKING:
    from privet.accounting.losses.loss import Loss


class Transformation(Placeable[TransformationChain]):
    """A stable function, specified without its input space.

    A subclass is final, frozen and keyword-only, and defines ``output``, ``apply`` and ``stability``. The laws of
    ``tests/laws`` check that ``apply`` moves no further than ``stability`` says.
    """

    ends_chain = False
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

    def bound(self, d_in: Distance, space: Space, then: "Callable[[Distance], Loss]") -> "Loss":
        """Return the privacy loss of this unit and everything after it.

        A sampling unit overrides this method: it amplifies the loss for *one* change of its own neighbour relation,
        and then takes the group of ``d_in`` such changes. The other order would put the group inside the amplification
        and charge more.
        """
        lost = then(self.stability(d_in, space))
        return lost if self.inclusive else lost.undirected()  # a removed row may otherwise have become an added one

    def default(self) -> Space | None:
        """Return the one natural input space, or None."""
        return None

    def place(self, space: Space) -> TransformationChain:
        """Put this unit on a space."""
        return TransformationChain((Link(self, space, self.output(space)),))

    def map(self, d_in: Any) -> Distance:
        """Return the output distance on the default space."""
        return self._on_default().map(d_in)

    def __call__(self, data: Any) -> Any:
        return self._on_default()(data)

    def _on_default(self) -> TransformationChain:
        space = self.default()
        if space is None:
            name = type(self).__name__
            raise WrongTypeError(f"{name} needs an input space: write `pc.vector(...) >> {name}(...)`.")
        return self.place(space)

    def __rshift__(self, step: Any) -> Pipeline:
        return join((self,), step)


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
