"""Estimates of caps and bounds from noisy counts of persons in public bins.

Everything here reads no data or is post-processing; an ordinary aggregate query releases the counts. Proof:
docs/tables/auto.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import final

from attrs import evolve, frozen

from privet.core import short
from privet.errors import InvalidError
from privet.mechanisms.stable_keys import any_of
from privet.mechanisms.tails import gaussian_reaches, laplace_reaches
from privet.noise.drawing import smallest_within
from privet.tables.aggregates.histogram import histogram
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import NUMBERS, Auto, Bounds, CapOrBounds, Column
from privet.tables.expressions import col
from privet.tables.nodes.group_totals import Grouping
from privet.tables.nodes.rows_of_groups import RowsOfGroups
from privet.tables.noise.plan import NoisePlan
from privet.tables.queries.aggregate_query import AggregateQuery, aggregate
from privet.tables.queries.grouped_rows import GroupedRows
from privet.tables.queries.own_caps import CAP_NAMES, CapName
from privet.tables.queries.row_query import RowQuery
from privet.tables.relations.caps import Caps
from privet.tables.statistics import grid_column

MOST = 2**20
WIDEST = (Fraction(1 - 2**62), Fraction(2**62 - 1))  # of integers without bounds: their distances are 64-bit numbers
_SIZE, _COUNT = "privet size", "privet count"
_BESIDE = Fraction(1, 10)  # the probability that noise alone extends a row of full bins by one
_NEAR = 4
_UNTOUCHED = Fraction(3, 4)  # at least this part of the persons stays whole, however large the noise


@final
@frozen(kw_only=True)
class CapSearch:
    """Find a cap from the number of persons by how many rows (or groups) they have.

    Args:
        cap: Which one.
        auto: How to choose it.
        cuts: The first size of each bin, and the end of the last; the last bin also holds all larger sizes.
    """

    cap: CapName
    auto: Auto
    cuts: tuple[int, ...]

    @property
    def name(self) -> str:
        """What is estimated."""
        return f"cap on {self.cap}"

    @property
    def counts(self) -> str:
        """What is counted, in words."""
        of = {"groups": "groups", "rows_per_group": "rows in one group", "rows": "rows"}[self.cap]
        return f"persons by their number of {of}, {len(self.cuts) - 1} bins up to {self.cuts[-1] - 1}"

    def query(self, grouped: GroupedRows, known: Caps) -> AggregateQuery:
        """Count the persons in each bin; each is in one.

        Args:
            grouped: The rows that the query will use, and their groups.
            known: The caps that are known by now.
        """
        earlier = {each: getattr(known, each) for each in CAP_NAMES[: CAP_NAMES.index(self.cap)]}
        rows = _rows(grouped, Caps(**earlier), grouped.keys).summarize(*grouped.keys, **{_COUNT: "count(*)"})
        size = {"groups": "count(*)", "rows_per_group": f'max("{_COUNT}")', "rows": f'sum("{_COUNT}")'}[self.cap]
        return _counted(rows.summarize(**{_SIZE: size}), _SIZE, [Fraction(cut) for cut in self.cuts])

    def choose(self, counts: Sequence[int], spared: int) -> CapOrBounds:
        """Give the smallest cap that few enough persons exceed."""
        total = sum(counts)
        if isinstance(self.auto.quantile, tuple):
            raise AssertionError("a cap has one quantile")
        beyond = _least(spared, total) if self.auto.quantile is None else (1 - self.auto.quantile) * total
        return self.cuts[_last(counts, beyond) + 1] - 1

    def usual(self, counts: Sequence[int], cap: int) -> Fraction | None:
        """How many rows a person has on average under a cap; None where all is noise."""
        total = sum(min(end - 1, cap) * count for end, count in zip(self.cuts[1:], counts, strict=True))
        return Fraction(total, sum(counts)) if total else None


@final
@frozen(kw_only=True)
class BoundsSearch:
    """Find bounds from the number of persons by the value of one of their rows.

    Args:
        column: Its name.
        auto: How to choose.
        cuts: The first grid step of each bin, and the one after the last.
        grid: The grid step.
    """

    column: str
    auto: Auto
    cuts: tuple[int, ...]
    grid: Fraction

    @property
    def name(self) -> str:
        """What is estimated."""
        return f"bounds of {self.column!r}"

    @property
    def counts(self) -> str:
        """What is counted, in words."""
        return f"one row of each unit by its {self.column!r}, {len(self.cuts) - 1} bins within {short(self.widest)}"

    @property
    def widest(self) -> Bounds:
        """The bounds that hold every bin."""
        return self._bounds(self.cuts[0], self.cuts[-1] - 1)

    @property
    def narrowest(self) -> Bounds:
        """Bounds of one grid step, next to zero: the narrowest that an estimate may give."""
        return self._bounds(self._nearest, self._nearest)

    def query(self, grouped: GroupedRows, known: Caps) -> AggregateQuery:
        """Count the persons in each bin, by one row of each with a value; count all rows, for units of rows."""
        present = _rows(grouped, Caps(), (*grouped.keys, self.column)).filter(~col(self.column).is_null())
        return _counted(present, self.column, [cut * self.grid for cut in self.cuts])

    def choose(self, counts: Sequence[int], spared: int) -> CapOrBounds:
        """Give the narrowest bounds beyond which few enough values lie; the widest where all is noise."""
        total = sum(counts)
        if total == 0:
            return self.widest
        below = above = _least(spared, total)
        quantile = self.auto.quantile
        if isinstance(quantile, tuple):
            below, above = quantile[0] * total, (1 - quantile[1]) * total
        elif quantile is not None:
            below = above = (1 - quantile) * total / 2
        first, last = len(counts) - 1 - _last(counts[::-1], below), _last(counts, above)
        low, high = self.cuts[first], self.cuts[last + 1] - 1
        if quantile is None:
            low, high = self._reaching(low, high)
        return self._bounds(low, high)

    @property
    def _nearest(self) -> int:
        return min(max(0, self.cuts[0]), self.cuts[-1] - 1)

    def _reaching(self, low: int, high: int) -> tuple[int, int]:
        """Let bounds begin at the point nearest to zero where that widens them by a third at most.

        Bins are so narrow there that few rows are in each, and noise would hide them.
        """
        nearest = self._nearest
        if nearest <= low and _NEAR * (low - nearest) <= high - nearest:
            return nearest, high
        if high <= nearest and _NEAR * (nearest - high) <= nearest - low:
            return low, nearest
        return low, high

    def _bounds(self, low: int, high: int) -> Bounds:
        if low == high:  # one value alone: bounds are at least one grid step apart
            low, high = (low, high + 1) if high + 1 < self.cuts[-1] else (low - 1, high)
        return low * self.grid, high * self.grid


Search = CapSearch | BoundsSearch


def cap_search(cap: CapName, auto: Auto, most: int) -> CapSearch:
    """Lay out the bins of a cap: up to 1, 2, 3, 4, 6, 8, 12, and so on.

    Args:
        cap: Which one.
        auto: How to choose.
        most: The largest that could matter, from public facts.
    """
    if isinstance(auto.quantile, tuple):
        raise InvalidError(f"cap.{cap}: auto(quantile=...) of a cap is one share such as 0.99, got a pair.")
    largest = min(most, MOST if auto.most is None else auto.most)
    return CapSearch(cap=cap, auto=auto, cuts=(1, *(each + 1 for each in rungs(largest))))


def bounds_search(where: str, name: str, known: Column, auto: Auto) -> BoundsSearch:
    """Lay out the bins of a column: the point nearest to zero, and up to 1, 2, 3, 4, 6, 8, ... steps on either side.

    Args:
        where: The caller, for messages.
        name: The column.
        known: What is publicly known of it.
        auto: How to choose.
    """
    if auto.most is not None:
        raise InvalidError(
            f"{where}: auto(most=...) is for caps; bounds of {name!r} are searched within those of the codebook."
        )
    if known.kind not in NUMBERS:
        raise InvalidError(f"{where}: auto() finds bounds of integer and real columns; {name!r} is {known.kind}.")
    if known.kind == "real" and known.bounds is None:
        raise InvalidError(
            f"{where}: auto() narrows public bounds: put wide bounds of {name!r} in the codebook, such as (0, 1e9)."
        )
    steps = grid_column(where, name, known, WIDEST if known.kind == "integer" else None)
    nearest = min(max(0, steps.low), steps.high)
    down = [nearest - each for each in reversed(rungs(nearest - steps.low))]
    up = [nearest + each + 1 for each in rungs(steps.high - nearest)]
    return BoundsSearch(column=name, auto=auto, cuts=(*down, nearest, nearest + 1, *up), grid=steps.grid)


def rungs(largest: int) -> list[int]:
    """Give 1, 2, 3, 4, 6, 8, 12, ... below a number, and the number; none below 1.

    >>> rungs(10)
    [1, 2, 3, 4, 6, 8, 10]
    """
    cuts: list[int] = []
    power = 1
    while power < largest:
        cuts += [each for each in sorted({power, power * 3 // 2}) if each < largest]
        power *= 2
    return [*cuts, largest] if largest >= 1 else []


def full(counts: Sequence[int], bars: tuple[int, int]) -> list[int]:
    """Set noisy counts to zero, except those that reach the first bar, or the second bar beside a full bin.

    Noise alone fills a bin far from all others with small probability, and extends a row of full bins by one or two.

    >>> full([3, 20, 90, 7, 20], (50, 10))
    [0, 20, 90, 0, 0]
    """
    kept = [count >= bars[0] for count in counts]
    for order in (range(1, len(counts)), range(len(counts) - 2, -1, -1)):
        step = 1 if order.step > 0 else -1
        for at in order:
            kept[at] = kept[at] or (kept[at - step] and counts[at] >= bars[1])
    return [count if keep else 0 for count, keep in zip(counts, kept, strict=True)]


@lru_cache(maxsize=256)
def bars_of(noise: Noise, bins: int, beta: Fraction) -> tuple[int, int]:
    """Give the smallest count that no empty bin reaches except with probability beta, and the same for one bin.

    Args:
        noise: The noise of each count.
        bins: How many counts there are.
        beta: The probability of the first; that of the second is a tenth.
    """
    tail = laplace_reaches if noise.kind == "laplace" else gaussian_reaches
    finer = 1 << noise.bits

    def reaches(bar: int) -> Fraction:
        """Noise of a finer grid is rounded, halves upward."""
        return tail(noise.scale / noise.fine, bar * finer - finer // 2)

    far = smallest_within(lambda bar: any_of([(reaches(bar), bins)]) <= beta, 1)
    near = smallest_within(lambda bar: reaches(bar) <= _BESIDE, 1)
    return far, min(near, far)


def _rows(grouped: GroupedRows, caps: Caps, names: Sequence[str]) -> RowQuery:
    """Give the rows of the groups that are released, with the caps that are known, and these columns."""
    query = evolve(grouped.query, caps=Caps(), auto_caps=()).select(*dict.fromkeys(names))
    grouping = Grouping(
        keys=grouped.keys,
        groups=grouped.groups,
        null_groups=query.null_groups,
        caps=caps,
        key=query.curator.tables.key,
        other=grouped.other,
    )
    return query.then(RowsOfGroups(grouping=grouping))


def _counted(query: RowQuery, name: str, edges: Sequence[Fraction]) -> AggregateQuery:
    """Count in an ordinary histogram, where one row of each person counts."""
    return aggregate(GroupedRows(query=evolve(query, caps=Caps(rows=1))), {"bins": histogram(name, edges)})


def _last(counts: Sequence[int], beyond: Fraction) -> int:
    """Give the first position beyond which the counts add up to no more than a limit."""
    at, after = len(counts) - 1, 0
    while at > 0 and after + counts[at] <= beyond:
        after += counts[at]
        at -= 1
    return at


def _least(spared: int, total: int) -> Fraction:
    return min(Fraction(spared), (1 - _UNTOUCHED) * total)


def bars_for(search: Search, plan: NoisePlan) -> tuple[int, int]:
    """Give the bars of an estimate: the count from which on a bin is full, far from and beside a full bin."""
    part = plan.planned[0]
    return bars_of(part.noise, part.measured.length, search.auto.beta)


def widest_of(search: Search) -> CapOrBounds:
    """Give a cap of one, or the widest bounds that an estimate may give."""
    return 1 if isinstance(search, CapSearch) else search.widest


def narrowest_of(search: Search) -> CapOrBounds:
    """Give a cap of one, or the narrowest bounds that an estimate may give."""
    return 1 if isinstance(search, CapSearch) else search.narrowest


def aim_of(search: Search) -> str:
    """Say how an estimate is chosen."""
    quantile = search.auto.quantile
    return "chosen for least error" if quantile is None else f"chosen to hold {short(quantile)} of them"
