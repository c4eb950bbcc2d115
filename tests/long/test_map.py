"""Fifty thousand pairs of inputs under the map law, over every transformation of the calculus."""

import pytest

from tests.laws import Case, check_map
from tests.laws.tables import is_table
from tests.laws.test_laws import CASES, MEASUREMENTS, by_name

PAIRS = 50_000
PLAIN = [case for case in CASES if case not in MEASUREMENTS and not is_table(case.chain)]


@pytest.mark.long
@pytest.mark.parametrize("case", PLAIN, ids=by_name)
def test_no_transformation_moves_further_than_its_map(case: Case) -> None:
    check_map(case, pairs=-(-PAIRS // len(PLAIN)))
