"""Counting lists: how many are longer than the codebook says, and what reading does to their items."""

from typing import Any

from sqlglot import exp

from privet.core import count_text
from privet.tables.codebook.column import CodebookColumn
from privet.tables.columns import MOST_ROWS, Column
from privet.tables.custodian.counts import one_row, readings
from privet.tables.custodian.findings import ColumnFindings, Finding
from privet.tables.custodian.raw_source import SourceTables
from privet.tables.custodian.report import share_text
from privet.tables.engines.engine import Engine
from privet.tables.vocabulary import (
    Relation,
    call,
    case,
    column,
    literal,
    named,
    present,
    rows,
    selection,
    whole,
)

_INTEGER = Column(kind="integer")
_FEW = 100  # a share of one in so many is not worth a problem


def count_list(engine: Engine, tables: SourceTables, name: str, item: CodebookColumn, total: int) -> ColumnFindings:
    """Count what reading does to the lists of a column; those that are too long are cut."""
    counts = _lengths(engine, tables, name, item.column)
    return ColumnFindings(
        name=name,
        kind="list",
        missing=total - counts["there"],
        unreadable=0,
        cut=counts["longer"],
        highest=str(counts["longest"] or 0),
        nulls=item.nulls.meaning(item.column),
    )


def about_list(
    engine: Engine, tables: SourceTables, known: Column, counts: ColumnFindings, total: int
) -> list[Finding]:
    """Say what to look at in a column of lists.

    Args:
        engine: Where the tables are.
        tables: The source.
        known: The column.
        counts: What was counted of its lists.
        total: How many rows there are.
    """
    name, most = counts.name, known.most or 0
    problems = []
    if counts.cut:
        longest = int(counts.highest or 0)
        message = (
            f"{share_text(counts.cut, total)} of the lists of {name!r} have more than {count_text(most, 'item')} and "
            f"lose the items behind them: the longest has {longest:,}."
        )
        advice = f"Write most_items: {min(longest, MOST_ROWS)} to keep all" if longest <= MOST_ROWS else "Keep some"
        problems.append(Finding(name, message, f"{advice}; more items of a row mean more noise.", from_data=True))
    return [*problems, *_about_items(engine, tables, name, known.values)]


def _lengths(engine: Engine, tables: SourceTables, name: str, known: Column) -> dict[str, Any]:
    length = call("item_count", column(name, "r"))
    longer = exp.GT(this=length.copy(), expression=whole(known.most or 0))
    return one_row(
        engine,
        tables.unbounded,
        {
            "there": (present(column(name, "r")), _INTEGER),
            "longer": (present(case([(longer, whole(1))], None)), _INTEGER),
            "longest": (exp.Max(this=length), _INTEGER),
        },
    )


def _about_items(engine: Engine, tables: SourceTables, name: str, known: Column) -> list[Finding]:
    """Count items that are null, beyond the bounds or no category; all of each list, however long."""
    lists = tables.unbounded[name]
    item = call("each_item", column(name, "r"), whole(lists.most or 0))
    query = selection([named(item, name)], tables.unbounded.derived())
    items = Relation(query=query, columns={name: lists.values})
    value = column(name, "r")
    outputs = {**readings(name, known), "items": (rows(), _INTEGER)}
    if known.categories is not None:
        listed = exp.In(this=value, expressions=[literal(known, each) for each in known.categories])
        outputs["unmatched"] = (present(case([(listed, exp.null())], value.copy())), _INTEGER)
    read = one_row(engine, items, outputs)
    total = read["items"]
    found = (
        (total - read["read"], f"are null or cannot be read as {known.kind}", "Look at the items of the source."),
        (read.get("unmatched", 0), "are no category and become null", "Add what is missing to categories."),
        (
            read.get("below", 0) + read.get("above", 0),
            "lie beyond the bounds and are moved to them",
            "Look at the bounds: what is known of an item without the data?",
        ),
        (0 if known.categories else read.get("cut", 0), "are longer than length and are cut", "Raise length."),
    )
    return [
        Finding(name, f"{share_text(count, total)} of the items of {name!r} {what}.", advice)
        for count, what, advice in found
        if count * _FEW > total
    ]
