"""FROM, WITH and WHERE: rows of the one table, filtered, derived and renamed, row by row."""

from collections.abc import Mapping
from typing import final

from attrs import evolve, frozen
from sqlglot import ErrorLevel, exp

from privet.errors import Invalid, Mismatch, PrivetError
from privet.tables.column import Column
from privet.tables.expressions.node import Expression, Reference
from privet.tables.expressions.parse import parse
from privet.tables.expressions.refusal import describe, shorten, written
from privet.tables.expressions.term import Term
from privet.tables.query import Query
from privet.tables.relation import column
from privet.tables.sql_tree import named, only, refuse, split_alias

_DEEPEST = 16  # selects within selects
_MOST_STEPS = 32  # filters and projections on top of each other, which sqlglot writes by recursion
_BIGQUERY_ONLY = ("WEEK", "DAYOFWEEK")  # weeks begin on another day there


@final
@frozen
class Rows:
    """What a FROM clause offers.

    Args:
        query: The rows; they hold the owner's column, whether it was selected or not.
        visible: The columns that were selected.
        name: What they are called, for ``name.column``.
        dialect: Whose SQL was written.
        steps: How many filters and projections made them.
    """

    query: Query
    visible: tuple[str, ...]
    name: str
    dialect: str
    steps: int = 0

    @property
    def columns(self) -> Mapping[str, Column]:
        """What is known of the visible columns."""
        return {name: self.query.relation[name] for name in self.visible}

    def read(self, node: exp.Expr) -> Expression:
        """Read an expression over the visible columns; only what ``expressions.parse`` allows."""
        tree = node.copy()
        for found in tree.walk():
            found.meta.clear()  # places in the whole statement, where messages mean those in the expression
            table = found.args.get("table") if isinstance(found, exp.Column) and not found.args.get("db") else None
            if isinstance(table, exp.Identifier) and table.name.lower() == self.name.lower():
                found.set("table", None)
        try:
            if self.dialect == "bigquery":
                return parse(_from_bigquery(tree), self.columns)
            term = Term(tree)
            str(term)
        except PrivetError:
            raise
        except Exception:  # noqa: BLE001 - some trees that parse cannot be written; their kind is still named
            raise refuse(describe(node), node) from None
        return parse(term, self.columns)

    def known(self, expression: Expression) -> Column:
        """What is known of the values of an expression; of a column, all that is declared."""
        return self.query.relation[expression.name] if isinstance(expression, Reference) else expression.column

    def where(self, clause: exp.Expr | None) -> "Rows":
        """Keep the rows of which a condition is true."""
        if clause is None:
            return self
        only(clause, "this")
        condition = self.read(clause.this)
        if condition.kind != "boolean":
            raise Mismatch(f"SQL: WHERE takes a condition, got {condition.kind}: {shorten(written(clause.this))}.")
        return self._next(evolve(self.query, relation=self.query.relation.filter(condition.sql())))

    def selected(self, items: list[exp.Expr]) -> "Rows":
        """Compute every column anew; the owner's column stays, seen or unseen."""
        query, owner = self.query, self.query.session.owner
        outputs: dict[str, tuple[exp.Expr, Column]] = {}
        missing = set()
        for item in items:
            node, alias = split_alias(item)
            if isinstance(node, exp.Star):
                raise refuse("SELECT *", node, "Name the columns.")
            value = self.read(node)
            source = value.name if isinstance(value, Reference) else None
            name = alias or source
            if name is None:
                raise refuse("a column without a name", item, "Name it with AS.")
            if name.lower() in {other.lower() for other in outputs}:
                raise Invalid(f"SQL: two columns of a sub-query are called {shorten(name)}; name one of them with AS.")
            if name != source and {name.lower(), (source or "").lower()} & {each.lower() for each in owner}:
                raise Invalid(
                    f"SQL: {shorten(name)} is not allowed as a name here: {owner[0]!r} tells whose rows are protected "
                    "and must stay as it is."
                )
            outputs[name] = (column(source, "r") if source is not None else value.sql(), self.known(value))
            if source in query.missing:
                missing.add(name)
        if not outputs:
            raise Invalid("SQL: a SELECT without columns is not allowed.")
        hidden = {name: (column(name, "r"), query.relation[name]) for name in owner if name not in outputs}
        relation = query.relation.project({**outputs, **hidden})
        missing |= query.missing & set(hidden)
        made = self._next(evolve(query, relation=relation, missing=frozenset(missing)))
        return evolve(made, visible=tuple(outputs))

    def _next(self, query: Query) -> "Rows":
        if self.steps >= _MOST_STEPS:
            raise Invalid(f"SQL: more than {_MOST_STEPS} steps of sub-queries on top of each other are not allowed.")
        return evolve(self, query=query, steps=self.steps + 1)


def _from_bigquery(tree: exp.Expr) -> str:
    for node in tree.walk():
        if isinstance(node, exp.WeekStart) or (
            isinstance(node, exp.Var) and node.name.upper().startswith(_BIGQUERY_ONLY)
        ):
            raise refuse(f"{written(node)} of BigQuery", tree, "Its weeks are not those of docs/tables/expressions.md.")
    return tree.sql(dialect="duckdb", unsupported_level=ErrorLevel.RAISE)


@final
@frozen
class Scope:
    """What may stand in a FROM clause.

    Args:
        table: The table, as it is.
        label: Its name.
        named: Sub-queries of WITH clauses, by lower-case name.
        depth: How many selects are around.
    """

    table: Rows
    label: str
    named: Mapping[str, Rows]
    depth: int = 0

    def source(self, select: exp.Select) -> Rows:
        """Read WITH, FROM and WHERE of a SELECT."""
        if self.depth > _DEEPEST:
            raise Invalid(f"SQL: more than {_DEEPEST} sub-queries within each other are not allowed.")
        scope = self._with(select.args.get("with_"))
        clause = select.args.get("from_")
        if clause is None:
            raise Invalid(f"SQL: FROM is missing, and must name {self.label!r}.")
        only(clause, "this")
        return scope._from(clause.this).where(select.args.get("where"))

    def inner(self, node: exp.Expr) -> Rows:
        """Read a sub-query that gives rows."""
        if type(node) is not exp.Select:
            raise refuse(f"{node.key.upper()} in FROM", node, "A sub-query is a SELECT ... FROM ... [WHERE ...].")
        only(node, "expressions", "from_", "where", "with_")
        return evolve(self, depth=self.depth + 1).source(node).selected(node.expressions)

    def _with(self, clause: exp.Expr | None) -> "Scope":
        if clause is None:
            return self
        only(clause, "expressions")
        scope = self
        for each in clause.expressions:
            only(each, "this", "alias")
            name = _alias(each, "WITH")
            if name is None or name.lower() in scope.named or name.lower() == self.label.lower():
                raise Invalid(f"SQL: the name {shorten(name or '')} of WITH is not allowed: it has a meaning already.")
            read = evolve(scope.inner(each.this), name=name)
            scope = evolve(scope, named={**scope.named, name.lower(): read})
        return scope

    def _from(self, node: exp.Expr) -> Rows:
        if isinstance(node, exp.Subquery):
            only(node, "this", "alias")
            return evolve(self.inner(node.this), name=_alias(node, "a sub-query") or "")
        if not isinstance(node, exp.Table):
            raise refuse(f"{describe(node)} in FROM", node)
        only(node, "this", "alias")
        if not isinstance(node.this, exp.Identifier):
            raise refuse(f"{describe(node.this)} in FROM", node)
        name = named(node.this, "a table")
        found = self.table if name.lower() == self.label.lower() else self.named.get(name.lower())
        if found is None:
            raise refuse(f"the table {shorten(name)}", node, f"The table of the session is {self.label!r}.")
        return evolve(found, name=_alias(node, "a table") or name)


def _alias(node: exp.Expr, what: str) -> str | None:
    alias = node.args.get("alias")
    if alias is None:
        return None
    only(alias, "this")
    return named(alias.this, f"the name of {what}")
