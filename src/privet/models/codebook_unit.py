"""What a fit outside a session makes of the privacy unit of a codebook: it must protect as much."""

from typing import Any

from privet.errors import InvalidError
from privet.models.features import read_codebook
from privet.tables.columns import Persons, Rows


def check_unit(label: str, given: Any, persons: Any) -> None:
    """Refuse a fit that would protect less than the codebook says.

    Args:
        label: The estimator, for messages.
        given: Its codebook, or None.
        persons: The person of each row, or None.
    """
    book = read_codebook(label, given)
    if book is None:
        return
    unit = book.unit
    if isinstance(unit, Rows) and unit.count > 1:
        raise InvalidError(
            f"{label}.codebook protects {unit.count} rows together, and fit one row, or the rows of one person: "
            "fit from a session."
        )
    if isinstance(unit, Persons) and persons is None:
        cap = "" if unit.most_rows is None else f"={unit.most_rows}"
        raise InvalidError(
            f"{label}.codebook protects persons (column {unit.id!r}), and fit has no persons=: each row would be "
            f"protected by itself. Give rows_per_person{cap} to the model and fit(X, ..., persons=ids), with ids that "
            "are no column of X. Or fit from a session, which does both."
        )
