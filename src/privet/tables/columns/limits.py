"""Limits: the resources of an engine that a query may use, from public facts alone.

A query matches or repeats rows, reads tables and computes texts. An engine that runs out of memory because of one
person's rows would reveal something about them. These limits hold for every table; docs/tables/limits.md lists what
they do not cover.
"""

from collections.abc import Iterable, Mapping
from typing import Any, final

from attrs import evolve, field, frozen

from privet.errors import InvalidError
from privet.tables.columns.column import LONGEST_TEXT, Column

MOST_ROWS = 1_000  # of a result, for one row of a private table
MOST_TABLES = 64  # that a query reads, each as often as it is read
WIDEST = 100_000  # characters of all texts that a query computes for one row
BYTES = 4  # of a character, at most


def _most(limit: int, what: str, instead: str) -> Any:
    def check(_: object, __: object, value: int) -> None:
        if value > limit:
            raise InvalidError(
                f"the query may {what.format(value)}, and no query may by more than {limit:,}: whether an engine can "
                f"do it would depend on the rows of single persons. {instead}"
            )

    return check


@final
@frozen(kw_only=True)
class Limits:
    """What a query uses, at most, whatever the tables hold; more than the limits allow is refused.

    Args:
        rows: How many rows of the query one row of a private table becomes.
        tables: How many tables the query reads, each as often as it reads it.
        width: How many characters the texts that it computes for one row have together.

    >>> twice = Limits().united(Limits())
    >>> twice.rows, twice.joined(Limits(), rows=5).rows
    (2, 10)
    """

    rows: int = field(
        default=1,
        validator=_most(MOST_ROWS, "make {:,} rows of one", "Match fewer rows, or unite fewer queries."),
    )
    tables: int = field(
        default=1,
        validator=_most(MOST_TABLES, "read tables {:,} times", "Put fewer queries together."),
    )
    width: int = field(
        default=0,
        validator=_most(
            WIDEST,
            "compute texts of {:,} characters for one row",
            "Cut texts with substr(s, 1, n), give their columns a length in the codebook, or derive fewer.",
        ),
    )

    def wider(self, width: int) -> "Limits":
        """Add the characters of further texts that are computed."""
        return evolve(self, width=self.width + width) if width else self

    def united(self, other: "Limits") -> "Limits":
        """Put the rows of both queries together."""
        return Limits(
            rows=self.rows + other.rows, tables=self.tables + other.tables, width=max(self.width, other.width)
        )

    def joined(self, other: "Limits", *, rows: int) -> "Limits":
        """Match each row with up to so many rows of the other."""
        return Limits(rows=self.rows * rows, tables=self.tables + other.tables, width=self.width + other.width)

    def repeated(self, rows: int) -> "Limits":
        """Make up to so many rows of each."""
        return evolve(self, rows=self.rows * rows)

    def held(self, names: Iterable[str], columns: Mapping[str, Column]) -> int:
        """How many characters one row of a private table becomes, of some columns; one that is not known is long."""
        known = (columns.get(name) for name in names)
        lengths = (LONGEST_TEXT if each is None else each.held for each in known)
        return self.rows * sum(lengths)
