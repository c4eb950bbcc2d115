"""The noise on counts behind unknown keys: how it is drawn, what it costs, and how often it reaches a threshold."""

from fractions import Fraction
from typing import Literal

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.gaussian import GaussianLoss
from privet.accounting.losses.loss import Loss
from privet.core import Array, Parts
from privet.errors import InvalidError
from privet.mechanisms.tails import gaussian_reaches, laplace_reaches
from privet.noise import discrete_gaussian, discrete_laplace

KeyNoise = Literal["laplace", "gaussian"]
"""Discrete Laplace or discrete Gaussian noise."""

_REACHES = {"laplace": laplace_reaches, "gaussian": gaussian_reaches}


def check_key_noise(label: str, noise: object) -> None:
    """Refuse what names no noise."""
    if not isinstance(noise, str) or noise not in _REACHES:
        raise InvalidError(f"{label} must be one of {', '.join(_REACHES)}, got {noise!r}.")


def draw_key_noise(noise: KeyNoise, scale: Fraction, size: int) -> Array:
    """Draw the noise of so many keys."""
    draw = discrete_laplace if noise == "laplace" else discrete_gaussian
    return draw(scale, size=size)


def reaches(noise: KeyNoise, scale: Fraction, k: int) -> Fraction:
    """An upper bound of ``P(Z >= k)``, any sign of k."""
    return _REACHES[noise](scale, k)


def loss_of_keys(noise: KeyNoise, scale: Fraction, distance: Parts, slack: Fraction) -> Loss:
    """The noise pays for keys that both neighbours have, delta for those that only one has.

    Args:
        noise: The noise on each count.
        scale: Its spread.
        distance: How far neighbours move the counts.
        slack: The largest probability that some key shows which only one neighbour has.
    """
    if noise == "laplace":
        return ApproximateLoss(distance.l1 / scale, slack)
    several = GaussianLoss(squared=distance.l2_squared, scale=scale, step=1, coordinates=max(distance.l0, 1))
    return several + ApproximateLoss(0, slack)
