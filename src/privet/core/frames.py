"""Domains of several columns: matrices of reals, records of named columns, and partitions of either."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core.balls import Norm, into_ball
from privet.core.checks import short
from privet.core.domain import Bounds, Domain, VectorDomain
from privet.core.grid import clamp_floats, nearest_step
from privet.core.quiet import quietly
from privet.core.rows import Array, read_identifiers, read_rows
from privet.errors import InvalidError, WrongTypeError


@final
@frozen(kw_only=True)
class MatrixDomain(Domain):
    """Rows of real numbers, the same public number in each.

    Args:
        columns: How many numbers a row has.
        bounds: Where the values of each column lie, or None.
        size: The public number of rows, or None where it is private.
        nan: Whether values may be NaN.
        grid: The step that every value is a multiple of, once there are bounds.
        norm: The ball that every row lies in, or None.
        ordered: Whether positions count.
    """

    columns: int
    bounds: tuple[Bounds, ...] | None = None
    size: int | None = None
    nan: bool = True
    grid: Fraction | None = None
    norm: Norm | None = None
    ordered: bool = False

    def member(self, value: Any) -> bool:
        """Tell whether an array is one of ours: shape, bounds, grid and norm."""
        if type(value) is not np.ndarray or value.dtype != np.float64 or value.ndim != 2:
            return False
        if value.shape[1] != self.columns or (self.size is not None and len(value) != self.size):
            return False
        if not self.nan and bool(np.isnan(value).any()):
            return False
        for position, (lower, upper) in enumerate(self.bounds or ()):
            seen = value[:, position]
            if not all(np.isfinite(item) and lower <= Fraction(item) <= upper for item in seen[~np.isnan(seen)]):
                return False
        finite = value[np.isfinite(value)]
        on_grid = self.grid is None or all((Fraction(item) / self.grid).denominator == 1 for item in finite.tolist())
        return on_grid and all(self._inside(row) for row in value.tolist())

    def _inside(self, row: list[float]) -> bool:
        if self.norm is None or any(item != item for item in row):
            return True
        return all(map(math.isfinite, row)) and self.norm.holds(row)

    def admit(self, data: Any) -> Array:
        """Read a table of numbers and make it a member; what is not a number is NaN."""
        if self.norm is not None:  # moving rows into a ball is a unit
            raise WrongTypeError(
                "data cannot be read into a ball: start from pc.matrix(...) and put ClampNorm(...) behind it."
            )
        return self.coerce(np.column_stack(list(self._read(data))) if self.columns else np.empty((_length(data), 0)))

    def _read(self, data: Any) -> Iterator[Array]:
        for column in _columns(data, self.columns):
            values, null = read_rows(column, float)
            yield values if null is None else np.where(null, np.nan, values)

    def coerce(self, values: Array) -> Array:
        """Apply the descriptors: bounds and grid, NaN, the ball, then size."""
        if self.bounds is not None and self.grid is not None:
            limits = enumerate(self.bounds)
            values = np.column_stack([clamp_floats(values[:, at], limit, self.grid) for at, limit in limits])
        if not self.nan and bool(np.isnan(values).any()):
            values = np.where(np.isnan(values), self.blank(), values)
        if self.norm is not None and self.grid is not None:
            values = self._into_ball(values, self.norm, self.grid)
        if self.size is not None and len(values) != self.size:
            values = self._resized(values, self.size)
        return values

    def widen(self, d_in: int) -> int:
        """Round an odd distance up where the size is public: one row more or less is read as a replacement."""
        return d_in if self.size is None or self.ordered else d_in + d_in % 2

    def _into_ball(self, values: Array, norm: Norm, grid: Fraction) -> Array:
        """Move rows into the ball and leave those that lie in it, and those with NaN, as they are.

        Where the box of the bounds leaves out the centre, moving toward it may leave the box. Such a row is put back
        into the box, and becomes the blank row where that took it out of the ball.
        """
        moved = into_ball(values, norm, grid)
        if self.bounds is not None:
            limits = enumerate(self.bounds)
            moved = np.column_stack([clamp_floats(moved[:, at], limit, grid) for at, limit in limits])
        inside = [all(map(math.isfinite, row)) and norm.holds(row) for row in values.tolist()]
        lost = [not kept and not norm.holds(row) for kept, row in zip(inside, moved.tolist(), strict=True)]
        moved[np.array(lost, dtype=bool)] = self.blank()
        same = np.array(inside, dtype=bool) | (np.isnan(values).any(axis=1) & self.nan)
        return np.where(same[:, None], values, moved)

    def blank(self) -> Array:
        """Give the row that stands for a missing one where there is no NaN.

        In each column it is the grid point nearest to zero or, where there is a ball, to its centre.
        """
        centre = (Fraction(0),) * self.columns if self.norm is None else self.norm.origin
        if self.bounds is None or self.grid is None:
            return np.array([float(item) for item in centre])
        limits = zip(centre, self.bounds, strict=True)
        row = [float(nearest_step(item, limit, self.grid) * self.grid) for item, limit in limits]
        if self.norm is not None and not self.norm.holds(row):
            raise InvalidError("the bounds of the columns must meet the ball of the rows: no row lies in both.")
        return np.array(row)

    def _resized(self, values: Array, size: int) -> Array:
        """Keep the first rows in sorted order (or as they stand, where positions count), or fill up."""
        if len(values) > size:
            return values[:size] if self.ordered else values[np.lexsort(values.T[::-1])[:size]]
        row = np.full(self.columns, np.nan) if self.nan else self.blank()
        return np.concatenate([values, np.tile(row, (size - len(values), 1))])

    def describe(self) -> str:
        """Name the columns and the descriptors that are not the default."""
        told = [str(self.columns)]
        told += [f"bounds={short(self.bounds)}"] if self.bounds is not None else []
        told += [f"size={short(self.size)}"] if self.size is not None else []
        return f"matrix({', '.join(told)})"


@final
@frozen
class Records:
    """Named columns of one length: the private value of a :class:`RecordsDomain`."""

    columns: Mapping[str, Array] = field(repr=False, eq=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def take(self, rows: Any) -> "Records":
        """Give some of the rows, by index or by mask."""
        return Records({name: column[rows] for name, column in self.columns.items()})


@final
@frozen(kw_only=True)
class RecordsDomain(Domain):
    """Records with named fields of any kind.

    Args:
        columns: Pairs (name, domain of the column); the columns have no size of their own.
        identifier: The column that tells persons apart, or None. Whole numbers in it are never rounded: what is not
            whole, or beyond 64 bits, is null and belongs to nobody. It says how data are read, not which there are.
    """

    columns: tuple[tuple[str, VectorDomain], ...]
    identifier: Any = field(default=None, eq=False)

    def member(self, value: Any) -> bool:
        """Tell whether every column is a member of its domain and all have one length."""
        if not isinstance(value, Records) or list(value.columns) != [name for name, _ in self.columns]:
            return False
        if len({len(column) for column in value.columns.values()}) > 1:
            return False
        return all(domain.member(value.columns[name]) for name, domain in self.columns)

    def admit(self, data: Any) -> Records:
        """Read a mapping of columns, a data frame, or rows as mappings or sequences."""
        if isinstance(data, Records):
            data = data.columns
        if isinstance(data, list | tuple):
            data = {name: [_cell(row, name, at) for row in data] for at, (name, _) in enumerate(self.columns)}
        found = {}
        for name, domain in self.columns:
            try:
                column = data[name]
            except (KeyError, IndexError, TypeError, ValueError):
                raise WrongTypeError(f"the data must have a column named {name!r}, as the space says.") from None
            strict = name == self.identifier and domain.kind is int
            found[name] = domain.coerce(*read_identifiers(column)) if strict else domain.admit(column)
        if len({len(column) for column in found.values()}) > 1:
            raise WrongTypeError("the columns of the data must have one length.")
        return Records(found)

    def column(self, name: str) -> VectorDomain | None:
        """Give the domain of a column, or None where there is none of this name."""
        return dict(self.columns).get(name)

    def describe(self) -> str:
        """Name the columns with their kinds."""
        return f"records({', '.join(f'{name}={domain.kind.__name__}' for name, domain in self.columns)})"


@final
@frozen(kw_only=True)
class PartitionDomain(Domain):
    """A public number of parts, each a data set of its own.

    Args:
        parts: How many.
        inner: The domain of each part.
    """

    parts: int
    inner: Domain

    def member(self, value: Any) -> bool:
        """Tell whether there are as many parts as stated, all members."""
        return isinstance(value, tuple) and len(value) == self.parts and all(map(self.inner.member, value))

    def admit(self, data: Any) -> tuple[Any, ...]:
        """Read each part."""
        if not isinstance(data, tuple | list) or len(data) != self.parts:
            raise WrongTypeError(f"the data must be a list of {self.parts} parts: their number is public.")
        return tuple(map(self.inner.admit, data))

    def describe(self) -> str:
        """Name the parts."""
        return f"partition({self.parts}, {self.inner.describe()})"


def _cell(row: Any, name: str, position: int) -> Any:
    return quietly(lambda: row[name] if isinstance(row, Mapping) else row[position])


def _length(data: Any) -> int:
    return len(data)


def _columns(data: Any, count: int) -> Iterator[Any]:
    """Take a table apart; the number of columns is public, so a table with another number is refused."""
    if isinstance(data, np.ndarray):
        if data.ndim != 2 or data.shape[1] != count:
            raise WrongTypeError(
                f"the data must be a table of {count} columns, got an array of shape {data.shape[1:]} per row."
            )
        table = data if isinstance(data, np.ma.MaskedArray) else np.asarray(data)  # what is masked stays null
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


def kept(value: Any) -> Any:
    """Copy data that are to be asked again and again, and freeze the copy: neither its owner nor a unit can write."""
    if isinstance(value, np.ndarray):
        found = value.copy()
        found.flags.writeable = False
        mask = np.ma.getmask(found)
        if mask is not np.ma.nomask:
            mask.flags.writeable = False
        return found
    if isinstance(value, Records):
        return Records({name: kept(column) for name, column in value.columns.items()})
    return tuple(map(kept, value)) if isinstance(value, tuple) else value
