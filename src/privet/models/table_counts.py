"""Counts by class and code in the engine of a table: the whole numbers of an array with the same rows."""

from collections.abc import Mapping
from typing import final

import numpy as np
from attrs import field, frozen
from sqlglot import exp

from privet.core import Array
from privet.models.binning import Binning
from privet.tables.columns import Column
from privet.tables.engines.engine import Engine
from privet.tables.vocabulary import Relation, case, column, grid_of, named, rows, selection, step_bounds, whole

_WHOLE = Column(kind="integer")
_CODE, _CLASS, _ROWS = "code", "class", "rows"
_GROUPS = 2**16  # the most combinations of codes and classes of one query


@final
@frozen(kw_only=True)
class CodedTable:
    """A table of whole numbers: grid steps, and positions in lists of categories.

    Args:
        engine: Its engine.
        relation: The table.
        coded: For each column, the target too, how it becomes a whole number.
        known: What is known of each column, by name and in the order of the features.
        target: The name of the target.
        classes: How many classes there are; the target is a position below it, or it.
    """

    engine: Engine = field(repr=False)
    relation: Relation = field(repr=False)
    coded: Mapping[str, exp.Expr] = field(repr=False)
    known: Mapping[str, Column]
    target: str
    classes: int

    def queries(self, binning: Binning | None) -> list[Relation]:
        """Write one query for each block of features; without a binning one that counts all rows with a class."""
        if binning is None:
            return [_grouped(self._with_class(), [], whole(0))]
        names = list(self.known)
        return [
            _grouped(
                self._with_class(*(names[at] for at in block)),
                [self._code(binning, at, names[at]) for at in block],
                column(self.target, "r"),
            )
            for block in self._blocks(binning)
        ]

    def _blocks(self, binning: Binning) -> list[list[int]]:
        """Put features together whose codes have few combinations: every query caps the rows of persons anew."""
        blocks: list[list[int]] = []
        groups = _GROUPS
        for at, size in enumerate(binning.sizes):
            groups *= size
            if groups > _GROUPS:
                blocks.append([])
                groups = self.classes * size
            blocks[-1].append(at)
        return blocks

    def _with_class(self, *names: str) -> Relation:
        """Keep the rows whose class is in the list; of the columns only these, so that queries stay short."""
        kept = self.relation.project({name: (self.coded[name], _WHOLE) for name in (*names, self.target)})
        return kept.filter(exp.LT(this=column(self.target, "r"), expression=whole(self.classes)))

    def count(self, binning: Binning | None) -> Array:
        """Run the queries: for each feature the rows of each code, and within it of each class."""
        if binning is None:
            (query,) = self.queries(None)
            return np.array([sum(self.engine.arrays(query)[_ROWS][0].tolist())], dtype=np.int64)
        found = []
        for block, query in zip(self._blocks(binning), self.queries(binning), strict=True):
            arrays = self.engine.arrays(query)
            place, number = arrays[_CLASS][0], arrays[_ROWS][0]
            for nth, at in enumerate(block):
                counts = np.zeros((binning.sizes[at], self.classes), dtype=np.int64)
                np.add.at(counts, (arrays[f"{_CODE}{nth}"][0], place), number)
                found.append(counts.ravel())
        return np.concatenate(found)

    def _code(self, binning: Binning, at: int, name: str) -> exp.Expr:
        value = column(name, "r")
        if not binning.numeric[at]:
            return value
        last, starts = binning.known[at], _starts(binning, at, self.known[name])
        return case([(exp.Is(this=value.copy(), expression=exp.null()), whole(last))], _search(value, starts, 0))


def _grouped(rows_with_class: Relation, codes: list[exp.Expr], place: exp.Expr) -> Relation:
    """Count rows by the combinations of codes and class."""
    grouping = {f"{_CODE}{at}": code for at, code in enumerate(codes)} | {_CLASS: place}
    projected = rows_with_class.project({name: (value, _WHOLE) for name, value in grouping.items()})
    keys = [column(name, "r") for name in grouping]
    query = selection([*keys, named(rows(), _ROWS)], projected.derived(), group_by=[key.copy() for key in keys])
    return Relation(query=query, columns=dict.fromkeys([*grouping, _ROWS], _WHOLE))


def _starts(binning: Binning, at: int, known: Column) -> list[int]:
    """Return for each code but the first the smallest number of steps that has it or a later one, by bisection."""
    lowest, highest = step_bounds("fit", known)
    grid = float(grid_of("fit", known)) if known.kind in ("integer", "real") else 1.0
    starts = np.arange(1, binning.known[at])
    low, high = [lowest] * len(starts), [highest + 1] * len(starts)  # the answer lies in low .. high
    while any(a < b for a, b in zip(low, high, strict=True)):
        middle = [(a + b) // 2 for a, b in zip(low, high, strict=True)]
        codes = binning.codes_of(at, np.array([min(item, highest) for item in middle], dtype=np.int64) * grid)
        there = (codes >= starts) | np.array([item > highest for item in middle])
        high = [m if yes else b for m, b, yes in zip(middle, high, there.tolist(), strict=True)]
        low = [a if yes or a >= b else m + 1 for a, m, b, yes in zip(low, middle, high, there.tolist(), strict=True)]
    return low


def _search(value: exp.Expr, starts: list[int], first: int) -> exp.Expr:
    """Find the code of a number among the starts by halving them: ``first``, or one more for each start passed."""
    if not starts:
        return whole(first)
    middle = len(starts) // 2
    below = _search(value, starts[:middle], first)
    above = _search(value, starts[middle + 1 :], first + middle + 1)
    passed = exp.GTE(this=value.copy(), expression=whole(starts[middle]))
    return case([(passed, above)], below)
