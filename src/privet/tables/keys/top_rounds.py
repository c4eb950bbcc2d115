"""The noise for the most frequent keys: a threshold for every key, or a few draws, whichever needs fewer persons."""

from fractions import Fraction
from functools import lru_cache

from privet.accounting.losses.bounded_range import BoundedRangeLoss
from privet.accounting.planning.budget import budget
from privet.accounting.planning.calibrate import calibrate
from privet.core import read_whole
from privet.errors import InvalidError
from privet.mechanisms.top_keys import threshold_of_draws
from privet.tables.noise.key_round import KeyRound, Moved, RoundNoise, make_round

Choice = tuple[KeyRound, Fraction | None]
_MOST = 10_000  # draws: each of them looks at all keys


def read_top(top: object) -> int | None:
    """Read how many keys to release at most."""
    if top is None:
        return None
    count = read_whole("private_keys.top", top)
    if not 1 <= count <= _MOST:
        raise InvalidError(f"private_keys.top must be between 1 and {_MOST:,}, got {count}.")
    return count


def top_round(moved: Moved, epsilon: Fraction, delta: Fraction, top: int, noise: RoundNoise | None) -> Choice:
    """Give the round with the lowest threshold, and the delta at which to read its epsilon (None for its own point).

    Args:
        moved: How far neighbours move the counts.
        epsilon: What the keys may cost.
        delta: The probability of a larger loss.
        top: How many keys are released at most.
        noise: ``laplace``, ``gumbel``, or None for the one with the lower threshold.
    """
    choices: list[Choice] = []
    if noise != "gumbel":
        choices.append((make_round("laplace", moved.distance.l1 / epsilon, moved, delta), None))
    if noise != "laplace":
        choices += [(_draws(moved, top * moved.distance.linf / epsilon, delta, top), None)]
        choices += _composed(moved, epsilon, delta, top)
    return min(choices, key=lambda choice: choice[0].threshold)


def _draws(moved: Moved, temperature: Fraction, delta: Fraction, top: int) -> KeyRound:
    bar = threshold_of_draws(top, temperature, moved.distance, delta)
    return KeyRound(noise="gumbel", scale=temperature, threshold=bar, moved=moved, draws=top)


@lru_cache(maxsize=64)
def _temperature(reach: Fraction, epsilon: Fraction, delta: Fraction, top: int) -> Fraction:
    """Find the temperature at which so many draws cost (epsilon, delta) together."""
    allowed = budget(epsilon=epsilon, delta=delta)
    return Fraction(calibrate(lambda width: BoundedRangeLoss(reach / width) * top, budget=allowed).value)


def _composed(moved: Moved, epsilon: Fraction, delta: Fraction, top: int) -> list[Choice]:
    """Compose the draws at half of delta; the other half is for the threshold. A few draws gain nothing."""
    if top == 1:
        return []
    temperature = _temperature(moved.distance.linf, epsilon, delta / 2, top)
    made = _draws(moved, temperature, delta / 2, top)
    return [(made, delta)] if made.loss.epsilon(delta) <= epsilon else []
