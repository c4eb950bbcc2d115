"""The most frequent categories."""

import pytest

from privet.errors import InvalidError
from privet.tables.aggregates.aggregate import Aggregate
from privet.tables.aggregates.top_k import mode, top_k
from tests.tables.aggregates.test_estimates import COLUMNS, answer

CASES: list[Aggregate] = [mode("ward"), top_k("ward", 2), mode("paid")]


def test_equal_counts_stay_in_public_order() -> None:
    assert answer(mode("c")) == ["s"]
    assert answer(top_k("c", 3)) == ["s", "r", "t"]


def test_there_must_be_as_many_categories() -> None:
    with pytest.raises(InvalidError, match="has 3 categories to choose from, got count=4"):
        top_k("c", 4).bind(COLUMNS)
