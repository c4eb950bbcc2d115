"""What a SELECT gives: columns of a release, and the rows that HAVING, ORDER BY and LIMIT leave of it.

Everything here works on what was released. It costs nothing and can tell nothing more.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, final

from attrs import frozen

from privet.accounting.loss import Loss
from privet.errors import Invalid
from privet.tables.release import Release
from privet.tables.sql_condition import Condition

_PARTS = ("", "_error", "_low", "_high")
_SHOWN = 20


@final
@frozen
class Order:
    """One column to sort by."""

    column: str
    falling: bool
    nulls_first: bool


@final
@frozen(kw_only=True)
class After:
    """What happens after the release.

    Args:
        columns: The columns of the result: pairs (label, name in the release), in order.
        having: Which rows stay.
        order: By what they are sorted, the first column first.
        offset: How many rows are left out at the beginning.
        limit: How many rows there are at most.
    """

    columns: tuple[tuple[str, str], ...]
    having: Condition | None = None
    order: tuple[Order, ...] = ()
    offset: int = 0
    limit: int | None = None

    def places(self, table: Mapping[str, list[Any]]) -> list[int]:
        """Give the places of the rows that stay, in order."""
        rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
        kept = [at for at, row in enumerate(rows) if self.having is None or self.having.holds(row) is True]
        for each in reversed(self.order):  # sorting is stable: the first column decides last
            values = table[each.column]
            known = [at for at in kept if values[at] is not None and values[at] == values[at]]
            unknown = [at for at in kept if values[at] is None or values[at] != values[at]]
            known.sort(key=values.__getitem__, reverse=each.falling)
            kept = [*unknown, *known] if each.nulls_first else [*known, *unknown]
        end = None if self.limit is None else self.offset + self.limit
        return kept[self.offset : end]


@final
@frozen(kw_only=True, repr=False)
class SqlAnswer:
    """The result of a SELECT. Everything here is public; whatever is computed from it is free.

    Args:
        release: All groups and all aggregates, as they were released.
        after: What the SELECT makes of it.
    """

    release: Release
    after: After

    @property
    def loss(self) -> Loss:
        """What the release cost."""
        return self.release.loss

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the SELECT."""
        return tuple(label for label, _ in self.after.columns)

    def values(self, name: str) -> list[Any]:
        """The values of a column, one for each row of the result."""
        found = dict(self.after.columns).get(name)
        if found is None:
            raise Invalid(f"SqlAnswer: there is no column {name!r}; there are {', '.join(self.names)}.")
        table = self._values()
        return [table[found][at] for at in self.after.places(table)]

    def to_dict(self, level: Any = Fraction(95, 100)) -> dict[str, list[Any]]:
        """Columns as lists; beside values their errors (``n_error``) and intervals (``n_low``, ``n_high``)."""
        table = self.release.to_dict(level)
        places = self.after.places(self._values())
        parts = {label: ("",) if name in self.release.keys else _PARTS for label, name in self.after.columns}
        return {
            label + part: [table[name + part][at] for at in places]
            for label, name in self.after.columns
            for part in parts[label]
        }

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

    def _values(self) -> dict[str, list[Any]]:
        keys = {key: [group[at] for group in self.release.groups] for at, key in enumerate(self.release.keys)}
        return {**keys, **{name: self.release.values(name).tolist() for name in self.release.names}}

    def __len__(self) -> int:
        return len(self.after.places(self._values()))

    def __repr__(self) -> str:
        return f"SqlAnswer({len(self)} rows, {', '.join(self.names)})"

    def __str__(self) -> str:
        table = self.to_dict()
        lines = [list(self.names)]
        lines += [[_cell(table[name][at]) for name in self.names] for at in range(min(len(self), _SHOWN))]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        told = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        more = len(self) - _SHOWN
        return "\n".join([*told, *([f"and {more} rows more"] if more > 0 else []), *self.release.notes])


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def check_labels(values: list[str], keys: list[str]) -> None:
    """Refuse names of which one would hide another in the result."""
    seen: set[str] = set()
    for name in [*keys, *(value + part for value in values for part in _PARTS)]:
        if name.lower() in seen:
            raise Invalid(f"SQL: two columns of the result would be called {name!r}; name one of them with AS.")
        seen.add(name.lower())
