"""Propose, test, release: a private test of whether the data are stable, then an answer with little or no noise."""

import math
import warnings
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.accounting.losses.approximate import ApproximateLoss
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement
from privet.core import (
    ScalarDomain,
    Space,
    frozen_copy,
    function_of,
    is_a,
    not_negative,
    number,
    positive,
    quietly,
    scalar,
    short,
    to_steps,
)
from privet.errors import InvalidError
from privet.mechanisms.gaussian import Gaussian
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.stable_keys import smallest_threshold
from privet.mechanisms.tails import laplace_reaches
from privet.noise import discrete_laplace
from privet.transforms import column, copied, detached, positions_count, records_changed, sorted_copy


@final
@frozen(kw_only=True)
class ProposeTestRelease(Measurement):
    """Release an answer if the data are far from any instability; otherwise nothing.

    ``distance`` says how many records must change at least before one more could move the answer by more than
    ``proposed``. It gets discrete Laplace noise; if it reaches the threshold, the release is the tuple ``(answer,)``,
    otherwise the empty tuple. A changed record is one that is added or removed, or replaced if the size is public.

    Each function gets a read-only copy of the column, masked where null: sorted, NaN and then nulls last, unless
    positions count. If a function fails, also by writing to the column, the distance is zero, or the answer None.

    Args:
        distance: A function of the column to whole numbers that moves by at most one for each changed record, and is
            above zero only if one changed record moves the answer by at most ``proposed``.
        answer: A function of the column; its values may be of any type if ``proposed`` is zero, else numbers.
        scale: Spread of the test's noise, above zero.
        threshold: The smallest noisy distance at which the answer is released.
        proposed: How far one changed record may move the answer if the data are stable.
        noise: ``Laplace`` or ``Gaussian`` for the answer; None adds no noise, and needs ``proposed=0``.
        grid: The step that a number is rounded to before it gets noise.

    Guarantee: ``d_in / scale`` for the test, the loss of ``noise`` at ``d_in proposed``, and
        ``delta = P(d_in - 1 + Z >= threshold)``, all charged whatever the outcome.
    Proof: docs/mechanisms/propose_test_release.md.

    >>> from privet.core.space import vector
    >>> unit = ProposeTestRelease(distance=len, answer=lambda column: len(column) > 0, scale=2, threshold=30)
    >>> (vector(int) >> unit).map(1).pure().cost, (vector(int) >> unit)([1] * 200)
    (Fraction(1, 2), (True,))
    """

    distance: Callable[[Any], Any] = field(validator=function_of("the column"))
    answer: Callable[[Any], Any] = field(validator=function_of("the column"))
    scale: Fraction = field(converter=number, validator=positive, repr=short)
    threshold: Fraction = field(converter=number, validator=positive, repr=short)
    proposed: Fraction = field(default=Fraction(0), converter=number, validator=not_negative, repr=short)
    noise: Laplace | Gaussian | None = field(
        default=None, validator=is_a(Laplace | Gaussian | None, "Laplace(...), Gaussian(...) or None")
    )
    grid: Fraction = field(default=Fraction(1), converter=number, validator=positive, repr=short)

    @noise.validator
    def _check(self, _: object, value: Any) -> None:
        if value is None and self.proposed > 0:
            raise InvalidError(
                f"ProposeTestRelease.noise is needed where proposed={short(self.proposed)}: "
                "without noise one record must not move the answer at all."
            )

    def accept(self, space: Space) -> None:
        """Any column."""
        column(self, space)

    def release(self, value: Any, space: Space) -> tuple[Any, ...]:
        """Draw both noises whatever the outcome of the test."""
        seen = copied(value) if positions_count(space) else sorted_copy(value)
        with warnings.catch_warnings():  # a warning would reveal the rows that caused it
            warnings.simplefilter("ignore")
            far = quietly(lambda: _whole(self.distance(frozen_copy(seen)))) or 0
            answer = quietly(lambda: detached(self.answer(frozen_copy(seen))))
        released = self._noisy(answer)
        stable = max(far, 0) + discrete_laplace(self.scale) >= math.ceil(self.threshold)
        return (released,) if stable else ()

    def loss(self, d_in: Any, space: Space) -> Loss:
        """If the answers are close, test and answer compose; if not, the test passes with probability at most delta."""
        changed = records_changed(space, d_in)
        if changed == 0:
            return PureLoss(0)
        slack = laplace_reaches(self.scale, math.ceil(self.threshold) - (changed - 1))
        test = ApproximateLoss(Fraction(changed) / self.scale, slack)
        if self.noise is None:
            return test
        answers = self._answers()
        reached = answers.domain.widen(changed * self.proposed)
        return test + self.noise.loss(reached, answers)

    @staticmethod
    def threshold_for(*, scale: object, delta: object, d_in: int = 1) -> int:
        """The smallest threshold with this delta."""
        return smallest_threshold(lambda width, bar: laplace_reaches(width, bar - d_in + 1), scale, delta, d_in)

    def _answers(self) -> Space:
        return scalar(int) if self.grid == 1 else Space(ScalarDomain(kind=float, grid=self.grid), scalar(int).metric)

    def _noisy(self, answer: Any) -> Any:
        if self.noise is None:
            return answer
        return self.noise.release(to_steps(answer, self.grid), self._answers())


def _whole(value: Any) -> int:
    """Read a whole number of any class; anything else counts as zero."""
    if not isinstance(value, Integral) or isinstance(value, bool | np.timedelta64):  # numpy calls that an integer
        return 0
    return int(value)
