"""Columns of zeros and ones for public categories."""

import numpy as np
import pytest

from privet.accounting.losses.pure import PureLoss
from privet.errors import InvalidError
from privet.models.features import Numeric
from privet.models.json_form import from_json
from privet.models.one_hot_encoder import OneHotEncoder


def test_categories_are_columns_and_numbers_stay() -> None:
    encoder = OneHotEncoder(categories={0: ["a", "b"]}, bounds={1: (0, 5)}).fit([["zzz", 1]])
    assert encoder.transform([["b", 9], ["zzz", -1], [None, 2]]).tolist() == [[0, 1, 5], [0, 0, 0], [0, 0, 2]]
    assert encoder.output_features_.columns == (Numeric(lower=0, upper=1),) * 2 + (Numeric(lower=0, upper=5),)
    assert encoder.get_feature_names_out().tolist() == ["x0_a", "x0_b", "x1"]
    assert encoder.loss_ == PureLoss(0)


def test_a_text_of_it_is_the_same() -> None:
    encoder = OneHotEncoder(categories={0: ["a", "b"]}).fit(np.empty((0, 1), dtype=object))
    again = from_json(encoder.to_json())
    assert again.transform([["a"]]).tolist() == encoder.transform([["a"]]).tolist() == [[1, 0]]


def test_a_list_from_the_data_is_refused() -> None:
    with pytest.raises(InvalidError, match="for column 0"):
        OneHotEncoder().fit([["a"], ["b"]])
    with pytest.raises(TypeError, match="epsilon"):
        OneHotEncoder(epsilon=1)  # type: ignore[call-arg]
