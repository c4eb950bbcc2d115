"""SQL as a way to write queries: one SELECT becomes a question, and what is done with its release.

Every node of the tree is on a list of what is understood; anything else is refused by name, before a charge and before
the table is read. The text itself never reaches the engine.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.errors import Invalid
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.column import Kind
from privet.tables.expressions.node import Expression, Reference
from privet.tables.expressions.refusal import describe, shorten, written
from privet.tables.noise_plan import NoisePlan
from privet.tables.query import Question
from privet.tables.relation import Relation
from privet.tables.sql_aggregates import holds_aggregate, is_aggregate, read_aggregate
from privet.tables.sql_answer import After, Order, SqlAnswer, check_labels
from privet.tables.sql_condition import read_condition
from privet.tables.sql_options import capped, check_unit
from privet.tables.sql_rows import Rows, Scope
from privet.tables.sql_tree import Statement, is_whole, number, only, read_statement, refuse, split_alias

if TYPE_CHECKING:
    from privet.tables.session import Session

_PARTS = ("with_", "expressions", "from_", "where", "group", "having", "order", "limit", "offset")
_ROOM = 12  # selects that a session puts around the rows


@final
@frozen(kw_only=True)
class SqlQuestion:
    """A SELECT that was understood, ready to be described or released.

    Args:
        question: What is asked of the table.
        after: What happens with the release.
        lost: What its options say may be lost.
    """

    question: Question
    after: After
    lost: Mapping[str, Any]

    def plan(self, *, weights: Mapping[str, Any] | None = None, **lost: Any) -> NoisePlan:
        """Choose the noise for what may be lost; reads no data and spends nothing."""
        return self.question.plan(weights=weights, **self._lost(lost))

    def describe(self, *, rows: Any = None, weights: Mapping[str, Any] | None = None, **lost: Any) -> str:
        """Write down columns, caps, noise and expected errors; reads no data and spends nothing."""
        return self.question.describe(rows=rows, weights=weights, **self._lost(lost))

    def release(self, *, weights: Mapping[str, Any] | None = None, **lost: Any) -> SqlAnswer:
        """Charge, read once, add noise; then HAVING, ORDER BY and LIMIT on what was released."""
        return SqlAnswer(release=self.question.release(weights=weights, **self._lost(lost)), after=self.after)

    def _lost(self, lost: Mapping[str, Any]) -> dict[str, Any]:
        given = {name: value for name, value in lost.items() if value is not None}
        if given and self.lost:
            raise Invalid(
                f"SQL: OPTIONS give {', '.join(self.lost)} already; leave {', '.join(given)} out, or leave them out "
                "of OPTIONS."
            )
        return {**self.lost, **given}


def read_sql(session: "Session", text: str) -> SqlQuestion:
    """Read one SELECT; reads no data and spends nothing.

    Args:
        session: Where it will be answered.
        text: ``SELECT ward, COUNT(*) AS n FROM data GROUP BY ward``, and what else docs/tables/sql.md lists.

    Raises:
        PrivetError: for whatever is not understood, by name.

    >>> import privet as pv
    >>> book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
    >>> session = pv.Session([{"ward": "a"}] * 900, book, pv.budget(epsilon=1))
    >>> asked = read_sql(session, "SELECT ward, COUNT(*) AS n FROM data GROUP BY ward ORDER BY n DESC LIMIT 1")
    >>> asked.release(epsilon=1).values("ward")
    ['a']
    """
    statement = read_statement(text)
    try:
        return _read(session, statement)
    except RecursionError:
        raise Invalid(f"SQL: the statement is nested too deeply: {shorten(text)}.") from None


def _read(session: "Session", statement: Statement) -> SqlQuestion:
    select, options = statement.tree, statement.options or {}
    only(select, *_PARTS)
    check_unit(session, options)
    query = session.query()
    if "max_groups_contributed" in options:
        query = capped(query, number(options["max_groups_contributed"]))
    label = session.codebook.table or "data"
    table = Rows(query, tuple(query.relation.columns), label, statement.dialect)
    rows = Scope(table, label, {}).source(select)
    reading = _Reading(rows, [split_alias(item) for item in select.expressions])
    reading.read_keys(select.args.get("group"))
    reading.read_items()
    question = reading.question()
    after = reading.after(select)
    _check_writable(question.grouped.query.relation)
    lost = {name: number(options[name]) for name in ("epsilon", "delta") if name in options}
    return SqlQuestion(question=question, after=after, lost=lost)


def _check_writable(relation: Relation) -> None:
    """Write the rows as SQL now, with room for groups and caps around: too deep a nesting must not show later."""
    for _ in range(_ROOM):
        relation = relation.select(*relation.columns)
    if not relation.sql:
        raise AssertionError("a relation is never empty")


class _Reading:
    """The outermost SELECT on its way to a question."""

    def __init__(self, rows: Rows, items: list[tuple[exp.Expr, str | None]]) -> None:
        self.rows = rows
        self.items = items
        self.query = rows.query
        self.made: dict[str, str] = {}  # compiled expressions, and the columns that hold their values
        self.keys: list[str] = []
        self.outputs: list[tuple[str, str]] = []
        self.aggregates: dict[str, Aggregate] = {}

    def column_of(self, node: exp.Expr, label: str | None = None) -> str:
        """Name the column with the values of an expression; derive it where there is none."""
        value = self.rows.read(node)
        if isinstance(value, Reference):
            return value.name
        compiled = _compiled(value)
        if compiled not in self.made:
            relation = self.query.relation
            name = label or str(value)
            while name.lower() in {other.lower() for other in relation.columns}:
                name += " "
            relation = relation.with_column(name, value.sql(), value.column)
            self.query = evolve(self.query, relation=relation)
            self.made[compiled] = name
        return self.made[compiled]

    def read_keys(self, group: exp.Expr | None) -> None:
        """Read GROUP BY: columns, expressions, names and places of the SELECT list."""
        if group is None:
            return
        only(group, "expressions")
        if not group.expressions:
            raise Invalid("SQL: an empty GROUP BY is not allowed. Name a key, or leave it out.")
        for node in group.expressions:
            found, label = self._meant(node)
            inner = holds_aggregate(found)
            if inner is not None:
                raise refuse(f"{describe(inner)} in GROUP BY", node)
            name = self.column_of(found, label)
            if name in self.keys:
                raise refuse("the same key twice in GROUP BY", group)
            self.keys.append(name)

    def _meant(self, node: exp.Expr) -> tuple[exp.Expr, str | None]:
        """Follow a place (``GROUP BY 1``) or a name of the SELECT list."""
        if isinstance(node, exp.Literal):
            return self.items[self._place(node, "GROUP BY")]
        name = _plain_name(node)
        same = [item for item in self.items if item[1] is not None and name is not None and item[1].lower() == name]
        is_column = name in {each.lower() for each in self.rows.visible}
        if not same:
            return node, self._label_of(node)
        if is_column and any(_plain_name(item[0]) != name for item in same):
            raise refuse(f"GROUP BY {name}, a column and another alias at once,", node, "Choose another alias.")
        return (node, None) if is_column else same[0]

    def _label_of(self, node: exp.Expr) -> str | None:
        return next((label for item, label in self.items if item == node), None)

    def _place(self, node: exp.Literal, clause: str) -> int:
        if node.is_string or not is_whole(node.name) or not 1 <= int(node.name) <= len(self.items):
            raise refuse(f"{clause} {shorten(node.name)}", node, "Name a column, or give its place in the list.")
        return int(node.name) - 1

    def read_items(self) -> None:
        """Read the SELECT list: aggregates and keys."""
        for node, alias in self.items:
            if is_aggregate(node):
                aggregate = read_aggregate(node, self.query.session.owner, self.column_of)
                label = alias or aggregate.name
                if label == "self" or label in self.aggregates:
                    raise Invalid(f"SQL: the name {label!r} is not allowed, or used twice; choose another with AS.")
                self.aggregates[label] = aggregate
                self.outputs.append((label, label))
            else:
                name = self._key(node)
                own = name if name in self.rows.visible else name.rstrip()  # spaces that only told columns apart
                self.outputs.append((alias or own, name))
        if not self.aggregates:
            raise Invalid("SQL: a SELECT without an aggregate is not allowed: raw rows are never shown. Add COUNT(*).")
        check_labels(list(self.aggregates), self.keys)
        labels = [label for label, name in self.outputs if name in self.keys]
        check_labels(list(self.aggregates), labels)

    def _key(self, node: exp.Expr) -> str:
        inner = holds_aggregate(node)
        if inner is not None:
            raise refuse(describe(inner if inner is node else node), node, _hint(inner))
        if isinstance(node, exp.Star):
            raise refuse("SELECT *", node, "Name keys and aggregates.")
        value = self.rows.read(node)
        name = value.name if isinstance(value, Reference) else self.made.get(_compiled(value))
        if name is None or name not in self.keys:
            raise refuse(
                f"{shorten(written(node))} without an aggregate", node, "Put it in GROUP BY: raw rows are never shown."
            )
        return name

    def question(self) -> Question:
        """Ask."""
        if not self.keys:
            return self.query.agg(**self.aggregates)
        return self.query.group_by(*self.keys).agg(**self.aggregates)

    def after(self, select: exp.Select) -> After:
        """Read HAVING, ORDER BY, LIMIT and OFFSET."""
        having, order = select.args.get("having"), select.args.get("order")
        condition = None
        if having is not None:
            only(having, "this")
            condition = read_condition(having.this, self._released)
        return After(
            columns=tuple(self.outputs),
            having=condition,
            order=self._order(order) if order is not None else (),
            limit=_rows(select.args.get("limit"), exp.Limit),
            offset=_rows(select.args.get("offset"), exp.Offset) or 0,
        )

    def _order(self, clause: exp.Expr) -> tuple[Order, ...]:
        only(clause, "expressions")
        if not clause.expressions:
            raise Invalid("SQL: an empty ORDER BY is not allowed. Name a column, or leave it out.")
        found = []
        for each in clause.expressions:
            if type(each) is not exp.Ordered:
                raise refuse(f"{describe(each)} in ORDER BY", clause)
            only(each, "this", "desc", "nulls_first")
            name = (
                self.outputs[self._place(each.this, "ORDER BY")][1]
                if isinstance(each.this, exp.Literal)
                else self._released(each.this)[0]
            )
            found.append(Order(name, bool(each.args.get("desc")), bool(each.args.get("nulls_first"))))
        return tuple(found)

    def _released(self, node: exp.Expr) -> tuple[str, Kind]:
        """Find a column of the release: by its label, as a key, or as an aggregate that is selected."""
        plain = _plain_name(node)
        names = [name for label, name in self.outputs if label.lower() == plain]
        if not names and is_aggregate(node):
            asked = read_aggregate(node, self.query.session.owner, self._existing)
            names = [label for label, aggregate in self.aggregates.items() if aggregate == asked]
        elif not names and holds_aggregate(node) is None:
            names = [name for name in (self._existing(node),) if name in self.keys]
        if not names:
            raise refuse(
                f"{shorten(written(node))} after the release", node, "HAVING and ORDER BY see selected columns only."
            )
        return names[0], ("real" if names[0] in self.aggregates else self.query.relation[names[0]].kind)

    def _existing(self, node: exp.Expr) -> str:
        value = self.rows.read(node)
        name = value.name if isinstance(value, Reference) else self.made.get(_compiled(value))
        if name is None:
            raise refuse(f"{shorten(written(node))} after the release", node, "Select it too.")
        return name


def _compiled(value: Expression) -> str:
    return value.sql().sql(dialect="duckdb")


def _plain_name(node: exp.Expr) -> str | None:
    """Give the name of a column without a table, in lower case."""
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier) and node.args.get("table") is None:
        return node.name.lower()
    return None


def _hint(inner: exp.Expr) -> str:
    if isinstance(inner, exp.Window | exp.Filter):
        return "Filter with WHERE; windows cannot be answered."
    return "Aggregates are COUNT, SUM, AVG, VARIANCE and STDDEV, each in a column of its own."


def _rows(clause: Any, kind: type[exp.Expr]) -> int | None:
    """Read the number of a LIMIT or an OFFSET."""
    if clause is None:
        return None
    if type(clause) is not kind:
        raise refuse(type(clause).__name__.upper(), clause, "Write LIMIT 10.")
    only(clause, "expression")
    value = clause.args.get("expression")
    if not isinstance(value, exp.Literal) or value.is_string or not is_whole(value.name):
        raise refuse(f"{clause.key.upper()} without a whole number", clause, "Write LIMIT 10.")
    return int(value.name)
