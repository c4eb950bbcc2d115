"""Numbers as bins: of equal width between public bounds, or between private quantiles."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np

from privet.core import Array, read_whole
from privet.errors import InvalidError
from privet.models.features import Features
from privet.models.fit_job import FitJob
from privet.models.preprocessor import BUDGET, PUBLIC, PrivatePreprocessor, clipped, input_names, interval, numbers_only
from privet.models.signal import Signal, rows_text
from privet.transforms.sums_by_group import SumsByGroup

_FINE = 256  # equal bins that are counted; quantiles are read between their edges
_STRATEGIES = ("uniform", "quantile")
_FORMS = ("ordinal", "onehot-dense")


@final
class KBinsDiscretizer(PrivatePreprocessor):
    """Replace each number by its bin.

    With ``strategy="uniform"`` the bins are of equal width between the public bounds: no data are read and there is no
    budget. With ``strategy="quantile"`` the edges are private quantiles, from one noisy histogram for each column.

    Args:
        n_bins: How many bins each column has; fewer where quantiles are equal.
        strategy: "uniform" or "quantile".
        encode: "ordinal" for the number of the bin, "onehot-dense" for one column for each bin.
        epsilon: The privacy loss, with or without ``delta``.
        delta: The probability that the loss exceeds epsilon, such as 1e-6.
        rho: The privacy loss in zero-concentrated form, instead of epsilon and delta.
        budget: A budget such as ``pv.budget(rho=0.02)``, instead of all three.
        bounds: Public bounds: a pair for all columns, a list of pairs, or a dictionary by name or position.
        codebook: A codebook with the bounds.
        rows_per_person: The largest number of rows of a person; needed if ``fit`` is given persons.

    Guarantee: ``loss_``, at most the budget, for one row (with persons: one person) more or less; else zero.
    Proof: docs/models/k_bins_discretizer.md.

    >>> bins = KBinsDiscretizer(n_bins=4, bounds=(0, 8)).fit([[1]])
    >>> bins.transform([[0], [3], [99]]).tolist(), bins.bin_edges_[0].tolist()
    ([[0.0], [1.0], [3.0]], [0.0, 2.0, 4.0, 6.0, 8.0])
    """

    def __init__(
        self,
        *,
        n_bins: Any = 5,
        strategy: Any = "uniform",
        encode: Any = "ordinal",
        epsilon: Any = None,
        delta: Any = None,
        rho: Any = None,
        budget: Any = None,
        bounds: Any = None,
        codebook: Any = None,
        rows_per_person: Any = None,
    ) -> None:
        self.n_bins = n_bins
        self.strategy = strategy
        self.encode = encode
        self.epsilon = epsilon
        self.delta = delta
        self.rho = rho
        self.budget = budget
        self.bounds = bounds
        self.codebook = codebook
        self.rows_per_person = rows_per_person

    def needs_budget(self) -> bool:
        """Tell whether the fit releases quantiles."""
        return bool(self._strategy() == "quantile")

    def _strategy(self) -> Any:
        for name, known in (("strategy", _STRATEGIES), ("encode", _FORMS)):
            given = getattr(self, name)
            if given not in known:
                raise InvalidError(f"KBinsDiscretizer.{name} must be {' or '.join(map(repr, known))}, got {given!r}.")
        if not 2 <= read_whole("KBinsDiscretizer.n_bins", self.n_bins) <= _FINE:
            raise InvalidError(f"KBinsDiscretizer.n_bins must be from 2 to {_FINE}, got {self.n_bins}.")
        if self.strategy == "uniform" and any(getattr(self, name) is not None for name in BUDGET):
            raise InvalidError(
                "KBinsDiscretizer with strategy='uniform' reads no data and takes no budget; strategy='quantile' does."
            )
        return self.strategy

    def fit(self, X: Any, y: Any = None, *, persons: Any = None) -> "KBinsDiscretizer":  # noqa: N803
        """Find the edges: without a budget from the bounds, with one from noisy histograms.

        Args:
            X: The rows.
            y: Not used.
            persons: As for other estimators.
        """
        self._strategy()
        return PrivatePreprocessor.fit(self, X, y, persons=persons)

    def _fit_public(self) -> None:
        columns = numbers_only("KBinsDiscretizer", self.features_)
        self.bin_edges_ = [np.linspace(float(item.lower), float(item.upper), self.n_bins + 1) for item in columns]

    bin_edges_: list[Array]
    n_bins_: Array
    _form: str

    def _fit(self, job: FitJob) -> None:
        if self._strategy() == "uniform":  # of a session, which refuses what releases nothing
            self._fit_public()
            self.signal_ = PUBLIC
            return
        columns = numbers_only(job.label, job.features)
        rows = job.coded(_FINE)
        unit = SumsByGroup(groups=[_FINE] * len(columns), radius=1, order=1)
        counts = np.asarray(rows.release("histograms", unit, share=Fraction(1)), dtype=np.float64).reshape(
            len(columns), _FINE
        )
        self.n_samples_ = max(float(counts.sum(axis=1).mean()), 1.0)
        self.bin_edges_ = []
        for item, count in zip(columns, counts, strict=True):
            fine = np.linspace(float(item.lower), float(item.upper), _FINE + 1)
            self.bin_edges_.append(_quantiles(count, fine, self.n_bins))
        noise = rows.scale() * math.sqrt(_FINE) / 2  # of the sum of the counts up to the middle
        clear = noise * self.n_bins <= self.n_samples_
        judgement = (
            "are clear of the noise" if clear else "are mostly noise: use fewer bins, fewer columns or a larger budget"
        )
        self.signal_ = Signal(clear, f"with {rows_text(self.n_samples_)} the quantiles {judgement}.")

    def _finish(self) -> None:
        self.n_bins_ = np.array([len(edges) - 1 for edges in self.bin_edges_])
        names = input_names(self.features_)
        self._form = self.encode
        if self._form == "ordinal":
            facts = tuple(interval((0.0, float(max(bins - 1, 1)))) for bins in self.n_bins_)
        else:
            names = tuple(f"{name}_{at}" for name, bins in zip(names, self.n_bins_, strict=True) for at in range(bins))
            facts = (interval((0.0, 1.0)),) * len(names)
        self.output_features_ = Features(columns=facts, names=names)

    def transform(self, X: Any) -> Array:  # noqa: N803
        """Return the bin of every number by itself; a missing one counts as the middle of the bounds."""
        columns = numbers_only("KBinsDiscretizer", self.features_)
        blocks = []
        for at, (item, column) in enumerate(zip(columns, self._columns(X).columns, strict=True)):
            values = clipped(item, column)
            values = np.where(np.isnan(values), item.middle, values)
            bins = np.searchsorted(self.bin_edges_[at][1:-1], values, side="right")
            block = bins[:, None] if self._form == "ordinal" else bins[:, None] == np.arange(self.n_bins_[at])
            blocks.append(block.astype(np.float64))
        return np.concatenate(blocks, axis=1)


def _quantiles(counts: Array, edges: Array, bins: int) -> Array:
    """Return edges between which noisy counts are equal; equal ones are given once."""
    total = np.concatenate([[0.0], np.cumsum(counts)])
    # noise makes sums fall: the mean of the running maximum from below and the running minimum from above never does
    rising = (np.maximum.accumulate(total) + np.minimum.accumulate(total[::-1])[::-1]) / 2
    rising = rising - rising[0]
    inner = np.interp(np.arange(1, bins) / bins * max(rising[-1], 1e-9), rising, edges)
    return np.unique(np.concatenate([edges[:1], inner, edges[-1:]]))
