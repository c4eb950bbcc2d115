"""The laws that every unit obeys, and that every broken twin must break.

A unit's test module lists ``CASES`` (placed units) and ``TWINS`` (units with one deliberate mistake and the law that
must catch it); ``test_laws.py`` runs every law over all of them.
"""

from tests.laws.cases import Case, Twin
from tests.laws.loss import check_loss
from tests.laws.map import check_map
from tests.laws.membership import check_membership
from tests.laws.parity import check_parity
from tests.laws.row_by_row import check_row_by_row
from tests.laws.samples import check_samples, check_twin_samples
from tests.laws.touching import check_touching

__all__ = [
    "Case",
    "Twin",
    "check_loss",
    "check_map",
    "check_membership",
    "check_parity",
    "check_row_by_row",
    "check_samples",
    "check_touching",
    "check_twin_samples",
]
