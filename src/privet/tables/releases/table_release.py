"""What every release has: columns of values with errors and intervals, notes, and the loss that paid for them."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, ClassVar, Self

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array, Familiar
from privet.errors import InvalidError
from privet.tables.columns import text_table
from privet.tables.releases.json_text import check

LEVEL = Fraction(95, 100)
SHOWN = 20  # groups that are printed
Level = Fraction | float | str
Interval = tuple[Array, Array]


def texts(value: Iterable[str]) -> tuple[str, ...]:
    """Take texts as a tuple."""
    return tuple(value)


class TableRelease(Familiar, ABC):
    """Values that were released. Everything here is public; whatever is computed from it is free."""

    _hints_of = "release"

    notes: tuple[str, ...]

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """The privacy loss of the release."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns of values."""

    @abstractmethod
    def values(self, name: str) -> Any:
        """The values of a column, one for each row of the release."""

    @abstractmethod
    def errors(self, name: str) -> Any:
        """The standard errors of a column, from the noise alone; NaN where they are not public."""

    @abstractmethod
    def interval(self, level: Level = LEVEL) -> dict[str, Any]:
        """For each column, ends of intervals that hold the exact values with probability ``level``; NaN without any.

        Args:
            level: Between zero and one.
        """

    @abstractmethod
    def to_dict(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """Columns as lists: keys, values, standard errors (``name_error``), intervals (``name_low``, ``name_high``)."""

    @abstractmethod
    def encode(self) -> dict[str, Any]:
        """Write everything as plain values; the first key is the format."""

    @abstractmethod
    def lines(self) -> tuple[Sequence[Sequence[str]], int]:
        """Give the lines of the printed table with their heads, and how many more rows there are."""

    def to_arrow(self, level: Level = LEVEL) -> Any:
        """An Arrow table with the columns of ``to_dict``."""
        import pyarrow as pa

        return pa.table(self.to_dict(level))

    def to_pandas(self, level: Level = LEVEL) -> Any:
        """A pandas data frame with the columns of ``to_dict``."""
        import pandas as pd

        return pd.DataFrame(self.to_dict(level))

    def to_polars(self, level: Level = LEVEL) -> Any:
        """A polars data frame with the columns of ``to_dict``."""
        import polars as pl

        return pl.DataFrame(self.to_dict(level))

    def to_json(self) -> str:
        """Write everything, so that ``from_json`` gives an equal release."""
        return json.dumps(self.encode(), allow_nan=False)

    def __str__(self) -> str:
        lines, more = self.lines()
        return "\n".join([text_table(lines), *([f"and {more} groups more"] if more > 0 else []), *self.notes])


@frozen(kw_only=True, repr=False)
class ProcessedRelease(TableRelease):
    """A release of aggregates, whose values may be processed further.

    Args:
        keys: The names of the group keys.
        changes: Post-processing, in order: pairs (what, column).
        ratios: Columns made of two others: name, numerator, denominator.
        notes: Lines for the reader, such as the caps that were used.
    """

    own_columns: ClassVar[tuple[str, ...]] = ()
    """Columns of the result beside keys and values."""

    keys: tuple[str, ...] = field(converter=texts)
    changes: tuple[tuple[str, str], ...] = ()
    ratios: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = field(default=(), converter=texts)

    @abstractmethod
    def nonnegative(self, *names: str) -> Self:
        """Leave no value below zero; for columns whose exact values are never negative."""

    @abstractmethod
    def rounded(self, *names: str) -> Self:
        """Round values to whole numbers, and the ends of intervals outward."""

    def ratio(self, name: str, numerator: str, denominator: str) -> Self:
        """Add a column that divides one by another, such as a mean: the sum over the count.

        Args:
            name: The name of the new column.
            numerator: A count or a sum.
            denominator: Another one.
        """
        label = f"{type(self).__name__}.ratio"
        if name in (*self.names, *self.keys, *self.own_columns):
            raise InvalidError(f"{label}: there is a column {name!r} already.")
        if numerator == denominator:
            raise InvalidError(f"{label}: {numerator!r} over itself is one.")
        for column in (numerator, denominator):
            self._check_summed(column)
        return evolve(self, ratios=(*self.ratios, (name, numerator, denominator)))

    @abstractmethod
    def _check_summed(self, column: str) -> None:
        """Refuse a column that is no count or sum."""

    def _made(self, column: str) -> tuple[str, str] | None:
        """Give the numerator and the denominator of a ratio; None for a column of an aggregate."""
        return next(((top, bottom) for name, top, bottom in self.ratios if name == column), None)

    def _with(self, what: str, names: tuple[str, ...]) -> Self:
        return evolve(self, changes=(*self.changes, *((what, name) for name in names)))

    def _process(self, ratios: list[list[str]], changes: list[list[str]]) -> Self:
        """Repeat post-processing: what it refuses is refused here too."""
        release = self
        for name, top, bottom in ratios:
            check(isinstance(name, str))
            release = release.ratio(name, top, bottom)
        for what, name in changes:
            check(what in ("nonnegative", "rounded") and isinstance(name, str))
            release = release.nonnegative(name) if what == "nonnegative" else release.rounded(name)
        return release


def cell(value: object, low: object, high: object) -> str:
    """Write a value with its interval; NaN ends stand for none."""
    shown = written_value(value)
    return f"{shown} ({written_value(low)} to {written_value(high)})" if low == low else shown


def written_value(value: object) -> str:
    """Write a value or the end of an interval: reals with six digits, all else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def key_columns(keys: Sequence[str], groups: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Give the keys of groups as columns."""
    return {key: [group[at] for group in groups] for at, key in enumerate(keys)}
