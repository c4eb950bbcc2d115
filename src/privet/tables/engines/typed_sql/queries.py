"""From relational trees to an engine's SQL: SELECT, UNION ALL, joins and filters on windows, with types of columns."""

from collections.abc import Mapping, Sequence
from typing import final

from attrs import frozen
from sqlglot import exp

from privet.tables.engines.typed_sql.translate import Scope, ordered, translate
from privet.tables.engines.typed_sql.trees import KINDS, Columns, Kind, Typed
from privet.tables.engines.typed_sql.writer import Listed, Writer
from privet.tables.vocabulary import SCHEMA

_RANK, _COUNTS, _RANKED = "privet window", " counts", "q"
_KNOWN = {"expressions", "from_", "joins", "where", "group", "qualify", "order", "kind", "hint", "operation_modifiers"}


@final
@frozen
class Tables:
    """The tables that queries name.

    Args:
        writer: The SQL of the engine.
        columns: The types of the columns of each.
        queries: What each stands for, in the engine's SQL, in an order in which later ones may name earlier ones.
    """

    writer: Writer
    columns: Mapping[str, Columns]
    queries: Mapping[str, exp.Query]

    def write(self, query: exp.Query) -> str:
        """Write a query as SQL, with the tables that it names before it."""
        tree, _ = self.translated(query)
        needed = self._needed(query)
        tables = [
            exp.CTE(
                this=made.copy(),
                alias=exp.TableAlias(this=self.table_name(name)),
                materialized=self.writer.materialized,
            )
            for name, made in self.queries.items()
            if name in needed
        ]
        if tables:
            tree.set("with_", exp.With(expressions=tables))
        return tree.sql(dialect=self.writer.grammar)

    def table_name(self, name: str) -> exp.Identifier:
        """Name a table of a session: within the statement, so that it hides no table of the engine that is read."""
        return self.writer.name(name if name.startswith("privet: ") else f"privet: {name}")

    def _needed(self, query: exp.Query) -> set[str]:
        """Name the tables of a query, and those that they are made of."""
        found: set[str] = set()
        waiting = [each.name for each in query.find_all(exp.Table)]
        names = {self.table_name(name).name: name for name in self.queries}
        while waiting:
            name = waiting.pop()
            known = name if name in self.queries else names.get(name)
            if known is not None and known not in found:
                found.add(known)
                waiting += [each.name for each in self.queries[known].find_all(exp.Table)]
        return found

    def translated(self, query: exp.Expr) -> tuple[exp.Query, Columns]:
        """Write a query, and give the types of its columns."""
        if isinstance(query, exp.Subquery):
            return self.translated(query.this)
        if isinstance(query, exp.Union):
            parts = [self.translated(each) for each in (query.this, query.expression)]
            if query.args.get("distinct"):
                raise self.writer.refused("rows are put together with all of their copies", "leave distinct out.")
            return exp.Union(this=parts[0][0], expression=parts[1][0], distinct=False), parts[0][1]
        if not isinstance(query, exp.Select) or {key for key, value in query.args.items() if value} - _KNOWN:
            raise self.writer.refused("this form of a query is not computed", "ask for something simpler.")
        return self._select(query)

    def _select(self, query: exp.Select) -> tuple[exp.Query, Columns]:
        listed = _listed(query)
        if listed:
            return self.writer.rows_of_lists(listed), {name: kind for name, _, kind in listed}
        scope, made = self._sources(query)
        outputs: list[exp.Expr] = []
        columns: dict[str, Kind] = {}
        counted: list[exp.Expr] = []
        for each in query.expressions:
            name = each.alias_or_name
            value = each.this if isinstance(each, exp.Alias) else each
            for written, typed in _output(name, value, scope, counted):
                outputs.append(exp.Alias(this=typed.tree, alias=self.writer.name(written)))
                columns[written] = typed.kind
        made.set("expressions", outputs)
        self._clauses(query, made, scope, counted)
        if query.args.get("qualify") is None:
            return made, columns
        return self._qualified(query, made, scope, columns), columns

    def _sources(self, query: exp.Select) -> tuple[Scope, exp.Select]:
        """Write the FROM clause and its joins."""
        made, tables = exp.Select(), {}
        source = query.args.get("from_")
        if source is not None:
            tree, name, columns = self._source(source.this)
            made = made.from_(tree, copy=False)
            tables[name] = columns
        joins = []
        for join in query.args.get("joins") or []:
            tree, name, columns = self._source(join.this)
            tables[name] = columns
            joins.append((join, tree))
        scope = Scope(tables, self.translated, self.writer)
        written = [
            exp.Join(
                this=tree,
                on=translate(join.args["on"], scope).tree if join.args.get("on") is not None else None,
                side=join.args.get("side"),
                kind=join.args.get("kind"),
            )
            for join, tree in joins
        ]
        if written:
            made.set("joins", written)
        return scope, made

    def _source(self, node: exp.Expr) -> tuple[exp.Expr, str, Columns]:
        if isinstance(node, exp.Table):
            if node.db != SCHEMA or node.name not in self.columns:
                raise self.writer.refused("only tables of the session are read", "name one of them.")
            alias = node.alias or node.name
            made = exp.Table(this=self.table_name(node.name), alias=exp.TableAlias(this=self.table_name(alias)))
            return made, alias, self.columns[node.name]
        inner, columns = self.translated(node.this)
        return exp.Subquery(this=inner, alias=exp.TableAlias(this=self.writer.name(node.alias))), node.alias, columns

    def _clauses(self, query: exp.Select, made: exp.Select, scope: Scope, counted: Sequence[exp.Expr]) -> None:
        where, group, order = (query.args.get(clause) for clause in ("where", "group", "order"))
        if where is not None:
            made.set("where", exp.Where(this=translate(where.this, scope).tree))
        keys = [] if group is None else [translate(each, scope).tree for each in group.expressions]
        if keys or counted:
            made.set("group", exp.Group(expressions=[*keys, *counted]))
        if order is not None:
            made.set("order", exp.Order(expressions=[ordered(each, scope) for each in order.expressions]))

    def _qualified(self, query: exp.Select, made: exp.Select, scope: Scope, columns: Columns) -> exp.Query:
        """Filter on a window, in a query around it."""
        condition = query.args["qualify"].this.copy()
        windows = list(condition.find_all(exp.Window))
        if len(windows) != 1:
            raise self.writer.refused("a filter has one window", "ask for something simpler.")
        ranked = translate(windows[0], scope)
        windows[0].replace(exp.Column(this=self.writer.name(_RANK), table=self.writer.name(_RANKED)))
        made.set("expressions", [*made.expressions, exp.Alias(this=ranked.tree, alias=self.writer.name(_RANK))])
        around = Scope({_RANKED: {**columns, _RANK: ranked.kind}}, self.translated, self.writer)
        outputs = [exp.Column(this=self.writer.name(name), table=self.writer.name(_RANKED)) for name in columns]
        table = exp.Subquery(this=made, alias=exp.TableAlias(this=self.writer.name(_RANKED)))
        return exp.Select(expressions=outputs).from_(table).where(translate(condition, around).tree)


def _listed(query: exp.Select) -> list[Listed]:
    """Give the columns of a query that is made of lists alone; nothing for any other query."""
    found = []
    for each in query.expressions:
        value = each.this if isinstance(each, exp.Alias) else each
        if not isinstance(value, exp.Anonymous) or value.name != "each_listed":
            return []
        values, kind = value.expressions
        found.append((each.alias_or_name, str(values.name), KINDS[kind.this]))
    return found


def _output(name: str, value: exp.Expr, scope: Scope, counted: list[exp.Expr]) -> list[tuple[str, Typed]]:
    """Write an output; counts of bins become two columns, and a key of the groups."""
    if isinstance(value, exp.Anonymous) and value.name == "bin_counts":
        end = _bin_end(value, scope)
        counted.append(end)
        return [(name, Typed(end, "rows")), (name + _COUNTS, Typed(exp.Count(this=exp.Star()), "integer"))]
    inner = value.this if isinstance(value, exp.Cast) else value
    if isinstance(inner, exp.Anonymous) and inner.name in ("each_bin", "each_count"):
        held = inner.expressions[0]
        suffix = _COUNTS if inner.name == "each_count" else ""
        quoted = scope.writer.name
        made = exp.Column(this=quoted(held.name + suffix), table=quoted(held.table) if held.table else None)
        return [(name, Typed(made, "integer"))]
    typed = translate(value, scope)
    return [(name, Typed(scope.writer.convert(typed.tree, "text"), "text") if typed.null else typed)]


def _bin_end(node: exp.Expr, scope: Scope) -> exp.Expr:
    """Write the end of the bin of a whole number: the first end that is not below it; null beyond the last."""
    value, ends = node.expressions
    return scope.writer.bin_end(
        translate(value, scope).tree, [translate(each, scope).tree for each in ends.expressions]
    )
