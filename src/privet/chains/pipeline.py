"""Pipelines: units in a row that are placed on a space later."""

from typing import Any, ClassVar, final

from attrs import frozen

from privet.core import Placeable, Placed, Space, not_a_unit
from privet.errors import WrongTypeError


@final
@frozen(repr=False)
class Pipeline(Placeable[Any]):
    """Units in a row, not yet placed on a space.

    Args:
        steps: Units, and after a mechanism possibly functions.
    """

    steps: tuple[Any, ...]

    def place(self, space: Space) -> Any:
        """Place the units one behind the other."""
        chain: Any = space
        for step in self.steps:
            chain = chain >> step
        return chain

    def __rshift__(self, step: Any) -> "Pipeline":
        return join(self.steps, step)

    def __repr__(self) -> str:
        return " >> ".join(getattr(step, "__name__", repr(step)) for step in self.steps)


class Unit(Placeable[Placed]):
    """A unit that may have a natural input space: then it can be called, and has a map, without being placed."""

    start: ClassVar[str] = "space"  # what a message shows as the beginning of a chain

    def default(self) -> Space | None:
        """Return the one natural input space, or None."""
        return None

    def __call__(self, data: Any) -> Any:
        chain: Any = self.on_default()
        return chain(data)

    def on_default(self) -> Placed:
        """Place the unit on its natural input space."""
        space = self.default()
        if space is None:
            name = type(self).__name__
            raise WrongTypeError(f"{name} needs an input space: write `{self.start} >> {name}(...)`.")
        return self.place(space)

    def __rshift__(self, step: Any) -> Pipeline:
        return join((self,), step)


def join(steps: tuple[Any, ...], step: Any) -> Pipeline:
    """Put a unit, a pipeline or (behind a mechanism) a function behind other steps."""
    ended = any(getattr(unit, "ends_chain", False) or not isinstance(unit, Placeable) for unit in steps)
    if isinstance(step, Pipeline) and not ended:
        return Pipeline(steps + step.steps)
    if isinstance(step, Placeable):
        if ended:
            raise WrongTypeError(f"{type(step).__name__} cannot follow a measurement: its release is already private.")
        return Pipeline((*steps, step))
    if isinstance(step, type) or not ended or not callable(step):
        raise WrongTypeError(not_a_unit(step, "a transformation"))
    return Pipeline((*steps, step))
