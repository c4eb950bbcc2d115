"""One form for what statements write in several ways, so that the readers behind know one form only."""

from sqlglot import exp

from privet.errors import InvalidError

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


def normal_form(tree: exp.Expr) -> None:
    """Change a tree in place: FETCH FIRST becomes LIMIT, VAR and STD get their usual names, sumIf a FILTER."""
    for node in list(tree.walk()):
        if isinstance(node, exp.Anonymous) and len(node.expressions) == 1 and node.name.lower() in _AGGREGATES:
            node.replace(_AGGREGATES[node.name.lower()](this=node.expressions[0]))
        elif isinstance(node, exp.CombinedAggFunc):
            _condition(node)
        elif isinstance(node, exp.Fetch):
            _fetch(node)
        elif isinstance(node, exp.Group) and node.args.get("all") and node.expressions:
            raise InvalidError("SQL: GROUP BY ALL takes no further keys. Write GROUP BY ALL, or name the keys.")


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
