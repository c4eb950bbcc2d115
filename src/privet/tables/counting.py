"""From statistics to a query: what is counted and added up in each group, as whole numbers."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from attrs import evolve
from sqlglot import exp

from privet.core.rows import Array
from privet.tables.aggregates.statistic import Statistic, Steps
from privet.tables.column import Column
from privet.tables.engines.duckdb import Result
from privet.tables.literals import call, case, cast, whole
from privet.tables.reading import literal
from privet.tables.relation import Relation, column, named
from privet.tables.steps import exact_sum, number, present, rows, steps

_WHOLE = Column(kind="integer", nullable=False)


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


def collected(
    result: Result, keys: Sequence[str], groups: Sequence[tuple[Any, ...]], statistics: Sequence[Statistic]
) -> dict[Statistic, Array]:
    """Put what the engine found in the public order of the groups; a group without rows has zeros."""
    place = {group: at for at, group in enumerate(groups)}
    found = [place.get(key) for key in zip(*(result[name] for name in keys), strict=True)] if keys else [0]
    gathered: dict[Statistic, Array] = {}
    for index, statistic in enumerate(statistics):
        numbers = np.zeros((len(groups), statistic.length), dtype=object)
        for part in range(statistic.length):
            for at, value in zip(found, result[_name(index, part)], strict=True):
                if at is not None:
                    numbers[at, part] = value
        gathered[statistic] = numbers
    return gathered


def _name(index: int, part: int) -> str:
    return f"privet {index} {part}"


def _outputs(relation: Relation, statistics: Sequence[Statistic], person: str | None) -> list[tuple[str, exp.Expr]]:
    found = []
    for index, statistic in enumerate(statistics):
        values = _values(relation, statistic, person)
        found += [(_name(index, part), value) for part, value in enumerate(values)]
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
        return [present(_where_all(names, whole(1)))]
    if statistic.kind == "sum":
        return [exact_sum(_product(relation, statistic))]
    if statistic.kind == "bins":
        step = _steps(relation, statistic.of[0])
        pairs = zip(statistic.edges[:-1], statistic.edges[1:], strict=True)
        return [_rows_where(_between(step, low, high)) for low, high in pairs]
    name = str(statistic.column)
    known = relation[name]
    return [
        _rows_where(exp.EQ(this=column(name, "r"), expression=literal(known, value))) for value in statistic.categories
    ]


def _steps(relation: Relation, wanted: Steps) -> exp.Expr:
    """Build min(max(round(v / grid), low), high) - origin, null where v is."""
    known, value = relation[wanted.column], column(wanted.column, "r")
    counted: exp.Expr
    if known.kind == "boolean":
        counted = case([(value, whole(1)), (exp.Not(this=value.copy()), whole(0))], None)
    elif known.kind == "real" or wanted.grid != 1:
        widened = value if known.kind == "real" else cast(number(value, known), "DOUBLE")
        as_real = Column(kind="real", bounds=(wanted.lower, wanted.upper), grid=wanted.grid)
        counted = steps(wanted.column, widened, as_real)
    else:
        as_integer = evolve(known, kind="integer", bounds=(wanted.lower, wanted.upper), categories=None)
        counted = steps(wanted.column, number(value, known), as_integer)
    return exp.Paren(this=exp.Sub(this=exp.Paren(this=counted), expression=whole(wanted.origin)))


def _product(relation: Relation, statistic: Statistic) -> exp.Expr:
    factors = [cast(_steps(relation, each), "HUGEINT") for each in statistic.of]
    total: exp.Expr = factors[0]
    for factor in factors[1:]:
        total = exp.Mul(this=total, expression=factor)
    return _where_all([each.column for each in (*statistic.of, *statistic.given)], exp.Paren(this=total))


def _where_all(names: Sequence[str], value: exp.Expr) -> exp.Expr:
    """Give a value where every one of these columns has one, and null elsewhere."""
    missing = [exp.Is(this=column(name, "r"), expression=exp.null()) for name in dict.fromkeys(names)]
    return case([(exp.Not(this=exp.Paren(this=exp.or_(*missing))), value)], None)


def _between(step: exp.Expr, low: int, high: int) -> exp.Expr:
    above = exp.GTE(this=step.copy(), expression=whole(low))
    return exp.and_(above, exp.LT(this=step.copy(), expression=whole(high)))


def _rows_where(condition: exp.Expr) -> exp.Expr:
    return call("count_if", condition)


def keys_of(
    columns: Mapping[str, Column], keys: Sequence[str], missing: frozenset[str] = frozenset()
) -> list[tuple[Any, ...]]:
    """Give every combination of the categories of the keys, in public order; nulls last, where they are a category."""
    groups: list[tuple[Any, ...]] = [()]
    for name in keys:
        values = (*(columns[name].categories or ()), *((None,) if name in missing else ()))
        groups = [(*group, value) for group in groups for value in values]
    return groups
