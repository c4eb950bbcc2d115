"""Exact whole numbers of public groups: what the engine counts, and how far one privacy unit moves it."""

from privet.tables.statistics.contribution import Contribution
from privet.tables.statistics.counting import MANY, collected, counted, gathered, person_totals, spread
from privet.tables.statistics.groups import (
    all_groups,
    categories_of,
    implied_groups,
    in_groups,
    read_other,
    with_other,
)
from privet.tables.statistics.listed_groups import KEY_TYPES, MOST_GROUPS, is_key, listed_groups
from privet.tables.statistics.numbers_spec import ONE, NumbersSpec, one_number, sparse
from privet.tables.statistics.statistic import PERSONS, ROWS, GridColumn, Statistic, grid_column

__all__ = [
    "KEY_TYPES",
    "MANY",
    "MOST_GROUPS",
    "ONE",
    "PERSONS",
    "ROWS",
    "Contribution",
    "GridColumn",
    "NumbersSpec",
    "Statistic",
    "all_groups",
    "categories_of",
    "collected",
    "counted",
    "gathered",
    "grid_column",
    "implied_groups",
    "in_groups",
    "is_key",
    "listed_groups",
    "one_number",
    "person_totals",
    "read_other",
    "sparse",
    "spread",
    "with_other",
]
