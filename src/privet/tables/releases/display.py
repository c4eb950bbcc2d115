"""Releases as tables, in a terminal and in a notebook: one line for each group, or for each bin of a histogram."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, final

from attrs import frozen

from privet.core import count_text, html_table
from privet.tables.columns import text_table
from privet.tables.releases.released_column import ReleasedColumn
from privet.tables.releases.written_values import interval_texts, label_text, value_text

SHOWN = 50  # groups that are printed
SHOWN_BINS = 100  # lines of a histogram
Columns = Sequence[ReleasedColumn]
Table = Mapping[str, Sequence[Any]]
Cell = tuple[str, str]  # a value and its interval
NOT_COVERED = "not covered by the intervals: "
_ENDS = "A bin holds its low end and not its high end; the last one holds both."


@final
@frozen(kw_only=True)
class Section:
    """A table of cells.

    Args:
        heads: The name of each column, and whether it has intervals.
        rows: A cell for each column.
        notes: Lines below it.
    """

    heads: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]
    notes: tuple[str, ...] = ()

    def text(self, label: str) -> str:
        """Align it; each interval follows its value in brackets."""
        heads = [f"{name} ({label})" if bars else name for name, bars in self._shown_heads]
        rows = [[f"{value} ({ends})" if ends else value for value, ends in row] for row in self.rows]
        return "\n".join([text_table([heads, *rows]), *self.notes])

    @property
    def has_intervals(self) -> bool:
        """Whether some cell has an interval."""
        return any(bars for _, bars in self._shown_heads)

    @property
    def _shown_heads(self) -> list[tuple[str, bool]]:
        """Name no interval where no cell has one, as for a ratio of two means."""
        cells = list(zip(*self.rows, strict=True)) if self.rows else [()] * len(self.heads)
        return [
            (name, bars and (not column or any(ends for _, ends in column)))
            for (name, bars), column in zip(self.heads, cells, strict=True)
        ]

    def html(self, label: str, *, title: str = "", notes: Iterable[str] = ()) -> str:
        """Write it for a notebook; intervals have columns of their own."""
        heads = [text for name, bars in self._shown_heads for text in ((name, label) if bars else (name,))]
        pairs = [zip(row, self._shown_heads, strict=True) for row in self.rows]
        rows = [[text for cell, (_, bars) in pair for text in (cell if bars else cell[:1])] for pair in pairs]
        return html_table(heads, rows, title=title, notes=(*self.notes, *notes))


def shown_columns(columns: Columns) -> list[ReleasedColumn]:
    """Leave out the bins of histograms that no line shows."""
    parts = [(name, list(same)) for name, same in groupby(columns, key=_histogram)]
    return [column for name, same in parts for column in (same[:SHOWN_BINS] if name else same)]


def shown_notes(notes: Iterable[str]) -> list[str]:
    """Leave out notes that say no more than others: rows of a table as it is, and caps that another line explains.

    >>> shown_notes(["rows: visits", "caps of a person: 2 rows", f"{NOT_COVERED}at most 2 rows are counted."])
    ['not covered by the intervals: at most 2 rows are counted.']
    """
    lines = list(notes)
    capped = any(line.startswith(f"{NOT_COVERED}at most ") for line in lines)
    plain = [line for line in lines if not line.startswith("rows: ") or ";" in line]
    return [line for line in plain if not (capped and line.startswith("caps of a person: "))]


def sections(columns: Columns, table: Table, count: int, noun: str) -> Iterator[Section]:
    """Make one table of all columns but histograms, and one of each histogram, with a line for each bin.

    Args:
        columns: All columns.
        table: The first rows of ``shown_columns``, with the ends of intervals.
        count: How many rows there are in all.
        noun: What one row is.
    """
    keys = [column for column in columns if column.is_key]
    plain = [column for column in columns if column.bin is None]
    histograms = [list(same) for name, same in groupby(columns, key=_histogram) if name]
    shown = min(count, SHOWN)
    if len(plain) > len(keys) or not histograms:
        rows = [[_cell(column, table, at) for column in plain] for at in range(shown)]
        yield Section(heads=_heads(plain), rows=rows, notes=_more(count - shown, noun))
    for bins in histograms:
        yield _histogram_section(keys, bins, table, count)


def _histogram(column: ReleasedColumn) -> str:
    return column.output if column.bin is not None else ""


def _histogram_section(keys: Columns, bins: Columns, table: Table, count: int) -> Section:
    first = bins[0].bin
    intervals = first is not None and first.ends is not None
    name = "" if first is None else first.column
    heads = [*_heads(keys), *([(f"{name} low", False), (f"{name} high", False)] if intervals else [(name, False)])]
    value = (label_text(bins[0].output), bins[0].has_interval)
    rows = [
        [*(_cell(key, table, at) for key in keys), *_bin_cells(each), _cell(each, table, at)]
        for at in range(min(count, SHOWN))
        for each in bins[:SHOWN_BINS]
    ][:SHOWN_BINS]
    notes = (*_more(count * len(bins) - len(rows), "bin"), *((_ENDS,) if intervals else ()))
    return Section(heads=[*heads, value], rows=rows, notes=notes)


def _bin_cells(column: ReleasedColumn) -> list[Cell]:
    if column.bin is None or column.bin.ends is None:
        return [(label_text(column.label), "")]
    return [(value_text(end), "") for end in column.bin.ends]


def _heads(columns: Columns) -> list[tuple[str, bool]]:
    return [(label_text(column.name), column.has_interval) for column in columns]


def _cell(column: ReleasedColumn, table: Table, at: int) -> Cell:
    value = table[column.name][at]
    if column.is_key:
        return label_text(value), ""
    if not column.has_interval:
        return value_text(value), ""
    return interval_texts(value, table[f"{column.name}_low"][at], table[f"{column.name}_high"][at])


def _more(count: int, noun: str) -> tuple[str, ...]:
    return (f"and {count_text(count, f'{noun} more', f'{noun}s more')}",) if count > 0 else ()
