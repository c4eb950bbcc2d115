"""The result of a SELECT about a completed table: intervals only where the release paid for them."""

import json
from collections.abc import Sequence
from math import nan
from typing import Any, final

from attrs import evolve, frozen

from privet.errors import UnavailableError
from privet.tables.aggregates.noise import read_level
from privet.tables.impute.release import ImputedRelease
from privet.tables.releases.json_text import agrees, check, check_format, read_json, reading
from privet.tables.releases.released_column import PARTS, ReleasedColumn, single_kind
from privet.tables.releases.table_release import LEVEL, Level
from privet.tables.sql.computed import Output
from privet.tables.sql.post_processing import PostProcessing
from privet.tables.sql.selected_release import SelectedRelease

FORMAT = "sql-imputed-release/1"
_ENDS = PARTS[1:]  # the ends of an interval: a standard error is never released


@final
@frozen(kw_only=True, repr=False)
class SqlImputedRelease(SelectedRelease[ImputedRelease]):
    """The result of a SELECT about a completed table. Everything here is public.

    Columns that show an aggregate have the interval that the release paid for, if it did; computed columns have none.

    Args:
        release: All groups and all aggregates.
        after: The post-processing that the SELECT asks for.
        text: The SELECT.
    """

    format = FORMAT

    def errors(self, name: str) -> list[Any]:
        """Standard errors are not released: the size of the noise is private."""
        return [nan] * len(self.values(name))

    def interval(self, level: Level = LEVEL) -> dict[str, tuple[list[Any], list[Any]]]:
        """Ends of 95 % intervals, one for each row of the result; NaN for columns without error bars.

        Args:
            level: 0.95, since the release paid for one level.
        """
        if read_level(level) != LEVEL:
            raise UnavailableError("SqlImputedRelease.interval: the release paid for intervals of level 0.95 alone.")
        return {output.label: self._ends(output) for output in self.after.columns}

    def _ends(self, output: Output) -> tuple[list[Any], list[Any]]:
        places = self._computed[0]
        none = (nan,) * len(self.release)
        low, high = self.release.intervals.get(str(output.name), (none, none))
        return [low[at] for at in places], [high[at] for at in places]

    def to_dict(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """Columns as lists, and intervals (``n_low``, ``n_high``) where there are any."""
        ends, columns = self.interval(level), dict[str, list[Any]]()
        for output in self.after.columns:
            columns[output.label] = self.values(output.label)
            if output.name in self.release.intervals:
                parts = zip(_ENDS, ends[output.label], strict=True)
                columns |= {f"{output.label}{part}": values for part, values in parts}
        return columns

    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are; their kinds follow from the SELECT and the plan alone."""
        released = {column.name: column for column in self.release.layout()}
        return tuple(self._column(output, released.get(str(output.name))) for output in self.after.columns)

    def _column(self, output: Output, shown: ReleasedColumn | None) -> ReleasedColumn:
        if shown is not None and output.name in self.release.names:
            return evolve(shown, name=output.label, output=output.label)
        is_key = set(output.value.references()) <= set(self.release.keys)
        return ReleasedColumn(
            name=output.label,
            kind=single_kind(output.value.kind),
            is_key=is_key,
            has_nulls=shown is None or shown.has_nulls,
            parts=(),
            has_interval=False,
            output=output.label,
        )

    def first_rows(self, count: int, columns: Sequence[ReleasedColumn]) -> dict[str, list[Any]]:
        """Give the first rows of the result."""
        return {name: values[:count] for name, values in self.to_dict().items()}

    @classmethod
    def from_json(cls, text: str) -> "SqlImputedRelease":
        """Read what ``to_json`` wrote."""
        data = read_json("SqlImputedRelease", text)
        check_format("SqlImputedRelease.from_json", FORMAT, data)
        with reading("SqlImputedRelease"):
            check(isinstance(data["text"], str))
            release = ImputedRelease.from_json(json.dumps(data["release"]))
            after = PostProcessing.decode(data, (*release.keys, *release.names))
            read = cls(release=release, after=after, text=data["text"])
            check(agrees({**data, "release": release.encode()}, read.encode()))
            read.to_arrow()  # a kind that its values do not have shows here
        return read


def without_intervals(after: PostProcessing) -> PostProcessing:
    """Give the same post-processing with no interval for computed columns: those of their parts are not known."""
    return evolve(after, columns=tuple(evolve(each, reach=None) for each in after.columns))
