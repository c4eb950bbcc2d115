"""The rules of reading: for every kind of node that is allowed in a parse tree, how it becomes an expression."""

from functools import partial
from typing import Any

from sqlglot import exp

from privet._familiar import find_close
from privet.errors import InvalidError
from privet.tables.columns import LARGEST, SMALLEST, Kind, find_column
from privet.tables.expressions import arithmetic, conditional, dates, logic, numeric, replacing, text
from privet.tables.expressions.accepting import UNNEST
from privet.tables.expressions.casts import convert
from privet.tables.expressions.catalog import refused, shorten, where, written
from privet.tables.expressions.date_rules import DATE_RULES, date_call, unit_of
from privet.tables.expressions.expression_reader import ExpressionReader, Rule
from privet.tables.expressions.node import Expression, Function, Literal, Reference
from privet.tables.expressions.syntax import KIND_OF
from privet.tables.expressions.time_of_day import time_of
from privet.tables.expressions.time_rules import TIME_CALLS, TIME_RULES, time_call

_PLACES = 3  # of a decimal without parameters
_COMPARED = (exp.EQ, exp.NEQ, exp.In)  # where a name that is no column is probably a text


def _column(reader: ExpressionReader, node: exp.Column) -> Expression:
    if not isinstance(node.this, exp.Identifier):
        raise refused(reader.text, node.this)
    reader.only(node, "this")
    name = node.this.name
    if name not in reader.columns:
        # the engine does not tell case apart, so neither do we, unless two columns differ by it alone
        same = [other for other in reader.columns if other.lower() == name.lower()]
        name = same[0] if len(same) == 1 else name
    unlike = name not in reader.columns and find_close(name, reader.columns) is None
    if unlike and node.this.args.get("quoted"):
        raise InvalidError(
            f"there is no column {shorten(name)}{where(reader.text, node)}; double quotes name a column. Write texts "
            f"in single quotes: '{name[:40]}'."
        )
    place = "" if reader.text in (name, f'"{name}"') else where(reader.text, node).strip()
    hint = f" Write texts in single quotes: '{name[:40]}'." if unlike and isinstance(node.parent, _COMPARED) else ""
    known = find_column("", name, reader.columns, at=place, hint=hint)
    if known.item is not None and not _may_hold_list(node.parent):
        raise InvalidError(f"{shorten(name)} is a list, and an expression is of single values. {UNNEST}")
    return Reference(name, known)


def _may_hold_list(parent: exp.Expr | None) -> bool:
    """Tell whether a list may stand there: alone, before IS NULL, or where an aggregate looks at its kind."""
    while isinstance(parent, exp.Paren):
        parent = parent.parent
    if isinstance(parent, exp.Is):
        return isinstance(parent.expression, exp.Null)
    places = (exp.Alias, exp.AggFunc, exp.Distinct, exp.Group, exp.Ordered, exp.Select)
    return parent is None or isinstance(parent, places)


def _literal(reader: ExpressionReader, node: exp.Literal) -> Expression:
    return Literal(node.name, "text") if node.is_string else _number(reader, node.name)


def _number(reader: ExpressionReader, digits: str) -> Expression:
    if digits.isascii() and digits.isdigit():
        value = int(digits) if len(digits.removeprefix("-")) <= 40 else LARGEST + 1
        if value <= LARGEST:
            return Literal(value, "integer")
        raise InvalidError(
            f"{shorten(digits, 40)} is beyond 64 bits. Write {digits[:20]}e0 for a real: {shorten(reader.text)}."
        )
    try:
        real = float(digits)
    except ValueError:
        raise InvalidError(f"{shorten(digits)} is no number: {shorten(reader.text)}.") from None
    if real in (float("inf"), float("-inf")):
        raise InvalidError(f"{shorten(digits)} is beyond the doubles: {shorten(reader.text)}.")
    return Literal(real, "real")


def _negative(reader: ExpressionReader, node: exp.Neg) -> Expression:
    reader.only(node, "this")
    if isinstance(node.this, exp.Literal) and not node.this.is_string and node.this.name == str(-SMALLEST):
        return Literal(SMALLEST, "integer")
    return arithmetic.NEGATE(reader.read(node.this))


def _null(reader: ExpressionReader, _: exp.Null) -> Expression:
    raise InvalidError(f"null has no kind here: {shorten(reader.text)}. Write x is null, or cast(null as integer).")


def _paren(reader: ExpressionReader, node: exp.Paren) -> Expression:
    reader.only(node, "this")
    return reader.read(node.this)


def _two(function: Function, reader: ExpressionReader, node: exp.Expr) -> Expression:
    reader.only(node, "this", "expression")
    if isinstance(node.expression, exp.Null) or isinstance(node.this, exp.Null):
        raise InvalidError(f"{function.name} with null is always null: {shorten(written(node))}. Write x is null.")
    return function(reader.read(node.this), reader.read(node.expression))


def _connected(function: Function, reader: ExpressionReader, node: exp.Connector) -> Expression:
    parts: list[Expression] = []
    rest: list[Any] = [node]
    while rest:  # a long chain is deep on its left side
        one = rest.pop()
        if type(one) is type(node):
            reader.only(one, "this", "expression")
            rest.extend((one.expression, one.this))
        else:
            parts.append(reader.read(one))
    return function(*parts)


def _one(function: Function, reader: ExpressionReader, node: exp.Expr) -> Expression:
    reader.only(node, "this")
    return function(reader.read(node.this))


def _is(reader: ExpressionReader, node: exp.Is) -> Expression:
    reader.only(node, "this", "expression")
    if isinstance(node.expression, exp.Null):
        return logic.IS_NULL(reader.read(node.this))
    if not isinstance(node.expression, exp.Boolean):
        raise refused(reader.text, node)
    x = reader.read(node.this)
    return conditional.COALESCE(x if node.expression.this else logic.NOT(x), Literal(value=False, of="boolean"))


def _between(reader: ExpressionReader, node: exp.Between) -> Expression:
    reader.only(node, "this", "low", "high")
    x, low, high = (reader.read(node.args[key]) for key in ("this", "low", "high"))
    return logic.AND(logic.AT_LEAST(x, low), logic.AT_MOST(x, high))


def _in(reader: ExpressionReader, node: exp.In) -> Expression:
    if node.args.get("query") is not None:
        raise refused(reader.text, node.args["query"].this if node.args["query"].this else node)
    reader.only(node, "this", "expressions")
    x = reader.read(node.this)
    items = [Literal(None, x.kind) if isinstance(item, exp.Null) else reader.read(item) for item in node.expressions]
    return logic.IN(x, *items)


def _like(reader: ExpressionReader, node: exp.Expr) -> Expression:
    tree, escape = node, []
    if isinstance(node, exp.Escape):
        reader.only(node, "this", "expression")
        tree, escape = node.this, [reader.read(node.expression)]
    if type(tree) not in (exp.Like, exp.ILike):
        raise refused(reader.text, node)
    reader.only(tree, "this", "expression", "negate")
    function = text.LIKE if isinstance(tree, exp.Like) else text.ILIKE
    matched = function(reader.read(tree.this), reader.read(tree.expression), *escape)
    return logic.NOT(matched) if tree.args.get("negate") else matched


def _case(reader: ExpressionReader, node: exp.Case) -> Expression:
    reader.only(node, "this", "ifs", "default")
    subject = reader.read(node.this) if node.this is not None else None
    conditions: list[Expression] = []
    for branch in node.args["ifs"]:
        reader.only(branch, "this", "true")
        condition = reader.read(branch.this)
        conditions.append(condition if subject is None else logic.EQUAL(subject, condition))
    results = reader.several(
        [branch.args["true"] for branch in node.args["ifs"]] + [node.args.get("default") or exp.Null()]
    )
    return _chosen(conditions, results)


def _chosen(conditions: list[Expression], results: list[Expression]) -> Expression:
    pairs = zip(conditions, results, strict=False)
    return conditional.CASE(*(part for pair in pairs for part in pair), results[-1])


def _if(reader: ExpressionReader, node: exp.If) -> Expression:
    reader.only(node, "this", "true", "false")
    results = reader.several([node.args["true"], node.args.get("false") or exp.Null()])
    return _chosen([reader.read(node.this)], results)


def _listed(function: Function, reader: ExpressionReader, node: exp.Expr) -> Expression:
    reader.only(node, "this", "expressions")
    first = [node.this] if node.args.get("this") is not None else []
    return function(*reader.several([*first, *node.expressions]))


def _nullif(reader: ExpressionReader, node: exp.Nullif) -> Expression:
    reader.only(node, "this", "expression")
    return conditional.NULLIF(*reader.several([node.this, node.expression]))


def _parts(function: Function, keys: tuple[str, ...], reader: ExpressionReader, node: exp.Expr) -> Expression:
    reader.only(node, *keys)
    return function(*(reader.read(node.args[key]) for key in keys if node.args.get(key) is not None))


def _left(reader: ExpressionReader, node: exp.Left) -> Expression:
    reader.only(node, "this", "expression")
    return text.SUBSTR(reader.read(node.this), Literal(1, "integer"), reader.read(node.expression))


def _trunc(reader: ExpressionReader, node: exp.Trunc) -> Expression:
    reader.only(node, "this", "fractions_supported")  # the second is a note of the parser
    return numeric.TRUNC(reader.read(node.this))


def _log(reader: ExpressionReader, node: exp.Log) -> Expression:
    reader.only(node, "this", "expression")
    if node.expression is None:
        return numeric.LOG10(reader.read(node.this))
    bases = {"2": numeric.LOG2, "10": numeric.LOG10}
    function = bases.get(node.this.name) if isinstance(node.this, exp.Literal) else None
    if function is None:
        raise InvalidError(f"log takes base 2 or 10, written out: {shorten(written(node))}. Write ln(x) / ln(base).")
    return function(reader.read(node.expression))


def _cast(reader: ExpressionReader, node: exp.Cast) -> Expression:
    reader.only(node, "this", "to")
    to = node.to
    if to.this is exp.DType.DECIMAL:
        return _decimal(reader, node)
    if to.this is exp.DType.TIME and not to.expressions:
        return _time(reader, node)
    kind = KIND_OF.get(to.this)
    if kind is None or to.expressions or to.args.get("nested"):
        allowed = "integer, real, boolean, text, date, timestamp, time"
        raise InvalidError(f"cast to {written(to).lower()} is not allowed, only to {allowed}: {shorten(reader.text)}.")
    if isinstance(node.this, exp.Null):
        return Literal(None, kind)
    value = convert(reader.read(node.this), kind)
    if isinstance(value, Literal) and value.value is None and isinstance(node.this, exp.Literal):
        raise InvalidError(f"{shorten(node.this.name)} is no {kind}{where(reader.text, node)}. Write {_WRITTEN[kind]}.")
    return value


def _time(reader: ExpressionReader, node: exp.Cast) -> Expression:
    """Read a cast to a time of day, which is a text."""
    if isinstance(node.this, exp.Null):
        return Literal(None, "text")
    value = time_of(reader.read(node.this))
    if isinstance(value, Literal) and value.value is None and isinstance(node.this, exp.Literal):
        raise InvalidError(f"{shorten(node.this.name)} is no time{where(reader.text, node)}. Write time '09:30:00'.")
    return value


def _replaced(reader: ExpressionReader, node: exp.RegexpReplace) -> Expression:
    reader.only(node, "this", "expression", "replacement", "modifiers", "single_replace")
    parts = [node.args.get(key) for key in ("this", "expression", "replacement", "modifiers")]
    return replacing.REGEXP_REPLACE(*(reader.read(part) for part in parts if part is not None))


def _decimal(reader: ExpressionReader, node: exp.Cast) -> Expression:
    """Read a cast to a decimal: the real, rounded to so many places; three if none are given."""
    places = [each.this for each in node.to.expressions]
    whole = all(isinstance(each, exp.Literal) and each.name.isdigit() for each in places)
    if not whole or len(places) > 2 or isinstance(node.this, exp.Null):
        raise refused(reader.text, node)
    digits = (int(places[1].name) if len(places) == 2 else 0) if places else _PLACES
    return numeric.ROUND(convert(reader.read(node.this), "real"), Literal(digits, "integer"))


def _anonymous(reader: ExpressionReader, node: exp.Anonymous) -> Expression:
    reader.only(node, "this", "expressions")
    name = str(node.this).lower()
    if name in ("strlen", "octet_length") and len(node.expressions) == 1:
        return text.STRLEN(reader.read(node.expressions[0]))
    if name == "clip":
        return conditional.CLIP(*map(reader.read, node.expressions))
    if name in ("date_part", "datepart") and len(node.expressions) == 2:
        return dates.EXTRACT(unit_of(reader, node, node.expressions[0]), reader.read(node.expressions[1]))
    if name in ("date_add", "date_sub", "dateadd", "adddate", "subdate"):
        return date_call(reader, name, node)
    if name in TIME_CALLS and len(node.expressions) == 2:
        return time_call(reader, name, node)
    if name in dates.PARTS and len(node.expressions) == 1:
        return dates.EXTRACT(Literal(name, "text"), reader.read(node.expressions[0]))
    raise refused(reader.text, node)


_WRITTEN: dict[Kind, str] = {  # how values are written that a text of another form was to be
    "integer": "a whole number, or null",
    "real": "a number, or null",
    "boolean": "true, false or null",
    "date": "date '2024-01-31'",
    "timestamp": "timestamp '2024-01-31 12:00:00'",
}
RULES: dict[type, Rule] = {
    exp.Column: _column,
    exp.Literal: _literal,
    exp.Boolean: lambda _, node: Literal(bool(node.this), "boolean"),
    exp.Null: _null,
    exp.Paren: _paren,
    exp.Neg: _negative,
    exp.Mul: partial(_two, arithmetic.MULTIPLY),
    exp.Div: partial(_two, arithmetic.DIVIDE),
    exp.IntDiv: partial(_two, arithmetic.WHOLE_DIVIDE),
    exp.Mod: partial(_two, arithmetic.REMAINDER),
    exp.Pow: partial(_two, numeric.POW),
    exp.EQ: partial(_two, logic.EQUAL),
    exp.NEQ: partial(_two, logic.NOT_EQUAL),
    exp.LT: partial(_two, logic.BELOW),
    exp.LTE: partial(_two, logic.AT_MOST),
    exp.GT: partial(_two, logic.ABOVE),
    exp.GTE: partial(_two, logic.AT_LEAST),
    exp.Is: _is,
    exp.And: partial(_connected, logic.AND),
    exp.Or: partial(_connected, logic.OR),
    exp.Not: partial(_one, logic.NOT),
    exp.Between: _between,
    exp.In: _in,
    exp.Like: _like,
    exp.ILike: _like,
    exp.Escape: _like,
    exp.Case: _case,
    exp.If: _if,
    exp.Coalesce: partial(_listed, conditional.COALESCE),
    exp.Nullif: _nullif,
    exp.Least: partial(_listed, conditional.LEAST),
    exp.Greatest: partial(_listed, conditional.GREATEST),
    exp.Abs: partial(_one, numeric.ABS),
    exp.Floor: partial(_one, numeric.FLOOR),
    exp.Ceil: partial(_one, numeric.CEIL),
    exp.Trunc: _trunc,
    exp.Sign: partial(_one, numeric.SIGN),
    exp.Round: partial(_parts, numeric.ROUND, ("this", "decimals")),
    exp.Sqrt: partial(_one, numeric.SQRT),
    exp.Exp: partial(_one, numeric.EXP),
    exp.Ln: partial(_one, numeric.LN),
    exp.Log: _log,
    exp.Lower: partial(_one, text.LOWER),
    exp.Upper: partial(_one, text.UPPER),
    exp.Trim: partial(_one, text.TRIM),
    exp.Length: partial(_one, text.LENGTH),
    exp.ByteLength: partial(_one, text.STRLEN),
    exp.StrPosition: partial(_parts, text.STRPOS, ("this", "substr")),
    exp.Left: _left,
    exp.Right: partial(_two, text.RIGHT),
    exp.Replace: partial(_parts, text.REPLACE, ("this", "expression", "replacement")),
    exp.Substring: partial(_parts, text.SUBSTR, ("this", "start", "length")),
    exp.DPipe: partial(_two, text.JOIN),
    exp.Concat: partial(_listed, text.CONCAT),
    exp.StartsWith: partial(_two, text.STARTS_WITH),
    exp.EndsWith: partial(_two, text.ENDS_WITH),
    exp.Contains: partial(_two, text.CONTAINS),
    exp.RegexpReplace: _replaced,
    **DATE_RULES,
    **TIME_RULES,
    exp.SafeAdd: partial(_two, arithmetic.ADD),
    exp.SafeSubtract: partial(_two, arithmetic.SUBTRACT),
    exp.SafeMultiply: partial(_two, arithmetic.MULTIPLY),
    exp.SafeDivide: partial(_two, arithmetic.DIVIDE),
    exp.SafeNegate: partial(_one, arithmetic.NEGATE),
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Anonymous: _anonymous,
}
