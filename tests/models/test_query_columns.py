"""Columns of a query as a model reads them."""

from typing import Any

import pytest

import privet as pv
from privet.errors import InvalidError
from privet.models.categorical_nb import CategoricalNB
from privet.models.k_means import KMeans
from privet.models.linear_regression import LinearRegression
from tests.models.test_query_fit import LOSS, session


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(target="income"),
        pv.models.RandomForestRegressor(target="income"),
        pv.models.GaussianNB(target="rich"),
        CategoricalNB(target="rich"),
        KMeans(target="income"),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_query_without_features_is_refused(model: Any) -> None:
    """A forest looked for a column to split for ever, and other models spoke of their inner units."""
    opened = session(pv.Persons(id="id", rows=2))
    with pytest.raises(InvalidError, match="has no column to learn from"):
        opened.query().select("id", model.target).fit(model, **LOSS)
    assert opened.spent.epsilon == 0
