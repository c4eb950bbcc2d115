"""The plan of a frame of Spark: whether it gives the same rows whenever it runs, as far as the plan shows it.

Whatever is not known to do so is refused. Argument: docs/tables/engines/spark.md.
"""

from collections.abc import Iterator
from typing import Any

from privet.errors import InvalidError
from privet.tables.engines.typed_sql.withhold_errors import quietly

_ROW_LIMITS = {"GlobalLimit": "limit", "LocalLimit": "limit", "Offset": "offset", "Tail": "tail", "Sample": "sample"}
_MERGING = {"Aggregate", "Distinct", "Deduplicate", "Intersect", "Except"}  # of equal values, one stays
_STEPS = {  # that have an input; relations without one are data
    *("Project", "Filter", "Join", "LateralJoin", "Union", "Window", "Sort", "Generate", "Expand", "Pivot", "Unpivot"),
    *("SubqueryAlias", "View", "WithCTE", "CTERelationDef", "UnionLoop", "WithWindowDefinition", "CollectMetrics"),
    *("Repartition", "RepartitionByExpression", "RebalancePartitions", "ResolvedHint", "EventTimeWatermark"),
    *("DeserializeToObject", "SerializeFromObject", "TypedFilter", "MapElements", "MapPartitions", "AppendColumns"),
    *("MapGroups", "MapInPandas", "MapInArrow", "PythonMapInArrow", "FlatMapGroupsInPandas", "FlatMapGroupsInArrow"),
    *("FlatMapCoGroupsInPandas", "FlatMapCoGroupsInArrow", "ScriptTransformation", "Transpose"),
    *_MERGING,
}
_AGGREGATES = {  # whose value does not depend on the order of rows, but for the last bits of sums of doubles
    *("count", "count_if", "sum", "try_sum", "avg", "mean", "try_avg", "min", "max", "median", "percentile"),
    *("percentile_cont", "percentile_disc", "std", "stddev", "stddev_samp", "stddev_pop", "variance", "var_samp"),
    *("var_pop", "skewness", "kurtosis", "corr", "covar_samp", "covar_pop", "bool_and", "bool_or", "every", "any"),
    *(
        "pivotfirst",
        "some",
        "bit_and",
        "bit_or",
        "bit_xor",
        "approx_count_distinct",
        "grouping",
        "grouping_id",
        "regr_avgx",
    ),
    *("regr_avgy", "regr_count", "regr_intercept", "regr_r2", "regr_slope", "regr_sxx", "regr_sxy", "regr_syy"),
}
_OWN_FUNCTIONS = ("PythonUDAF", "PythonUDF", "ScalaUDAF", "ScalaAggregator", "HiveUDAFFunction", "V2Aggregator")
_ADVICE = "Write its rows to a table first, and give that table: a release must read the same rows each time."


def check_deterministic(frame: Any, name: str) -> None:
    """Refuse a frame whose plan may give other rows each time it runs; known from the plan alone.

    Args:
        frame: A frame of Spark.
        name: What to call it in messages.
    """
    if frame.isStreaming:
        raise InvalidError(f"{name}: the frame is a stream. {_ADVICE}")
    for node in _nodes(_analysed(frame, name)):
        _check_node(node, name)


def is_plain(frame: Any, name: str) -> bool:
    """Say whether a frame only names columns of one relation, so that no setting changes its values.

    Args:
        frame: A frame of Spark.
        name: What to call it in messages.
    """
    for node in _nodes(_analysed(frame, name)):
        if node.children().size() and node.nodeName() not in ("Project", "SubqueryAlias"):
            return False
        if any(_class(each) not in ("AttributeReference", "Alias") for each in _expressions(node)):
            return False
    return True


def _analysed(frame: Any, name: str) -> Any:
    return quietly(
        lambda: frame._jdf.queryExecution().analyzed(),
        f"{name}: the plan cannot be read. Spark's own message may quote data and is withheld.",
    )


def _check_node(node: Any, name: str) -> None:
    kind = node.nodeName()
    if kind in _ROW_LIMITS:
        raise InvalidError(
            f"{name}: the frame has a {_ROW_LIMITS[kind]}, which may keep other rows each time. {_ADVICE}"
        )
    if kind not in _STEPS and node.children().size():
        raise InvalidError(
            f"{name}: the frame has a step of the kind {kind}, which may give other rows each time. {_ADVICE}"
        )
    if kind == "Deduplicate" and node.keys().size() < node.child().output().size():
        raise InvalidError(f"{name}: the frame drops duplicates by some columns, and any of them may stay. {_ADVICE}")
    if not node.deterministic() or not all(_is_aggregate_of_any_order(each) for each in _expressions(node)):
        raise InvalidError(
            f"{name}: the frame has functions such as rand(), first() or monotonically_increasing_id(), which may "
            f"give other values each time. {_ADVICE}"
        )
    if kind in _MERGING and _has_collation(node):
        raise InvalidError(
            f"{name}: the frame groups or merges texts that a collation takes for equal, and any of them may stay. "
            f"Group by lower(...) or by texts without a collation. {_ADVICE}"
        )


def _is_aggregate_of_any_order(expression: Any) -> bool:
    """Refuse aggregates that are not known; what is no aggregate passes, and so do functions of the user's own."""
    if _class(expression) != "AggregateExpression":
        return True
    function = expression.aggregateFunction()
    return _class(function) in _OWN_FUNCTIONS or function.prettyName() in _AGGREGATES


def _has_collation(node: Any) -> bool:
    outputs = [each for child in _items(node.children()) for each in _items(child.output())]
    own = [each for each in _expressions(node) if each.resolved()]
    merged = own if node.nodeName() == "Aggregate" else [*outputs, *own]
    return any(" collate " in f"{each.dataType().catalogString()} ".lower() for each in merged)


def _class(value: Any) -> str:
    return str(value.getClass().getSimpleName())


def _expressions(node: Any) -> Iterator[Any]:
    waiting = _items(node.expressions())
    while waiting:
        each = waiting.pop()
        yield each
        waiting += _items(each.children())


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(at) for at in range(sequence.size())]


def _nodes(plan: Any) -> Iterator[Any]:
    waiting = [plan]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _items(node.children()) + _items(node.subqueries())
