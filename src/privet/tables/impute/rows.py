"""Imputation carried out: rows with labels, donors, and the table in which nothing is missing.

Labels and their order are functions of the content of rows, never of where a row stands. Proof: docs/tables/impute.md.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import final

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from sqlglot import exp

from privet.core.rows import Array
from privet.errors import InvalidError
from privet.imputation.changes import most_changes
from privet.imputation.donors import Donors, find_donors
from privet.tables.columns.column import Column
from privet.tables.engines.engine import Engine
from privet.tables.engines.held import fresh_name
from privet.tables.impute.imputation import Imputation
from privet.tables.vocabulary.literals import call, case, cast, keyed_hash, real, whole
from privet.tables.vocabulary.relation import Relation, column, table

RESERVED = "privet "
ROW, LACKING = "privet row", "privet lacking"
_COPY, _LABEL, _CELL, _VALUE = "privet copy", "privet label", "privet cell", "privet value"
_STRATUM = "privet stratum"
_WHOLE = Column(kind="integer", nullable=False)
_FLAG = Column(kind="boolean", nullable=False)


@final
@frozen(kw_only=True, eq=False)
class TemporaryTables:
    """The names of the tables that an imputation makes.

    Args:
        labelled: The rows with their labels.
        imputed: The values of those that lack one.
        completed: The rows with nothing missing.
    """

    labelled: str
    imputed: str
    completed: str

    @classmethod
    def fresh(cls) -> "TemporaryTables":
        """Give names that nobody used before."""
        return cls(**{purpose: fresh_name(purpose) for purpose in ("labelled", "imputed", "completed")})

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return self.labelled, self.imputed, self.completed


@final
@frozen(kw_only=True, eq=False, slots=False)
class Imputing:
    """The relations of an imputation, written before anything is read.

    Args:
        imputation: What is imputed, and how.
        base: The rows, capped.
        names: The names of the tables.
        whose: Columns of which no two rows share all values; None where rows may be equal in everything.
        key: A secret number of 63 bits, drawn once.
    """

    imputation: Imputation
    base: Relation = field(repr=False)
    names: TemporaryTables
    whose: tuple[str, ...] | None
    key: int = field(repr=False)

    def __attrs_post_init__(self) -> None:
        for name in self.base.columns:
            if name.lower().startswith(RESERVED):
                raise InvalidError(
                    f"impute: names that begin with {RESERVED!r} are used inside queries; rename {name!r}."
                )

    @cached_property
    def labelled(self) -> Relation:
        """The rows with a copy number, a label and a place in the order of labels."""
        plain = {name: (_tidy(name, known), known) for name, known in self.base.columns.items()}
        rows = self.base.project(plain)
        content = list(self.base.columns)
        if self.whose is None:  # equal rows are told apart by how many there are: one that goes is the last of them
            rows = _numbered(rows, _COPY, within=content, order=[])
            content = [*content, _COPY]
        hashed = keyed_hash(self.key, [column(name, "r") for name in self.whose or content])
        label = cast(exp.BitwiseRightShift(this=hashed, expression=whole(1)), "integer")
        return _numbered(rows.with_column(_LABEL, label, _WHOLE), ROW, within=[], order=[_LABEL, *content])

    @cached_property
    def read(self) -> Relation:
        """What donors are found from: whole numbers."""
        rows = table(self.names.labelled, self.labelled.columns)
        return rows.project(
            {
                ROW: (column(ROW, "r"), _WHOLE),
                _LABEL: (column(_LABEL, "r"), _WHOLE),
                _CELL: (self.imputation.cell(), _WHOLE),
                _STRATUM: (self.imputation.stratum(), _WHOLE),
                _VALUE: (self.imputation.value(), evolve(_WHOLE, nullable=True)),
            }
        )

    @cached_property
    def joined(self) -> Relation:
        """The rows with imputed values in place of nulls."""
        rows = table(self.names.labelled, self.labelled.columns)
        values = table(self.names.imputed, {ROW: _WHOLE, _VALUE: _WHOLE})
        found, name = rows.join(values, on=[ROW], how="left"), self.imputation.name
        outputs: dict[str, tuple[exp.Expr, Column]] = {
            each: (column(each, "r"), known) for each, known in self.base.columns.items()
        }
        absent = exp.Is(this=column(_VALUE, "r"), expression=exp.null())
        given = self.imputation.written(column(_VALUE, "r"))
        outputs[name] = (case([(absent, self.imputation.own())], given), self.imputation.completed)
        outputs[ROW] = (column(ROW, "r"), _WHOLE)
        outputs[LACKING] = (exp.Not(this=exp.Paren(this=absent.copy())), _FLAG)
        return found.project(outputs)

    @cached_property
    def completed(self) -> Relation:
        """Refer to the rows in which nothing is missing, with their places and whether they lacked a value."""
        return table(self.names.completed, self.joined.columns)

    def run(self, engine: Engine) -> "Imputed":
        """Find donors, impute, and hold the completed table."""
        engine.hold(self.labelled, self.names.labelled)
        found = engine.arrays(self.read)
        order = np.empty(len(found[ROW][0]), dtype=np.int64)
        order[found[ROW][0] - 1] = np.arange(len(order))
        cells, labels, strata, values = (found[name][0][order] for name in (_CELL, _LABEL, _STRATUM, _VALUE))
        complete = ~found[_VALUE][1][order]
        parts = []
        for rows in _apart(strata):
            # rows come in the order of labels and content, so that equal labels are in order already
            grid, k = self.imputation.grid, self.imputation.scheme.k
            donors = find_donors(grid, cells[rows], labels[rows], complete[rows], k=k)
            parts.append(Part(donors=donors, rows=rows[donors.incomplete], values=self._impute(donors, values[rows])))
        nothing = np.zeros(0, dtype=np.int64)
        columns = {
            ROW: pa.array(np.concatenate([nothing, *(part.rows + 1 for part in parts)])),
            _VALUE: pa.array(np.concatenate([nothing, *(part.values for part in parts)])),
        }
        engine.load(pa.table(columns), {ROW: _WHOLE, _VALUE: _WHOLE}, self.names.imputed)
        engine.hold(self.joined, self.names.completed)
        return Imputed(parts=tuple(parts))

    def _impute(self, donors: Donors, values: Array) -> Array:
        """Combine the values of donors, in steps of the completed column."""
        rows, scheme = donors.rows, self.imputation.scheme
        given = rows >= 0
        read = values[np.where(given, rows, 0)]
        found = scheme.combine(read, given, self.imputation.stands_in).astype(np.int64)
        lowest, highest = self.imputation.ends
        inside = np.clip(found, lowest * scheme.parts, highest * scheme.parts)
        finer = inside << self.imputation.bits
        # halves upward: like the mean itself, this moves with whole steps
        return finer if scheme.parts == 1 else (2 * finer + scheme.parts) // (2 * scheme.parts)


@final
@frozen(kw_only=True, eq=False)
class Part:
    """The incomplete rows of one stratum.

    Args:
        donors: Who gives to whom there.
        rows: The places of the incomplete rows among all, from zero.
        values: What is imputed.
    """

    donors: Donors = field(repr=False)
    rows: Array = field(repr=False)
    values: Array = field(repr=False)


@final
@frozen(kw_only=True, eq=False)
class Imputed:
    """Who gave to whom, stratum by stratum.

    Args:
        parts: One for each stratum that has rows.
    """

    parts: tuple[Part, ...] = field(repr=False)

    def changes(self, rows: Array) -> tuple[int, int]:
        """Give L1 and a number of incomplete rows that it never exceeds, counting those of a part of the table only.

        A row changes donors in its own stratum alone, so that both are the largest of any stratum.

        Args:
            rows: The places of the rows of that part, from one; it does not depend on what is imputed.
        """
        most, incomplete = 1, 0
        for part in self.parts:
            kept = np.isin(part.rows + 1, rows)
            number = int(kept.sum())
            if number:
                most, incomplete = max(most, most_changes(among(part.donors, kept))), max(incomplete, number)
        return most, incomplete


def among(donors: Donors, kept: Array) -> Donors:
    """Keep some of the incomplete rows; their donors are among all complete rows, as before."""
    present, member = np.unique(donors.member[kept], return_inverse=True)
    return evolve(
        donors,
        incomplete=donors.incomplete[kept],
        given=donors.given[kept],
        tied=donors.tied[kept],
        starts=donors.starts[kept],
        classes=donors.classes[present],
        member=member,
        radii=donors.radii[present],
    )


def _apart(strata: Array) -> list[Array]:
    """Give the rows of each stratum, in order."""
    order = np.argsort(strata, kind="stable")
    return [rows for rows in np.split(order, np.flatnonzero(np.diff(strata[order])) + 1) if len(rows)]


def _tidy(name: str, known: Column) -> exp.Expr:
    """Refer to a column; a negative zero, which is equal to zero and not the same, becomes zero."""
    value: exp.Expr = column(name, "r")
    return exp.Add(this=value, expression=real(0.0)) if known.kind == "real" else value


def _numbered(rows: Relation, name: str, *, within: Sequence[str], order: Sequence[str]) -> Relation:
    ordered = [exp.Ordered(this=column(each, "r"), desc=False, nulls_first=True) for each in order]
    window = exp.Window(
        this=call("row_number"),
        partition_by=[column(each, "r") for each in within],
        order=exp.Order(expressions=ordered) if ordered else None,
        over="OVER",
    )
    return rows.with_column(name, window, _WHOLE)
