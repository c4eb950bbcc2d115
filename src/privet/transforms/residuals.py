"""Residuals of generalised linear models: the derivative of the loss of a row by its linear predictor.

A residual depends on its own row only. Sums and quotients of floats are correctly rounded, so they are the same in
every loop; the exponential function is read from a table, because a library may compute it in several ways.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from privet.core import Array

Residual = Callable[[Array, Array], Array]
_FINE = 2**12  # table entries for each unit of the linear predictor
_REACH = 24  # predictors beyond it are read as the end of the table


def squared(predictor: Array, target: Array) -> Array:
    """Half the squared error: what is predicted minus what is there."""
    return predictor - target[:, None]


def logistic(predictor: Array, target: Array) -> Array:
    """The logarithmic loss of the classes 0 and 1; any other target gives zero."""
    chance = _looked_up(_sigmoids(), predictor)
    known = ((target == 0) | (target == 1))[:, None]
    return np.where(known, chance - target[:, None], 0.0)


def multinomial(predictor: Array, target: Array) -> Array:
    """The logarithmic loss of the classes 0, 1, ..., one column each; any other target gives zero."""
    largest = predictor.max(axis=1, keepdims=True)  # a maximum does not depend on the order
    parts = _looked_up(_exponentials(), predictor - largest)
    total = np.zeros(len(parts))
    for at in range(parts.shape[1]):
        total += parts[:, at]
    classes = np.arange(parts.shape[1])
    one = target[:, None] == classes
    known = one.any(axis=1)
    return np.where(known[:, None], parts / total[:, None] - one, 0.0)


def poisson(predictor: Array, target: Array) -> Array:
    """The Poisson loss with a logarithmic link: the expected number minus the number."""
    return _looked_up(_exponentials(), predictor) - target[:, None]


RESIDUALS: dict[str, Residual] = {
    "squared": squared,
    "logistic": logistic,
    "multinomial": multinomial,
    "poisson": poisson,
}


def squared_lengths(rows: Array) -> Array:
    """Return the squared length of each row, added up in a fixed order."""
    total = np.zeros(len(rows))
    for at in range(rows.shape[1]):
        total += rows[:, at] * rows[:, at]
    return total


def _looked_up(table: Array, predictor: Array) -> Array:
    places = np.rint(np.clip(predictor, -_REACH, _REACH) * _FINE).astype(np.int64)
    return np.asarray(table[places + _REACH * _FINE])


@lru_cache(maxsize=1)
def _sigmoids() -> Array:
    points = range(-_REACH * _FINE, _REACH * _FINE + 1)
    return np.array([1 / (1 + math.exp(-point / _FINE)) for point in points])


@lru_cache(maxsize=1)
def _exponentials() -> Array:
    points = range(-_REACH * _FINE, _REACH * _FINE + 1)
    return np.array([math.exp(point / _FINE) for point in points])
