"""The result of a SELECT: columns of a release, and the rows that HAVING, ORDER BY and LIMIT keep.

All of this is post-processing of a release: it costs nothing and reveals nothing more.
"""

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Any, final

from attrs import evolve, frozen

from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.releases.bias_limits import BiasLimits
from privet.tables.releases.json_text import agrees, check, check_format, read_json, reading
from privet.tables.releases.release import Release
from privet.tables.releases.released_column import NUMBERS, PARTS, ReleasedColumn, single_kind
from privet.tables.releases.table_release import LEVEL, Level
from privet.tables.releases.value_json import known_classes
from privet.tables.sql.computed import MonotoneColumn, Output
from privet.tables.sql.post_processing import PostProcessing
from privet.tables.sql.selected_release import SelectedRelease

FORMAT = "sql-release/1"
_PARTS = ("", *PARTS)


@final
@frozen(kw_only=True, repr=False)
class SqlRelease(SelectedRelease[Release]):
    """The result of a SELECT. Everything here is public, and so is whatever you compute from it.

    Args:
        release: All groups and all aggregates.
        after: The post-processing that the SELECT asks for.
        text: The SELECT.
    """

    format = FORMAT

    @property
    def bias(self) -> tuple[BiasLimits, ...]:
        """What caps and bounds left out, where that was measured."""
        return self.release.bias

    def values(self, name: str) -> list[Any]:
        """The values of a column, one for each row of the result."""
        ends = any(each.label == name and each.end is not None for each in self.after.columns)
        return self.to_dict()[name] if ends else super().values(name)

    def to_dict(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """Columns as lists; beside values their errors (``n_error``) and intervals (``n_low``, ``n_high``).

        A computed column has errors and intervals if it rises or falls with one released value, or with the ratio of
        two counts or sums.
        """
        bases = {output.reach.base for output in self.after.columns if output.reach is not None}
        release, ratios = _with_ratios(self.release, bases)
        table, (places, values) = release.to_dict(level), self._computed
        columns: dict[str, list[Any]] = {}
        for output, result in zip(self.after.columns, values, strict=True):
            if output.end is not None:
                columns.setdefault(output.label, [])  # its place; the column whose end it is may come later
                continue
            whole = table[str(output.name)] if output.name in self.release.names else result
            columns[output.label] = [whole[at] for at in places]
            if output.name in self.release.names:
                parts = [[table[f"{output.name}{part}"][at] for at in places] for part in _PARTS[1:]]
            elif output.reach is not None:
                base, shown = output.reach.base, dict(zip(places, columns[output.label], strict=True))
                parts = _reached(output.reach, table, base[0] if len(base) == 1 else ratios.get(base), shown)
            else:
                continue
            columns |= {f"{output.label}{part}": values for part, values in zip(_PARTS[1:], parts, strict=True)}
        ends = {each.label: each.end for each in self.after.columns if each.end is not None}
        return {**columns, **{label: columns[f"{end.of}{end.part}"] for label, end in ends.items()}}

    def errors(self, name: str) -> list[Any]:
        """The standard errors of a column; NaN if it has none."""
        self.values(name)
        return self._part(self.to_dict(), name, "_error")

    def interval(self, level: Level = LEVEL) -> dict[str, tuple[list[Any], list[Any]]]:
        """For each column lower and upper ends, one for each row of the result; NaN for columns without intervals."""
        table = self.to_dict(level)
        return {name: (self._part(table, name, "_low"), self._part(table, name, "_high")) for name in self.names}

    def _part(self, table: Mapping[str, list[Any]], name: str, part: str) -> list[Any]:
        return table.get(f"{name}{part}", [nan] * len(self))

    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are; their kinds follow from the SELECT and the plan alone."""
        released = {column.name: column for column in self.release.layout()}
        shown = [each for each in self.after.columns if each.end is None or each.label != each.end.of + each.end.part]
        return tuple(self._column(output, released) for output in shown)

    def _column(self, output: Output, released: Mapping[str, ReleasedColumn]) -> ReleasedColumn:
        kind = single_kind(output.value.kind)
        if self.after.totals and (
            kind in NUMBERS or self.after.totals[self.after.columns.index(output)] not in ("min", "max")
        ):
            kind = "real"
        if output.end is not None:
            return ReleasedColumn(
                name=output.label, kind="real", has_nulls=True, parts=(), has_interval=False, output=output.label
            )
        shown = released[str(output.name)] if output.name in self.release.names else None
        if shown is not None:
            own = shown.kind if kind == "real" and shown.kind in NUMBERS else kind
            return evolve(
                shown, name=output.label, kind=own, output=output.label if shown.label is None else shown.output
            )
        has_bars = output.reach is not None
        return ReleasedColumn(
            name=output.label,
            kind=kind,
            is_key=not self.after.totals and set(output.value.references()) <= set(self.release.keys),
            has_nulls=output.name is None or released[output.name].has_nulls,
            parts=PARTS if has_bars else (),
            has_interval=has_bars,
            output=output.label,
        )

    def first_rows(self, count: int, columns: Sequence[ReleasedColumn]) -> dict[str, list[Any]]:
        """Compute the first rows of the result from their groups alone."""
        if not len(self) or self.after.totals:
            return self.to_dict()
        places = self._kept[:count]
        after = evolve(self.after, having=None, order=(), offset=0, limit=None)
        return evolve(self, release=self.release.groups_at(places), after=after).to_dict()

    @classmethod
    def from_json(cls, text: str, aggregates: Iterable[type[Aggregate]] = ()) -> "SqlRelease":
        """Read what ``to_json`` wrote.

        Args:
            text: The text.
            aggregates: The classes of aggregates of your own that the release holds. A file never loads a class.
        """
        data = read_json("SqlRelease", text)
        check_format("SqlRelease.from_json", FORMAT, data)
        with reading("SqlRelease"):
            check(isinstance(data["text"], str))
            release = Release.decode_level(data["release"], known_classes(aggregates))
            check(bool(release.plan.planned) or not release.plan.aggregates)  # public groups alone have no numbers
            after = PostProcessing.decode(data, (*release.keys, *release.names))
            read = cls(release=release, after=after, text=data["text"])
            check(agrees(data, read.encode()))
            read.to_arrow()  # a kind that its values do not have shows here
        return read


def _with_ratios(release: Release, bases: set[tuple[str, ...]]) -> tuple[Release, dict[tuple[str, ...], str]]:
    """Add the ratios that computed columns need, except those that have no interval, which the public plan decides."""
    names: dict[tuple[str, ...], str] = {}
    for number, base in enumerate(sorted(each for each in bases if len(each) == 2)):
        name = f"privet ratio {number}"
        try:
            release = release.ratio(name, *base)
        except InvalidError:
            continue
        names[base] = name
    return release, names


def _reached(
    reach: MonotoneColumn, table: Mapping[str, list[Any]], name: str | None, shown: Mapping[int, Any]
) -> list[list[Any]]:
    """Give errors, lower and upper ends of a computed column; the value itself always lies between the ends."""
    if name is None:
        return [[nan] * len(shown)] * 3
    values, errors, lows, highs = (table[f"{name}{part}"] for part in _PARTS)
    known = [at for at, value in shown.items() if value is not None and values[at] == values[at]]
    moved = reach.move([(values[at], errors[at], lows[at], highs[at]) for at in known])
    bars = {
        at: (error, min(low, shown[at]), max(high, shown[at]))
        for at, (error, low, high) in zip(known, moved, strict=True)
    }
    nothing = (nan, nan, nan)
    return [[bars.get(at, nothing)[part] for at in shown] for part in range(3)]
