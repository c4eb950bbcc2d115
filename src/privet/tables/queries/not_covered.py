"""What intervals do not cover, in one line for the reader of a release: what caps, bounds and lengths leave out."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

import numpy as np
from attrs import evolve

from privet.chains.transformation import TransformationChain
from privet.core import count_text, number_text, short
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.quantile import QuantilesColumn
from privet.tables.columns import Column, moments_of
from privet.tables.nodes.join_persons import JoinPersons
from privet.tables.nodes.split_text import SplitText
from privet.tables.nodes.summarize_by_function import SummarizeByFunction
from privet.tables.nodes.union_rows import UnionRows
from privet.tables.nodes.unnest_list import UnnestList
from privet.tables.queries.bias import narrowed_columns, unit_name
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.releases.display import NOT_COVERED
from privet.tables.statistics import GridColumn, Statistic
from privet.transforms import function_name

_AUTO = "cap(rows=pv.auto())"
_SHOWN = 5  # columns that are named
_ROWS_OF_PERSONS = ("rows", "present", "sum", "bins", "categories", "distinct")  # statistics that caps on rows change


def not_covered(
    grouped: GroupedRows, aggregates: Mapping[str, Aggregate], *, measurable: bool = True
) -> tuple[str, ...]:
    """Say what intervals do not cover, and what to do about it; nothing where they cover all. It is public.

    Args:
        grouped: The rows and their groups.
        aggregates: The bound aggregates, by name.
        measurable: Whether the release has ``bias=...``.
    """
    statistics = [each for item in aggregates.values() for each in _statistics_of(item)]
    capped, clamped = list(_caps(grouped, statistics)), list(_clamps(grouped.query.columns, statistics))
    cut = list(dict.fromkeys(_cuts(grouped.query.chain)))
    if not capped and not clamped and not cut:
        return ()
    lines = [f"{NOT_COVERED}{'; '.join([*capped, *clamped, *cut])}."]
    if measurable and capped:
        lines.append(f"To measure this, release(..., bias=0.1, most_rows={_example(grouped.contribution.l1)}).")
    elif measurable and narrowed_columns(grouped, aggregates):
        lines.append("To measure this, release(..., bias=0.1).")
    if capped:
        lines.append(f"To leave out fewer rows, use {_AUTO} or sum_by_person(...).")
    return (" ".join(lines),)


def stand_ins(aggregates: Mapping[str, Aggregate]) -> tuple[str, ...]:
    """Say which quantiles stand for the smallest and the largest value."""
    ends = {"min": "smallest", "max": "largest"}
    found = {
        f"the quantile {short(item.alphas[0])} stands for the {ends[item.label]} value, which no private release gives"
        for item in aggregates.values()
        if isinstance(item, QuantilesColumn) and item.label in ends
    }
    return tuple(sorted(found))


def with_estimated_cap(notes: Iterable[str]) -> tuple[str, ...]:
    """Change the advice for a query whose cap on rows was estimated already."""
    return tuple(
        note.replace(_AUTO, "a larger cap(rows=...)") if note.startswith(NOT_COVERED) else note for note in notes
    )


def _statistics_of(aggregate: Aggregate) -> tuple[Statistic, ...]:
    try:
        hash(aggregate)
    except TypeError:  # one of the user's own
        return aggregate.measured().statistics
    return _kept_statistics(aggregate)


@lru_cache(maxsize=256)
def _kept_statistics(aggregate: Aggregate) -> tuple[Statistic, ...]:
    return aggregate.measured().statistics


def _caps(grouped: GroupedRows, statistics: Iterable[Statistic]) -> Iterator[str]:
    query, kinds = grouped.query, {each.kind for each in statistics}
    if not query.id_columns or query.one_row_each:
        return
    caps = query.effective_caps
    by = caps.by_of(grouped.keys)
    limits = []
    if kinds & set(_ROWS_OF_PERSONS):
        if caps.rows is not None:
            limits.append(count_text(caps.rows, "row"))
        if caps.rows_per_group is not None:
            limits.append(f"{count_text(caps.rows_per_group, 'row')} in a group")
        limits += [each.describe() for each in by]
    else:
        limits += [evolve(each, rows_per_group=None).describe() for each in by if each.groups is not None]
    if grouped.keys and caps.groups is not None and caps.groups < len(grouped.groups):
        limits.append(count_text(caps.groups, "group"))
    elif grouped.keys and not limits and caps.rows is not None and caps.rows < len(grouped.groups):
        limits.append(count_text(caps.rows, "group"))
    if limits:
        verb = "is" if len(limits) == 1 and limits[0].startswith("1 ") else "are"
        yield f"at most {_listed(limits)} of each {unit_name(query)} {verb} counted, and rows beyond are left out"


def _cuts(chain: TransformationChain) -> Iterator[str]:
    """Say which items, parts and rows nodes leave out by a public number."""
    for link in chain.links:
        unit = link.unit
        if isinstance(unit, UnnestList | SplitText):
            what = "items" if isinstance(unit, UnnestList) else "parts"
            most = unit.rows_of(link.input.domain.columns[unit.name])  # type: ignore[attr-defined]
            yield f"{what} of {unit.name} behind the first {f'{most:,} ' if most > 1 else ''}of each row are left out"
        elif isinstance(unit, SummarizeByFunction):
            yield f"{function_name(unit.function)} sees at most {count_text(unit.rows, 'row')} of each person"
        elif isinstance(unit, JoinPersons | UnionRows):
            yield from (*_cuts(unit.first), *_cuts(unit.second))


def _listed(parts: list[str]) -> str:
    return " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), parts[-1]])


def _clamps(columns: Mapping[str, Column], statistics: Iterable[Statistic]) -> Iterator[str]:
    parts: dict[tuple[str, Fraction, Fraction], str] = {}
    totals: dict[tuple[str, int, int], str] = {}
    for statistic in statistics:
        for each in (*statistic.of, *statistic.given):
            if columns[each.column].kind != "boolean":
                parts[each.column, each.lower, each.upper] = _range(each, columns[each.column])
        if statistic.kind == "person_sum":
            low, high = (number_text(end * statistic.of[0].grid) for end in statistic.ends)
            totals[statistic.of[0].column, *statistic.ends] = (
                f"totals of {statistic.of[0].column} outside {low} to {high}"
            )
    named = [*parts.values()][:_SHOWN]
    if len(parts) > _SHOWN:
        named.append(f"and of {len(parts) - _SHOWN} columns more")
    if named:
        yield f"values of {', '.join(named)} are moved to these bounds"
    if totals:
        yield f"{', '.join(totals.values())} are moved to these bounds"


def _range(each: GridColumn, column: Column) -> str:
    return f"{each.column} outside {_end(each.lower, column)} to {_end(each.upper, column)}"


def _end(value: Fraction, column: Column) -> str:
    if column.kind in ("date", "timestamp"):
        return str(moments_of(column.kind, np.array([float(value)])).tolist()[0])
    return number_text(value)


def _example(counted: int) -> int:
    """Give a power of ten well above the rows that count, as an example."""
    most = 10
    while most < 20 * counted:
        most *= 10
    return most
