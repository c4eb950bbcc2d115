"""Objects that say what to write where a name of another library was used."""

from abc import ABC, abstractmethod
from inspect import getattr_static
from typing import TYPE_CHECKING, Any

from privet._familiar import find_close, find_hint


class Familiar(ABC):
    """Answers names that it does not have with what to write instead, or with the name that is probably meant.

    Only names without a leading underscore get such an answer, always as an ``AttributeError``: ``hasattr``, copies and
    notebooks work as with any other object.

    >>> class Rows(Familiar):
    ...     _hints_of = "rows"
    ...     def filter(self): ...
    >>> Rows().where
    Traceback (most recent call last):
    ...
    AttributeError: 'Rows' has no 'where'; use filter("spending > 20").
    >>> Rows().fliter
    Traceback (most recent call last):
    ...
    AttributeError: 'Rows' has no 'fliter'. Did you mean filter?
    """

    __slots__ = ()

    @property
    @abstractmethod
    def _hints_of(self) -> str:
        """Which hints of ``privet._familiar`` hold for its names."""

    if not TYPE_CHECKING:  # type checkers know which names there are

        def __getattr__(self, name: str) -> Any:
            kind = type(self)
            if getattr_static(kind, name, None) is not None:
                return object.__getattribute__(self, name)  # a property that failed: its own error says more
            if name.startswith("_"):
                raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
            raise AttributeError(f"{kind.__name__!r} has no {name!r}{self._instead(name)}") from None

    def _instead(self, name: str) -> str:
        """Give the end of the sentence that says that there is no such name."""
        hint = find_hint(self._hints_of, name)
        if hint is not None:
            return hint
        close = find_close(name, [each for each in dir(type(self)) if not each.startswith("_")])
        return f". Did you mean {close}?" if close else "; dir(...) shows the names that it has."
