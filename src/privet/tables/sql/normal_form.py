"""One form for what statements write in several ways, so that the readers behind know one form only."""

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.engines.grammar import Grammar
from privet.tables.sql.list_forms import unnest_form

_AGGREGATES: dict[str, type[exp.Func]] = {  # names that some systems have and the parser does not know
    "var": exp.Variance,
    "std": exp.Stddev,
    "varp": exp.VariancePop,
    "stdevp": exp.StddevPop,
    "stddevp": exp.StddevPop,
}


_WITH_CONDITION: dict[str, type[exp.Func]] = {  # of ClickHouse, whose aggregates may end with If
    "countif": exp.Count,
    "sumif": exp.Sum,
    "avgif": exp.Avg,
    "minif": exp.Min,
    "maxif": exp.Max,
}


def normal_form(tree: exp.Expr, grammar: Grammar) -> None:
    """Change a tree in place: FETCH FIRST becomes LIMIT, VAR and STD get their usual names, sumIf a FILTER.

    Lists are unnested by a join.

    Args:
        tree: The tree of a statement.
        grammar: The grammar in which it is written.
    """
    for node in list(tree.walk()):
        if isinstance(node, exp.IgnoreNulls) and isinstance(node.this, exp.ApproxQuantiles):
            node.replace(node.this)  # quantiles leave nulls out anyway
    for place in tree.find_all(exp.Bracket):
        if isinstance(place.this, exp.ApproxQuantiles) and grammar == "bigquery" and place.args.get("offset") is None:
            place.set("offset", 0)  # places count from 0 there
    unnest_form(tree)
    for select in list(tree.find_all(exp.Select)):
        select.set("expressions", [each for item in select.expressions for each in _listed(item)])
    for node in list(tree.walk()):
        if isinstance(node, exp.Anonymous) and len(node.expressions) == 1 and node.name.lower() in _AGGREGATES:
            node.replace(_AGGREGATES[node.name.lower()](this=node.expressions[0]))
        elif isinstance(node, exp.CountIf):
            node.set("zero_on_all_null", None)  # a count of no rows is zero here anyway
        elif isinstance(node, exp.CombinedAggFunc):
            _condition(node)
        elif isinstance(node, exp.Fetch):
            _fetch(node)
        elif isinstance(node, exp.Group) and node.args.get("all") and node.expressions:
            raise InvalidError("SQL: GROUP BY ALL takes no further keys. Write GROUP BY ALL, or name the keys.")


def _listed(item: exp.Expr) -> list[exp.Expr]:
    """Write a list of single quantiles, ``[q1, q2] AS q``, as one item for each: ``q_1``, ``q_2``."""
    array = item.this if isinstance(item, exp.Alias) else item
    if not isinstance(array, exp.Array) or not array.expressions:
        return [item]
    if not all(
        isinstance(each, exp.Bracket) and isinstance(each.this, exp.ApproxQuantiles) for each in array.expressions
    ):
        return [item]
    name = item.alias or "quantiles"
    return [exp.alias_(each.copy(), f"{name}_{at}", quoted=True) for at, each in enumerate(array.expressions, start=1)]


def _condition(node: exp.CombinedAggFunc) -> None:
    call = _WITH_CONDITION.get(str(node.this).lower())
    if call is not None and len(node.expressions) == 2:
        value, condition = node.expressions
        node.replace(exp.Filter(this=call(this=value), expression=exp.Where(this=condition)))


def _fetch(node: exp.Fetch) -> None:
    options = node.args.get("limit_options")
    unusual = options is not None and (options.args.get("percent") or options.args.get("with_ties"))
    if not unusual:
        node.replace(exp.Limit(expression=node.args.get("count") or exp.Literal.number(1)))
