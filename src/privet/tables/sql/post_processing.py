"""The rows and columns that a SELECT makes of a release, by HAVING, ORDER BY, LIMIT and expressions.

All of this is post-processing of a release: it costs nothing and reveals nothing more.
"""

from collections.abc import Sequence
from typing import Any, final

from attrs import evolve, frozen

from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.expressions import Expression, parse
from privet.tables.releases.json_text import check, fits
from privet.tables.releases.released_column import PARTS
from privet.tables.sql.computed import TOTALS, Output, Row, computed, total_of


@final
@frozen
class Order:
    """One value to sort by."""

    value: Expression
    falling: bool
    nulls_first: bool


@final
@frozen(kw_only=True)
class PostProcessing:
    """The post-processing of a release.

    Args:
        columns: The columns of the result, in order.
        having: Which rows stay: a condition on released values.
        order: The values to sort by; the first decides first.
        offset: How many rows to leave out at the beginning.
        limit: How many rows there are at most.
        totals: What makes one row of all rows, for each column: ``sum``, ``avg``, ``min``, ``max`` or ``count``; none
            where rows stay rows.
    """

    columns: tuple[Output, ...]
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    offset: int = 0
    limit: int | None = None
    totals: tuple[str, ...] = ()

    def compute(self, rows: Sequence[Row]) -> tuple[list[int], list[list[Any]]]:
        """Give the places of the rows to keep, in order, and the values of every column for all rows."""
        conditions = [] if self.having is None else [self.having]
        values = [*(each.value for each in self.order), *(output.value for output in self.columns)]
        results = computed([*conditions, *values], rows)
        kept = [at for at in range(len(rows)) if not conditions or results[0][at] is True]
        keys, columns = results[len(conditions) :][: len(self.order)], results[len(conditions) + len(self.order) :]
        if self.totals:
            pairs = zip(self.totals, columns, strict=True)
            return self._sorted([0], []), [[total_of(name, [values[at] for at in kept])] for name, values in pairs]
        return self._sorted(kept, keys), columns

    def _sorted(self, kept: list[int], keys: list[list[Any]]) -> list[int]:
        """Sort the places of the rows to keep, and apply OFFSET and LIMIT."""
        for each, values in reversed(list(zip(self.order, keys, strict=True))):  # stable: the first value decides last
            known = [at for at in kept if values[at] is not None]
            unknown = [at for at in kept if values[at] is None]
            known.sort(key=values.__getitem__, reverse=each.falling)
            kept = [*unknown, *known] if each.nulls_first else [*known, *unknown]
        end = None if self.limit is None else self.offset + self.limit
        return kept[self.offset : end]

    def encode(self) -> dict[str, Any]:
        """Write everything as plain values: expressions as SQL, with the kinds of the released columns in them."""
        values = [*(each.value for each in self.columns), *(each.value for each in self.order)]
        names = [each for value in (*values, *([self.having] if self.having else [])) for each in value.mentions()]
        return {
            "kinds": {each.name: each.declared.kind for each in names},
            "columns": [each.encode() for each in self.columns],
            "having": None if self.having is None else str(self.having),
            "order": [[str(each.value), each.falling, each.nulls_first] for each in self.order],
            "offset": self.offset,
            "limit": self.limit,
            **({"totals": list(self.totals)} if self.totals else {}),
        }

    @classmethod
    def decode(cls, data: dict[str, Any], released: Sequence[str]) -> "PostProcessing":
        """Read what ``encode`` wrote, for a release with these columns."""
        check(set(data["kinds"]) <= set(released) and fits((data["offset"], data["limit"]), tuple[int, int | None]))
        check(data["offset"] >= 0 and (data["limit"] or 0) >= 0 and data["columns"])
        known = {name: Column(kind=kind) for name, kind in data["kinds"].items()}
        columns = tuple(Output.decode(each, known) for each in data["columns"])
        check(all(name in released for each in columns if each.reach is not None for name in each.reach.base))
        having = None if data["having"] is None else parse(data["having"], known)
        check(having is None or having.kind == "boolean")
        check(all(fits(tuple(directions), tuple[bool, bool]) for _, *directions in data["order"]))
        order = tuple(Order(parse(value, known), *directions) for value, *directions in data["order"])
        totals = tuple(data.get("totals", ()))
        check(not totals or (len(totals) == len(columns) and set(totals) <= set(TOTALS) and not order))
        if totals:
            columns = tuple(evolve(each, name=None) for each in columns)
        rest: Any = {"offset": data["offset"], "limit": data["limit"], "totals": totals}
        return cls(columns=columns, having=having, order=order, **rest)


def check_labels(values: list[str], plain: list[str]) -> None:
    """Refuse names of which one would hide another in the result.

    Args:
        values: Columns with errors and intervals beside them.
        plain: Columns without.
    """
    seen: set[str] = set()
    for name in [*plain, *(value + part for value in values for part in ("", *PARTS))]:
        if name.lower() in seen:
            raise InvalidError(f"SQL: two columns of the result would be called {name!r}; name one of them with AS.")
        seen.add(name.lower())
