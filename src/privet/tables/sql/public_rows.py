"""Rows that a statement makes of public things alone: ``UNNEST`` of a list, different rows, and groups of them."""

from collections.abc import Mapping, Sequence

from attrs import evolve
from sqlglot import exp

from privet.accounting.planning.budget import ApproximateBudget
from privet.tables.codebook.codebook import Codebook
from privet.tables.codebook.column import column
from privet.tables.columns import Column, Rows
from privet.tables.curator.charges import SessionCharges
from privet.tables.curator.curator import Curator
from privet.tables.curator.private_tables import PrivateTables
from privet.tables.nodes.from_table import FromTable
from privet.tables.queries.row_query import RowQuery
from privet.tables.relations.caps import Caps
from privet.tables.relations.summaries import summarized
from privet.tables.relations.table_space import Database
from privet.tables.sql.conditions import constant
from privet.tables.sql.rows import Source, SqlRows
from privet.tables.sql.tree import named, only, refuse
from privet.tables.vocabulary import Relation, literal, selection
from privet.tables.vocabulary import column as column_of
from privet.tables.vocabulary import named as aliased

_TABLE = "public"
_MOST_VALUES = 1_000
_HINT = "Write UNNEST([1, 2, 3]) AS x, with integers, texts or booleans that are written out."


def unnested(node: exp.Unnest, template: SqlRows) -> SqlRows:
    """Read ``UNNEST(['a', 'b']) AS item``: a public table of one column.

    Args:
        node: The call.
        template: Any rows of the statement.
    """
    only(node, "expressions", "alias")
    arrays = [each for each in node.expressions if isinstance(each, exp.Array)]
    if len(node.expressions) != 1 or not arrays or not 1 <= len(arrays[0].expressions) <= _MOST_VALUES:
        raise refuse("this UNNEST", node, _HINT)
    values = [constant(each) for each in arrays[0].expressions]
    if None in values or len({type(each) for each in values}) != 1:
        raise refuse("this UNNEST", node, _HINT)
    table, name = names_of(node)
    kinds = {bool: "boolean", int: "integer", str: "text"}
    known = Column(kind=kinds[type(values[0])])  # type: ignore[arg-type] # one of the kinds
    parts = [exp.Select(expressions=[aliased(literal(known, value), name)]) for value in values]
    whole: exp.Query = parts[0]
    for part in parts[1:]:
        whole = exp.Union(this=whole, expression=part, distinct=False)
    query = public_query(template.query, Relation(query=whole, columns={name: known}))
    return SqlRows(query, (Source(table, {name: name}),), template.dialect, public=True)


def names_of(node: exp.Unnest) -> tuple[str, str]:
    """Give the name of the table and that of its column: ``AS t(x)``, or ``AS x`` for both."""
    alias = node.args.get("alias")
    columns = [] if alias is None else alias.args.get("columns") or []
    if alias is None or len(columns) > 1 or (alias.this is None and not columns):
        raise refuse("UNNEST without a name", node, _HINT)
    name = named(columns[0] if columns else alias.this, "the column of UNNEST")
    return (name if alias.this is None else named(alias.this, "the name of UNNEST")), name


def different_rows(rows: SqlRows, items: Sequence[exp.Expr]) -> SqlRows:
    """Read ``SELECT DISTINCT`` of a public table."""
    chosen = rows.selected(items)
    relation = chosen.query.relation
    outputs = list(relation.outputs())
    distinct = selection(outputs, relation.derived(), group_by=[each.copy() for each in outputs])
    query = public_query(rows.query, Relation(query=distinct, columns=relation.columns))
    return evolve(chosen, query=query, origins={}, values={})


def public_summaries(query: RowQuery, keys: Sequence[str], calls: Mapping[str, str]) -> RowQuery:
    """Make one row for each combination of keys of a public table.

    Args:
        query: The rows, which are public.
        keys: The columns to group by.
        calls: From new columns to what they are, such as ``min(state)``.
    """
    relation = query.relation
    made = summarized(relation.columns, tuple(calls.items()))
    grouped = [column_of(name, "r") for name in keys]
    outputs: list[exp.Expr] = [*grouped, *(aliased(each.sql, name) for name, each in made.items())]
    known = {name: relation.columns[name] for name in keys} | {name: each.column for name, each in made.items()}
    rows = selection(outputs, relation.derived(), group_by=[each.copy() for each in grouped])
    return public_query(query, Relation(query=rows, columns=known))


def public_query(template: RowQuery, relation: Relation) -> RowQuery:
    """Make rows of public things a query of which nothing can be released."""
    described = {name: column(each.kind) for name, each in relation.columns.items()}
    tables = PrivateTables(
        codebooks={_TABLE: Codebook(columns=described, unit=Rows())},
        database=Database(tables={_TABLE: relation}, engine=template.curator.tables.database.engine),
        key=0,
        borrowed=True,
    )
    curator = Curator(tables, SessionCharges(ApproximateBudget(epsilon=0, delta=0)), releases=False)
    return evolve(
        template,
        curator=curator,
        chain=tables.space >> FromTable(name=_TABLE),
        unit=Rows(),
        caps=Caps(),
        null_groups=frozenset(),
        one_row_by=None,
        implied_caps=None,
        auto_caps=(),
    )
