"""Texts in the SQL of other systems: lengths, case, patterns and comparisons."""

from collections.abc import Callable

from sqlglot import exp

from privet.tables.engines.grammar import PLAIN, Grammar
from privet.tables.expressions import Expression
from privet.tables.sql.vendor_reading import Reading

_CASELESS: tuple[Grammar, ...] = ("tsql", "mysql")
_CASELESS_PATTERNS: tuple[Grammar, ...] = (*_CASELESS, "sqlite")
_BACKSLASH: tuple[Grammar, ...] = ("postgres", "mysql", "bigquery", "spark", "databricks", "clickhouse")
_BYTES: tuple[Grammar, ...] = ("mysql", "clickhouse")  # LENGTH counts bytes
_SAME_PATTERNS: tuple[Grammar, ...] = (PLAIN, "bigquery")  # regular expressions of RE2
COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.In, exp.Between)
_NO_CASE = "it compares texts without regard to case."


def length(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Count characters; refuse lengths in bytes, and those that leave out spaces."""
    if reading.grammar == "tsql":
        raise reading.refuse(node, "LEN leaves out spaces at the end, and there is no such length here.")
    if node.args.get("binary") and reading.grammar in _BYTES:
        raise reading.refuse(node, "LENGTH counts bytes. Write CHAR_LENGTH(s) for characters.")
    return exp.Length(this=node.this.copy())


def replaced_text(reading: Reading, node: exp.Expr) -> None:
    """Refuse a replacement that does not regard case."""
    if reading.grammar == "tsql":
        raise reading.refuse(node, "it does not regard case there. Write CASE WHEN s = 'a' THEN 'b' ELSE s END.")


def sum_of_texts(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Read ``+`` between texts of T-SQL."""
    literal = any(isinstance(side, exp.Literal) and side.is_string for side in (node.this, node.expression))
    if reading.grammar != "tsql" or not literal:
        return None
    kinds = {reading.value(side).kind for side in (node.this, node.expression)}
    return exp.DPipe(this=node.this.copy(), expression=node.expression.copy()) if kinds == {"text"} else None


def pattern(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Read LIKE: its escape character where nothing names one, and case."""
    text = node.expression.name if isinstance(node.expression, exp.Literal) else ""
    if reading.grammar == "tsql" and "[" in text:
        raise reading.refuse(node, "[ begins a set of characters there. Use =, LIKE with % and _, or IN.")
    kind = exp.ILike if reading.grammar in _CASELESS_PATTERNS else type(node)
    plain = kind(this=node.this.copy(), expression=node.expression.copy(), negate=node.args.get("negate"))
    escapes = "\\" in text and reading.grammar in _BACKSLASH and not isinstance(node.parent, exp.Escape)
    return exp.Escape(this=plain, expression=exp.Literal.string("\\")) if escapes else plain


def compared(reading: Reading, node: exp.Expr) -> exp.Expr | None:
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


def nullif(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Compare the two arguments as ``=`` does."""
    if _is_text(node.this) and reading.grammar in _CASELESS:
        raise reading.refuse(node, f"{_NO_CASE} Write NULLIF(LOWER(x), 'abc').")
    same = compared(reading, exp.EQ(this=node.this.copy(), expression=node.expression.copy()))
    return None if same is None else exp.Nullif(this=same.this, expression=same.expression)


def case_of_texts(reading: Reading, node: exp.Expr) -> exp.Expr | None:
    """Compare what stands behind CASE with what stands behind each WHEN, as ``=`` does."""
    if node.this is None or reading.grammar not in _CASELESS:
        return None
    new = node.copy()
    for each in new.args["ifs"]:
        same = compared(reading, exp.EQ(this=node.this.copy(), expression=each.this.copy()))
        if same is not None:
            each.set("this", same.expression)
    return new


def part_of_text(reading: Reading, node: exp.Expr) -> None:
    """Refuse tests of parts of a text that do not regard case."""
    if reading.grammar in _CASELESS:
        raise reading.refuse(node, f"{_NO_CASE} Write LOWER(x) LIKE 'abc%', or CASE LOWER(x) WHEN 'abc' THEN 1 END.")


def replaced_pattern(reading: Reading, node: exp.Expr) -> None:
    """Refuse patterns of another language than ours."""
    if reading.grammar not in _SAME_PATTERNS:
        why = (
            f"its regular expressions have rules of their own. Give the dialect {PLAIN} or bigquery; theirs are known."
        )
        raise reading.refuse(node, why)


def position(reading: Reading, node: exp.Expr) -> None:
    """Refuse a search that does not regard case."""
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
