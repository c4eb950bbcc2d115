"""A choice is read as one of its categories."""

import numpy as np
import pytest

import privet.calculus as pc
from privet.core.choices import ChoiceDomain
from privet.errors import InvalidError


def test_any_other_value_is_the_first_category() -> None:
    domain = ChoiceDomain(categories=("a", "b"))
    assert [domain.admit(value) for value in ("b", "c", None, np.str_("b"))] == ["b", "a", "a", "b"]


def test_a_distance_is_between_categories_only() -> None:
    space = pc.choice(["a", "b"])
    assert (space.distance("a", "a"), space.distance("a", np.str_("b"))) == (0, 1)
    with pytest.raises(InvalidError, match=r"distance.y must lie in choice\(\['a', 'b'\]\): the value is not one of"):
        space.distance("a", "secret")
