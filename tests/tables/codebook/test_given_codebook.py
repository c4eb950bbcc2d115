"""What is handed over for a codebook: told by types and names alone."""

from typing import Any

import pytest

import privet as pv
from privet.errors import WrongTypeError
from privet.tables.codebook.given_codebook import check_order, is_data, is_one_codebook, read_codebook

BOOK = pv.Codebook(columns={"a": int}, unit=pv.Rows())
PLAIN = {"columns": {"a": int}, "unit": {"rows": 1}}


@pytest.mark.parametrize(
    ("given", "one"),
    [
        (PLAIN, True),
        ({"columns": {"a": int}}, True),
        ({"unit": pv.Rows()}, True),
        ({"columns": {"columns": int}, "unit": {"rows": 1}}, True),
        ({"visits": BOOK}, False),
        ({"visits": "visits.yaml", "patients": PLAIN}, False),
        ({"columns": BOOK, "unit": "unit.yaml"}, False),  # tables with these names
        ({"columns": PLAIN}, False),
        ({}, False),
    ],
)
def test_one_codebook_or_several(given: Any, one: bool) -> None:
    assert is_one_codebook(given) is one


def test_a_codebook_is_read_from_anything_that_is_one(tmp_path: Any) -> None:
    BOOK.write(tmp_path / "book.yaml")
    assert [read_codebook("x", each) for each in (BOOK, PLAIN, tmp_path / "book.yaml")] == [BOOK] * 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "x.codebook is missing: give a Codebook, the path of one, or a dictionary."),
        (3, "x.codebook must be a Codebook, the path of one, or a dictionary, got int."),
        (
            [],
            (
                "x.codebook must be a codebook, got a list, which looks like data. Give the source first, then the "
                "codebook."
            ),
        ),
    ],
)
def test_what_is_no_codebook_is_refused(given: Any, message: str) -> None:
    with pytest.raises(WrongTypeError) as caught:
        read_codebook("x", given)
    assert str(caught.value) == message


def test_the_order_is_told_by_names_and_types() -> None:
    check_order("x", "visits.csv", BOOK)
    check_order("x", [], "visits.yaml")
    with pytest.raises(
        WrongTypeError, match="wrong way round: the first is a codebook as a dictionary, the second a list"
    ):
        check_order("x", PLAIN, [])
    with pytest.raises(WrongTypeError, match="x.source must be data, got a Codebook"):
        check_order("x", BOOK, BOOK)
    assert is_data("VISITS.CSV.GZ")
    assert not is_data("visits.txt")  # a codebook may have any other name
