"""Parquet files: DuckDB's own reader is fast, but some values stop it in the middle of a query; Arrow reads those.

Which of the two reads must show in no value. Where it could, the schema decides, which is public. Argument:
docs/tables/engine.md.

Queries read these files again, so we note what they were at loading, and refuse to go on where they have changed.
"""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, final

import pyarrow as pa
from attrs import frozen
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError
from privet.tables.columns import BYTES, Column
from privet.tables.engines.duckdb.dialect import function
from privet.tables.engines.sources import check_present

_SMALL = 2**28  # bytes that the values of files have at most if they are copied at loading
_TAIL = 2**16  # bytes at the end of a file, where Parquet says what it holds and where
TEXTS = ("VARCHAR", "JSON")  # what DuckDB fails on where it is not UTF-8
DAMAGED = "a file has pages that cannot be read; it is damaged, or not what its name says. Write it again."
DIFFERENT = "the files have columns of different types; give files with the same schema."
_UNREADABLE = "a column has a type that cannot be read; convert it to another first."
_OLD_TIMESTAMPS = "us"  # those of 96 bits reach farther than nanoseconds of 64 bits, which would wrap around
_PLAIN = re.compile(r"[\w /.-]+")  # none of these is part of a pattern, nor of an address on the network


@final
@frozen
class PinnedFile:
    """A file as it was when it was loaded.

    Args:
        path: Where it is.
        identity: Device, inode, size, and the times of the last change of its content and of its inode.
        tail: A digest of its last bytes.
    """

    path: str
    identity: tuple[int, ...]
    tail: bytes

    def check(self) -> None:
        """Refuse to go on where the file is another one now, was changed, or is gone."""
        try:
            same = pin(self.path) == self
        except OSError:
            same = False
        if not same:
            raise UnavailableError(
                f"{self.path!r} changed since it was loaded, so that nothing more is answered about it. Open a new "
                "session; with snapshot=True it copies the file and sees no later change."
            )


def pin(path: str) -> PinnedFile:
    """Note what a file is now.

    Raises:
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as file:
        there = os.fstat(file.fileno())
        file.seek(max(there.st_size - _TAIL, 0))
        tail = hashlib.sha256(file.read(_TAIL)).digest()
    identity = (there.st_dev, there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns)
    return PinnedFile(path, identity, tail)


def is_plain(path: str) -> bool:
    """Tell whether a name means to DuckDB what it means to everybody else."""
    return _PLAIN.fullmatch(path) is not None


def place(path: str, target: str, *, copy: bool) -> None:
    """Give a file a plain name, by a link or as a copy: DuckDB takes names for patterns and expands them."""
    if copy:
        shutil.copyfile(path, target)
    else:
        Path(target).symlink_to(path)


def is_small(label: str, files: Sequence[str], columns: Mapping[str, Column]) -> bool:
    """Tell whether the values of files have room in memory. This decides how fast queries are, and nothing else.

    Args:
        label: What to call the files in messages.
        files: Their names.
        columns: The columns to read, each with the longest text that it may hold.
    """
    import pyarrow.parquet as pq

    rows = _read(label, lambda: sum(pq.read_metadata(each).num_rows for each in files))
    return bool(rows * BYTES * sum(known.held for known in columns.values()) <= _SMALL)


def scan(files: Sequence[str]) -> exp.Expr:
    """Let DuckDB read files."""
    names = exp.Array(expressions=[exp.Literal.string(each) for each in files])
    plain = exp.EQ(this=exp.column("hive_partitioning"), expression=exp.false())
    return function("read_parquet", names, plain)


def arrow_schema(label: str, files: Sequence[str], columns: Mapping[str, Column]) -> Any:
    """Give the types that Arrow reads files with; they must not differ, since Arrow would convert value by value.

    Args:
        label: What to call the files in messages.
        files: Their names.
        columns: The columns to read.
    """
    first, *others = schemas = [_schema(label, each) for each in files]
    for schema in schemas:
        check_present(label, schema.names, columns)
    for schema in others:
        if any(_plain(schema.field(name).type) != _plain(first.field(name).type) for name in columns):
            raise InvalidError(f"{label}: {DIFFERENT}")
    coded = {each for each in columns for schema in schemas if pa.types.is_dictionary(schema.field(each).type)}
    return _schema(label, files[0], sorted(coded))


def through_arrow(label: str, files: Sequence[str], columns: Mapping[str, Column]) -> Any:
    """Let Arrow read files, as a data set.

    Args:
        label: What to call the files in messages.
        files: Their names.
        columns: The columns to read.
    """
    import pyarrow.dataset as ds  # a third of a second, and few files are read this way

    schema = arrow_schema(label, files, columns)
    coded = [each for each in columns if pa.types.is_dictionary(schema.field(each).type)]
    options = ds.ParquetReadOptions(dictionary_columns=coded, coerce_int96_timestamp_unit=_OLD_TIMESTAMPS)
    return _read(label, lambda: ds.dataset(list(files), format=ds.ParquetFileFormat(read_options=options)))


def _schema(label: str, file: str, coded: Sequence[str] = ()) -> Any:
    """Give the types that Arrow reads a file with.

    Args:
        label: What to call it in messages.
        file: Its name.
        coded: Columns to read with codes of 32 bits, whatever the files ask for: to other codes Arrow would convert
            them, which fails where a text is not UTF-8.
    """
    import pyarrow.parquet as pq

    def read() -> Any:
        with pq.ParquetFile(
            file, read_dictionary=list(coded), coerce_int96_timestamp_unit=_OLD_TIMESTAMPS, memory_map=False
        ) as opened:
            return opened.schema_arrow

    return _read(label, read)


def _read(label: str, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except NotImplementedError:
        message = _UNREADABLE
    except Exception:  # noqa: BLE001 - whatever it is, it may quote data
        message = DAMAGED
    raise InvalidError(f"{label}: {message}")


def is_coarse(schema: Any, columns: Mapping[str, Column]) -> bool:
    """Tell whether a column holds seconds or milliseconds, which DuckDB's own reader fails on where they are large."""
    types = (schema.field(each).type for each in columns)
    return any(pa.types.is_timestamp(kind) and kind.unit in ("s", "ms") for kind in types)


def _plain(kind: Any) -> Any:
    """Give the type of the values, however they are laid out in memory."""
    inner = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.string() if pa.types.is_large_string(inner) or pa.types.is_string_view(inner) else inner
