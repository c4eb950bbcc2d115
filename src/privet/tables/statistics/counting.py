"""From statistics to a query: what is counted and added up in each group, as whole numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from attrs import evolve
from sqlglot import exp

from privet.core import Array
from privet.tables.columns import Column
from privet.tables.engines.engine import Result
from privet.tables.relations.caps import Caps, sum_by_person
from privet.tables.statistics.statistic import GridColumn, Statistic
from privet.tables.vocabulary import (
    Relation,
    call,
    case,
    cast,
    column,
    derived,
    exact_sum,
    fits,
    inside_steps,
    named,
    number,
    present,
    rows,
    selection,
    steps,
    whole,
)

_WHOLE = Column(kind="integer", nullable=False)
_AT, _COUNT, _BINS = "privet at", "privet count", "privet bins"
MANY = ("bins", "categories")  # statistics that need a query of their own
_ROWS_OF_PERSON, _TOTAL = "privet rows", "privet total"


def counted(relation: Relation, keys: Sequence[str], statistics: Sequence[Statistic], person: str | None) -> Relation:
    """Build the query that gives every statistic of every group that has rows.

    Args:
        relation: The rows, capped.
        keys: The columns that make a group.
        statistics: What is counted.
        person: The id column, where there is one.
    """
    outputs: list[exp.Expr] = [column(name, "r") for name in keys]
    known = {name: relation[name] for name in keys}
    for name, value in _outputs(relation, statistics, person):
        outputs.append(named(value, name))
        known[name] = _WHOLE
    query = selection(outputs, relation.derived(), group_by=outputs[: len(keys)])
    return Relation(query=query, columns=known)


def spread(relation: Relation, keys: Sequence[str], statistic: Statistic) -> Relation:
    """Build the query for a statistic with many numbers: how many rows of each group lie in each bin or category."""
    grouped = [column(name, "r") for name in keys]
    known = {name: relation[name] for name in keys}
    if statistic.kind == "categories":
        value = column(str(statistic.column), "r")
        outputs = [*grouped, named(value, _AT), named(rows(), _COUNT)]
        query = selection(outputs, relation.derived(), group_by=[*grouped, value])
        return Relation(query=query, columns={**known, _AT: relation[str(statistic.column)], _COUNT: _WHOLE})
    last = exp.Array(expressions=[whole(edge - 1) for edge in statistic.edges[1:]])  # the last grid step of each bin
    counts = named(call("bin_counts", grid_steps_sql(relation, statistic.of[0]), last), _BINS)
    inner = selection([*grouped, counts], relation.derived(), group_by=grouped)
    parts = {
        _AT: call("each_bin", column(_BINS, "h")),
        _COUNT: call("each_count", column(_BINS, "h")),
    }
    listed = [named(cast(part, "integer"), name) for name, part in parts.items()]
    query = selection([*(column(name, "h") for name in keys), *listed], derived(inner, "h"))
    return Relation(query=query, columns={**known, _AT: _WHOLE, _COUNT: _WHOLE})


def gathered(result: Result, keys: Sequence[str], groups: Sequence[tuple[Any, ...]], statistic: Statistic) -> Array:
    """Put the numbers of a statistic with many of them in the public order of groups, bins and categories."""
    place = {group: at for at, group in enumerate(groups)}
    if statistic.kind == "bins":
        part_of = {edge - 1: part for part, edge in enumerate(statistic.edges[1:])}
    else:
        part_of = {value: part for part, value in enumerate(statistic.categories)}
    numbers = np.zeros((len(groups), statistic.length), dtype=object)
    grouped = zip(*(result[name] for name in keys), strict=True) if keys else iter([()] * len(result))
    for group, value, number_of_rows in zip(grouped, result[_AT], result[_COUNT], strict=True):
        at, part = place.get(group), part_of.get(value)
        if at is not None and part is not None:
            numbers[at, part] = number_of_rows
    return numbers


def collected(
    result: Result, keys: Sequence[str], groups: Sequence[tuple[Any, ...]], statistics: Sequence[Statistic]
) -> dict[Statistic, Array]:
    """Put the results of the engine in the public order of the groups; a group without rows has zeros."""
    place = {group: at for at, group in enumerate(groups)}
    places = [place.get(key) for key in zip(*(result[name] for name in keys), strict=True)] if keys else [0]
    exact: dict[Statistic, Array] = {}
    for index, statistic in enumerate(statistics):
        numbers = np.zeros((len(groups), statistic.length), dtype=object)
        for part in range(statistic.length):
            for at, value in zip(places, result[number_name(index, part)], strict=True):
                if at is not None:
                    numbers[at, part] = value
        exact[statistic] = numbers
    return exact


def number_name(index: int, part: int) -> str:
    """Name a number of a result."""
    return f"privet {index} {part}"


def _outputs(relation: Relation, statistics: Sequence[Statistic], person: str | None) -> list[tuple[str, exp.Expr]]:
    outputs = []
    for index, statistic in enumerate(statistics):
        values = _values(relation, statistic, person)
        outputs += [(number_name(index, part), value) for part, value in enumerate(values)]
    return outputs


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
        product = _product(relation, statistic)
        return [exact_sum(exp.Sub(this=product, expression=whole(statistic.origin)) if statistic.origin else product)]
    if statistic.kind == "distinct":
        return [exp.Count(this=exp.Distinct(expressions=[column(str(statistic.column), "r")]), big_int=True)]
    raise AssertionError(f"{statistic.kind} is counted by a query of its own")


def grid_steps_sql(relation: Relation, on_grid: GridColumn) -> exp.Expr:
    """Build min(max(round(v / grid), low), high) - origin, null where v is."""
    known, value = relation[on_grid.column], column(on_grid.column, "r")
    counted: exp.Expr
    if known.kind == "boolean":
        counted = case([(value, whole(1)), (exp.Not(this=value.copy()), whole(0))], None)
    elif known.kind == "real" or on_grid.grid != 1:
        widened = value if known.kind == "real" else cast(number(value, known), "real")
        as_real = Column(kind="real", bounds=(on_grid.lower, on_grid.upper), grid=on_grid.grid)
        inside = known.kind == "real" and known.bounds is not None and fits(known.bounds, as_real)
        counted = (inside_steps if inside else steps)(on_grid.column, widened, as_real)
    else:
        as_integer = evolve(known, kind="integer", bounds=(on_grid.lower, on_grid.upper), categories=None)
        counted = steps(on_grid.column, number(value, known), as_integer)
    if on_grid.origin == 0:
        return exp.Paren(this=counted)
    return exp.Paren(this=exp.Sub(this=exp.Paren(this=counted), expression=whole(on_grid.origin)))


def _product(relation: Relation, statistic: Statistic) -> exp.Expr:
    """Build the product of the grid steps, null where one of the columns is; in 128 bits where there are several."""
    total: exp.Expr = grid_steps_sql(relation, statistic.of[0])
    if len(statistic.of) > 1:
        total = cast(total, "int128")
    for each in statistic.of[1:]:
        total = exp.Mul(this=total, expression=cast(grid_steps_sql(relation, each), "int128"))
    return _where_all([each.column for each in (*statistic.of, *statistic.given)], exp.Paren(this=total))


def _where_all(names: Sequence[str], value: exp.Expr) -> exp.Expr:
    """Give a value, which is null where the first of these columns is, where all others have one; null elsewhere."""
    if len(set(names)) == 1:
        return value
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in dict.fromkeys(names)]
    return case([(exp.Not(this=exp.Paren(this=exp.or_(*missing))), value)], None)


def person_totals(
    relation: Relation, keys: Sequence[str], statistic: Statistic, id_columns: Sequence[str], most: int, key: int
) -> Relation:
    """Build the query that adds up the clamped totals of each group.

    Args:
        relation: The rows of the groups, all of them.
        keys: The columns that make a group.
        statistic: The column in grid steps, and the ends of a person's total.
        id_columns: The id columns.
        most: In how many groups a person counts.
        key: A secret number of 63 bits that decides in which.
    """
    counted, (low, high) = grid_steps_sql(relation, statistic.of[0]), statistic.ends
    missing = exp.Is(this=column(statistic.of[0].column, "r"), expression=exp.null())
    by_person = sum_by_person(
        relation.filter(exp.Not(this=missing)),  # clamping would turn a total of no values into the lower end
        Caps(groups=most),
        person=id_columns,
        groups=keys,
        count=_ROWS_OF_PERSON,
        sums={_TOTAL: (counted, (low, high))},
        key=key,
    )
    grouped = [column(name, "r") for name in keys]
    total = named(exact_sum(column(_TOTAL, "r")), number_name(0, 0))
    query = selection([*grouped, total], by_person.derived(), group_by=grouped)
    known = {name: relation[name] for name in keys}
    known[number_name(0, 0)] = Column(kind="integer", nullable=False)
    return Relation(query=query, columns=known)
