"""Releases of imputed queries: values by group, without error bars unless those were paid for."""

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.core.rows import Array
from privet.errors import InvalidError, UnavailableError
from privet.tables.releases.json_text import agrees, check, fits, read_fraction, read_json, reading
from privet.tables.releases.value_json import KEYS, decode_value, encode_value

_VERSION = 1
_SHOWN = 20


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(value)


def _groups(value: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple(map(tuple, value))


def _columns(value: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    return {name: tuple(map(float, column)) for name, column in value.items()}


def _written(values: tuple[float, ...]) -> list[Any]:
    """Write floats by their shortest decimal; JSON has no infinities."""
    return [value if math.isfinite(value) else str(value) for value in values]


def _as_floats(values: Any) -> Any:
    if isinstance(values, list):
        return [_as_floats(each) for each in values]
    return float(values) if type(values) is int and float(values) == values else values


def _pairs(value: Mapping[str, Any]) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    return {name: (tuple(map(float, low)), tuple(map(float, high))) for name, (low, high) in value.items()}


@final
@frozen(kw_only=True, repr=False)
class ImputedRelease:
    """What an imputed query gave. Everything here is public.

    The size of the noise of imputed numbers is private, so that there are no error bars.

    Args:
        keys: The names of the group keys.
        groups: One tuple of keys for each group.
        columns: The values, by name, one for each group.
        intervals: For names that have error bars, the lower and the upper ends of 95 % intervals.
        epsilon: What the release cost.
        notes: Lines for the reader.

    >>> found = ImputedRelease(keys=(), groups=((),), columns={"mean_income": [312.5]}, epsilon=Fraction(1))
    >>> found.values("mean_income").tolist()
    [312.5]
    """

    keys: tuple[str, ...] = field(converter=_texts)
    groups: tuple[tuple[Any, ...], ...] = field(converter=_groups)
    columns: Mapping[str, tuple[float, ...]] = field(converter=_columns, hash=False)
    intervals: Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]] = field(
        factory=dict, converter=_pairs, hash=False
    )
    epsilon: Fraction
    notes: tuple[str, ...] = field(default=(), converter=_texts)

    def __attrs_post_init__(self) -> None:
        for name, values in self.columns.items():
            if any(len(each) != len(self.groups) for each in (values, *self.intervals.get(name, ()))):
                raise InvalidError(
                    f"ImputedRelease: {name!r} must have one value for each of {len(self.groups)} groups."
                )

    @property
    def loss(self) -> Loss:
        """What the release cost."""
        return PureLoss(self.epsilon)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of values."""
        return tuple(self.columns)

    def values(self, name: str) -> Array:
        """The values of a column, one for each group."""
        if name not in self.columns:
            raise InvalidError(f"ImputedRelease: there is no column {name!r}; there are {', '.join(self.columns)}.")
        return np.array(self.columns[name], dtype=np.float64)

    def interval(self, name: str) -> tuple[Array, Array]:
        """Ends of 95 % intervals of a column, where its error bars were paid for or are public anyway.

        Args:
            name: The column.
        """
        self.values(name)
        if name not in self.intervals:
            raise UnavailableError(
                f"ImputedRelease: the size of the noise of {name!r} is private, so that there are no error bars; pay "
                "for them with release(..., interval=...)."
            )
        low, high = self.intervals[name]
        return np.array(low), np.array(high)

    def to_dict(self) -> dict[str, list[Any]]:
        """Columns as lists: keys, values, and intervals (``name_low``, ``name_high``) where there are any."""
        found: dict[str, list[Any]] = {key: [group[at] for group in self.groups] for at, key in enumerate(self.keys)}
        for name in self.names:
            found[name] = self.values(name).tolist()
            if name in self.intervals:
                found[f"{name}_low"], found[f"{name}_high"] = (end.tolist() for end in self.interval(name))
        return found

    def to_pandas(self) -> Any:
        """A pandas data frame with the columns of ``to_dict``."""
        import pandas as pd

        return pd.DataFrame(self.to_dict())

    def to_arrow(self) -> Any:
        """An Arrow table with the columns of ``to_dict``."""
        import pyarrow as pa

        return pa.table(self.to_dict())

    def to_json(self) -> str:
        """Write everything, so that ``from_json`` gives an equal release."""
        return json.dumps(
            {
                "privet_imputed_release": _VERSION,
                "keys": list(self.keys),
                "groups": [list(map(encode_value, group)) for group in self.groups],
                "columns": {name: _written(values) for name, values in self.columns.items()},
                "intervals": {name: [_written(end) for end in ends] for name, ends in self.intervals.items()},
                "epsilon": str(self.epsilon),
                "notes": list(self.notes),
            },
            allow_nan=False,
        )

    @classmethod
    def from_json(cls, text: str) -> "ImputedRelease":
        """Read what ``to_json`` wrote."""
        found = read_json("ImputedRelease", text)
        if not isinstance(found, dict) or not agrees(found.pop("privet_imputed_release", None), _VERSION):
            raise InvalidError(f"ImputedRelease.from_json reads what to_json wrote, in version {_VERSION}.")
        with reading("ImputedRelease"):
            groups = tuple(tuple(map(decode_value, group)) for group in found["groups"])
            release = cls(**{**found, "groups": groups, "epsilon": read_fraction(found["epsilon"])})
            release._check()
            for part in ("columns", "intervals"):  # other programs write 3 for 3.0
                found[part] = {name: _as_floats(values) for name, values in found[part].items()}
            check(agrees(found, json.loads(release.to_json())))
            str(release)
        return release

    def _check(self) -> None:
        """Refuse parts that do not belong together."""
        keys, names = self.keys, self.names
        check(fits((keys, self.notes), tuple[tuple[str, ...], tuple[str, ...]]) and self.epsilon >= 0)
        check(len({*keys, *names}) == len(keys) + len(names) and set(self.intervals) <= set(names))
        check(len(set(self.groups)) == len(self.groups) and all(len(group) == len(keys) for group in self.groups))
        check(all(isinstance(key, KEYS) for group in self.groups for key in group))

    def __repr__(self) -> str:
        return f"ImputedRelease({len(self.groups)} groups, {', '.join(self.names)})"

    def __str__(self) -> str:
        lines = [[*self.keys, *self.names]]
        for at, group in enumerate(self.groups[:_SHOWN]):
            lines.append([*map(str, group), *(f"{self.columns[name][at]:.6g}" for name in self.names)])
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        told = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        more = len(self.groups) - _SHOWN
        return "\n".join([*told, *([f"and {more} groups more"] if more > 0 else []), *self.notes])
