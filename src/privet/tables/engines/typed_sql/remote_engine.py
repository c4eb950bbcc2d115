"""What engines share whose rows stay in a server or a cluster: loading, reading and rehearsing, with our own errors."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Self

from attrs import evolve

from privet.core import Array
from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns import PLAIN_FILE, Column, FileForm, Limits, check_delimiter
from privet.tables.engines.engine import Compute, Result, UsePart, check_integers
from privet.tables.engines.process import ProcessLock
from privet.tables.engines.typed_sql.statements import (
    Statements,
    exact_result,
    integer_arrays,
    to_read,
)
from privet.tables.engines.typed_sql.withhold_errors import quietly
from privet.tables.engines.typed_sql.writer import refusal
from privet.tables.vocabulary import Relation, check_names, table


class RemoteEngine(ABC):
    """An engine that writes SQL by types and lets a server or a cluster run it; only results travel.

    Each engine sets the attributes below: its words for messages with the class, the others when it is opened.
    """

    _engine: ClassVar[str]  # what to call it in messages
    _place: ClassVar[str]  # where the rows stay
    _link: ClassVar[str]  # what leads there
    _source: ClassVar[str]  # what a session is opened with, as code
    _run_error: ClassVar[str]  # the message where a query does not run
    _plan_error: ClassVar[str]  # the message where it can be planned for no table
    _turn: ProcessLock
    _statements: Statements
    _open: bool

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds; nothing happens in a forked child."""

    @abstractmethod
    def _load(self, source: Any, columns: Mapping[str, Column], name: str, form: FileForm) -> None:
        """Name a source, whose name and columns were checked."""

    @abstractmethod
    def _run(self, sql: str) -> list[tuple[Any, ...]]:
        """Run a query."""

    @abstractmethod
    def _plan(self, sql: str) -> object:
        """Plan a query, without reading rows."""

    @abstractmethod
    def _check_limits(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Refuse queries whose rows may be larger than the engine holds; known from the codebook and the query."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}(tables={sorted(self._statements)})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise WrongTypeError(f"a {type(self).__name__} cannot be copied or pickled: it holds an open {self._link}.")

    def load(
        self,
        source: Any,
        columns: Mapping[str, Column],
        name: str = "data",
        *,
        delimiter: str | None = None,
        snapshot: bool = False,
        form: FileForm = PLAIN_FILE,
    ) -> Relation:
        """Name a table of the server or cluster, or public rows; every value is read as a member of its column.

        Args:
            source: Rows of the server or cluster, which stay there; or public data, which the local engine can load.
            columns: The columns to read; others are never touched.
            name: What to call the table, in this engine and in messages.
            delimiter: What parts the fields of a text file.
            snapshot: Changes nothing: a release reads one state of the rows in any case.
            form: How a text file is written.
        """
        with self._turn:
            self._check_open()
            method = f"{type(self).__name__}.load"
            self._statements.check_name(method, name)
            if not columns:
                raise InvalidError(f"{method}: columns of {name!r} must name at least one column.")
            check_names(name, columns)
            if delimiter is not None:
                check_delimiter(delimiter)
                form = evolve(form, delimiter=delimiter)
            self._load(source, columns, name, form)
        return table(name, {each: known.as_read for each, known in columns.items()})

    def execute(self, relation: Relation, *, order_by: Sequence[str] = ()) -> Result:
        """Run a query and give its integers, texts and booleans exactly.

        Args:
            relation: What to compute.
            order_by: Columns to sort by, nulls first; without them the order of the rows means nothing.
        """
        return exact_result(relation, self._read(to_read(relation, order_by)))

    def arrays(self, relation: Relation) -> dict[str, tuple[Array, Array]]:
        """Run a query of integers and give each column as an array of 64 bits and a mask of what is null."""
        check_integers(relation)
        return integer_arrays(self.execute(relation))

    def each_part(self, relation: Relation, work: UsePart) -> None:
        """Run a query of integers and pass all its rows on at once.

        Args:
            relation: What to compute.
            work: Is called with the rows.
        """
        work(self.arrays(relation))

    def _read(self, relation: Relation) -> list[tuple[Any, ...]]:
        with self._turn:
            self._check_open()
            sql = self._statements.text(relation)
            return quietly(lambda: self._run(sql), self._run_error, UnavailableError)

    def compute_later(
        self,
        rows: Relation,
        columns: Mapping[str, Column],
        compute: Compute,
        *,
        order_by: Sequence[str],
    ) -> Relation:
        """Refuse functions of Python: the rows stay where they are."""
        raise refusal(
            self._engine,
            f"rows stay in the {self._place}, so that no function of Python reads them",
            "use summaries such as sum(x) and max(x), or a local session.",
        )

    def rehearse(self, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]) -> None:
        """Write queries and let the server or cluster plan them, or refuse them; reads no rows.

        Args:
            relations: The queries.
            limits: What making their rows uses, at most.
            columns: The columns of these rows.
        """
        with self._turn:
            self._check_open()
            self._check_limits(relations, limits, columns)
            for relation in relations:
                sql = self._statements.rehearsed(relation)
                quietly(partial(self._plan, sql), self._plan_error, UnavailableError)

    def _check_open(self) -> None:
        if not self._open:
            raise UnavailableError(
                "the session is closed: close() was called or its with block has ended. Open another one: "
                f"pv.Session({self._source}, codebook, budget)."
            )
