"""The first release of most models: how many rows there are, where they lie and how far they spread."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array, sqrt_up
from privet.models.private_rows import PrivateRows
from privet.transforms.ball_moments import BallMoments, read_moments
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.take_columns import TakeColumns

_GRID = Fraction(1, 2**18)
_FEWEST = 10.0  # rows; a noisy count below it is read as this many


@final
@frozen(kw_only=True)
class Centre:
    """A private summary of rows.

    Args:
        count: The noisy number of rows, at least ten.
        mean: The noisy mean, shrunk toward the public centre by James and Stein's factor.
        spread: The root mean squared distance from the mean, between a tenth of the radius and the radius.
        noise: The noise scale of the mean.
    """

    count: float
    mean: Array
    spread: float
    noise: float

    def fractions(self) -> list[Fraction]:
        """Return the mean in exact numbers."""
        return [Fraction(float(item)) for item in self.mean]


def release_centre(
    rows: PrivateRows, columns: range, radius_squared: int, share: Fraction, *, name: str = "centre and radius"
) -> Centre:
    """Release the count, the mean and the spread of some columns of the rows around zero.

    Args:
        rows: The rows.
        columns: Which columns.
        radius_squared: A public bound on the squared length of a row.
        share: The part of the budget that the release costs.
        name: What is released, for the record.
    """
    radius = Fraction(math.ceil(sqrt_up(Fraction(radius_squared)) / _GRID)) * _GRID
    ball = ClampNorm(radius=radius, grid=_GRID)
    release = rows.release(name, TakeColumns(columns=list(columns)), ball, BallMoments(), share=share)
    count, total, squares = read_moments(np.asarray(release, dtype=np.float64), radius, _GRID)
    noise = rows.scale()
    count = max(count, _FEWEST)
    mean = total / count
    length = float(mean @ mean)
    mean = mean * max(0.0, 1 - len(mean) * (noise / count) ** 2 / max(length, 1e-12))
    spread = squares / count - float(mean @ mean)
    mean = np.clip(mean, -1.0, 1.0)  # where every encoded number lies
    low, high = (0.1 * float(radius)) ** 2, float(radius) ** 2
    return Centre(count=count, mean=mean, spread=math.sqrt(min(max(spread, low), high)), noise=noise / count)
