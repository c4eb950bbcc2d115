"""The report of the check, for a terminal, a notebook and programs; each says that it is not private."""

from typing import Any, final

from attrs import field, frozen

from privet.core import count_text, html_table, number_text
from privet.tables.columns import text_table
from privet.tables.custodian.findings import ColumnFindings, Finding, PersonFindings

NOT_PRIVATE = "EXACT, NOT PRIVATE, NOT FOR PUBLICATION: only for whoever holds the data."
_CHOICES = (
    "Bounds and caps that you take from this report depend on the data. Choose round ones that you could defend "
    "without it, or let a query estimate them privately with pv.auto()."
)
_HEADS = ("column", "type", "missing", "unreadable", "below", "above", "no category", "cut", "null in the end")


def share_text(count: int, total: int) -> str:
    """Write a number and its share.

    >>> share_text(12, 12), share_text(1, 3000), share_text(0, 0)
    ('12 (100 %)', '1 (0.033 %)', '0')
    """
    if not count or not total:
        return f"{count:,}"
    return f"{count:,} ({number_text(100 * count / total, 2)} %)"


@final
@frozen(kw_only=True, repr=False)
class CodebookCheck:
    """What of a source does not fit its codebook, counted exactly. Made by ``check``; **not private**.

    Args:
        table: The name of the table.
        rows: How many rows were read.
        unread: How many lines of text files could not be read.
        columns: What happens to the values of each column.
        persons: What happens to the rows of persons; None where rows are protected one by one.
        problems: What to look at before the first release, with a suggestion each.
    """

    table: str
    rows: int
    unread: int
    columns: tuple[ColumnFindings, ...]
    persons: PersonFindings | None
    problems: tuple[Finding, ...] = field(default=())

    def _cells(self) -> list[list[str]]:
        return [
            [
                counts.name if counts.name.isprintable() and counts.name else repr(counts.name),
                counts.kind,
                *(
                    "-" if count is None else share_text(count, self.rows)
                    for count in (
                        *(counts.missing, counts.unreadable, counts.below, counts.above),
                        *(counts.unmatched, counts.cut, counts.null),
                    )
                ),
            ]
            for counts in self.columns
        ]

    def _about_rows(self) -> list[str]:
        unread = f"; {count_text(self.unread, 'line')} could not be read" if self.unread else ""
        lines = [f"{count_text(self.rows, 'row')} of {self.table!r}{unread}"]
        counts = self.persons
        if counts is None:
            return lines
        who = f"persons of {counts.id!r}" + (f" within a {counts.period}" if counts.period else "")
        lines.append(
            f"{who}: {counts.persons:,}, {counts.several:,} of them with more than one row, the heaviest with "
            f"{counts.heaviest:,}; rows without an id: {share_text(counts.without_id, self.rows)}"
        )
        if counts.cap is not None and counts.left_out is not None:
            left_out = share_text(counts.left_out, self.rows)
            lines.append(f"rows that the cap of {count_text(counts.cap, 'row')} of a person leaves out: {left_out}")
        return lines

    def _nulls(self) -> list[str]:
        names: dict[str, list[str]] = {}
        for counts in self.columns:
            if counts.null:
                names.setdefault(counts.nulls, []).append(repr(counts.name))
        return [f"nulls of {', '.join(each)}: {policy}" for policy, each in names.items()]

    def _problems(self) -> list[str]:
        if not self.problems:
            return ["No problems found."]
        numbered = (f"{number}. {each}" for number, each in enumerate(self.problems, start=1))
        choices = [_CHOICES] if any(each.from_data for each in self.problems) else []
        return [f"{count_text(len(self.problems), 'problem')}:", *numbered, *choices]

    def __str__(self) -> str:
        table = text_table([_HEADS, *self._cells()])
        parts = (NOT_PRIVATE, "\n".join(self._about_rows()), table, "\n".join((*self._nulls(), *self._problems())))
        return "\n\n".join(parts) + f"\n\n{NOT_PRIVATE}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        notes = (*self._about_rows(), *self._nulls(), *self._problems(), NOT_PRIVATE)
        return html_table(_HEADS, self._cells(), title=NOT_PRIVATE, notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, with the mark that it is not private."""
        return {
            "private": False,
            "warning": NOT_PRIVATE,
            "table": self.table,
            "rows": self.rows,
            "unread": self.unread,
            "columns": {counts.name: counts.to_dict() for counts in self.columns},
            "persons": None if self.persons is None else self.persons.to_dict(),
            "problems": [
                {"column": each.column, "message": each.message, "suggestion": each.suggestion}
                for each in self.problems
            ],
        }
