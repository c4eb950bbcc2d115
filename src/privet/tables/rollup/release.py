"""Released roll-ups: values of all levels that add up, with standard errors and intervals."""

from collections.abc import Sequence
from itertools import islice
from typing import Any, final

import numpy as np
from attrs import cmp_using, evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array
from privet.errors import InvalidError
from privet.mechanisms.consistent_tree import add_up, summable
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import read_level
from privet.tables.columns import find_column
from privet.tables.releases.json_text import agrees, check, check_format, fits, read_json, reading
from privet.tables.releases.release import Release, same_arrays
from privet.tables.releases.released_column import ReleasedColumn, aggregate_columns, key_column, number_column
from privet.tables.releases.table_release import LEVEL, Interval, Level, ProcessedRelease, key_columns
from privet.tables.rollup.errors import ConsistentRatio, NodeErrors
from privet.tables.rollup.plan import Hierarchy, RollupPlan, readout
from privet.tables.rollup.whole import nonnegative_down, whole_down
from privet.tables.statistics import Contribution

LEVEL_COLUMN = "level"
FORMAT = "rollup/1"
_WHOLE_LIMIT = 2.0**62


def _same_numbers(first: Sequence[Sequence[Array]], second: Sequence[Sequence[Array]]) -> bool:
    return len(first) == len(second) and all(map(same_arrays, first, second))


@final
@frozen(kw_only=True)
class RollupLevel:
    """One level of a roll-up; its values are sums of those of the next one.

    Args:
        rollup: The whole release.
        at: How many keys the groups of this level have.
    """

    rollup: "RollupRelease" = field(repr=False)
    at: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of its keys: none for all rows together."""
        return self.rollup.keys[: self.at]

    @property
    def groups(self) -> tuple[tuple[Any, ...], ...]:
        """Its groups, in order."""
        return self.rollup.plan.hierarchy.levels[self.at]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of values."""
        return self.rollup.names

    def values(self, name: str) -> Array:
        """The values of a column, one for each group."""
        return self.rollup.all_values(name)[self.at]

    def errors(self, name: str) -> Array:
        """The standard errors of a column, from the noise alone; before post-processing."""
        return self.rollup.all_errors(name)[self.at]

    def interval(self, level: Level = LEVEL) -> dict[str, Interval]:
        """Intervals that hold the exact values, each by itself with probability ``level``."""
        return {name: self.rollup.all_intervals(name, level)[self.at] for name in self.names}

    @property
    def noisy(self) -> Release | None:
        """The release of this level alone, before the levels were made to agree; None where it was not measured."""
        return self.rollup.noisy(self.at) if self.rollup.plan.levels[self.at].planned else None


@final
@frozen(kw_only=True, repr=False)
class RollupRelease(ProcessedRelease):
    """The result of a roll-up: in every column children add up to their parent, exactly. Everything here is public.

    Args:
        keys: The names of the keys, from the coarsest.
        plan: The aggregates, and the noise that was added.
        numbers: For each level the noisy numbers of each planned set, groups by numbers, in grid steps; none for a
            level that was not measured.
        changes: Post-processing: pairs (what, column).
        ratios: Columns made of two others: name, numerator, denominator.
        notes: Lines for the reader.
    """

    own_columns = (LEVEL_COLUMN,)

    plan: RollupPlan
    numbers: tuple[tuple[Array, ...], ...] = field(eq=cmp_using(eq=_same_numbers), hash=False)

    @property
    def loss(self) -> Loss:
        """The privacy loss of the release, all levels together."""
        return self.plan.loss

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of values: the aggregates, one column for each of their outputs, and ratios."""
        return (*self.noisy(0).names, *(name for name, _, _ in self.ratios))

    @property
    def levels(self) -> tuple[RollupLevel, ...]:
        """All rows together, by the first key, by the first two, and so on."""
        return tuple(RollupLevel(rollup=self, at=at) for at in range(len(self.plan.levels)))

    def noisy(self, at: int) -> Release:
        """Give the release of one level alone, before the levels were made to agree."""
        groups = self.plan.hierarchy.levels[at]
        return Release(keys=self.keys[:at], groups=groups, plan=self.plan.levels[at], numbers=self.numbers[at])

    def values(self, name: str) -> Array:
        """The values of a column, from all rows to the finest groups."""
        return np.concatenate(self.all_values(name))

    def errors(self, name: str) -> Array:
        """The standard errors of a column, from all rows to the finest groups; before post-processing."""
        return np.concatenate(self.all_errors(name))

    def interval(self, level: Level = LEVEL) -> dict[str, Interval]:
        """Intervals that hold the exact values, each by itself with probability ``level``. They cover the noise only.

        Args:
            level: Between zero and one.
        """
        return {name: _stacked(self.all_intervals(name, level)) for name in self.names}

    @np.errstate(all="ignore")
    def all_values(self, name: str) -> list[Array]:
        """The values of a column at every level, from all rows to the finest groups."""
        made = self._made(name)
        if made:
            return [each.values for each in self._ratio(made)]
        values, parents = self._consistent(name), self.plan.hierarchy.parents
        changed = {what for what, column in self.changes if column == name}
        if "nonnegative" in changed:
            values = nonnegative_down(values, parents)
        if "rounded" not in changed:
            return values
        values = whole_down(values, parents)
        small = all(np.abs(level).max() < _WHOLE_LIMIT for level in values)
        return [level.astype(np.int64) if small else level for level in values]

    @np.errstate(all="ignore")
    def all_errors(self, name: str) -> list[Array]:
        """The standard errors of a column at every level, from the noise alone; before post-processing."""
        made = self._made(name)
        return [each.errors for each in self._ratio(made)] if made else [each.deviations for each in self._errors(name)]

    @np.errstate(all="ignore")
    def all_intervals(self, name: str, level: Level = LEVEL) -> list[Interval]:
        """Intervals of a column at every level that hold the exact values, each by itself with probability ``level``.

        They are those of the values before post-processing, cut at zero or rounded outward.

        Args:
            name: The column.
            level: Between zero and one.
        """
        share, made = read_level(level), self._made(name)
        if made:
            return [each.interval(share) for each in self._ratio(made)]
        changed = {what for what, column in self.changes if column == name}
        ends = []
        for values, errors in zip(self._consistent(name), self._errors(name), strict=True):
            reach = errors.reach(share) + 4 * np.spacing(np.abs(values).max())
            low, high = values - reach, values + reach
            if "nonnegative" in changed:
                low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
            if "rounded" in changed:
                low, high = np.floor(low), np.ceil(high)
            ends.append((low, high))
        return ends

    def nonnegative(self, *names: str) -> "RollupRelease":
        """Leave no value below zero: from the total down, the nearest values that add up; for sums of such values."""
        own = [name for name in self.names if not self._made(name)]
        chosen = names or tuple(name for name in own if self._find(name)[1].nonnegative)
        for name in chosen:
            if not self._find(name)[1].nonnegative:
                raise InvalidError(f"RollupRelease.nonnegative: the exact values of {name!r} may be below zero.")
        return self._with("nonnegative", chosen)

    def rounded(self, *names: str) -> "RollupRelease":
        """Make values whole, from the total down by largest remainders, so that they still add up."""
        for name in names:
            self._find(name)
        return self._with("rounded", names or tuple(name for name in self.names if not self._made(name)))

    def to_dict(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """All levels as one table: the level, keys (None where they are rolled up), values, errors and intervals."""
        table = self._key_columns()
        for name in self.names:
            low, high = _stacked(self.all_intervals(name, level))
            table[name], table[f"{name}_error"] = self.values(name).tolist(), self.errors(name).tolist()
            table[f"{name}_low"], table[f"{name}_high"] = low.tolist(), high.tolist()
        return table

    def _key_columns(self) -> dict[str, list[Any]]:
        groups = [(at, group) for at, level in enumerate(self.plan.hierarchy.levels) for group in level]
        table: dict[str, list[Any]] = {LEVEL_COLUMN: [at for at, _ in groups]}
        for position, key in enumerate(self.keys):
            table[key] = [group[position] if position < at else None for at, group in groups]
        return table

    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are: the level, keys that are null where they are rolled up, and values."""
        groups = key_columns(self.keys, self.plan.hierarchy.finest)
        keys = [evolve(key_column(key, values), has_nulls=True) for key, values in groups.items()]
        rounded = {column for what, column in self.changes if what == "rounded"}
        columns = [
            evolve(column, kind="integer" if column.name in rounded else "real")
            for name, aggregate in self.plan.levels[-1].aggregates
            for column in aggregate_columns(name, aggregate, "real")
        ]
        ratios = [number_column(name) for name, _, _ in self.ratios]
        return (key_column(LEVEL_COLUMN, [0]), *keys, *columns, *ratios)

    def shown_layout(self) -> tuple[ReleasedColumn, ...]:
        """Leave out the level: keys say which it is."""
        return self.layout()[1:]

    def first_rows(self, count: int, columns: Sequence[ReleasedColumn]) -> dict[str, list[Any]]:
        """Give the first groups from all rows downward; values of one group follow from those of all."""
        levels = enumerate(self.plan.hierarchy.levels)
        groups = list(islice(((at, group) for at, level in levels for group in level), count))
        table: dict[str, list[Any]] = {
            key: [group[place] if place < at else "all" for at, group in groups] for place, key in enumerate(self.keys)
        }
        for name in [column.name for column in columns if not column.is_key]:
            low, high = _stacked(self.all_intervals(name))
            table[name] = self.values(name)[:count].tolist()
            table[f"{name}_low"], table[f"{name}_high"] = low[:count].tolist(), high[:count].tolist()
        return table

    def plotted_rows(self, level: Level) -> dict[str, list[Any]]:
        """Give the finest groups: a bar of all rows would hide theirs."""
        table, coarser = self.to_dict(level), len(self) - len(self.plan.hierarchy.finest)
        return {name: values[coarser:] for name, values in table.items() if name != LEVEL_COLUMN}

    def __len__(self) -> int:
        return sum(map(len, self.plan.hierarchy.levels))

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values."""
        return {
            "format": FORMAT,
            "levels": [self.noisy(at).encode() for at in range(len(self.plan.levels))],
            "changes": [list(change) for change in self.changes],
            "ratios": [list(made) for made in self.ratios],
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, text: str) -> "RollupRelease":
        """Read what ``to_json`` wrote."""
        data = read_json("RollupRelease", text)
        check_format("RollupRelease.from_json", FORMAT, data)
        with reading("RollupRelease"):
            levels = [Release.decode_level(level) for level in data["levels"]]
            hierarchy = Hierarchy(finest=levels[-1].groups)
            check(tuple(level.groups for level in levels) == hierarchy.levels)
            check(len({level.plan.aggregates for level in levels}) == 1)
            moved = hierarchy.contributions(levels[-1].plan.contribution)
            check(all(map(_fits_level, (level.plan.contribution for level in levels), moved)))
            notes = tuple(data["notes"])
            check(fits(notes, tuple[str, ...]) and levels[-1].plan.planned)
            read = cls(
                keys=levels[-1].keys,
                plan=RollupPlan(hierarchy=hierarchy, levels=tuple(level.plan for level in levels)),
                numbers=tuple(level.numbers for level in levels),
                notes=notes,
            )._process(data["ratios"], data["changes"])
            check(agrees(data, read.encode()))
            str(read)
        return read

    def _check_summed(self, column: str) -> None:
        self._find(column)

    def _find(self, column: str) -> tuple[int, Aggregate, int]:
        """Give the planned set, the aggregate and the output of a column."""
        finest = self.plan.levels[-1]
        places: dict[str, tuple[str, Aggregate, int]] = {}
        for name, aggregate in finest.aggregates:
            for output, label in enumerate(aggregate.outputs):
                places.setdefault(name if label == "" else f"{name}_{label}", (name, aggregate, output))
        name, aggregate, output = find_column("RollupRelease", column, places)
        return finest.part(name), aggregate, output

    def _weights(self, name: str) -> tuple[int, Array]:
        """Give the planned set of a column, and the weight of each of its numbers."""
        part, aggregate, output = self._find(name)
        return part, readout(aggregate, output, self.plan.levels[-1].planned[part].measured.length)

    def _consistent(self, name: str) -> list[Array]:
        """The best estimates; those of children add up to that of their parent, exactly."""
        part, weights = self._weights(name)
        tree, _ = self.plan.tree(part)
        scaled = weights * float(self.plan.levels[-1].planned[part].measured.grid)
        values = [level[part].astype(np.float64) @ scaled if level else None for level in self.numbers]
        return add_up(tree.parents, summable(tree.fit(values)[-1]))

    def _errors(self, name: str) -> list[NodeErrors]:
        """The errors of the values of a column, level by level."""
        part, weights = self._weights(name)
        return [level.times(weights) for level in self.plan.errors(part)]

    def _ratio(self, made: tuple[str, str]) -> list[ConsistentRatio]:
        (first, above), (second, below) = (self._weights(name) for name in made)
        levels = zip(
            *(self._consistent(name) for name in made),
            *(self.plan.errors(part) for part in (first, second)),
            strict=True,
        )
        return [
            ConsistentRatio(
                top=top, bottom=bottom, above=noise, below=other, weights=(above, below), shared=first == second
            )
            for top, bottom, noise, other in levels
        ]


def _stacked(ends: list[Interval]) -> Interval:
    return np.concatenate([low for low, _ in ends]), np.concatenate([high for _, high in ends])


def _fits_level(stated: Contribution, most: Contribution) -> bool:
    """Tell whether a person may add this much at a level; caps by column, which no release repeats, make it less."""
    return stated.l1 == most.l1 and stated.l0 <= most.l0 and stated.linf <= most.linf
