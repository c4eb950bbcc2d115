"""Fifty thousand pairs of inputs under the map law, over every transformation; all extreme pairs of tables."""

import pytest

from tests.laws import Case, check_map
from tests.laws.tables import is_table
from tests.laws.test_laws import CASES, MEASUREMENTS, by_name

PAIRS, TABLES = 50_000, 24
UNITS = [case for case in CASES if case not in MEASUREMENTS]
PLAIN = [case for case in UNITS if not is_table(case.chain)]


@pytest.mark.long
@pytest.mark.parametrize("case", PLAIN, ids=by_name)
def test_no_transformation_moves_further_than_its_map(case: Case) -> None:
    check_map(case, pairs=-(-PAIRS // len(PLAIN)))


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in UNITS if is_table(case.chain)], ids=by_name)
def test_no_step_of_a_query_moves_further_than_its_map(case: Case) -> None:
    check_map(case, pairs=TABLES)
