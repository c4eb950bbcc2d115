"""What every release has: columns of values with errors and intervals, notes, and the loss that paid for them."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Self

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array, Familiar
from privet.errors import InvalidError
from privet.tables.columns import find_column
from privet.tables.releases.display import NOT_COVERED, SHOWN, Section, sections, shown_columns, shown_notes
from privet.tables.releases.frames import (
    arrow_table,
    column_array,
    csv_text,
    long_table,
    pandas_frame,
    polars_frame,
    rows_of,
)
from privet.tables.releases.json_text import check
from privet.tables.releases.plot import plot_release
from privet.tables.releases.released_column import ReleasedColumn
from privet.tables.releases.written_values import loss_text

LEVEL = Fraction(95, 100)
_INTERVAL = "95 % interval"
Level = Fraction | float | str
Interval = tuple[Array, Array]


def texts(value: Iterable[str]) -> tuple[str, ...]:
    """Take texts as a tuple."""
    return tuple(value)


class TableRelease(Familiar, ABC):
    """Values that were released. Everything here is public; whatever is computed from it is free."""

    _hints_of = "release"
    row_noun: ClassVar[str] = "group"
    """What one row of the release is."""

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

        An interval covers the noise only, not what caps and bounds leave out.

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
    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are, in order: keys and values, with kinds that follow from the plan."""

    @abstractmethod
    def first_rows(self, count: int, columns: Sequence[ReleasedColumn]) -> dict[str, list[Any]]:
        """Give these columns and the ends of their intervals, as ``to_dict`` does, for the first rows only."""

    @abstractmethod
    def __len__(self) -> int:
        """How many rows the release has."""

    def __iter__(self) -> Iterator[Any]:
        """Give one dictionary for each row, with the columns of ``to_dict``."""
        return iter(rows_of(self.to_dict()))

    def __getitem__(self, name: Any) -> Any:
        """Give a column of ``to_dict`` as an array, also if it has one value."""
        table = {name: self.values(name)} if name in self.names else self.to_dict()
        return column_array(self.layout(), name, find_column(type(self).__name__, name, table))

    def _instead(self, name: str) -> str:
        """Point at columns, which are no attributes."""
        return f"; use release[{name!r}]." if name in self else super()._instead(name)

    def __contains__(self, name: object) -> bool:
        """Tell whether there is a column of this name."""
        return any(
            name in (column.name, *(f"{column.name}{part}" for part in column.parts)) for column in self.layout()
        )

    def to_long(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """One row for each value, as lists: keys, ``output``, ``bin``, ``value``, ``error``, ``low`` and ``high``.

        The output is the name of an aggregate; the bin is that of a histogram, the share of a quantile, or None.

        Args:
            level: That of the intervals.
        """
        return long_table(self.layout(), self.to_dict(level))

    def to_arrow(self, level: Level = LEVEL) -> Any:
        """An Arrow table with the columns of ``to_dict``, of types that follow from the plan alone."""
        return arrow_table(self.layout(), self.to_dict(level))

    def to_pandas(self, level: Level = LEVEL) -> Any:
        """A pandas data frame with the columns of ``to_dict``; whole numbers stay whole beside nulls."""
        return pandas_frame(self.layout(), self.to_dict(level))

    def to_polars(self, level: Level = LEVEL) -> Any:
        """A polars data frame with the columns of ``to_dict``."""
        return polars_frame(self.layout(), self.to_dict(level))

    def to_csv(self, path: str | PathLike[str] | None = None, level: Level = LEVEL) -> str | None:
        """Write the columns of ``to_dict`` as CSV in UTF-8; each line ends with a line feed.

        Args:
            path: The file to write; without one, the text is returned.
            level: That of the intervals.
        """
        text = csv_text(self.to_dict(level))
        if path is None:
            return text
        Path(path).write_bytes(text.encode())
        return None

    def to_json(self) -> str:
        """Write everything, so that ``from_json`` gives an equal release."""
        return json.dumps(self.encode(), allow_nan=False)

    def plot(self, column: str | None = None, level: Level = LEVEL, ax: Any = None) -> Any:
        """Draw a column with its intervals: bars over bins or groups, or a line over time. Needs matplotlib.

        Args:
            column: The column, or the name of a histogram; the first column of numbers by default.
            level: That of the intervals.
            ax: Axes to draw into; by default new ones.
        """
        return plot_release(self, column, level, ax)

    def plotted_rows(self, level: Level) -> dict[str, list[Any]]:
        """Give the rows that a plot shows, with the columns of ``to_dict``."""
        return self.to_dict(level)

    def __str__(self) -> str:
        shown = self._sections(self.shown_layout())
        tables = [section.text(_INTERVAL) for section in shown]
        return "\n".join(["\n\n".join(tables), *self._footer(shown)])

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        *before, last = shown = self._sections(self.shown_layout())
        tables = [section.html(_INTERVAL) for section in before]
        return "".join([*tables, last.html(_INTERVAL, notes=self._footer(shown))])

    def _sections(self, columns: Sequence[ReleasedColumn]) -> list[Section]:
        table = self.first_rows(SHOWN, shown_columns(columns))
        return list(sections(columns, table, len(self), self.row_noun))

    def _footer(self, shown: Sequence[Section]) -> list[str]:
        """Say what intervals cover, what was spent, and then all else; nothing twice."""
        bars = any(section.has_intervals for section in shown)
        said = any(note.startswith(NOT_COVERED) for note in self.notes)
        covered = [f"The {_INTERVAL} covers the noise only."] if bars and not said else []
        return [*covered, f"privacy loss: {loss_text(self.loss)}", *shown_notes(self.notes)]

    def shown_layout(self) -> tuple[ReleasedColumn, ...]:
        """Give the columns that are printed."""
        return self.layout()


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


def key_columns(keys: Sequence[str], groups: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Give the keys of groups as columns."""
    return {key: [group[at] for group in groups] for at, key in enumerate(keys)}
