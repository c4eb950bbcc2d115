"""What to write in a statement instead of a part that cannot be answered."""

from sqlglot import exp

from privet.tables.expressions import hint_at_function

_AGGREGATES = (
    "Aggregates are COUNT, SUM, AVG, MIN, MAX, MEDIAN, QUANTILE_CONT, VARIANCE, STDDEV, CORR, COVAR_SAMP, MODE and "
    "APPROX_TOP_K."
)
KEYS_OF = {  # what to group by, for columns whose kind makes no key
    "date": "Group by parts of it: GROUP BY year(day), month(day).",
    "timestamp": "Group by parts of it: GROUP BY year(time), month(time), hour(time).",
    "real": "Group by whole numbers of it: GROUP BY cast(floor(spending / 20) as integer).",
}


def instead_of(node: exp.Expr) -> str:
    """Say what to write instead of a part that cannot be answered."""
    if isinstance(node, exp.Window):
        return "A window gives a value for each row, and rows are never shown. GROUP BY gives one for each group."
    hint = hint_at_function(node) if isinstance(node, exp.Func) else ""
    other = _AGGREGATES if isinstance(node, exp.Func) else "Windows, sub-queries and filters cannot be answered here."
    return hint or other
