"""FROM and WITH: private tables, their joins, their unions, and summaries of each person."""

from collections.abc import Mapping, Sequence
from typing import final

from attrs import evolve, field, frozen
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions import describe, shorten
from privet.tables.sql.aggregates import refuse_aggregates
from privet.tables.sql.ends import read_order
from privet.tables.sql.joins import joined_rows
from privet.tables.sql.public_rows import different_rows, unnested
from privet.tables.sql.rows import SqlRows, renamed
from privet.tables.sql.summaries import distinct_rows, summarized_rows
from privet.tables.sql.table_names import Path, find_table, no_table, path_of
from privet.tables.sql.tree import named, only, refuse, split_alias
from privet.tables.sql.unnested_lists import check_first, is_list_join, split_conditions, unnested_list

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
        own: The names of this WITH clause so far, in lower case.
        mentioned: The names of all columns in the statement, in lower case; None if it has ``*``.
    """

    tables: Mapping[str, SqlRows]
    named: Mapping[str, SqlRows] = field(factory=dict)
    matched: int | None = None
    depth: int = 0
    own: frozenset[str] = frozenset()
    mentioned: frozenset[str] | None = None

    def source(self, select: exp.Select) -> SqlRows:
        """Read WITH, FROM, JOIN and WHERE."""
        if self.depth > _DEEPEST:
            raise InvalidError(f"SQL: more than {_DEEPEST} SELECTs within each other are not allowed.")
        scope = self._with(select.args.get("with_"))
        clause = select.args.get("from_")
        if clause is None:
            raise InvalidError(f"SQL: FROM is missing. The tables are {self._known()}.")
        return scope._joined(clause.this, select.args.get("joins") or (), select.args.get("where"))

    def _joined(self, first: exp.Expr, joins: Sequence[exp.Expr], where: exp.Expr | None) -> SqlRows:
        """Read the tables of FROM, put them together, and keep the rows of which WHERE is true."""
        clauses: list[exp.Join] = []
        for join in joins:
            if type(join) is not exp.Join:
                raise refuse(f"{describe(join)} in FROM", join)
            clauses.append(join)
        lists = [each for each in clauses if is_list_join(each)]
        if lists:
            clauses = [each for each in clauses if not is_list_join(each)]
            before, after = split_conditions(where, lists, clauses)
            rows = self._joined(first, clauses, before)
            for each in lists:
                rows = unnested_list(rows, each)
            return rows.where(after)
        if not clauses:
            return self._from(first).where(where)
        if where is not None:
            refuse_aggregates(where.this, "in WHERE", where, "Write it in HAVING, which sees released values.")
        tables = [self._needed(self._from(node)) for node in (first, *(join.this for join in clauses))]
        return joined_rows(tables, clauses, None if where is None else where.this, self.matched)

    def _needed(self, rows: SqlRows) -> SqlRows:
        """Leave out columns of public tables that the statement names nowhere: a join need not carry them."""
        if not rows.public or self.mentioned is None or len(rows.sources) != 1:
            return rows
        return rows.narrowed(self.mentioned)

    def inner(self, node: exp.Expr, names: Sequence[str] = ()) -> SqlRows:
        """Read the SELECT of a sub-query, or several with UNION ALL between.

        Args:
            node: The sub-query.
            names: Names for columns without one, by place.
        """
        deeper = evolve(self, depth=self.depth + 1)
        if isinstance(node, exp.Subquery) and node.args.get("alias") is None:  # parentheses around one side of a union
            return deeper.inner(node.this, names)
        if type(node) is exp.Union:
            return deeper._union(node)
        if type(node) is not exp.Select:
            raise refuse(f"{node.key.upper()} in FROM", node, "A sub-query is a SELECT ... FROM ... [WHERE ...].")
        only(node, "expressions", "from_", "joins", "where", "with_", "group", "distinct", "order")
        rows = deeper.source(node)
        _check_order(rows, node)
        group = node.args.get("group")
        if rows.public and node.args.get("distinct") is not None:
            only(node.args["distinct"])
            return different_rows(rows, node.expressions)
        if node.args.get("distinct") is not None:
            return distinct_rows(rows, node)
        if group is not None:
            return summarized_rows(rows, node.expressions, group)
        return rows.selected(node.expressions, names)

    def _union(self, node: exp.Union) -> SqlRows:
        """Read both sides; columns are matched by place, and take the names of the first side."""
        if node.args.get("distinct") is not False:
            raise refuse("UNION", node, "Write UNION ALL: rows that are alike stay rows of their own.")
        if self.depth > _DEEPEST:
            raise InvalidError(f"SQL: more than {_DEEPEST} SELECTs within each other are not allowed.")
        first = self.inner(node.this)
        second = self.inner(node.expression, first.visible)
        if len(first.visible) != len(second.visible):
            raise refuse("UNION ALL of different numbers of columns", node)
        if first.public or second.public:
            raise refuse("UNION ALL of public tables", node, "Put them together before they are given as public=....")
        ids, their_ids = first.query.id_columns, second.query.id_columns
        names = dict(zip(_inner_names(second), _inner_names(first), strict=True))
        for old, new in names.items():
            if (old in their_ids) != (new in ids):
                raise refuse("UNION ALL with the id in another place", node, f"Select {ids[0]!r} in the same place.")
        other = renamed(second.query, {old: new for old, new in names.items() if old not in their_ids})
        rows = first.next(first.query.union(other), second.steps + 2)
        return evolve(rows, origins={}, values={}, summary_bounds={})

    def _with(self, clause: exp.Expr | None) -> "Scope":
        if clause is None:
            return self
        scope = evolve(self, own=frozenset())
        for each in clause.expressions:
            name = _alias(each, "WITH")
            if name is None or name.lower() in scope.own:
                raise InvalidError(f"SQL: the name {shorten(name or '')} stands twice in WITH. Choose another.")
            rows = scope.inner(each.this)  # in its own query the name still means the table
            scope = evolve(scope, named={**scope.named, name.lower(): rows}, own=scope.own | {name.lower()})
        return scope

    def _from(self, node: exp.Expr) -> SqlRows:
        if node.args.get("joins"):
            return self._joined(_without_joins(node), node.args["joins"], None)
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):  # a table or a join in parentheses
            nested, called = self._from(node.this), _alias(node, "a table")
            if called is not None and node.this.args.get("joins"):
                nested = nested.selected([exp.Star()])
            return nested if called is None else nested.called(called)
        if isinstance(node, exp.Subquery):
            if not isinstance(node.this, exp.Query) or isinstance(node.this, exp.Subquery):
                raise refuse("this sub-query", node)
            return self.inner(node.this).called(_alias(node, "a sub-query") or "")
        check_first(node)
        if isinstance(node, exp.Unnest):
            return unnested(node, next(iter(self.tables.values())))
        if not isinstance(node, exp.Table):
            raise refuse(f"{describe(node)} in FROM", node)
        path = path_of(node)
        if path is None:
            raise refuse(f"{describe(node.this)} in FROM", node)
        alias = _alias(node, "a table")
        rows = self._find(path)
        if rows is None:
            raise no_table(path, self.tables)
        return rows.called(alias) if alias is not None else rows.called(path[-1], path)

    def _find(self, path: Path) -> SqlRows | None:
        """Find rows by name: queries of WITH hide tables, unless a schema is named."""
        if len(path) == 1 and path[0].lower() in self.named:
            return self.named[path[0].lower()]
        name = find_table(path, self.tables)
        return None if name is None else self.tables[name]

    def _known(self) -> str:
        return ", ".join(map(repr, self.tables))


def _inner_names(rows: SqlRows) -> list[str]:
    """Give the names in the query of the columns that a statement sees."""
    return list(rows.sources[0].columns.values())


def _without_joins(node: exp.Expr) -> exp.Expr:
    bare = node.copy()
    bare.set("joins", None)
    return bare


def _check_order(rows: SqlRows, select: exp.Select) -> None:
    """Read an ORDER BY of rows and forget it: aggregates do not depend on the order of rows."""
    names = {alias.lower() for _, alias in map(split_alias, select.expressions) if alias is not None}
    for each in read_order(select.args.get("order")):
        place = isinstance(each.this, exp.Literal) or (isinstance(each.this, exp.Column) and each.name.lower() in names)
        if not place:
            refuse_aggregates(each.this, "in ORDER BY of a sub-query", each, "Leave ORDER BY out.")
            rows.read(each.this)


def _alias(node: exp.Expr, what: str) -> str | None:
    alias = node.args.get("alias")
    return None if alias is None else named(alias.this, f"the name of {what}")
