"""One join: the columns of a table added to rows, under names that nothing else has."""

from collections.abc import Mapping, Sequence
from typing import Literal, final

from attrs import evolve, frozen
from sqlglot import exp

from privet.tables.expressions import Expression, Reference, shorten
from privet.tables.queries.row_query import RowQuery
from privet.tables.relations.public_table import PublicTable, held_public
from privet.tables.sql.rows import Origin, Source, SqlRows, projected
from privet.tables.sql.rows import added as add_columns
from privet.tables.sql.tree import free_name, read_scalar, refuse

Pairs = Mapping[str, str]
"""From columns of the added table to the columns of the rows that they must equal."""
Renamed = Mapping[str, str]
"""From old names of columns to new ones."""


@final
@frozen
class Joined:
    """Rows after a join.

    Args:
        rows: The rows.
        kept: New names of columns of the rows before the join, where they changed.
        added: New names of columns of the added table.
    """

    rows: SqlRows
    kept: Renamed
    added: Renamed


def attach(
    kept: SqlRows,
    added: SqlRows,
    pairs: Pairs,
    clause: exp.Expr,
    *,
    matched: int | None,
    how: Literal["inner", "left"] = "inner",
    flags: Sequence[exp.Expr] = (),
    merged: bool = False,
) -> Joined:
    """Add a table to rows: a private one by the person, a public one by its columns.

    Args:
        kept: The rows.
        added: The table; private only if the rows are.
        pairs: The columns to match.
        clause: What messages quote.
        matched: How many rows of a person are matched in a private table; None for what its caps say.
        how: Whether rows without a partner stay.
        flags: Conditions on the rows without which a row has no partner.
        merged: Whether USING made one column of each pair.
    """
    names = _names(kept, added, pairs)
    copies = _copies(kept, added, pairs, names) if how == "left" else {}
    kept, added_query, marks = _marked(kept, added, names, copies, flags)
    if added.public:
        on = (*pairs.values(), *marks)
        query = kept.query.joined_public(_held(added_query, on, kept, clause), how)
    else:
        id_column = _matched_id(kept, added, pairs, clause)
        _check_rows(added, matched, id_column, clause)
        query = kept.query.join(
            added_query,
            on=[*(name for name in pairs.values() if name != id_column), *marks],
            rows=None if added.query.one_row_each else matched,
            how=how,
        )
    seen = tuple(_source(source, names, copies, kept, merged=merged) for source in added.sources)
    rows = evolve(kept.next(query, added.steps + 2), sources=(*kept.sources, *seen))
    return Joined(_with_knowledge(rows, kept, added, pairs, names, copies), {}, {**names, **copies})


def attach_keys(private: SqlRows, public: SqlRows, pairs: Pairs, clause: exp.Expr) -> Joined:
    """Join private rows to a public table whose keys are the groups: a key without rows is a group of zero.

    Args:
        private: The private rows.
        public: The public table, all of whose keys are shown.
        pairs: From columns of the private rows to the public columns that they must equal.
        clause: What messages quote.
    """
    turned = {theirs: ours for ours, theirs in pairs.items()}
    names = _names(private, public, turned)
    keys = _held(projected(public.query, _renaming(public.query, names)), tuple(turned.values()), private, clause)
    query = private.query.joined_public(keys, "right")
    seen = tuple(_source(source, names, {}, private, merged=True) for source in public.sources)
    rows = evolve(private.next(query, public.steps + 2), sources=(*private.sources, *seen))
    return Joined(_with_knowledge(rows, private, public, turned, names, {}), names, {})


def _names(kept: SqlRows, added: SqlRows, pairs: Pairs) -> dict[str, str]:
    """Name the columns of the added table so that only matched columns share a name with the rows."""
    ids = added.query.id_columns
    taken = {name.lower() for name in (*kept.query.columns, *ids)}
    prefix = added.sources[0].name or "sub_query"
    names: dict[str, str] = {}
    for name in added.query.columns:
        new = pairs.get(name, name)
        if name not in pairs and name not in ids and new.lower() in taken:
            new = free_name(f"{prefix}.{name}", taken)
        taken.add(new.lower())
        names[name] = new
    return names


def _copies(kept: SqlRows, added: SqlRows, pairs: Pairs, names: Renamed) -> dict[str, str]:
    """Name copies of matched columns: in an outer join they are null where there is no partner."""
    taken = {name.lower() for name in (*kept.query.columns, *names.values(), *added.query.columns)}
    copies: dict[str, str] = {}
    for name in pairs:
        copies[name] = free_name(f"{added.sources[0].name or 'sub_query'}.{name}", taken)
        taken.add(copies[name].lower())
    return copies


def _renaming(query: RowQuery, names: Renamed) -> dict[str, Expression]:
    """Refer to every column by its new name; an id column keeps its name, and the join gives it that of the rows."""
    columns = query.columns
    return {old if old in query.id_columns else new: Reference(old, columns[old]) for old, new in names.items()}


def _marked(
    kept: SqlRows, added: SqlRows, names: Renamed, copies: Renamed, flags: Sequence[exp.Expr]
) -> tuple[SqlRows, RowQuery, list[str]]:
    """Give both sides new columns: copies of matched ones, and conditions on the rows, which must equal true."""
    columns = added.query.columns
    values = {**_renaming(added.query, names), **{new: Reference(old, columns[old]) for old, new in copies.items()}}
    taken = {name.lower() for name in (*kept.query.columns, *values)}
    marks: dict[str, Expression] = {}
    for flag in flags:
        name = free_name("on", taken)
        taken.add(name.lower())
        marks[name] = kept.condition(flag, "ON")
        values[name] = read_scalar(exp.true(), {}, kept.dialect)
    if marks:
        kept = kept.next(add_columns(kept.query, marks))
    unchanged = all(old == new for old, new in names.items()) and not copies and not marks
    return kept, added.query if unchanged else projected(added.query, values), list(marks)


def _held(query: RowQuery, on: tuple[str, ...], rows: SqlRows, clause: exp.Expr) -> PublicTable:
    """Make a public query ready to be joined."""
    for name in on:
        if name in rows.query.id_columns:
            hint = "It tells whose rows are protected. Match another column."
            raise refuse(f"a public column that equals the id {name!r}", clause, hint)
    return held_public(query.curator.tables.database.engine, query.relation, on)


def _matched_id(kept: SqlRows, added: SqlRows, pairs: Pairs, clause: exp.Expr) -> str:
    """Name the id column; joins of private tables match persons."""
    ours, theirs = kept.query.id_columns, added.query.id_columns
    if not ours:
        raise refuse("JOIN", clause, "Joins match persons, and the codebook protects rows.")
    if len(ours) > 1:
        raise refuse("JOIN", clause, "The codebook protects persons within a period: use query.join(...).")
    if pairs.get(theirs[0]) != ours[0]:
        first, second = kept.sources[0].name, added.sources[0].name
        hint = f"A join matches rows of one person: add {first}.{ours[0]} = {second}.{theirs[0]}."
        raise refuse("a JOIN without the id", clause, hint)
    return ours[0]


def _check_rows(added: SqlRows, matched: int | None, id_column: str, clause: exp.Expr) -> None:
    """Refuse a table of which nothing says how many rows a person has."""
    if matched is None and not added.query.one_row_each and added.query.most_rows is None:
        raise refuse(
            f"a JOIN with {shorten(added.sources[0].name)}, of which a person may have any number of rows,",
            clause,
            "Give its codebook a cap, unit=Persons(id, rows=5), say how many are matched at most, "
            "session.sql(..., join_rows=5) or WITH DIFFERENTIAL_PRIVACY OPTIONS(join_rows = 5), or make it one row for "
            f"each person with a sub-query that has GROUP BY {id_column}.",
        )


def _source(source: Source, names: Renamed, copies: Renamed, kept: SqlRows, *, merged: bool) -> Source:
    """Say under which names a statement sees the columns of an added table."""
    now = {**names, **copies}
    visible = {name.lower() for name in kept.visible}
    hidden = {seen for seen, inner in source.columns.items() if inner in copies and (merged or seen.lower() in visible)}
    return evolve(
        source,
        columns={seen: now[inner] for seen, inner in source.columns.items() if seen not in hidden},
        qualified={seen: now[inner] for seen, inner in {**source.columns, **source.qualified}.items()},
    )


def _with_knowledge(
    rows: SqlRows, kept: SqlRows, added: SqlRows, pairs: Pairs, names: Renamed, copies: Renamed
) -> SqlRows:
    """Say which columns come from public tables, and which values conditions allow them."""
    theirs: dict[str, Origin] = dict(added.origins)
    if added.public:
        theirs = {name: Origin(added.query, name) for name in added.query.columns}
    if copies:  # those of an outer join
        theirs = {name: evolve(origin, optional=True) for name, origin in theirs.items()}
    now = {old: copies.get(old, new) for old, new in names.items()}
    origins = {now[name]: origin for name, origin in theirs.items() if name in now}
    values = {now[name]: each for name, each in added.values.items() if name in now}
    if not copies:  # behind an inner join a matched column has values of both tables
        origins |= {mine: theirs[name] for name, mine in pairs.items() if name in theirs}
    units = {now[name]: each for name, each in added.units.items() if name in now}
    bounds = {now[name]: each for name, each in added.summary_bounds.items() if name in now}
    return evolve(
        rows,
        origins={**origins, **kept.origins},
        values={**values, **kept.values},
        units={**units, **kept.units},
        summary_bounds={**bounds, **kept.summary_bounds},
        id_copies=kept.id_copies
        | {now[name] for name in added.id_copies}
        | {copies[name] for name in added.query.id_columns if name in copies},
    )
