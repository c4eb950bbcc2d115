"""The result of a SELECT: columns of a release, and the rows that HAVING, ORDER BY and LIMIT keep.

All of this is post-processing of a release: it costs nothing and reveals nothing more.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import isfinite, nan
from typing import Any, final

from attrs import evolve, frozen

from privet.accounting.losses.loss import Loss
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns import Column, find_column
from privet.tables.expressions import Expression, parse
from privet.tables.releases.bias_limits import BiasLimits
from privet.tables.releases.json_text import agrees, check, check_format, fits, read_json, reading
from privet.tables.releases.release import Release
from privet.tables.releases.released_column import NUMBERS, PARTS, ReleasedColumn, single_kind
from privet.tables.releases.table_release import LEVEL, Level, TableRelease
from privet.tables.releases.value_json import known_classes
from privet.tables.sql.computed import TOTALS, MonotoneColumn, Output, Row, computed, total_of

FORMAT = "sql-release/1"
_PARTS = ("", *PARTS)


@final
@frozen
class Order:
    """One value to sort by."""

    value: Expression
    falling: bool
    nulls_first: bool


@final
@frozen(kw_only=True)
class PostProcessing:
    """The post-processing of a release.

    Args:
        columns: The columns of the result, in order.
        having: Which rows stay: a condition on released values.
        order: The values to sort by; the first decides first.
        offset: How many rows to leave out at the beginning.
        limit: How many rows there are at most.
        totals: What makes one row of all rows, for each column: ``sum``, ``avg``, ``min``, ``max`` or ``count``; none
            where rows stay rows.
    """

    columns: tuple[Output, ...]
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    offset: int = 0
    limit: int | None = None
    totals: tuple[str, ...] = ()

    def compute(self, rows: Sequence[Row]) -> tuple[list[int], list[list[Any]]]:
        """Give the places of the rows to keep, in order, and the values of every column for all rows."""
        conditions = [] if self.having is None else [self.having]
        values = [*(each.value for each in self.order), *(output.value for output in self.columns)]
        results = computed([*conditions, *values], rows)
        kept = [at for at in range(len(rows)) if not conditions or results[0][at] is True]
        keys, columns = results[len(conditions) :][: len(self.order)], results[len(conditions) + len(self.order) :]
        if self.totals:
            pairs = zip(self.totals, columns, strict=True)
            return self._sorted([0], []), [[total_of(name, [values[at] for at in kept])] for name, values in pairs]
        return self._sorted(kept, keys), columns

    def _sorted(self, kept: list[int], keys: list[list[Any]]) -> list[int]:
        """Sort the places of the rows to keep, and apply OFFSET and LIMIT."""
        for each, values in reversed(list(zip(self.order, keys, strict=True))):  # stable: the first value decides last
            known = [at for at in kept if values[at] is not None]
            unknown = [at for at in kept if values[at] is None]
            known.sort(key=values.__getitem__, reverse=each.falling)
            kept = [*unknown, *known] if each.nulls_first else [*known, *unknown]
        end = None if self.limit is None else self.offset + self.limit
        return kept[self.offset : end]

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values: expressions as SQL, with the kinds of the released columns in them."""
        values = [*(each.value for each in self.columns), *(each.value for each in self.order)]
        names = [each for value in (*values, *([self.having] if self.having else [])) for each in value.mentions()]
        return {
            "kinds": {each.name: each.declared.kind for each in names},
            "columns": [each.encode() for each in self.columns],
            "having": None if self.having is None else str(self.having),
            "order": [[str(each.value), each.falling, each.nulls_first] for each in self.order],
            "offset": self.offset,
            "limit": self.limit,
            **({"totals": list(self.totals)} if self.totals else {}),
        }

    @classmethod
    def decode(cls, data: dict[str, Any], released: Sequence[str]) -> "PostProcessing":
        """Read what ``encode`` wrote, for a release with these columns."""
        check(set(data["kinds"]) <= set(released) and fits((data["offset"], data["limit"]), tuple[int, int | None]))
        check(data["offset"] >= 0 and (data["limit"] or 0) >= 0 and data["columns"])
        known = {name: Column(kind=kind) for name, kind in data["kinds"].items()}
        columns = tuple(Output.decode(each, known) for each in data["columns"])
        check(all(name in released for each in columns if each.reach is not None for name in each.reach.base))
        having = None if data["having"] is None else parse(data["having"], known)
        check(having is None or having.kind == "boolean")
        check(all(fits(tuple(directions), tuple[bool, bool]) for _, *directions in data["order"]))
        order = tuple(Order(parse(value, known), *directions) for value, *directions in data["order"])
        totals = tuple(data.get("totals", ()))
        check(not totals or (len(totals) == len(columns) and set(totals) <= set(TOTALS) and not order))
        if totals:
            columns = tuple(evolve(each, name=None) for each in columns)
        rest: Any = {"offset": data["offset"], "limit": data["limit"], "totals": totals}
        return cls(columns=columns, having=having, order=order, **rest)


@final
@frozen(kw_only=True, repr=False)
class SqlRelease(TableRelease):
    """The result of a SELECT. Everything here is public, and so is whatever you compute from it.

    Args:
        release: All groups and all aggregates.
        after: The post-processing that the SELECT asks for.
        text: The SELECT.
    """

    row_noun = "row"

    release: Release
    after: PostProcessing
    text: str = ""

    @property
    def loss(self) -> Loss:
        """The privacy loss of the release."""
        return self.release.loss

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Lines for the reader."""
        return self.release.notes

    @property
    def bias(self) -> tuple[BiasLimits, ...]:
        """What caps and bounds left out, where that was measured."""
        return self.release.bias

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the SELECT."""
        return tuple(output.label for output in self.after.columns)

    def values(self, name: str) -> list[Any]:
        """The values of a column, one for each row of the result."""
        output = find_column("SqlRelease", name, {each.label: each for each in self.after.columns})
        if output.end is not None:
            return self.to_dict()[output.label]
        if output.name in self.release.names:
            values = self.release.values(str(output.name)).tolist()
        else:
            values = self._computed[1][self.after.columns.index(output)]
        return [values[at] for at in self._computed[0]]

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

    @property
    def _kept(self) -> Sequence[int]:
        """The places of the rows to keep; only HAVING and ORDER BY need the values for that."""
        after = self.after
        if after.having is not None or after.order or after.totals:
            return self._computed[0]
        return range(len(self.release))[after.offset : None if after.limit is None else after.offset + after.limit]

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values: the SELECT, its post-processing, and the release behind it."""
        return {"format": FORMAT, "text": self.text, **self.after.encode(), "release": self.release.encode()}

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

    @cached_property
    def _computed(self) -> tuple[list[int], list[list[Any]]]:
        """The places of the rows to keep, in order, and the values of the columns."""
        return self.after.compute(self._rows())

    def _rows(self) -> list[Row]:
        """Give the released values of each group as expressions take them: numbers are real, NaN and infinity null."""
        columns: dict[str, list[Any]] = {
            key: [group[at] for group in self.release.groups] for at, key in enumerate(self.release.keys)
        }
        for name in self.release.names:
            values = self.release.values(name)
            plain = values.dtype == object or values.dtype.kind == "M"  # categories, dates and timestamps
            columns[name] = values.tolist() if plain else [_real(value) for value in values.tolist()]
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def __len__(self) -> int:
        return len(self._kept)


def _real(value: float) -> float | None:
    return float(value) if isfinite(value) else None


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


def check_labels(values: list[str], plain: list[str]) -> None:
    """Refuse names of which one would hide another in the result.

    Args:
        values: Columns with errors and intervals beside them.
        plain: Columns without.
    """
    seen: set[str] = set()
    for name in [*plain, *(value + part for value in values for part in _PARTS)]:
        if name.lower() in seen:
            raise InvalidError(f"SQL: two columns of the result would be called {name!r}; name one of them with AS.")
        seen.add(name.lower())
