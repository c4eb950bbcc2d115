"""Releases: noisy answers by group, with standard errors, intervals at any level, and the loss that paid for them."""

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from attrs import cmp_using, evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core.rows import Array
from privet.errors import InvalidError, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate, in_units
from privet.tables.aggregates.noise import read_level
from privet.tables.aggregates.shared import SharedColumn
from privet.tables.columns.timestamps import moments_of, spans_of
from privet.tables.noise.plan import NoisePlan
from privet.tables.releases.estimated import Estimated
from privet.tables.releases.ratio import Linear, ratio_estimate, ratio_interval

Change = tuple[str, str]
_SHOWN = 20


def _same_arrays(first: Any, second: Any) -> bool:
    return len(first) == len(second) and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(first, second, strict=True)
    )


@final
@frozen(kw_only=True, repr=False)
class Release:
    """What a query gave. Everything here is public; whatever is computed from it is free.

    Args:
        keys: The names of the group keys.
        groups: One tuple of keys for each group, in canonical order.
        plan: What was asked, and the noise that was added.
        numbers: The noisy numbers of each planned set, groups by numbers, in steps.
        changes: Post-processing, in order: pairs (what, column).
        ratios: Columns made of two others: name, numerator, denominator.
        notes: Lines for the reader, such as the caps that were used.
        estimates: Caps and bounds that were estimated first.
    """

    keys: tuple[str, ...] = field(converter=tuple)
    groups: tuple[tuple[Any, ...], ...] = field()
    plan: NoisePlan = field()
    numbers: tuple[Array, ...] = field(eq=cmp_using(eq=_same_arrays), hash=False)
    changes: tuple[Change, ...] = ()
    ratios: tuple[tuple[str, str, str], ...] = ()
    notes: tuple[str, ...] = field(default=(), converter=tuple)
    estimates: tuple[Estimated, ...] = ()

    @groups.validator
    def _check_groups(self, _: Any, value: tuple[tuple[Any, ...], ...]) -> None:
        if len(value) != self.plan.groups:
            raise InvalidError(f"Release.groups must be the {self.plan.groups} groups of the plan, got {len(value)}.")
        if any(len(group) != len(self.keys) for group in value):
            raise InvalidError(f"Release.groups must hold one value for each of the keys {', '.join(self.keys)}.")

    @numbers.validator
    def _check_numbers(self, _: Any, value: tuple[Array, ...]) -> None:
        shapes = tuple((self.plan.groups, part.measured.length) for part in self.plan.planned)
        if tuple(each.shape for each in value) != shapes:
            raise InvalidError("Release.numbers must be those of the plan, a row for each group.")

    @property
    def loss(self) -> Loss:
        """What the release cost, with what was estimated for it."""
        total = self.plan.loss
        for each in self.estimates:
            total += each.loss
        return total

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of values: the aggregates, one column for each of their outputs, and ratios."""
        found = [column for name, aggregate in self.plan.aggregates for column in _columns(name, aggregate)]
        return (*found, *(name for name, _, _ in self.ratios))

    def values(self, name: str) -> Array:
        """The values of a column, one for each group."""
        return self._changed(name, self._estimate(name)[0])

    def errors(self, name: str) -> Array:
        """The standard errors of a column, from the noise alone; before post-processing. Of dates, spans of time."""
        return self._estimate(name)[1]

    def interval(self, level: Any = Fraction(95, 100)) -> dict[str, tuple[Array, Array]]:
        """Intervals that hold the exact values, each with probability ``level``.

        The exact value is that of the clamped rows that the caps left: neither sampling error nor what caps and
        bounds cut off is included. Each holds by itself; not all of them at once.

        Args:
            level: Between zero and one.
        """
        share = read_level(level)
        return {name: self._interval(name, share) for name in self.names}

    def nonnegative(self, *names: str) -> "Release":
        """Move what lies below zero up to zero, also ends of intervals; for columns whose exact values never do."""
        chosen = self._chosen(names, lambda item: item.nonnegative)
        for name in chosen:
            if self._made(name) is not None or not self._find(name)[1].nonnegative:
                raise InvalidError(f"Release.nonnegative: the exact values of {name!r} may be below zero.")
        return self._with("nonnegative", chosen)

    def rounded(self, *names: str) -> "Release":
        """Round values to whole numbers, and the ends of intervals outward."""
        chosen = self._chosen(names, lambda item: item.numeric)
        for name in chosen:
            if self._made(name) is None and not self._find(name)[1].numeric:
                raise InvalidError(f"Release.rounded: the values of {name!r} are no numbers.")
        return self._with("rounded", chosen)

    def ratio(self, name: str, numerator: str, denominator: str) -> "Release":
        """Add a column that divides one by another, both counts or sums.

        Args:
            name: Of the new column.
            numerator: A column whose value is one noisy number.
            denominator: Another one.
        """
        if name in self.names or name in self.keys:
            raise InvalidError(f"Release.ratio: there is a column {name!r} already.")
        if numerator == denominator:
            raise InvalidError(f"Release.ratio: {numerator!r} over itself is one.")
        for column in (numerator, denominator):
            self._linear(column)
        return evolve(self, ratios=(*self.ratios, (name, numerator, denominator)))

    def to_dict(self, level: Any = Fraction(95, 100)) -> dict[str, list[Any]]:
        """Columns as lists: keys, values, standard errors (``name_error``), intervals (``name_low``, ``name_high``)."""
        table: dict[str, list[Any]] = {key: [group[at] for group in self.groups] for at, key in enumerate(self.keys)}
        ends = self.interval(level)
        for name in self.names:
            table[name] = self.values(name).tolist()
            table[f"{name}_error"] = self.errors(name).tolist()
            table[f"{name}_low"], table[f"{name}_high"] = (end.tolist() for end in ends[name])
        return table

    def to_arrow(self, level: Any = Fraction(95, 100)) -> Any:
        """An Arrow table with the columns of ``to_dict``."""
        import pyarrow as pa

        return pa.table(self.to_dict(level))

    def to_pandas(self, level: Any = Fraction(95, 100)) -> Any:
        """A pandas data frame with the columns of ``to_dict``."""
        import pandas as pd

        return pd.DataFrame(self.to_dict(level))

    def to_polars(self, level: Any = Fraction(95, 100)) -> Any:
        """A polars data frame with the columns of ``to_dict``."""
        import polars as pl

        return pl.DataFrame(self.to_dict(level))

    def to_json(self) -> str:
        """Write everything, so that ``from_json`` gives an equal release, at any level."""
        from privet.tables.releases.release_json import encode_release

        return json.dumps(encode_release(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str, aggregates: Iterable[type[Aggregate]] = ()) -> "Release":
        """Read what ``to_json`` wrote.

        Args:
            text: The text.
            aggregates: The classes of aggregates of your own that the release holds. A file never loads a class.
        """
        from privet.tables.releases.json_text import read_json
        from privet.tables.releases.release_json import decode_release

        return decode_release(read_json("Release", text), aggregates)

    def __repr__(self) -> str:
        return f"Release({len(self.groups)} groups, {', '.join(self.names)})"

    def __str__(self) -> str:
        heads = [*self.keys, *self.names]
        ends = self.interval()
        columns = {name: (self.values(name), *ends[name]) for name in self.names}
        lines = [heads]
        for at, group in enumerate(self.groups[:_SHOWN]):
            lines.append([*map(str, group), *(_cell(*(item[at] for item in columns[name])) for name in self.names)])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        told = [
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        ]
        more = len(self.groups) - _SHOWN
        return "\n".join([*told, *([f"and {more} groups more"] if more > 0 else []), *self.notes])

    @cached_property
    def _places(self) -> dict[str, tuple[int, Aggregate, int]]:
        """The planned set, the aggregate and the output of each column."""
        part_of = {name: at for at, part in reversed(list(enumerate(self.plan.planned))) for name in part.names}
        found: dict[str, tuple[int, Aggregate, int]] = {}
        for name, aggregate in self.plan.aggregates:
            for output, column in enumerate(_columns(name, aggregate)):
                found.setdefault(column, (part_of[name], aggregate, output))
        return found

    def _find(self, column: str) -> tuple[int, Aggregate, int]:
        """Give the planned set, the aggregate and the output of a column."""
        if column not in self._places:
            raise InvalidError(
                f"Release: there is no column {column!r} of this kind; there are {', '.join(self.names)}."
            )
        return self._places[column]

    def _linear(self, column: str) -> Linear:
        """Give a column as a weighted sum of noisy numbers."""
        at, aggregate, output = self._find(column)
        numbers, part = self.numbers[at], self.plan.planned[at]
        if isinstance(aggregate, SharedColumn) and aggregate.weights is not None:
            value = aggregate.combined(numbers, part.noise)
            return Linear(value, part.noise, tuple(map(float, aggregate.weights)), at)
        if not aggregate.numeric or part.measured.length != len(aggregate.outputs) or len(part.names) > 1:
            raise InvalidError(f"Release.ratio takes counts and sums, got {column!r}.")
        return Linear(in_units(numbers[:, output], part.noise.grid).astype(np.float64), part.noise)

    def _made(self, column: str) -> tuple[str, str] | None:
        return next(((top, bottom) for name, top, bottom in self.ratios if name == column), None)

    def _estimate(self, name: str) -> tuple[Array, Array]:
        made = self._made(name)
        if made is not None:
            return ratio_estimate(*self._pair(made))
        at, aggregate, output = self._find(name)
        with np.errstate(all="ignore"):
            found = aggregate.estimate(self.numbers[at], self.plan.planned[at].noise)
            value, error = found.value[:, output], found.error[:, output]
            if aggregate.moments is not None:
                return moments_of(aggregate.moments, value), spans_of(aggregate.moments, error)
        return value, error

    def _interval(self, name: str, level: Fraction) -> tuple[Array, Array]:
        made = self._made(name)
        with np.errstate(all="ignore"):
            if made is not None:
                low, high = ratio_interval(*self._pair(made), level)
            else:
                at, aggregate, output = self._find(name)
                ends = aggregate.interval(self.numbers[at], self.plan.planned[at].noise, level)
                low, high = (end[:, output] for end in ends)
                if aggregate.moments is not None:
                    return moments_of(aggregate.moments, low, np.floor), moments_of(aggregate.moments, high, np.ceil)
        return self._changed(name, low, np.floor), self._changed(name, high, np.ceil)

    def _pair(self, made: tuple[str, str]) -> tuple[Linear, Linear]:
        return self._linear(made[0]), self._linear(made[1])

    def _changed(self, name: str, values: Array, rounding: Callable[[Array], Array] = np.rint) -> Array:
        for what, column in self.changes:
            if column == name:
                values = np.maximum(values, 0) if what == "nonnegative" else rounding(values)
        return values

    def _chosen(self, names: tuple[str, ...], fits: Callable[[Aggregate], bool]) -> tuple[str, ...]:
        if names:
            for name in names:
                if name not in self.names:
                    raise WrongTypeError(f"Release: there is no column {name!r}; there are {', '.join(self.names)}.")
            return names
        made = {name for name, _, _ in self.ratios}
        return tuple(name for name in self.names if name not in made and fits(self._find(name)[1]))

    def _with(self, what: str, names: tuple[str, ...]) -> "Release":
        return evolve(self, changes=(*self.changes, *((what, name) for name in names)))


def released(
    plan: NoisePlan, numbers: tuple[Array, ...], *, keys: Any = (), groups: Any = ((),), notes: Any = ()
) -> Release:
    """Put noisy numbers and group keys together.

    Args:
        plan: What was asked.
        numbers: What ``add_noise`` gave.
        keys: The names of the group keys.
        groups: One tuple of keys for each group.
        notes: Lines for the reader.
    """
    return Release(keys=keys, groups=tuple(map(tuple, groups)), plan=plan, numbers=numbers, notes=notes)


def _columns(name: str, aggregate: Aggregate) -> list[str]:
    return [name if label == "" else f"{name}_{label}" for label in aggregate.outputs]


def _cell(value: Any, low: Any, high: Any) -> str:
    shown, ends = written_value(value), [written_value(end) for end in (low, high)]
    return f"{shown} ({ends[0]} to {ends[1]})" if low == low else shown  # NaN where there is no interval


def written_value(value: Any) -> str:
    """Write a value or the end of an interval for a reader: reals with six digits, all else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
