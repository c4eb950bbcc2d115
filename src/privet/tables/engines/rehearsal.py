"""Rehearsals: a query is run on tables without rows before it is charged.

Whatever an engine says to the query as such (too deep, too many columns, not enough memory for its texts) shows there.
It depends on public facts alone: the names and types of columns, the text of the query, the settings of the engine.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, final
from weakref import WeakKeyDictionary

from sqlglot import exp

from privet.errors import Invalid, Unavailable
from privet.tables.engines.duckdb import DuckDBEngine
from privet.tables.means import BYTES
from privet.tables.relation import DIALECT, SCHEMA, Relation, identifier

_STAGE, _QUOTED = "privet rehearsal", '"privet rehearsal"'
_VECTOR = 2_048  # rows that the engine computes at once, in each thread
_PERSON = 1_000  # rows that one person may have so that they fit for sure
_SHARE = 2  # of the memory, one part in so many is for rows and texts that a query makes
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_REFUSED = (
    "the engine cannot run this query on any table: it is too large, or nested too deeply. Nothing was charged; ask "
    "for less at once, or derive fewer columns."
)
_MOST = 1_000  # queries that are remembered; one that was run once need not be run again
_stages: "WeakKeyDictionary[DuckDBEngine, _Stage]" = WeakKeyDictionary()


@final
class _Stage:
    """What an engine has of tables without rows, and which queries were run on them."""

    def __init__(self, connection: Any) -> None:
        connection.execute(f"ATTACH ':memory:' AS {_QUOTED}")
        self.tables: set[str] = set()
        self.queries: set[str] = set()


def rehearse(engine: DuckDBEngine, relations: Iterable[Relation], *, width: int, held: int) -> None:
    """Run queries on tables of the same names and types that have no rows, or refuse them.

    Args:
        engine: Where the tables are.
        relations: The queries.
        width: How many characters the texts have together that they compute for one row.
        held: How many characters one row of a table becomes, where the query repeats rows or computes texts.
    """
    with engine._turn:
        engine._check_open()
        engine.lock()
        engine.check_sources()  # a file that changed has a message of its own
        if width or held:
            _check_room(engine, width, held)
        for relation in relations:
            engine._quietly(partial(_run, engine, relation), _REFUSED, Unavailable)


def _run(engine: DuckDBEngine, relation: Relation) -> None:
    connection = engine._connection
    if engine not in _stages:
        _stages[engine] = _Stage(connection)
    stage = _stages[engine]
    if relation.sql in stage.queries:
        return
    for name in {found.name for found in relation.query.find_all(exp.Table) if found.db == SCHEMA} - stage.tables:
        connection.execute(_without_rows(name))
        stage.tables.add(name)
    with connection.cursor() as cursor:  # only there do names of tables mean those without rows
        cursor.execute(f"USE {_QUOTED}")
        cursor.sql(relation.sql).to_arrow_table()
    if len(stage.queries) >= _MOST:
        stage.queries.clear()
    stage.queries.add(relation.sql)


def _check_room(engine: DuckDBEngine, width: int, held: int) -> None:
    """Refuse texts and rows that need not fit into memory, from the settings of the engine alone."""
    read = "SELECT current_setting('memory_limit'), current_setting('threads')"
    memory, threads = engine._quietly(lambda: engine._connection.execute(read).fetchall()[0], _REFUSED, Unavailable)
    number, unit = str(memory).split()
    room = int(float(number) * _UNITS[unit]) // _SHARE // BYTES
    for needed, at_once in ((width, _VECTOR * int(threads)), (held, _PERSON)):
        if needed * at_once > room:
            raise Invalid(
                f"the query may make {needed:,} characters of one row, and with memory of {memory} and {threads} "
                f"threads only {room // at_once:,} surely fit. Nothing was charged; cut texts with substr(s, 1, n) or "
                "give their columns a length in the codebook, select fewer columns, match fewer rows, or open the "
                "session with more memory or fewer threads."
            )


def _without_rows(name: str) -> str:
    """Write the statement that makes a table of the same columns and no rows, in the place of rehearsals."""
    source = exp.Table(this=identifier(name), db=identifier(SCHEMA))
    target = exp.Table(this=identifier(name), db=identifier(SCHEMA), catalog=identifier(_STAGE))
    columns = exp.Select(expressions=[exp.Star()]).from_(source).limit(0)
    return exp.Create(this=target, kind="TABLE", expression=columns).sql(dialect=DIALECT)
