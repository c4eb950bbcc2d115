"""From trees of meanings to an engine's SQL: expressions, by their types.

Every kind of node is written by a rule of its own. A node without a rule is refused, so that nothing is ever written
whose value might differ, or that might fail for some row.
"""

from collections.abc import Callable, Mapping
from typing import final

from attrs import field, frozen
from sqlglot import exp

from privet.tables.engines.typed_sql.trees import KINDS, WIDE, Columns, Kind, Typed
from privet.tables.engines.typed_sql.writer import Writer

_REAL = set("eE.nif")  # of 1e5, 0.1, nan, inf


@final
@frozen
class Scope:
    """What names of columns mean.

    Args:
        tables: The columns of each table of the FROM clause, by its name there.
        query: Writes a query within an expression.
        writer: The SQL of the engine.
        bound: The types of names that ``let`` binds.
    """

    tables: Mapping[str, Columns]
    query: Callable[[exp.Query], tuple[exp.Query, Columns]]
    writer: Writer
    bound: Mapping[str, Kind] = field(factory=dict)

    def kind(self, node: exp.Column) -> Kind:
        """Find the type of a column."""
        if not node.table and node.name in self.bound:
            return self.bound[node.name]
        places = [self.tables[node.table]] if node.table in self.tables else list(self.tables.values())
        return next(columns[node.name] for columns in places if node.name in columns)

    def bind(self, name: str, kind: Kind) -> "Scope":
        """Know one more name."""
        return Scope(self.tables, self.query, self.writer, {**self.bound, name: kind})


def translate(node: exp.Expr, scope: Scope) -> Typed:
    """Write an expression."""
    rule = _RULES.get(type(node))
    if rule is None:
        raise scope.writer.refused(
            f"{node.key} is not computed", "ask for something simpler, or compute it in a view of the table."
        )
    return rule(node, scope)


def _column(node: exp.Expr, scope: Scope) -> Typed:
    name, table = scope.writer.name, node.table  # type: ignore[attr-defined]
    made = exp.Column(this=name(node.name), table=name(table) if table else None)
    return Typed(made, scope.kind(node))  # type: ignore[arg-type]


def _literal(node: exp.Expr, scope: Scope, sign: str = "") -> Typed:
    if node.is_string:
        return scope.writer.literal(node.name, "text")
    value = sign + node.name
    if set(value) & _REAL:
        return scope.writer.literal(repr(float(value)), "real")
    return scope.writer.literal(value, "integer" if -(2**63) <= int(value) < 2**63 else "int128")


def _negated(node: exp.Expr, scope: Scope) -> Typed:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        return _literal(node.this, scope, "-")
    value = translate(node.this, scope)
    return Typed(exp.Neg(this=exp.Paren(this=value.tree)), value.kind)


def _parentheses(node: exp.Expr, scope: Scope) -> Typed:
    inner = translate(node.this, scope)
    return Typed(inner.tree if isinstance(inner.tree, exp.Paren) else exp.Paren(this=inner.tree), inner.kind)


def _compared(node: exp.Expr, scope: Scope) -> Typed:
    left, right = translate(node.this, scope), translate(node.expression, scope)
    return Typed(type(node)(this=_operand(left), expression=_operand(right)), "boolean")


def _operand(value: Typed) -> exp.Expr:
    return value.tree if isinstance(value.tree, exp.Column | exp.Cast | exp.Paren) else exp.Paren(this=value.tree)


def _negation(node: exp.Expr, scope: Scope) -> Typed:
    return Typed(exp.Not(this=_operand(translate(node.this, scope))), "boolean")


def _is(node: exp.Expr, scope: Scope) -> Typed:
    right = node.expression
    if not isinstance(right, exp.Null | exp.Boolean):
        raise scope.writer.refused("is compares with null, true or false", "use =.")
    return Typed(exp.Is(this=_operand(translate(node.this, scope)), expression=right.copy()), "boolean")


def _between(node: exp.Expr, scope: Scope) -> Typed:
    low, high = (translate(node.args[side], scope) for side in ("low", "high"))
    value = translate(node.this, scope)
    return Typed(exp.Between(this=_operand(value), low=_operand(low), high=_operand(high)), "boolean")


def _in(node: exp.Expr, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    query = node.args.get("query")
    if query is not None:
        inner = query.this if isinstance(query, exp.Subquery) else query
        return Typed(exp.In(this=value.tree, query=exp.Subquery(this=scope.query(inner)[0])), "boolean")
    listed = [translate(each, scope).tree for each in node.expressions]
    return Typed(exp.In(this=value.tree, expressions=listed), "boolean")


def _tuple(node: exp.Expr, scope: Scope) -> Typed:
    return Typed(exp.Tuple(expressions=[translate(each, scope).tree for each in node.expressions]), "rows")


def _case(node: exp.Expr, scope: Scope) -> Typed:
    if node.this is not None:
        raise scope.writer.refused("case compares nothing with its first value", "write case when x = 1 then ...")
    pairs = [(translate(each.this, scope), translate(each.args["true"], scope)) for each in node.args["ifs"]]
    default = node.args.get("default")
    last = Typed(exp.null(), "null") if default is None else translate(default, scope)
    kind = scope.writer.common([*(value.kind for _, value in pairs), last.kind])
    ifs = [exp.If(this=when.tree, true=value.tree) for when, value in pairs]
    return Typed(exp.Case(ifs=ifs, default=None if default is None else last.tree), kind)


def _coalesce(node: exp.Expr, scope: Scope) -> Typed:
    return scope.writer.spell("coalesce", *(translate(each, scope) for each in (node.this, *node.expressions)))


def _null_if(node: exp.Expr, scope: Scope) -> Typed:
    return scope.writer.spell("nullif", translate(node.this, scope), translate(node.expression, scope))


def _cast(node: exp.Expr, scope: Scope) -> Typed:
    kind, value = KINDS.get(node.args["to"].this), node.this
    if kind is None:
        raise scope.writer.refused("lists are not read", "make a row for each item in a view of the table.")
    if isinstance(value, exp.Literal) and value.is_string and isinstance(node, exp.Cast) and not _tries(node):
        return scope.writer.literal(value.name, kind)
    if isinstance(value, exp.Mul) and kind == "integer":
        sides = [translate(each, scope) for each in (value.this, value.expression)]
        product = scope.writer.fitting_times(*sides)
        if product is not None:  # what is cast so is known to fit
            return product
    inner = translate(value, scope)
    return scope.writer.as_text(inner) if kind == "text" else scope.writer.cast_as(inner, kind)


def _tries(node: exp.Expr) -> bool:
    return isinstance(node, exp.TryCast)


def _sum_of(node: exp.Expr, scope: Scope) -> Typed:
    return scope.writer.plus(translate(node.this, scope), translate(node.expression, scope), type(node))  # type: ignore[arg-type]


def _two(rule: Callable[[Writer, Typed, Typed], Typed]) -> Callable[[exp.Expr, Scope], Typed]:
    return lambda node, scope: rule(scope.writer, translate(node.this, scope), translate(node.expression, scope))


def _aggregate(node: exp.Expr, scope: Scope) -> Typed:
    value = translate(node.this, scope)
    if isinstance(node, exp.Sum):
        if value.kind not in ("integer", *WIDE):
            raise scope.writer.refused(f"sums are of whole numbers, got {value.kind}", "use grid steps.")
        return scope.writer.total(value)
    return scope.writer.extreme(value, type(node))


def _count(node: exp.Expr, scope: Scope) -> Typed:
    inside = node.this
    if isinstance(inside, exp.Star):
        return Typed(exp.Count(this=exp.Star()), "integer")
    if isinstance(inside, exp.Distinct):
        different = [translate(each, scope).tree for each in inside.expressions]
        return Typed(exp.Count(this=exp.Distinct(expressions=different)), "integer")
    return Typed(exp.Count(this=translate(inside, scope).tree), "integer")


def _window(node: exp.Expr, scope: Scope) -> Typed:
    made = translate(node.this, scope)
    order = node.args.get("order")
    keys = [] if order is None else [ordered(each, scope) for each in order.expressions]
    if not keys and scope.writer.orders_windows and isinstance(node.this, exp.Anonymous):
        keys = [exp.Ordered(this=scope.writer.convert(exp.null(), "integer"), nulls_first=True)]  # all rows are equal
    if node.args.get("spec") or node.args.get("alias"):
        raise scope.writer.refused("windows have no frame", "ask for something simpler.")
    window = exp.Window(
        this=made.tree,
        partition_by=[translate(each, scope).tree for each in node.args.get("partition_by") or []],
        order=exp.Order(expressions=keys) if keys else None,
        over="OVER",
    )
    return Typed(window, made.kind)


def ordered(node: exp.Expr, scope: Scope) -> exp.Ordered:
    """Write one of the keys that rows are sorted by; hashes by their digits, which come in the same order."""
    inner = node.this
    if isinstance(inner, exp.Anonymous) and inner.name == "keyed_hash":
        tree = scope.writer.hash_order(*(translate(each, scope) for each in inner.expressions))
    else:
        tree = translate(inner, scope).tree
    first = bool(node.args.get("nulls_first"))
    return exp.Ordered(this=tree, desc=bool(node.args.get("desc")), nulls_first=first)


def _meaning(node: exp.Expr, scope: Scope) -> Typed:
    if node.name == "let":
        value, name, body = node.expressions
        made = translate(value, scope)
        written = translate(body, scope.bind(name.name, made.kind))
        return Typed(scope.writer.bind(made, name.name, written), written.kind)
    if node.name == "each_listed":
        raise scope.writer.refused("lists of values stand in a query of their own", "ask for something simpler.")
    return scope.writer.spell(node.name, *(translate(each, scope) for each in node.expressions))


_RULES: dict[type[exp.Expr], Callable[[exp.Expr, Scope], Typed]] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda node, _: Typed(node.copy(), "boolean"),
    exp.Null: lambda _, __: Typed(exp.null(), "null"),
    exp.Neg: _negated,
    exp.Paren: _parentheses,
    **dict.fromkeys((exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.And, exp.Or), _compared),
    exp.Not: _negation,
    exp.Is: _is,
    exp.Between: _between,
    exp.In: _in,
    exp.Tuple: _tuple,
    exp.Case: _case,
    exp.Coalesce: _coalesce,
    exp.Nullif: _null_if,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Add: _sum_of,
    exp.Sub: _sum_of,
    exp.Mul: _two(lambda writer, left, right: writer.times(left, right)),
    exp.Div: _two(lambda writer, left, right: writer.over(left, right)),
    exp.IntDiv: _two(lambda writer, left, right: writer.divide(left, right)),
    exp.Mod: _two(lambda writer, left, right: writer.remainder(left, right)),
    exp.DPipe: _two(lambda writer, left, right: writer.join_texts(left, right)),
    exp.Like: _two(lambda writer, left, right: writer.like(left, right)),
    exp.ILike: _two(lambda writer, left, right: writer.ilike(left, right)),
    exp.BitwiseRightShift: _two(lambda writer, left, right: writer.halve(left, right)),
    **dict.fromkeys((exp.Sum, exp.Min, exp.Max), _aggregate),
    exp.Count: _count,
    exp.Window: _window,
    exp.Anonymous: _meaning,
}
