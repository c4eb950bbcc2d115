"""What to write in a statement instead of a part that cannot be answered."""

import re

from sqlglot import exp

from privet._familiar import find_close
from privet.errors import PrivetError
from privet.tables.expressions import hint_at_function

_CALLS = (
    *("COUNT", "SUM", "AVG", "MIN", "MAX", "MEDIAN", "QUANTILE_CONT", "VARIANCE", "STDDEV", "CORR", "COVAR_SAMP"),
    *("MODE", "APPROX_TOP_K"),
)
_AGGREGATES = f"Aggregates are {', '.join(_CALLS[:-1])} and {_CALLS[-1]}."
REAL_KEYS = (
    "Group by steps of it, GROUP BY FLOOR(x / 20) * 20, list values in WHERE x IN (0.5, 1), or let the release find "
    "them with session.sql(text, keys=pv.private(delta=1e-7))."
)
ONE_LEVEL = (
    "Write one statement for each level, each with its own GROUP BY, and release them in one batch: "
    "session.batch(by_ward=session.sql('SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward'), "
    "all=session.sql('SELECT COUNT(*) AS n FROM visits')).release(epsilon=1)."
)
LEVELS = {"rollup": "ROLLUP", "cube": "CUBE", "grouping_sets": "GROUPING SETS"}
_FULL_JOIN = (
    "Write the rows of the first table, and then those that only the second has, in a sub-query: "
    "SELECT ... FROM {first} LEFT JOIN {second} ON {ids} UNION ALL "
    "SELECT ... FROM {second} LEFT JOIN {first} ON {ids} WHERE {first}.{id} IS NULL."
)
_DISTINCT_SUM = (
    "One row decides whether a value occurs: it would need the noise of SUM(x), for a far smaller sum. Use "
    "COUNT(DISTINCT x), or SUM over a sub-query with one row for each person: SELECT id, MAX(x) AS x FROM ... GROUP "
    "BY id."
)
_DISTINCT_OTHER = "One row decides whether a value occurs. Leave DISTINCT out, or use COUNT(DISTINCT x)."
_DISTINCT_ENDS = "The smallest and the largest value are the same with and without DISTINCT: leave it out."
NUMBER_OF_IDS = "An id is a name and no measurement; it has no bounds. Use COUNT(DISTINCT {id}) or COUNT({id})."
ENDS_HINT = "Write it in the SELECT list, with the name of an aggregate of the list: SUM(x) AS s, DP_INTERVAL_LOW(s)."
CLIP_EACH = "Bound each argument by itself: CORR(clip(x, 0, 100), clip(y, 0, 10))."
_KEYS_FIRST = (
    "list the groups in WHERE x IN (...) or with session.sql(text, groups=[...]), or let the release find them with "
    "session.sql(text, keys=pv.private(delta=1e-7))"
)
_AS_CALLS = {
    "mean": "AVG",
    "sum": "SUM",
    "variance": "VARIANCE",
    "std": "STDDEV",
    "minimum": "MIN",
    "maximum": "MAX",
    "median": "MEDIAN",
    "quantile": "QUANTILE_CONT",
    "quantiles": "QUANTILE_CONT",
    "correlation": "CORR",
    "covariance": "COVAR_SAMP",
    "mode": "MODE",
    "top_k": "APPROX_TOP_K",
}
_AGGREGATE = re.compile(rf"^({'|'.join(_AS_CALLS)})(?=\('[^']*'(, '[^']*')?\) needs )")
_IN_PYTHON = (  # advice for Python, and the same for a statement
    (
        r"give bounds=\(lower, upper\), or put them in the codebook",
        "write clip(x, lower, upper) around it, as in SUM(clip(x, 0, 100)), or put them in the codebook",
    ),
    (
        r"list the groups with groups=\[\.\.\.\], or let the release find them with keys=pv\.private\([^)]*\)",
        _KEYS_FIRST,
    ),
    (r"^group_by: ", "SQL: GROUP BY: "),
    (r"list those of interest( with groups=\[\.\.\.\])?\.", f"{_KEYS_FIRST}."),
    (
        r"Texts have count_distinct, mode and histogram\.",
        "Texts have COUNT(DISTINCT x), MODE(x) and APPROX_TOP_K(x, 3).",
    ),
    (
        r"derive\(low='([^']*) <= c'\) and mean\('low'\) give",
        r"AVG(CASE WHEN \1 <= c THEN 1.0 ELSE 0.0 END) gives",
    ),
    (r"ask for it in agg\(\.\.\.\)", "write it in the SELECT list or in HAVING"),
)


def distinct_advice(call: exp.Expr) -> str:
    """Say what to write instead of DISTINCT in an aggregate."""
    if isinstance(call, exp.Min | exp.Max):
        return _DISTINCT_ENDS
    return _DISTINCT_SUM if isinstance(call, exp.Sum | exp.Avg) else _DISTINCT_OTHER


def full_join_advice(first: str, id_column: str, second: str, other_id: str) -> str:
    """Say how to write a FULL JOIN of two tables by their ids.

    Args:
        first: The name of one table.
        id_column: Its id.
        second: The name of the other one.
        other_id: Its id.
    """
    ids = f"{first}.{id_column} = {second}.{other_id}"
    return _FULL_JOIN.format(first=first, second=second, ids=ids, id=id_column)


def describe_levels(node: exp.Expr) -> str:
    """Name the levels of a GROUP BY as a statement does."""
    return "GROUPING SETS" if isinstance(node, exp.GroupingSets) else node.key.upper()


def instead_of(node: exp.Expr) -> str:
    """Say what to write instead of a part that cannot be answered."""
    if isinstance(node, exp.LogicalOr | exp.LogicalAnd):
        return "One row would decide it. Count the rows of which a condition is true: COUNT_IF(x > 3)."
    if isinstance(node, exp.Window):
        return "A window gives a value for each row, and rows are never shown. GROUP BY gives one for each group."
    if isinstance(node, exp.Anonymous) and node.name.lower() in ("dp_interval_low", "dp_interval_high"):
        return ENDS_HINT
    if isinstance(node, exp.Anonymous):
        close = find_close(node.name.upper(), _CALLS)
        if close is not None:
            return f"Did you mean {close}? {_AGGREGATES}"
    hint = hint_at_function(node) if isinstance(node, exp.Func) else ""
    other = _AGGREGATES if isinstance(node, exp.Func) else "Windows, sub-queries and filters cannot be answered here."
    return hint or other


def in_sql(error: PrivetError) -> PrivetError:
    """Give an error whose advice is for a statement, where it was for Python."""
    text = str(error)
    text = _AGGREGATE.sub(lambda found: f"SQL: {_AS_CALLS[found.group(1)]}", text)
    for pattern, advice in _IN_PYTHON:
        text = re.sub(pattern, advice, text)
    return error if text == str(error) else type(error)(text)
