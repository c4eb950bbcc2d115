"""The noise of imputed totals: smoothness, law and scale, chosen from public guesses alone.

A small smoothness beta leaves more of epsilon for the noise; a large one makes S smaller. Which beta is best depends on
how many rows lack a value and how many rows one donor serves. Both numbers are private, so the analyst guesses them.
The search uses floats, but only to choose: the cost of the chosen noise is certified.

Proof: docs/imputation/smooth_calibration.md.
"""

from fractions import Fraction
from functools import lru_cache
from typing import final

from attrs import frozen

from privet.accounting.planning.smooth import Aim, Calibration, calibrate_smooth
from privet.core import read_number, read_whole, saturated, short
from privet.errors import InvalidError
from privet.imputation.influence import Influence, Number
from privet.imputation.noise_search import best_noise

_MOST = 10**15  # rows that anyone could have


@final
@frozen(kw_only=True)
class Guess:
    """Public guesses about the incomplete rows. Wrong guesses cost accuracy, never privacy.

    Args:
        incomplete: About how many rows lack a value.
        changes: About how many rows one donor serves at most (L1).
    """

    incomplete: int = 10_000
    changes: int = 10

    def __attrs_post_init__(self) -> None:
        for name in ("incomplete", "changes"):
            if not 1 <= read_whole(f"Guess.{name}", getattr(self, name)) <= _MOST:
                raise InvalidError(f"Guess.{name} must be one or more, and at most 10^15, got {getattr(self, name)}.")


@final
@frozen(kw_only=True)
class NoiseChoice:
    """The noise of an imputed total.

    Args:
        calibration: The law, its scale and the smoothness, with their certified cost.
        guess: The guesses for which the noise is best.
        influence: How far one row moves the total.
    """

    calibration: Calibration
    guess: Guess
    influence: Influence

    @property
    def beta(self) -> Fraction:
        """The smoothness that S must have."""
        return self.calibration.beta

    def half_width(self, level: Number = Fraction(95, 100)) -> float:
        """Give the half-width to expect, if the guesses are right."""
        return self.calibration.half_width(level) * saturated(self._bound())

    def deviation(self) -> float:
        """Give the standard deviation to expect, if the guesses are right; infinite for heavy tails."""
        return self.calibration.deviation() * saturated(self._bound())

    def _bound(self) -> Fraction:
        """S, if the guesses are right."""
        return self.influence.smooth(changes=self.guess.changes, incomplete=self.guess.incomplete, beta=self.beta)


def choose_noise(
    epsilon: Number, influence: Influence, guess: Guess | None = None, *, aim: Aim = "half_width"
) -> NoiseChoice:
    """Choose smoothness, law and scale for an epsilon.

    Args:
        epsilon: The privacy loss of the release, above zero.
        influence: How far one row moves the total.
        guess: Public guesses about the incomplete rows.
        aim: What to make small at the guesses: the 95 % half-width, or the variance.

    >>> noise = choose_noise(1, Influence(own=1, donee=1))
    >>> noise.calibration.cost <= 1
    True
    """
    budget = read_number("choose_noise.epsilon", epsilon)
    if not 0 < budget <= 500:
        raise InvalidError(f"choose_noise.epsilon must be above zero and at most 500, got {short(budget)}.")
    if not isinstance(influence, Influence):
        raise InvalidError("choose_noise.influence must be an Influence, such as Influence(own=1, donee=1).")
    if aim not in ("half_width", "variance"):
        raise InvalidError(f"choose_noise.aim must be 'half_width' or 'variance', got {aim!r}.")
    return _calibrated(budget, influence, guess or Guess(), aim)


@lru_cache(maxsize=256)
def _calibrated(epsilon: Fraction, influence: Influence, guess: Guess, aim: Aim) -> NoiseChoice:
    largest = max(influence.own, influence.donee)
    law, beta = best_noise(
        float(epsilon),
        own=float(influence.own / largest),
        donee=float(influence.donee / largest),
        incomplete=guess.incomplete,
        changes=guess.changes,
        aim=aim,
    )
    return NoiseChoice(calibration=calibrate_smooth(epsilon, beta, law=law), guess=guess, influence=influence)
