"""Methods of a query that add one node, made of expressions of one row."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from privet.chains.transformation import Transformation
from privet.tables.columns import Column, read_name
from privet.tables.expressions import Expression, Term, binned
from privet.tables.nodes.filter_rows import FilterRows
from privet.tables.nodes.joined import How
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.unnest_list import UnnestList


class RowNodes(ABC):
    """Adds nodes to a query; every method returns a new query."""

    __slots__ = ()

    @abstractmethod
    def then(self, node: Transformation) -> Self:
        """Add a node."""

    @abstractmethod
    def find_column(self, name: str) -> Column:
        """Give what is known of a column, or refuse an unknown name."""

    @abstractmethod
    def derive(self, /, **expressions: str | Term) -> Self:
        """Add columns."""

    def filter(self, condition: str | Term | Expression) -> Self:
        """Keep the rows of which a condition is true, such as ``"duration > 0 and ward in ('a', 'b')"``."""
        return self.then(FilterRows(condition=condition))

    def bin(
        self,
        name: str,
        edges: Sequence[Any] | None = None,
        *,
        width: object = None,
        by: str | None = None,
        into: str | None = None,
    ) -> Self:
        """Cut a column into bins with a name each, ready to group by: ``bin("age", width=10)``.

        Args:
            name: The column: numbers, dates or timestamps.
            edges: Rising numbers; a bin reaches from one, included, to the next; the last one includes its end.
            width: Or the width of all bins, between the bounds of the column.
            by: Or a calendar period: day, week, month, quarter or year.
            into: What to call the new column, by default the name with ``_bin``.
        """
        text = binned(name, self.find_column(name), edges=edges, width=width, by=by)
        derived: Mapping[str, str | Term] = {into or f"{name}_bin": text}
        return self.derive(**derived)

    def split(self, name: str, separator: str, *, most: int, into: str | None = None) -> Self:
        """Make one row for each part of a text: ``split("tags", ",", most=5, into="tag")``.

        A row without a text is left out. A person stays one person; where rows are protected one by one, the noise
        grows with ``most``.

        Args:
            name: The column of the text.
            separator: What stands between two parts.
            most: How many parts of a text are kept at most, the first ones; others are left out.
            into: What to call the part; by default it takes the place of the text.
        """
        self.find_column(name)
        return self.then(SplitText(name=name, separator=separator, most=most, into=_place("split", into, name)))

    def unnest(self, name: str, *, most: int | None = None, into: str | None = None, how: How = "inner") -> Self:
        """Make one row for each item of a list: ``unnest("tags", into="tag")``.

        A row whose list is null or empty is left out; an item that is null makes a row with null. A person stays one
        person; where rows are protected one by one, the noise grows with ``most``.

        Args:
            name: The column of lists, which the codebook declares with ``most_items``.
            most: How many items of a list are kept at most, the first ones; by default as many as the codebook says.
            into: What to call the item; by default it takes the place of the list.
            how: ``"left"`` keeps a row whose list is null or empty, with null for the item.
        """
        self.find_column(name)
        return self.then(UnnestList(name=name, most=most, into=_place("unnest", into, name), how=how))


def _place(where: str, into: object, name: str) -> str:
    """Give the name of a new column; where none is given, the new column takes the place of the old one."""
    return read_name(f"{where}.into", into) if into is not None else name
