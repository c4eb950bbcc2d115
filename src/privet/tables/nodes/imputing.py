"""The imputation itself: rows with labels, donors, and the completed table.

Labels and their order are functions of the content of rows, never of where a row stands. Proof: docs/tables/impute.md.
"""

from functools import cached_property
from typing import final

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from sqlglot import exp

from privet.core import Array
from privet.errors import InvalidError
from privet.imputation.changes import most_changes
from privet.imputation.donors import Donors, find_donors
from privet.tables.columns import Column
from privet.tables.engines.engine import Engine, fresh_name
from privet.tables.nodes.imputation import Imputation
from privet.tables.nodes.imputed_names import LACKING, RESERVED, ROW
from privet.tables.relations.numbered_rows import numbered, without_negative_zeros
from privet.tables.vocabulary import Relation, case, cast, column, keyed_hash, table, whole

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
        imputed: The imputed values of the rows that lack one.
        completed: The rows with imputed values in place of nulls.
    """

    labelled: str
    imputed: str
    completed: str

    @classmethod
    def fresh(cls) -> "TemporaryTables":
        """Give names that no other table has."""
        return cls(**{purpose: fresh_name(purpose) for purpose in ("labelled", "imputed", "completed")})

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return self.labelled, self.imputed, self.completed


@final
@frozen(kw_only=True, eq=False, slots=False)
class Imputing:
    """The relations of an imputation, written before a row is read.

    Args:
        imputation: What is imputed, and how.
        base: The rows, capped.
        names: The names of the tables.
        whose: Columns that together differ in every row; None if rows may be equal in everything.
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
        rows = without_negative_zeros(self.base)
        content = list(self.base.columns)
        if self.whose is None:  # copies of a row are numbered: if one is removed, it is the last
            rows = numbered(rows, _COPY, within=content, order=[])
            content = [*content, _COPY]
        hashed = keyed_hash(self.key, [column(name, "r") for name in self.whose or content])
        label = cast(exp.BitwiseRightShift(this=hashed, expression=whole(1)), "integer")
        return numbered(rows.with_column(_LABEL, label, _WHOLE), ROW, within=[], order=[_LABEL, *content])

    @cached_property
    def read(self) -> Relation:
        """The whole numbers from which donors are found."""
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
        both, name = rows.join(values, on=[ROW], how="left"), self.imputation.name
        outputs: dict[str, tuple[exp.Expr, Column]] = {
            each: (column(each, "r"), known) for each, known in self.base.columns.items()
        }
        absent = exp.Is(this=column(_VALUE, "r"), expression=exp.null())
        imputed = self.imputation.written(column(_VALUE, "r"))
        outputs[name] = (case([(absent, self.imputation.own())], imputed), self.imputation.completed)
        outputs[ROW] = (column(ROW, "r"), _WHOLE)
        outputs[LACKING] = (exp.Not(this=exp.Paren(this=absent.copy())), _FLAG)
        return both.project(outputs)

    @cached_property
    def completed(self) -> Relation:
        """The completed rows, with their places and whether they lacked a value."""
        return table(self.names.completed, self.joined.columns)

    def run(self, engine: Engine) -> "Imputed":
        """Find donors, impute, and hold the completed table."""
        engine.hold(self.labelled, self.names.labelled)
        columns = engine.arrays(self.read)
        order = np.empty(len(columns[ROW][0]), dtype=np.int64)
        order[columns[ROW][0] - 1] = np.arange(len(order))
        cells, labels, strata, values = (columns[name][0][order] for name in (_CELL, _LABEL, _STRATUM, _VALUE))
        complete = ~columns[_VALUE][1][order]
        parts = []
        for rows in _apart(strata):
            # rows come in the order of labels and content, so that equal labels are in order already
            grid, k = self.imputation.grid, self.imputation.scheme.k
            donors = find_donors(grid, cells[rows], labels[rows], complete[rows], k=k)
            parts.append(Part(donors=donors, rows=rows[donors.incomplete], values=self._impute(donors, values[rows])))
        nothing = np.zeros(0, dtype=np.int64)
        imputed = {
            ROW: pa.array(np.concatenate([nothing, *(part.rows + 1 for part in parts)])),
            _VALUE: pa.array(np.concatenate([nothing, *(part.values for part in parts)])),
        }
        engine.load(pa.table(imputed), {ROW: _WHOLE, _VALUE: _WHOLE}, self.names.imputed)
        engine.hold(self.joined, self.names.completed)
        return Imputed(parts=tuple(parts))

    def _impute(self, donors: Donors, values: Array) -> Array:
        """Combine the values of donors, in grid steps of the completed column."""
        rows, scheme = donors.rows, self.imputation.scheme
        present = rows >= 0
        read = values[np.where(present, rows, 0)]
        combined = scheme.combine(read, present, self.imputation.stands_in).astype(np.int64)
        lowest, highest = self.imputation.ends
        inside = np.clip(combined, lowest * scheme.parts, highest * scheme.parts)
        finer = inside << self.imputation.bits
        # halves upward: like the mean itself, this moves with whole steps
        return finer if scheme.parts == 1 else (2 * finer + scheme.parts) // (2 * scheme.parts)


@final
@frozen(kw_only=True, eq=False)
class Part:
    """The incomplete rows of one stratum.

    Args:
        donors: The donors of each row.
        rows: The places of the incomplete rows among all, from zero.
        values: The imputed values.
    """

    donors: Donors = field(repr=False)
    rows: Array = field(repr=False)
    values: Array = field(repr=False)


@final
@frozen(kw_only=True, eq=False)
class Imputed:
    """The donors and imputed values of all strata.

    Args:
        parts: One for each stratum that has rows.
    """

    parts: tuple[Part, ...] = field(repr=False)

    def changes(self, rows: Array) -> tuple[int, int]:
        """Give L1 of some rows, and a number of incomplete rows that it never exceeds.

        A row changes donors in its own stratum only, so both are the largest of any stratum.

        Args:
            rows: The places of those rows, from one; they do not depend on imputed values.
        """
        most, incomplete = 1, 0
        for part in self.parts:
            kept = np.isin(part.rows + 1, rows)
            number = int(kept.sum())
            if number:
                most, incomplete = max(most, most_changes(among(part.donors, kept))), max(incomplete, number)
        return most, incomplete


def among(donors: Donors, kept: Array) -> Donors:
    """Keep some of the incomplete rows; all complete rows stay donors."""
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
