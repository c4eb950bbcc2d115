"""Weights by name: read exactly, refused with the parameter that holds them."""

from fractions import Fraction
from typing import Any

import pytest

from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.noise.planner import read_weights


def test_names_without_a_weight_count_as_one_and_typed_numbers_are_decimals() -> None:
    assert read_weights("it", ["a", "b"], {"b": 0.1}) == {"a": 1, "b": Fraction(1, 10)}
    assert read_weights("it", ["a", "b"], None) == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ({"c": 1}, InvalidError, r"it.weights names 'c', which is no thing."),
        ({"c": 1, 3: 1}, InvalidError, "which is no thing"),
        ({"a": 0}, InvalidError, r"it.weights\['a'\] must be above zero, got 0"),
        ({"a": -1}, InvalidError, "must be above zero"),
        ({"a": "much"}, PrivetError, r"it.weights\['a'\]"),
        ([1, 2], WrongTypeError, "it.weights must be numbers by name, got list"),
    ],
)
def test_what_is_no_weight_is_refused(weights: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_weights("it.weights", ["a", "b"], weights, each="thing")
