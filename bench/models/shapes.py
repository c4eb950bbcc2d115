"""Blobs for k-means, digits for principal components, and how good centres and axes are; needs numpy alone."""

from pathlib import Path
from typing import Any

import numpy as np

from bench.models.known import DIGITS
from bench.models.samples import Array, load

ROWS, COLUMNS, CLUSTERS, AXES = 20_000, 10, 10, 10
SIDE = 15.0  # public bound of the blobs' coordinates
PIXEL = (0.0, 16.0)
SEEDS = 10


def blobs(seed: int) -> Array:
    """Draw rows around ten centres."""
    random = np.random.default_rng(seed)
    centres = random.uniform(-10, 10, size=(CLUSTERS, COLUMNS))
    return centres[random.integers(CLUSTERS, size=ROWS)] + random.normal(size=(ROWS, COLUMNS))


def digits(folder: Path) -> Array:
    """Read the pictures of digits."""
    return load(folder, DIGITS).numbers


def inertia(rows: Array, centres: Any) -> float:
    """Add up the squared distances to the nearest centre."""
    gaps = (rows**2).sum(axis=1)[:, None] - 2 * rows @ np.asarray(centres).T + (np.asarray(centres) ** 2).sum(axis=1)
    return float(np.maximum(gaps.min(axis=1), 0).sum())


def captured(rows: Array, axes: Any) -> float:
    """Give the variance of the rows within the span of some axes."""
    basis, _ = np.linalg.qr(np.asarray(axes).T)
    return float((((rows - rows.mean(axis=0)) @ basis) ** 2).sum())
