"""Objective perturbation: linear models from a regularised loss that is tilted by noise."""

from fractions import Fraction
from typing import Literal, final

import numpy as np
from attrs import converters, field, frozen, validators

from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement
from privet.core import (
    Array,
    Norm,
    Space,
    into_ball,
    must_be,
    number,
    one_of,
    proper_share,
    short,
)
from privet.errors import InvalidError, MismatchError
from privet.mechanisms.certified_minimum import Objective, minimise
from privet.mechanisms.margin_losses import HingeLoss, HuberLoss, LogisticLoss, MarginLoss
from privet.mechanisms.objective_noise import ObjectiveNoise
from privet.noise import discrete_laplace
from privet.noise.spherical_laplace import spherical_laplace
from privet.transforms import matrix_domain, rows_changed

_GRID = Fraction(1, 2**32)  # of the rows, in a ball of radius between a half and one
_LARGEST = 2**64


_moderate = must_be(lambda value: Fraction(1, _LARGEST) <= value <= _LARGEST, "between 2^-64 and 2^64")
_ridge = must_be(lambda value: 0 <= value <= _LARGEST, "between 0 and 2^64")
_width = must_be(lambda value: Fraction(1, 2**20) <= value <= 2**20, "between 2^-20 and 2^20")


@final
@frozen(kw_only=True)
class ObjectivePerturbation(Measurement):
    """Fit a linear model to rows ``[x_1, ..., x_d, t]`` by minimising a loss that noise has tilted.

    The release is near the w that minimises ``Σ l(w·x, t) + Λ|w|²/2 + b·w``, an array of d floats. Each x is moved into
    the ball of the radius first; a row with NaN counts as no row. The number of rows never enters. For an intercept,
    append a column of ones to x, and choose a radius that has room for it: it is a coordinate of x like the others.

    Args:
        loss_function: ``"logistic"`` and ``"hinge"`` for labels (a target above zero is 1, all others are -1),
            ``"huber"`` for numbers.
        radius: The largest Euclidean norm of x.
        epsilon: The loss of a release for one row.
        threshold: For ``"huber"``: residuals beyond it count by their size instead of their square; by default 1.
        width: For ``"hinge"``: how wide its corner is rounded off; by default 1.
        ridge: The smallest Λ that is wanted; privacy may need more.
        curvature_share: The share of epsilon that decides Λ: less of it means more Λ and less noise.
        output_share: The share of epsilon for noise that covers the error of the minimiser.
        tolerance: The largest gradient at the minimiser, as a multiple of the largest gradient of a row.

    Guarantee: ``d_in epsilon`` for ``d_in`` added or removed rows; a replacement counts two.
    Proof: docs/mechanisms/objective_perturbation.md.

    >>> from privet.core.space import matrix
    >>> chain = matrix(3) >> ObjectivePerturbation(loss_function="logistic", radius=1, epsilon=1)
    >>> chain.map(2).epsilon(), chain([[0.3, 0.4, 1], [0.1, -0.2, -1]]).shape
    (Fraction(2, 1), (2,))
    """

    loss_function: Literal["logistic", "huber", "hinge"] = field(validator=one_of("logistic", "huber", "hinge"))
    radius: Fraction = field(converter=number, validator=_moderate, repr=short)
    epsilon: Fraction = field(converter=number, validator=_moderate, repr=short)
    threshold: Fraction | None = field(
        default=None, converter=converters.optional(number), validator=validators.optional(_moderate), repr=short
    )
    width: Fraction | None = field(
        default=None, converter=converters.optional(number), validator=validators.optional(_width), repr=short
    )
    ridge: Fraction = field(default=Fraction(0), converter=number, validator=_ridge, repr=short)
    curvature_share: Fraction = field(default=Fraction(1, 4), converter=number, validator=proper_share, repr=short)
    output_share: Fraction = field(default=Fraction(1, 64), converter=number, validator=proper_share, repr=short)
    tolerance: Fraction = field(
        default=Fraction(1, 2**16),
        converter=number,
        validator=must_be(lambda value: Fraction(1, 2**40) <= value <= 1, "between 2^-40 and 1"),
        repr=short,
    )

    def __attrs_post_init__(self) -> None:
        for name, owner in (("threshold", "huber"), ("width", "hinge")):
            if getattr(self, name) is not None and self.loss_function != owner:
                raise InvalidError(
                    f"ObjectivePerturbation.{name} belongs to the loss {owner!r}, got {self.loss_function!r}."
                )

    def accept(self, space: Space) -> None:
        """Rows of two numbers or more."""
        if matrix_domain(self, space).columns < 2:
            raise MismatchError(
                "ObjectivePerturbation needs rows of one or more features and a target: start from pc.matrix(columns) "
                "with two columns or more."
            )

    def noise(self, features: int) -> ObjectiveNoise:
        """Return the ridge and the scales of the noise for a number of features; all of them are public."""
        return ObjectiveNoise(
            loss=self._margin_loss(),
            radius=self._scaled_radius(),
            features=features,
            epsilon=self.epsilon,
            least_ridge=self.ridge * self._unit() ** 2,
            curvature_share=self.curvature_share,
            output_share=self.output_share,
            tolerance=self.tolerance,
        )

    @property
    def tilt_scale(self) -> Fraction:
        """The scale of the tilt, in the units of a gradient; it does not depend on the number of features."""
        return self.noise(1).tilt_scale / self._unit() * (self.threshold or 1)

    def release(self, value: Array, space: Space) -> Array:
        """Draw the noise, minimise, round to a grid and add noise for the error of the minimiser."""
        features = matrix_domain(self, space).columns - 1
        noise = self.noise(features)
        tilt = spherical_laplace(features, noise.tilt_scale / noise.tilt_step)
        rest = discrete_laplace(noise.output_scale, features)
        rows, targets = self._read(value)
        objective = Objective(
            rows=rows,
            targets=targets,
            loss=noise.loss,
            ridge=noise.ridge,
            tilt=[int(item) * noise.tilt_step for item in tilt],
        )
        found = minimise(objective, noise.goal)
        steps = [round(item / noise.output_step) + int(more) for item, more in zip(found, rest, strict=True)]
        unit = noise.output_step * self._unit() * (self.threshold or 1)
        return np.array([float(item * unit) for item in steps])

    def loss(self, d_in: int, space: Space) -> Loss:
        """Pure privacy of one row, for each row that is added or removed."""
        return PureLoss(self.epsilon).group(rows_changed(space, d_in))

    def _margin_loss(self) -> MarginLoss:
        if self.loss_function == "logistic":
            return LogisticLoss()
        if self.loss_function == "huber":
            return HuberLoss()
        return HingeLoss(float(self.width or 1))

    def _unit(self) -> Fraction:
        """Return the power of two that brings the radius into (1/2, 1]: floats can multiply by it exactly."""
        unit = Fraction(1)
        while self.radius * unit > 1:
            unit /= 2
        while self.radius * unit <= Fraction(1, 2):
            unit *= 2
        return unit

    def _scaled_radius(self) -> Fraction:
        return self.radius * self._unit()

    def _read(self, value: Array) -> tuple[Array, Array]:
        """Move each row into the ball by itself; a row without a target becomes zero, which changes no gradient."""
        norm = Norm(order=2, radius=self._scaled_radius(), origin=(Fraction(0),) * (value.shape[1] - 1))
        rows = into_ball(value[:, :-1] * float(self._unit()), norm, _GRID)
        rows[np.isnan(value[:, -1])] = 0.0
        return rows, self._margin_loss().read_targets(value[:, -1] / float(self.threshold or 1))
