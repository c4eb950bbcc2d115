"""The noise of imputed totals: smoothness, law and scale, chosen from public guesses alone.

The smoothness beta trades two things: a small one leaves more of epsilon for the noise, a large one makes S smaller.
Which is best depends on how many rows lack a value and how many have one donor; both are private, so they are guessed.
"""

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any, final

from attrs import frozen

from privet.accounting.smooth import Aim, Calibration, calibrate_smooth
from privet.core.checks import read_number, read_whole, short
from privet.errors import Invalid
from privet.imputation.influence import Influence

_TRIES = 24
_SMALLEST = 1e-3
_GOLDEN = (math.sqrt(5) - 1) / 2


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
            if read_whole(f"Guess.{name}", getattr(self, name)) < 1:
                raise Invalid(f"Guess.{name} must be one or more, got {getattr(self, name)}.")


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
        return self.calibration.half_width(level) * float(self._size())

    def deviation(self) -> float:
        """Give the standard deviation to expect, if the guesses are right; infinite for heavy tails."""
        return self.calibration.deviation() * float(self._size())

    def _size(self) -> Fraction:
        return self.influence.smooth(changes=self.guess.changes, incomplete=self.guess.incomplete, beta=self.beta)


def choose_noise(epsilon: Any, influence: Influence, guess: Guess | None = None, *, aim: Aim = "half_width") -> Choice:
    """Choose smoothness, law and scale for an epsilon.

    Args:
        epsilon: What may be lost, above zero.
        influence: Of one row on the total.
        guess: What is publicly thought of the data.
        aim: What to make small at the guesses: the 95 % half-width, or the variance where there is one.

    >>> found = choose_noise(1, Influence(own=1, donee=1))
    >>> found.calibration.cost <= 1
    True
    """
    wanted = read_number("choose_noise.epsilon", epsilon)
    if wanted <= 0:
        raise Invalid(f"choose_noise.epsilon must be above zero, got {short(wanted)}.")
    if not isinstance(influence, Influence):
        raise Invalid("choose_noise.influence must be an Influence.")
    return _chosen(wanted, influence, guess or Guess(), aim)


@lru_cache(maxsize=256)
def _chosen(epsilon: Fraction, influence: Influence, guess: Guess, aim: Aim) -> Choice:
    """Search the logarithm of beta by golden section, from ends that always work."""
    limit = float(epsilon) * (0.45 if aim == "variance" else 0.95)

    def at(position: float) -> Choice:
        beta = Fraction(f"{math.exp(position):.4g}")
        return Choice(calibration=calibrate_smooth(epsilon, beta, aim=aim), guess=guess, influence=influence)

    def size(position: float) -> float:
        found = at(position)
        return found.half_width() if aim == "half_width" else found.deviation()

    low, high = math.log(min(_SMALLEST, limit / 100)), math.log(limit)
    grid = [low + (high - low) * step / 12 for step in range(13)]
    best = min(range(13), key=lambda step: size(grid[step]))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, 12)]
    for _ in range(_TRIES // 2):
        first, second = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        low, high = (low, second) if size(first) < size(second) else (first, high)
    return min((at(position) for position in (low, high, grid[best])), key=lambda found: found.half_width())
