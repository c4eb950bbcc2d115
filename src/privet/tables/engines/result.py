"""What a query gave: exact Python values, by column."""

from collections.abc import Mapping, Sequence
from typing import Any, final

import numpy as np
import pyarrow as pa
from attrs import field, frozen
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError
from privet.tables.vocabulary import Relation, column, selection

_KINDS = ("integer", "text", "boolean")


@final
@frozen
class Result:
    """What a query gave: exact Python values, by column."""

    columns: Mapping[str, list[Any]] = field(repr=False)  # these are not private yet: never shown

    def __getitem__(self, name: str) -> list[Any]:
        return self.columns[name]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def array(self, name: str) -> Array:
        """Give a column as an array of Python objects, which no digit is lost from."""
        values = np.empty(len(self), dtype=object)
        values[:] = self.columns[name]
        return values


def check_kinds(relation: Relation) -> None:
    """Refuse a query of values that are not given exactly."""
    for name, known in relation.columns.items():
        if known.kind not in _KINDS:
            raise InvalidError(f"a query gives integers, texts and booleans, but {name!r} is {known.kind}; use steps.")


def ordered(relation: Relation, order_by: Sequence[str]) -> Relation:
    """Build a query whose rows are sorted by columns, nulls first."""
    keys = []
    for name in order_by:
        relation[name]
        keys.append(exp.Ordered(this=column(name, "r"), desc=False, nulls_first=True))
    query = selection(relation.outputs(), relation.derived())
    query.set("order", exp.Order(expressions=keys))
    return Relation(query=query, columns=relation.columns)


def exactly(values: Any) -> list[Any]:
    """Read a column of Arrow; 128-bit integers come as decimals, each of two 64-bit words."""
    if not pa.types.is_decimal(values.type):
        read: list[Any] = values.to_pylist()
        return read
    return [value for chunk in values.chunks for value in _words(chunk)]


def _words(chunk: Any) -> list[int | None]:
    words = np.frombuffer(chunk.buffers()[1], dtype="<u8").reshape(-1, 2)[chunk.offset : chunk.offset + len(chunk)]
    whole = (words[:, 1].astype(np.int64).astype(object) * 2**64 + words[:, 0].astype(object)).tolist()
    present = chunk.is_valid().to_pylist()
    return [value if known else None for value, known in zip(whole, present, strict=True)]


def integers(column: Any) -> tuple[Array, Array]:
    """Read a column of 64-bit integers, in one chunk, as an array and a mask of what is null."""
    null = np.asarray(column.is_null())
    values = np.asarray(column.fill_null(0) if null.any() else column)
    return values.astype(np.int64, copy=False), null
