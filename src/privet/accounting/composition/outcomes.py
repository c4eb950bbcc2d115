"""Outcomes of one release, for drawing the privacy loss of each. Floats do for that: nothing here decides anything."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import final

from attrs import frozen

_POINTS = 240  # of a curve
_SINGLE = 60  # up to so many outcomes are drawn one by one
_BEYOND = 5  # scales of the noise beyond both centres


@final
@frozen
class Outcomes:
    """Outcomes and how likely they are for the data and for a neighbour.

    Args:
        places: The outcomes.
        own: Their probabilities for the data, or densities where the outcomes stand for all between them.
        neighbour: The same for the neighbour.
        single: Whether these are all outcomes nearby, each with a probability of its own.
        axis: What an outcome is, in words.
    """

    places: tuple[Fraction, ...]
    own: tuple[float, ...]
    neighbour: tuple[float, ...]
    single: bool
    axis: str = "release minus the exact answer"


def noise_outcomes(
    weight: Callable[[float], float],
    scale: Fraction,
    shift: Fraction,
    step: Fraction,
    *,
    reach: Fraction | None = None,
) -> Outcomes:
    """Give the outcomes of noise around zero, from a few scales below zero to a few above the shift.

    Args:
        weight: The density or the mass, up to a factor.
        scale: The scale of the noise.
        shift: The exact answer of the neighbour, minus that of the data.
        step: The step of the grid, zero for continuous noise.
        reach: The largest noise, if there is one.
    """
    reach = _BEYOND * scale if reach is None else min(reach, _BEYOND * scale)
    single = step > 0 and (shift + 2 * reach) / step < _SINGLE
    if single:
        first, last = -math.ceil(reach / step), math.ceil((shift + reach) / step)
        places = tuple(step * at for at in range(first, last + 1))
    else:
        width = (shift + 2 * reach) / _POINTS
        if step:  # some of the outcomes, each for those around it
            width = max(math.ceil(width / step), 1) * step
        count = math.ceil((shift + 2 * reach) / width)
        start = -math.ceil(reach / step) * step if step else -reach
        places = tuple(sorted({start + width * at for at in range(count + 1)} | {Fraction(0), shift}))
    gaps = [1.0] * len(places) if single else _widths(places)
    total = sum(weight(float(place)) * gap for place, gap in zip(places, gaps, strict=True))
    drawn = [(place, weight(float(place)) / total, weight(float(place - shift)) / total) for place in places]
    # what neither input can give is no outcome
    kept, own, neighbour = zip(*(item for item in drawn if item[1] > 0 or item[2] > 0), strict=True)
    return Outcomes(kept, own, neighbour, single)


def _widths(places: tuple[Fraction, ...]) -> list[float]:
    """Give how much of the line each place stands for."""
    ends = [float(place) for place in places]
    middles = [ends[0], *((left + right) / 2 for left, right in pairwise(ends)), ends[-1]]
    return [right - left for left, right in pairwise(middles)]
