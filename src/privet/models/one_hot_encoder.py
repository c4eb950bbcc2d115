"""Categories of a public list as columns of zeros and ones."""

from typing import Any, final

import numpy as np

from privet.core import Array
from privet.errors import InvalidError
from privet.models.features import Feature, Features, Numeric
from privet.models.fit_job import FitJob
from privet.models.preprocessor import BUDGET, PrivatePreprocessor, clipped, input_names, interval


@final
class OneHotEncoder(PrivatePreprocessor):
    """Turn each column of categories into one column of zeros and ones for each category of a public list.

    A value outside the list is zero everywhere. Columns of numbers with bounds stay as they are, within their bounds.
    Nothing is learnt from the data, so there is no budget.

    The estimators of Privet encode categories by themselves, at a smaller sensitivity: one row has one category.

    Args:
        categories: Public lists of categories, by name or position.
        bounds: Public bounds of the columns of numbers.
        codebook: A codebook with the categories and bounds.

    Guarantee: ``loss_`` is zero.
    Proof: docs/models/one_hot_encoder.md.

    >>> encoder = OneHotEncoder(categories={0: ["a", "b"]}).fit([["a"]])
    >>> encoder.transform([["b"], ["z"]]).tolist()
    [[0.0, 1.0], [0.0, 0.0]]
    >>> encoder.get_feature_names_out().tolist()
    ['x0_a', 'x0_b']
    """

    epsilon = delta = rho = budget = rows_per_person = None

    def __init__(self, *, categories: Any = None, bounds: Any = None, codebook: Any = None) -> None:
        self.categories = categories
        self.bounds = bounds
        self.codebook = codebook

    def _fit(self, job: FitJob) -> None:
        raise InvalidError(f"{job.label} learns nothing from data and takes no {' or '.join(BUDGET)}.")

    def _fit_public(self) -> None:
        self.categories_ = [
            None if isinstance(item, Numeric) else np.array(item.values, dtype=object)
            for item in self.features_.columns
        ]

    def _finish(self) -> None:
        names: list[str] = []
        facts: list[Feature] = []
        for name, item in zip(input_names(self.features_), self.features_.columns, strict=True):
            if isinstance(item, Numeric):
                names, facts = [*names, name], [*facts, item]
            else:
                names += [f"{name}_{value}" for value in item.values]
                facts += [interval((0.0, 1.0))] * len(item.values)
        self.output_features_ = Features(columns=tuple(facts), names=tuple(names))

    def transform(self, X: Any) -> Array:  # noqa: N803
        """Encode every row by itself."""
        blocks = []
        for item, column in zip(self.features_.columns, self._columns(X).columns, strict=True):
            if isinstance(item, Numeric):
                blocks.append(clipped(item, column)[:, None])
            else:
                blocks.append((item.places(column)[:, None] == np.arange(len(item.values))).astype(np.float64))
        return np.concatenate(blocks, axis=1)
