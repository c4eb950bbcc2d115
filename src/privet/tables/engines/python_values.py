"""Python values without a machine type, as Arrow: read one at a time by total functions, whatever class they have.

Nothing of a value is trusted: its methods may raise or lie. Types are those of Python, not what a value says of itself.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

import numpy as np
import pyarrow as pa
from attrs import field, frozen

from privet.core import quietly, read_rows
from privet.tables.columns import FIRST_DAY, FIRST_TIMESTAMP, LAST_DAY, LAST_TIMESTAMP, Column, Kind
from privet.tables.engines.arrow_arrays import list_array, number_array, text_array

_PLAIN: dict[str, tuple[type, Any]] = {
    "integer": (int, pa.int64()),
    "real": (float, pa.float64()),
    "boolean": (bool, pa.bool_()),
}
_TEXTS_OF = "privet texts"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def arrow_column(values: Sequence[Any], kind: Kind, *, exact: bool = False) -> Any:
    """Read Python values as an Arrow array of the column's kind; what cannot be read is null.

    Texts are null where the kind is no text: engines read them, as they read the texts of any other source.

    Args:
        values: Anything.
        kind: What to read them as.
        exact: Whether a number with a fraction is null in an integer column, instead of rounded.
    """
    if kind == "text":
        return text_array([quietly(utf8, value) for value in values])
    if exact:
        values = [value if quietly(_has_no_fraction, value) else None for value in values]
    if kind in _PLAIN:
        python, arrow = _PLAIN[kind]
        numbers, null = read_rows(list(values), python)
        return number_array(numbers, arrow, null)
    read, arrow = (_days, pa.date32()) if kind == "date" else (_microseconds, pa.timestamp("us"))
    times = [quietly(read, value) for value in values]
    plain = np.array([each or 0 for each in times], dtype=np.int32 if kind == "date" else np.int64)
    return number_array(plain, arrow, np.array([each is None for each in times], dtype=bool))


@final
@frozen
class Values:
    """Python values of one column: single ones, or the items of lists.

    Args:
        flat: The values; of lists, the items of one behind those of another.
        known: What a value is.
        lists: Makes an array of lists of one of items; nothing for single values.
    """

    flat: Sequence[Any] = field(repr=False)
    known: Column
    lists: Callable[[Any], Any] = field(default=lambda items: items, repr=False)

    @classmethod
    def of(cls, values: Sequence[Any], known: Column) -> "Values":
        """Take the values of a column; what is no list where one is declared is null."""
        if known.item is None:
            return cls(values, known)
        items = [quietly(_items, value, known.most) for value in values]
        lengths = np.array([len(each or ()) for each in items], dtype=np.int64)
        given = np.array([each is not None for each in items], dtype=bool)
        flat = [item for each in items for item in each or ()]
        return cls(flat, known.item, lambda made: list_array(made, lengths, given))

    def read(self) -> Any:
        """Read them; what cannot be read is null."""
        return self.lists(arrow_column(self.flat, self.known.kind, exact=self.known.exact))

    def texts(self) -> Any | None:
        """Give the texts among them; None where there are none, or texts are what was read."""
        if self.known.kind == "text" or not _has_text(self.flat):  # a column of no texts would only be null
            return None
        return self.lists(text_array([quietly(utf8, value) for value in self.flat]))


def _items(value: Any, most: int | None) -> list[Any] | None:
    """Copy the first items of a list, a tuple or an array of one dimension; the methods of its class are not called."""
    kind = type(value)
    if issubclass(kind, list):
        return list.__getitem__(value, slice(most))
    if issubclass(kind, tuple):
        return list(tuple.__getitem__(value, slice(most)))
    return list(value[:most]) if kind is np.ndarray and value.ndim == 1 else None


@final
@frozen
class ObjectTable:
    """An Arrow table of Python values, with their texts in columns of their own.

    Args:
        table: The columns, and behind them those of texts.
        texts: The names of the columns of texts, by the column that they belong to.
    """

    table: Any = field(repr=False)
    texts: Mapping[str, str] = field(factory=dict)

    @classmethod
    def of(cls, columns: Mapping[str, Any], values: Mapping[str, tuple[Sequence[Any], Column]]) -> "ObjectTable":
        """Put columns together.

        Args:
            columns: Arrow arrays by name.
            values: The Python values of other columns, and what they are read as.
        """
        held, texts = dict(columns), {}
        for at, (name, (given, known)) in enumerate(values.items()):
            objects = Values.of(given, known)
            held[name], written = objects.read(), objects.texts()
            if written is not None:
                texts[name] = _free_name(f"{_TEXTS_OF} {at}", {**columns, **values})
                held[texts[name]] = written
        return cls(pa.table(held), texts)


def _has_text(values: Sequence[Any]) -> bool:
    kinds = quietly(lambda: set(map(type, values)))  # few, unless a class of a class raises instead of being hashed
    return any(issubclass(kind, str) for kind in (map(type, values) if kinds is None else kinds))


def _free_name(name: str, taken: Mapping[str, Any]) -> str:
    lowered = {each.lower() for each in taken}
    while name in lowered:
        name += " "
    return name


def _has_no_fraction(value: Any) -> bool:
    return not isinstance(value, float | np.floating | Decimal | Fraction) or bool(value == value // 1)


def utf8(value: Any) -> bytes | None:
    """Give the bytes of a text; None for anything else."""
    return str.encode(value) if isinstance(value, str) else None  # half of a surrogate pair is no text, and raises


def _moment(value: Any) -> datetime | None:
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").astype(object)
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return datetime(value.year, value.month, value.day, tzinfo=UTC) if isinstance(value, date) else None


def _days(value: Any) -> int | None:
    moment = _moment(value)
    if moment is None:
        return None
    days = operator.index((moment - _EPOCH).days)  # that of pandas.NaT is no number
    return days if FIRST_DAY <= days <= LAST_DAY else None  # a class of somebody else may count as it likes


def _microseconds(value: Any) -> int | None:
    moment = _moment(value)
    if moment is None:
        return None
    passed = moment - _EPOCH
    count = operator.index((passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds)
    return count if FIRST_TIMESTAMP <= count <= LAST_TIMESTAMP else None
