"""What expressions mean in the SQL of another system, written as what means the same here; or a reason why not.

The parser reads argument orders, bases of logarithms, orders of nulls and names of functions. What it leaves is here:
division of whole numbers, numbers of weekdays, weeks, case and patterns of texts, and casts.
"""

import re
from collections.abc import Callable, Collection, Mapping

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.columns import Column
from privet.tables.engines.grammar import PLAIN, Grammar, translated
from privet.tables.expressions import KIND_OF, Expression, parse, shorten, written
from privet.tables.sql.vendors_formats import has_clock, why_no_format
from privet.tables.sql.vendors_numbers import WITH_DECIMALS, find_operand

_SUNDAY_IS_ONE: tuple[Grammar, ...] = ("bigquery", "mysql", "tsql", "spark", "databricks")
_MONDAY_IS_ONE: tuple[Grammar, ...] = ("trino", "presto")
_OTHER_WEEKS: tuple[Grammar, ...] = ("bigquery", "mysql", "tsql")
_CASELESS: tuple[Grammar, ...] = ("tsql", "mysql")
_CASELESS_PATTERNS: tuple[Grammar, ...] = (*_CASELESS, "sqlite")
_BACKSLASH: tuple[Grammar, ...] = ("postgres", "mysql", "bigquery", "spark", "databricks", "clickhouse")
_BYTES: tuple[Grammar, ...] = ("mysql", "clickhouse")  # LENGTH counts bytes
_MOMENTS: tuple[Grammar, ...] = ("bigquery", "spark", "databricks")  # TIMESTAMP is a moment, whatever the zone
_MOMENT = re.compile(r"\d{4}-\d{1,2}-\d{1,2}([ T]\d{1,2}:\d{2}(:\d{2}(\.\d{1,9})?)?)?", re.ASCII)
_CUTTING: tuple[Grammar, ...] = ("tsql", "spark", "databricks", "clickhouse", "sqlite")  # CAST(2.7 AS INT) is 2
_SAME_PATTERNS: tuple[Grammar, ...] = (PLAIN, "bigquery")  # regular expressions of RE2
_FORMATTED = (exp.StrToTime, exp.StrToDate, exp.ParseDatetime, exp.ParseTime)
_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between)
_NO_CASE = "it compares texts without regard to case."
_WHOLE_POWER = (
    "POWER of a whole number is whole there, and SQUARE is not. Write CAST(x AS FLOAT) of the number or of the power."
)
_UNITS = {"MM": "MONTH", "MON": "MONTH", "YYYY": "YEAR", "YY": "YEAR", "DD": "DAY", "ISOWEEK": "WEEK"}  # others' names
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
    reading = _Reading(columns, grammar)
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


class _Reading:
    """The columns and the grammar of an expression while it is read.

    Args:
        columns: What is known of the columns.
        grammar: The grammar in which it was written.
    """

    def __init__(self, columns: Mapping[str, Column], grammar: Grammar) -> None:
        self.columns = columns
        self.grammar = grammar

    def value(self, node: exp.Expr) -> Expression:
        """Read a part whose own parts were written anew already."""
        return parse(translated(node), self.columns)

    def refuse(self, node: exp.Expr, why: str) -> InvalidError:
        """Make the error that refuses a part, as it was written."""
        try:
            text = node.sql(dialect=self.grammar)
        except Exception:  # noqa: BLE001 - some trees that parse cannot be written; the message names their kind
            text = written(node)
        return InvalidError(f"SQL: {shorten(text)} is not allowed in the dialect {self.grammar}: {why}")


Rule = Callable[[_Reading, exp.Expr], exp.Expr | None]


def _quotient(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
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


def _power(reading: _Reading, node: exp.Expr) -> None:
    """Refuse a power of T-SQL that is cut off: that of a whole number is whole, whatever the exponent."""
    exponent = node.expression
    if reading.grammar != "tsql" or (isinstance(exponent, exp.Literal) and exponent.is_int):
        return
    if reading.value(node.this).kind == "integer":
        raise reading.refuse(node, _WHOLE_POWER)


def _safe(_: _Reading, node: exp.Expr) -> exp.Expr:
    sides = [exp.Paren(this=side.copy()) for side in (node.this, node.expression)]
    return exp.Paren(this=_SAFE[type(node)](this=sides[0], expression=sides[1]))


def _negated(_: _Reading, node: exp.Expr) -> exp.Expr:
    return exp.Paren(this=exp.Neg(this=exp.Paren(this=node.this.copy())))


def _weekday(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Number the days of a week as the grammar does."""
    if reading.grammar in _SUNDAY_IS_ONE:
        number = exp.Extract(this=exp.var("DAYOFWEEK"), expression=_moment(node))
        return exp.Paren(this=exp.Add(this=number, expression=exp.Literal.number(1)))
    if reading.grammar in _MONDAY_IS_ONE and not isinstance(node, exp.DayOfWeek):
        return exp.Extract(this=exp.var("ISODOW"), expression=_moment(node))
    return None


def _moment(node: exp.Expr) -> exp.Expr:
    inner: exp.Expr = node.expression if isinstance(node, exp.Extract) else node.this
    return inner.copy()


def _part(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``EXTRACT(part FROM d)``: weekdays and weeks differ."""
    name = node.this.name.upper() if isinstance(node.this, exp.Var | exp.Literal) else ""
    if name in ("DAYOFWEEK", "DOW"):
        return _weekday(reading, node)
    if name == "ISOWEEK":
        return exp.Extract(this=exp.var("WEEK"), expression=_moment(node))
    if name in ("DATE", "TIME"):
        return exp.cast(_moment(node), name)
    if isinstance(node.this, exp.WeekStart) or name.startswith("WEEK"):
        _week(reading, node)
    return None


def _week(reading: _Reading, node: exp.Expr) -> None:
    if reading.grammar in _OTHER_WEEKS:
        raise reading.refuse(node, "its weeks begin on Sunday, weeks here on Monday. Use ISO weeks, days or months.")


def _monday(node: exp.Expr) -> exp.Expr:
    """Write ``WEEKDAY(d)``, which is 0 on Monday."""
    number = exp.Extract(this=exp.var("ISODOW"), expression=node.expressions[0].copy())
    return exp.Paren(this=exp.Sub(this=number, expression=exp.Literal.number(1)))


def _unknown(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    is_weekday = node.name.lower() == "weekday" and reading.grammar in ("mysql", "spark", "databricks")
    return _monday(node) if is_weekday and len(node.expressions) == 1 else None


def _truncated(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``DATE_TRUNC``: units have other names, and weeks begin on other days."""
    unit = node.args.get("unit")
    name = unit.name.upper() if isinstance(unit, exp.Var | exp.Literal | exp.WeekStart) else ""
    if isinstance(unit, exp.WeekStart) and name != "MONDAY":
        raise reading.refuse(node, "its weeks begin on another day, weeks here on Monday. Use ISO weeks.")
    if isinstance(unit, exp.WeekStart):
        name = "WEEK"
    elif name.startswith("WEEK"):
        _week(reading, node)
    renamed = node.copy()
    renamed.set("unit", exp.Literal.string(_UNITS.get(name, name)))
    return renamed


def _length(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    if reading.grammar == "tsql":
        raise reading.refuse(node, "LEN leaves out spaces at the end, and there is no such length here.")
    if node.args.get("binary") and reading.grammar in _BYTES:
        raise reading.refuse(node, "LENGTH counts bytes. Write CHAR_LENGTH(s) for characters.")
    return exp.Length(this=node.this.copy())


def _swapped(reading: _Reading, node: exp.Expr) -> None:
    if reading.grammar == "tsql":
        raise reading.refuse(node, "it does not regard case there. Write CASE WHEN s = 'a' THEN 'b' ELSE s END.")


def _periods(reading: _Reading, node: exp.Expr) -> None:
    raise reading.refuse(node, "it counts full periods of 24 hours. Write DATE_DIFF of two dates for days.")


def _timestamp(reading: _Reading, node: exp.Expr) -> exp.Expr:
    """Read a cast to a moment, which is what some systems mean by TIMESTAMP; timestamps are in UTC here."""
    value = node.this.copy()
    if isinstance(value, exp.Literal):
        bare = re.sub(r"( ?UTC|Z)$", "", value.name)
        if not _MOMENT.fullmatch(bare):
            raise reading.refuse(node, "timestamps are in UTC here. Write it in UTC, TIMESTAMP '2024-01-31 12:30:00'.")
        value = exp.Literal.string(bare)
    return exp.Cast(this=value, to=exp.DataType(this=exp.DType.TIMESTAMP))


def _timestamp_call(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``TIMESTAMP(x)`` without a zone where it is a moment."""
    return _timestamp(reading, node) if reading.grammar in _MOMENTS and node.args.get("zone") is None else None


def _cast(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Cut off decimals where a cast to whole numbers does."""
    to = node.args["to"]
    if to.this is exp.DType.TIMESTAMPTZ and reading.grammar in _MOMENTS and not to.expressions:
        return _timestamp(reading, node)
    if to.this is exp.DType.TIMESTAMP and to.expressions and isinstance(node.this, exp.Literal):
        return _timestamp(reading, node)  # the parser counts the decimals of a literal
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


def _convert(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    if node.args.get("style") is not None or not isinstance(node.this, exp.DataType):
        why = why_no_format(translated(node), reading.grammar) if "%y" in translated(node) else ""
        if why:
            raise reading.refuse(node, why)
        return None
    return _cast(reading, exp.Cast(this=node.expression.copy(), to=node.this.copy()))


def _sum_of_texts(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``+`` between texts of T-SQL."""
    literal = any(isinstance(side, exp.Literal) and side.is_string for side in (node.this, node.expression))
    if reading.grammar != "tsql" or not literal:
        return None
    kinds = {reading.value(side).kind for side in (node.this, node.expression)}
    return exp.DPipe(this=node.this.copy(), expression=node.expression.copy()) if kinds == {"text"} else None


def _pattern(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Read LIKE: its escape character where nothing names one, and case."""
    text = node.expression.name if isinstance(node.expression, exp.Literal) else ""
    if reading.grammar == "tsql" and "[" in text:
        raise reading.refuse(node, "[ begins a set of characters there. Use =, LIKE with % and _, or IN.")
    kind = exp.ILike if reading.grammar in _CASELESS_PATTERNS else type(node)
    plain = kind(this=node.this.copy(), expression=node.expression.copy(), negate=node.args.get("negate"))
    escapes = "\\" in text and reading.grammar in _BACKSLASH and not isinstance(node.parent, exp.Escape)
    return exp.Escape(this=plain, expression=exp.Literal.string("\\")) if escapes else plain


def _compared(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Compare texts without regard to case where the grammar does, if that is clear; else refuse."""
    if reading.grammar not in _CASELESS:
        return None
    flip = isinstance(node, exp.Binary) and _is_text(node.this)
    subject = node.expression if flip else node.this
    if _is_text(subject) or reading.value(subject).kind != "text":
        return None
    why = f"{_NO_CASE} Write LOWER(x) = 'abc', or a category of the codebook."
    if not isinstance(node, exp.EQ | exp.NEQ | exp.In):
        raise reading.refuse(node, why)
    literals = node.expressions if isinstance(node, exp.In) else [node.this if flip else node.expression]
    fold = _folding(subject, reading.value(subject))
    if fold is None or not literals or not all(_is_text(each) for each in literals):
        raise reading.refuse(node, why)
    new = node.copy()
    places = new.expressions if isinstance(new, exp.In) else [new.this if flip else new.expression]
    for place in places:
        place.replace(exp.Literal.string(fold(place.name)))
    return new


def _nullif(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Compare the two arguments as ``=`` does."""
    if _is_text(node.this) and reading.grammar in _CASELESS:
        raise reading.refuse(node, f"{_NO_CASE} Write NULLIF(LOWER(x), 'abc').")
    same = _compared(reading, exp.EQ(this=node.this.copy(), expression=node.expression.copy()))
    return None if same is None else exp.Nullif(this=same.this, expression=same.expression)


def _case(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Compare what stands behind CASE with what stands behind each WHEN, as ``=`` does."""
    if node.this is None or reading.grammar not in _CASELESS:
        return None
    new = node.copy()
    for each in new.args["ifs"]:
        same = _compared(reading, exp.EQ(this=node.this.copy(), expression=each.this.copy()))
        if same is not None:
            each.set("this", same.expression)
    return new


def _part_of_text(reading: _Reading, node: exp.Expr) -> None:
    if reading.grammar in _CASELESS:
        raise reading.refuse(node, f"{_NO_CASE} Write LOWER(x) LIKE 'abc%', or CASE LOWER(x) WHEN 'abc' THEN 1 END.")


def _replaced(reading: _Reading, node: exp.Expr) -> None:
    if reading.grammar not in _SAME_PATTERNS:
        why = (
            f"its regular expressions have rules of their own. Give the dialect {PLAIN} or bigquery; theirs are known."
        )
        raise reading.refuse(node, why)


def _formatted(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Read a text in a format: the plain call, whose format is that of strptime."""
    form = node.args.get("format")
    if not isinstance(form, exp.Literal):
        raise reading.refuse(node, "the format must be written out.")
    plain = form.name.replace("strict", "")  # some parsers note where two digits are needed
    why = why_no_format(plain, reading.grammar)
    if why:
        raise reading.refuse(node, why)
    kind = "parse_time" if isinstance(node, exp.ParseTime) else "parse_timestamp"
    if isinstance(node, exp.StrToDate) and not has_clock(plain):
        kind = "parse_date"
    return exp.Anonymous(this=kind, expressions=[exp.Literal.string(plain), node.this.copy()])


def _dated(reading: _Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``TO_DATE(s, 'YYYY-MM-DD')``."""
    form = node.args.get("format")
    if form is None:
        return None
    return _formatted(reading, exp.StrToDate(this=node.this.copy(), format=form.copy()))


def _safely(_: _Reading, node: exp.Expr) -> exp.Expr:
    """Read ``SAFE.f(x)``: no function fails here anyway."""
    inner: exp.Expr = node.this
    return inner.copy()


def _position(reading: _Reading, node: exp.Expr) -> None:
    if reading.grammar in _CASELESS:
        raise reading.refuse(node, f"{_NO_CASE} Write LOWER(x) LIKE '%abc%'.")


def _folding(subject: exp.Expr, value: Expression) -> Callable[[str], str] | None:
    """Say which text equals a literal as the grammar compares them; None if that may be several."""
    if isinstance(subject, exp.Lower):
        return str.lower
    if isinstance(subject, exp.Upper):
        return str.upper
    listed = [each for each in value.values() or () if isinstance(each, str)]
    by_fold = {each.casefold().rstrip(" "): each for each in listed}
    if not listed or len(by_fold) < len(listed):
        return None
    return lambda text: by_fold.get(text.casefold().rstrip(" "), text)


def _is_text(node: exp.Expr) -> bool:
    return isinstance(node, exp.Literal) and bool(node.is_string)


_RULES: tuple[tuple[tuple[type[exp.Expr], ...], Rule], ...] = (
    ((exp.Div,), _quotient),
    (tuple(_SAFE), _safe),
    ((exp.SafeNegate,), _negated),
    ((exp.DayOfWeek,), _weekday),
    ((exp.Extract,), _part),
    ((exp.Week,), _week),
    ((exp.DateTrunc, exp.TimestampTrunc, exp.DatetimeTrunc), _truncated),
    ((exp.Length,), _length),
    ((exp.Replace,), _swapped),
    ((exp.TimestampDiff,), _periods),
    ((exp.Cast,), _cast),
    ((exp.Timestamp,), _timestamp_call),
    ((exp.Convert,), _convert),
    ((exp.Add,), _sum_of_texts),
    ((exp.Like, exp.ILike), _pattern),
    (_COMPARISONS, _compared),
    ((exp.StrPosition,), _position),
    ((exp.Pow,), _power),
    ((exp.Nullif,), _nullif),
    ((exp.Case,), _case),
    ((exp.StartsWith, exp.EndsWith, exp.Contains, exp.DecodeCase), _part_of_text),
    ((exp.RegexpReplace,), _replaced),
    (_FORMATTED, _formatted),
    ((exp.TsOrDsToDate,), _dated),
    ((exp.SafeFunc,), _safely),
    ((exp.Anonymous,), _unknown),
)
