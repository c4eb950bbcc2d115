"""Private selection from private candidates: the best of a secret number of releases."""

import copy
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen, validators

from privet.accounting.losses.loss import Loss
from privet.accounting.sampling.repetitions import Repetitions
from privet.accounting.sampling.selection import SelectionLoss
from privet.chains.measurement import Measurement
from privet.combinators.inner_measurement import (
    input_space,
    is_measurement,
    place_measurement,
    require_finished,
    run_measurement,
)
from privet.core import Space, function_of, is_a, quietly
from privet.transforms import function_name

_LABEL = "PrivateSelection.candidate"
_DISTRIBUTION = (
    "a distribution such as GeometricRepetitions(0.1) (a fixed or known number would charge every repetition)"
)
_LOWEST = (False, 0.0)


@final
@frozen(kw_only=True)
class PrivateSelection(Measurement):
    """Repeat a measurement a secret number of times, and release the best of its releases.

    The number K of repetitions is drawn from a stated distribution and is never revealed. A score that is not a number,
    or is NaN, ranks below all others; among equal scores the first release wins.

    Args:
        candidate: A measurement, on its space or to be placed. Its release is a pair (score, candidate), or anything
            that ``score`` understands. The score must be private as well: it is part of the release.
        repetitions: ``GeometricRepetitions(success)``, ``NegativeBinomialRepetitions(shape, success)`` or
            ``PoissonRepetitions(average)``.
        score: A function from a release to its score; higher is better. By default the first entry of the pair. Like
            any post-processing of the candidate it must depend on nothing but the release and keep no memory: the
            number of its calls is K.
        otherwise: The release if K is zero, which is possible for a Poisson number.

    Guarantee: a pure candidate of epsilon costs ``epsilon + (1 + shape) ln((e^epsilon + success) / (1 + success
        e^epsilon))``, at most ``(2 + shape) epsilon`` (geometric: shape one); for other losses see ``SelectionLoss``.
    Proof: docs/combinators/private_selection.md.

    >>> from privet.accounting.sampling.repetitions import GeometricRepetitions
    >>> from privet.mechanisms.laplace import Laplace
    >>> best = PrivateSelection(
    ...     candidate=Laplace(scale=10).place(Laplace(scale=10).default()),
    ...     repetitions=GeometricRepetitions(0.1),
    ...     score=lambda release: release,
    ... )
    >>> round(float(best.map(1).epsilon()), 4)
    0.2636
    """

    candidate: Any = field(validator=is_measurement)
    repetitions: Repetitions = field(validator=is_a(Repetitions, _DISTRIBUTION))
    score: Callable[[Any], Any] | None = field(
        default=None, validator=validators.optional(function_of("a release")), repr=function_name
    )
    otherwise: Any = field(default=None)

    def default(self) -> Space | None:
        """The input space of the candidate, if it is placed."""
        return input_space(self.candidate)

    def accept(self, space: Space) -> None:
        """Any space that the candidate reads."""
        place_measurement(_LABEL, self.candidate, space)

    def release(self, value: object, space: Space) -> Any:
        """Draw the number first, then keep the best release so far."""
        chain = place_measurement(_LABEL, self.candidate, space)
        best, highest = self.otherwise, None
        for _ in range(self.repetitions.draw()):
            release = _copy(require_finished(_LABEL, run_measurement(chain, value)))
            rank = self._rank(_copy(release))
            if highest is None or rank > highest:
                best, highest = release, rank
        return best

    def _rank(self, release: Any) -> tuple[bool, Fraction | float]:
        # a run that cannot be scored must not end the selection
        return quietly(lambda: _rank(release[0] if self.score is None else self.score(release))) or _LOWEST

    def loss(self, d_in: Any, space: Space) -> Loss:
        """The best of K candidates costs a little more than one of them."""
        return SelectionLoss.of(place_measurement(_LABEL, self.candidate, space).map(d_in), self.repetitions)


def _copy(release: object) -> Any:
    """Copy a release, so that neither a score nor a later run can write to it; return it as it is if that fails."""
    duplicate = quietly(lambda: (copy.deepcopy(release),))
    return release if duplicate is None else duplicate[0]


def _rank(score: object) -> tuple[bool, Fraction | float]:
    """Turn a score into a comparable value; anything that is not a number ranks lowest."""
    plain = score.item() if isinstance(score, np.generic) else score
    if isinstance(plain, Decimal):
        plain = float(plain) if not plain.is_snan() else math.nan
    if isinstance(plain, int | Fraction) or (isinstance(plain, float) and not math.isnan(plain)):
        return True, float(plain) if isinstance(plain, float) else Fraction(plain)
    return _LOWEST
