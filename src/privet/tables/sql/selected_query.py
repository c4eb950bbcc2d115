"""The query of a SELECT that was read: its rows, its groups and its aggregates."""

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.keys.keyed_query import KeyedQuery, keyed_rows
from privet.tables.keys.private import PrivateKeys
from privet.tables.nodes.join_public import JoinPublic
from privet.tables.queries.aggregate_query import AggregateQuery
from privet.tables.queries.ask import ask
from privet.tables.queries.grouped_rows import GroupedRows, check_persons, group_rows
from privet.tables.queries.row_query import RowQuery
from privet.tables.queries.two_stage import settled
from privet.tables.sql.key_groups import find_groups, texts_of
from privet.tables.sql.person_averages import NOTE, ROWS_NOTE, averages_persons, averages_rows, person_rows
from privet.tables.sql.public_groups import query_groups
from privet.tables.sql.rows import added
from privet.tables.sql.select import Selection
from privet.tables.sql.tree import is_star

OUTER_NOTE = (
    "COUNT(*) of private rows: a public key without rows counts 0, where plain SQL counts one row of nulls; write "
    "COUNT(x) of a private column to have 0 everywhere"
)


def note_outer_rows(selection: Selection, select: exp.Select) -> None:
    """Say what COUNT(*) means where the keys of a public table are the groups; the privacy clause means the same."""
    links = selection.rows.query.chain.links
    keys = any(isinstance(link.unit, JoinPublic) and link.unit.how == "right" for link in links)
    if keys and not selection.of_persons and any(is_star(call.this) for call in select.find_all(exp.Count)):
        selection.notes.append(OUTER_NOTE)


def read_averages(selection: Selection, select: exp.Select) -> None:
    """Decide whether a statement is computed from one row for each person and group; say what its AVG means."""
    order, having = select.args.get("order"), select.args.get("having")
    nodes = [*(node for node, _ in selection.items), *(each for each in (order, having) if each is not None)]
    if not selection.of_persons or not selection.rows.query.id_columns or selection.most_rows == 1:
        return
    selection.by_person = averages_persons(nodes, selection.bounds)
    if selection.by_person:
        selection.notes.append(NOTE)
    elif averages_rows(nodes, selection.bounds):
        selection.notes.append(ROWS_NOTE)


def query_of(selection: Selection, groups: object = None, other: object = ()) -> AggregateQuery:
    """Give the aggregate query.

    Args:
        selection: The SELECT.
        groups: The groups to release; needed if nothing implies them.
        other: The key of one more group that holds all other rows.
    """
    grouped = grouped_rows_of(selection, groups, other)
    if not selection.aggregates:
        return query_groups(grouped)
    return settled("SQL", ask(grouped, named=selection.aggregates))


def grouped_rows_of(selection: Selection, groups: object, other: object) -> GroupedRows:
    """Give the rows in their groups; all of them in one where there are no keys."""
    rows = _rows(selection)
    if selection.keys:
        return _grouped(selection, rows, groups, other)
    if groups is not None:
        raise InvalidError("SQL: groups=... lists groups, but the statement has no GROUP BY.")
    return GroupedRows(query=rows)


def keyed_query_of(selection: Selection, private: PrivateKeys, other: object) -> KeyedQuery:
    """Give the query whose groups the release finds."""
    if not selection.keys:
        raise InvalidError("SQL: keys=pv.private(...) finds groups, but the statement has no GROUP BY.")
    if not selection.aggregates:
        raise InvalidError("SQL: a SELECT of private keys needs an aggregate. Add COUNT(*).")
    return keyed_rows(_rows(selection), tuple(selection.keys), private, other).agg(**selection.aggregates)


def has_unknown_groups(selection: Selection) -> bool:
    """Tell whether there are keys whose groups are not public, or too many to list."""
    try:
        return bool(selection.keys) and not _grouped(selection, _rows(selection), None, ()).groups
    except InvalidError:
        return True


def _rows(selection: Selection) -> RowQuery:
    rows = added(selection.rows.query, selection.derived)
    return person_rows(rows, selection.keys, selection.summaries) if selection.by_person else rows


def _grouped(selection: Selection, rows: RowQuery, groups: object, other: object) -> GroupedRows:
    """Put rows into groups: those that are listed, or those that the statement and public facts imply."""
    keys = [selection.shown_keys[name] for name in selection.keys]
    if groups is not None:
        return group_rows(rows, selection.keys, groups=texts_of(keys, groups), other=other)
    check_persons(rows, "group_by", selection.keys)
    found = find_groups(selection.rows, rows, keys)
    if found is None:
        return group_rows(rows, selection.keys, other=other)
    return evolve(group_rows(rows, selection.keys, groups=list(found), other=other), listed=False)
