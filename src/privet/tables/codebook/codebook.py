"""The codebook: what is publicly known of a table, written before anyone looks at it."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast, final

from attrs import asdict, evolve, field, frozen

from privet.accounting.sampling.population import Population
from privet.core import Problems, cut_text, html_table, short
from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook import yaml_on_demand
from privet.tables.codebook.column import CodebookColumn, check_identifier, check_period_column
from privet.tables.codebook.column_keys import read_column
from privet.tables.codebook.describe_codebook import column_lines, unit_lines
from privet.tables.codebook.file_keys import read_file_form
from privet.tables.codebook.from_frame import describe_columns, read_unit
from privet.tables.codebook.keys import CODEBOOK, FORMAT
from privet.tables.codebook.problem import codebook_problems
from privet.tables.codebook.reader import TreeReader
from privet.tables.codebook.tree import Mapping as MappingNode
from privet.tables.codebook.tree import Node, Scalar, from_python, path_of
from privet.tables.codebook.values import check_table, check_text
from privet.tables.codebook.write import plain_data, to_yaml
from privet.tables.columns import (
    CAPS_BY,
    DECIMALS,
    PLAIN_FILE,
    THOUSANDS,
    Column,
    FileForm,
    Implication,
    Notation,
    Persons,
    PrivacyUnit,
    Rows,
    check_mark,
    check_missing,
    check_names,
    count_periods,
    find_column,
    implied,
    to_date,
)

WRITE_UNIT = (
    "Write unit=pv.Persons('visitor_id', rows=10), with your own id column, to protect a person with all of their "
    "rows, of which a query uses at most 10. Write unit=pv.Rows() where every row is another person."
)
_SHOWN = 20  # columns in one line
_LONGEST = 400  # characters of them
_Columns = tuple[tuple[str, CodebookColumn], ...]


def _pairs(value: object) -> _Columns:
    if value is None:
        raise WrongTypeError(
            "Codebook.columns is missing: list the columns that may be used, such as columns={'age': "
            "pv.column('integer', bounds=(0, 120))}."
        )
    if not isinstance(value, Mapping):
        raise WrongTypeError(f"Codebook.columns must be a mapping from names to columns, got {type(value).__name__}.")
    return tuple((name, _column(name, item)) for name, item in value.items())


def _column(name: object, item: object) -> Any:
    """Make a column of a bare ``Column``, a dictionary or a type alone; the validator refuses anything else."""
    if isinstance(item, Column):
        return CodebookColumn(item)
    if not isinstance(item, Mapping | str | type):
        return item
    problems = codebook_problems()
    node = from_python(item, problems, path_of("columns", str(name)))
    made = read_column(TreeReader(problems), node)
    problems.raise_any()
    return made


def _file_form(value: object) -> FileForm:
    """Take how a file is written, or read it from a dictionary."""
    if isinstance(value, FileForm):
        return value
    problems = codebook_problems()
    made = read_file_form(TreeReader(problems), from_python(value, problems, "file"), {})
    problems.raise_any()
    assert made is not None  # noqa: S101 - without a problem there is one
    return made


def _markers(value: Any) -> tuple[str, ...] | None:
    return None if value is None else check_missing(value, None)


def _in_table(book: "Codebook", item: CodebookColumn) -> Column:
    table = Notation(missing=book.missing, decimal=book.decimal, thousands=book.thousands)
    known = item.column.values
    notation = known.notation.within(known.kind, table)
    if notation == known.notation:
        return item.column
    read = evolve(known, notation=notation)
    return read if item.column.item is None else evolve(item.column, item=read)


@final
@frozen(kw_only=True, repr=False)
class Codebook:
    """What is publicly known of a table: its columns, the privacy unit, and how its rows came about.

    Args:
        columns: A mapping from names to ``column(...)``, to a dictionary such as
            ``{"type": "integer", "bounds": (0, 120)}``, or to a type such as ``int``. Other columns of a source are not
            used.
        unit: The privacy unit, ``Rows(...)`` or ``Persons(...)``.
        table: The name of the table in SQL; None for the name of the source.
        description: What the table is about, for people.
        sampling: That the data are a secret sample of a population: asserted, never checked, and marked wherever it is
            used.
        file: How a text file is written: ``{"encoding": "latin-1", "delimiter": ";"}``, with the keys of the YAML file.
        missing: Texts and numbers that mean that there is no value, in all columns that do not say otherwise.
        decimal: The decimal mark of all columns of numbers that do not say otherwise.
        thousands: What parts the thousands of their numbers.

    >>> from privet.tables.codebook.column import column
    >>> visits = Codebook(
    ...     table="visits",
    ...     unit=Persons(id="patient", rows=20),
    ...     columns={"patient": column("text"), "duration": column("real", bounds=(0, 600))},
    ... )
    >>> visits
    Codebook(table='visits', unit=Persons(id='patient', rows=20), columns=[patient: text, duration: real])
    >>> Codebook.from_dict(visits.to_dict()) == visits
    True
    """

    _columns: _Columns = field(default=None, converter=_pairs)
    unit: PrivacyUnit = field(default=cast("Any", None))  # its validator says what to write
    table: str | None = field(default=None)
    description: str = field(default="")
    sampling: Population | None = field(default=None)
    file: FileForm = field(default=PLAIN_FILE, converter=_file_form)
    missing: tuple[str, ...] | None = field(default=None, converter=_markers)
    decimal: str | None = field(default=None)
    thousands: str | None = field(default=None)

    @_columns.validator
    def _check_columns(self, _: object, value: _Columns) -> None:
        if not value:
            raise InvalidError("Codebook.columns must name at least one column.")
        for name, item in value:
            if not isinstance(name, str):
                raise WrongTypeError(f"Codebook.columns must have names as keys, got {type(name).__name__}.")
            check_text("Codebook.columns: a name", name)
            if not isinstance(item, CodebookColumn):
                raise WrongTypeError(
                    f"Codebook.columns[{name!r}] must be made by column(...), got {type(item).__name__}."
                )
        check_names("Codebook.columns", [name for name, _ in value])

    @unit.validator
    def _check_unit(self, _: object, value: object) -> None:
        if value is None:
            raise WrongTypeError(f"Codebook.unit is missing: say what is protected. {WRITE_UNIT}")
        if not isinstance(value, Rows | Persons):
            hint = ""
            if isinstance(value, str):
                unit = "pv.Rows()" if value.lower() in ("row", "rows") else f"pv.Persons({value[:100]!r}, rows=10)"
                hint = f" Write unit={unit}."
            raise WrongTypeError(f"Codebook.unit must be Rows(...) or Persons(...), got {type(value).__name__}.{hint}")
        if isinstance(value, Persons):
            check_identifier("Codebook.unit.id", value.id, self.columns)
            if value.period is not None:
                check_period_column("Codebook.unit.period", value.period, self.columns)
            for name in (name for each in value.by for name in each.columns):
                find_column("Codebook.unit.by", name, self.columns)

    @table.validator
    def _check_table(self, _: object, value: object) -> None:
        if value is not None:
            check_table("Codebook.table", value)

    @description.validator
    def _check_description(self, _: object, value: object) -> None:
        check_text("Codebook.description", value)

    @sampling.validator
    def _check_sampling(self, _: object, value: object) -> None:
        if value is not None and not isinstance(value, Population):
            raise WrongTypeError(f"Codebook.sampling must be a Population, got {type(value).__name__}.")

    def __attrs_post_init__(self) -> None:
        for name, item in self._columns:  # what the table says of all columns must fit each of them
            try:
                _in_table(self, item)
            except InvalidError as error:
                raise InvalidError(
                    f"Codebook.columns[{name!r}] does not fit what the codebook says of all columns: {error} What a "
                    "column says itself counts instead, such as missing: [] for no markers."
                ) from None

    @property
    def source_columns(self) -> dict[str, Column]:
        """The columns as a source is read: with the notation that the codebook states for all of them."""
        return {name: _in_table(self, item) for name, item in self._columns}

    @property
    def columns(self) -> dict[str, CodebookColumn]:
        """The columns by name, in the order of the codebook."""
        return dict(self._columns)

    def __getitem__(self, name: str) -> CodebookColumn:
        return find_column("the codebook", name, self.columns)

    def __repr__(self) -> str:
        names = [f"{name if name.isidentifier() else repr(name)}: {item.column.kind}" for name, item in self._columns]
        if len(names) > _SHOWN:
            names[_SHOWN:] = [f"... {len(names):,} in all"]
        columns = cut_text(", ".join(names), _LONGEST)
        unit = self.unit
        parts = [] if self.table is None else [f"table={self.table!r}"]
        parts.append(f"unit={_short_unit(unit)}" if isinstance(unit, Persons) else f"unit={unit!r}")
        parts += [] if self.sampling is None else [f"sampling={self.sampling!r}"]
        return f"Codebook({', '.join(parts)}, columns=[{columns}])"

    def _repr_html_(self) -> str:
        facts = [f"{name}: {text}" for name, text in unit_lines(self.unit)]
        notes = [*facts, *(f"assumed: {line}" for line in self.assumptions)]
        title = f"Codebook of {self.table or 'a table'}" + (f": {self.description}" if self.description else "")
        heads, *rows = column_lines(self.columns, self.unit)
        return html_table(heads, rows, title=cut_text(title, _LONGEST), notes=notes)

    @decimal.validator
    def _check_decimal(self, _: object, value: object) -> None:
        check_mark("decimal", "real", value, DECIMALS)

    @thousands.validator
    def _check_thousands(self, _: object, value: object) -> None:
        check_mark("thousands", "real", value, THOUSANDS)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What the data holder asserts, and nobody has checked."""
        return () if self.sampling is None else (self.sampling.assertion,)

    def implied(self, other: PrivacyUnit, *, inside: int | None = None, across: int | None = None) -> Implication:
        """Say what a guarantee for the unit of this codebook is worth for another unit.

        Args:
            other: The unit to compare with.
            inside: For another id column: how many of ours lie inside one of the other, such as persons of a household.
            across: How many of ours have rows in one of the other and outside it.
        """
        return implied(self.unit, other, periods=self._periods(), inside=inside, across=across)

    def _periods(self) -> int | None:
        period = self.unit.period if isinstance(self.unit, Persons) else None
        known = None if period is None else self[period[0]].column
        if period is None or known is None or known.bounds is None:
            return None
        return count_periods(period[1], *(to_date(known.kind, end) for end in known.bounds))

    def to_dict(self) -> dict[str, Any]:
        """Give plain dictionaries, lists, texts and whole numbers that JSON can hold exactly."""
        data: dict[str, Any] = plain_data(self._data())
        return data

    def _data(self) -> dict[str, object]:
        return CODEBOOK.write({name: FORMAT if name == "format" else getattr(self, name) for name in CODEBOOK.names})

    @staticmethod
    def from_dict(data: object) -> "Codebook":
        """Read what ``to_dict`` gives, or what a person wrote in the same form."""
        problems = codebook_problems()
        return _read(from_python(data, problems), problems)

    @staticmethod
    def from_frame(
        source: object,
        *,
        id: str | None = None,  # noqa: A002 - as in Persons
        rows: int | None = None,
        unit: PrivacyUnit | None = None,
        types: Mapping[str, Any] | None = None,
        bounds: Mapping[str, Any] | None = None,
        categories: Mapping[str, Any] | None = None,
        nulls: Mapping[str, Any] | None = None,
        columns: Iterable[str] | None = None,
        sample: str | Path | None = None,
        table: str | None = None,
        description: str = "",
    ) -> "Codebook":
        """Make a codebook from the schema of a frame or a file, and what you know of its columns.

        No value is looked at: types come from the schema of a pandas or polars frame, an Arrow table or a Parquet file.
        A CSV file, a list of rows and a pandas column of objects have no types, so give ``types``.

        Args:
            source: The frame, the path of a file, anything of Arrow that has a schema, or a list of rows.
            id: The id column, where persons are protected.
            rows: How many rows of a person a query uses, at most.
            unit: The privacy unit, instead of ``id`` and ``rows``: ``Persons(...)`` or ``Rows()``.
            types: By column: a type such as ``int`` or ``"date"``, or a column as ``Codebook.columns`` takes it.
            bounds: By column, where values lie: ``{"spending": (0, 200)}``. Public knowledge, never from the data.
            categories: By column, the values that may occur.
            nulls: By column, what a query makes of nulls: ``{"spending": "drop"}``.
            columns: The columns to use; by default all whose type a codebook can hold. Of a list, its names in order.
            sample: The path of a *public* file with the same columns, whose values show the types that are missing.
            table: The name of the table in SQL.
            description: What the table is about.

        >>> import pyarrow as pa
        >>> visits = pa.schema({"visitor": pa.int64(), "spending": pa.float64()})
        >>> Codebook.from_frame(visits, id="visitor", rows=10, bounds={"spending": (0, 200)})
        Codebook(unit=Persons(id='visitor', rows=10), columns=[visitor: integer, spending: real])
        """
        protected = read_unit("Codebook.from_frame", unit, id, rows, WRITE_UNIT)
        facts = {"types": types, "bounds": bounds, "categories": categories, "nulls": nulls}
        made = describe_columns("Codebook.from_frame", source, columns=columns, sample=sample, stacklevel=3, **facts)
        given = {"columns": made, "unit": protected, "table": table, "description": description}
        return Codebook(**given)  # type: ignore[arg-type] # its converters and validators read them

    def to_yaml(self) -> str:
        """Write the codebook as YAML, for people and for ``from_yaml``."""
        protected = (f"protected: {self.unit.protects}", f"not protected: {self.unit.leaves_open}")
        return to_yaml(self._data(), {"unit": protected, "sampling": self.assumptions, "columns": ()})

    @staticmethod
    def from_yaml(text: str) -> "Codebook":
        """Read YAML text; problems name their line."""
        problems = codebook_problems()
        return _read(yaml_on_demand.read_text(text, problems), problems)

    @staticmethod
    def read(path: str | Path) -> "Codebook":
        """Read a YAML or JSON file.

        Raises:
            CodebookError: with everything that is wrong, each with its file and line.
        """
        problems = codebook_problems(str(path))
        return _read(yaml_on_demand.read_file(path, problems), problems)

    def write(self, path: str | Path) -> None:
        """Write a YAML file."""
        Path(path).write_text(self.to_yaml(), encoding="utf-8", newline="\n")

    @staticmethod
    def json_schema() -> dict[str, object]:
        """Describe codebooks in JSON Schema, for editors that check a file while it is written."""
        return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Codebook", **CODEBOOK.schema()}


def _read(root: Node, problems: Problems) -> Codebook:
    """Read a codebook from its tree, or raise all of its problems."""
    if isinstance(root, MappingNode) and _is_smartnoise(root):
        fix = "Read it with read_smartnoise(...)."
        raise problems.fatal(root.place, "this looks like metadata of SmartNoise SQL.", rule="format", fix=fix)
    values = CODEBOOK.read(TreeReader(problems), root)
    problems.raise_any()
    given = {name: value for name, value in (values or {}).items() if name != "format"}
    codebook = problems.attempt(root.place, lambda: Codebook(**given))
    problems.raise_any()
    assert codebook is not None  # noqa: S101 - without a problem there is a codebook
    return codebook


def _is_smartnoise(root: MappingNode) -> bool:
    """Tell metadata of SmartNoise: a database of schemas of tables, of which a column has a type."""
    if any(key in root.items for key in CODEBOOK.names):
        return False
    level: list[Node] = list(root.items.values())
    for _ in range(3):
        level = [item for node in level if isinstance(node, MappingNode) for item in node.items.values()]
    return any(isinstance(node, Scalar) or (isinstance(node, MappingNode) and "type" in node.items) for node in level)


def _short_unit(unit: Persons) -> str:
    names = ("rows", "groups", "rows_per_group", "period")
    caps = [f", {name}={short(getattr(unit, name))}" for name in names if getattr(unit, name) is not None]
    by = {
        each.columns if each.columns[1:] else each.columns[0]: asdict(
            each, filter=lambda item, most: item.name in CAPS_BY and bool(most)
        )
        for each in unit.by
    }
    return f"Persons(id={unit.id!r}{''.join(caps)}{f', by={by}' if by else ''})"
