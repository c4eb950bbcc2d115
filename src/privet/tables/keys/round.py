"""Key rounds: noise on the weights of keys, and the threshold from which a key is released."""

from fractions import Fraction
from typing import Any, final

from attrs import field, frozen

from privet.accounting.losses.loss import Loss
from privet.core import Array, number, positive, short, whole
from privet.mechanisms.key_noise import KeyNoise, check_key_noise, draw_key_noise, loss_of_keys, reaches
from privet.noise.drawing import smallest_within
from privet.tables.keys.weights import Moved


@final
@frozen(kw_only=True)
class KeyRound:
    """Add noise to the whole number of each key, and release the keys that reach a threshold.

    Args:
        noise: ``laplace`` or ``gaussian``, both discrete.
        scale: Its spread, in the units of the numbers.
        threshold: The smallest noisy number whose key is released.
        moved: How far neighbours move the numbers.

    Guarantee: the loss of the noise at the distance of the numbers, and as delta the exact probability that a key is
        released that only one neighbour has.
    Proof: docs/tables/private_keys.md.

    >>> from privet.tables.keys.weights import KeyWeights
    >>> weights = KeyWeights(rule="share", most=4)
    >>> KeyRound(noise="laplace", scale=2 * weights.unit, threshold=30 * weights.unit, moved=weights).loss.pure().cost
    Fraction(1, 2)
    """

    noise: KeyNoise = field()
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    threshold: int = field(converter=whole, validator=positive)
    moved: Moved

    @noise.validator
    def _check_noise(self, _: object, value: Any) -> None:
        check_key_noise("KeyRound.noise", value)

    @property
    def slack(self) -> Fraction:
        """The largest probability that some key is released that only one neighbour has."""
        return _slack(self.noise, self.scale, self.threshold, self.moved)

    @property
    def loss(self) -> Loss:
        """The noise pays for keys that both neighbours have, delta for those that only one has."""
        return loss_of_keys(self.noise, self.scale, self.moved.distance, self.slack)

    def draw(self, size: int) -> Array:
        """Draw noise for a number of keys."""
        return draw_key_noise(self.noise, self.scale, size)


def make_round(noise: KeyNoise, scale: Fraction, moved: Moved, delta: Fraction) -> KeyRound:
    """Give the round with the smallest threshold whose delta is no larger than the given one.

    >>> from privet.core.metric import Parts
    >>> from privet.tables.keys.weights import RowsOfKeys
    >>> one = RowsOfKeys(distance=Parts(l0=1, l1=1, l2_squared=1, linf=1))
    >>> make_round("laplace", Fraction(2), one, Fraction(1, 10**6)).threshold
    28
    """

    def fits(threshold: int) -> bool:
        return threshold > 0 and _slack(noise, scale, threshold, moved) <= delta

    guess = int(moved.distance.linf + 4 * scale)
    return KeyRound(noise=noise, scale=scale, threshold=smallest_within(fits, guess), moved=moved)


def _slack(noise: KeyNoise, scale: Fraction, threshold: int, moved: Moved) -> Fraction:
    return moved.shows(lambda count: reaches(noise, scale, threshold - count))
