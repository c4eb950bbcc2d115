"""Summaries of persons by users' functions: a method of queries."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from privet.chains.transformation import Transformation
from privet.errors import InvalidError
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.nulls import NullsDropped
from privet.tables.columns import Column
from privet.tables.curator.curator import Curator
from privet.tables.nodes.summarize_by_function import SummarizeByFunction


class PersonFunctions(ABC):
    """Summarises the rows of each person by a user's function."""

    __slots__ = ()

    curator: Curator

    @abstractmethod
    def then(self, node: Transformation) -> Self:
        """Add a node."""

    @property
    @abstractmethod
    def columns(self) -> Mapping[str, Column]:
        """What is publicly known of the columns."""

    @property
    @abstractmethod
    def id_columns(self) -> tuple[str, ...]:
        """The id columns."""

    def summarize_with(
        self,
        function: Callable[[list[dict[str, Any]]], Any],
        *keys: str,
        rows: int,
        into: str,
        to: CodebookColumn | Column,
        columns: str | Iterable[str] | None = None,
    ) -> Self:
        """Replace the rows of each person by one row with what a function of Python gives for them.

        The function gets a list of at most ``rows`` rows of one person, each a dictionary, and gives one number, truth
        value or category. Where it raises, or gives something else, its answer is null. It must depend on these rows
        alone: not on earlier calls, a clock, chance or the session; and it must not print, log or keep them.

        Args:
            function: The function.
            keys: Columns to group by: one call for each person and each combination of their values.
            rows: How many rows of a person the function gets at most. Of a person who has more, a random choice stays.
            into: What to call the answer.
            to: What the answer is: ``pv.column("real", bounds=(0, 1))``; a number outside of the bounds is moved to the
                nearer one. Or ``pv.column("text", categories=["low", "high"])``, or ``pv.column("boolean")``.
            columns: The columns that the function sees; by default all but the id columns.
        """
        seen = [name for name in self.columns if name not in self.id_columns] if columns is None else columns
        if isinstance(to, CodebookColumn):
            if to.nulls != NullsDropped():
                raise InvalidError(
                    "summarize_with.to has no null policy: where the function fails its answer is null. Derive a value "
                    f"in its place, such as derive({into}='coalesce({into}, 0)')."
                )
            to = to.column
        node = SummarizeByFunction(
            function=function, rows=rows, reads=seen, into=into, to=to, keys=keys, key=self.curator.tables.key
        )
        return self.then(node)
