"""One row for each person: what a user's function gives for a few of the person's rows."""

from collections.abc import Callable
from typing import Any, final
from weakref import WeakKeyDictionary

from attrs import evolve, field, frozen

from privet.chains.transformation import Transformation
from privet.core import Distance, Space, function_of, must_be, positive, whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns import Column, find_column, read_name, read_names
from privet.tables.engines.engine import Engine
from privet.tables.relations.caps import Caps, cap
from privet.tables.relations.person_function import KINDS, PersonFunction, Rows
from privet.tables.relations.table_space import Table, like, limits_of, table_of
from privet.tables.vocabulary import Relation, check_names
from privet.transforms import function_name

MOST = 1_000  # rows of one call
_HELD: "Callable[[], WeakKeyDictionary[Engine, dict[str, Relation]]]" = WeakKeyDictionary


def _reads(value: object) -> tuple[str, ...]:
    return read_names("summarize_with.columns", value)


def _keys(value: object) -> tuple[str, ...]:
    return read_names("summarize_with", value)


def _into(value: object) -> str:
    return read_name("summarize_with.into", value)


def _result(value: Any) -> Any:
    return evolve(value, nullable=True) if isinstance(value, Column) else value


def _text(relation: Relation) -> str:
    """Write a query, to tell whether it is the same one as before."""
    try:
        return relation.query.sql()
    except RecursionError:
        raise InvalidError(
            "the query is nested too deeply to be written; use fewer filters and derived columns."
        ) from None


@final
@frozen(kw_only=True)
class SummarizeByFunction(Transformation):
    """Replace the rows of each person by one row with what a user's function of them gives; null where it fails.

    The function is called once for each person, with a list of at most ``rows`` rows of that person, each a dictionary.
    Which rows these are is decided by a keyed hash, and their order by their content.

    Args:
        function: A function of a list of rows. It must depend on nothing else: not on earlier calls, a clock or chance.
        rows: How many rows of a person it gets at most, up to 1,000.
        reads: The columns that it sees.
        into: What to call its answer.
        to: What its answer is: a number with bounds, a truth value, or one of several categories.
        keys: Columns to group by: one call for each person and each combination of their values.
        key: A secret number of 63 bits, drawn once.

    Guarantee: counted in persons ``map(d_in) = d_in``.
    Proof: docs/tables/nodes/summarize_by_function.md.

    >>> from privet.tables.relations.table_space import UnitDistance, TableDomain
    >>> visits = {"id": Column(kind="integer"), "minutes": Column(kind="integer", bounds=(0, 60))}
    >>> space = Space(TableDomain(columns=visits), UnitDistance(("id",)))
    >>> spread = lambda rows: max(row["minutes"] for row in rows) - min(row["minutes"] for row in rows)
    >>> to = Column(kind="integer", bounds=(0, 60))
    >>> node = SummarizeByFunction(function=spread, rows=5, reads=("minutes",), into="spread", to=to, key=7)
    >>> found = (space >> node)([{"id": 1, "minutes": 5}, {"id": 1, "minutes": 30}, {"id": 2}])
    >>> found.engine.execute(found.relation, order_by=["id"])["spread"]
    [25, None]
    """

    function: Callable[[Rows], Any] = field(validator=function_of("a list of rows"), repr=function_name)
    rows: int = field(converter=whole, validator=[positive, must_be(lambda rows: rows <= MOST, f"at most {MOST:,}")])
    reads: tuple[str, ...] = field(converter=_reads)
    into: str = field(converter=_into)
    to: Column = field(converter=_result)
    keys: tuple[str, ...] = field(default=(), converter=_keys)
    key: int = field(repr=False)
    _held: "WeakKeyDictionary[Engine, dict[str, Relation]]" = field(factory=_HELD, repr=False, eq=False, init=False)

    @to.validator
    def _check_result(self, _: object, value: object) -> None:
        if not isinstance(value, Column):
            raise WrongTypeError(
                "summarize_with.to must be made by pv.column(...), such as pv.column('real', bounds=(0, 1)), got "
                f"{type(value).__name__}."
            )
        bounded = value.kind in ("integer", "real") and value.bounds is not None
        if value.kind not in KINDS or not (bounded or value.categories is not None or value.kind == "boolean"):
            raise InvalidError(
                "summarize_with.to must be a number with bounds, a boolean, or have categories: what a function may "
                "answer is public knowledge."
            )

    def output(self, space: Space) -> Space:
        """The id columns, the keys and the answer."""
        columns, id_columns = table_of(self, space)
        if not id_columns:
            raise InvalidError("summarize_with puts the rows of a person together: the unit must be Persons(id=...).")
        for name in self.keys:
            if find_column("summarize_with", name, columns).kind == "list":
                raise InvalidError(f"summarize_with: {name!r} is a list; make a row for each item first, with unnest.")
        if not self.reads:
            raise InvalidError("summarize_with.columns must name at least one column for the function to read.")
        for name in self.reads:
            find_column("summarize_with.columns", name, columns)
        names = self._group(id_columns)
        check_names("summarize_with", [*names, self.into])
        return like(space, {**{name: columns[name] for name in names}, self.into: self.to}, limits_of(space))

    def apply(self, value: Table, space: Space) -> Table:
        """Refer to a table that is computed once it is needed; rows without an identifier are left out."""
        columns, id_columns = table_of(self, space)
        group = self._group(id_columns)
        caps = Caps(rows_per_group=self.rows) if self.keys else Caps(rows=self.rows)
        kept = cap(value.relation, caps, person=id_columns, groups=self.keys, used=self.reads, key=self.key)
        held = self._held.setdefault(value.engine, {})
        written = _text(kept)
        if written not in held:
            seen = {name: columns[name] for name in group}
            called = PersonFunction(function=self.function, group=seen, reads=self.reads, into=self.into, to=self.to)
            made, _ = table_of(self, self.output(space))
            held[written] = value.engine.compute_later(
                kept.select(*called.columns), made, called.compute, order_by=called.columns
            )
        return evolve(value, relation=held[written])

    def stability(self, d_in: Any, space: Space) -> Distance:
        """The rows of a person give the row of that person."""
        return int(d_in)

    def _group(self, id_columns: tuple[str, ...]) -> list[str]:
        return [*id_columns, *(name for name in self.keys if name not in id_columns)]
