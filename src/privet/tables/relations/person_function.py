"""A user's function of the rows of one person, made total: called with few rows of one person and with nothing else.

Rows arrive sorted by person and content, in batches, so that memory holds one batch and the rows of one person. An
answer is read at once: what the function does with its objects later changes nothing.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby, islice
from typing import Any, final

import pyarrow as pa
from attrs import field, frozen

from privet.core import READERS
from privet.tables.columns import Column
from privet.tables.engines.python_values import arrow_column
from privet.transforms import answer, function_name

Rows = list[dict[str, Any]]
KINDS: dict[str, type] = {"integer": int, "real": float, "boolean": bool, "text": str}
_AT_ONCE = 10_000  # answers that become Arrow together


@final
@frozen(kw_only=True, eq=False)
class PersonFunction:
    """Gives one row for each person, with the answer of a user's function.

    Args:
        function: The function of a list of rows, each a dictionary.
        group: The id columns and the keys, by name: rows with equal values of them belong to one call.
        reads: The columns that the function sees, by name.
        into: What to call its answer.
        to: What its answer is.
    """

    function: Callable[[Rows], Any] = field(repr=function_name)
    group: Mapping[str, Column]
    reads: tuple[str, ...]
    into: str
    to: Column

    @property
    def columns(self) -> list[str]:
        """The columns of the rows: those of the group, then those that are read and not among them."""
        return [*self.group, *(name for name in self.reads if name not in self.group)]

    def compute(self, batches: Iterator[Any]) -> Any:
        """Call the function for each person, in the order of the rows, and give a table of Arrow.

        Args:
            batches: The columns of the group, then those that are read and not among them, sorted by all of them.
        """
        with warnings.catch_warnings():  # a warning would reveal the rows that caused it
            warnings.simplefilter("ignore")
            answers = self._answers(batches)
            made = [self._table([])]
            while some := list(islice(answers, _AT_ONCE)):
                made.append(self._table(some))
        return pa.concat_tables(made)

    def _answers(self, batches: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
        """Give the columns of the group and the answer, for each person; null where the function fails."""
        width, read = len(self.group), self._reader()
        places = {name: place for place, name in enumerate(self.columns)}
        seen = [(name, places[name]) for name in self.reads]
        for group, rows in groupby(_rows(batches), key=lambda row: row[:width]):
            given = [{name: row[place] for name, place in seen} for row in rows]
            yield *group, answer(self.function, given, read)

    def _reader(self) -> Callable[[Any], Any]:
        """Give what reads one answer; a text that is no category is not even kept, however long it is."""
        read = READERS[KINDS[self.to.kind]]
        if self.to.categories is None:
            return read
        known = frozenset(self.to.categories)

        def member(value: Any) -> Any:
            plain = read(value)
            return plain if plain in known else None

        return member

    def _table(self, rows: list[tuple[Any, ...]]) -> Any:
        columns = {**self.group, self.into: self.to}
        values = zip(*rows, strict=True) if rows else ((),) * len(columns)
        return pa.table(
            {
                name: arrow_column(list(each), known.kind)
                for (name, known), each in zip(columns.items(), values, strict=True)
            }
        )


def _rows(batches: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
    """Give each row as a tuple of new Python values, which nobody else holds."""
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
