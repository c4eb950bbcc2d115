"""Releases: noisy values by group, with standard errors, intervals at any level, and the loss that paid for them."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from attrs import cmp_using, evolve, field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array, short
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate, in_units
from privet.tables.aggregates.noise import read_level
from privet.tables.aggregates.shared import SharedColumn
from privet.tables.columns import CapOrBounds, find_column, moments_of, spans_of
from privet.tables.noise.key_round import total_loss
from privet.tables.noise.plan import NoisePlan
from privet.tables.releases.bias_limits import BiasLimits
from privet.tables.releases.json_text import agrees, check, check_format, fits, read_json, reading
from privet.tables.releases.key_json import Rounds, decode_rounds, encode_rounds
from privet.tables.releases.ratio import Linear, ratio_estimate, ratio_interval
from privet.tables.releases.release_json import (
    decode_groups,
    decode_numbers,
    decode_plan,
    encode_arrays,
    encode_groups,
    encode_plan,
)
from privet.tables.releases.released_column import (
    ColumnKind,
    ReleasedColumn,
    aggregate_columns,
    category_kind,
    key_column,
    kind_of,
    number_column,
)
from privet.tables.releases.table_release import LEVEL, Interval, Level, ProcessedRelease, key_columns
from privet.tables.releases.value_json import Classes, decode_value, encode_value, known_classes, own_classes

FORMAT = "release/1"


@final
@frozen(kw_only=True)
class Estimated:
    """The estimate of one cap or of the bounds of one column. It is public: the privacy loss was paid.

    Args:
        name: The cap or the column.
        value: The cap, or the pair (lower, upper).
        histogram: The release of the noisy counts that the value follows from.
    """

    name: str
    value: CapOrBounds
    histogram: "Release" = field(repr=False)

    @property
    def loss(self) -> Loss:
        """The privacy loss of the estimate."""
        return self.histogram.loss

    @property
    def line(self) -> str:
        """One line for the reader."""
        noise = self.histogram.plan.planned[0].noise
        exactly = noise.kind == "laplace"
        cost = f"epsilon {short(self.loss.epsilon())}" if exactly else f"rho {float(self.loss.rho()):.4g}"
        return f"estimated first: {self.name} {short(self.value)}, at a cost of {cost}"


def same_arrays(first: Sequence[Array], second: Sequence[Array]) -> bool:
    """Tell whether arrays are equal, with their types."""
    return len(first) == len(second) and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(first, second, strict=True)
    )


@final
@frozen(kw_only=True, repr=False)
class Release(ProcessedRelease):
    """The release of a query. Everything here is public, and so is whatever you compute from it.

    Args:
        keys: The names of the group keys.
        groups: One tuple of keys for each group, in canonical order.
        plan: The aggregates and their noise.
        numbers: The noisy numbers of each planned set, groups by numbers, in steps.
        changes: Post-processing, in order: pairs (what, column).
        ratios: Columns made of two others: name, numerator, denominator.
        notes: Lines for the reader, such as the caps that were used.
        estimates: Caps and bounds that were estimated first.
        bias: What caps and bounds left out, where that was measured.
        key_rounds: Noise and thresholds of the private keys that the groups are; none where the groups are public.
    """

    groups: tuple[tuple[Any, ...], ...] = field()
    plan: NoisePlan = field()
    numbers: tuple[Array, ...] = field(eq=cmp_using(eq=same_arrays), hash=False)
    estimates: tuple[Estimated, ...] = ()
    bias: tuple[BiasLimits, ...] = ()
    key_rounds: Rounds = ()

    @groups.validator
    def _check_groups(self, _: object, value: tuple[tuple[Any, ...], ...]) -> None:
        if not value and not self.key_rounds:
            raise InvalidError("Release.groups must be one group or more, unless they are private keys.")
        if len(value) != self.plan.groups:
            raise InvalidError(f"Release.groups must be the {self.plan.groups} groups of the plan, got {len(value)}.")
        if any(len(group) != len(self.keys) for group in value):
            raise InvalidError(f"Release.groups must hold one value for each of the keys {', '.join(self.keys)}.")

    @numbers.validator
    def _check_numbers(self, _: object, value: tuple[Array, ...]) -> None:
        shapes = tuple((self.plan.groups, part.measured.length) for part in self.plan.planned)
        if tuple(each.shape for each in value) != shapes:
            raise InvalidError("Release.numbers must be those of the plan, a row for each group.")

    @property
    def loss(self) -> Loss:
        """The privacy loss of the release, its estimates, its private keys, and of measuring what was left out."""
        total = self.plan.loss
        if self.key_rounds:
            total += total_loss(self.key_rounds)
        for part in (*(each.loss for each in self.estimates), *(each.loss for each in self.bias)):
            total += part
        return total

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of values: the aggregates, one column for each of their outputs, and ratios."""
        columns = [column for name, aggregate in self.plan.aggregates for column in _columns(name, aggregate)]
        return (*columns, *(name for name, _, _ in self.ratios))

    def values(self, name: str) -> Array:
        """The values of a column, one for each group."""
        return self._changed(name, self._estimate(name)[0])

    def errors(self, name: str) -> Array:
        """The standard errors of a column, from the noise alone, before post-processing; spans of time for dates."""
        return self._estimate(name)[1]

    def interval(self, level: Level = LEVEL) -> dict[str, Interval]:
        """Intervals that hold the exact values, each with probability ``level``.

        The exact value is that of the clamped rows that the caps left: intervals cover neither sampling error nor what
        caps and bounds cut off. Each holds by itself; not all of them at once.

        Args:
            level: Between zero and one.
        """
        share = read_level(level)
        return {name: self._interval(name, share) for name in self.names}

    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are: keys by their public groups, values by the plan."""
        keys = [key_column(key, values) for key, values in key_columns(self.keys, self.groups).items()]
        ratios = [number_column(name) for name, _, _ in self.ratios]
        rounded = {column for what, column in self.changes if what == "rounded"}
        columns = [
            evolve(column, kind="real") if column.name in rounded else column
            for name, aggregate in self.plan.aggregates
            for column in aggregate_columns(name, aggregate, self._kind(name, aggregate))
        ]
        return (*keys, *columns, *ratios)

    def _kind(self, name: str, aggregate: Aggregate) -> ColumnKind:
        """Give the kind of the values of an aggregate."""
        if aggregate.moments is not None:
            return aggregate.moments
        at = self.plan.part(name)
        known = None if aggregate.numeric else category_kind(aggregate)
        if known is not None:
            return known
        with np.errstate(all="ignore"):
            values = aggregate.estimate(self.numbers[at][:1], self.plan.planned[at].noise).value
            if not aggregate.numeric:  # an aggregate of the user's own: only its values show what they are
                values = aggregate.estimate(self.numbers[at], self.plan.planned[at].noise).value
                return kind_of(values.ravel().tolist())
        return "integer" if values.dtype.kind == "i" else "real"

    def nonnegative(self, *names: str) -> "Release":
        """Move negative values and ends of intervals to zero; for columns whose exact values are never negative."""
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

    def to_dict(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """Columns as lists: keys, values, standard errors (``name_error``), intervals (``name_low``, ``name_high``)."""
        return self._table(self.names, level)

    def first_rows(self, count: int, columns: Sequence[ReleasedColumn]) -> dict[str, list[Any]]:
        """Compute these columns for the first groups, and nothing for the others."""
        return self.first(count)._table([column.name for column in columns if not column.is_key], LEVEL)

    def _table(self, names: Sequence[str], level: Level) -> dict[str, list[Any]]:
        table, share = key_columns(self.keys, self.groups), read_level(level)
        for name in names:
            table[name] = self.values(name).tolist()
            table[f"{name}_error"] = self.errors(name).tolist()
            table[f"{name}_low"], table[f"{name}_high"] = (end.tolist() for end in self._interval(name, share))
        return table

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values."""
        return {
            "format": FORMAT,
            "keys": list(self.keys),
            "groups": encode_groups(self.groups),
            **encode_plan(self.plan),
            "numbers": encode_arrays(self.numbers),
            "changes": [list(change) for change in self.changes],
            "ratios": [list(made) for made in self.ratios],
            "notes": list(self.notes),
            "estimates": [[each.name, encode_value(each.value), each.histogram.encode()] for each in self.estimates],
            **({"bias": [each.encode() for each in self.bias]} if self.bias else {}),
            **({"key_rounds": encode_rounds(self.key_rounds)} if self.key_rounds else {}),
        }

    @classmethod
    def from_json(cls, text: str, aggregates: Iterable[type[Aggregate]] = ()) -> "Release":
        """Read what ``to_json`` wrote; grids, distances and the loss follow from the aggregates.

        Args:
            text: The text.
            aggregates: The classes of aggregates of your own that the release holds. A file never loads a class.
        """
        return cls.decode(read_json("Release", text), known_classes(aggregates))

    @classmethod
    def decode(cls, data: dict[str, Any], classes: Classes | None = None) -> "Release":
        """Read a release from plain values; ``classes`` are those that may be made, Privet's own by default."""
        release = cls.decode_level(data, classes)
        if not release.plan.planned:
            raise InvalidError("Release.from_json: a release has numbers, and here are none.")
        return release

    @classmethod
    def decode_level(cls, data: dict[str, Any], classes: Classes | None = None) -> "Release":
        """Read a release, or a level of a roll-up that was not measured and has no numbers.

        The result is written again and compared with what was read, so that no value is misread in silence.
        """
        check_format("Release.from_json", FORMAT, data)
        known = own_classes() if classes is None else classes
        with reading("Release"):
            groups, keys, notes = decode_groups(data["groups"], data["keys"], data["notes"])
            plan = decode_plan(data, len(groups), known)
            release = cls(
                keys=keys,
                groups=groups,
                plan=plan,
                numbers=decode_numbers(data["numbers"], plan),
                notes=notes,
                estimates=tuple(_decode_estimate(*parts, classes=known) for parts in data["estimates"]),
                bias=tuple(BiasLimits.decode(each, known) for each in data.get("bias", ())),
                key_rounds=decode_rounds(data.get("key_rounds", [])),
            )
            check(len({*release.names, *keys}) == len(release.names) + len(keys))
            check(release.plan.planned or not (data["ratios"] or data["changes"]))
            release = release._process(data["ratios"], data["changes"])
            check(agrees(data, release.encode()))
            if release.plan.planned:
                release._try()
        return release

    def _try(self) -> None:
        """Compute what a reader needs, in the first group; a file for which this fails is refused."""
        self.loss.pure()
        first = self.first(1)
        for name in first.names:
            first.errors(name)

    def __len__(self) -> int:
        return len(self.groups)

    def first(self, count: int) -> "Release":
        """Give the release of the first groups alone."""
        return self if count >= len(self.groups) else self.groups_at(range(count))

    def groups_at(self, places: Sequence[int]) -> "Release":
        """Give the release of some groups alone, at least one, in this order."""
        chosen = list(places)
        return evolve(
            self,
            groups=tuple(self.groups[at] for at in chosen),
            plan=evolve(self.plan, groups=len(chosen)),
            numbers=tuple(numbers[chosen] for numbers in self.numbers),
        )

    @cached_property
    def _places(self) -> dict[str, tuple[int, Aggregate, int]]:
        """The planned set, the aggregate and the output of each column."""
        part_of = {name: at for at, part in reversed(list(enumerate(self.plan.planned))) for name in part.names}
        places: dict[str, tuple[int, Aggregate, int]] = {}
        for name, aggregate in self.plan.aggregates:
            for output, column in enumerate(_columns(name, aggregate)):
                places.setdefault(column, (part_of[name], aggregate, output))
        return places

    def _find(self, column: str) -> tuple[int, Aggregate, int]:
        """Give the planned set, the aggregate and the output of a column."""
        if column not in self._places:
            find_column("Release", column, dict.fromkeys(self.names))
        return self._places[column]

    def _check_summed(self, column: str) -> None:
        self._linear(column)

    def _linear(self, column: str) -> Linear:
        """Give a column as a weighted sum of noisy numbers."""
        if self._made(column) is not None:
            raise InvalidError(f"Release.ratio takes counts and sums, got {column!r}.")
        at, aggregate, output = self._find(column)
        numbers, part = self.numbers[at], self.plan.planned[at]
        if isinstance(aggregate, SharedColumn) and aggregate.weights is not None:
            value = aggregate.combined(numbers, part.noise)
            return Linear(value, part.noise, tuple(map(float, aggregate.weights)), at)
        if not aggregate.numeric or part.measured.length != len(aggregate.outputs) or len(part.names) > 1:
            raise InvalidError(f"Release.ratio takes counts and sums, got {column!r}.")
        return Linear(in_units(numbers[:, output], part.noise.grid).astype(np.float64), part.noise)

    def _estimate(self, name: str) -> tuple[Array, Array]:
        made = self._made(name)
        if made is not None:
            return ratio_estimate(*self._pair(made))
        at, aggregate, output = self._find(name)
        with np.errstate(all="ignore"):
            estimate = aggregate.estimate(self.numbers[at], self.plan.planned[at].noise)
            value, error = estimate.value[:, output], estimate.error[:, output]
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
                find_column("Release", name, dict.fromkeys(self.names))
            return names
        made = {name for name, _, _ in self.ratios}
        return tuple(name for name in self.names if name not in made and fits(self._find(name)[1]))


def _columns(name: str, aggregate: Aggregate) -> list[str]:
    return [name if label == "" else f"{name}_{label}" for label in aggregate.outputs]


def _decode_estimate(name: object, value: object, counts: dict[str, Any], *, classes: Classes) -> Estimated:
    read = decode_value(value, classes)
    check(isinstance(name, str) and fits(read, CapOrBounds))
    return Estimated(name=str(name), value=read, histogram=Release.decode(counts, classes))
