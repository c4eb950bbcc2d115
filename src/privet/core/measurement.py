"""Measurements: random functions whose output may be released."""

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from privet.core.chain import MeasurementChain, Pipeline, join
from privet.core.space import Placeable, Space
from privet.errors import UnavailableError, WrongTypeError

if TYPE_CHECKING:
    from privet.accounting.losses.loss import Loss


class Measurement(Placeable[MeasurementChain]):
    """A private mechanism, specified without its input space.

    A subclass is final, frozen and keyword-only, and defines ``accept``, ``release`` and ``loss``. The laws of
    ``tests/laws`` check the loss against exact output probabilities and the releases against those probabilities.
    """

    ends_chain = True

    @abstractmethod
    def accept(self, space: Space) -> None:
        """Raise ``MismatchError`` with a remedy unless the mechanism can read this space."""

    @abstractmethod
    def release(self, value: Any, space: Space) -> Any:
        """Make a release from a member of the input domain."""

    @abstractmethod
    def loss(self, d_in: Any, space: Space) -> "Loss":
        """Return the privacy loss for inputs at distance ``d_in``."""

    def accuracy(self, beta: Fraction, space: Space) -> Fraction:
        """Return the error that a release exceeds with probability at most ``beta``, if the mechanism has one."""
        raise UnavailableError(f"{type(self).__name__} has no accuracy: its release is not a number plus noise.")

    def default(self) -> Space | None:
        """Return the one natural input space, or None."""
        return None

    def place(self, space: Space) -> MeasurementChain:
        """Put this mechanism on a space."""
        self.accept(space)
        return MeasurementChain((), self, space)

    def map(self, d_in: Any) -> "Loss":
        """Return the privacy loss on the default space."""
        return self._on_default().map(d_in)

    def __call__(self, data: Any) -> Any:
        return self._on_default()(data)

    def _on_default(self) -> MeasurementChain:
        space = self.default()
        if space is None:
            name = type(self).__name__
            raise WrongTypeError(f"{name} needs an input space: write `space >> {name}(...)`.")
        return self.place(space)

    def __rshift__(self, step: Any) -> Pipeline:
        return join((self,), step)
