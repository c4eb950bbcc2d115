"""From SQL text to a tree: one SELECT, no comments, no second statement. Functions here refuse the rest by name.

Scalars of a statement are those that docs/tables/expressions.md lists, in the grammar of the statement.
"""

import re
from collections.abc import Collection, Mapping
from typing import TypeGuard, final

from attrs import frozen
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from privet.errors import InvalidError, PrivetError, WrongTypeError
from privet.tables.columns import Column
from privet.tables.engines.grammar import PLAIN, PRIVATE, Grammar, reader, translated
from privet.tables.engines.grammar import written as written_plainly
from privet.tables.expressions import Expression, Term, describe, parse, shorten, written
from privet.tables.sql.options import CallBounds, cut_bounds, find_options

_LONGEST = 100_000
_ALLOWED = (
    "Allowed are SELECT with keys and aggregates, FROM private tables and sub-queries, JOIN, LEFT JOIN, UNION ALL, "
    "WHERE, GROUP BY, HAVING, ORDER BY and LIMIT, and the aggregates COUNT, SUM, AVG, MEDIAN, QUANTILE_CONT, MIN, MAX, "
    "VARIANCE, STDDEV, CORR, COVAR_SAMP, MODE and APPROX_TOP_K."
)
_BIGQUERY_ONLY = ("WEEK", "DAYOFWEEK")  # weeks begin on another day there
MOST_PARTS = 1000  # of quantiles
_PRIVATE = re.compile(r"\bselect\s+with\s+(differential_privacy|anonymization)\b", re.IGNORECASE)
_CLAUSES: dict[str, str] = {
    "with_": "WITH",
    "from_": "FROM",
    "joins": "JOIN (or a second table)",
    "laterals": "LATERAL",
    "distinct": "DISTINCT",
    "group": "GROUP BY",
    "order": "ORDER BY",
    "windows": "WINDOW",
    "sample": "TABLESAMPLE",
    "db": "the schema of a table",
    "catalog": "the catalog of a table",
    "columns": "a list of column names after an alias",
    "all": "GROUP BY ALL",
    "limit_options": "LIMIT with options",
    "except_": "EXCLUDE",
    "replace": "REPLACE",
}


_PARTS: dict[type[exp.Expr], tuple[str, ...]] = {  # what each clause may have; its readers check calls and SELECTs
    exp.Alias: ("this", "alias"),
    exp.And: ("this", "expression"),
    exp.CTE: ("this", "alias"),
    exp.Distinct: ("expressions",),
    exp.Filter: ("this", "expression"),
    exp.From: ("this",),
    exp.Group: ("expressions",),
    exp.Having: ("this",),
    exp.Identifier: ("this", "quoted"),
    exp.Limit: ("expression",),
    exp.Offset: ("expression",),
    exp.Order: ("this", "expressions"),  # the first is a value within an aggregate, which is refused
    exp.Ordered: ("this", "desc", "nulls_first"),
    exp.Paren: ("this",),
    exp.Star: (),
    exp.Subquery: ("this", "alias"),
    exp.Table: ("this", "alias"),
    exp.TableAlias: ("this",),
    exp.Union: ("this", "expression", "distinct"),
    exp.Where: ("this",),
    exp.With: ("expressions",),
    exp.WithinGroup: ("this", "expression"),
}


@final
@frozen
class Statement:
    """One SELECT after parsing, not yet checked.

    Args:
        text: The text of the statement.
        tree: Its tree.
        options: Options of ``WITH DIFFERENTIAL_PRIVACY``; None if the statement has no such clause.
        bounds: Bounds written within calls.
    """

    text: str
    tree: exp.Select
    options: Mapping[str, str] | None
    bounds: tuple[CallBounds, ...] = ()

    @property
    def dialect(self) -> Grammar:
        """The grammar in which it is written."""
        return PLAIN if self.options is None else PRIVATE


def read_statement(text: str) -> Statement:
    """Parse one SELECT, or refuse the text."""
    if not isinstance(text, str):
        raise WrongTypeError(f"SQL must be a text, got {type(text).__name__}.")
    if len(text) > _LONGEST:
        raise InvalidError(f"SQL must have at most {_LONGEST} characters, got {len(text)}.")
    if any(0xD800 <= ord(sign) <= 0xDFFF or sign == "\0" for sign in text):
        raise InvalidError("SQL must be valid Unicode without NUL, got a lone surrogate or a NUL.")
    options = None
    dialect: Dialect = reader()
    tokens: list[Token] | None = None
    if _PRIVATE.search(text):
        rest_and_options = find_options(_tokens(reader(PRIVATE), text))
        if rest_and_options is not None:  # otherwise the words stand within a text
            dialect, (tokens, options) = reader(PRIVATE), rest_and_options
    words, bounds = cut_bounds(_check_one(tokens if tokens is not None else _tokens(dialect, text), text))
    tree = _parse(dialect, words, text)
    if type(tree) is not exp.Select:
        raise refuse(describe(tree).upper() if not isinstance(tree, exp.Query) else tree.key.upper(), tree)
    _check_parts(tree)
    for node in tree.walk():
        if type(node) in _PARTS:
            only(node, *_PARTS[type(node)])
    return Statement(text, tree, options, bounds)


def _check_parts(tree: exp.Expr) -> None:
    """Refuse quantiles of many parts at once: the parser would write all of them out, if only in a message."""
    for call in tree.find_all(exp.ApproxQuantiles):
        parts = call.args.get("expression")
        if not is_whole_literal(parts) or not 1 <= int(parts.name) <= MOST_PARTS:
            raise InvalidError(f"SQL: APPROX_QUANTILES(x, n) takes a whole number from 1 to {MOST_PARTS}.")


def _tokens(dialect: Dialect, text: str) -> list[Token]:
    try:
        tokens = list(dialect.tokenize(text))
    except Exception:  # noqa: BLE001 - text that the tokenizer cannot split is no SQL
        raise InvalidError(
            f"SQL: the text cannot be split into words: {shorten(text)}. Is a quote left open?"
        ) from None
    if any(token.comments for token in tokens):
        raise InvalidError(f"SQL: a comment is not allowed: {shorten(text)}. Leave it out.")
    return tokens


def _check_one(tokens: list[Token], text: str) -> list[Token]:
    """Refuse anything but one statement that begins with SELECT or WITH."""
    if tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    if any(token.token_type is TokenType.SEMICOLON for token in tokens):
        raise InvalidError(f"SQL: a second statement (;) is not allowed: {shorten(text)}. Write one SELECT.")
    if not tokens:
        raise InvalidError("SQL: the text is empty. Write SELECT ... FROM ....")
    if tokens[0].token_type not in (TokenType.SELECT, TokenType.WITH):
        raise InvalidError(f"SQL: a statement that begins with {shorten(tokens[0].text)} is not allowed, only SELECT.")
    return tokens


def _parse(dialect: Dialect, tokens: list[Token], text: str) -> exp.Expr:
    try:
        trees = dialect.parser().parse(tokens, text)
    except RecursionError:
        raise InvalidError(f"SQL: the statement is nested too deeply: {shorten(text)}.") from None
    except ParseError as error:
        word = error.errors[0].get("highlight") if error.errors else None
        raise InvalidError(f"SQL cannot be read{f' at {shorten(word)}' if word else ''}: {shorten(text)}.") from None
    except Exception:  # noqa: BLE001 - a parser that fails in another way has not understood the text either
        raise InvalidError(f"SQL cannot be read: {shorten(text)}.") from None
    if len(trees) != 1 or trees[0] is None:
        raise InvalidError(f"SQL: exactly one SELECT is expected, got {shorten(text)}.")
    return trees[0]


def refuse(what: str, node: exp.Expr, hint: str = "") -> InvalidError:
    """Make the error that refuses a part of a statement by name."""
    return InvalidError(f"SQL: {what} is not allowed: {shorten(written(node))}. {hint or _ALLOWED}")


def only(node: exp.Expr, *parts: str) -> None:
    """Refuse a node that has other parts than these."""
    for part, value in node.args.items():
        if part in parts or value is None or value is False or value == []:
            continue
        name = _CLAUSES.get(part, part.strip("_").replace("_", " ").upper())
        raise refuse(f"{name} here", node)


def named(node: object, what: str) -> str:
    """Give the name that an identifier holds."""
    if not isinstance(node, exp.Identifier):
        raise InvalidError(f"SQL: {what} must be a plain name.")
    if not node.name or not node.name.isprintable():
        raise InvalidError(f"SQL: {what} must have characters that can be seen, got {shorten(node.name)}.")
    return node.name


def split_alias(node: exp.Expr) -> tuple[exp.Expr, str | None]:
    """Take ``expression AS name`` apart."""
    if not isinstance(node, exp.Alias):
        return node, None
    return node.this, named(node.args["alias"], "an alias")


def is_whole_literal(node: object) -> TypeGuard[exp.Literal]:
    """Tell whether a node is a whole number of ordinary size that was written out."""
    return isinstance(node, exp.Literal) and not node.is_string and is_whole(node.name)


def is_whole(digits: str) -> bool:
    """Tell whether these are the digits of a whole number of ordinary size."""
    return digits.isascii() and digits.isdigit() and len(digits) <= 18


def number(digits: str) -> int | float:
    """Read the digits of a number; a float stands for its decimal."""
    if is_whole(digits):
        return int(digits)
    try:
        value = float(digits)
    except ValueError:
        value = float("inf")
    if value in (float("inf"), float("-inf")) or value != value:
        raise InvalidError(f"SQL: {shorten(digits, 40)} is no number that can be used here.")
    return value


def read_scalar(tree: exp.Expr, columns: Mapping[str, Column], dialect: Grammar) -> Expression:
    """Read an expression over columns, written without names of tables.

    Args:
        tree: Its tree, with no parent.
        columns: The columns that it may name.
        dialect: The grammar of the statement.
    """
    try:
        if dialect == PRIVATE:
            return parse(_from_bigquery(tree), columns)
        term = Term(tree)
        str(term)
    except PrivetError:
        raise
    except Exception:  # noqa: BLE001 - some trees that parse cannot be written; the message names their kind
        raise refuse(describe(tree), tree) from None
    return parse(term, columns)


def compiled(value: Expression) -> str:
    """Write the SQL of an expression, to tell whether two expressions are the same."""
    return written_plainly(value.sql())


def _from_bigquery(tree: exp.Expr) -> str:
    for node in tree.walk():
        if isinstance(node, exp.WeekStart) or (
            isinstance(node, exp.Var) and node.name.upper().startswith(_BIGQUERY_ONLY)
        ):
            hint = "BigQuery's weeks begin on Sunday, weeks here on Monday; use days or months."
            raise refuse(f"{written(node)} of BigQuery", tree, hint)
    return translated(tree)


def free_name(name: str, taken: Collection[str]) -> str:
    """Give a name that is not taken yet, whatever its case; the taken ones are in lower case."""
    while name.lower() in taken:
        name += " "
    return name
