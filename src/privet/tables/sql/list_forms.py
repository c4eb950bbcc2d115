"""One form for the ways in which systems make a row for each item of a list: ``CROSS JOIN UNNEST(list) AS t(item)``."""

from sqlglot import exp

_UNNAMED = "unnest"  # what some systems call the column where nothing else is said
_FLATTENED = "value"  # what Snowflake calls it


def unnest_form(tree: exp.Expr) -> None:
    """Change a tree in place: LATERAL, FLATTEN, LATERAL VIEW, ARRAY JOIN and calls in SELECT become CROSS JOIN UNNEST.

    What has more than a list and a name stays as it is, and is refused where it is read.

    Args:
        tree: The tree of a statement.
    """
    for select in list(tree.find_all(exp.Select)):
        for join in select.args.get("joins") or ():
            _join(join)
        views = select.args.get("laterals") or ()
        made = [_view(each) for each in views]
        for each, join in zip(views, made, strict=True):
            if join is not None:
                each.pop()
                select.append("joins", join)
        _selected(select)


def _join(join: exp.Join) -> None:
    node = join.this
    lateral = isinstance(node, exp.Lateral) and not node.args.get("outer") and not node.args.get("ordinality")
    if lateral or isinstance(node, exp.TableFromRows):
        _replace(node, node.this)
    elif str(join.args.get("kind")).upper() == "ARRAY" and isinstance(node.unalias(), exp.Column):
        node.replace(_unnest(node.unalias(), node.args.get("alias") or node.this))
        join.set("kind", "CROSS")
    on = join.args.get("on")
    if isinstance(join.this, exp.Unnest) and isinstance(on, exp.Boolean) and on.this:
        join.set("on", None)


def _replace(node: exp.Expr, inner: exp.Expr) -> None:
    """Put UNNEST in the place of a table that is made of a list."""
    alias = node.args.get("alias")
    if isinstance(inner, exp.Unnest) and not inner.args.get("alias"):
        unnest = inner.copy()
    elif type(inner) is exp.Explode and (values := _input(inner)) is not None:
        unnest = exp.Unnest(expressions=[values.copy()])
        name = None if alias is None else alias.this
        alias = None if name is None else exp.TableAlias(this=name.copy(), columns=[exp.to_identifier(_FLATTENED)])
    else:
        return
    unnest.set("alias", None if alias is None else alias.copy())
    node.replace(unnest)


def _input(call: exp.Explode) -> exp.Expr | None:
    """Give the list that a call takes, also where it is named ``input``; None where there is more."""
    if call.args.get("expressions"):
        return None
    inner: exp.Expr = call.this
    if not isinstance(inner, exp.Kwarg):
        return inner
    named: exp.Expr | None = inner.expression if inner.this.name.lower() == "input" else None
    return named


def _view(view: exp.Expr) -> exp.Join | None:
    """Write ``LATERAL VIEW explode(list) t AS item`` as a join."""
    alias, call = view.args.get("alias"), view.this
    plain = isinstance(view, exp.Lateral) and view.args.get("view")
    if not plain or type(call) is not exp.Explode or call.args.get("expressions") or alias is None:
        return None
    unnest = exp.Unnest(expressions=[call.this.copy()], alias=alias.copy())
    return exp.Join(this=unnest, side="LEFT") if view.args.get("outer") else exp.Join(this=unnest, kind="CROSS")


def _unnest(values: exp.Expr, name: exp.Expr) -> exp.Unnest:
    alias = exp.TableAlias(this=name.copy(), columns=[name.copy()])
    return exp.Unnest(expressions=[values.copy()], alias=alias)


def _selected(select: exp.Select) -> None:
    """Write ``SELECT unnest(list) AS item FROM t`` with a join; several such calls are refused where they are read."""
    calls = [each for each in select.expressions if type(each.unalias()) is exp.Explode]
    if len(calls) != 1 or select.args.get("from_") is None:
        return
    (item,) = calls
    call = item.unalias()
    if call.args.get("expressions") or not isinstance(call.this, exp.Column):
        return
    given = item.args.get("alias") if isinstance(item, exp.Alias) else None
    name = exp.to_identifier(_UNNAMED) if given is None else given
    join = exp.Join(this=_unnest(call.this, name), kind="CROSS")
    item.replace(exp.Alias(this=exp.Column(this=name.copy(), table=name.copy()), alias=name.copy()))
    select.append("joins", join)
