"""Marginal counts of several columns, at several levels at once."""

from itertools import combinations
from math import prod
from typing import Any, final

import numpy as np
from attrs import field, frozen
from numpy.typing import ArrayLike

from privet.chains.transformation import Transformation
from privet.core import (
    Array,
    NumbersDomain,
    Parts,
    Records,
    RecordsDomain,
    Space,
    SymmetricDistance,
    VectorDistance,
    must_be,
    read_whole,
    type_name,
)
from privet.errors import InvalidError, MismatchError, WrongTypeError
from privet.transforms import as_tuple, field_of, places

_NAMES = must_be(
    lambda names: isinstance(names, tuple) and len(names) > 0 and all(isinstance(name, str) for name in names),
    "a list of names of columns",
    WrongTypeError,
    type_name,
)
_DIFFERENT = must_be(lambda names: len(set(names)) == len(names), "different columns")


@final
@frozen(kw_only=True)
class Marginals(Transformation):
    """Count the records in every cell of every marginal table of some columns.

    A table of k columns has a cell for each combination of their categories; the table of no columns has one cell, the
    number of records. The tables are sorted by the number of columns, then by the order of the columns. Each table is
    listed row by row.

    Args:
        columns: The columns, each with public categories.
        ways: The numbers of columns of the tables, such as (0, 1, 2); all tables with these numbers are counted.

    Guarantee: with m tables ``linf = d_in``, ``l1 = m d_in``, ``l2² = m d_in²``, ``l0 <= m d_in``.
    Proof: docs/transforms/marginals.md.

    >>> from privet.core.space import records, vector
    >>> people = records(sex=vector(str, categories=["f", "m"]), smokes=vector(bool, categories=[False, True]))
    >>> chain = people >> Marginals(columns=["sex", "smokes"], ways=(0, 1))
    >>> chain([("f", True), ("m", False), ("f", False)]).tolist()
    [3, 2, 1, 2, 1]
    """

    columns: tuple[str, ...] = field(converter=as_tuple, validator=[_NAMES, _DIFFERENT])
    ways: tuple[int, ...] = field(converter=as_tuple)

    def __attrs_post_init__(self) -> None:
        ways: Any = self.ways
        if not isinstance(ways, tuple) or not ways:
            raise WrongTypeError(f"Marginals.ways must be a list of whole numbers, got {type(ways).__name__}.")
        levels = [read_whole(f"Marginals.ways[{at}]", way) for at, way in enumerate(ways)]
        if len(set(levels)) != len(levels) or not all(0 <= way <= len(self.columns) for way in levels):
            raise InvalidError(f"Marginals.ways must be different numbers from 0 to {len(self.columns)}, got {levels}.")

    def tables(self) -> list[tuple[str, ...]]:
        """List the tables by their columns, in the order of the counts."""
        return [table for way in sorted(self.ways) for table in combinations(self.columns, way)]

    def shapes(self, space: Space) -> dict[tuple[str, ...], tuple[int, ...]]:
        """Return the shape of each table."""
        widths = {name: len(self._categories(space, name)) for name in self.columns}
        return {table: tuple(widths[name] for name in table) for table in self.tables()}

    def split(self, counts: ArrayLike, space: Space) -> dict[tuple[str, ...], Array]:
        """Split counts, exact or released, into their tables, for post-processing."""
        shapes = self.shapes(space)
        ends = np.cumsum([prod(shape) for shape in shapes.values()])
        pieces = np.split(np.asarray(counts), ends[:-1])
        return {table: piece.reshape(shapes[table]) for table, piece in zip(shapes, pieces, strict=True)}

    def _categories(self, space: Space, name: str) -> tuple[Any, ...]:
        if not isinstance(space.domain, RecordsDomain) or not isinstance(space.metric, SymmetricDistance):
            raise MismatchError(f"Marginals reads records under SymmetricDistance, got {space!r}: use pc.records(...).")
        categories = field_of(self, space.domain, name).categories
        if categories is None:
            raise MismatchError(
                f"Marginals needs public categories, got the column {name!r} without: "
                f"write pc.records({name}=pc.vector(str, categories=[...]), ...)."
            )
        return categories

    def output(self, space: Space) -> Space:
        """One whole number for each cell of each table."""
        cells = sum(prod(shape) for shape in self.shapes(space).values())
        return Space(NumbersDomain(length=cells, kind=int), VectorDistance())

    def apply(self, value: Records, space: Space) -> Array:
        """Count table by table."""
        positions = {name: places(value.columns[name], self._categories(space, name)) for name in self.columns}
        return np.concatenate(
            [_count_table(table, shape, positions, len(value)) for table, shape in self.shapes(space).items()]
        )

    def stability(self, d_in: int, space: Space) -> Parts:
        """A record is in one cell of each table."""
        sizes = [prod(shape) for shape in self.shapes(space).values()]
        cells = sum(min(size, d_in) for size in sizes)
        return Parts(l0=cells, l1=len(sizes) * d_in, l2_squared=len(sizes) * d_in**2, linf=d_in)


def _count_table(table: tuple[str, ...], shape: tuple[int, ...], positions: dict[str, Array], rows: int) -> Array:
    """Count the cells of one table; a record with a missing value in one of its columns is in no cell."""
    cell = np.zeros(rows, dtype=np.int64)
    known = np.ones(rows, dtype=bool)
    for name, width in zip(table, shape, strict=True):
        known &= positions[name] < width
        cell = cell * width + positions[name]
    return np.bincount(cell[known], minlength=prod(shape)).astype(np.int64)
