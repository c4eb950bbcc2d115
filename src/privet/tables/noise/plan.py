"""Noise plans: numbers, the noise that is added to them, and the privacy loss of their release."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss, SumLoss
from privet.accounting.losses.pure import PureLoss
from privet.core import Array, Space, not_negative, read_number, saturated, short, whole
from privet.errors import InvalidError, MismatchError, UnavailableError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise
from privet.tables.columns import text_table
from privet.tables.files.written import NoiseWords, PlanFile, Words, moved_by
from privet.tables.statistics import Contribution, NumbersSpec, Statistic

_DELTA = Fraction(1, 10**6)
Named = tuple[tuple[str, Aggregate], ...]
_MOST_EXPECTED = 2**63
_MOST_ROWS = 2**200  # of noise: products of four such numbers are floats
_MOST_STEPS = 2**50  # of the scale of noise on whole numbers of 64 bits: no draw is 2^12 times as large


def describe_loss(loss: Loss) -> str:
    """Write epsilon for a pure loss, rho and a point of the curve for others.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> describe_loss(PureLoss(2))
    'loss: epsilon = 2'
    """
    point = loss.pure()
    if point.cost != math.inf and point.delta == 0:
        return f"loss: epsilon = {_written(point.cost)}"
    rho = loss.rho()
    parts = [f"rho = {_written(rho)}"] if rho != math.inf else []
    if point.cost != math.inf:
        parts.append(f"epsilon = {_written(point.cost)} at delta = {short(point.delta)}")
    else:
        parts.append(f"epsilon = {_written(loss.epsilon(_DELTA))} at delta = {short(_DELTA)}")
    return f"loss: {', '.join(parts)}"


def _written(value: Fraction | float) -> str:
    exact = isinstance(value, Fraction) and value.denominator < 10**4
    return str(value) if exact else f"{float(value):.6g}"


@final
@frozen(kw_only=True)
class NoisyNumbers:
    """One set of numbers with its noise.

    Args:
        measured: The numbers.
        noise: The noise of each number.
        names: The aggregates that read the numbers.
    """

    measured: NumbersSpec
    noise: Noise = field()
    names: tuple[str, ...]

    @noise.validator
    def _check(self, _: object, value: Noise) -> None:
        if value.grid != self.measured.grid:  # the loss is that of noise in steps of the numbers
            raise MismatchError("the noise is for numbers on another grid; plan this query with query.plan(...).")
        if value.scale > _MOST_ROWS * self.measured.row.linf:
            many, names = saturated(value.scale / self.measured.row.linf), ", ".join(self.names) or "the numbers"
            raise UnavailableError(
                f"the noise of {names} would hide about {many:.2g} rows, and more than 2^200 rows cannot be worked "
                "with. Nothing was spent; allow a larger loss, or set lower caps."
            )

    def loss(self, contribution: Contribution, groups: int) -> Loss:
        """The privacy loss of releasing them in all groups."""
        distance = self.measured.distance(contribution, groups)
        return (self.space(groups) >> self.noise.mechanism).map(distance)

    def with_noise(self, words: NoiseWords) -> "NoisyNumbers":
        """Take the noise from a file."""
        return evolve(self, noise=evolve(self.noise, kind=words.kind, scale=words.scale))

    def scaled(self, factor: Fraction) -> "NoisyNumbers":
        """Multiply the scale."""
        return evolve(self, noise=evolve(self.noise, scale=self.noise.scale * factor))

    def space(self, groups: int) -> Space:
        """The numbers of all groups on the grid on which noise is drawn."""
        return evolve(self.measured, grid=self.noise.fine).space(groups)

    def release(self, exact: Array, groups: int) -> Array:
        """Add noise to numbers in fine grid steps; gives fine grid steps."""
        drawn = evolve(self.noise, scale=self.noise.scale / self.noise.fine, grid=Fraction(1))
        whole_steps = evolve(self.measured, grid=self.noise.fine).kind is int
        kind = int if whole_steps and drawn.scale < _MOST_STEPS else float  # beyond, numbers of 64 bits would end
        return np.asarray(drawn.mechanism.release(exact, drawn.space(groups * self.measured.length, kind)))


@final
@frozen(kw_only=True)
class NoisePlan(PlanFile):
    """The numbers that a query releases, and their noise.

    Args:
        aggregates: Names and bound aggregates, in the order of the result.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
        planned: Numbers with their noise; aggregates that read the same numbers share them.
        source: The query and its budget as plain data, for files; None where no query made the plan.

    Guarantee: ``loss`` bounds the release of all numbers of all groups.
    Proof: docs/tables/noise_plan.md.
    """

    aggregates: Named
    contribution: Contribution
    groups: int = field(converter=whole, validator=not_negative)
    planned: tuple[NoisyNumbers, ...]
    source: Words | None = field(default=None, eq=False, repr=False)

    @property
    def loss(self) -> Loss:
        """The sum of the losses of the mechanisms; nothing where there are no groups, since nothing is released."""
        if self.groups == 0:
            return PureLoss(0)
        return SumLoss.of(tuple((part.loss(self.contribution, self.groups), 1) for part in self.planned))

    def scaled(self, factor: Fraction) -> "NoisePlan":
        """Multiply every scale."""
        return evolve(self, planned=tuple(part.scaled(factor) for part in self.planned), source=None)

    def noise_words(self, **place: Any) -> list[NoiseWords]:
        """Give the noise as plain data; with its place in a batch or a roll-up."""
        return [
            NoiseWords(
                names=part.names,
                kind=part.noise.kind,
                scale=part.noise.scale,
                **moved_by(part.noise.kind, part.measured.distance(self.contribution, self.groups)),
                **place,
            )
            for part in self.planned
        ]

    def with_noise(self, noise: Iterator[NoiseWords]) -> "NoisePlan":
        """Take the noise of each set of numbers from a file."""
        return evolve(self, planned=tuple(part.with_noise(next(noise)) for part in self.planned))

    @property
    def statistics(self) -> tuple[Statistic, ...]:
        """What the engine must count and add up, each once."""
        return tuple(dict.fromkeys(item for part in self.planned for item in part.measured.statistics))

    def part(self, name: str) -> int:
        """Give the position of the numbers that an aggregate reads."""
        return next(at for at, part in enumerate(self.planned) if name in part.names)

    def describe(
        self, group_size: Any = None, level: object = Fraction(95, 100), typical: Mapping[str, Any] | None = None
    ) -> str:
        """Write the plan as a table; with ``group_size``, also the expected error of each aggregate.

        Args:
            group_size: About how many rows a group has, as far as is publicly known.
            level: The level of the half-widths.
            typical: By name, about how large a value is, for its relative error.
        """
        known = typical or {}
        unknown = sorted(set(known) - {name for name, _ in self.aggregates})
        if unknown:
            raise InvalidError(f"describe.typical names {unknown[0]!r}, which is no aggregate of the query.")
        heads = ["numbers", "noise", "scale", "deviation", f"{float(read_number('level', level)):.0%} half-width"]
        lines = [["for", *heads]]
        for part in self.planned:
            noise = part.noise
            shown = [_shown(noise.scale), f"{noise.deviation:.4g}", f"{saturated(noise.half_width(level)):.4g}"]
            lines.append([", ".join(part.names), f"{self.groups} x {part.measured.length}", noise.kind, *shown])
        tables = [text_table(lines)]
        if group_size is not None:
            count = read_number("describe.group_size", group_size)
            if count > _MOST_EXPECTED:
                raise InvalidError(f"describe.group_size must be at most 2^63, got {short(count)}.")
            expected = [["expected of", "standard error", "relative"]]
            for name, aggregate in self.aggregates:
                size = aggregate.expected(self.planned[self.part(name)].noise, count)
                size = size.sized(known[name]) if name in known else size
                expected.append([name, f"{size.error:.4g}", f"{size.relative:.2%}"])
            tables.append(text_table(expected))
        return "\n\n".join([*tables, describe_loss(self.loss)])


def add_noise(plan: NoisePlan, results: Mapping[Statistic, Any]) -> tuple[Array, ...]:
    """Release all numbers: one batch of exact noise for each planned set. The loss must be charged before.

    Args:
        plan: The numbers and their noise.
        results: Whole numbers for each of ``plan.statistics``: one for each group, or an array of groups by bins.

    Returns:
        For each planned set an array of groups by numbers, in grid steps.
    """
    released = []
    with np.errstate(all="ignore"):  # numpy's warnings depend on the values
        for part in plan.planned:
            exact = _finer(part.measured.exact(results, plan.groups), part.noise.bits)
            steps = part.release(exact, plan.groups)
            released.append(part.noise.rounded(steps).reshape(plan.groups, part.measured.length))
    return tuple(released)


def _finer(exact: Array, bits: int) -> Array:
    """Write grid steps as steps of a finer grid, whatever their size."""
    if exact.dtype == np.int64 and int(np.abs(exact).max()) >= 2 ** (62 - bits):
        exact = exact.astype(object)
    return np.asarray(exact * (1 << bits))


def _shown(scale: Fraction) -> str:
    return str(scale) if scale.denominator == 1 and scale < 10**15 else f"{saturated(scale):.6g}"
