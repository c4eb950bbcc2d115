"""Features and targets of a query as an engine gives them, all at once or in parts."""

from collections.abc import Callable, Mapping
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array
from privet.models.query_columns import Lists, values_of
from privet.models.tables_of import Columns
from privet.tables.columns import Column
from privet.tables.engines.engine import Engine
from privet.tables.vocabulary import Relation

_NOTHING = (np.empty(0, dtype=np.int64), np.empty(0, dtype=bool))
_Found = dict[str, tuple[Array, Array]]


@final
@frozen(kw_only=True)
class QueryColumns:
    """What is public of the columns of a query, and which of them is the target.

    Args:
        known: The columns.
        lists: For each the list of its categories or classes, or None.
        target: The name of the target, or None.
    """

    known: Mapping[str, Column]
    lists: Lists
    target: str | None

    def read(self, found: _Found) -> tuple[Columns, Any]:
        """Return features and target of whole numbers, which are let go one by one."""
        rows = len(next(iter(found.values()))[0])
        columns = {name: values_of(item, self.lists[name], *found.pop(name)) for name, item in self.known.items()}
        target = None if self.target is None else columns.pop(self.target)
        return Columns(names=tuple(columns), columns=tuple(columns.values()), rows=rows), target

    @property
    def nothing(self) -> tuple[Columns, Any]:
        """The same without rows."""
        return self.read(dict.fromkeys(self.known, _NOTHING))


@final
@frozen(kw_only=True)
class TableInParts:
    """Rows that an engine gives as often as somebody asks.

    Args:
        engine: The engine.
        relation: The query, whose columns are whole numbers.
        columns: How they are read.
    """

    engine: Engine = field(repr=False)
    relation: Relation = field(repr=False)
    columns: QueryColumns

    def each(self, work: Callable[[Columns, Any], bool]) -> None:
        """Pass the rows on in parts, for as long as the function wants more."""
        self.engine.each_part(self.relation, lambda found: work(*self.columns.read(found)))

    def together(self) -> tuple[Columns, Any]:
        """Return all rows."""
        return self.columns.read(self.engine.arrays(self.relation))
