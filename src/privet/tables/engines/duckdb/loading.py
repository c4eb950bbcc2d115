"""Loading: how sources become tables of DuckDB whose every value is a member of its column."""

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, final

import pyarrow as pa
from attrs import evolve
from duckdb import DuckDBPyConnection
from sqlglot import exp

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns import Column, FileForm
from privet.tables.engines.csv_lines import FIELDS, LINE
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.connection import WITHHELD, quietly
from privet.tables.engines.duckdb.dialect import DIALECT, function
from privet.tables.engines.duckdb.parquet import (
    DAMAGED,
    DIFFERENT,
    TEXTS,
    PinnedFile,
    arrow_schema,
    is_coarse,
    is_plain,
    is_small,
    pin,
    place,
    scan,
    through_arrow,
)
from privet.tables.engines.python_values import ObjectTable
from privet.tables.engines.sources import (
    NamedRows,
    check_polars,
    check_present,
    cleaned,
    cleaned_type,
    from_pandas,
    from_rows,
)
from privet.tables.engines.text_files import check_header, field_pattern, find_files, open_text
from privet.tables.vocabulary import (
    SCHEMA,
    admit,
    call,
    case,
    column,
    identifier,
    named,
    plain_text,
    source_type,
    text,
    whole,
    within_precision,
)

_CSV, _PARQUET = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"), (".parquet", ".pq")
_Columns = Mapping[str, Column]


def fields_of(lines: str, delimiter: str, quote: str = '"') -> exp.Select:
    """Build the query that gives every line of a table of lines as a list of raw fields."""
    split = exp.Alias(this=_split(delimiter, quote), alias=identifier(FIELDS))
    return exp.Select(expressions=[split]).from_(exp.Table(this=identifier(lines)))


def _split(delimiter: str, quote: str) -> exp.Expr:
    """Part a line at its delimiters; those between a quote that opens a field and its partner do not count."""
    plain = function("string_split", column(LINE), text(delimiter))
    parted = (exp.Is(this=column(LINE), expression=exp.null()), column(FIELDS))  # already
    if not quote:
        return case([parted], plain)
    ended = exp.DPipe(this=column(LINE), expression=text(delimiter), safe=True)
    quoted = function("regexp_extract_all", ended, text(field_pattern(delimiter, quote)), whole(1, "int32"))
    return case([parted, (call("contains", column(LINE), text(quote)), quoted)], plain)


def field_at(position: int, quote: str = '"') -> exp.Expr:
    """Give one field of a line, counted from 0: null where there is none or it is empty, without its quotes."""
    raw = function("list_extract", column(FIELDS), whole(position + 1))
    if not quote:
        return call("nullif", raw, text(""))
    inner = call("substr", raw.copy(), whole(2), exp.Sub(this=call("length", raw.copy()), expression=whole(2)))
    unquoted = call("replace", inner, text(quote * 2), text(quote))
    marked = exp.And(
        this=call("starts_with", raw.copy(), text(quote)), expression=call("ends_with", raw.copy(), text(quote))
    )
    both = exp.And(this=marked, expression=exp.GTE(this=call("length", raw.copy()), expression=whole(2)))
    empty = exp.EQ(this=raw, expression=text(""))
    return case([(empty, exp.null()), (both, unquoted)], raw.copy())


@final
class Loader:
    """Loads sources through one connection.

    Args:
        connection: Where tables are made.
        directory: A folder of the engine's own.
    """

    def __init__(self, connection: DuckDBPyConnection, directory: str) -> None:
        self._connection = connection
        self._directory = directory
        self._numbers = count()
        self.files: list[str] = []  # what queries read again
        self.pinned: list[PinnedFile] = []
        self.locked = False  # whether files are out of reach by now

    def load(self, source: Any, columns: _Columns, name: str, form: FileForm, *, snapshot: bool) -> None:
        """Make a table of a source, by its type."""
        module = type(source).__module__.partition(".")[0]
        if isinstance(source, str | Path):
            self._load_files(str(source), columns, name, form, snapshot=snapshot)
        elif isinstance(source, list):
            self._load_objects(from_rows(source, columns), columns, name)
        elif isinstance(source, NamedRows):
            self._load_objects(from_rows(source.rows, columns, source.names), columns, name)
        elif isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], DuckDBPyConnection):
            self._load_connection(source[0], source[1], columns, name)
        elif module == "pandas" and hasattr(source, "columns"):
            self._load_objects(from_pandas(name, source, columns), columns, name)
        elif module == "polars" and hasattr(source, "collect_schema"):
            self._load_polars(source, columns, name)
        elif isinstance(source, pa.Table | pa.RecordBatch | pa.RecordBatchReader) or _is_data_set(source):
            self._load_arrow(source, columns, name)
        else:
            raise WrongTypeError(
                f"{name}: a source must be the path of CSV or Parquet files, an Arrow table, a pandas or polars frame, "
                "a pair (connection, 'table') of an open DuckDB connection, or a list of dictionaries, "
                f"got {type(source).__name__}."
            )

    def _load_files(self, path: str, columns: _Columns, name: str, form: FileForm, *, snapshot: bool) -> None:
        if self.locked:
            raise InvalidError(
                f"{name}: files must be loaded before the first query; pass an Arrow table or a frame instead."
            )
        files = find_files(name, path)
        if all(each.lower().endswith(_PARQUET) for each in files):
            self._load_pinned(files, columns, name, snapshot=snapshot)
        elif all(each.lower().endswith(_CSV) for each in files):
            tabs = files[0].lower().endswith((".tsv", ".tsv.gz"))
            self._load_csv(files, columns, name, evolve(form, delimiter=form.delimiter or ("\t" if tabs else ",")))
        else:
            raise InvalidError(f"{name}: the name of a file must end with {', '.join((*_CSV, *_PARQUET))}.")

    def _load_csv(self, files: list[str], columns: _Columns, name: str, form: FileForm) -> None:
        delimiter = str(form.delimiter)
        files_read = open_text(name, files, delimiter, form)
        check_header(name, files_read, columns)
        check_present(name, files_read.columns, columns)
        raw = [named(field_at(files_read.columns.index(each), form.quote), each) for each in columns]
        lines = f"privet lines {next(self._numbers)}"
        fields = exp.Subquery(this=fields_of(lines, delimiter, form.quote), alias=exp.TableAlias(this=identifier("f")))
        texts = exp.Subquery(this=exp.Select(expressions=raw).from_(fields), alias=exp.TableAlias(this=identifier("s")))
        self._connection.register(lines, files_read.stream())
        try:
            self._create("TABLE", dict.fromkeys(columns, "VARCHAR"), columns, name, texts)
        except InvalidError:
            files_read.check()  # a file that is damaged has a message of its own
            raise
        finally:
            quietly(lambda: self._connection.unregister(lines), f"{name}: the source cannot be read.")

    def _load_pinned(self, files: list[str], columns: _Columns, name: str, *, snapshot: bool) -> None:
        """Load Parquet files that belong to somebody else, who may change them."""
        failed = f"{name}: a file cannot be opened; check that it may be read."
        pinned = quietly(lambda: [pin(each) for each in files], failed)
        directory = Path(self._directory).resolve()
        if not is_plain(str(directory)):  # a name that DuckDB would take for a pattern: Arrow reads the files once
            self._load_arrow(through_arrow(name, files, columns), columns, name)
        else:
            targets = [str(directory / f"{next(self._numbers)}.parquet") for _ in files]
            failed = f"{name}: the files cannot be linked or copied into the temporary folder {str(directory)!r}."
            for each, target in zip(files, targets, strict=True):
                quietly(partial(place, each, target, copy=snapshot), failed)
            self._load_parquet(targets, columns, name, files)
            if not snapshot:
                self.pinned.extend(pinned)
        for item in pinned:
            item.check()

    def _load_parquet(self, files: list[str], columns: _Columns, name: str, shown: Sequence[str] = ()) -> None:
        """Load files that are named here otherwise than where they come from; messages name them as shown."""
        types = []
        for each, known_as in zip(files, shown or files, strict=True):
            types.append(self._describe(name, scan([each]), known_as))
            check_present(name, list(types[-1]), columns)
            if any(types[-1][item] != types[0][item] for item in columns):
                raise InvalidError(f"{name}: {DIFFERENT}")
        texts = [each for each in columns if types[0][each] in TEXTS]
        schema = arrow_schema(name, files, columns)
        if any(known.kind == "list" for known in columns.values()):  # items are mended one by one
            self._load_arrow(through_arrow(name, files, columns), columns, name)
            return
        for each, known in columns.items() if texts else ():  # whether a text is UTF-8 must not show in other columns
            read = {types[0][each], self._arrow_type(name, schema.field(each))}
            if len({source_type(f"{name}.{each}", kind, known, DIALECT.source_types) for kind in read}) > 1:
                raise InvalidError(
                    f"{name}.{each} has a type that is read in two ways; convert it to {known.kind} first."
                )
        if is_coarse(schema, columns):
            self._load_arrow(through_arrow(name, files, columns), columns, name)
            return
        if is_small(name, files, columns) and self._copied(types[0], columns, name, files):
            return
        if self._in_place(types[0], columns, name, files):
            return
        if not texts:
            raise InvalidError(f"{name}: {DAMAGED}")
        self._load_arrow(through_arrow(name, files, columns), columns, name)

    def _copied(self, types: Mapping[str, str], columns: _Columns, name: str, files: list[str]) -> bool:
        """Read files into a table, which queries read faster; says whether that could be done."""
        try:
            self._create("TABLE", types, columns, name, scan(files))
        except InvalidError:  # a value that cannot be decoded, or no room: the files are then read as larger ones are
            return False
        return True

    def _in_place(self, types: Mapping[str, str], columns: _Columns, name: str, files: list[str]) -> bool:
        """Let queries read files where they are; says whether every value can be decoded."""
        self._create("VIEW", types, columns, name, scan(files))
        if self._can_be_read(name, columns):
            self.files.extend(files)
            return True
        unused = exp.Drop(tables=[exp.Table(this=identifier(name))], kind="VIEW")
        quietly(lambda: self._connection.execute(write(unused, DIALECT)), f"{name}: {DAMAGED}")
        return False

    def _can_be_read(self, name: str, columns: _Columns) -> bool:
        """Decode every value once, so that no query meets one later that stops DuckDB; Arrow makes such texts null."""
        outputs = [exp.Count(this=column(each), big_int=True) for each in columns]
        counts = exp.Select(expressions=outputs).from_(exp.Table(this=identifier(name), db=identifier(SCHEMA)))
        try:
            quietly(lambda: self._connection.execute(write(counts, DIALECT)).fetchall(), DAMAGED)
        except InvalidError:
            return False
        return True

    def _load_objects(self, source: ObjectTable, columns: _Columns, name: str) -> None:
        """Read Python values, whose texts stand beside them."""
        self._load_arrow(source.table, columns, name, source.texts)

    def _load_arrow(self, source: Any, columns: _Columns, name: str, texts: Mapping[str, str] | None = None) -> None:
        """Read what is in memory, or a stream, into a table: later changes by its owner change no answer."""
        check_present(name, list(source.schema.names), columns)
        used = [*columns, *(texts or {}).values()]
        fields = [pa.field(each, cleaned_type(source.schema.field(each).type)) for each in used]
        types = {one.name: self._arrow_type(name, one) for one in fields}
        failed = f"{name}: the source cannot be read."
        if _is_data_set(source):
            source = quietly(lambda: source.scanner(columns=used).to_reader(), failed)
        whole = [source] if isinstance(source, pa.RecordBatch) else source
        batches = whole.to_batches() if isinstance(whole, pa.Table) else whole
        stream = pa.RecordBatchReader.from_batches(pa.schema(fields), (cleaned(each, used) for each in batches))
        handle = f"privet source {next(self._numbers)}"
        quietly(lambda: self._connection.register(handle, stream), failed)
        self._create("TABLE", types, columns, name, exp.Table(this=identifier(handle)), texts)
        quietly(lambda: self._connection.unregister(handle), failed)

    def _arrow_type(self, name: str, one: Any) -> str:
        """Say which type DuckDB gives to a column of Arrow; asked of a table without rows, so that none counts."""
        written = str(one.type)[:100]  # the names of types and of parts of them: the schema, which is public
        failed = (
            f"{name}.{one.name} is {written} in the source, which cannot be read; convert it to another type first."
        )
        return quietly(
            lambda: str(self._connection.from_arrow(pa.Table.from_batches([], pa.schema([one]))).types[0]), failed
        )

    def _load_polars(self, source: Any, columns: _Columns, name: str) -> None:
        schema = quietly(source.collect_schema, f"{name}: the frame has no readable schema.")
        check_present(name, list(schema.names()), columns)
        for each, known in columns.items():  # by the type that polars gives it: a file of it would hold plain numbers
            check_polars(f"{name}.{each}", schema[each], known)
        chosen = source.select(list(columns))
        if not hasattr(chosen, "sink_parquet"):
            self._load_arrow(quietly(chosen.to_arrow, f"{name}: the frame has unreadable types."), columns, name)
            return
        if self.locked:
            raise InvalidError(f"{name}: lazy frames must be loaded before the first query; collect it first.")
        path = str(Path(self._directory).resolve() / f"{next(self._numbers)}.parquet")
        failed = f"{name}: the frame could not be computed; its own message may quote data and is withheld."
        quietly(lambda: chosen.sink_parquet(path), failed)
        if is_plain(path):
            self._load_parquet([path], columns, name)
        else:
            self._load_arrow(through_arrow(name, [path], columns), columns, name)

    def _load_connection(self, other: DuckDBPyConnection, name_there: str, columns: _Columns, name: str) -> None:
        failed = f"{name}: the connection has no table {name_there!r} that can be read."
        relation = quietly(lambda: other.table(name_there), failed)
        check_present(name, relation.columns, columns)
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        for each, known in columns.items():
            source_type(f"{name}.{each}", types[each], known, DIALECT.source_types)
            if (
                types[each].partition("[")[0] == "UHUGEINT"
            ):  # Arrow has no such type, and DuckDB sends the bits as a signed number
                raise InvalidError(
                    f"{name}.{each} is UHUGEINT, which is not passed on exactly; cast it to HUGEINT first."
                )
        chosen = ", ".join(write(identifier(each), DIALECT) for each in columns)
        reader = quietly(lambda: relation.project(chosen).to_arrow_reader(), failed)
        self._load_arrow(reader, columns, name)

    def _describe(self, name: str, source: exp.Expr, file: str) -> dict[str, str]:
        query = write(exp.Select(expressions=[exp.Star()]).from_(source), DIALECT)
        failed = (
            f"{name}: {file!r} is no Parquet file, although its name says so, or it is damaged. If it is a text file, "
            "give it a name that ends with .csv; else write it again as Parquet."
        )
        described = quietly(lambda: self._connection.execute(f"DESCRIBE {query}").fetchall(), failed)
        return {row[0]: row[1] for row in described}

    def _create(
        self,
        kind: str,
        types: Mapping[str, str],
        columns: _Columns,
        name: str,
        source: exp.Expr,
        texts: Mapping[str, str] | None = None,
    ) -> None:
        """Create a table or a view of admitted values."""
        outputs: list[exp.Expr] = []
        digits: dict[str, exp.Expr] = {}  # computed first, each once, in columns of their own
        used = [*columns, *(texts or {}).values()]
        for each, known in columns.items():
            read = source_type(f"{name}.{each}", types[each], known, DIALECT.source_types)
            value: exp.Expr = column(each)
            if read == "decimal" and known.kind != "list":  # those of lists came through Arrow, which mends them
                value = within_precision(value, *_digits(types[each]))
            beside = column(texts[each]) if texts and each in texts else None
            plain = plain_text(value, read, known) if beside is None else plain_text(beside, "text", known)
            if plain is None:
                outputs.append(named(admit(value, read, known, beside), each))
                continue
            made = _free(f"privet digits {len(digits)}", used)
            digits[made] = plain
            outputs.append(named(admit(value, read, known, beside, column(made)), each))
        query = exp.Select(expressions=outputs).from_(_with_digits(source, used, digits))
        target = exp.Table(this=identifier(name), db=identifier(SCHEMA))
        statement = write(exp.Create(this=target, kind=kind, expression=query), DIALECT)
        quietly(lambda: self._connection.execute(statement), f"{name}: the source could not be read. {WITHHELD}")
        if kind == "TABLE":
            self._compress()

    def _compress(self) -> None:
        """Let DuckDB pack the new table: it takes less memory, and equal texts are grouped by their place in a list."""
        with suppress(InvalidError):  # a table that stays as it is gives the same results
            quietly(lambda: self._connection.execute("CHECKPOINT"), WITHHELD)


def _free(name: str, used: Sequence[str]) -> str:
    """Give a name that no column of the source has, whatever its case."""
    taken = {each.lower() for each in used}
    while name in taken:
        name += " "
    return name


def _with_digits(source: exp.Expr, used: Sequence[str], digits: Mapping[str, exp.Expr]) -> exp.Expr:
    """Put the plain digits of numbers beside the columns of a source."""
    if not digits:
        return source
    outputs = [*map(column, used), *(named(plain, place) for place, plain in digits.items())]
    inner = exp.Select(expressions=outputs).from_(source)
    return exp.Subquery(this=inner, alias=exp.TableAlias(this=identifier("d")))


def _is_data_set(source: Any) -> bool:
    """Tell whether a source is a data set of Arrow, whose module takes long to import and was imported by its owner."""
    module = sys.modules.get("pyarrow.dataset")
    return module is not None and isinstance(source, module.Dataset)


def _digits(name: str) -> Sequence[int]:
    """Read how many digits a decimal has, and how many after the point, from ``DECIMAL(18,3)``."""
    return [int(part) for part in name.partition("(")[2].removesuffix(")").split(",")]
