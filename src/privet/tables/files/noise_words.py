"""The noise of a plan, as a file holds it."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal, final

from attrs import field, frozen

from privet.core import Parts, number, positive
from privet.errors import InvalidError
from privet.tables.codebook.null_keys import NUMBER
from privet.tables.codebook.part import Key, Part
from privet.tables.files.values import (
    COUNT,
    NAMES,
    TEXT,
    read_names,
    read_number_of,
    read_text,
    read_whole,
    write_value,
)

_FIELDS: dict[str, str] = {"for": "names", "noise": "kind"}


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
        query: The query of a batch.
        level: The level of a roll-up, 0 for all rows.
        threshold: The number from which a private key is released.
    """

    names: tuple[str, ...] = field(default=(), converter=_names)
    kind: Literal["laplace", "gaussian"] = field()
    scale: Fraction = field(converter=number, validator=positive)
    l1: Fraction | None = None
    l2_squared: Fraction | None = None
    query: str | None = None
    level: int | None = None
    threshold: int | None = None

    @kind.validator
    def _check(self, _: object, value: object) -> None:
        if value not in ("laplace", "gaussian"):
            raise InvalidError(f"noise must be laplace or gaussian, got {str(value)[:40]!r}.")

    @property
    def place(self) -> tuple[object, ...]:
        """What the noise is for."""
        return (self.query, self.level, self.names, self.threshold)

    @property
    def distances(self) -> tuple[Fraction | None, Fraction | None]:
        """How far one privacy unit moves the numbers."""
        return (self.l1, self.l2_squared)

    def words(self) -> dict[str, object]:
        """Give plain data."""
        values = {key.name: getattr(self, _FIELDS.get(key.name, key.name)) for key in NOISE.keys}
        return NOISE.write({name: write_value(value) for name, value in values.items() if value not in (None, ())})


def moved_by(kind: str, distance: Parts) -> dict[str, Any]:
    """Give how far one privacy unit moves numbers, as the noise counts it."""
    return {"l1": distance.l1} if kind == "laplace" else {"l2_squared": distance.l2_squared}


NOISE: Part[NoiseWords] = Part(
    "noise",
    (
        Key(name="query", read=read_text, schema=TEXT),
        Key(name="level", read=read_whole, schema=COUNT),
        Key(name="for", read=read_names, schema=NAMES),
        Key(name="noise", read=read_text, schema={"enum": ["laplace", "gaussian"]}, missing="Write noise: laplace."),
        Key(name="scale", read=read_number_of, schema=NUMBER, missing="Write scale: NUMBER."),
        Key(name="threshold", read=read_whole, schema=COUNT),
        Key(name="l1", read=read_number_of, schema=NUMBER),
        Key(name="l2_squared", read=read_number_of, schema=NUMBER),
    ),
    lambda reader, node, values: reader.attempt(
        node, lambda: NoiseWords(**{_FIELDS.get(name, name): value for name, value in values.items()})
    ),
)
