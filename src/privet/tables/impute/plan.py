"""How an imputed query divides epsilon among its numbers, and the noise of each; all from public facts.

Proof: docs/tables/impute.md.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import final

from attrs import evolve, field, frozen

from privet.accounting.losses.loss import Loss, SumLoss
from privet.accounting.losses.pure import PureLoss
from privet.accounting.planning.budget import AdditiveBudget, budget
from privet.accounting.planning.calibrate import calibrate
from privet.chains.measurement import MeasurementChain
from privet.core import Fact, Parts, Space, count_text, number_text, percent_text, read_number, saturated, short
from privet.errors import InvalidError
from privet.imputation.bound_release import BoundRelease
from privet.imputation.influence import Influence
from privet.imputation.smooth_calibration import Guess, NoiseChoice, choose_noise
from privet.mechanisms.smooth_noise import SmoothNoise
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.files.written import NoiseWords, PlanFile, Words
from privet.tables.impute.totals import Total
from privet.tables.noise.fit import WeightedNumbers, fit_noise
from privet.tables.noise.plan import LEVEL, NoisePlan, NoisyNumbers, describe_loss
from privet.tables.noise.planner import plan_noise
from privet.tables.statistics import ONE, Contribution, NumbersSpec, Statistic
from privet.transforms.smooth_pairs import smooth

_DIGITS = 4  # of the factor by which shares grow with a delta
_ORDINARY = Fraction(1, 8)  # a share with which Laplace noise is still small beside that of imputed numbers


@final
@frozen(kw_only=True)
class SmoothTotal:
    """A total that depends on imputed values, with its noise; one release for each group.

    Args:
        total: The total.
        choice: The noise, for an influence of one on each donee.
        paid: The epsilon for one row of a private bound of the size of the noise; None without error bars.
    """

    total: Total
    choice: NoiseChoice
    paid: Fraction | None = None

    @property
    def measurement(self) -> MeasurementChain:
        """The release of one number of one group: of a pair (steps, smooth bound)."""
        return self._pairs >> self.noise

    @property
    def noise(self) -> SmoothNoise:
        """The noise of one number."""
        return SmoothNoise(law=self.choice.calibration.law, alpha=self.choice.calibration.alpha)

    @property
    def bound_release(self) -> MeasurementChain | None:
        """The release of a bound of the size of the noise, of the same pair; None without error bars."""
        return None if self.paid is None else self._pairs >> BoundRelease(epsilon=self.paid)

    @property
    def _pairs(self) -> Space:
        return smooth(int, beta=self.choice.beta)

    @property
    def releases(self) -> tuple[MeasurementChain, ...]:
        """All that is released of one number of one group."""
        return (self.measurement,) if self.bound_release is None else (self.measurement, self.bound_release)

    def bound(self, changes: int, incomplete: int) -> Fraction:
        """Give the smooth bound S, in grid steps."""
        return self.total.influence.smooth(changes=changes, incomplete=incomplete, beta=self.choice.beta)

    def half_width(self) -> float:
        """The expected 95 % half-width if the guesses are right, in the units of the total."""
        return self.choice.half_width() * float(self.total.donee * self.total.step)


@final
@frozen(kw_only=True, repr=False)
class ImputedPlan(PlanFile):
    """What an imputed query releases, and with which noise.

    Args:
        plain: Aggregates that do not depend on imputed values.
        sizes: Totals that do not depend on imputed values, which answers about imputed values need.
        imputed: Totals that depend on imputed values.
        groups: The public number of groups.
        together: The largest number of groups that one row may move.
        rows: The largest number of rows of one privacy unit.
        interval: The share of epsilon that buys error bars.
        delta: The probability of a larger loss; zero for a pure loss.
        source: The query and the budget, as a file says them.
        stated: What the release may lose, as an analyst stated it; None where nobody did.

    Guarantee: ``loss`` bounds the release of all numbers of all groups.
    Proof: docs/tables/impute.md.
    """

    plain: NoisePlan | None
    sizes: NoisePlan | None
    imputed: tuple[SmoothTotal, ...]
    groups: int
    together: int
    rows: int
    interval: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    source: Words | None = field(default=None, eq=False, repr=False)
    stated: AdditiveBudget | None = field(default=None, eq=False, repr=False)

    def facts(self) -> tuple[Fact, ...]:
        """Say which numbers depend on imputed values, which noise the others get, and what the release costs."""
        plain = [part.describe() for plan in (self.plain, self.sizes) if plan is not None for part in plan.planned]
        imputed = ", ".join(f"{each.total.description}: {each.choice.calibration.law!r}" for each in self.imputed)
        return (
            ("imputed", imputed or "none"),
            ("not imputed", "; ".join(plain) or "none"),
            ("groups", f"{self.groups:,}"),
            ("privacy loss", self.loss.describe()),
        )

    def noise_words(self) -> list[NoiseWords]:
        """A file holds no noise of imputed numbers: it follows from the query, the budget and the guess."""
        return []

    def with_noise(self, noise: Iterator[NoiseWords]) -> "ImputedPlan":
        """Keep the noise."""
        return self

    @property
    def loss(self) -> Loss:
        """The sum of the losses of all releases, for imputed numbers those of all groups that one row may move."""
        ordinary = tuple((part.loss, 1) for part in (self.plain, self.sizes) if part is not None)
        imputed = tuple((release.map(self.rows), self.together) for each in self.imputed for release in each.releases)
        return SumLoss.of((*ordinary, *imputed))

    def describe(self, guess: Guess) -> str:
        """Write down every number, its noise and its expected error."""
        lack = "lacks" if guess.incomplete == 1 else "lack"
        spread = f"{count_text(guess.incomplete, 'row')} of a group {lack} a value"
        lines = [f"guessed: {spread}, one row changes the donors of at most {guess.changes}"]
        if self.imputed:
            lines.append(
                f"depends on imputed values: {count_text(len(self.imputed), 'number')} in each of "
                f"{count_text(self.groups, 'group')}; each is a release of its own, and a row may move "
                f"{count_text(self.together, 'group')}, by giving to rows there"
            )
        for each in self.imputed:
            calibration, step = each.choice.calibration, each.total.step
            lines.append(
                f"  {each.total.description}: a row counts {number_text(each.total.own * step)} and moves each donee "
                f"by {number_text(each.total.donee * step)}; {calibration.law!r}, "
                f"beta={number_text(calibration.beta, 4)}; {percent_text(LEVEL)} half-width "
                f"{number_text(each.half_width(), 4)} at the guesses; "
                f"epsilon {number_text(calibration.cost * self.rows, 4)} a group"
            )
        for title, plan in (("sizes", self.sizes), ("does not depend on imputed values", self.plain)):
            if plan is not None:
                lines += [f"{title}: {_describe_numbers(part)}" for part in plan.planned]
        if any(each.paid is None for each in self.imputed):
            lines.append(
                "the size of the noise of imputed numbers is private: there are no error bars unless a share of "
                "epsilon pays for them, interval=..."
            )
        return "\n".join([*lines, describe_loss(self.loss, self.stated)])

    def half_widths(self) -> dict[Statistic, float]:
        """Give the 95 % half-width to expect of each total; of imputed ones, if the guesses are right."""
        known = {} if self.sizes is None else {part.measured.statistics[0]: part.noise for part in self.sizes.planned}
        ordinary = {statistic: saturated(noise.half_width(LEVEL)) for statistic, noise in known.items()}
        return ordinary | {each.total.statistic: each.half_width() for each in self.imputed}


def _describe_numbers(part: NoisyNumbers) -> str:
    half = saturated(part.noise.half_width(LEVEL))
    return f"{', '.join(part.names)}, Laplace noise, {percent_text(LEVEL)} half-width {number_text(half, 4)}"


@final
@frozen(kw_only=True)
class ImputedPlanner:
    """The numbers of an imputed query, before epsilon is known.

    Args:
        plain: Aggregates that do not depend on imputed values.
        totals: The totals that all other answers need.
        groups: The public number of groups.
        together: The largest number of groups that one row may move.
        rows: The largest number of rows of one privacy unit.
        guess: A public guess of the data.
    """

    plain: Mapping[str, Aggregate]
    totals: tuple[Total, ...]
    groups: int
    together: int
    rows: int
    guess: Guess = field(factory=Guess)

    def plan(self, epsilon: object, interval: object = 0, delta: object = 0) -> ImputedPlan:
        """Divide epsilon: one part for each imputed number that a row may move, an eighth for each ordinary one.

        With a delta the parts add up to more than epsilon, as far as their composition stays within (epsilon, delta).
        """
        total = read_number("release.epsilon", epsilon)
        if total <= 0:
            raise InvalidError(f"release.epsilon must be above zero, got {short(total)}.")
        bars = read_number("release.interval", interval)
        if not 0 <= bars < 1:
            raise InvalidError(f"release.interval must be a share from zero up to one, got {short(bars)}.")
        chance = read_number("release.delta", delta)
        if not 0 <= chance < 1:
            raise InvalidError(f"release.delta must be a probability from zero up to one, got {short(chance)}.")
        stretch = self._stretch(total, bars, chance)
        if stretch > 1:
            longer = evolve(self._divide(total * stretch, bars), delta=chance)
            if longer.loss.epsilon(chance) <= total:
                return longer
        return evolve(self._divide(total, bars), delta=chance)

    def _shares(self, total: Fraction) -> tuple[Fraction, Fraction]:
        """The epsilon of one imputed number of one group, and of one ordinary number of all groups."""
        imputed = sum(bool(each.donee) for each in self.totals)
        often = imputed * self.together + _ORDINARY * (len(self.totals) - imputed + len(self.plain))
        return total / often, _ORDINARY * total / often

    def _stretch(self, total: Fraction, bars: Fraction, delta: Fraction) -> Fraction:
        """By how much all parts may grow together if a larger loss may happen with probability delta."""
        if not delta:
            return Fraction(1)
        imputed = sum(bool(each.donee) for each in self.totals)
        ordinary = len(self.totals) - imputed + len(self.plain)

        def composed(scale: Fraction) -> Loss:
            share, less = self._shares(total / scale)
            parts = ((share * (1 - bars), imputed * self.together), (share * bars, imputed * self.together))
            pure = ((cost, times) for cost, times in (*parts, (less, ordinary)) if cost and times)
            return SumLoss.of(tuple((PureLoss(cost), times) for cost, times in pure))

        return 1 / Fraction(calibrate(composed, budget=budget(epsilon=total, delta=delta), digits=_DIGITS).value)

    def _divide(self, total: Fraction, bars: Fraction) -> ImputedPlan:
        imputed = [each for each in self.totals if each.donee]
        ordinary = [each for each in self.totals if not each.donee]
        share, less = self._shares(total)
        one = Contribution(l0=self.rows, l1=self.rows, linf=self.rows)
        plain = None
        if self.plain:
            paid = budget(epsilon=less * len(self.plain))
            plain = plan_noise(self.plain, contribution=one, groups=self.groups, budget=paid)
        sizes = None
        if ordinary:
            sets = tuple(self._ordinary(each, one) for each in ordinary)
            planned = fit_noise(sets, budget(epsilon=less * len(sets))).parts
            sizes = NoisePlan(aggregates=(), contribution=one, groups=self.groups, planned=planned)
        return ImputedPlan(
            plain=plain,
            sizes=sizes,
            imputed=tuple(self._imputed(each, share / self.rows, bars) for each in imputed),
            groups=self.groups,
            together=self.together,
            rows=self.rows,
            interval=bars,
        )

    def _imputed(self, total: Total, epsilon: Fraction, bars: Fraction) -> SmoothTotal:
        # in parts of what one donee moves: the choice depends on the ratio alone
        influence = Influence(own=Fraction(total.own, total.donee), donee=Fraction(1))
        choice = choose_noise(epsilon * (1 - bars), influence, self.guess)
        return SmoothTotal(total=total, choice=choice, paid=epsilon * bars or None)

    def _ordinary(self, total: Total, one: Contribution) -> WeightedNumbers:
        size = total.own * total.step
        measured = NumbersSpec(
            statistics=(total.statistic,),
            matrix=ONE,
            grid=total.step,
            row=Parts(l0=1, l1=size, l2_squared=size**2, linf=size),
        )
        return WeightedNumbers(
            measured=measured, contribution=one, groups=self.groups, weight=Fraction(1), names=(total.description,)
        )
