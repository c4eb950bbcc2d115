"""SQL as a way to write queries: one SELECT becomes a question, and what is done with its release.

Every node of the tree is on a list of what is understood; anything else is refused by name, before a charge and before
the table is read. The text itself never reaches the engine.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, frozen

from privet.errors import InvalidError
from privet.tables.engines.default import write_query
from privet.tables.expressions.refusal import shorten
from privet.tables.expressions.syntax import depth
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.aggregate_query import AggregateQuery, Weights
from privet.tables.sql.answer import PostProcessing, SqlAnswer
from privet.tables.sql.from_clause import Scope
from privet.tables.sql.options import caps_of, check_options, matched_of
from privet.tables.sql.outer import find_outer, outer_after
from privet.tables.sql.rows import Source, SqlRows
from privet.tables.sql.select import Selection
from privet.tables.sql.steps import capped, shown_of, tables_of
from privet.tables.sql.tree import Statement, number, only, read_statement
from privet.tables.vocabulary.relation import Relation

if TYPE_CHECKING:
    from privet.tables.session.session import Session

_PARTS = ("with_", "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset")
_ROOM = 12  # selects that a session puts around the rows
_SHALLOW = 60  # levels of a tree that can be written wherever the interpreter stands


@final
@frozen(kw_only=True)
class SqlQuery:
    """A SELECT that was understood, ready to be described or released.

    Args:
        question: What is asked of the table.
        after: What happens with the release.
        lost: What its options say may be lost.
    """

    question: AggregateQuery
    after: PostProcessing
    lost: Mapping[str, Any]

    def plan(self, *, weights: Weights = None, rows: Any = None, **lost: Any) -> NoisePlan:
        """Choose the noise for what may be lost; reads no data and spends nothing."""
        return self.question.plan(weights=weights, rows=rows, **self._lost(lost))

    def describe(
        self, *, rows: Any = None, weights: Weights = None, typical: Mapping[str, Any] | None = None, **lost: Any
    ) -> str:
        """Write down columns, caps, noise and expected errors; reads no data and spends nothing."""
        return self.question.describe(rows=rows, weights=weights, typical=typical, **self._lost(lost))

    def release(self, *, weights: Weights = None, rows: Any = None, **lost: Any) -> SqlAnswer:
        """Charge, read once, add noise; then HAVING, ORDER BY, LIMIT and what is computed from what was released."""
        release = self.question.release(weights=weights, rows=rows, **self._lost(lost))
        return SqlAnswer(release=release, after=self.after)

    def _lost(self, lost: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in lost.items() if value is not None}
        if given and self.lost:
            raise InvalidError(
                f"SQL: OPTIONS give {', '.join(self.lost)} already; leave {', '.join(given)} out, or leave them out "
                "of OPTIONS."
            )
        return {**self.lost, **given}


def read_sql(session: "Session", text: str, *, join_rows: Any = None, among: Any = None, other: Any = ()) -> SqlQuery:
    """Read one SELECT; reads no data and spends nothing.

    Args:
        session: Where it will be answered.
        text: ``SELECT ward, COUNT(*) AS n FROM data GROUP BY ward``, and what else docs/tables/sql.md lists.
        join_rows: How many rows of a person a join takes of the table that it adds, where the statement does not say.
        among: The groups to answer for, as in ``Query.group_by``: needed where the codebook implies none.
        other: The key of all other rows, where they are wanted too.

    Raises:
        PrivetError: for whatever is not understood, by name.

    >>> import privet as pv
    >>> book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.SqlRows())
    >>> session = pv.Session([{"ward": "a"}] * 900, book, pv.budget(epsilon=1))
    >>> asked = read_sql(session, "SELECT ward, COUNT(*) AS n FROM data GROUP BY ward ORDER BY n DESC LIMIT 1")
    >>> asked.release(epsilon=1).values("ward")
    ['a']
    """
    statement = read_statement(text)
    try:
        return _read(session, statement, join_rows, among, other)
    except RecursionError:
        raise InvalidError(f"SQL: the statement is nested too deeply: {shorten(text)}.") from None


def _read(session: "Session", statement: Statement, join_rows: Any, among: Any, other: Any) -> SqlQuery:
    options = statement.options or {}
    outer = find_outer(statement.tree, session.owner)
    select = statement.tree if outer is None else outer.inner
    only(select, *_PARTS)
    check_options(session, options)
    tables = {
        name: SqlRows(query, (Source(name, {each: each for each in shown_of(query, name)}),), statement.dialect)
        for name, query in tables_of(session).items()
    }
    rows = Scope(tables, matched=matched_of(options, join_rows)).source(select)
    rows = evolve(rows, query=capped(rows.query, caps_of(options)))
    selection = Selection(rows, select.expressions, statement.bounds)
    selection.read_keys(select.args.get("group"))
    selection.read_items()
    question = selection.question(among, other)
    after = selection.after(select) if outer is None else outer_after(selection, outer)
    _check_writable(question.grouped.query.relation)
    lost = {name: number(options[name]) for name in ("epsilon", "delta") if name in options}
    return SqlQuery(question=question, after=after, lost=lost)


def _check_writable(relation: Relation) -> None:
    """Write the rows as SQL now, with room for groups and caps around: too deep a nesting must not show later."""
    if depth(relation.query) <= _SHALLOW:
        return
    for _ in range(_ROOM):
        relation = relation.select(*relation.columns)
    write_query(relation)
