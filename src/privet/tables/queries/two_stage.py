"""Questions with caps or bounds that are estimated first, each for a share of what may be lost."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast, final

from attrs import evolve, fields, frozen

from privet.accounting.losses.loss import Loss
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget, ConcentratedBudget
from privet.core.checks import short
from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.columns.auto import Auto
from privet.tables.columns.column import Bounds
from privet.tables.columns.unit import Rows
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.estimates import (
    CAP_NAMES,
    BoundsSearch,
    CapName,
    CapSearch,
    Search,
    bars_of,
    bounds_search,
    cap_search,
    full,
)
from privet.tables.relations.caps import Caps
from privet.tables.releases.estimated import Estimated, EstimatedValue
from privet.tables.releases.release import Release

if TYPE_CHECKING:
    from privet.tables.queries.aggregate_query import AggregateQuery, GroupedQuery
    from privet.tables.queries.query import Query

_OF = {"bounds": "column", "first_bounds": "first", "second_bounds": "second"}
_MOST_ROWS = 2**62
_RATIO = 4  # how far values reach above their mean, and persons above theirs, where nothing is known of it
Weights = Mapping[str, Any] | str | None
Wanted = tuple[tuple[CapName, Auto], ...]


@final
@frozen(kw_only=True)
class TwoStageQuery:
    """What is asked before caps and bounds are known.

    Args:
        grouped: The rows and their groups, with the caps that are known and those that are wanted.
        aggregates: What is asked, by name, not bound.
        searches: What is estimated, in order.
    """

    grouped: "GroupedQuery"
    aggregates: Mapping[str, Aggregate]
    searches: tuple[Search, ...]

    def at_widest(self) -> "AggregateQuery":
        """The question as it would be with caps of one and the widest bounds that may be found."""
        return self._settled({search: _widest(search) for search in self.searches})

    def at_narrowest(self) -> "AggregateQuery":
        """The question as it would be with caps of one and the narrowest bounds that may be found."""
        return self._settled({search: _narrowest(search) for search in self.searches})

    def describe(self, wanted: AdditiveBudget, weights: Weights, rows: Any) -> list[str]:
        """Write down what each estimate costs and how it is made; reads nothing."""
        told = ["estimated first, in this order:"]
        for search, plan in self._plans(wanted):
            noise, (far, near) = plan.planned[0].noise, _bars(search, plan)
            told.append(
                f"  {search.name}: {_told(_part(wanted, search.auto.share))}, {search.told}; {noise.kind} noise of "
                f"scale {float(noise.scale):.4g}; a bin counts from {far} on, beside one that does from {near}; "
                f"{_aim(search)}"
            )
        told.append(f"left for the query: {_told(self._rest(wanted))}")
        told.append("as far as is known now, with caps of 1 and the widest bounds (noise grows with both):")
        return [*told, "", self.at_widest().planned(self._rest(wanted), weights, rows).describe(rows)]

    def loss(self, wanted: AdditiveBudget, weights: Weights, rows: Any) -> Loss:
        """What estimates and query cost, but for the rounding of calibrated noise."""
        total = self.at_widest().planned(self._rest(wanted), weights, rows).loss
        for _, plan in self._plans(wanted):
            total += plan.loss
        return total

    def release(self, wanted: AdditiveBudget, delta: Any, weights: Weights, rows: Any) -> Release:
        """Estimate, then ask; each is charged before it is made, and nothing is read unless all of it fits."""
        session = self.grouped.query.session
        plans, rest = self._plans(wanted), self._rest(wanted)
        last = self.at_widest().planned(rest, weights, rows)
        session.check_charges(wanted, [*((plan.loss, None) for _, plan in plans), (last.loss, delta)])
        found: dict[Search, EstimatedValue] = {}
        made: list[Estimated] = []
        usual: Fraction | None = None
        for search, plan in plans:
            release = session.answer(search.question(self.grouped, self._caps(found)), plan, None)
            counts = full([int(count) for count in release.numbers[0][0]], _bars(search, plan))
            found[search] = search.chosen(counts, self._spared(search, rest, found, usual))
            if isinstance(search, CapSearch) and search.cap == "rows":
                usual = search.usual(counts, cast("int", found[search]))
            made.append(Estimated(name=search.name, value=found[search], histogram=release))
        question = self._settled(found)
        answer = session.answer(question, question.planned(rest, weights, rows), delta)
        told: Any = {"estimates": tuple(made), "notes": (*answer.notes, *(each.told for each in made))}
        return evolve(answer, **told)

    def _plans(self, wanted: AdditiveBudget) -> list[tuple[Search, NoisePlan]]:
        """Plan every estimate; caps that are found on the way change the rows that are counted, not the noise."""
        known = self._caps({})
        return [
            (search, search.question(self.grouped, known).planned(_part(wanted, search.auto.share), None, None))
            for search in self.searches
        ]

    def _rest(self, wanted: AdditiveBudget) -> AdditiveBudget:
        spent = sum((search.auto.share for search in self.searches), Fraction(0))
        rest = _part(wanted, 1 - spent)
        if isinstance(wanted, ApproximateBudget):
            return ApproximateBudget(epsilon=rest.point().cost, delta=wanted.delta)  # estimates use no delta
        return rest

    def _spared(
        self, search: Search, rest: AdditiveBudget, found: Mapping[Search, EstimatedValue], usual: Fraction | None
    ) -> int:
        """How many persons may lie beyond at least error: as many as the noise grows by (docs/tables/auto.md).

        Args:
            search: What is estimated.
            rest: What is left for the query.
            found: The estimates so far.
            usual: How many rows a person has under the cap, where that is known by now.
        """
        numbers = len(self.grouped.groups) * len(self.aggregates)
        if isinstance(rest, ConcentratedBudget):
            noise = numbers / math.sqrt(2 * rest.rho * len(self.aggregates))
        else:
            noise = float(numbers / Fraction(rest.point().cost))
        if isinstance(search, CapSearch):
            return math.floor(noise * (_RATIO if self._adds_up() else 1))
        query = evolve(self.grouped.query, caps=self._caps(found), wanted=())
        most = evolve(self.grouped, query=query).contribution.l1
        if isinstance(query.unit, Rows):
            return math.floor(noise * most)
        return math.floor(noise * (float(most / usual) if usual else min(most, _RATIO)))

    def _adds_up(self) -> bool:
        parts = [aggregate.measured() for aggregate in self.at_widest().aggregates.values()]
        return any(each.kind == "sum" for part in parts for each in part.statistics)

    def _caps(self, found: Mapping[Search, EstimatedValue]) -> Caps:
        """Give the caps that are known by now: those that were found, and those that were never in question."""
        known = _known(self.grouped.query)
        searched = {search.cap for search in self.searches if isinstance(search, CapSearch)}
        single = {name: 1 for name, _ in self.grouped.query.wanted if name not in searched}
        caps = {search.cap: value for search, value in found.items() if isinstance(search, CapSearch)}
        return evolve(known, **cast("dict[str, Any]", {**single, **caps}))

    def _settled(self, found: Mapping[Search, EstimatedValue]) -> "AggregateQuery":
        """Put numbers where there was ``Auto``."""
        query = evolve(self.grouped.query, caps=self._caps(found), wanted=())
        bounds = {
            (search.column, search.auto): value for search, value in found.items() if isinstance(search, BoundsSearch)
        }
        settled = {name: _with_bounds(item, cast("Any", bounds)) for name, item in self.aggregates.items()}
        return evolve(self.grouped, query=query).agg(**settled)


def unsettled(grouped: "GroupedQuery", aggregates: Mapping[str, Aggregate]) -> TwoStageQuery | None:
    """Find what a question leaves to be estimated, and refuse what could not be; None where all is known.

    Args:
        grouped: The rows and their groups.
        aggregates: What is asked, by name, not bound.
    """
    query = grouped.query
    columns = query.columns
    searches: dict[Search, None] = {}
    for name, auto in sorted(query.wanted, key=lambda item: CAP_NAMES.index(item[0])):
        search = cap_search(name, auto, _most(grouped, name))
        if len(search.cuts) > 2:  # one candidate needs no estimate
            searches[search] = None
    for label, aggregate in aggregates.items():
        for column, auto in _autos(aggregate):
            if column not in columns:
                raise InvalidError(
                    f"agg: {label}: there is no column {column!r}; there are {', '.join(map(repr, columns))}."
                )
            searches[bounds_search(f"agg: {label}", column, columns[column], auto)] = None
    if not searches and not query.wanted:
        return None
    shares = sum((search.auto.share for search in searches), Fraction(0))
    if shares >= 1:
        raise InvalidError(
            f"agg: {len(searches)} estimates take {short(shares)} of the budget and leave nothing for the query; give "
            "smaller shares: auto(share=...)."
        )
    found = TwoStageQuery(grouped=grouped, aggregates=aggregates, searches=tuple(searches))
    found.at_narrowest()  # what no bounds found later could do is said now
    return found


def with_caps(query: "Query", asked: Mapping[str, Any]) -> dict[str, Any]:
    """Give what changes in a query: caps that are numbers now, and caps that are wanted.

    Args:
        query: The query so far.
        asked: By name, a number or ``Auto``.
    """
    autos = {name: value for name, value in asked.items() if isinstance(value, Auto)}
    if autos and not query.session.owner:
        raise InvalidError("cap: the unit is rows: there are no persons whose rows could be counted for auto().")
    if asked and not query.session.owner:
        raise InvalidError("cap: the unit is rows, so that there are no persons to cap; use unit=Persons(id=...).")
    numbers = {name: None if name in autos else value for name, value in asked.items()}
    wanted: dict[str, Auto] = {name: auto for name, auto in query.wanted if name not in asked} | autos
    return {"caps": evolve(query.caps, **numbers), "wanted": tuple(wanted.items())}


def _known(query: "Query") -> Caps:
    """Give the caps that hold whatever is found: the query's and the codebook's, but for those that are wanted."""
    caps = evolve(query, wanted=()).grouping((), ((),)).caps
    unknown: dict[str, Any] = dict.fromkeys(name for name, _ in query.wanted)
    return evolve(caps, **unknown)


def _most(grouped: "GroupedQuery", name: CapName) -> int:
    """Give the largest cap that could matter, from public facts."""
    caps, groups = _known(grouped.query), len(grouped.groups)
    if grouped.query.single:
        return 1
    rows = _MOST_ROWS if caps.rows is None else caps.rows
    if name == "groups":
        return min(groups, rows)
    if name == "rows_per_group":
        return rows
    return _MOST_ROWS if caps.rows_per_group is None else caps.rows_per_group * min(groups, caps.groups or groups)


def _autos(aggregate: Aggregate) -> Iterator[tuple[str, Auto]]:
    for item in fields(cast("Any", type(aggregate))):
        value = getattr(aggregate, item.name)
        if isinstance(value, Auto):
            yield getattr(aggregate, _OF[item.name]), value
        elif isinstance(value, Aggregate):
            yield from _autos(value)


def _with_bounds(aggregate: Aggregate, found: Mapping[tuple[str, Auto], Bounds]) -> Aggregate:
    changes: dict[str, Any] = {}
    for item in fields(cast("Any", type(aggregate))):
        value = getattr(aggregate, item.name)
        if isinstance(value, Auto):
            changes[item.name] = found[getattr(aggregate, _OF[item.name]), value]
        elif isinstance(value, Aggregate):
            changes[item.name] = _with_bounds(value, found)
    return cast("Aggregate", evolve(cast("Any", aggregate), **changes))


def _part(wanted: AdditiveBudget, share: Fraction) -> AdditiveBudget:
    """Give a share of a budget, without delta."""
    point = wanted.point()
    return wanted.like(evolve(point, cost=Fraction(point.cost) * share, delta=Fraction(0)))


def _bars(search: Search, plan: NoisePlan) -> tuple[int, int]:
    part = plan.planned[0]
    return bars_of(part.noise, part.measured.length, search.auto.beta)


def _told(part: AdditiveBudget) -> str:
    if isinstance(part, ApproximateBudget):
        return f"epsilon {short(part.epsilon)}" + (f", delta {short(part.delta)}" if part.delta else "")
    return f"rho {short(part.point().cost)}"


def _widest(search: Search) -> EstimatedValue:
    return 1 if isinstance(search, CapSearch) else search.widest


def _narrowest(search: Search) -> EstimatedValue:
    return 1 if isinstance(search, CapSearch) else search.narrowest


def _aim(search: Search) -> str:
    wanted = search.auto.quantile
    return "chosen for least error" if wanted is None else f"chosen to hold {short(wanted)} of them"
