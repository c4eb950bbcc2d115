"""Measuring what caps and bounds leave out: persons are counted in public bands, each person in one.

Everything here reads no data or is post-processing; ordinary totals are released. Proof: docs/tables/bias.md.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise
from typing import final

from attrs import evolve, frozen

from privet.accounting.planning.budget import ConcentratedBudget
from privet.core import count_text, percent_text, read_number, read_whole, require
from privet.errors import InvalidError, PrivetWarning, WrongTypeError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.histogram import histogram
from privet.tables.columns import LARGEST, NUMBERS, Bounds, Persons
from privet.tables.curator.allowance import Allowance, part_of, rest_of
from privet.tables.curator.request import CostliestPlan, Plan
from privet.tables.curator.totals_request import TotalsRequest
from privet.tables.expressions import call, col
from privet.tables.files.written import Words
from privet.tables.nodes.rows_left_out import RowsLeftOut
from privet.tables.nodes.rows_of_groups import RowsOfGroups
from privet.tables.noise.planner import plan_noise
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.queries.row_query import RowQuery
from privet.tables.relations.caps import Caps
from privet.tables.releases.bias_limits import Band, BiasLimits
from privet.tables.releases.release import Release
from privet.tables.statistics import GridColumn

_LEFT_OUT, _BEYOND = "privet left out", "privet beyond"
_NEXT_TO_NOTHING = 2**20  # a part of the width of bounds that is taken for none
_SMALLEST = 2**6  # the part of that width with which bands begin
_FINEST = 2**28  # a part of all that is measured that a histogram can tell from nothing
_MOST_ROWS = 2**40
_LARGEST_REAL = 10**300  # histograms reach up to there
_CAPS = "what caps leave out"


@final
@frozen(kw_only=True)
class BiasShare:
    """What of the privacy loss is paid for measuring what was left out.

    Args:
        share: The share of the loss, between zero and one.
        most_rows: Up to how many rows of a person are looked at.
    """

    share: Fraction
    most_rows: int | None = None

    def beyond(self, counted: int) -> "BiasShare":
        """Look at more rows of a person than count, however many those are."""
        return self if self.most_rows is None else evolve(self, most_rows=max(self.most_rows, counted + 1))


def read_bias(where: str, bias: object, most_rows: object) -> BiasShare | None:
    """Read the arguments ``bias`` and ``most_rows``; None where nothing is to be measured."""
    if bias is None:
        if most_rows is not None:
            raise WrongTypeError(f"{where}: most_rows needs bias=..., the share of the loss to pay, such as bias=0.1.")
        return None
    share = read_number(f"{where}.bias", bias)
    require(0 < share < 1, f"{where}.bias", "a share of the loss, above zero and below one", share)
    if most_rows is None:
        return BiasShare(share=share)
    most = read_whole(f"{where}.most_rows", most_rows)
    require(1 <= most <= _MOST_ROWS, f"{where}.most_rows", f"between 1 and {_MOST_ROWS:,}", most)
    return BiasShare(share=share, most_rows=most)


@final
@frozen(kw_only=True)
class BiasStages:
    """A release and its measurements, each charged by itself, within one allowance.

    Args:
        allowance: What all of them may lose.
        share: The share of that for all measurements.
        parts: Among how many measurements the share is divided.
    """

    allowance: Allowance
    share: Fraction
    parts: int

    @property
    def main(self) -> Allowance:
        """What the release itself may lose."""
        return Allowance(budget=rest_of(self.allowance.budget, self.share), delta=self._read_at(self.allowance.delta))

    @property
    def part(self) -> Allowance:
        """What each measurement may lose; without a delta of its own."""
        own = isinstance(self.allowance.budget, ConcentratedBudget)
        delta = self._read_at(self.allowance.delta) if own else None
        return Allowance(budget=part_of(self.allowance.budget, self.share / self.parts), delta=delta)

    @property
    def costliest(self) -> list[tuple[Plan, Allowance]]:
        """The release and its measurements, each at what it may cost, where the caps are not known yet."""
        return [(CostliestPlan(each.budget.loss()), each) for each in (self.main, *[self.part] * self.parts)]

    def describe(self, titles: Sequence[str], most_rows: int | None) -> list[str]:
        """Say what is measured beside the release, and how the loss is divided.

        Args:
            titles: What is measured.
            most_rows: Up to how many rows of a person.
        """
        up_to = "" if most_rows is None else f", up to {count_text(most_rows, 'row')} of a person"
        named = " and ".join(f"{each}{up_to if each == _CAPS else ''}" for each in titles)
        cost = f"{self.part.budget.describe()}{' each' if self.parts > 1 else ''}"
        return [
            f"also measured, for {percent_text(self.share)} of the loss: {named} ({cost})",
            f"loss in all: {self.allowance.budget.describe()}",
        ]

    def _read_at(self, delta: Fraction | None) -> Fraction | None:
        """Give the delta at which a session of epsilon and delta reads a loss in rho: all stages share it."""
        if delta is None or not isinstance(self.allowance.budget, ConcentratedBudget):
            return delta
        return delta / (self.parts + 1)


@final
@frozen(kw_only=True)
class Measure:
    """One measurement of what is left out.

    Args:
        rows: One row for each person (or each row, where rows are protected), and the number that is banded.
        number: The column of that number.
        edges: Where bands begin, and the end of the last.
        bands: What each band means.
        most: Up to where it measures.
        column: The column whose bounds move values; None for rows that caps leave out.
    """

    rows: RowQuery
    number: str
    edges: tuple[Fraction, ...]
    bands: tuple[Band, ...]
    most: Fraction | Bounds
    column: str | None = None

    @property
    def title(self) -> str:
        """What is measured, in one line, for the history of the session."""
        return _CAPS if self.column is None else f"what the bounds of {self.column} change"

    def request(self, allowance: Allowance, of: Callable[[], Words] | None = None) -> TotalsRequest:
        """Plan the count of persons in each band, and give what a curator charges and measures.

        Args:
            allowance: What it may lose.
            of: Gives the query whose rows are measured, as plain data.
        """
        grouped = GroupedRows(query=self.rows)
        bins = grouped.bind(_BEYOND, histogram(self.number, self.edges))
        plan = plan_noise({"bands": bins}, contribution=grouped.contribution, groups=1, budget=allowance.budget)
        edges = [str(edge) for edge in self.edges]
        words = None if of is None else lambda: {"measure": self.title, "edges": edges, "of": of()}
        return TotalsRequest(plan=plan, totals=grouped.totals, delta=allowance.delta, title=self.title, words=words)

    def read(self, release: Release) -> BiasLimits:
        """Give what the released numbers say."""
        return BiasLimits(
            column=self.column,
            unit=unit_name(self.rows),
            bands=self.bands,
            most=self.most,
            plan=release.plan,
            numbers=release.numbers[0],
        )


def measures_of(
    grouped: GroupedRows, aggregates: Mapping[str, Aggregate], bias: BiasShare, *, needed: bool = True
) -> list[Measure]:
    """List what can be measured: rows that caps leave out, and values beyond bounds that an aggregate narrows.

    Args:
        grouped: The rows and their groups.
        aggregates: The bound aggregates, by name.
        bias: What may be paid, and up to how many rows of a person.
        needed: Whether to refuse a query for which there is nothing to measure.
    """
    measures = list(_capped_rows(grouped, aggregates, bias.most_rows))
    measures += [_clamped_values(grouped, aggregates, each) for each in narrowed_columns(grouped, aggregates)]
    if not measures and needed:
        raise InvalidError(
            "release.bias: nothing can be measured here: no cap leaves out rows, and no aggregate has bounds that are "
            "narrower than those of the codebook. Values beyond the codebook's bounds are seen by pv.check(source, "
            "codebook) alone, which is not private."
        )
    return measures


def unit_name(query: RowQuery) -> str:
    """Name what is protected, for messages: the id column, or rows."""
    unit = query.unit
    if not isinstance(unit, Persons):
        return "row"
    return unit.id if unit.period is None else f"{unit.id} in a {unit.period[1]}"


def doubling(largest: int) -> list[tuple[int, int]]:
    """Give the bands 1, 2, 3 to 4, 5 to 8, and so on, up to a number.

    >>> doubling(10)
    [(1, 1), (2, 2), (3, 4), (5, 8), (9, 10)]
    """
    ends = [0, 1]
    while ends[-1] < largest:
        ends.append(min(2 * ends[-1], largest))
    return [(low + 1, high) for low, high in pairwise(ends)]


def _capped_rows(grouped: GroupedRows, aggregates: Mapping[str, Aggregate], most_rows: int | None) -> Iterator[Measure]:
    query = grouped.query
    if not query.id_columns or query.one_row_each:
        return
    counted, caps = grouped.contribution.l1, query.effective_caps
    if most_rows is None:
        raise InvalidError(
            "release.bias: say up to how many rows of a person are looked at, most_rows=..., such as 1,000. The noise "
            "of what is measured grows with it; rows beyond it are not covered."
        )
    if most_rows <= counted:
        raise InvalidError(
            f"release.most_rows must be above {counted:,}, the rows of a person that count, got {most_rows:,}."
        )
    full = not caps.by_of(grouped.keys) and (not grouped.keys or (caps.groups is None and caps.rows_per_group is None))
    least = counted if full else 1  # rows that count of a person of whom some are left out
    below = doubling(counted)[::-1]
    above = doubling(most_rows - least)
    whole = [Band(counted=_pair(low, high), left_out=_pair(0, 0)) for low, high in below]
    cut = [Band(counted=_pair(least, counted), left_out=_pair(low, high)) for low, high in above]
    edges = (*(-high for _, high in below), *(low for low, _ in above), most_rows)
    used = tuple(_columns_used(grouped, aggregates))
    node = RowsLeftOut(grouping=grouped.grouping, most_rows=most_rows, into=_LEFT_OUT, used=used)
    rows = evolve(_uncapped(query).then(node), null_groups=frozenset(), one_row_by=frozenset())
    yield Measure(
        rows=rows,
        number=_LEFT_OUT,
        edges=tuple(map(Fraction, edges)),
        bands=(*whole, *cut),
        most=Fraction(most_rows),
    )


def narrowed_columns(grouped: GroupedRows, aggregates: Mapping[str, Aggregate]) -> list[GridColumn]:
    """List columns in grid steps that are added up between narrower bounds than their own."""
    columns: dict[tuple[str, Fraction, Fraction], GridColumn] = {}
    for aggregate in aggregates.values():
        for statistic in aggregate.measured().statistics:
            for each in statistic.of if statistic.kind == "sum" else ():
                known = grouped.query.columns[each.column]
                if known.kind not in NUMBERS or known.bounds is None:
                    continue
                if each.lower - known.bounds[0] >= each.grid or known.bounds[1] - each.upper >= each.grid:
                    columns[each.column, each.lower, each.upper] = each
    return list(columns.values())


def _clamped_values(grouped: GroupedRows, aggregates: Mapping[str, Aggregate], column: GridColumn) -> Measure:
    """Band each person by how far the values of the person's rows that count lie beyond the bounds, added up."""
    query, name = grouped.query, column.column
    by = grouped.grouping.caps.by_of(grouped.keys) if query.id_columns else ()
    used = {*_columns_used(grouped, aggregates), *grouped.keys, *(each for caps in by for each in caps.columns)}
    names = [each for each in query.columns if each in used]
    rows = _uncapped(query).select(*names).then(RowsOfGroups(grouping=grouped.grouping))
    beyond = col(name) - call("clip", col(name), _typed(column.lower, column), _typed(column.upper, column))
    rows = rows.derive(**{_BEYOND: beyond})
    known = query.columns[name]
    ends = known.bounds
    if ends is None:
        raise AssertionError("only columns with bounds are measured")
    counted = grouped.contribution.l1 if query.id_columns else 1
    lowest, highest = (
        counted * min(ends[0] - column.lower, Fraction(0)),
        counted * max(ends[1] - column.upper, Fraction(0)),
    )
    if max(-lowest, highest) > (LARGEST if known.kind == "integer" else _LARGEST_REAL):
        raise InvalidError(
            f"release.bias: the codebook's bounds of {name!r} are too far apart to add up what lies beyond those of "
            "the aggregate. Narrow them in the codebook, or release without bias=...."
        )
    if query.id_columns:
        rows = rows.summarize(**{_BEYOND: f'sum("{_BEYOND}")'})
    limits = (_typed(lowest, column), _typed(highest, column))
    rows = rows.derive(**{_BEYOND: call("clip", col(_BEYOND), *limits)})
    edges = _edges(lowest, highest, column)
    bands = tuple(Band(counted=_pair(1, counted), left_out=each) for each in pairwise(edges))
    return Measure(
        rows=evolve(rows, caps=Caps(rows=1) if query.id_columns else Caps()),
        number=_BEYOND,
        edges=edges,
        bands=bands,
        most=ends,
        column=name,
    )


def _columns_used(grouped: GroupedRows, aggregates: Mapping[str, Aggregate]) -> list[str]:
    """Give the columns that aggregates read, in the order of the table: they decide which rows of a person count."""
    statistics = [part for item in aggregates.values() for part in item.measured().statistics]
    used = {each for part in statistics if part.kind != "person_sum" for each in part.columns}
    return [each for each in grouped.query.columns if each in used]


def _edges(lowest: Fraction, highest: Fraction, column: GridColumn) -> tuple[Fraction, ...]:
    """Cut at nearly nothing, and at widths that double, on either side of zero."""
    width = column.upper - column.lower
    least = max(width / _NEXT_TO_NOTHING, column.grid, (highest - lowest) / _FINEST)
    sides: list[list[Fraction]] = []
    for largest in (-lowest, highest):
        cuts, cut = [least], max(width / _SMALLEST, 2 * least)
        while cut + least / 2 < largest:  # no band is too narrow to be counted
            cuts.append(cut)
            cut *= 2
        sides.append([*cuts, largest] if largest > least else [least])
    return (*(-cut for cut in reversed(sides[0])), *sides[1])


def _typed(value: Fraction, column: GridColumn) -> int | float:
    return int(value) if column.grid.denominator == 1 and value.denominator == 1 else float(value)


def _uncapped(query: RowQuery) -> RowQuery:
    return evolve(query, caps=Caps(), auto_caps=())


def _pair(low: int, high: int) -> tuple[Fraction, Fraction]:
    return Fraction(low), Fraction(high)


def with_bias(release: Release, measured: Sequence[BiasLimits]) -> Release:
    """Add what was measured to a release, and warn where many rows were left out: that is public by now.

    Where warnings are errors, the line in the notes says it alone: a release that was paid for is never lost.
    """
    for each in measured:
        if each.many:
            with suppress(PrivetWarning):
                warnings.warn(each.warning, PrivetWarning, stacklevel=4)
    return evolve(release, bias=tuple(measured), notes=(*release.notes, *(each.line for each in measured)))
