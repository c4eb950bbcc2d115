"""Releases of imputed queries: values by group, with error bars only if the release paid for them."""

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.core import Array
from privet.errors import InvalidError, UnavailableError
from privet.tables.aggregates.noise import read_level
from privet.tables.columns import find_column
from privet.tables.releases.json_text import agrees, check, check_format, read_fraction, read_json, reading
from privet.tables.releases.release_json import decode_groups, encode_groups
from privet.tables.releases.released_column import PARTS, ReleasedColumn, key_column, number_column
from privet.tables.releases.table_release import (
    LEVEL,
    Interval,
    Level,
    TableRelease,
    key_columns,
    texts,
)

FORMAT = "imputed-release/1"


def _groups(value: Iterable[Iterable[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, value))


def _columns(value: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    return {name: tuple(map(float, column)) for name, column in value.items()}


def _written(values: tuple[float, ...]) -> list[Any]:
    """Write floats by their shortest decimal; JSON has no infinities."""
    return [value if math.isfinite(value) else str(value) for value in values]


def _as_floats(values: object) -> object:
    """Read whole numbers as floats, in lists of any depth."""
    if isinstance(values, list):
        return [_as_floats(each) for each in values]
    return float(values) if type(values) is int and float(values) == values else values


def _pairs(value: Mapping[str, Any]) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    return {name: (tuple(map(float, low)), tuple(map(float, high))) for name, (low, high) in value.items()}


@final
@frozen(kw_only=True, repr=False)
class ImputedRelease(TableRelease):
    """The release of an imputed query. Everything here is public.

    The size of the noise of imputed numbers is private: they have an interval only if the release paid for it.

    Args:
        keys: The names of the group keys.
        groups: One tuple of keys for each group.
        columns: The values, by name, one for each group.
        intervals: For names that have error bars, the lower and the upper ends of 95 % intervals.
        epsilon: The privacy loss of the release.
        delta: The probability of a larger loss.
        notes: Lines for the reader.

    >>> release = ImputedRelease(keys=(), groups=((),), columns={"mean_income": [312.5]}, epsilon=Fraction(1))
    >>> release.values("mean_income").tolist()
    [312.5]
    """

    keys: tuple[str, ...] = field(converter=texts)
    groups: tuple[tuple[Any, ...], ...] = field(converter=_groups)
    columns: Mapping[str, tuple[float, ...]] = field(converter=_columns, hash=False)
    intervals: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = field(
        factory=dict, converter=_pairs, hash=False
    )
    epsilon: Fraction
    delta: Fraction = Fraction(0)
    notes: tuple[str, ...] = field(default=(), converter=texts)

    def __attrs_post_init__(self) -> None:
        for name, values in self.columns.items():
            if any(len(each) != len(self.groups) for each in (values, *self.intervals.get(name, ()))):
                raise InvalidError(
                    f"ImputedRelease: {name!r} must have one value for each of {len(self.groups)} groups."
                )

    @property
    def loss(self) -> Loss:
        """The privacy loss of the release."""
        return ApproximateLoss(self.epsilon, self.delta) if self.delta else PureLoss(self.epsilon)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of values."""
        return tuple(self.columns)

    def values(self, name: str) -> Array:
        """The values of a column, one for each group."""
        return np.array(find_column("ImputedRelease", name, self.columns), dtype=np.float64)

    def errors(self, name: str) -> Array:
        """Standard errors are not released: the size of the noise is private."""
        return np.full(len(self.values(name)), math.nan)

    def interval(self, level: Level = LEVEL) -> dict[str, Interval]:
        """Ends of 95 % intervals; NaN for columns without error bars. They cover the noise only.

        Args:
            level: 0.95, since the release paid for one level.
        """
        if read_level(level) != LEVEL:
            raise UnavailableError("ImputedRelease.interval: the release paid for intervals of level 0.95 alone.")
        none = (math.nan,) * len(self.groups)
        ends = {name: self.intervals.get(name, (none, none)) for name in self.names}
        return {name: (np.array(low), np.array(high)) for name, (low, high) in ends.items()}

    def to_dict(self, level: Level = LEVEL) -> dict[str, list[Any]]:
        """Columns as lists: keys, values, and intervals (``name_low``, ``name_high``) where there are any."""
        table, ends = key_columns(self.keys, self.groups), self.interval(level)
        for name in self.names:
            table[name] = self.values(name).tolist()
            if name in self.intervals:
                table[f"{name}_low"], table[f"{name}_high"] = (end.tolist() for end in ends[name])
        return table

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values."""
        return {
            "format": FORMAT,
            "keys": list(self.keys),
            "groups": encode_groups(self.groups),
            "columns": {name: _written(values) for name, values in self.columns.items()},
            "intervals": {name: [_written(end) for end in ends] for name, ends in self.intervals.items()},
            "epsilon": str(self.epsilon),
            **({"delta": str(self.delta)} if self.delta else {}),  # files without a delta read as before
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, text: str) -> "ImputedRelease":
        """Read what ``to_json`` wrote."""
        data = read_json("ImputedRelease", text)
        check_format("ImputedRelease.from_json", FORMAT, data)
        with reading("ImputedRelease"):
            groups, keys, notes = decode_groups(data["groups"], data["keys"], data["notes"])
            release = cls(
                keys=keys,
                groups=groups,
                columns=data["columns"],
                intervals=data["intervals"],
                epsilon=read_fraction(data["epsilon"]),
                delta=read_fraction(data.get("delta", "0")),
                notes=notes,
            )
            names = release.names
            check(len({*keys, *names}) == len(keys) + len(names) and set(release.intervals) <= set(names))
            check(release.epsilon >= 0 and 0 <= release.delta < 1)
            for part in ("columns", "intervals"):  # other programs write 3 for 3.0
                data[part] = {name: _as_floats(values) for name, values in data[part].items()}
            check(agrees(data, release.encode()))
            str(release)
        return release

    def __len__(self) -> int:
        return len(self.groups)

    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are: numbers, with intervals if the release paid for them."""
        keys = [key_column(key, values) for key, values in key_columns(self.keys, self.groups).items()]
        ends, none = evolve(number_column(""), parts=PARTS[1:]), evolve(number_column(""), parts=(), has_interval=False)
        columns = [evolve(ends if name in self.intervals else none, name=name, output=name) for name in self.names]
        return (*keys, *columns)

    def first_rows(self, count: int, columns: Sequence[ReleasedColumn]) -> dict[str, list[Any]]:
        """Give the first groups."""
        return {name: values[:count] for name, values in self.to_dict().items()}
