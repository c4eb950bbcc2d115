"""FROM and WITH: private tables, their joins, their unions, and summaries of each person."""

from collections.abc import Mapping, Sequence
from typing import final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.refusal import describe, shorten
from privet.tables.sql.join import join_rows
from privet.tables.sql.rows import SqlRows, renamed
from privet.tables.sql.summary import summarized_rows
from privet.tables.sql.tree import named, only, refuse

_DEEPEST = 16  # selects within selects


@final
@frozen
class Scope:
    """The names that stand for rows at some place of a statement.

    Args:
        tables: The private tables, by name.
        named: The queries of the WITH clauses so far, by name in lower case.
        matched: How many rows of a person a join takes from the table that it adds; None if nothing says.
        depth: How many SELECTs this one is in.
    """

    tables: Mapping[str, SqlRows]
    named: Mapping[str, SqlRows] = field(factory=dict)
    matched: int | None = None
    depth: int = 0

    def source(self, select: exp.Select) -> SqlRows:
        """Read WITH, FROM, JOIN and WHERE."""
        if self.depth > _DEEPEST:
            raise InvalidError(f"SQL: more than {_DEEPEST} SELECTs within each other are not allowed.")
        scope = self._with(select.args.get("with_"))
        clause = select.args.get("from_")
        if clause is None:
            raise InvalidError(f"SQL: FROM is missing. The tables are {self._known()}.")
        only(clause, "this")
        rows = scope._from(clause.this)
        for join in select.args.get("joins") or ():
            if type(join) is not exp.Join:
                raise refuse(f"{describe(join)} in FROM", join)
            rows = join_rows(rows, join, scope._from, self.matched)
        return rows.where(select.args.get("where"))

    def inner(self, node: exp.Expr, names: Sequence[str] = ()) -> SqlRows:
        """Read the SELECT of a sub-query, or several with UNION ALL between.

        Args:
            node: The sub-query.
            names: Names for columns without one, by place.
        """
        deeper = evolve(self, depth=self.depth + 1)
        if isinstance(node, exp.Subquery) and node.args.get("alias") is None:  # parentheses around one side of a union
            only(node, "this")
            return deeper.inner(node.this, names)
        if type(node) is exp.Union:
            return deeper._union(node)
        if type(node) is not exp.Select:
            raise refuse(f"{node.key.upper()} in FROM", node, "A sub-query is a SELECT ... FROM ... [WHERE ...].")
        only(node, "expressions", "from_", "joins", "where", "with_", "group")
        rows = deeper.source(node)
        group = node.args.get("group")
        if group is not None:
            return summarized_rows(rows, node.expressions, group)
        return rows.selected(node.expressions, names)

    def _union(self, node: exp.Union) -> SqlRows:
        """Read both sides; columns are matched by place, and take the names of the first side."""
        only(node, "this", "expression", "distinct")
        if node.args.get("distinct") is not False:
            raise refuse("UNION", node, "Write UNION ALL: rows that are alike stay rows of their own.")
        if self.depth > _DEEPEST:
            raise InvalidError(f"SQL: more than {_DEEPEST} SELECTs within each other are not allowed.")
        first = self.inner(node.this)
        second = self.inner(node.expression, first.visible)
        if len(first.visible) != len(second.visible):
            raise refuse("UNION ALL of different numbers of columns", node)
        names = dict(zip(second.visible, first.visible, strict=True))
        ids = first.query.id_columns
        for old, new in names.items():
            if old != new and (old in ids or new in ids):
                raise refuse("UNION ALL with the id in another place", node, f"Select {ids[0]!r} in the same place.")
        hidden = [name for name in second.query.columns if name not in names]
        other = renamed(second.query, {**names, **{name: name for name in hidden}})
        return first.next(first.query.union(other), second.steps + 2)

    def _with(self, clause: exp.Expr | None) -> "Scope":
        if clause is None:
            return self
        only(clause, "expressions")
        scope = self
        for each in clause.expressions:
            only(each, "this", "alias")
            name = _alias(each, "WITH")
            if name is None or scope._find(name) is not None:
                raise InvalidError(
                    f"SQL: the name {shorten(name or '')} of WITH is not allowed: it has a meaning already."
                )
            scope = evolve(scope, named={**scope.named, name.lower(): scope.inner(each.this)})
        return scope

    def _from(self, node: exp.Expr) -> SqlRows:
        if isinstance(node, exp.Subquery):
            only(node, "this", "alias")
            if not isinstance(node.this, exp.Query) or isinstance(node.this, exp.Subquery):
                raise refuse("a table in parentheses" if isinstance(node.this, exp.Table) else "this sub-query", node)
            return self.inner(node.this).called(_alias(node, "a sub-query") or "")
        if not isinstance(node, exp.Table):
            raise refuse(f"{describe(node)} in FROM", node)
        only(node, "this", "alias")
        if not isinstance(node.this, exp.Identifier):
            raise refuse(f"{describe(node.this)} in FROM", node)
        name = named(node.this, "a table")
        rows = self._find(name)
        if rows is None:
            raise refuse(f"the table {shorten(name)}", node, f"There are {self._known()}.")
        return rows.called(_alias(node, "a table") or name)

    def _find(self, name: str) -> SqlRows | None:
        tables = {table.lower(): rows for table, rows in self.tables.items()}
        return tables.get(name.lower()) or self.named.get(name.lower())

    def _known(self) -> str:
        return ", ".join(map(repr, self.tables))


def _alias(node: exp.Expr, what: str) -> str | None:
    alias = node.args.get("alias")
    if alias is None:
        return None
    only(alias, "this")
    return named(alias.this, f"the name of {what}")
