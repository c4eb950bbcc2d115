"""What a roll-up releases: numbers of every level of a hierarchy, with noise whose losses together fit one budget.

The plan reads no data. Caps are applied once, at the finest level; the numbers of coarser levels are sums of those.
Proof: docs/tables/rollup.md.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Budget, Loss, SumLoss
from privet.accounting.planning.budget import AdditiveBudget
from privet.core import Array, Fact, Parts, count_text, read_number
from privet.errors import InvalidError, WrongTypeError
from privet.mechanisms.consistent_tree import ConsistentTree, add_up
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.count import CountRows
from privet.tables.aggregates.histogram import HistogramColumn
from privet.tables.aggregates.mean import MeanColumn
from privet.tables.aggregates.noise import Noise, NoiseKind
from privet.tables.aggregates.shared import SharedColumn, share
from privet.tables.aggregates.sum import SumColumn
from privet.tables.columns import KeyCaps
from privet.tables.files.written import NoiseWords, PlanFile, Words
from privet.tables.noise.fit import Sets, fit_noise, weigh_numbers
from privet.tables.noise.half_width import HalfWidth
from privet.tables.noise.odds import likely_kind
from privet.tables.noise.plan import Named, NoisePlan, add_noise
from privet.tables.noise.planner import Weights, read_weights
from privet.tables.relations.caps import level_contribution
from privet.tables.rollup.errors import NodeErrors, node_errors
from privet.tables.statistics import Contribution, Statistic

_WORTH = 0.1  # what the logarithm of the variance must fall by, on average over levels: deviations by 5 %
Groups = tuple[tuple[Any, ...], ...]
_ROOM = 2**62
_FEWEST = 1e-12  # variances of levels differ down to this share of the largest
_COUNTED_ONCE = ("persons", "distinct")  # a value or a person in two groups counts once in their union


def levels_worth_measuring(parents: Sequence[Array], moved: Sequence[Parts], kind: NoiseKind) -> tuple[int, ...]:
    """Give 1 for each level that gets noise of its own and 0 for the others; the finest level always does.

    One level after the other is left out, while that makes the product of the mean variances of all levels smaller.

    Args:
        parents: For each level but the first, the position of the parent of each group.
        moved: How far one privacy unit moves the numbers of rows of each level.
        kind: The noise.

    >>> import numpy as np
    >>> once = Parts(l0=1, l1=1, l2_squared=1, linf=1)
    >>> levels_worth_measuring((np.zeros(2, dtype=int),), (once, once), "laplace")
    (0, 1)
    >>> levels_worth_measuring((np.zeros(50, dtype=int),), (once, once), "laplace")
    (1, 1)
    """
    kept = (1,) * len(moved)
    least = _spread(parents, moved, kind, kept)
    while True:
        fewer = [(*kept[:at], 0, *kept[at + 1 :]) for at in range(len(kept) - 1) if kept[at]]
        tried = [(_spread(parents, moved, kind, each), each) for each in fewer]
        if not tried or min(tried)[0] > least - _WORTH * len(moved):
            return kept
        least, kept = min(tried)


def _spread(parents: Sequence[Array], moved: Sequence[Parts], kind: NoiseKind, kept: tuple[int, ...]) -> float:
    """The sum of the logarithms of the mean variances of all levels, where those kept have equal shares."""
    count = sum(kept)
    sizes = [float(each.l1 * count) ** 2 if kind == "laplace" else float(each.l2_squared * count) for each in moved]
    unit = max(sizes)
    known = [size / unit if use else None for size, use in zip(sizes, kept, strict=True)]
    tree = ConsistentTree(parents=tuple(parents), variances=tuple(known))
    levels = tree.power_sums([0.0 if size is None else size for size in known], 2)
    return math.fsum(math.log(float(level.mean()) * unit) for level in levels)


def _tuples(groups: Iterable[Iterable[Any]]) -> Groups:
    return tuple(map(tuple, groups))


@final
@frozen(kw_only=True)
class Hierarchy:
    """Groups of rows that are split further and further: all rows, by the first key, by the first two, and so on.

    Args:
        finest: The groups by all keys, public, each once; a region may have districts of its own.

    >>> Hierarchy(finest=(("north", 1), ("south", 7), ("north", 2))).levels[1]
    (('north',), ('south',))
    """

    finest: Groups = field(converter=_tuples)

    @finest.validator
    def _check(self, _: object, value: Groups) -> None:
        if not value or not value[0] or len({len(group) for group in value}) > 1:
            raise InvalidError("Hierarchy.finest must be one or more groups, each with a value for every key.")
        if len(set(value)) != len(value):
            raise InvalidError("Hierarchy.finest must be different groups.")

    @cached_property
    def levels(self) -> tuple[Groups, ...]:
        """The groups of each level, from all rows to the finest, in order of first appearance."""
        return tuple(tuple(dict.fromkeys(g[:keys] for g in self.finest)) for keys in range(len(self.finest[0]) + 1))

    @cached_property
    def parents(self) -> tuple[Array, ...]:
        """For each level but the first, the position of the group of the level above that holds each group."""
        parents = []
        for coarse, fine in zip(self.levels, self.levels[1:], strict=False):
            place = {group: at for at, group in enumerate(coarse)}
            parents.append(np.array([place[group[:-1]] for group in fine], dtype=np.int64))
        return tuple(parents)

    def contributions(
        self, finest: Contribution, by: Sequence[KeyCaps] = (), keys: Sequence[str] = ()
    ) -> tuple[Contribution, ...]:
        """What one privacy unit adds to the groups of each level, where it adds ``finest`` to those of the finest.

        Rows are put together, none is added. So a unit has rows in no more groups than before and as many rows in all;
        in one coarse group it has at most what it may have in the finest groups that make it up. Caps by column hold
        at every level that has the columns among its keys.

        Args:
            finest: What the unit adds to the finest groups.
            by: The caps by column that held when the finest groups were counted.
            keys: The names of the keys, where there are such caps.
        """
        sizes = {name: len({group[at] for group in self.finest}) for at, name in enumerate(keys)}
        contributions = []
        for count in range(len(self.finest[0]) + 1):
            held: dict[tuple[Any, ...], int] = {}
            for group in self.finest:
                held[group[:count]] = held.get(group[:count], 0) + 1
            groups = min(finest.l0, finest.l1, max(held.values()))
            linf = min(finest.l1, groups * finest.linf)
            in_groups, in_one = level_contribution(by, {name: sizes[name] for name in keys[:count]})
            l0 = finest.l0 if in_groups is None else min(finest.l0, in_groups)
            contributions.append(Contribution(l0=l0, l1=finest.l1, linf=linf if in_one is None else min(linf, in_one)))
        return tuple(contributions)

    def sums(self, results: Mapping[Statistic, Any]) -> list[dict[Statistic, Array]]:
        """Add up whole numbers of the finest groups, for every level; exact."""
        totals: list[dict[Statistic, Array]] = [{} for _ in self.levels]
        parents = self.parents
        for statistic, numbers in results.items():
            items = np.asarray(numbers, dtype=object).reshape(-1).tolist()
            whole = [0 if item is None else int(item) for item in items]
            small = sum(map(abs, whole)) < _ROOM  # no sum of them wraps
            exact = np.array(whole, dtype=np.int64 if small else object).reshape(len(self.finest), statistic.length)
            for level, total in zip(totals, add_up(parents, exact), strict=True):
                level[statistic] = total
        return totals


@final
@frozen(kw_only=True, repr=False)
class RollupPlan(PlanFile):
    """The numbers that a roll-up releases, and their noise.

    Args:
        hierarchy: The groups of all levels.
        levels: The plan of each level, from all rows to the finest; one that is not measured has no planned numbers.
        source: The roll-up and its budget as plain data, for files; None where no query made the plan.
        stated: What the release may lose, as an analyst stated it; None where nobody did.

    Guarantee: ``loss`` bounds the release of all numbers of all levels.
    Proof: docs/tables/rollup.md.
    """

    hierarchy: Hierarchy
    levels: tuple[NoisePlan, ...]
    source: Words | None = field(default=None, eq=False, repr=False)
    stated: AdditiveBudget | None = field(default=None, eq=False, repr=False)

    def facts(self) -> tuple[Fact, ...]:
        """Say which noise each level gets, and what all of them cost together."""
        levels = (
            (
                f"level {at}, {count_text(plan.groups, 'group')}",
                "; ".join(part.describe() for part in plan.planned) or "not measured, but added up",
            )
            for at, plan in enumerate(self.levels)
        )
        return (*levels, ("privacy loss", self.loss.describe()))

    def noise_words(self) -> list[NoiseWords]:
        """Give the noise of all levels as plain data."""
        return [words for at, level in enumerate(self.levels) for words in level.noise_words(level=at)]

    def with_noise(self, noise: Iterator[NoiseWords]) -> "RollupPlan":
        """Take the noise of all levels from a file."""
        return evolve(self, levels=tuple(level.with_noise(noise) for level in self.levels))

    @property
    def loss(self) -> Loss:
        """The sum of the losses of all mechanisms of all levels."""
        terms = [(part.loss(plan.contribution, plan.groups), 1) for plan in self.levels for part in plan.planned]
        return SumLoss.of(tuple(terms))

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What the engine must count and add up in the finest groups, each once."""
        return self.levels[-1].statistics

    def noises(self, part: int) -> list[Noise | None]:
        """Give the noise of one planned set at each level; None where the level is not measured."""
        return [plan.planned[part].noise if plan.planned else None for plan in self.levels]

    def tree(self, part: int) -> tuple[ConsistentTree, float]:
        """Give the tree of one planned set with the variances of its levels, in a unit of deviations, and that unit."""
        deviations = [noise and (noise.deviation or float(noise.scale)) for noise in self.noises(part)]
        unit = max(float(np.finfo(np.float64).tiny), *(known for known in deviations if known is not None))
        variances = tuple(None if known is None else max((known / unit) ** 2, _FEWEST) for known in deviations)
        return ConsistentTree(parents=self.hierarchy.parents, variances=variances), unit

    def errors(self, part: int) -> list[NodeErrors]:
        """Give the errors of the consistent numbers of one planned set, for each level."""
        tree, unit = self.tree(part)
        return node_errors(tree, self.noises(part), unit)

    def half_width(self, name: str, at: int, level: Fraction) -> HalfWidth:
        """Give the half-widths to expect of one column in the groups of a level, once the levels agree.

        Args:
            name: The name of the aggregate.
            at: The level, zero for all rows.
            level: The level of the interval.
        """
        finest = self.levels[-1]
        part = finest.part(name)
        weights = readout(dict(finest.aggregates)[name], 0, finest.planned[part].measured.length)
        reach = self.errors(part)[at].times(weights).reach(level)
        return HalfWidth(least=float(reach.min()), most=float(reach.max()))


def plan_rollup(
    aggregates: Mapping[str, Aggregate],
    *,
    hierarchy: Hierarchy,
    contribution: Contribution,
    budget: Budget,
    weights: Weights | None = None,
    level_weights: Sequence[object] | None = None,
    by: Sequence[KeyCaps] = (),
    keys: Sequence[str] = (),
) -> RollupPlan:
    """Choose the noise of every number of every level so that all of them together fit a budget.

    The values of a level that is not measured are sums of the next one.

    Args:
        aggregates: The bound aggregates by name: counts, sums and histograms.
        hierarchy: The groups.
        contribution: What one privacy unit adds at most to the finest groups.
        budget: What the release may lose.
        weights: The share of each aggregate, relative to the others. Without weights, counts and sums of one column
            share numbers where that helps all of them.
        level_weights: The share of each level, from all rows to the finest; by default, equal shares of those that pay.
        by: The caps by column that hold.
        keys: The names of the keys, where there are such caps.

    Raises:
        UnavailableError: Nothing fits the budget.

    >>> from privet.accounting.planning.budget import budget
    >>> from privet.tables.aggregates.count import count
    >>> caps = Contribution(l0=2, l1=6, linf=3)
    >>> groups = Hierarchy(finest=[("north", 1), ("north", 2), ("south", 1)])
    >>> plan = plan_rollup({"n": count()}, hierarchy=groups, contribution=caps, budget=budget(epsilon=1))
    >>> [[part.noise.scale for part in level.planned] for level in plan.levels]
    [[], [], [Fraction(6, 1)]]
    """
    check_linear(aggregates)
    if not isinstance(budget, Budget):
        raise WrongTypeError("plan_rollup.budget must be a budget such as pv.budget(epsilon=1).")
    sizes, moved = [len(groups) for groups in hierarchy.levels], hierarchy.contributions(contribution, by, keys)
    rows = [moves.rows(size) for moves, size in zip(moved, sizes, strict=True)]
    kind = likely_kind(rows, budget)
    by_level = _level_weights(hierarchy, rows, kind, level_weights)
    named, shares = tuple(aggregates.items()), read_weights("rollup.weights", aggregates, weights)
    if weights is None:
        named = share(named, tuple(shares.values()), (kind,))
    finest = weigh_numbers(named, shares, contribution=contribution, groups=sizes[-1])
    levels = _fit_levels(named, finest, list(zip(sizes, moved, by_level, strict=True)), budget)
    return RollupPlan(hierarchy=hierarchy, levels=levels)


def _fit_levels(
    named: Named, finest: Sets, levels: Sequence[tuple[int, Contribution, Fraction]], budget: Budget
) -> tuple[NoisePlan, ...]:
    """Fit the noise of the same numbers at every level: its groups, what a unit adds to them, and its weight."""
    sets = [
        evolve(each, contribution=moves, groups=size, weight=weight * each.weight)
        for size, moves, weight in levels
        for each in (finest if weight else ())
    ]
    parts = iter(fit_noise(tuple(sets), budget).parts)
    planned = [tuple(next(parts) for _ in finest) if weight else () for *_, weight in levels]
    return tuple(
        NoisePlan(aggregates=named, contribution=moves, groups=size, planned=each)
        for (size, moves, _), each in zip(levels, planned, strict=True)
    )


def _level_weights(
    hierarchy: Hierarchy, rows: Sequence[Parts], kind: NoiseKind, weights: Sequence[object] | None
) -> list[Fraction]:
    """Read the weight of each level; by default, equal weights of the levels that are worth measuring."""
    if weights is None:
        return [Fraction(use) for use in levels_worth_measuring(hierarchy.parents, rows, kind)]
    read = [read_number(f"rollup.level_weights[{at}]", weight) for at, weight in enumerate(weights)]
    if len(read) != len(rows):
        raise InvalidError(
            f"rollup.level_weights must hold {len(rows)} numbers, one for each level from all rows to the finest "
            f"groups, got {len(read)}."
        )
    if min(read) < 0 or read[-1] == 0:
        raise InvalidError("rollup.level_weights must be zero or more, and above zero for the finest groups.")
    return read


def add_rollup_noise(plan: RollupPlan, results: Mapping[Statistic, Any]) -> tuple[tuple[Array, ...], ...]:
    """Release all numbers of all levels. The loss must be charged before.

    Args:
        plan: The noise of every level.
        results: Whole numbers of the finest groups for each of ``plan.statistics``.

    Returns:
        For each level what ``add_noise`` gives.
    """
    sums = plan.hierarchy.sums({statistic: results[statistic] for statistic in plan.statistics})
    return tuple(add_noise(level, exact) for level, exact in zip(plan.levels, sums, strict=True))


def readout(aggregate: Aggregate, output: int, length: int) -> Array:
    """Give the weights with which the released numbers of a group, in units, make a value of an aggregate."""
    if isinstance(aggregate, SharedColumn):
        return np.array([float(weight) for weight in aggregate.weights or ()])
    return np.asarray(np.eye(length)[output])


def check_linear(aggregates: Mapping[str, Aggregate]) -> None:
    """Refuse aggregates whose value for two groups together is not the sum of their values."""
    if not aggregates:
        raise InvalidError("rollup takes at least one aggregate, such as pv.count().")
    for name, item in aggregates.items():
        if not isinstance(item, Aggregate):
            raise WrongTypeError(f"rollup takes aggregates such as pv.count(), got {type(item).__name__} for {name!r}.")
        if isinstance(item, CountRows | SumColumn | HistogramColumn):
            continue
        if any(statistic.kind in _COUNTED_ONCE for statistic in item.measured().statistics):
            reason = "who or what is in two districts counts in each of them, but once in their region"
        elif isinstance(item, MeanColumn):
            reason = "means do not add up; ask for the sum and the count, and divide what is released with .ratio(...)"
        else:
            reason = "its values for districts do not add up to that for their region"
        raise InvalidError(
            f"rollup adds up counts, sums and histograms; {name!r} ({item.name}) is none: {reason}. Ask for it with "
            "group_by at each level."
        )
