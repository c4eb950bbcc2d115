"""Public tables that a session knows by name: read once, at opening, and described by their own types and values."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, final

from attrs import field, frozen

from privet.errors import InvalidError, WrongTypeError
from privet.tables.codebook.column import CodebookColumn
from privet.tables.columns import find_column
from privet.tables.engines.engine import Engine
from privet.tables.relations.public_schema import infer_columns
from privet.tables.relations.public_table import PublicTable, held_public, public_table
from privet.tables.vocabulary import Relation, check_names

_SUFFIXES = {".parquet": "parquet", ".csv": "csv", ".tsv": "csv"}


@final
@frozen(kw_only=True, eq=False)
class PublicSource:
    """A public table of a session.

    Args:
        name: Its name.
        described: What its columns are, by name.
        relation: Its rows, held in the engine of the session.
        engine: That engine.
    """

    name: str
    described: Mapping[str, CodebookColumn]
    relation: Relation = field(repr=False)
    engine: Engine = field(repr=False)
    _placed: dict[tuple[str, ...], PublicTable] = field(factory=dict, init=False, repr=False)

    def matched_on(self, on: Sequence[str]) -> PublicTable:
        """Give the table as joins take it, matched on these columns."""
        columns = tuple(on)
        for name in columns:
            find_column("join_public.on", name, self.described, at=f"in the public table {self.name!r}")
        if columns not in self._placed:
            self._placed[columns] = held_public(self.engine, self.relation, columns, self.name)
        return self._placed[columns]


def load_public(engine: Engine, public: object, private: Sequence[str] = ()) -> dict[str, PublicSource]:
    """Load public tables into an engine.

    Args:
        engine: The engine of a session.
        public: The tables by name: Arrow tables, frames, lists of dictionaries, columns by name, or paths.
        private: The names of the private tables, which no public one may have.
    """
    if not isinstance(public, Mapping):
        kind = type(public).__name__
        raise WrongTypeError(f"public must be public tables by name, such as public={{'nation': frame}}, got {kind}.")
    check_names("public", [*private, *map(str, public)])
    sources = {}
    for name, given in public.items():
        if not isinstance(name, str):
            raise WrongTypeError(f"public: the name of a table must be a text, got {type(name).__name__}.")
        source = _in_memory(name, given)
        described = _described(name, source)
        check_names(f"public[{name!r}]", described)
        read = {each: item.column for each, item in described.items()}
        called = f"privet public {name}"
        held = engine.hold(engine.load(source, read, f"{called} as read", snapshot=True), called)
        sources[name] = PublicSource(name=name, described=described, relation=held, engine=engine)
    return sources


def _described(name: str, source: Any) -> dict[str, CodebookColumn]:
    try:
        return infer_columns(source, ())
    except WrongTypeError:
        raise WrongTypeError(
            f"public[{name!r}] must be a frame, an Arrow table, a list of dictionaries, columns by name or the path of "
            f"a CSV or Parquet file, got {type(source).__name__}."
        ) from None


def _in_memory(name: str, source: Any) -> Any:
    """Read a path; make an Arrow table of columns by name."""
    if isinstance(source, str | Path):
        return _read_file(name, Path(source))
    if isinstance(source, Mapping):
        import pyarrow as pa

        try:
            return pa.table({str(each): pa.array(list(values)) for each, values in source.items()})
        except (pa.ArrowException, TypeError, ValueError):
            raise InvalidError(
                f"public[{name!r}] must have columns of one kind each, all of the same length, such as "
                "{'ward': ['a', 'b'], 'floor': [1, 4]}."
            ) from None
    return source


def _read_file(name: str, path: Path) -> Any:
    import pyarrow as pa
    from pyarrow import csv, parquet

    kind = _SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise InvalidError(f"public[{name!r}] must be a .csv, .tsv or .parquet file, or a table in memory, got {path}.")
    try:
        if kind == "parquet":
            return parquet.read_table(path)
        return csv.read_csv(path, parse_options=csv.ParseOptions(delimiter="\t" if path.suffix == ".tsv" else ","))
    except (OSError, pa.ArrowException) as error:
        raise InvalidError(f"public[{name!r}]: {path} cannot be read: {error}.") from None


def find_public(
    known: Mapping[str, PublicSource],
    engine: Engine,
    source: object,
    described: Mapping[str, CodebookColumn] | None,
    on: tuple[str, ...],
) -> PublicTable:
    """Let an engine read a public table, so that its mistakes show now.

    Args:
        known: The public tables of the session, by name.
        engine: The engine.
        source: Public data in memory, or the name of a public table of the session.
        described: What its columns are; None for those that its types and values imply.
        on: The columns to match.
    """
    if not isinstance(source, str) or not known:
        return public_table(source, described, on).read_by(engine)
    if source not in known:
        raise InvalidError(f"join_public: there is no public table {source!r}; there are {', '.join(known)}.")
    if described is not None:
        raise InvalidError("join_public: the session describes its public tables; leave columns=... out.")
    return known[source].matched_on(on)
