"""The keys of a codebook: one list, from which reading, writing, templates and JSON Schema follow."""

from typing import Any

from privet.accounting.sampling.population import Population
from privet.core import Place, write_format
from privet.errors import InvalidError
from privet.tables.codebook import scalars
from privet.tables.codebook.cap_keys import (
    CAPS_BY_SCHEMA,
    CAPS_OF_COLUMN,
    CAPS_OF_COLUMNS,
    read_caps_by,
    read_count,
    write_caps_by,
)
from privet.tables.codebook.column import CodebookColumn, check_identifier, check_period_column
from privet.tables.codebook.column_keys import COLUMN, read_column, write_column
from privet.tables.codebook.file_keys import FILE, read_file_form, write_file_form
from privet.tables.codebook.notation_keys import MARKS, MISSING
from privet.tables.codebook.null_keys import BOUNDS, DRAW, NULLS, NUMBER
from privet.tables.codebook.part import Key, Part, Values, format_key, make_one, newest
from privet.tables.codebook.reader import TreeReader, name_of
from privet.tables.codebook.source_schema import Schema, is_list_note
from privet.tables.codebook.tree import OPEN, Mapping, Node, Scalar, describe_node
from privet.tables.codebook.values import check_table, check_text
from privet.tables.codebook.write import comments, name_text, number_text, quoted
from privet.tables.columns import (
    LENGTHS,
    Period,
    Persons,
    PrivacyUnit,
    Rows,
    check_caps,
    lowered,
    read_period,
)

_TEXT = {"type": "string"}
_COUNT = {"type": "integer", "minimum": 1}
_PERIOD = "Write {column: COLUMN, length: month}."
_PROTECTED = "Write what is protected, {rows: 1} or {id: COLUMN}."


def _read_name(reader: TreeReader, node: Node, _: Values) -> str | None:
    return reader.scalar(node, name_of)


def _make_caps(reader: TreeReader, node: Mapping, values: Values) -> Values | None:
    caps = (values.get("rows"), values.get("groups"), values.get("rows_per_group"))
    before = len(reader.problems.all)
    reader.attempt(node, lambda: check_caps("unit.caps.", *caps))
    return values if len(reader.problems.all) == before else None


CAPS = Part(
    "caps",
    (
        *(Key(name=name, read=read_count, schema=_COUNT) for name in ("rows", "groups", "rows_per_group")),
        Key(
            name="by",
            read=read_caps_by,
            write=lambda by, _: write_caps_by(by),
            schema=CAPS_BY_SCHEMA,
        ),
    ),
    _make_caps,
)


def _make_period(reader: TreeReader, node: Mapping, values: Values) -> Period | None:
    pair = (values["column"], values["length"])
    return reader.attempt(node.items["length"], lambda: read_period("unit.period", pair))


PERIOD = Part(
    "a period",
    (
        Key(name="column", read=_read_name, schema=_TEXT, missing=_PERIOD),
        Key(name="length", read=_read_name, schema={"enum": list(LENGTHS)}, missing=_PERIOD),
    ),
    _make_period,
)


def _read_id(reader: TreeReader, node: Node, known: Values) -> str | None:
    name, columns = reader.scalar(node, name_of), known["columns"]
    if name is None or columns is None:
        return name
    return reader.attempt(node, lambda: check_identifier("unit.id", name, columns))


def _read_period(reader: TreeReader, node: Node, known: Values) -> Period | None:
    period, columns = PERIOD.read(reader, node), known["columns"]
    if period is None or columns is None:
        return period
    return reader.attempt(node, lambda: check_period_column("unit.period", period, columns))


def _make_unit(reader: TreeReader, node: Mapping, values: Values) -> PrivacyUnit | None:
    def refuse(name: str, message: str, fix: str) -> None:
        reader.problems.add(node.items[name].place if name else node.place, message, fix=fix)

    if "id" in values and "rows" in values:
        refuse("rows", "unit.rows is for units without an id.", "Write a limit on the rows of a person under caps.")
    elif "id" in values:
        caps: Values = values.get("caps", {})
        return reader.attempt(node, lambda: Persons(id=values["id"], period=values.get("period"), **caps))
    else:
        for name in ("caps", "period"):
            if name in values:
                refuse(name, f"unit.{name} is for units with an id.", "Write id: COLUMN as well.")
        if "rows" in values:
            return Rows(count=values["rows"])
        refuse("", "unit must have rows or id, got neither.", "Write rows: 1, or id: COLUMN.")
    return None


UNIT: Part[PrivacyUnit] = Part(
    "a privacy unit",
    (
        Key(name="rows", read=read_count, schema=_COUNT),
        Key(name="id", read=_read_id, schema=_TEXT),
        Key(
            name="caps",
            read=CAPS.read,
            write=lambda caps, _: CAPS.write(caps) or None,
            schema=CAPS.schema(),
        ),
        Key(
            name="period",
            read=_read_period,
            write=lambda period, _: PERIOD.write({"column": period[0], "length": period[1]}),
            schema=PERIOD.schema(),
        ),
    ),
    _make_unit,
    one_of=("rows", "id"),
)


def _read_unit(reader: TreeReader, node: Node, known: Values) -> PrivacyUnit | None:
    if reader.nothing_to_read(node, fix=_PROTECTED):
        return None
    if isinstance(node, Scalar) and isinstance(node.value, PrivacyUnit):  # a dictionary of Python
        return node.value
    return UNIT.read(reader, node, {"columns": known.get("columns")})


def _write_unit(unit: PrivacyUnit, _: Values) -> object:
    if isinstance(unit, Rows):
        return UNIT.write({"rows": unit.count})
    if not isinstance(unit, Persons):
        raise TypeError("a unit is Rows or Persons")
    caps = {key.name: getattr(unit, key.name) for key in CAPS.keys}
    return UNIT.write({"id": unit.id, "caps": caps, "period": unit.period})


def _read_rate(label: str, node: Scalar) -> Population:
    rate = scalars.number(label, node)
    if not 0 < rate <= 1:
        raise InvalidError(f"{label} must be above zero and at most one, got {describe_node(node)}.")
    return Population(rate=rate)


def _make_sample(reader: TreeReader, node: Mapping, values: Values) -> Population | None:
    size, population = values["size"], values["population"]
    if size <= population:
        return Population(size=size, population=population)
    place = node.items["size"].place
    message = f"{place.path} must be at most population, got size={size}, population={population}."
    reader.problems.add(place, message)
    return None


SAMPLE = Part(
    "a simple sample",
    tuple(
        Key(name=name, read=read_count, schema=_COUNT, missing="Write {size: N, population: M}.")
        for name in ("size", "population")
    ),
    _make_sample,
)


SAMPLING: Part[Population] = Part(
    "sampling",
    (
        Key(
            name="poisson",
            read=lambda reader, node, _: reader.scalar(node, _read_rate),
            write=lambda rate, _: number_text(rate),
            schema=NUMBER,
        ),
        Key(
            name="simple",
            read=lambda reader, node, _: SAMPLE.read(reader, node),
            write=lambda sample, _: SAMPLE.write(sample),
            schema=SAMPLE.schema(),
        ),
    ),
    make_one("{poisson: RATE} or {simple: {size: N, population: M}}, one of the two"),
    one_of=("poisson", "simple"),
)


def _write_sampling(sampling: Population, _: Values) -> object:
    sample = {"size": sampling.size, "population": sampling.population}
    return SAMPLING.write({"poisson": sampling.rate, "simple": sample if sampling.rate is None else None})


def _check_name(reader: TreeReader, name: str, place: Place, before: str) -> None:
    reader.problems.attempt(place, lambda: check_text(place.path, name))
    if before != name:
        message = f"{place.path} must differ from {before!r} in more than capital letters: engines cannot tell them"
        reader.problems.add(place, f"{message} apart.")


def _read_columns(reader: TreeReader, node: Node, _: Values) -> dict[str, CodebookColumn | None] | None:
    if not isinstance(node, Mapping) or not node.items:
        if not reader.nothing_to_read(node):
            reader.problems.add(node.place, f"columns must name at least one column, got {describe_node(node)}.")
        return None
    seen: dict[str, str] = {}
    for name, place in node.keys.items():
        _check_name(reader, name, place, seen.setdefault(lowered(name), name))
    return {name: read_column(reader, item) for name, item in node.items.items()}


def _ask_columns(source: Schema) -> list[str]:
    lines = ["", "columns:"]
    for name, kind, note in source.columns:
        if kind is None and note:
            how = "write type: of its items, and most_items: 10" if is_list_note(note) else "cast it first"
            left_out = f"left out: {name_text(name)} ({note}) has no kind here; {how}"
            lines += [f"  {line}" for line in comments(left_out)]
        else:
            lines += [f"  {name_text(name)}:", *(f"    {line}" for line in COLUMN.template(kind))]
            lines += [f"    {line}" for line in source.notation.get(name, ())]
    return lines


CODEBOOK: Part[Values] = Part(
    "a codebook",
    (
        format_key("codebook", lambda: VERSION),
        Key(
            name="table",
            read=lambda reader, node, _: reader.scalar(
                node, lambda label, item: check_table(label, name_of(label, item))
            ),
            template=lambda source: [f"table: {name_text(source.table) if source.table.strip() else 'data'}"],
            schema=_TEXT,
        ),
        Key(
            name="description",
            read=_read_name,
            write=lambda text, _: text or None,
            template=lambda _: ['description: ""'],
            schema=_TEXT,
        ),
        Key(
            name="unit",
            read=_read_unit,
            write=_write_unit,
            template=lambda _: [
                "",
                "# What is protected: a row, {rows: 1}; or a person with all of their rows, such as",
                "# {id: COLUMN, caps: {rows: 10}}.",
                f"unit: {OPEN}",
            ],
            schema=UNIT.schema(),
            last=True,
            missing=_PROTECTED,
        ),
        Key(
            name="sampling",
            read=lambda reader, node, _: SAMPLING.read(reader, node),
            write=_write_sampling,
            schema=SAMPLING.schema(),
        ),
        Key(
            name="file",
            read=read_file_form,
            write=write_file_form,
            template=lambda source: [f"file: {{delimiter: {quoted(source.delimiter)}}}"] if source.delimiter else [],
            schema=FILE.schema(),
        ),
        MISSING,
        *MARKS,
        Key(
            name="columns",
            read=_read_columns,
            write=lambda columns, _: {name: write_column(item) for name, item in columns.items()},
            template=_ask_columns,
            schema={"type": "object", "additionalProperties": COLUMN.schema(), "minProperties": 1},
            missing="List the columns that may be used.",
        ),
    ),
    lambda _, __, values: values,
)
PARTS: tuple[Part[Any], ...] = (
    CODEBOOK,
    UNIT,
    CAPS,
    CAPS_OF_COLUMN,
    CAPS_OF_COLUMNS,
    PERIOD,
    SAMPLING,
    SAMPLE,
    COLUMN,
    FILE,
    BOUNDS,
    NULLS,
    DRAW,
)
VERSION: int = newest(PARTS)
FORMAT: str = write_format("codebook", VERSION)
