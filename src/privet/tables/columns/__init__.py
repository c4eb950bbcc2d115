"""What is publicly known of a column and of the privacy unit."""

from privet.tables.columns.auto import Auto, CapOrBounds
from privet.tables.columns.column import (
    DEFAULT_LENGTH,
    KINDS,
    LARGEST,
    LONGEST_TEXT,
    NUMBERS,
    ORDERED,
    SMALLEST,
    Bounds,
    Column,
    Kind,
)
from privet.tables.columns.columns import Columns, check_names, closest, find_column, lowered
from privet.tables.columns.implication import Implication, count_periods, implied
from privet.tables.columns.limits import BYTES, Limits
from privet.tables.columns.source_text import check_date_format, check_missing, format_pattern
from privet.tables.columns.text_table import text_table
from privet.tables.columns.timestamps import (
    FIRST_DAY,
    FIRST_MOMENT,
    LAST_DAY,
    LAST_MOMENT,
    moments_of,
    read_moment,
    spans_of,
    to_date,
    write_moment,
)
from privet.tables.columns.unit import LENGTHS, Period, Persons, PrivacyUnit, Rows, check_caps, read_period

__all__ = [
    "BYTES",
    "DEFAULT_LENGTH",
    "FIRST_DAY",
    "FIRST_MOMENT",
    "KINDS",
    "LARGEST",
    "LAST_DAY",
    "LAST_MOMENT",
    "LENGTHS",
    "LONGEST_TEXT",
    "NUMBERS",
    "ORDERED",
    "SMALLEST",
    "Auto",
    "Bounds",
    "CapOrBounds",
    "Column",
    "Columns",
    "Implication",
    "Kind",
    "Limits",
    "Period",
    "Persons",
    "PrivacyUnit",
    "Rows",
    "check_caps",
    "check_date_format",
    "check_missing",
    "check_names",
    "closest",
    "count_periods",
    "find_column",
    "format_pattern",
    "implied",
    "lowered",
    "moments_of",
    "read_moment",
    "read_period",
    "spans_of",
    "text_table",
    "to_date",
    "write_moment",
]
