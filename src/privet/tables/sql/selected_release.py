"""What the results of all SELECTs share: columns and rows that are computed from a release."""

from collections.abc import Sequence
from functools import cached_property
from math import isfinite
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from attrs import frozen

from privet.accounting.losses.loss import Loss
from privet.tables.columns import find_column
from privet.tables.releases.released_column import ReleasedColumn
from privet.tables.releases.table_release import TableRelease, key_columns
from privet.tables.sql.computed import Row
from privet.tables.sql.post_processing import PostProcessing


class GroupedRelease(Protocol):
    """What a SELECT needs of the release behind it."""

    @property
    def loss(self) -> Loss:
        """The privacy loss."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Lines for the reader."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the group keys."""

    @property
    def groups(self) -> Sequence[tuple[Any, ...]]:
        """One tuple of keys for each group."""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of values."""

    def values(self, name: str) -> Any:
        """The values of a column, as an array."""

    def layout(self) -> tuple[ReleasedColumn, ...]:
        """Say what the columns are."""

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values."""

    def __len__(self) -> int:
        """How many groups there are."""


R = TypeVar("R", bound=GroupedRelease)


@frozen(kw_only=True, repr=False)
class SelectedRelease(TableRelease, Generic[R]):
    """The result of a SELECT. Everything here is public, and so is whatever you compute from it.

    Args:
        release: All groups and all aggregates.
        after: The post-processing that the SELECT asks for.
        text: The SELECT.
    """

    row_noun = "row"
    format: ClassVar[str]
    """What its JSON begins with."""

    release: R
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
    def names(self) -> tuple[str, ...]:
        """The columns of the SELECT."""
        return tuple(output.label for output in self.after.columns)

    def values(self, name: str) -> list[Any]:
        """The values of a column, one for each row of the result."""
        output = find_column(type(self).__name__, name, {each.label: each for each in self.after.columns})
        if output.name in self.release.names:
            values = self.release.values(str(output.name)).tolist()
        else:
            values = self._computed[1][self.after.columns.index(output)]
        return [values[at] for at in self._computed[0]]

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values: the SELECT, its post-processing, and the release behind it."""
        return {"format": self.format, "text": self.text, **self.after.encode(), "release": self.release.encode()}

    @cached_property
    def _computed(self) -> tuple[list[int], list[list[Any]]]:
        """The places of the rows to keep, in order, and the values of the columns."""
        return self.after.compute(self._rows())

    def _rows(self) -> list[Row]:
        """Give the released values of each group as expressions take them: numbers are real, NaN and infinity null."""
        columns = key_columns(self.release.keys, self.release.groups)
        columns |= {name: _plain(self.release.values(name)) for name in self.release.names}
        if not columns:
            return [{} for _ in self.release.groups]
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    @property
    def _kept(self) -> Sequence[int]:
        """The places of the rows to keep; only HAVING, ORDER BY and totals need the values for that."""
        after = self.after
        if after.having is not None or after.order or after.totals:
            return self._computed[0]
        return range(len(self.release))[after.offset : None if after.limit is None else after.offset + after.limit]

    def __len__(self) -> int:
        return len(self._kept)


def _plain(values: Any) -> list[Any]:
    if values.dtype == np.object_ or values.dtype.kind == "M":  # categories, dates and timestamps
        return list(values.tolist())
    return [float(value) if isfinite(value) else None for value in values.tolist()]
