"""A table of exactly so many rows: a random sample of them, or public rows beside them."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.chains.transformation import Transformation
from privet.core import Distance, Space, must_be, short, whole
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.column import column as described
from privet.tables.codebook.values import read_value
from privet.tables.columns import Column, Columns, find_column
from privet.tables.relations.numbered_rows import numbered, without_negative_zeros
from privet.tables.relations.public_table import PublicTable
from privet.tables.relations.table_space import Table, like, table_of
from privet.tables.vocabulary import Relation, cast, column, column_type, keyed_hash, literal
from privet.tables.vocabulary import whole as whole_number

_RESERVED = "privet "
_COPY, _HASH, _ADDED, _PLACE = "privet copy", "privet hash", "privet added", "privet place"
_WHOLE = Column(kind="integer", nullable=False)
_MOST = 10**6


def _pairs(value: Any) -> Any:
    return tuple(value.items()) if isinstance(value, Mapping) else () if value is None else value


@final
@frozen(kw_only=True)
class ResizeRows(Transformation):
    """Keep a random sample of so many rows, or add public rows until there are so many.

    Args:
        rows: The number of rows of the result.
        fill: Values of the added rows, by column; they are null in the other columns.
        key: A secret number of 63 bits, drawn once.

    Guarantee: ``map(d_in) = 2 min(d_in, rows)``, counted in rows.
    Proof: docs/tables/nodes/resize_rows.md.

    >>> from privet.tables.relations.table_space import RowDistance, TableDomain
    >>> people = Space(TableDomain(columns={"age": Column(kind="integer")}), RowDistance())
    >>> chain = people >> ResizeRows(rows=3, fill={"age": 40}, key=7)
    >>> found = chain([{"age": 5}])
    >>> chain.map(1), sorted(found.engine.execute(found.relation)["age"])
    (2, [5, 40, 40])
    """

    rows: int = field(
        converter=whole, validator=must_be(lambda rows: 1 <= rows <= _MOST, f"from 1 to {_MOST:,}"), repr=short
    )
    fill: tuple[tuple[str, Any], ...] = field(default=(), converter=_pairs)
    key: int = field(repr=False)

    @fill.validator
    def _check(self, _: object, value: object) -> None:
        pairs = isinstance(value, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value)
        if not pairs:
            raise WrongTypeError("resize.fill must be a dict from columns to values, such as {'age': 40}.")

    def output(self, space: Space) -> Space:
        """The same columns; those that are not filled may be null."""
        columns, id_columns = table_of(self, space)
        if id_columns:
            raise InvalidError(
                "resize counts rows, and the unit is persons: one person more could displace rows of many others. "
                "Use cap(rows=...) to limit the rows of a person, or the unit Rows if each person has one row."
            )
        for name in columns:
            if name.lower().startswith(_RESERVED):
                raise InvalidError(
                    f"resize: names that begin with {_RESERVED!r} are used inside queries; rename {name!r}."
                )
        return like(space, self._columns(columns))

    def apply(self, value: Table, space: Space) -> Table:
        """Rank the rows by keyed hash, public rows after all others, and keep the first."""
        columns, _ = table_of(self, space)
        content = list(columns)
        rows = numbered(without_negative_zeros(value.relation), _COPY, within=content, order=[])
        hashed = keyed_hash(self.key, [column(name, "r") for name in (*content, _COPY)])
        spread = cast(exp.BitwiseRightShift(this=hashed, expression=whole_number(1)), "integer")
        rows = rows.with_column(_HASH, spread, _WHOLE).with_column(_ADDED, whole_number(0), _WHOLE)
        known = {**self._columns(columns), _COPY: _WHOLE, _HASH: _WHOLE, _ADDED: _WHOLE}
        both = evolve(rows, columns=known).union_all(self._added(value, known))
        ranked = numbered(both, _PLACE, within=[], order=[_ADDED, _HASH, *content, _COPY])
        first = exp.LTE(this=column(_PLACE, "r"), expression=whole_number(self.rows))
        return evolve(value, relation=ranked.filter(first).select(*content))

    def stability(self, d_in: Any, space: Space) -> Distance:
        """One row more takes the place of another row, or of a public one."""
        return 2 * min(int(d_in), self.rows)

    def _columns(self, columns: Columns) -> dict[str, Column]:
        filled = self._values(columns)
        return {name: evolve(known, nullable=known.nullable or name not in filled) for name, known in columns.items()}

    def _values(self, columns: Columns) -> dict[str, Any]:
        """Read the values as values of their columns."""
        return {
            name: read_value(f"resize.fill[{name!r}]", find_column("resize.fill", name, columns), value)
            for name, value in self.fill
        }

    def _added(self, value: Table, known: Mapping[str, Column]) -> Relation:
        """Give so many public rows, all alike."""
        filled = self._values({name: each for name, each in known.items() if not name.startswith(_RESERVED)})
        outputs: dict[str, tuple[exp.Expr, Column]] = {}
        for name, each in known.items():
            if name in (_COPY, _HASH, _ADDED):
                outputs[name] = (whole_number(int(name == _ADDED)), each)
            elif name in filled:
                outputs[name] = (literal(each, filled[name]), each)
            else:
                outputs[name] = (exp.Cast(this=exp.null(), to=column_type(each)), each)
        return _public_rows(self.rows).relation(value.engine).project(outputs)


@lru_cache(maxsize=8)
def _public_rows(count: int) -> PublicTable:
    import pyarrow as pa

    source = pa.table({_PLACE: pa.array(range(count), pa.int64())})
    return PublicTable(source=source, described={_PLACE: described("integer")}, on=(_PLACE,))
