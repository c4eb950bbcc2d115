"""Everything that is allowed: one list of functions, and the names under which they are written."""

from privet.tables.expressions import (
    arithmetic,
    casts,
    conditional,
    dates,
    logic,
    numeric,
    text,
)
from privet.tables.expressions.node import Function

FAMILIES: dict[str, tuple[Function, ...]] = {
    "Arithmetic": arithmetic.FUNCTIONS,
    "Comparison": logic.COMPARISONS,
    "Logic": logic.CONNECTIVES,
    "Choice": conditional.FUNCTIONS,
    "Rounding": numeric.ROUNDINGS,
    "Powers": numeric.POWERS,
    "Text": text.FUNCTIONS,
    "Dates": dates.FUNCTIONS,
    "Casts": casts.FUNCTIONS,
}

BY_NAME: dict[str, Function] = {
    function.name: function for functions in FAMILIES.values() for function in functions if function.name.isidentifier()
}
WORDS: tuple[str, ...] = (
    *BY_NAME,
    *("between", "cast", "if", "ifnull", "is null", "log", "power", "substring", "ceiling", "date_part"),
    *dates.PARTS,
)
