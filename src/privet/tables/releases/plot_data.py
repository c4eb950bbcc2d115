"""What a plot of a release shows, as numbers: series of values with their intervals, over bins, time or groups."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, Literal, final

import numpy as np
from attrs import frozen

from privet.core import Array
from privet.errors import InvalidError, UnavailableError
from privet.tables.columns import find_column
from privet.tables.releases.frames import Columns, Table
from privet.tables.releases.released_column import ReleasedColumn
from privet.tables.releases.written_values import label_text

MOST_BARS = 200
MOST_POINTS = 20_000
MOST_SERIES = 10
_ENDS = ("_low", "_high")
_PERIODS = (
    (re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII), date.fromisoformat),
    (re.compile(r"\d{4}-\d{2}", re.ASCII), lambda text: date(int(text[:4]), int(text[5:]), 1)),
    (re.compile(r"\d{4}-Q[1-4]", re.ASCII), lambda text: date(int(text[:4]), 3 * int(text[6]) - 2, 1)),
    (re.compile(r"\d{4}", re.ASCII), lambda text: date(int(text), 1, 1)),
)


@final
@frozen(eq=False)
class Series:
    """Values with intervals.

    Args:
        label: What they are, for the legend; empty for the only series.
        places: Where they stand: numbers, dates or positions.
        values: The values.
        low: The lower ends; NaN without any.
        high: The upper ends.
    """

    label: str
    places: Sequence[Any]
    values: Array
    low: Array
    high: Array


@final
@frozen(eq=False)
class Picture:
    """What is drawn.

    Args:
        form: Bars over intervals, a line over time, bars, or one point for each column.
        series: The values.
        ticks: The names of positions; none where places are numbers or dates.
        widths: The widths of bars over intervals.
        x_label: What stands below.
        y_label: What stands at the side.
        left_out: What there was no room for.
    """

    form: Literal["bins", "line", "bars", "points"]
    series: Sequence[Series]
    ticks: Sequence[str] = ()
    widths: Sequence[float] = ()
    x_label: str = ""
    y_label: str = ""
    left_out: str = ""


def read_times(values: Sequence[Any]) -> list[Any] | None:
    """Read keys as moments: dates, timestamps, or the names of days, months, quarters or years; None for other keys.

    >>> read_times(["2025-01", "2025-02"])
    [datetime.date(2025, 1, 1), datetime.date(2025, 2, 1)]
    """
    if values and all(isinstance(value, date | datetime) for value in values):
        return list(values)
    for pattern, read in _PERIODS:
        if values and all(isinstance(value, str) and pattern.fullmatch(value) for value in values):
            try:
                return [read(value) for value in values]
            except ValueError:  # a month or a day that no calendar has
                return None
    return None


def picture_of(columns: Columns, table: Table, column: str | None) -> Picture:
    """Choose what to draw from the keys and the column.

    Args:
        columns: What the columns are.
        table: The values of the columns and of their parts.
        column: The name of a column or of a histogram; None for the first column of numbers.
    """
    keys = [each for each in columns if each.is_key and each.name in table]
    chosen = _chosen(columns, column)
    if not table[chosen[0].name]:
        raise UnavailableError("plot: the release has no rows to draw.")
    groups = list(zip(*(table[key.name] for key in keys), strict=True)) if keys else [()]
    if chosen[0].bin is not None and (len(chosen) > 1 or column != chosen[0].name):
        return _histogram(chosen, table, groups)
    if not keys:
        shown = chosen if column is not None else [each for each in columns if each.is_number and each.bin is None]
        ends = [[table[f"{each.name}{part}"][0] if each.has_interval else np.nan for each in shown] for part in _ENDS]
        values = [table[each.name][0] for each in shown]
        series = Series("", range(len(shown)), _floats(values), _floats(ends[0]), _floats(ends[1]))
        return Picture("points", [series], ticks=[label_text(each.name) for each in shown])
    return _by_groups(keys, chosen[0], table, groups)


def _chosen(columns: Columns, column: str | None) -> list[ReleasedColumn]:
    """Give the column to draw, or all bins of a histogram."""
    numbers = [each for each in columns if each.is_number]
    if column is None:
        if not numbers:
            raise UnavailableError("plot: the release has no column of numbers to draw.")
        column = numbers[0].output if numbers[0].bin is not None else numbers[0].name
    bins = [each for each in columns if each.bin is not None and each.output == column]
    if bins:
        return bins
    known = {each.output: each for each in columns if each.bin is not None} | {each.name: each for each in columns}
    only = find_column("plot", column, known)
    if not only.is_number:
        raise InvalidError(f"plot draws columns of numbers, and {column!r} is {'a key' if only.is_key else only.kind}.")
    return [only]


def _by_groups(keys: Columns, column: ReleasedColumn, table: Table, groups: Sequence[Any]) -> Picture:
    """Draw one value for each group: over time if a key is a period, as bars otherwise."""
    words = [label_text(key.name) for key in keys]
    if len(keys) > 2:  # one bar for each group, with the names of all its keys
        words, groups = [", ".join(words)], [(", ".join(map(label_text, group)),) for group in groups]
    columns = [[group[at] for group in groups] for at in range(len(words))]
    timed = next((at for at, values in enumerate(columns) if read_times(list(dict.fromkeys(values)))), None)
    along = timed if timed is not None else 0
    others = [at for at in range(len(words)) if at != along]
    names = list(dict.fromkeys(columns[others[0]])) if others else [None]
    stops = list(dict.fromkeys(columns[along]))
    most = MOST_POINTS if timed is not None else max(MOST_BARS // min(len(names), MOST_SERIES), 1)
    left = [_left_out(len(stops), most, "group"), _left_out(len(names), MOST_SERIES, "series")]
    stops, names = stops[:most], names[:MOST_SERIES]
    places = read_times(stops) if timed is not None else range(len(stops))
    place_of = dict(zip(stops, places or (), strict=True))
    series = []
    for name in names:
        rows = [
            at
            for at, group in enumerate(groups)
            if group[along] in place_of and (not others or group[others[0]] == name)
        ]
        if timed is not None:  # an ORDER BY may have sorted them otherwise
            rows.sort(key=lambda at: place_of[groups[at][along]])
        label = label_text(name) if others else ""
        series.append(_series(label, [place_of[groups[at][along]] for at in rows], column, table, rows))
    return Picture(
        "line" if timed is not None else "bars",
        series,
        ticks=[] if timed is not None else [label_text(stop) for stop in stops],
        x_label=words[along],
        y_label=label_text(column.name),
        left_out=", ".join(each for each in left if each),
    )


def _histogram(bins: Columns, table: Table, groups: Sequence[Any]) -> Picture:
    """Draw the bins of one group, or those of several groups next to each other."""
    shown = bins[:MOST_BARS]
    series = [
        Series(
            ", ".join(map(label_text, groups[at])),
            range(len(shown)),
            _floats([table[each.name][at] for each in shown]),
            *(_floats([table[f"{each.name}{part}"][at] for each in shown]) for part in _ENDS),
        )
        for at in range(min(len(groups), MOST_SERIES))
    ]
    described = [each.bin for each in shown if each.bin is not None]
    left = [_left_out(len(bins), MOST_BARS, "bin"), _left_out(len(groups), MOST_SERIES, "group")]
    edges = [each.ends for each in described if each.ends is not None]
    words: dict[str, Any] = {
        "x_label": label_text(described[0].column),
        "y_label": f"count of {label_text(described[0].column)}",
        "left_out": ", ".join(each for each in left if each),
    }
    if len(edges) < len(described) or len(series) > 1:
        return Picture("bars", series, ticks=[label_text(each.label) for each in described], **words)
    only, ends = series[0], [(_moment(low), _moment(high)) for low, high in edges]
    over = Series("", [low + (high - low) / 2 for low, high in ends], only.values, only.low, only.high)
    return Picture("bins", [over], widths=[high - low for low, high in ends], **words)


def _moment(end: Any) -> Any:
    """Give a date as a moment, so that half of a day can be added."""
    return datetime(end.year, end.month, end.day) if type(end) is date else end  # noqa: DTZ001 - a place on an axis


def _series(label: str, places: Sequence[Any], column: ReleasedColumn, table: Table, rows: Sequence[int]) -> Series:
    values = _floats([table[column.name][at] for at in rows])
    if not column.has_interval:
        return Series(label, places, values, np.full(len(rows), np.nan), np.full(len(rows), np.nan))
    low, high = (_floats([table[f"{column.name}{part}"][at] for at in rows]) for part in _ENDS)
    return Series(label, places, values, low, high)


def _floats(values: Sequence[Any]) -> Array:
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)


def _left_out(count: int, most: int, noun: str) -> str:
    if count <= most:
        return ""
    many = noun if noun.endswith("s") else f"{noun}s"
    return f"the first {most:,} of {count:,} {many}"
