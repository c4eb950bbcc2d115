"""What expressions mean in the SQL of another system, written as what means the same here; or a reason why not.

The parser reads argument orders, bases of logarithms, orders of nulls and names of functions. What it leaves is here:
division of whole numbers, numbers of weekdays, weeks, case and patterns of texts, and casts.
"""

from collections.abc import Collection, Mapping

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.engines.grammar import Grammar, translated
from privet.tables.expressions import KIND_OF
from privet.tables.sql.vendor_reading import Reading, Rule
from privet.tables.sql.vendors_dates import (
    FORMATTED,
    date_part,
    dated,
    formatted_date,
    full_periods,
    monday,
    timestamp_call,
    timestamp_literal,
    truncated_date,
    week,
    weekday,
)
from privet.tables.sql.vendors_formats import why_no_format
from privet.tables.sql.vendors_numbers import WITH_DECIMALS, find_operand
from privet.tables.sql.vendors_texts import (
    COMPARISONS,
    case_of_texts,
    compared,
    length,
    nullif,
    part_of_text,
    pattern,
    position,
    replaced_pattern,
    replaced_text,
    sum_of_texts,
)

_MOMENTS: tuple[Grammar, ...] = ("bigquery", "spark", "databricks")  # TIMESTAMP is a moment, whatever the zone
_CUTTING: tuple[Grammar, ...] = ("tsql", "spark", "databricks", "clickhouse", "sqlite")  # CAST(2.7 AS INT) is 2
_WHOLE_POWER = (
    "POWER of a whole number is whole there, and SQUARE is not. Write CAST(x AS FLOAT) of the number or of the power."
)
_SAFE: dict[type[exp.Expr], type[exp.Binary]] = {  # overflow is null here anyway
    exp.SafeAdd: exp.Add,
    exp.SafeSubtract: exp.Sub,
    exp.SafeMultiply: exp.Mul,
}


def vendors_meaning(tree: exp.Expr, columns: Mapping[str, Column], grammar: Grammar) -> exp.Expr:
    """Write an expression so that it means in the plain grammar what it means in another one; or refuse it.

    Args:
        tree: The expression; it is not changed.
        columns: What is known of the columns that it may name.
        grammar: The grammar in which it was written.
    """
    whole = exp.Paren(this=tree.copy())
    reading = Reading(columns, grammar)
    for node in reversed(list(whole.this.walk(bfs=False))):  # parts before what holds them
        rule = next((rule for kinds, rule in _RULES if isinstance(node, kinds)), None)
        new = rule(reading, node) if rule is not None else None
        if new is not None:
            node.replace(new)
    meaning: exp.Expr = whole.this
    return meaning


def check_quotients(tree: exp.Expr, whole: Collection[str]) -> None:
    """Refuse a quotient of released whole numbers in a grammar that cuts off its decimals.

    Args:
        tree: An expression over released columns.
        whole: The released columns that are whole numbers in plain SQL.
    """
    for node in tree.find_all(exp.Div):
        if node.args.get("typed") and _is_whole(node.this, whole) and _is_whole(node.expression, whole):
            raise InvalidError(
                "SQL: a quotient of whole numbers such as SUM(x) / COUNT(*) is not allowed in this dialect, which cuts "
                "off the decimals; released numbers have noise. Write 1.0 * SUM(x) / COUNT(*)."
            )


def _is_whole(node: exp.Expr, whole: Collection[str]) -> bool:
    if isinstance(node, exp.Paren | exp.Neg):
        return _is_whole(node.this, whole)
    if isinstance(node, exp.Add | exp.Sub | exp.Mul):
        return _is_whole(node.this, whole) and _is_whole(node.expression, whole)
    if isinstance(node, exp.Nullif | exp.Coalesce):
        return _is_whole(node.this, whole)
    if isinstance(node, exp.Cast):
        return KIND_OF.get(node.to.this) == "integer"
    return node.name in whole if isinstance(node, exp.Column) else isinstance(node, exp.Literal) and node.is_int


def _quotient(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Divide whole numbers where the grammar does, toward zero."""
    plain = exp.Div(this=node.this.copy(), expression=node.expression.copy())
    if not node.args.get("typed"):
        return plain  # a division by zero is null here, whoever asks
    sides = (node.this, node.expression)
    if any(find_operand(side, WITH_DECIMALS.get(reading.grammar, ())) for side in sides):
        return plain
    if reading.grammar == "tsql":
        powers = (find_operand(side, (exp.Pow,)) for side in sides)
        if any(power is not None and reading.value(power.this).kind == "integer" for power in powers):
            raise reading.refuse(node, _WHOLE_POWER)
    kinds = {reading.value(side).kind for side in sides}
    return exp.IntDiv(this=plain.this, expression=plain.expression) if kinds == {"integer"} else plain


def _power(reading: Reading, node: exp.Expr) -> None:
    """Refuse a power of T-SQL that is cut off: that of a whole number is whole, whatever the exponent."""
    exponent = node.expression
    if reading.grammar != "tsql" or (isinstance(exponent, exp.Literal) and exponent.is_int):
        return
    if reading.value(node.this).kind == "integer":
        raise reading.refuse(node, _WHOLE_POWER)


def _safe(_: Reading, node: exp.Expr) -> exp.Expr:
    sides = [exp.Paren(this=side.copy()) for side in (node.this, node.expression)]
    return exp.Paren(this=_SAFE[type(node)](this=sides[0], expression=sides[1]))


def _negated(_: Reading, node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Neg(this=exp.Paren(this=node.this.copy())))


def _unknown(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    is_weekday = node.name.lower() == "weekday" and reading.grammar in ("mysql", "spark", "databricks")
    return monday(node) if is_weekday and len(node.expressions) == 1 else None


def _cast(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Cut off decimals where a cast to whole numbers does."""
    to = node.args["to"]
    if to.this is exp.DType.TIMESTAMPTZ and reading.grammar in _MOMENTS and not to.expressions:
        return timestamp_literal(reading, node)
    if to.this is exp.DType.TIMESTAMP and to.expressions and isinstance(node.this, exp.Literal):
        return timestamp_literal(reading, node)  # the parser counts the decimals of a literal
    if to.this is exp.DType.DECIMAL and not to.expressions:  # as exact as can be in other systems
        return exp.Cast(this=node.this.copy(), to=exp.DataType(this=exp.DType.DOUBLE))
    kind = KIND_OF.get(to.this)
    if isinstance(node, exp.TryCast) and kind is not None:  # a cast that fails is null here anyway
        node = exp.Cast(this=node.this.copy(), to=node.args["to"].copy())
    if kind != "integer" or reading.grammar not in _CUTTING or reading.value(node.this).kind != "real":
        return node.copy()
    x = exp.Paren(this=node.this.copy())
    positive = exp.GTE(this=x, expression=exp.Literal.number(0))
    cut = exp.Case(ifs=[exp.If(this=positive, true=exp.Floor(this=x.copy()))], default=exp.Ceil(this=x.copy()))
    return exp.Cast(this=cut, to=node.args["to"].copy())


def _convert(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    if node.args.get("style") is not None or not isinstance(node.this, exp.DataType):
        why = why_no_format(translated(node), reading.grammar) if "%y" in translated(node) else ""
        if why:
            raise reading.refuse(node, why)
        return None
    return _cast(reading, exp.Cast(this=node.expression.copy(), to=node.this.copy()))


def _safely(_: Reading, node: exp.Expr) -> exp.Expr:
    """Read ``SAFE.f(x)``: no function fails here anyway."""
    inner: exp.Expr = node.this
    return inner.copy()


_RULES: tuple[tuple[tuple[type[exp.Expr], ...], Rule], ...] = (
    ((exp.Div,), _quotient),
    (tuple(_SAFE), _safe),
    ((exp.SafeNegate,), _negated),
    ((exp.DayOfWeek,), weekday),
    ((exp.Extract,), date_part),
    ((exp.Week,), week),
    ((exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc), truncated_date),
    ((exp.Length,), length),
    ((exp.Replace,), replaced_text),
    ((exp.TimestampDiff,), full_periods),
    ((exp.Cast,), _cast),
    ((exp.Timestamp,), timestamp_call),
    ((exp.Convert,), _convert),
    ((exp.Add,), sum_of_texts),
    ((exp.Like, exp.ILike), pattern),
    (COMPARISONS, compared),
    ((exp.StrPosition,), position),
    ((exp.Pow,), _power),
    ((exp.Nullif,), nullif),
    ((exp.Case,), case_of_texts),
    ((exp.StartsWith, exp.EndsWith, exp.Contains, exp.DecodeCase), part_of_text),
    ((exp.RegexpReplace,), replaced_pattern),
    (FORMATTED, formatted_date),
    ((exp.TsOrDsToDate,), dated),
    ((exp.SafeFunc,), _safely),
    ((exp.Anonymous,), _unknown),
)
