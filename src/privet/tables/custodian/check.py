"""Check a source against its codebook, exactly: for whoever holds the data, before the first release."""

from collections.abc import Iterable, Sequence
from typing import Any

from privet.core import count_text, percent_text
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import CodebookColumn
from privet.tables.codebook.from_frame import read_names
from privet.tables.codebook.given_codebook import Codebooks, check_order, read_codebook
from privet.tables.custodian.counts import (
    commonest_beyond,
    count_column,
    count_persons,
    count_rows,
    count_texts,
    share_kept,
)
from privet.tables.custodian.findings import ColumnFindings, Finding, PersonFindings
from privet.tables.custodian.list_counts import about_list, count_list
from privet.tables.custodian.raw_source import SourceTables, load_tables, row_types, settle
from privet.tables.custodian.report import CodebookCheck, share_text
from privet.tables.custodian.suggestions import (
    suggest_bounds,
    suggest_categories,
    suggest_markers,
    suggest_reading,
    suggest_sentinel,
)
from privet.tables.custodian.text_lines import LineCounts, count_lines
from privet.tables.engines.default import open_engine
from privet.tables.engines.engine import Engine
from privet.tables.engines.sources import NamedRows, check_present

_FEW = 100  # a share of one in so many is not worth a problem


def check(
    source: object,
    codebook: Codebooks,
    *,
    columns: Iterable[str] | None = None,
    delimiter: str | None = None,
) -> CodebookCheck:
    """Count exactly what of a source does not fit its codebook: not private, and not for publication.

    It reads all of the data and adds no noise. It is for whoever holds them, to correct the codebook or the source
    before the first release. It belongs to no session and costs no budget.

    Args:
        source: What a session takes: the path of CSV or Parquet files, an Arrow table, a pandas or polars frame, a pair
            of an open connection and the name of a table, or a list of rows.
        codebook: A ``Codebook``, the path of one, or a dictionary.
        columns: The names of the positions in a list of tuples.
        delimiter: What parts the columns of a text file: a comma by default.

    >>> rows = [{"day": "01/31/2024"}, {"day": "02/28/2024"}]
    >>> report = check(rows, {"columns": {"day": "date"}, "unit": {"rows": 1}})
    >>> print(report.problems[0].suggestion)
    2 of 2 values of 'day' look like US dates mm/dd/yyyy. Write format: "%m/%d/%Y" in the codebook.
    """
    check_order("check", source, codebook)
    book = read_codebook("check", codebook)
    table = book.table or "data"
    settled = _named(table, settle(source), book, columns)
    engine = open_engine()
    try:
        tables = load_tables(engine, settled, book, delimiter)
        total = count_rows(engine, tables)
        counted = [_count(engine, tables, name, item, total) for name, item in book.columns.items()]
        persons = count_persons(engine, tables, book, total)
        lines = count_lines(settled, delimiter, book.file)
        problems = (
            *_about_rows(settled, lines, total, book),
            *(each for counts in counted for each in _about_column(engine, tables, book, counts, total)),
            *_about_persons(engine, tables, book, persons, total),
        )
    finally:
        engine.close()
    unread = 0 if lines is None else lines.lines - total
    return CodebookCheck(
        table=table, rows=total, unread=unread, columns=tuple(counted), persons=persons, problems=problems
    )


def _count(engine: Engine, tables: SourceTables, name: str, item: CodebookColumn, total: int) -> ColumnFindings:
    count = count_list if item.column.kind == "list" else count_column
    return count(engine, tables, name, item, total)


def _named(table: str, source: Any, book: Codebook, columns: Iterable[str] | None) -> Any:
    if columns is None or not isinstance(source, list):
        return source
    names = tuple(read_names("check", columns))
    check_present(table, names, {name: item.column for name, item in book.columns.items()})
    return NamedRows(source, names)


def _about_rows(source: Any, lines: LineCounts | None, total: int, book: Codebook) -> Sequence[Finding]:
    problems = []
    unnamed = row_types(source)
    if unnamed:
        listed = ", ".join(f"{count:,} {kind}" for kind, count in unnamed.most_common())
        names = ", ".join(map(repr, book.columns)) + ("," if len(book.columns) == 1 else "")
        message = f"{_some(unnamed.total(), total, 'row')} no names of columns ({listed}): every value is null."
        problems.append(Finding(None, message, f"Give the names in order, columns=({names}), here and to the session."))
    if lines is not None and lines.lines > total:
        message = f"{lines.lines - total:,} of {count_text(lines.lines, 'line')} could not be read."
        problems.append(Finding(None, message, _about_encoding(lines, book)))
    if lines is not None and lines.uneven:
        message = f"{_some(lines.uneven, lines.lines, 'line')} more or fewer fields than the header."
        problems.append(Finding(None, message, _about_fields(lines, book)))
    return problems


def _about_encoding(lines: LineCounts, book: Codebook) -> str:
    if not lines.not_utf8:
        return "They are too long. Look for a quote or a line end that is missing."
    if book.file.encoding != "utf-8":
        return (
            f"They hold bytes that are no letters in {book.file.encoding}. Write the right encoding under file: in the "
            "codebook, or invalid: replace."
        )
    return (
        "They are not UTF-8, or too long. Save the file as UTF-8, or write its encoding in the codebook, such as file: "
        "{encoding: cp1252}."
    )


def _about_fields(lines: LineCounts, book: Codebook) -> str:
    if lines.open_quotes and book.file.records == "lines":
        return (
            f"In {count_text(lines.open_quotes, 'line')} a quote does not close. If fields hold line breaks, write "
            "file: {records: quoted} in the codebook, or {records: crlf} where each row ends with CRLF, as in files of "
            "Excel."
        )
    if lines.one_more == lines.lines and not book.file.names:
        return (
            "Each line has one field more than the header, as R writes row names: each value stands under the wrong "
            "name. Write file: {skip: 1, names: [...]} in the codebook, with a name for every field."
        )
    if lines.fewer == lines.uneven:
        return (
            "Fields that are missing at the end of a line are read as null. If they should be there, look at the "
            "header and at the delimiter."
        )
    return "Look for delimiters inside of values, and put quotes around such values. A quote must close on its line."


def _some(count: int, total: int, noun: str) -> str:
    return f"{count:,} of {count_text(total, noun)} {'has' if count == 1 else 'have'}"


def _about_column(
    engine: Engine, tables: SourceTables, book: Codebook, counts: ColumnFindings, total: int
) -> Sequence[Finding]:
    name, known = counts.name, book.source_columns[counts.name]
    if known.kind == "list":
        return about_list(engine, tables, known, counts, total)
    problems = []
    if counts.unreadable:
        message = (
            f"{share_text(counts.unreadable, total)} of the values of {name!r} cannot be read as {known.kind} and "
            "become null."
        )
        texts, values = count_texts(engine, tables, name), tables.objects.get(name, [])
        problems.append(Finding(name, message, suggest_reading(name, known, texts, values)))
    if counts.unmatched:
        message = f"{share_text(counts.unmatched, total)} of the values of {name!r} are no category and become null."
        problems.append(Finding(name, message, suggest_categories(known, count_texts(engine, tables, name))))
    beyond = (counts.below or 0) + (counts.above or 0)
    if beyond * _FEW > total:
        message = (
            f"{share_text(beyond, total)} of the values of {name!r} lie beyond the bounds and are moved to them: "
            f"{counts.below:,} below, {counts.above:,} above."
        )
        commonest = commonest_beyond(engine, tables, name, known)
        sentinel = suggest_sentinel(known, commonest, beyond)
        bounds = "" if sentinel and commonest and commonest[1] == beyond else suggest_bounds(known, counts)
        problems.append(Finding(name, message, f"{bounds}{sentinel}".strip(), from_data=bool(bounds)))
    if known.kind == "text" and not counts.unmatched:
        markers, advice = suggest_markers(known, count_texts(engine, tables, name))
        if markers:
            message = f"{share_text(markers, total)} of the values of {name!r} look like markers of missing values."
            problems.append(Finding(name, message, advice))
    return problems


def _about_persons(
    engine: Engine, tables: SourceTables, book: Codebook, counts: PersonFindings | None, total: int
) -> Sequence[Finding]:
    if counts is None:
        return []
    problems = []
    if counts.without_id:
        message = (
            f"{share_text(counts.without_id, total)} of the rows have no readable {counts.id!r}: no query uses them."
        )
        problems.append(Finding(counts.id, message, "Check the id column: its type, and values that are missing."))
    if counts.cap == 1 and counts.several:
        message = f"{_some(counts.several, counts.persons, 'person')} more than one row, and the cap is 1."
        advice = "If each person should have one row, look for duplicate ids; else raise the cap."
        problems.append(Finding(counts.id, message, advice))
    elif counts.cap is not None and counts.left_out and counts.left_out * _FEW > total:
        message = (
            f"{share_text(counts.left_out, total)} of the rows are left out by the cap of "
            f"{count_text(counts.cap, 'row')} of a person; the heaviest person has {counts.heaviest:,}."
        )
        problems.append(Finding(counts.id, message, _other_cap(share_kept(engine, tables, book)), from_data=True))
    return problems


def _other_cap(kept: Sequence[tuple[int, int, int]]) -> str:
    """Name the first round cap that keeps nearly all rows."""
    cap, count, total = next(each for each in kept if 20 * each[1] >= 19 * each[2])
    return (
        f"A cap of {count_text(cap, 'row')} would keep {percent_text(count / total)} of the rows, with more noise. "
        "Counts and sums of what is left out are too small, whatever their intervals say."
    )
