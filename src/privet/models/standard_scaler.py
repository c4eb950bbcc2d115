"""Columns moved and scaled, by their public bounds or by private means and deviations."""

import math
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from privet.core import Array
from privet.models.features import Features
from privet.models.fit_job import FitJob
from privet.models.preprocessor import PrivatePreprocessor, clipped, interval, numbers_only
from privet.models.signal import Signal, rows_text
from privet.transforms.ball_moments import BallMoments, read_moments
from privet.transforms.clamp_norm import ClampNorm
from privet.transforms.take_columns import TakeColumns

_GRID = Fraction(1, 2**18)
_FEWEST = 10.0  # rows; a noisy count below it is read as this many
_CLEAR = 2.0  # noise scales of a variance
_GOOD = "the means and deviations are well above the noise"
_POOR = (
    "at least one mean or deviation is mostly noise: use narrower bounds, fewer columns, more rows or a larger budget, "
    "and leave out columns that hardly vary"
)


@final
class StandardScaler(PrivatePreprocessor):
    """Subtract a centre from each column and divide by a scale.

    Without a budget the centre is the middle of the public bounds and the scale half their width: no data are read.
    With a budget they are a private mean and a private standard deviation. Values beyond the bounds are moved to them.

    The estimators of Privet scale by themselves and need no scaler before them.

    Args:
        epsilon: The privacy loss, with or without ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        codebook: A codebook with the bounds.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row (with persons: one person) more or less; else zero.
    Proof: docs/models/standard_scaler.md.

    >>> scaler = StandardScaler(bounds=(0, 10)).fit([[3], [4]])
    >>> scaler.transform([[0], [5], [12]]).tolist(), scaler.output_features_.columns
    ([[-1.0], [0.0], [1.0]], (Numeric(lower=-1, upper=1),))
    """

    in_parts: ClassVar[bool] = True

    def __init__(
        self,
        *,
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        codebook: Any = None,
        rows_per_person: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.codebook = codebook
        self.rows_per_person = rows_per_person

    mean_: Array
    scale_: Array

    def _fit_public(self) -> None:
        columns = numbers_only("StandardScaler", self.features_)
        self.mean_ = np.array([item.middle for item in columns])
        self.scale_ = np.array([item.half for item in columns])

    def _fit(self, job: FitJob) -> None:
        columns = numbers_only(job.label, job.features)
        rows, counts, sums, squares = job.encoded(), [], [], []
        for at in range(len(columns)):
            units = TakeColumns(columns=[at]), ClampNorm(radius=1, grid=_GRID), BallMoments()
            release = rows.release("moments of a column", *units, share=Fraction(1, len(columns)))
            count, total, square = read_moments(np.asarray(release, dtype=np.float64), Fraction(1), _GRID)
            counts.append(count)
            sums.append(float(total[0]))
            squares.append(square)
        # the number of rows is in every release: their average has the least noise
        count = max(float(np.mean(counts)), _FEWEST)
        noise = rows.scale() / count
        means = np.clip(np.array(sums) / count, -1, 1)
        least = min(max(noise, 1e-4), 1.0)
        variances = np.array(squares) / count - means**2
        spread = np.sqrt(np.clip(variances, least, 1))
        middles, halves = job.features.scales()
        self.mean_, self.scale_, self.n_samples_ = middles + halves * means, halves * spread, count
        # the floor of a spread is noise: it must not stand for a deviation that is clear of it
        clear = noise <= float(np.min(spread)) / math.sqrt(10) and _CLEAR * noise <= float(np.min(variances))
        judgement = _GOOD if clear else _POOR
        self.signal_ = Signal(clear, f"with {rows_text(count)} {judgement}.")

    def _finish(self) -> None:
        columns = numbers_only("StandardScaler", self.features_)
        ends = [(np.array([float(item.lower), float(item.upper)])) for item in columns]
        pairs = [(pair - mean) / scale for pair, mean, scale in zip(ends, self.mean_, self.scale_, strict=True)]
        facts = tuple(interval((float(low), float(high))) for low, high in pairs)
        self.output_features_ = Features(columns=facts, names=self.features_.names)

    def transform(self, X: Any) -> Array:  # noqa: N803
        """Move and scale every row by itself; a missing value stays missing."""
        table = self._columns(X)
        columns = numbers_only("StandardScaler", self.features_)
        found = [clipped(item, column) for item, column in zip(columns, table.columns, strict=True)]
        return np.stack([(each - self.mean_[at]) / self.scale_[at] for at, each in enumerate(found)], axis=1)

    def inverse_transform(self, X: Any) -> Array:  # noqa: N803
        """Return rows in the units of the data."""
        return np.asarray(np.asarray(X, dtype=np.float64) * self.scale_ + self.mean_)
