"""Noise plans: numbers, the noise that is added to them, and the privacy loss of their release."""

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss, SumLoss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.budget import AdditiveBudget, ApproximateBudget, ConcentratedBudget
from privet.core import (
    Array,
    Fact,
    Space,
    amount_text,
    count_text,
    not_negative,
    number_text,
    percent_text,
    saturated,
    whole,
)
from privet.errors import MismatchError, UnavailableError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.noise import Noise, read_level
from privet.tables.columns import text_table
from privet.tables.files.written import NoiseWords, PlanFile, Words, moved_by
from privet.tables.noise.half_width import HalfWidth, half_width, read_group_size, read_typical
from privet.tables.statistics import Contribution, NumbersSpec, Statistic

_DELTA = Fraction(1, 10**6)
LEVEL = Fraction(95, 100)
Named = tuple[tuple[str, Aggregate], ...]
_MOST_ROWS = 2**200  # of noise: products of four such numbers are floats
_MOST_STEPS = 2**50  # of the scale of noise on whole numbers of 64 bits: no draw is 2^12 times as large


def describe_loss(loss: Loss, stated: AdditiveBudget | None = None) -> str:
    """Write a loss in the form in which it was stated; in the shortest form where nobody stated it.

    Args:
        loss: The loss.
        stated: What the release may lose, as an analyst stated it.

    >>> from privet.accounting.losses.pure import PureLoss
    >>> describe_loss(PureLoss(2))
    'loss: epsilon = 2'
    >>> describe_loss(PureLoss(2), ConcentratedBudget(rho=2))
    'loss: rho = 1.52319 (epsilon = 2 at delta = 0.000001)'
    """
    point, rho = loss.pure(), loss.rho()
    in_rho = isinstance(stated, ConcentratedBudget) and rho != math.inf
    if isinstance(stated, ApproximateBudget) and stated.delta and loss.epsilon(stated.delta) != math.inf:
        return f"loss: {_epsilon_at(loss, stated.delta)}"
    if point.cost != math.inf and point.delta == 0 and not in_rho:
        return f"loss: epsilon = {amount_text(point.cost)}"
    if point.cost != math.inf and point.delta:
        return f"loss: epsilon = {amount_text(point.cost)} at delta = {amount_text(point.delta)}"
    at = _epsilon_at(loss, _DELTA)
    return f"loss: rho = {amount_text(rho)} ({at})" if rho != math.inf else f"loss: {at}"


def _epsilon_at(loss: Loss, delta: Fraction) -> str:
    return f"epsilon = {amount_text(loss.epsilon(delta))} at delta = {number_text(delta)}"


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
        if words.kind == "gumbel":
            raise MismatchError("gumbel noise is for private keys; aggregates have noise: laplace or gaussian.")
        return evolve(self, noise=evolve(self.noise, kind=words.kind, scale=words.scale))

    def describe(self) -> str:
        """Write the noise in one line."""
        scale = amount_text(self.noise.scale)
        return f"{', '.join(self.names)}: {self.noise.kind.capitalize()} noise of scale {scale}"

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
@frozen(kw_only=True, repr=False)
class NoisePlan(PlanFile):
    """The numbers that a query releases, and their noise.

    Args:
        aggregates: Names and bound aggregates, in the order of the result.
        contribution: What one privacy unit adds at most.
        groups: The public number of groups.
        planned: Numbers with their noise; aggregates that read the same numbers share them.
        source: The query and its budget as plain data, for files; None where no query made the plan.
        stated: What the release may lose, as an analyst stated it; None where nobody did.

    Guarantee: ``loss`` bounds the release of all numbers of all groups.
    Proof: docs/tables/noise_plan.md.
    """

    aggregates: Named
    contribution: Contribution
    groups: int = field(converter=whole, validator=not_negative)
    planned: tuple[NoisyNumbers, ...]
    source: Words | None = field(default=None, eq=False, repr=False)
    stated: AdditiveBudget | None = field(default=None, eq=False, repr=False)

    @property
    def loss(self) -> Loss:
        """The sum of the losses of the mechanisms; nothing where there are no groups, since nothing is released."""
        if self.groups == 0:
            return PureLoss(0)
        return SumLoss.of(tuple((part.loss(self.contribution, self.groups), 1) for part in self.planned))

    def facts(self) -> tuple[Fact, ...]:
        """Say which noise each aggregate gets, and what the release costs."""
        return (
            ("noise", "; ".join(part.describe() for part in self.planned) or "none"),
            ("groups", f"{self.groups:,}"),
            ("privacy loss", self.loss.describe()),
        )

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

    def half_width(self, name: str, level: Fraction, rows: Fraction | None = None) -> HalfWidth:
        """Give the half-width to expect of one column of the release.

        Args:
            name: The name of the aggregate.
            level: The level of the interval.
            rows: About how many rows a group has, as far as is publicly known.
        """
        return half_width(dict(self.aggregates)[name], self.planned[self.part(name)].noise, level, rows)

    def describe(
        self,
        group_size: Any = None,
        level: object = LEVEL,
        typical: Mapping[str, Any] | None = None,
        columns: Mapping[str, str] | None = None,
    ) -> str:
        """Write the half-width to expect of each column, the noise of its numbers, and the loss.

        Args:
            group_size: About how many rows a group has, as far as is publicly known.
            level: The level of the half-widths.
            typical: By name, about how large a value is, for its relative error.
            columns: The columns to show: by label, the name of an aggregate, or words. By default, all aggregates.
        """
        lines = self._expected_lines(group_size, level, typical, columns)
        return "\n".join([text_table(lines), "", *self.noise_lines, describe_loss(self.loss, self.stated)])

    def _expected_lines(
        self, group_size: Any, level: object, typical: Mapping[str, Any] | None, columns: Mapping[str, str] | None
    ) -> list[list[str]]:
        """Give the half-width to expect of each column as the lines of a table."""
        named = {name: name for name, _ in self.aggregates}
        shown = named if columns is None else columns
        known, share = read_typical(shown, typical), read_level(level)
        rows = read_group_size("describe", group_size)
        lines = [["column", f"{percent_text(share)} half-width", *(["relative"] if known else [])]]
        for label, name in shown.items():
            wide = self.half_width(name, share, rows) if name in named else None
            relative = wide.relative(known[label]) if wide is not None and label in known else ""
            lines.append([label, name if wide is None else wide.text, *([relative] if known else [])])
        return lines

    @property
    def noise_lines(self) -> list[str]:
        """Say which noise the numbers get, from which the columns are computed."""
        groups = f"{count_text(self.groups, 'group')} x " if self.groups > 1 else ""
        return [
            f"noise: {part.noise.kind} of scale {number_text(part.noise.scale)} on {groups}"
            f"{count_text(part.measured.length, 'number')} for {', '.join(part.names)}"
            for part in self.planned
        ]


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
