"""Problems of a codebook: all of them at once, each with its file and line."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, final

from attrs import frozen

from privet.errors import InvalidError, PrivetError

_SHOWN = 50  # problems in a message; all are in the exception


@final
@frozen
class Problem:
    """One thing that is wrong with a codebook.

    Args:
        text: What is wrong, beginning with where in the codebook it is.
        file: The file, or None.
        line: The line in it, from 1, or None.
        position: The character in that line, from 1, or None.
        open: Whether it is a question of a template that nobody has answered yet.
    """

    text: str
    file: str | None = None
    line: int | None = None
    position: int | None = None
    open: bool = False

    def __str__(self) -> str:
        place = [part for part in (self.file, self.line) if part is not None]
        if self.file is None and self.line is not None:
            place = ["line " + str(self.line)]
        return f"{':'.join(map(str, place))}: {self.text}" if place else self.text


class CodebookError(InvalidError):
    """A codebook that cannot be used; ``problems`` lists everything that is wrong with it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        told = [str(problem) for problem in problems[:_SHOWN]]
        told += [f"and {len(problems) - _SHOWN} more."] if len(problems) > _SHOWN else []
        super().__init__("\n".join(told))

    def __reduce__(self) -> Any:
        return type(self), (self.problems,)


class Problems:
    """Collects what is wrong while a codebook is read.

    Args:
        file: The name to put before every line, or None.
    """

    def __init__(self, file: str | None = None) -> None:
        self.file = file
        self.found: list[Problem] = []

    def add(self, node: Any, text: str, *, still_open: bool = False) -> None:
        """Note a problem at a node of the tree."""
        self.found.append(Problem(text, self.file, node.line, node.position, still_open))

    @contextmanager
    def at(self, node: Any) -> Iterator[None]:
        """Turn an error into a problem at a node, and go on."""
        try:
            yield
        except CodebookError:
            raise
        except PrivetError as error:
            self.add(node, str(error))

    def raise_any(self) -> None:
        """Raise everything that was found, in the order of the file."""
        if self.found:
            ordered = sorted(self.found, key=lambda problem: (problem.line or 0, problem.position or 0))
            raise CodebookError(tuple(dict.fromkeys(ordered)))


def closest(name: str, known: Iterable[str]) -> str:
    """Hint at the nearest known name, if one is near."""
    known = list(known)
    if len(name) > 100:
        return ""
    same = [item for item in known if item.casefold() == name.casefold()]
    near = same or get_close_matches(name, known, n=1, cutoff=0.6)
    return f" Did you mean {near[0]}?" if near else ""
