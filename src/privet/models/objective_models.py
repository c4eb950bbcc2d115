"""What the models by objective perturbation share: their releases, and how they are read."""

from fractions import Fraction
from typing import Any

import numpy as np

from privet.core import Array, read_number
from privet.errors import InvalidError
from privet.mechanisms.laplace import Laplace
from privet.mechanisms.objective_perturbation import ObjectivePerturbation
from privet.models.descent import length_up
from privet.models.fit_job import FitJob
from privet.models.signal import Signal, rows_text
from privet.transforms.centre_rows import CentreRows
from privet.transforms.count import Count

_COUNT = Fraction(1, 20)  # the share of epsilon for the number of rows
_CLEAR = 3.0  # scales of noise of the number of rows
_INTERCEPT = Fraction(1, 5)  # the column of the intercept, relative to the radius


def read_radius(label: str, radius: Any) -> Fraction:
    """Read the largest length of a row of encoded features."""
    found = read_number(f"{label}.radius", radius)
    if found <= 0:
        raise InvalidError(f"{label}.radius must be above zero, got {radius}.")
    return found


def two_classes(label: str, classes: Array) -> None:
    """Refuse a public list of more than two classes."""
    if len(classes) != 2:
        raise InvalidError(
            f"{label}.classes must be two, got {len(classes)}. Only binary classification is supported. The "
            "proof needs a curvature of rank one. For more classes use LogisticRegression."
        )


def perturbed(job: FitJob, radius: Fraction, loss_function: Any, **more: Any) -> tuple[Array, float, float]:
    """Release the number of rows and a minimiser; return the coefficients of encoded columns, the intercept, the count.

    Args:
        job: The fit, with a budget of epsilon alone.
        radius: The largest length of a row of encoded features; longer rows are shortened.
        loss_function: As in ``ObjectivePerturbation``.
        more: Its further arguments.
    """
    rows, width = job.encoded(), job.features.width
    epsilon = job.account.spending.total / job.account.d_in
    intercept = _INTERCEPT * radius
    placed = rows.through(CentreRows(centre=[0] * width, radius=radius, intercept=intercept))
    scale = job.account.d_in / (_COUNT * job.account.spending.total)
    count = max(float(placed.measure("number of rows", placed.space >> Count() >> Laplace(scale=scale))), 1.0)
    unit = ObjectivePerturbation(
        loss_function=loss_function, radius=length_up(radius, intercept), epsilon=epsilon * (1 - _COUNT), **more
    )
    weights = placed.measure("minimiser", unit)
    return np.asarray(weights[:-1]), float(weights[-1]) * float(intercept), count


def signal(job: FitJob, count: float) -> Signal:
    """Judge whether a linear model of so many columns can be learnt from so many rows at this epsilon.

    An empty table has a count above three times the scale of its noise in one fit of forty.
    """
    width = job.features.width
    epsilon = float(job.account.spending.total) / job.account.d_in
    enough = max(3 * (width + 1) / epsilon, _CLEAR / (float(_COUNT) * epsilon))
    if count >= enough:
        return Signal(
            expected=True, reason=f"{rows_text(count)} are enough for {width + 1} coefficients at this epsilon."
        )
    return Signal(
        expected=False,
        reason=f"{rows_text(count)} are too few for {width + 1} coefficients at this epsilon: the coefficients "
        "are mostly noise. Use fewer columns, more rows or a larger epsilon.",
    )


def shortened(rows: Array, radius: float) -> Array:
    """Shorten rows to a radius, as the fit did."""
    lengths = np.sqrt((rows * rows).sum(axis=1))
    return np.asarray(rows * np.minimum(1.0, radius / np.maximum(lengths, 1e-300))[:, None])
