"""Rehearsals: a query is run on tables without rows before it is charged.

Whatever an engine says to the query as such (too deep, too many columns, not enough memory for its texts) shows there.
It depends on public facts alone: the names and types of columns, the text of the query, the settings of the engine.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import final

from duckdb import DuckDBPyConnection
from sqlglot import exp

from privet.errors import InvalidError, UnavailableError
from privet.tables.columns import BYTES, Column, Limits
from privet.tables.engines.dialect import Compiler, write
from privet.tables.engines.duckdb.connection import quietly
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.vocabulary import SCHEMA, Relation, identifier

_STAGE, _QUOTED = "privet rehearsal", '"privet rehearsal"'
_VECTOR = 2_048  # rows that the engine computes at once, in each thread
_PERSON = 1_000  # rows that one person may have so that they fit for sure
_SHARE = 4  # bytes that one byte of a window's rows takes at most: they are sorted by a copy of themselves
_DISTINCT = 2**23  # bytes that a count of different values takes, however few values there are
_SMALL, _FEW = 100, 1  # characters and counts of different values for which every setting has room
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_REFUSED = (
    "the engine cannot run this query on any table: it is too large, or nested too deeply. Nothing was charged; ask "
    "for less at once, or derive fewer columns."
)
_MOST = 1_000  # queries that are remembered; one that was run once need not be run again


@final
class Stage:
    """Tables without rows beside those of a connection, and the queries that were run on them."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        self._connection = connection
        quietly(lambda: connection.execute(f"ATTACH ':memory:' AS {_QUOTED}"), _REFUSED, UnavailableError)
        self._tables: set[str] = set()
        self._queries: set[str] = set()

    def run(self, relation: Relation, compiler: Compiler) -> None:
        """Run a query where its tables have no rows, or refuse it; also one that is too deep to be written.

        Args:
            relation: The query.
            compiler: Writes it.
        """
        quietly(lambda: self._run(relation, compiler.text(relation)), _REFUSED, UnavailableError)

    def _run(self, relation: Relation, sql: str) -> None:
        if sql in self._queries:
            return
        schemas = (SCHEMA, DIALECT.schema)
        for name in {each.name for each in relation.query.find_all(exp.Table) if each.db in schemas} - self._tables:
            self._connection.execute(_without_rows(name))
            self._tables.add(name)
        with self._connection.cursor() as cursor:  # only there do names of tables mean those without rows
            cursor.execute(f"USE {_QUOTED}")
            cursor.sql(sql).to_arrow_table()
        if len(self._queries) >= _MOST:
            self._queries.clear()
        self._queries.add(sql)


def check_room(
    connection: DuckDBPyConnection, relations: Sequence[Relation], limits: Limits, columns: Mapping[str, Column]
) -> None:
    """Refuse texts and rows that need not fit into memory, from the settings of the engine alone."""
    held = max((limits.held(names, columns) for each in relations for names in _window_columns(each)), default=0)
    distinct = max((sum(1 for _ in each.query.find_all(exp.Distinct)) for each in relations), default=0)
    if not limits.width and held <= _SMALL and distinct <= _FEW:
        return
    read = "SELECT current_setting('memory_limit'), current_setting('threads')"
    memory, threads = quietly(lambda: connection.execute(read).fetchall()[0], _REFUSED, UnavailableError)
    number, unit = str(memory).split()
    room, batch = int(float(number) * _UNITS[unit]), _VECTOR * int(threads)
    left = max(room - distinct * _DISTINCT, 0) // _SHARE // BYTES // _PERSON
    for needed, fits in ((limits.width, room // 2 // BYTES // batch), (held, left)):
        if needed > fits:
            raise InvalidError(
                f"the query may hold {needed:,} characters of one row, and with memory of {memory}, {threads} threads "
                f"and {distinct} counts of different values only {fits:,} surely fit. Nothing was charged; cut texts "
                "with substr(s, 1, n) or give their columns a length in the codebook, select fewer columns, match "
                "fewer rows, or open the session with more memory or fewer threads."
            )


def _window_columns(relation: Relation) -> Iterator[list[str]]:
    """Give, for each window, the columns of its rows: the engine holds those of one person at once."""
    for window in relation.query.find_all(exp.Window):
        select = window.parent_select
        outputs = () if select is None else select.expressions
        yield [each.alias_or_name for each in outputs if each.find(exp.Window) is None]


def _without_rows(name: str) -> str:
    """Write the statement that makes a table of the same columns and no rows, in the place of rehearsals."""
    source = exp.Table(this=identifier(name), db=identifier(SCHEMA))
    target = exp.Table(this=identifier(name), db=identifier(SCHEMA), catalog=identifier(_STAGE))
    columns = exp.Select(expressions=[exp.Star()]).from_(source).limit(0)
    return write(exp.Create(this=target, kind="TABLE", expression=columns), DIALECT)
