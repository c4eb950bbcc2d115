"""From statistics to a query: what is counted and added up in each group, as whole numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from sqlglot import exp

from privet.core.rows import Array
from privet.tables.columns.column import Column
from privet.tables.engines.result import Result
from privet.tables.statistics.statistic import GridColumn, Statistic
from privet.tables.vocabulary.grid_sql import exact_sum, fits, inside_steps, number, present, rows, steps
from privet.tables.vocabulary.literals import call, case, cast, whole
from privet.tables.vocabulary.relation import Relation, column, derived, named

_WHOLE = Column(kind="integer", nullable=False)
_AT, _COUNT, _BINS = "privet at", "privet count", "privet bins"
MANY = ("bins", "categories")  # statistics that are counted by a query of their own


def counted(relation: Relation, keys: Sequence[str], statistics: Sequence[Statistic], person: str | None) -> Relation:
    """Build the query that gives every statistic of every group that has rows.

    Args:
        relation: The rows, capped.
        keys: The columns that make a group.
        statistics: What is counted.
        person: The column that tells persons apart, where there is one.
    """
    outputs: list[exp.Expr] = [column(name, "r") for name in keys]
    known = {name: relation[name] for name in keys}
    for name, value in _outputs(relation, statistics, person):
        outputs.append(named(value, name))
        known[name] = _WHOLE
    query = exp.Select(expressions=outputs).from_(relation.derived())
    return Relation(query=query.group_by(*(column(name, "r") for name in keys)) if keys else query, columns=known)


def spread(relation: Relation, keys: Sequence[str], statistic: Statistic) -> Relation:
    """Build the query for a statistic with many numbers: how many rows of each group lie in each bin or category."""
    grouped = [column(name, "r") for name in keys]
    known = {name: relation[name] for name in keys}
    if statistic.kind == "categories":
        value = column(str(statistic.column), "r")
        outputs = [*grouped, named(value, _AT), named(rows(), _COUNT)]
        query = exp.Select(expressions=outputs).from_(relation.derived()).group_by(*grouped, value.copy())
        return Relation(query=query, columns={**known, _AT: relation[str(statistic.column)], _COUNT: _WHOLE})
    last = exp.Array(expressions=[whole(edge - 1) for edge in statistic.edges[1:]])  # the last step of each bin
    counts = named(call("bin_counts", steps_sql(relation, statistic.of[0]), last), _BINS)
    inner = exp.Select(expressions=[*grouped, counts]).from_(relation.derived())
    inner = inner.group_by(*grouped) if keys else inner
    parts = {
        _AT: call("each_bin", column(_BINS, "h")),
        _COUNT: call("each_count", column(_BINS, "h")),
    }
    listed = [named(cast(part, "integer"), name) for name, part in parts.items()]
    query = exp.Select(expressions=[*(column(name, "h") for name in keys), *listed]).from_(derived(inner, "h"))
    return Relation(query=query, columns={**known, _AT: _WHOLE, _COUNT: _WHOLE})


def gathered(result: Result, keys: Sequence[str], groups: Sequence[tuple[Any, ...]], statistic: Statistic) -> Array:
    """Put the numbers of a statistic with many of them in the public order of groups, bins and categories."""
    place = {group: at for at, group in enumerate(groups)}
    if statistic.kind == "bins":
        part_of = {edge - 1: part for part, edge in enumerate(statistic.edges[1:])}
    else:
        part_of = {value: part for part, value in enumerate(statistic.categories)}
    numbers = np.zeros((len(groups), statistic.length), dtype=object)
    owners = zip(*(result[name] for name in keys), strict=True) if keys else iter([()] * len(result))
    for owner, value, number_of_rows in zip(owners, result[_AT], result[_COUNT], strict=True):
        at, part = place.get(owner), part_of.get(value)
        if at is not None and part is not None:
            numbers[at, part] = number_of_rows
    return numbers


def collected(
    result: Result, keys: Sequence[str], groups: Sequence[tuple[Any, ...]], statistics: Sequence[Statistic]
) -> dict[Statistic, Array]:
    """Put what the engine found in the public order of the groups; a group without rows has zeros."""
    place = {group: at for at, group in enumerate(groups)}
    found = [place.get(key) for key in zip(*(result[name] for name in keys), strict=True)] if keys else [0]
    exact: dict[Statistic, Array] = {}
    for index, statistic in enumerate(statistics):
        numbers = np.zeros((len(groups), statistic.length), dtype=object)
        for part in range(statistic.length):
            for at, value in zip(found, result[number_name(index, part)], strict=True):
                if at is not None:
                    numbers[at, part] = value
        exact[statistic] = numbers
    return exact


def number_name(index: int, part: int) -> str:
    """Name a number of a result."""
    return f"privet {index} {part}"


def _outputs(relation: Relation, statistics: Sequence[Statistic], person: str | None) -> list[tuple[str, exp.Expr]]:
    found = []
    for index, statistic in enumerate(statistics):
        values = _values(relation, statistic, person)
        found += [(number_name(index, part), value) for part, value in enumerate(values)]
    return found


def _values(relation: Relation, statistic: Statistic, person: str | None) -> list[exp.Expr]:
    if statistic.kind == "rows":
        return [rows()]
    if statistic.kind == "persons":
        if person is None:
            raise AssertionError("persons are counted where the unit is a person")
        return [exp.Count(this=exp.Distinct(expressions=[column(person, "r")]), big_int=True)]
    if statistic.kind == "present":
        names = [statistic.column] if statistic.column is not None else [each.column for each in statistic.of]
        return [present(_where_all(names, column(names[0], "r")))]
    if statistic.kind == "sum":
        return [exact_sum(_product(relation, statistic))]
    if statistic.kind == "distinct":
        return [exp.Count(this=exp.Distinct(expressions=[column(str(statistic.column), "r")]), big_int=True)]
    raise AssertionError(f"{statistic.kind} is counted by a query of its own")


def steps_sql(relation: Relation, wanted: GridColumn) -> exp.Expr:
    """Build min(max(round(v / grid), low), high) - origin, null where v is."""
    known, value = relation[wanted.column], column(wanted.column, "r")
    counted: exp.Expr
    if known.kind == "boolean":
        counted = case([(value, whole(1)), (exp.Not(this=value.copy()), whole(0))], None)
    elif known.kind == "real" or wanted.grid != 1:
        widened = value if known.kind == "real" else cast(number(value, known), "real")
        as_real = Column(kind="real", bounds=(wanted.lower, wanted.upper), grid=wanted.grid)
        inside = known.kind == "real" and known.bounds is not None and fits(known.bounds, as_real)
        counted = (inside_steps if inside else steps)(wanted.column, widened, as_real)
    else:
        as_integer = evolve(known, kind="integer", bounds=(wanted.lower, wanted.upper), categories=None)
        counted = steps(wanted.column, number(value, known), as_integer)
    if wanted.origin == 0:
        return exp.Paren(this=counted)
    return exp.Paren(this=exp.Sub(this=exp.Paren(this=counted), expression=whole(wanted.origin)))


def _product(relation: Relation, statistic: Statistic) -> exp.Expr:
    """Build the product of the steps, null where one of the columns is; in 128 bits where there are several."""
    total: exp.Expr = steps_sql(relation, statistic.of[0])
    if len(statistic.of) > 1:
        total = cast(total, "int128")
    for each in statistic.of[1:]:
        total = exp.Mul(this=total, expression=cast(steps_sql(relation, each), "int128"))
    return _where_all([each.column for each in (*statistic.of, *statistic.given)], exp.Paren(this=total))


def _where_all(names: Sequence[str], value: exp.Expr) -> exp.Expr:
    """Give a value, which is null where the first of these columns is, where all others have one; null elsewhere."""
    if len(set(names)) == 1:
        return value
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in dict.fromkeys(names)]
    return case([(exp.Not(this=exp.Paren(this=exp.or_(*missing))), value)], None)


def keys_of(
    columns: Mapping[str, Column], keys: Sequence[str], missing: frozenset[str] = frozenset()
) -> list[tuple[Any, ...]]:
    """Give every combination of the categories of the keys, in public order; nulls last, where they are a category."""
    groups: list[tuple[Any, ...]] = [()]
    for name in keys:
        values = (*(columns[name].categories or ()), *((None,) if name in missing else ()))
        groups = [(*group, value) for group in groups for value in values]
    return groups
