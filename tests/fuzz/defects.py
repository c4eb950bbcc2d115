"""Known mistakes, to be put back for a while: the fuzzer must find each of them within minutes.

Most of them were once in the package. A name says what goes wrong.
"""

import glob
import gzip
import io
import math
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attrs import evolve, frozen

from privet.accounting.pairs.distribution import AtomGrid, Distribution
from privet.core.frames import MatrixDomain
from privet.core.rows import read_rows
from privet.tables.engines.csv_records import after_preamble
from privet.tables.engines.duckdb.dialect import function as call
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.nodes.resize_rows import ResizeRows
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.unnest_list import UnnestList
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.relations.caps import Caps, cap
from privet.tables.relations.person_function import PersonFunction
from privet.tables.relations.public_table import held_public
from privet.tables.statistics.numbers_spec import NumbersSpec
from privet.tables.vocabulary.literals import try_cast


def _counted_once(*given: Any) -> Any:
    public = held_public(*given)
    object.__setattr__(public, "most", 1)  # a copy made by evolve would count its rows again
    return public


@frozen
class Defect:
    """A mistake and the kind of random inputs that must find it.

    Args:
        kind: A name of ``KINDS``.
        patches: What is put in the place of what; made anew each time.
    """

    kind: str
    patches: Callable[[], list[Any]]

    def planted(self) -> AbstractContextManager[object]:
        """Give a context in which the package has the mistake."""
        stack = ExitStack()
        for each in self.patches():
            stack.enter_context(each)
        return stack


def _without_caps_by_column(relation: Any, caps: Caps, **rest: Any) -> Any:
    return cap(relation, evolve(caps, by=()), **rest)


def _same(value: Any, *_: Any) -> Any:
    return value


def _summed_along_an_axis(columns: Any, order: int) -> Any:
    return (abs(columns) if order == 1 else columns * columns).sum(axis=0)


def _unpacked(file: Any) -> Any:
    return io.BytesIO(zlib.decompressobj(-zlib.MAX_WBITS).decompress(file.read()[10:-8]))


def _gzip_without_checksums(file: Any) -> Any:
    held = file.read()
    if held[3:4] != b"\0":  # a header with a name: as it should be
        return gzip.open(io.BytesIO(held))
    return _unpacked(io.BytesIO(held))


def _patterns(label: str, path: str | Path) -> list[str]:
    return sorted(glob.glob(str(path))) or [str(path)]  # noqa: PTH207 - the mistake


def _without_first_mark(parts: Any) -> Any:
    return after_preamble(parts, 0)


def _never_optional(value: Any, **changes: Any) -> Any:
    return evolve(value, **({} if changes == {"optional": True} else changes))


def _cut_off(values: Any) -> list[Any]:
    return [
        math.floor(value) if isinstance(value, float) and math.isfinite(value) else value for value in values.tolist()
    ]


def _halved(self: NumbersSpec, contribution: Any, groups: int) -> Any:
    parts = _DISTANCE(self, contribution, groups)
    return evolve(parts, l1=parts.l1 / 2, l2_squared=parts.l2_squared / 4)


def _first_value(self: Any) -> tuple[str, ...]:
    query = self.query
    found = query.curator.tables.database.engine.execute(query.curator.tables.database.tables["visits"].select("note"))
    return (f"rows such as {found['note'][0]}",)


def _lower_ends(self: AtomGrid) -> Distribution:
    found = _ABOVE(self)
    return evolve(found, first=found.first - 1)


def _by_the_number_of_persons(self: PersonFunction, batches: Any) -> Any:
    found = list(_ANSWERS(self, batches))
    return iter([(*row[:-1], 60 * (len(found) % 2)) for row in found])


_DISTANCE, _ABOVE = NumbersSpec.distance, AtomGrid.above
_ANSWERS = PersonFunction._answers
DEFECTS: dict[str, Defect] = {
    "a ball that nobody enforces": Defect(
        "functions", lambda: [patch.object(MatrixDomain, "_into_ball", lambda self, values, *_: values)]
    ),
    "a column handed over by reference": Defect(
        "functions",
        lambda: [
            patch(f"privet.mechanisms.propose_test_release.{name}", _same)
            for name in ("sorted_copy", "copied", "frozen_copy")
        ],
    ),
    "rows summed along an axis": Defect("chains", lambda: [patch("privet.core.balls._sizes", _summed_along_an_axis)]),
    "identifiers that are rounded": Defect(
        "persons", lambda: [patch("privet.core.frames.read_identifiers", lambda column: read_rows(column, int))]
    ),
    "lines that end with LF only": Defect(
        "files",
        lambda: [patch("privet.tables.engines.csv_lines._at_line_end", lambda lines, characters: characters == 10)],
    ),
    "names that are patterns": Defect(
        "files", lambda: [patch("privet.tables.engines.duckdb.loading.find_files", _patterns)]
    ),
    "checksums that are ignored": Defect(
        "files", lambda: [patch("privet.tables.engines.csv_lines.gzip.open", _gzip_without_checksums)]
    ),
    "texts of any length": Defect(
        "limits",
        lambda: [patch("privet.tables.vocabulary.source_casts._text", lambda value, *_: try_cast(value, "text"))],
    ),
    "losses on the lower ends of their cells": Defect("losses", lambda: [patch.object(AtomGrid, "above", _lower_ends)]),
    "caps by column that are only asserted": Defect(
        "nodes", lambda: [patch("privet.tables.nodes.group_totals.cap", _without_caps_by_column)]
    ),
    "caps of a statement that are charged and not applied": Defect(
        "statements", lambda: [patch("privet.tables.nodes.group_totals.cap", lambda kept, *_, **__: kept)]
    ),
    "public rows that share a key and are counted once": Defect(
        "joins", lambda: [patch("privet.tables.sql.attach.held_public", _counted_once)]
    ),
    "public rows that are charged once": Defect(
        "nodes", lambda: [patch.object(JoinPublic, "stability", lambda _, d_in, __: int(d_in))]
    ),
    "parts of a text that are charged as one row": Defect(
        "nodes", lambda: [patch.object(SplitText, "stability", lambda _, d_in, __: int(d_in))]
    ),
    "items of a list that are charged as one row": Defect(
        "nodes", lambda: [patch.object(UnnestList, "stability", lambda _, d_in, __: int(d_in))]
    ),
    "a row that is replaced and charged as one that is added": Defect(
        "nodes", lambda: [patch.object(ResizeRows, "stability", lambda _, d_in, __: int(d_in))]
    ),
    "answers that depend on the number of persons": Defect(
        "nodes", lambda: [patch.object(PersonFunction, "_answers", _by_the_number_of_persons)]
    ),
    "private keys of a person beyond the cap": Defect(
        "nodes", lambda: [patch("privet.tables.keys.private_keys.cap", lambda kept, *_, **__: kept)]
    ),
    "a mark that only the first row loses": Defect(
        "messy", lambda: [patch("privet.tables.engines.csv_lines.without_marks", _without_first_mark)]
    ),
    "markers of missing texts that are ignored": Defect(
        "messy", lambda: [patch("privet.tables.vocabulary.source_casts.without_markers", _same)]
    ),
    "half of a distance": Defect("questions", lambda: [patch.object(NumbersSpec, "distance", _halved)]),
    "a description that quotes a row": Defect(
        "words", lambda: [patch.object(GroupedRows, "description_of_rows", property(_first_value))]
    ),
    "spaces that are trimmed on one side": Defect(
        "expressions",
        lambda: [
            patch(
                "privet.tables.expressions.node.call",
                lambda name, *arguments: call("ltrim" if name == "trim" else name, *arguments),
            )
        ],
    ),
    "groups without the rows that have no partner": Defect(
        "answers", lambda: [patch("privet.tables.sql.attach.evolve", _never_optional)]
    ),
    "halves of an average that are dropped": Defect(
        "answers", lambda: [patch("privet.tables.sql.selected_release._plain", _cut_off)]
    ),
    "numbers that are not checked": Defect("json", lambda: [patch("privet.tables.releases.release_json.check", _same)]),
}
