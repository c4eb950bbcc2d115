"""DuckDB, embedded: loads sources into columns of a codebook, then runs queries on them and nothing else.

The connection is this engine's own and is locked before the first query: no files, no variables of Python, no settings,
no extensions. Whatever DuckDB says about an error is dropped, since it quotes data. Argument: docs/tables/engine.md.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, TypeVar, final

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError, WrongTypeError
from privet.tables.columns.column import Column
from privet.tables.engines.csv_lines import check_delimiter, field_at, fields_of, find_files, open_text
from privet.tables.engines.parquet import DAMAGED, DIFFERENT, TEXTS, is_coarse, is_plain, place, scan, through_arrow
from privet.tables.engines.pinned import PinnedFile, pin
from privet.tables.engines.process import ProcessLock, leave_open
from privet.tables.engines.result import Result, fetch, ordered
from privet.tables.engines.sources import check_present, cleaned, cleaned_type, from_pandas, from_rows
from privet.tables.vocabulary.relation import DIALECT, SCHEMA, Relation, check_names, column, identifier, named, table
from privet.tables.vocabulary.source_casts import admit, source_type, within_precision

_T = TypeVar("_T")
_CSV, _PARQUET = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz"), (".parquet", ".pq")
_KINDS = ("integer", "text", "boolean")
_CONFIGURATION: dict[str, Any] = {
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "disabled_optimizers": "statistics_propagation",  # a file may lie about its values, and a clamp would be left out
    "preserve_insertion_order": False,  # no result depends on the order of rows
    "python_enable_replacements": False,
}
_WITHHELD = "DuckDB's own message may quote data and is withheld."


@final
class DuckDBEngine:
    """An embedded engine with a connection and a temporary directory of its own.

    Args:
        memory: How much memory to use, such as ``"4GB"``; more spills to disk. By default most of the machine's.
        threads: How many threads to use; by default one for each core.

    >>> with DuckDBEngine() as engine:
    ...     people = engine.load([{"age": 31}, {"age": "?"}], {"age": Column(kind="integer")}, "people")
    ...     engine.execute(people.filter(exp.Not(this=exp.Is(this=column("age"), expression=exp.null()))))["age"]
    [31]
    """

    def __init__(self, *, memory: str | None = None, threads: int | None = None) -> None:
        self._turn = ProcessLock("a DuckDBEngine")
        self._directory = tempfile.mkdtemp(prefix="privet-")  # readable by its owner only
        limits = {key: value for key, value in (("memory_limit", memory), ("threads", threads)) if value is not None}
        config = {**_CONFIGURATION, **limits, "temp_directory": self._directory}
        try:
            self._connection = duckdb.connect(":memory:", config=config)
        except duckdb.Error:
            shutil.rmtree(self._directory, ignore_errors=True)
            raise InvalidError(f"DuckDBEngine: memory={memory!r} or threads={threads!r} was not understood.") from None
        for setting in ("TimeZone = 'UTC'", "enable_progress_bar = false"):
            self._connection.execute(f"SET {setting}")
        self._files: list[str] = []
        self._pinned: list[PinnedFile] = []
        self._numbers = count()
        self._names: set[str] = set()
        self._locked = False
        self._close = weakref.finalize(self, _cleanup, self._connection, self._directory, os.getpid())

    def __repr__(self) -> str:
        return f"DuckDBEngine(tables={sorted(self._names)})"

    def __enter__(self) -> "DuckDBEngine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise WrongTypeError("a DuckDBEngine cannot be copied or pickled: it holds an open connection.")

    def close(self) -> None:
        """Close the connection and remove the temporary directory; nothing in a forked child."""
        with self._turn if self._turn.at_home else nullcontext():
            self._close()

    def load(
        self,
        source: Any,
        columns: Mapping[str, Column],
        name: str = "data",
        *,
        delimiter: str | None = None,
        snapshot: bool = False,
    ) -> Relation:
        """Make a source a table of this engine whose every value is a member of its column.

        Text files and what is in memory are read once; Parquet files stay where they are and are read by each query,
        which refuses to answer once they have changed.

        Args:
            source: A path or a pattern of CSV or Parquet files, an Arrow table, reader or data set, a pandas or polars
                frame, a pair of an open DuckDB connection and the name of a table, or a list of dictionaries.
            columns: The columns to read; others are never touched.
            name: What to call the table, in this engine and in messages.
            delimiter: What parts the fields of a text file: by default a comma, a tab in ``.tsv`` files.
            snapshot: Whether to copy Parquet files now, so that later changes of them are not seen.
        """
        with self._turn:
            self._check_open()
            self._check_name("load", name)
            if not columns:
                raise InvalidError(f"DuckDBEngine.load: columns of {name!r} must name at least one column.")
            check_names(name, columns)
            self._load(source, columns, name, delimiter, snapshot=snapshot)
            self._names.add(name.casefold())
        return table(name, columns)

    def hold(self, relation: Relation, name: str) -> Relation:
        """Copy the rows of a relation into a table: what happens to their source from now on is not seen."""
        with self._turn:
            self._check_open()
            self._check_name("hold", name)
            target = exp.Table(this=identifier(name), db=identifier(SCHEMA))
            statement = exp.Create(this=target, kind="TABLE", expression=relation.query.copy()).sql(dialect=DIALECT)
            failed = f"{name}: the rows were not copied. {_WITHHELD}"
            self.scan(lambda: self._connection.execute(statement), failed, InvalidError)
            self._names.add(name.casefold())
        return table(name, relation.columns)

    def _check_name(self, asked: str, name: str) -> None:
        if name.casefold() in self._names or not name or "\0" in name:
            raise InvalidError(f"DuckDBEngine.{asked}: name must be new and not empty, got {name!r}.")

    def _load(
        self, source: Any, columns: Mapping[str, Column], name: str, delimiter: str | None, *, snapshot: bool
    ) -> None:
        module = type(source).__module__.partition(".")[0]
        if isinstance(source, str | Path):
            self._load_files(str(source), columns, name, delimiter, snapshot=snapshot)
        elif isinstance(source, list):
            self._load_arrow(from_rows(source, columns), columns, name)
        elif isinstance(source, tuple) and len(source) == 2 and isinstance(source[0], duckdb.DuckDBPyConnection):
            self._load_connection(source[0], source[1], columns, name)
        elif module == "pandas" and hasattr(source, "columns"):
            self._load_arrow(from_pandas(name, source, columns), columns, name)
        elif module == "polars" and hasattr(source, "collect_schema"):
            self._load_polars(source, columns, name)
        elif isinstance(source, pa.Table | pa.RecordBatch | pa.RecordBatchReader | ds.Dataset):
            self._load_arrow(source, columns, name)
        else:
            raise WrongTypeError(
                f"{name}: a source must be the path of CSV or Parquet files, an Arrow table, a pandas or polars frame, "
                "a pair (connection, 'table') of an open DuckDB connection, or a list of dictionaries, "
                f"got {type(source).__name__}."
            )

    def _load_files(
        self, path: str, columns: Mapping[str, Column], name: str, delimiter: str | None, *, snapshot: bool
    ) -> None:
        if self._locked:
            raise InvalidError(
                f"{name}: files must be loaded before the first query; pass an Arrow table or a frame instead."
            )
        files = find_files(name, path)
        if all(each.lower().endswith(_PARQUET) for each in files):
            self._load_pinned(files, columns, name, snapshot=snapshot)
        elif all(each.lower().endswith(_CSV) for each in files):
            tabs = files[0].lower().endswith((".tsv", ".tsv.gz"))
            self._load_csv(files, columns, name, delimiter or ("\t" if tabs else ","))
        else:
            raise InvalidError(f"{name}: the name of a file must end with {', '.join((*_CSV, *_PARQUET))}.")

    def _load_csv(self, files: list[str], columns: Mapping[str, Column], name: str, delimiter: str) -> None:
        check_delimiter(delimiter)
        files_read = open_text(name, files, delimiter)
        check_present(name, files_read.columns, columns)
        raw = [named(field_at(files_read.columns.index(each)), each) for each in columns]
        lines = f"privet lines {next(self._numbers)}"
        fields = exp.Subquery(this=fields_of(lines, delimiter), alias=exp.TableAlias(this=identifier("f")))
        texts = exp.Subquery(this=exp.Select(expressions=raw).from_(fields), alias=exp.TableAlias(this=identifier("s")))
        self._connection.register(lines, files_read.stream())
        try:
            self._create("TABLE", dict.fromkeys(columns, "VARCHAR"), columns, name, texts)
        except InvalidError:
            files_read.check()  # a file that is damaged has a message of its own
            raise
        finally:
            self._quietly(lambda: self._connection.unregister(lines), f"{name}: the source cannot be read.")

    def _load_pinned(self, files: list[str], columns: Mapping[str, Column], name: str, *, snapshot: bool) -> None:
        """Load Parquet files that belong to somebody else, who may change them."""
        failed = f"{name}: a file cannot be opened; check that it may be read."
        pinned = self._quietly(lambda: [pin(each) for each in files], failed)
        directory = Path(self._directory).resolve()
        if not is_plain(str(directory)):  # a name that DuckDB would take for a pattern: Arrow reads the files once
            self._load_arrow(through_arrow(name, files, columns), columns, name)
        else:
            targets = [str(directory / f"{next(self._numbers)}.parquet") for _ in files]
            failed = f"{name}: the files cannot be linked or copied into the temporary folder {str(directory)!r}."
            for each, target in zip(files, targets, strict=True):
                self._quietly(partial(place, each, target, copy=snapshot), failed)
            self._load_parquet(targets, columns, name)
            if not snapshot:
                self._pinned.extend(pinned)
        for item in pinned:
            item.check()

    def _load_parquet(self, files: list[str], columns: Mapping[str, Column], name: str) -> None:
        found = []
        for each in files:
            found.append(self._describe(name, scan([each])))
            check_present(name, list(found[-1]), columns)
            if any(found[-1][item] != found[0][item] for item in columns):
                raise InvalidError(f"{name}: {DIFFERENT}")
        texts = [each for each in columns if found[0][each] in TEXTS]
        source = through_arrow(name, files, columns)
        for each, known in columns.items() if texts else ():  # whether a text is UTF-8 must not show in other columns
            read = {found[0][each], self._arrow_type(name, source.schema.field(each))}
            if len({source_type(f"{name}.{each}", kind, known) for kind in read}) > 1:
                raise InvalidError(
                    f"{name}.{each} has a type that is read in two ways; convert it to {known.kind} first."
                )
        if is_coarse(source.schema, columns):
            self._load_arrow(source, columns, name)
            return
        self._create("VIEW", found[0], columns, name, scan(files))
        if self._can_be_read(name, columns):
            self._files.extend(files)
            return
        unused = f"DROP VIEW {identifier(name).sql(dialect=DIALECT)}"
        self._quietly(lambda: self._connection.execute(unused), f"{name}: {DAMAGED}")
        if not texts:
            raise InvalidError(f"{name}: {DAMAGED}")
        self._load_arrow(source, columns, name)

    def _can_be_read(self, name: str, columns: Mapping[str, Column]) -> bool:
        """Decode every value once, so that no query meets one later that stops DuckDB; Arrow makes such texts null."""
        outputs = [exp.Count(this=column(each), big_int=True) for each in columns]
        counts = exp.Select(expressions=outputs).from_(exp.Table(this=identifier(name), db=identifier(SCHEMA)))
        try:
            self._quietly(lambda: self._connection.execute(counts.sql(dialect=DIALECT)).fetchall(), DAMAGED)
        except InvalidError:
            return False
        return True

    def _load_arrow(self, source: Any, columns: Mapping[str, Column], name: str) -> None:
        """Read what is in memory, or a stream, into a table: later changes by its owner change no answer."""
        check_present(name, list(source.schema.names), columns)
        fields = [pa.field(each, cleaned_type(source.schema.field(each).type)) for each in columns]
        types = {one.name: self._arrow_type(name, one) for one in fields}
        failed = f"{name}: the source cannot be read."
        if isinstance(source, ds.Dataset):
            source = self._quietly(lambda: source.scanner(columns=list(columns)).to_reader(), failed)
        whole = [source] if isinstance(source, pa.RecordBatch) else source
        batches = whole.to_batches() if isinstance(whole, pa.Table) else whole
        stream = pa.RecordBatchReader.from_batches(
            pa.schema(fields), (cleaned(each, list(columns)) for each in batches)
        )
        handle = f"privet source {next(self._numbers)}"
        self._quietly(lambda: self._connection.register(handle, stream), failed)
        self._create("TABLE", types, columns, name, exp.Table(this=identifier(handle)))
        self._quietly(lambda: self._connection.unregister(handle), failed)

    def _arrow_type(self, name: str, one: Any) -> str:
        """Say which type DuckDB gives to a column of Arrow; asked of a table without rows, so that none counts."""
        failed = f"{name}: column {one.name!r} has an unreadable type."
        return self._quietly(lambda: str(self._connection.from_arrow(pa.schema([one]).empty_table()).types[0]), failed)

    def _load_polars(self, source: Any, columns: Mapping[str, Column], name: str) -> None:
        schema = self._quietly(source.collect_schema, f"{name}: the frame has no readable schema.")
        check_present(name, list(schema.names()), columns)
        chosen = source.select(list(columns))
        if not hasattr(chosen, "sink_parquet"):
            self._load_arrow(self._quietly(chosen.to_arrow, f"{name}: the frame has unreadable types."), columns, name)
            return
        if self._locked:
            raise InvalidError(f"{name}: lazy frames must be loaded before the first query; collect it first.")
        path = str(Path(self._directory).resolve() / f"{next(self._numbers)}.parquet")
        failed = f"{name}: the frame could not be computed; its own message may quote data and is withheld."
        self._quietly(lambda: chosen.sink_parquet(path), failed)
        if is_plain(path):
            self._load_parquet([path], columns, name)
        else:
            self._load_arrow(through_arrow(name, [path], columns), columns, name)

    def _load_connection(self, other: Any, name_there: str, columns: Mapping[str, Column], name: str) -> None:
        failed = f"{name}: the connection has no table {name_there!r} that can be read."
        relation = self._quietly(lambda: other.table(name_there), failed)
        check_present(name, relation.columns, columns)
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        for each, known in columns.items():
            source_type(f"{name}.{each}", types[each], known)
            if types[each] == "UHUGEINT":  # Arrow has no such type, and DuckDB sends the bits as a signed number
                raise InvalidError(
                    f"{name}.{each} is UHUGEINT, which is not passed on exactly; cast it to HUGEINT first."
                )
        chosen = ", ".join(identifier(each).sql(dialect=DIALECT) for each in columns)
        reader = self._quietly(lambda: relation.project(chosen).to_arrow_reader(), failed)
        self._load_arrow(reader, columns, name)

    def _describe(self, name: str, place: exp.Expr) -> dict[str, str]:
        query = exp.Select(expressions=[exp.Star()]).from_(place).sql(dialect=DIALECT)
        failed = f"{name}: the schema cannot be read; is it a file of the type that its name says?"
        found = self._quietly(lambda: self._connection.execute(f"DESCRIBE {query}").fetchall(), failed)
        return {row[0]: row[1] for row in found}

    def _create(
        self, kind: str, types: Mapping[str, str], columns: Mapping[str, Column], name: str, place: exp.Expr
    ) -> None:
        """Create a table or a view of admitted values."""
        outputs = []
        for each, known in columns.items():
            label = f"{name}.{each}"
            value = within_precision(column(each), types[each])
            outputs.append(named(admit(value, source_type(label, types[each], known), known), each))
        query = exp.Select(expressions=outputs).from_(place)
        target = exp.Table(this=identifier(name), db=identifier(SCHEMA))
        statement = exp.Create(this=target, kind=kind, expression=query).sql(dialect=DIALECT)
        self._quietly(lambda: self._connection.execute(statement), f"{name}: the source could not be read. {_WITHHELD}")

    def lock(self) -> None:
        """Close every door to the outside; the first query does it too."""
        with self._turn:
            if self._locked:
                return
            allowed = exp.Array(expressions=[exp.Literal.string(each) for each in self._files]).sql(dialect=DIALECT)
            for setting in (
                f"allowed_paths = {allowed}",
                "enable_external_access = false",
                "lock_configuration = true",
            ):
                self._quietly(partial(self._connection.execute, f"SET {setting}"), _WITHHELD)
            self._locked = True

    def execute(self, relation: Relation, *, order_by: Sequence[str] = ()) -> Result:
        """Run a query and give its integers, texts and booleans exactly.

        Args:
            relation: What to compute.
            order_by: Columns to sort by, nulls first; without them the order of the rows means nothing.
        """
        for name, known in relation.columns.items():
            if known.kind not in _KINDS:
                raise InvalidError(
                    f"a query gives integers, texts and booleans, but {name!r} is {known.kind}; use steps."
                )
        with self._turn:
            self._check_open()
            self.lock()
            sql = ordered(relation, order_by) if order_by else relation.sql
            failed = f"the query could not be run; {_WITHHELD} Perhaps memory or disk space ran out."
            found = self.scan(lambda: fetch(self._connection, sql), failed)
        return Result(dict(zip(relation.columns, found, strict=True)))

    def scan(self, work: Callable[[], _T], failed: str, error: type[Exception] = UnavailableError) -> _T:
        """Run something that reads the sources; where one of them has changed, nothing of it is given."""
        try:
            return self._quietly(work, failed, error)
        finally:
            self.check_sources()

    def check_sources(self) -> None:
        """Refuse to go on where a file is not what it was at loading; sessions ask before they charge."""
        for each in self._pinned:
            each.check()

    def _check_open(self) -> None:
        if not self._close.alive:
            raise UnavailableError("the DuckDBEngine is closed; open another.")

    def _quietly(self, work: Callable[[], _T], message: str, error: type[Exception] = InvalidError) -> _T:
        """Run something and replace its error; raised outside of the handler, so that nothing of it is kept."""
        try:
            return work()
        except Exception as caught:  # noqa: BLE001 - whatever it is, it may quote data
            stopped = _interrupted(caught)
        if stopped:
            raise KeyboardInterrupt
        raise error(message)


def _interrupted(error: Exception) -> bool:
    """Tell whether somebody pressed Ctrl-C: DuckDB makes an ordinary error of it."""
    return isinstance(error, duckdb.InterruptException) or (type(error) is RuntimeError and "interrupted" in str(error))


def _cleanup(connection: Any, directory: str, process: int) -> None:
    if os.getpid() != process:  # a forked child must not take away its parent's files
        leave_open(connection)
        return
    connection.close()
    shutil.rmtree(directory, ignore_errors=True)
