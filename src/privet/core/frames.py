"""Domains of several columns: matrices of reals, records of named columns, and partitions of either."""

import math
from collections.abc import Iterator, Mapping, Sequence, Sized
from fractions import Fraction
from typing import Any, cast, final

import numpy as np
from attrs import evolve, field, frozen

from privet.core.balls import Norm, into_ball
from privet.core.checks import short
from privet.core.domain import Bounds, Domain, Keys, VectorDomain, rows_to_keep
from privet.core.grid import clamp_floats, nearest_step, on_grid
from privet.core.quiet import quietly
from privet.core.rows import Array, read_identifiers, read_rows
from privet.errors import InvalidError, WrongTypeError


@final
@frozen(kw_only=True)
class MatrixDomain(Domain):
    """Rows of real numbers, the same public number in each.

    Args:
        columns: How many numbers a row has.
        bounds: For each column the interval that contains its values, or None.
        size: The public number of rows, or None if it is private.
        nan: Whether values may be NaN.
        grid: The grid step; with bounds, every value is a multiple of it.
        norm: The ball that contains every row, or None.
        ordered: Whether the order of rows matters.
    """

    columns: int
    bounds: tuple[Bounds, ...] | None = None
    size: int | None = None
    nan: bool = True
    grid: Fraction | None = None
    norm: Norm | None = None
    ordered: bool = False

    def member(self, value: object) -> bool:
        """Return whether an array has the shape, bounds, grid and norm of this domain."""
        if type(value) is not np.ndarray or value.dtype != np.float64 or value.ndim != 2:
            return False
        if value.shape[1] != self.columns or (self.size is not None and len(value) != self.size):
            return False
        if not self.nan and bool(np.isnan(value).any()):
            return False
        return (
            self._within_bounds(value)
            and on_grid(value[np.isfinite(value)], self.grid)
            and all(self._inside(row) for row in value.tolist())
        )

    def _within_bounds(self, values: Array) -> bool:
        for position, (lower, upper) in enumerate(self.bounds or ()):
            column = values[:, position]
            if not all(np.isfinite(item) and lower <= Fraction(item) <= upper for item in column[~np.isnan(column)]):
                return False
        return True

    def _inside(self, row: list[float]) -> bool:
        if self.norm is None or any(item != item for item in row):
            return True
        return all(map(math.isfinite, row)) and self.norm.holds(row)

    def admit(self, data: object) -> Array:
        """Read a table of numbers and make it a member; anything that is not a number becomes NaN."""
        return self._admit(data, None)

    def admit_sample(self, data: object, keys: Keys) -> Array:
        """Read a table of numbers; a table that is too long keeps the rows with the smallest keys."""
        return self._admit(data, keys)

    def _admit(self, data: object, keys: Keys | None) -> Array:
        if self.norm is not None:  # the unit ClampNorm moves rows into a ball
            raise WrongTypeError(
                "data cannot be read into a ball: start from pc.matrix(...) and put ClampNorm(...) after it."
            )
        if not self.columns:
            return self.coerce(np.empty((len(cast("Sized", data)), 0)), keys)
        return self.coerce(np.column_stack(list(self._read(data))), keys)

    def read_member(self, label: str, data: object) -> Array:
        """Read a table that needs no change but rounding to the grid."""
        free = MatrixDomain(columns=self.columns)
        raw = free.admit(data)
        problem = ""
        if self.size is not None and len(raw) != self.size:
            problem = f"the number of rows is not {self.size}"
        elif not self.nan and bool(np.isnan(raw).any()):
            problem = "a value is not a number"
        elif not self._within_bounds(raw):
            problem = "a value lies outside the bounds of its column"
        elif not all(map(self._inside, raw.tolist())):
            problem = "a row lies outside the ball"
        self.refuse(label, problem)
        return self.coerce(raw)

    def _read(self, data: object) -> Iterator[Array]:
        for column in _columns(data, self.columns):
            values, null = read_rows(column, float)
            yield values if null is None else np.where(null, np.nan, values)

    def coerce(self, values: Array, keys: Keys | None = None) -> Array:
        """Apply the descriptors: bounds and grid, NaN, the ball, then size, for which the keys choose rows."""
        if self.bounds is not None and self.grid is not None:
            limits = enumerate(self.bounds)
            values = np.column_stack([clamp_floats(values[:, at], limit, self.grid) for at, limit in limits])
        if not self.nan and bool(np.isnan(values).any()):
            values = np.where(np.isnan(values), self.blank(), values)
        if self.norm is not None and self.grid is not None:
            values = self._into_ball(values, self.norm, self.grid)
        if self.size is not None and len(values) != self.size:
            values = self._resize(values, self.size, keys)
        return values

    def widen(self, d_in: int) -> int:
        """Round an odd distance up if the size is public: one row more or less is read as a replacement."""
        return d_in if self.size is None or self.ordered else d_in + d_in % 2

    def _into_ball(self, values: Array, norm: Norm, grid: Fraction) -> Array:
        """Move rows into the ball; rows inside it and rows with NaN stay as they are.

        If the box of the bounds does not contain the centre, a row that moves toward it may leave the box. Such a row
        is clamped to the box. If that takes the row out of the ball, it becomes the blank row.
        """
        moved = into_ball(values, norm, grid)
        if self.bounds is not None:
            limits = enumerate(self.bounds)
            moved = np.column_stack([clamp_floats(moved[:, at], limit, grid) for at, limit in limits])
        inside = [all(map(math.isfinite, row)) and norm.holds(row) for row in values.tolist()]
        outside = [not stays and not norm.holds(row) for stays, row in zip(inside, moved.tolist(), strict=True)]
        moved[np.array(outside, dtype=bool)] = self.blank()
        same = np.array(inside, dtype=bool) | (np.isnan(values).any(axis=1) & self.nan)
        return np.where(same[:, None], values, moved)

    def blank(self) -> Array:
        """Return the row that replaces a missing row in a domain without NaN.

        In each column it is the grid point nearest to zero or, with a norm, nearest to the centre of the ball.
        """
        centre = (Fraction(0),) * self.columns if self.norm is None else self.norm.origin
        if self.bounds is None or self.grid is None:
            return np.array([float(item) for item in centre])
        limits = zip(centre, self.bounds, strict=True)
        row = [float(nearest_step(item, limit, self.grid) * self.grid) for item, limit in limits]
        if self.norm is not None and not self.norm.holds(row):
            raise InvalidError("the bounds of the columns must meet the ball of the rows: no row lies in both.")
        return np.array(row)

    def _resize(self, values: Array, size: int, keys: Keys | None) -> Array:
        """Keep rows as a column does, or add missing rows."""
        if len(values) > size:
            rows = rows_to_keep(len(values), size, lambda: np.lexsort(values.T[::-1]), keys, ordered=self.ordered)
            return values[rows]
        row = np.full(self.columns, np.nan) if self.nan else self.blank()
        return np.concatenate([values, np.tile(row, (size - len(values), 1))])

    def describe(self) -> str:
        """Name the columns and the descriptors that differ from the default."""
        arguments = [str(self.columns)]
        arguments += [f"bounds={short(self.bounds)}"] if self.bounds is not None else []
        arguments += [f"size={short(self.size)}"] if self.size is not None else []
        return f"matrix({', '.join(arguments)})"


@final
@frozen
class Records:
    """Named columns of one length: the private value of a :class:`RecordsDomain`."""

    columns: Mapping[str, Array] = field(repr=False, eq=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def take(self, rows: Array | list[int] | slice) -> "Records":
        """Select rows by index or by mask."""
        return Records({name: column[rows] for name, column in self.columns.items()})


@final
@frozen(kw_only=True)
class RecordsDomain(Domain):
    """Records with named fields of any kind.

    Args:
        columns: Pairs (name, domain of the column); the domains of the columns have no size.
        identifier: The id column, or None. Its numbers are never rounded: a number that is not whole, or needs more
            than 64 bits, becomes null and belongs to no person. This affects how data are read, not which records
            are members.
        size: The public number of records, or None if it is private.
        ordered: Whether the order of records matters; only with a public size.
    """

    columns: tuple[tuple[str, VectorDomain], ...]
    identifier: Any = field(default=None, eq=False)
    size: int | None = None
    ordered: bool = False

    def member(self, value: object) -> bool:
        """Return whether every column is a member of its domain and all columns have the same length."""
        if not isinstance(value, Records) or list(value.columns) != [name for name, _ in self.columns]:
            return False
        if {len(column) for column in value.columns.values()} - {len(value) if self.size is None else self.size}:
            return False
        return all(domain.member(value.columns[name]) for name, domain in self.columns)

    def admit(self, data: object) -> Records:
        """Read a mapping of columns, a data frame, or rows as mappings or sequences."""
        return self._resize(self._read(data), None)

    def admit_sample(self, data: object, keys: Keys) -> Records:
        """Read records; a table that is too long keeps the records with the smallest keys."""
        return self._resize(self._read(data), keys)

    def _read(self, data: object) -> Records:
        columns = {}
        for name, domain, column in self._fields(data):
            strict = name == self.identifier and domain.kind is int
            columns[name] = domain.coerce(*read_identifiers(column)) if strict else domain.admit(column)
        if len({len(column) for column in columns.values()}) > 1:
            raise WrongTypeError("the columns of the data must have the same length.")
        return Records(columns)

    def read_member(self, label: str, data: object) -> Records:
        """Read records whose columns all lie in their domains."""
        records = self._read(data)
        wrong = self.size is not None and len(records) != self.size
        self.refuse(label, f"the number of records is not {self.size}" if wrong else "")
        for name, domain, column in self._fields(data):
            domain.read_member(f"{label}[{name!r}]", column)
        return records

    def _fields(self, data: object) -> Iterator[tuple[str, VectorDomain, Any]]:
        """Iterate over the columns of the data, not yet read."""
        table: Any = data.columns if isinstance(data, Records) else data
        if isinstance(table, list | tuple):
            table = {name: [_cell(row, name, at) for row in table] for at, (name, _) in enumerate(self.columns)}
        for name, domain in self.columns:
            try:
                column = table[name]
            except (KeyError, IndexError, TypeError, ValueError):
                raise WrongTypeError(f"the data must have a column named {name!r}, as the space says.") from None
            yield name, domain, column

    def widen(self, d_in: int) -> int:
        """Round an odd distance up if the size is public: one row more or less is read as a replacement."""
        return d_in if self.size is None or self.ordered else d_in + d_in % 2

    def _resize(self, value: Records, keys: Keys | None) -> Records:
        """Keep the records with the smallest keys, or add records that are missing in each field."""
        if self.size is None or len(value) == self.size:
            return value
        if len(value) > self.size:
            cells = list(zip(*(column.tolist() for column in value.columns.values()), strict=True))

            def in_order() -> Array:
                return np.array(sorted(range(len(cells)), key=lambda row: repr(cells[row])), dtype=np.int64)

            return value.take(rows_to_keep(len(value), self.size, in_order, keys, ordered=self.ordered))
        blank = self.missing(self.size - len(value))
        return Records({name: _joined(column, blank.columns[name]) for name, column in value.columns.items()})

    def missing(self, count: int) -> Records:
        """Return records that are missing: null in each field, or the blank of a field without nulls."""
        return Records({name: evolve(domain, size=count).admit([]) for name, domain in self.columns})

    def column(self, name: str) -> VectorDomain | None:
        """Return the domain of a column, or None if no column has this name."""
        return dict(self.columns).get(name)

    def describe(self) -> str:
        """Name the columns with their kinds."""
        fields = [f"{name}={domain.kind.__name__}" for name, domain in self.columns]
        size = "" if self.size is None else f".of_size({short(self.size)})"
        return f"records({', '.join(fields)}){size}"


@final
@frozen(kw_only=True)
class PartitionDomain(Domain):
    """A public number of parts, each of them a data set.

    Args:
        parts: How many.
        inner: The domain of each part.
    """

    parts: int
    inner: Domain

    def member(self, value: object) -> bool:
        """Return whether the number of parts is the stated one and every part is a member."""
        return isinstance(value, tuple) and len(value) == self.parts and all(map(self.inner.member, value))

    def admit(self, data: object) -> tuple[Any, ...]:
        """Read each part."""
        return tuple(map(self.inner.admit, self._listed(data)))

    def read_member(self, label: str, data: object) -> tuple[Any, ...]:
        """Read parts that all lie in the domain of a part."""
        return tuple(self.inner.read_member(f"{label}[{at}]", part) for at, part in enumerate(self._listed(data)))

    def admit_sample(self, data: object, keys: Keys) -> tuple[Any, ...]:
        """Read each part, with keys of its own."""
        return tuple(self.inner.admit_sample(part, keys) for part in self._listed(data))

    def _listed(self, data: object) -> Sequence[Any]:
        if not isinstance(data, tuple | list) or len(data) != self.parts:
            raise WrongTypeError(f"the data must be a list of {self.parts} parts: their number is public.")
        return data

    def describe(self) -> str:
        """Name the parts."""
        return f"partition({self.parts}, {self.inner.describe()})"


def _joined(first: Array, second: Array) -> Array:
    """Put one column under another, with its nulls."""
    if not isinstance(first, np.ma.MaskedArray):
        return np.concatenate([first, second])
    null = np.concatenate([np.ma.getmaskarray(first), np.ma.getmaskarray(second)])
    return np.ma.MaskedArray(np.concatenate([np.ma.getdata(first), np.ma.getdata(second)]), mask=null)


def _cell(row: object, name: str, position: int) -> Any:
    return quietly(lambda: row[name] if isinstance(row, Mapping) else cast("Sequence[object]", row)[position])


def _columns(data: Any, count: int) -> Iterator[Any]:
    """Iterate over the columns of a table. Their number is public, so a table with another number is refused."""
    if isinstance(data, np.ndarray):
        if data.ndim != 2 or data.shape[1] != count:
            raise WrongTypeError(
                f"the data must be a table of {count} columns, got an array of shape {data.shape[1:]} per row."
            )
        table = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)  # masked cells stay null
        return (table[:, at] for at in range(count))
    if isinstance(data, list | tuple):
        return ([_cell(row, "", at) for row in data] for at in range(count))
    if getattr(data, "ndim", None) == 2 and hasattr(data, "iloc"):
        if data.shape[1] != count:
            raise WrongTypeError(f"the data must be a table of {count} columns.")
        return (data.iloc[:, at] for at in range(count))
    raise WrongTypeError(
        f"the data must be a 2-d array, a list of rows or a pandas data frame, got {type(data).__name__}."
    )


def frozen_copy(value: Any) -> Any:
    """Copy data that several queries will read, and freeze the copy: neither the caller nor a unit can write to it."""
    if isinstance(value, np.ndarray):
        copy = value.copy()
        copy.flags.writeable = False
        mask = np.ma.getmask(copy)
        if mask is not np.ma.nomask:
            mask.flags.writeable = False
        return copy
    if isinstance(value, Records):
        return Records({name: frozen_copy(column) for name, column in value.columns.items()})
    return tuple(map(frozen_copy, value)) if isinstance(value, tuple) else value
