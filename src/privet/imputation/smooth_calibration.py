"""The noise of imputed totals: smoothness, law and scale, chosen from public guesses alone.

The smoothness beta trades two things: a small one leaves more of epsilon for the noise, a large one makes S smaller.
Which is best depends on how many rows lack a value and how many have one donor; both are private, so they are guessed.
The search runs on floats, which only choose: the cost of what is chosen is certified.

Proof: docs/imputation/smooth_calibration.md.
"""

from fractions import Fraction
from functools import lru_cache
from typing import Any, final

from attrs import frozen

from privet.accounting.planning.smooth import Aim, Calibration, calibrate_smooth
from privet.core.checks import read_number, read_whole, short
from privet.core.rows import saturated
from privet.errors import InvalidError
from privet.imputation.influence import Influence
from privet.imputation.noise_search import best_noise

_MOST = 10**15  # rows that anyone could have


@final
@frozen(kw_only=True)
class Guess:
    """What is publicly thought of the data; wrong guesses cost accuracy, never privacy.

    Args:
        incomplete: About how many rows lack a value.
        changes: About how many rows one donor gives to at most (L1).
    """

    incomplete: int = 10_000
    changes: int = 10

    def __attrs_post_init__(self) -> None:
        for name in ("incomplete", "changes"):
            if not 1 <= read_whole(f"Guess.{name}", getattr(self, name)) <= _MOST:
                raise InvalidError(f"Guess.{name} must be one or more, and at most 10^15, got {getattr(self, name)}.")


@final
@frozen(kw_only=True)
class Choice:
    """Noise for an imputed total.

    Args:
        calibration: The law, its scale and the smoothness, with their certified cost.
        guess: What it was chosen for.
        influence: Of one row on the total.
    """

    calibration: Calibration
    guess: Guess
    influence: Influence

    @property
    def beta(self) -> Fraction:
        """The smoothness that S must have."""
        return self.calibration.beta

    def half_width(self, level: Any = Fraction(95, 100)) -> float:
        """Give the half-width to expect, if the guesses are right."""
        return self.calibration.half_width(level) * saturated(self._size())

    def deviation(self) -> float:
        """Give the standard deviation to expect, if the guesses are right; infinite for heavy tails."""
        return self.calibration.deviation() * saturated(self._size())

    def _size(self) -> Fraction:
        return self.influence.smooth(changes=self.guess.changes, incomplete=self.guess.incomplete, beta=self.beta)


def choose_noise(epsilon: Any, influence: Influence, guess: Guess | None = None, *, aim: Aim = "half_width") -> Choice:
    """Choose smoothness, law and scale for an epsilon.

    Args:
        epsilon: What may be lost, above zero.
        influence: Of one row on the total.
        guess: What is publicly thought of the data.
        aim: What to make small at the guesses: the 95 % half-width, or the variance.

    >>> found = choose_noise(1, Influence(own=1, donee=1))
    >>> found.calibration.cost <= 1
    True
    """
    wanted = read_number("choose_noise.epsilon", epsilon)
    if not 0 < wanted <= 500:
        raise InvalidError(f"choose_noise.epsilon must be above zero and at most 500, got {short(wanted)}.")
    if not isinstance(influence, Influence):
        raise InvalidError("choose_noise.influence must be an Influence, such as Influence(own=1, donee=1).")
    if aim not in ("half_width", "variance"):
        raise InvalidError(f"choose_noise.aim must be 'half_width' or 'variance', got {aim!r}.")
    return _chosen(wanted, influence, guess or Guess(), aim)


@lru_cache(maxsize=256)
def _chosen(epsilon: Fraction, influence: Influence, guess: Guess, aim: Aim) -> Choice:
    largest = max(influence.own, influence.donee)
    law, beta = best_noise(
        float(epsilon),
        own=float(influence.own / largest),
        donee=float(influence.donee / largest),
        incomplete=guess.incomplete,
        changes=guess.changes,
        aim=aim,
    )
    return Choice(calibration=calibrate_smooth(epsilon, beta, law=law), guess=guess, influence=influence)
