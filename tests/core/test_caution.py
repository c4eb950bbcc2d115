"""A warning points at the caller."""

import pytest

import privet as pv
from privet.core import warn_caller
from privet.errors import PrivetWarning


def test_a_warning_points_at_the_line_that_called_the_package() -> None:
    with pytest.warns(PrivetWarning, match="too much") as given:
        warn_caller("too much")
    assert given[0].filename == __file__


def test_a_warning_from_deep_within_points_at_the_line_that_called_the_package() -> None:
    book = pv.Codebook(columns={"age": pv.column("integer", bounds=(0, 9))}, unit=pv.Rows())
    with pytest.warns(PrivetWarning, match="very large epsilon") as given:
        pv.Session([], book, pv.budget(epsilon=7))
    assert given[0].filename == __file__
