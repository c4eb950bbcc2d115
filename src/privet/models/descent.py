"""Preconditioned descent along clipped, noisy gradients."""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from privet.core import Array, sqrt_up
from privet.models.features import Features
from privet.models.private_rows import PrivateRows
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.clipped_gradients import ClippedGradients
from privet.transforms.sum_of_outer_products import SumOfOuterProducts, symmetric
from privet.transforms.take_columns import TakeColumns

_WEIGHT = Fraction(140, 99)  # just below the square root of two: products off the diagonal get half the noise variance


def release_products(rows: PrivateRows, columns: int, radius: Fraction, share: Fraction) -> tuple[Array, float]:
    """Release the sums of products of the first columns; return the matrix and the noise scale of its diagonal.

    Args:
        rows: Rows whose first columns are at most a radius long.
        columns: How many columns.
        radius: That radius.
        share: The part of the budget that the release costs.
    """
    grid = rows.space.domain.grid  # type: ignore[attr-defined]
    ball = ClampNorm(radius=radius, grid=grid)
    triangle = rows.release(
        "products of features",
        TakeColumns(columns=list(range(columns))),
        ball,
        SumOfOuterProducts(weight=_WEIGHT),
        share=share,
    )
    return symmetric(np.asarray(triangle, dtype=np.float64), columns), rows.scale()


def preconditioner(products: Array, noise: float) -> Array:
    """Return the inverse of noisy products with a ridge as large as the noise can be."""
    values, vectors = np.linalg.eigh(products)
    ridge = noise * math.sqrt(2 * len(products))
    return np.asarray((vectors / (np.maximum(values, 0) + ridge)) @ vectors.T)


def descend(
    rows: PrivateRows,
    inverse: Array,
    *,
    residual: Any,
    start: Array,
    clip: Fraction,
    steps: int,
    share: Fraction,
    longest: float = math.inf,
) -> Array:
    """Take noisy gradient steps and return the average of the second half of them.

    Args:
        rows: Rows of features and a target in the last column.
        inverse: The preconditioner.
        residual: The loss, as in ``ClippedGradients``.
        start: The first coefficients, one row for each linear predictor; from public facts or releases.
        clip: The largest length of the gradient of a row.
        steps: How many steps; public.
        share: The part of the budget that all steps together cost.
        longest: How far coefficients may go from the start; public.
    """
    weights = start
    total = np.zeros_like(weights)
    for step in range(steps):
        unit = ClippedGradients(coefficients=weights.tolist(), residual=residual, clip=clip)
        release = np.asarray(rows.release("gradient", unit, share=share / steps), dtype=np.float64)
        moved = weights - release.reshape(weights.shape) @ inverse - start
        weights = start + moved * min(1.0, longest / max(float(np.linalg.norm(moved)), 1e-300))
        if step >= steps // 2:
            total += weights
    return total / (steps - steps // 2)


def shrink_rare(weights: Array, features: Features, products: Array, halved: float) -> Array:
    """Shrink the coefficients of categories whose rows do not stand out from the noise of their products.

    Gradient steps give a category without rows a coefficient that is noise, and a prediction for it anywhere.

    Args:
        weights: One row of coefficients for each linear predictor, the intercept last.
        features: What is public of the columns.
        products: The noisy sums of products of the encoded columns.
        halved: The sum of squares at which a coefficient is halved: about that of the noise.
    """
    squares = np.maximum(np.diag(products)[:-1], 0.0)
    factors = np.where(features.lowest() == 0, squares / (squares + halved), 1.0)
    return np.asarray(weights * np.append(factors, 1.0))


def length_up(*sides: Fraction) -> Fraction:
    """Return the length of a vector, rounded up."""
    return sqrt_up(sum((side**2 for side in sides), Fraction(0)))
