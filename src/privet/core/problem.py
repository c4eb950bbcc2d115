"""Problems: what is wrong with something that a person wrote, all at once, each with its place and a way out."""

from collections.abc import Callable
from typing import Any, TypeVar, final

from attrs import frozen

from privet.errors import InvalidError, PrivetError

Value = TypeVar("Value")
_SHOWN = 50  # problems in a message; all are in the exception


@final
@frozen
class Place:
    """Where something is written.

    Args:
        path: Where in the document, such as ``columns.age.bounds``; empty for the whole of it.
        line: The line in the file, from 1, or None.
        position: The character in that line, from 1, or None.
    """

    path: str = ""
    line: int | None = None
    position: int | None = None


@final
@frozen(kw_only=True)
class Problem:
    """One thing that is wrong.

    Args:
        path: Where in the document, such as ``columns.age.bounds``; empty for the whole of it.
        rule: Which rule is broken, for programs: ``value``, ``unknown key``, ``missing key``, ``repeated key``,
            ``open question``, ``format``, ``syntax`` or ``size``.
        message: What is wrong, as a sentence.
        fix: What to do about it, as a sentence; empty where the message says it all.
        file: The file, or None.
        line: The line in it, from 1, or None.
        position: The character in that line, from 1, or None.

    >>> print(Problem(path="unit", rule="missing key", message="unit is missing.", fix="Write {rows: 1}.", line=3))
    line 3: unit is missing. Write {rows: 1}.
    """

    path: str = ""
    rule: str
    message: str
    fix: str = ""
    file: str | None = None
    line: int | None = None
    position: int | None = None

    @property
    def text(self) -> str:
        """The message and the fix, without the place."""
        return f"{self.message} {self.fix}".rstrip()

    @property
    def open(self) -> bool:
        """Whether this is a question of a template that nobody has answered yet."""
        return self.rule == "open question"

    def __str__(self) -> str:
        if self.file is None:
            return self.text if self.line is None else f"line {self.line}: {self.text}"
        return f"{self.file}: {self.text}" if self.line is None else f"{self.file}:{self.line}: {self.text}"


class ProblemsError(InvalidError):
    """Something that cannot be used; ``problems`` lists everything that is wrong with it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        lines = [str(problem) for problem in problems[:_SHOWN]]
        lines += [f"and {len(problems) - _SHOWN} more."] if len(problems) > _SHOWN else []
        super().__init__("\n".join(lines))

    def __reduce__(self) -> Any:
        return type(self), (self.problems,)


@final
class Problems:
    """Collects what is wrong while something is read.

    Args:
        error: What to raise at the end.
        thing: What is read, such as ``codebook``.
        file: The name to put before every line, or None.
    """

    def __init__(self, error: type[ProblemsError], thing: str, file: str | None = None) -> None:
        self.error, self.thing, self.file = error, thing, file
        self.all: list[Problem] = []

    def add(self, place: Place, message: str, *, rule: str = "value", fix: str = "") -> None:
        """Note a problem."""
        self.all.append(
            Problem(
                path=place.path,
                rule=rule,
                message=message,
                fix=fix.strip(),
                file=self.file,
                line=place.line,
                position=place.position,
            )
        )

    def fatal(self, place: Place, message: str, *, rule: str, fix: str = "") -> ProblemsError:
        """Give the error of one problem, to be raised at once: nothing else can be said."""
        self.add(place, message, rule=rule, fix=fix)
        return self.error(tuple(self.all[-1:]))

    def attempt(self, place: Place, make: Callable[[], Value]) -> Value | None:
        """Make something, or note why it cannot be made."""
        try:
            return make()
        except ProblemsError:
            raise
        except PrivetError as error:
            self.add(place, str(error))
            return None

    def raise_any(self) -> None:
        """Raise everything that was noted, in the order of the file."""
        if self.all:
            ordered = sorted(self.all, key=lambda problem: (problem.line or 0, problem.position or 0))
            raise self.error(tuple(dict.fromkeys(ordered)))
