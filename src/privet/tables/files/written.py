"""What queries and plans share that write themselves as a file."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, NoReturn, Self, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.planning.budget import read_typed
from privet.core import Displayable, Familiar, Parts, Problems, ProblemsError, write_format
from privet.errors import UnavailableError, WrongTypeError
from privet.tables.codebook import yaml_on_demand
from privet.tables.codebook.null_keys import NUMBER
from privet.tables.codebook.part import Key, Part
from privet.tables.codebook.tree import LARGEST_FILE, Node
from privet.tables.codebook.write import to_yaml
from privet.tables.files.values import (
    COUNT,
    NAMES,
    TEXT,
    read_names,
    read_number_of,
    read_whole,
    write_value,
)
from privet.tables.files.values import (
    read_text as read_name,
)

Words = dict[str, Any]  # plain data, as a file holds it
VERSION = {"query": 1, "plan": 1}
_FIELDS: dict[str, str] = {"for": "names", "noise": "kind"}
_KINDS = ["laplace", "gaussian", "gumbel"]
_DEEPEST = 40  # levels of a file: queries that are joined stand within each other


@final
@frozen
class Unwritable:
    """A part of a query that files do not hold yet.

    Args:
        reason: What it is, and what to do about it, as a sentence.
    """

    reason: str


def _names(value: Iterable[str]) -> tuple[str, ...]:
    return tuple(value)


@final
@frozen(kw_only=True)
class NoiseWords:
    """The noise of one set of numbers.

    Args:
        names: The aggregates that read the numbers.
        kind: The kind of noise.
        scale: Its scale, in the units of the numbers.
        l1: How far one privacy unit moves the numbers, for Laplace noise; None where the file does not say it.
        l2_squared: The square of how far, for Gaussian noise.
        linf: How far one privacy unit moves one number, for Gumbel noise.
        query: The query of a batch.
        level: The level of a roll-up, 0 for all rows.
        threshold: The number from which a private key is released.
    """

    names: tuple[str, ...] = field(default=(), converter=_names)
    kind: Literal["laplace", "gaussian", "gumbel"]
    scale: Fraction
    l1: Fraction | None = None
    l2_squared: Fraction | None = None
    linf: Fraction | None = None
    query: str | None = None
    level: int | None = None
    threshold: int | None = None

    def words(self) -> dict[str, object]:
        """Give plain data."""
        values = {key.name: getattr(self, _FIELDS.get(key.name, key.name)) for key in NOISE.keys}
        return NOISE.write({name: write_value(value) for name, value in values.items() if value not in (None, ())})


def moved_by(kind: str, distance: Parts) -> dict[str, Any]:
    """Give how far one privacy unit moves numbers, as the noise counts it."""
    if kind == "gumbel":
        return {"linf": distance.linf}
    return {"l1": distance.l1} if kind == "laplace" else {"l2_squared": distance.l2_squared}


NOISE: Part[NoiseWords] = Part(
    "noise",
    (
        Key(name="query", read=read_name, schema=TEXT),
        Key(name="level", read=read_whole, schema=COUNT),
        Key(name="for", read=read_names, schema=NAMES),
        Key(
            name="noise",
            read=read_name,
            schema={"enum": ["laplace", "gaussian", "gumbel"]},
            missing="Write noise: laplace.",
        ),
        Key(name="scale", read=read_number_of, schema=NUMBER, missing="Write scale: NUMBER."),
        Key(name="threshold", read=read_whole, schema=COUNT),
        Key(name="l1", read=read_number_of, schema=NUMBER),
        Key(name="l2_squared", read=read_number_of, schema=NUMBER),
        Key(name="linf", read=read_number_of, schema=NUMBER),
    ),
    lambda _, __, values: NoiseWords(**{_FIELDS.get(name, name): value for name, value in values.items()}),
)


class QueryFile(Familiar, Displayable):
    """Something that can be released, and that writes itself as a file."""

    _hints_of = "aggregates"

    @abstractmethod
    def words(self) -> Words:
        """Give the query as plain data, in the words of a file; it never fails."""

    def __getitem__(self, name: object) -> NoReturn:
        raise WrongTypeError(f"query[{name!r}] is not released yet: write release = query.release(epsilon=1) first.")

    def to_yaml(self) -> str:
        """Write the query as YAML, for people and for ``session.read_query``; read no data.

        Raises:
            UnavailableError: A part of the query cannot be written yet.
        """
        return write_file("query", self.words())


class PlanFile(Displayable):
    """A plan that writes itself as a file, with its query and what it may lose."""

    source: Words | None

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """The privacy loss of the release."""

    @abstractmethod
    def noise_words(self) -> list[NoiseWords]:
        """Give the noise, as a file holds it."""

    @abstractmethod
    def with_noise(self, noise: Iterator[NoiseWords]) -> Self:
        """Take the noise from a file, in the order of ``noise_words``."""

    def to_yaml(self) -> str:
        """Write the plan as YAML, for people and for ``session.read_plan``; read no data.

        Raises:
            UnavailableError: A part of the query cannot be written yet, or the plan was not made by ``query.plan``.
        """
        if self.source is None:
            raise UnavailableError("this plan does not know its query: only what query.plan(...) gives can be written.")
        noise = [part.words() for part in self.noise_words()]
        return write_file("plan", {**self.source, **({"noise": noise} if noise else {})})


def plan_source(query: QueryFile, *, epsilon: object, delta: object, rho: object, **more: object) -> Words:
    """Give what a file of a plan says beside the noise: the query, and the arguments with which it was planned."""
    amounts = {"epsilon": epsilon, "delta": delta, "rho": rho}
    typed = {name: read_typed("plan", name, amount) for name, amount in amounts.items() if amount is not None}
    budget = {name: write_value(amount) for name, amount in typed.items()}
    others = {name: write_value(value) for name, value in more.items() if value is not None}
    return {"query": query.words(), **({"budget": budget} if budget else {}), **others}


def write_file(name: str, words: Words) -> str:
    """Write a file that begins with its format, or refuse what cannot be written yet."""
    _check_writable(words, 0)
    text = to_yaml({"format": write_format(name, VERSION[name]), **words}, {})
    if len(text) > LARGEST_FILE:
        raise UnavailableError(f"the {name} is too long: a file has at most {LARGEST_FILE:,} characters.")
    return text


def _check_writable(value: object, depth: int) -> None:
    if isinstance(value, Unwritable):
        raise UnavailableError(value.reason)
    if depth >= _DEEPEST:
        raise UnavailableError("queries are joined within each other too often to be written; use fewer joins.")
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            _check_writable(item, depth + 1)


def open_file(name: str, source: str | Path) -> tuple[Node, Problems]:
    """Read a file, or its text, into a tree; a text has several lines, or stands in braces.

    Args:
        name: What it should hold, ``query`` or ``plan``.
        source: The path of the file, or its text.
    """
    if isinstance(source, str) and ("\n" in source or source.lstrip().startswith("{")):
        problems = Problems(ProblemsError, name)
        return yaml_on_demand.read_text(source, problems, _DEEPEST), problems
    if not isinstance(source, str | Path):
        raise WrongTypeError(f"read_{name} takes the path of a file, or its text, got {type(source).__name__}.")
    problems = Problems(ProblemsError, name, str(source))
    return yaml_on_demand.read_file(source, problems, _DEEPEST), problems
