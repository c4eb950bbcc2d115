"""Small made-up tables for a setting: a schema with bounds and categories, and rows that follow from it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, final

import pyarrow as pa
from attrs import frozen

import privet as pv


@final
@frozen(kw_only=True)
class Col:
    """One column: what a codebook says of it, and the values that its rows cycle through."""

    kind: str
    values: Sequence[Any]
    bounds: tuple[Any, Any] | None = None
    categories: tuple[Any, ...] | None = None
    nulls: bool = True


@final
@frozen(kw_only=True)
class Table:
    """One table.

    Args:
        columns: Its columns.
        id: The column that names the person; None if a row is the privacy unit.
        public: Whether it is a public lookup table.
        rows: How many rows are made.
    """

    columns: Mapping[str, Col]
    id: str | None = None
    public: bool = False
    rows: int = 240

    def codebook(self) -> pv.Codebook:
        unit = pv.Persons(id=self.id, rows=self.most_rows()) if self.id else pv.Rows()
        given = {}
        for name, col in self.columns.items():
            said: dict[str, Any] = {}
            if col.bounds is not None:
                said["bounds"] = col.bounds
            if col.categories is not None:
                said["categories"] = col.categories
            given[name] = pv.column(col.kind, **said)
        return pv.Codebook(unit=unit, columns=given)

    def most_rows(self) -> int:
        """How many rows a person has at most: a cap that leaves nothing out, since answers are compared caps aside.

        A larger one would do as well, but a join multiplies the caps of its tables.
        """
        return max(Counter(self.arrow()[str(self.id)].to_pylist()).values())

    def arrow(self) -> pa.Table:
        kinds = {
            "integer": pa.int64(),
            "real": pa.float64(),
            "text": pa.string(),
            "boolean": pa.bool_(),
            "date": pa.date32(),
            "timestamp": pa.timestamp("us"),
        }
        made = {}
        for place, (name, col) in enumerate(self.columns.items()):
            made[name] = pa.array(list(self._values(place, col)), type=kinds[col.kind])
        return pa.table(made)

    def _values(self, place: int, col: Col) -> Any:
        for row in range(self.rows):
            if self.public:
                yield col.values[row % len(col.values)]
            elif col.nulls and _mixed(row, place + 100) % 41 == 0:
                yield None
            else:
                yield col.values[_mixed(row, place, len(self.columns)) % len(col.values)]


def _mixed(*numbers: int) -> int:
    """A number that looks random and is the same in every run."""
    mixed = 0
    for number in numbers:
        mixed = (mixed + number + 1) * 0x9E3779B1 % 2**32
        mixed = (mixed ^ mixed >> 15) * 0x2C1B3C6D % 2**32
        mixed ^= mixed >> 12
    return mixed


def ids(count: int = 60) -> Col:
    """Ids of persons, or any key without bounds."""
    return Col(kind="integer", values=range(1, count + 1), nulls=False)


def keys(count: int) -> Col:
    """Numbers that refer to another table."""
    return Col(kind="integer", values=range(1, count + 1), bounds=(1, count), nulls=False)


def whole(lower: int, upper: int) -> Col:
    step = max(1, (upper - lower) // 90)
    return Col(kind="integer", values=range(lower, upper + 1, step), bounds=(lower, upper))


def real(lower: float, upper: float) -> Col:
    return Col(kind="real", values=[lower + (upper - lower) * n / 64 for n in range(65)], bounds=(lower, upper))


def one_of(*categories: Any) -> Col:
    """A column with few public categories."""
    kind = {bool: "boolean", int: "integer", str: "text"}[type(categories[0])]
    return Col(kind=kind, values=categories, categories=categories)


def text(*values: str) -> Col:
    """Free text: no categories are public."""
    return Col(kind="text", values=values)


def flag() -> Col:
    return Col(kind="boolean", values=(True, False, True))


def day(first: str, last: str) -> Col:
    begin, end = date.fromisoformat(first), date.fromisoformat(last)
    step = max(1, (end - begin).days // 90)
    values = [begin + timedelta(days=n) for n in range(0, (end - begin).days + 1, step)]
    return Col(kind="date", values=values, bounds=(begin, end))


def moment(first: str, last: str) -> Col:
    begin, end = datetime.fromisoformat(first), datetime.fromisoformat(last)
    step = (end - begin) / 97
    values = [(begin + step * n).replace(microsecond=0) for n in range(98)]
    return Col(kind="timestamp", values=values, bounds=(begin, end))
