"""Counting in the engine: how many values each step of reading changes."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from sqlglot import exp

from privet.core import Array
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import CodebookColumn
from privet.tables.columns import SPACES, Column, Persons
from privet.tables.custodian.findings import ColumnFindings, PersonFindings
from privet.tables.custodian.raw_source import SourceTables, is_missing
from privet.tables.engines.engine import Engine
from privet.tables.relations.filling import fill_nulls
from privet.tables.relations.id_columns import id_columns_of, with_id_columns
from privet.tables.vocabulary import (
    Relation,
    call,
    case,
    column,
    double_bounds,
    literal,
    named,
    present,
    rows,
    selection,
    text,
    try_cast,
    whole,
)

_INTEGER, _TEXT = Column(kind="integer"), Column(kind="text")


def count_rows(engine: Engine, tables: SourceTables) -> int:
    """Count the rows that were read."""
    return int(one_row(engine, tables.declared, {"rows": (rows(), _INTEGER)})["rows"])


def count_column(engine: Engine, tables: SourceTables, name: str, item: CodebookColumn, total: int) -> ColumnFindings:
    """Count what reading does to the values of a column."""
    known = item.column
    there = _present_in_source(engine, tables, name, known)
    read = one_row(engine, tables.unbounded, readings(name, known))
    marked = _marked(engine, tables, name, known, read["read"])
    kept = one_row(engine, tables.declared, {"kept": (present(column(name, "r")), _INTEGER)})["kept"]
    bounded, categories = known.bounds is not None, known.categories is not None
    return ColumnFindings(
        name=name,
        kind=known.kind,
        missing=total - there + marked,
        unreadable=there - marked - read["read"],
        below=read["below"] if bounded else None,
        above=read["above"] if bounded else None,
        unmatched=read["read"] - kept if categories else None,
        cut=read["cut"] if known.kind == "text" and not categories else None,
        lowest=read["lowest"] if bounded else None,
        highest=read["highest"] if bounded else None,
        nulls=item.nulls.meaning(known),
    )


def count_persons(engine: Engine, tables: SourceTables, book: Codebook, total: int) -> PersonFindings | None:
    """Count persons and their rows; None where rows are protected one by one."""
    unit = book.unit
    if not isinstance(unit, Persons):
        return None
    counts = _rows_of_persons(engine, tables, book)
    within, cap = int(counts.sum()), unit.most_rows
    return PersonFindings(
        id=unit.id,
        period="" if unit.period is None else f"{unit.period[1]} of {unit.period[0]!r}",
        without_id=total - within,
        persons=len(counts),
        several=int((counts > 1).sum()),
        heaviest=int(counts.max(initial=0)),
        cap=cap,
        left_out=None if cap is None else within - int(counts.clip(max=cap).sum()),
    )


def share_kept(engine: Engine, tables: SourceTables, book: Codebook) -> list[tuple[int, int, int]]:
    """Give for round caps how many rows they keep, and how many there are: up to the first that keeps all."""
    counts, caps = (
        _rows_of_persons(engine, tables, book),
        (10**power * digit for power in range(10) for digit in (1, 2, 5)),
    )
    total, kept = int(counts.sum()), []
    for cap in caps:
        kept.append((cap, int(counts.clip(max=cap).sum()), total))
        if kept[-1][1] == total:
            break
    return kept


def count_texts(engine: Engine, tables: SourceTables, name: str) -> Counter[str]:
    """Count the texts of a column as they are written; of Python objects only those that are texts."""
    if name in tables.objects:
        return Counter(str.__str__(value) for value in tables.objects[name] if issubclass(type(value), str))
    if tables.written is None or tables.written[name].kind != "text":
        return Counter()
    value = column(name, "r")
    query = selection(
        [named(value, "value"), named(rows(), "count")], tables.written.derived(), group_by=[value.copy()]
    )
    result = engine.execute(Relation(query=query, columns={"value": _TEXT, "count": _INTEGER}))
    pairs = zip(result["value"], result["count"], strict=True)
    return Counter({value: count for value, count in pairs if value is not None})


def _rows_of_persons(engine: Engine, tables: SourceTables, book: Codebook) -> Array:
    """Count the rows of each person, or of each person within a period."""
    ids = id_columns_of(book.unit)
    table = fill_nulls(with_id_columns(tables.declared, book.unit), book.columns, key=0, person=ids[0])
    has_id = exp.Not(this=exp.Is(this=column(ids[0], "r"), expression=exp.null()))
    keys = [column(each, "r") for each in ids]
    query = selection([named(rows(), "rows")], table.filter(has_id).derived(), group_by=keys)
    counts, _ = engine.arrays(Relation(query=query, columns={"rows": _INTEGER}))["rows"]
    return counts


def _present_in_source(engine: Engine, tables: SourceTables, name: str, known: Column) -> int:
    """Count the values that are there; an empty text is none, unless the column is text."""
    empty_is_value = known.kind == "text"
    if name in tables.objects:
        values = (value for value in tables.objects[name] if not is_missing(value))
        return sum(empty_is_value or not issubclass(type(value), str) or bool(str.strip(value)) for value in values)
    if tables.written is None:
        return 0
    value: exp.Expr = column(name, "r")
    if tables.written[name].kind == "text" and not empty_is_value:
        value = call("nullif", call("trim", value), text(""))
    return int(one_row(engine, tables.written, {"there": (present(value), _INTEGER)})["there"])


def _marked(engine: Engine, tables: SourceTables, name: str, known: Column, read: int) -> int:
    """Count the values that a marker says to be missing: those that would be read without it, and plain texts."""
    if name not in tables.plain_markers or tables.unmarked is None:
        return 0
    without = one_row(engine, tables.unmarked, {"read": (present(column(name, "r")), _INTEGER)})["read"]
    plain = tables.plain_markers[name]
    texts = count_texts(engine, tables, name) if plain else Counter()
    empty = known.kind != "text"  # an empty text is missing there anyway, and was counted
    return int(without - read) + sum(
        count for text, count in texts.items() if text.strip(SPACES) in plain and not (empty and not text.strip())
    )


def commonest_beyond(engine: Engine, tables: SourceTables, name: str, known: Column) -> tuple[str, int] | None:
    """Give the commonest of the values beyond the bounds, as text, and how often it is there."""
    value = column(name, "r")
    low, high = _ends(known)
    beyond = exp.or_(exp.LT(this=value, expression=low), exp.GT(this=value.copy(), expression=high))
    outputs = [named(try_cast(value.copy(), "text"), "value"), named(rows(), "count")]
    query = selection(outputs, tables.unbounded.filter(beyond).derived(), group_by=[value.copy()])
    result = engine.execute(Relation(query=query, columns={"value": _TEXT, "count": _INTEGER}))
    pairs = zip(result["value"], result["count"], strict=True)
    return max(pairs, key=lambda pair: (pair[1], pair[0]), default=None)


def readings(name: str, known: Column) -> Mapping[str, tuple[exp.Expr, Column]]:
    """Build the numbers of one column before bounds and categories apply."""
    value = column(name, "r")
    outputs: dict[str, tuple[exp.Expr, Column]] = {"read": (present(value), _INTEGER)}
    if known.bounds is not None:
        low, high = _ends(known)
        outputs["below"] = (_number_of(exp.LT(this=value.copy(), expression=low)), _INTEGER)
        outputs["above"] = (_number_of(exp.GT(this=value.copy(), expression=high)), _INTEGER)
        outputs["lowest"] = (try_cast(exp.Min(this=value.copy()), "text"), _TEXT)
        outputs["highest"] = (try_cast(exp.Max(this=value.copy()), "text"), _TEXT)
    if known.kind == "text":
        longer = exp.GT(this=call("length", value.copy()), expression=whole(known.length or 0))
        outputs["cut"] = (_number_of(longer), _INTEGER)
    return outputs


def _ends(known: Column) -> tuple[exp.Expr, exp.Expr]:
    bounds: Any = known.bounds
    low, high = double_bounds(bounds) if known.kind == "real" else map(int, bounds)
    return literal(known, low), literal(known, high)


def _number_of(condition: exp.Expr) -> exp.Expr:
    return present(case([(condition, whole(1))], None))


def one_row(engine: Engine, relation: Relation, outputs: Mapping[str, tuple[exp.Expr, Column]]) -> dict[str, Any]:
    """Compute numbers of all rows of a relation, by name."""
    query = selection([named(value, name) for name, (value, _) in outputs.items()], relation.derived())
    result = engine.execute(Relation(query=query, columns={name: known for name, (_, known) in outputs.items()}))
    return {name: result[name][0] for name in outputs}
