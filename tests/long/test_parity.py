"""Two hundred thousand pairs of neighbours behave the same, over every unit of the calculus."""

import pytest

from tests.laws import Case, check_parity
from tests.laws.tables import is_table
from tests.laws.test_laws import CASES, by_name

PAIRS = 200_000
PLAIN = [case for case in CASES if not is_table(case.chain)]


@pytest.mark.long
@pytest.mark.parametrize("case", PLAIN, ids=by_name)
def test_neighbours_behave_the_same(case: Case) -> None:
    check_parity(case, examples=-(-PAIRS // len(PLAIN)))
