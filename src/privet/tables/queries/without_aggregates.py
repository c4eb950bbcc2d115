"""Rows and groups without aggregates: their verbs say what is missing."""

from abc import abstractmethod
from collections.abc import Callable
from typing import NoReturn

from privet.core import Displayable
from privet.errors import UnavailableError
from privet.tables.curator.request import Releasable


class WithoutAggregates(Displayable):
    """Rows, or groups of rows, of which nothing is computed yet."""

    @property
    @abstractmethod
    def agg(self) -> Callable[..., Releasable]:
        """Say what to compute."""

    def release(self, *_: object, **__: object) -> NoReturn:
        """Refuse: say what to compute first, with ``agg``."""
        raise _without_aggregates("release")

    def describe(self, *_: object, **__: object) -> NoReturn:
        """Refuse: say what to compute first, with ``agg``."""
        raise _without_aggregates("describe")

    def plan(self, *_: object, **__: object) -> NoReturn:
        """Refuse: say what to compute first, with ``agg``."""
        raise _without_aggregates("plan")

    def loss(self, *_: object, **__: object) -> NoReturn:
        """Refuse: say what to compute first, with ``agg``."""
        raise _without_aggregates("loss")

    def to_yaml(self) -> NoReturn:
        """Refuse: say what to compute first, with ``agg``."""
        raise _without_aggregates("to_yaml", "")


def _without_aggregates(verb: str, arguments: str = "epsilon=1") -> UnavailableError:
    return UnavailableError(
        f"{verb}: this query has rows and no aggregates yet. Say what to compute with .agg(...) first, such as "
        f"query.agg(pv.count()).{verb}({arguments})."
    )
