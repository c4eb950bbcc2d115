"""Reading an expression: SQL text to nodes; every node of the parse tree must be on the list of what is allowed."""

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.tokenizer_core import TokenType

from privet.errors import InvalidError, WrongTypeError
from privet.tables.columns import Column
from privet.tables.engines.grammar import reader
from privet.tables.expressions.catalog import shorten
from privet.tables.expressions.expression_reader import ExpressionReader
from privet.tables.expressions.node import Expression
from privet.tables.expressions.rules import RULES
from privet.tables.expressions.syntax import depth
from privet.tables.expressions.term import Term

_LONGEST = 100_000
_DEEPEST = 150  # levels of the compiled tree, which sqlglot writes by recursion


def parse(expression: str | Term, columns: Mapping[str, Column]) -> Expression:
    """Read an expression over columns, or refuse it by name. No data is needed.

    Args:
        expression: SQL text, such as ``duration > 0 and specialty in ('a', 'b')``, or a term (``col("duration") > 0``).
        columns: The columns that may be named.

    Raises:
        InvalidError: for anything that is not on the list of docs/tables/expressions.md, and for kinds that do not fit.

    >>> doubled = parse("-2 * age", {"age": Column(kind="integer", bounds=(0, 120), nullable=False)})
    >>> doubled.column
    Column(kind='integer', bounds=(-240, 0), grid=None, categories=None, nullable=False)
    >>> doubled.sql().sql()
    '(-2) * "age"'
    """
    if isinstance(expression, Term):
        text, tree = str(expression), expression.tree
    else:
        text, tree = expression, tree_of(expression)
    try:
        node = ExpressionReader(text, columns, RULES).read(tree)
        if depth(node.sql()) <= _DEEPEST:
            return node
        raise RecursionError
    except RecursionError:
        raise InvalidError(
            f"The expression is nested too deeply: {shorten(text)}. Derive a column from a part of it first."
        ) from None


def tree_of(expression: str) -> exp.Expr:
    """Parse a text into a tree that nothing was checked of yet, or say that it cannot be read."""
    if not isinstance(expression, str):
        raise WrongTypeError(f"An expression must be a text or a term, got {type(expression).__name__}.")
    if len(expression) > _LONGEST:
        raise InvalidError(f"An expression must have at most {_LONGEST} characters, got {len(expression)}.")
    if any(0xD800 <= ord(sign) <= 0xDFFF for sign in expression):
        raise InvalidError("An expression must be valid Unicode, got a lone surrogate.")
    dialect = reader()
    try:
        tokens = dialect.tokenize(expression)
        if not tokens:
            raise InvalidError(f"The expression is empty: {shorten(expression)}.")
        if any(token.comments for token in tokens):
            raise InvalidError(f"Comments are not allowed in an expression: {shorten(expression)}.")
        if any(token.token_type is TokenType.SEMICOLON for token in tokens):
            raise InvalidError(f"Only one expression is allowed, without a semicolon (;): {shorten(expression)}.")
        # a condition, never a statement: select, pragma, attach, ... are not even looked for
        trees = dialect.parser().parse_into(exp.Condition, tokens, expression)
    except SqlglotError as error:
        near = _near(error)
        raise InvalidError(
            f"The expression cannot be read{near}: {shorten(expression)}. Is it one SQL expression?"
        ) from None
    except RecursionError:
        raise InvalidError(f"The expression is nested too deeply: {shorten(expression)}.") from None
    if len(trees) != 1 or trees[0] is None:
        raise InvalidError(f"Exactly one expression is expected, got {shorten(expression)}.")
    if trees[0].find(exp.ApproxQuantiles) is not None:  # its parts are written out one by one, however many
        raise InvalidError("approx_quantiles(...) is not allowed in an expression. Ask for pv.quantiles(...) instead.")
    return trees[0]


def _near(error: SqlglotError) -> str:
    """Point at the word that does not fit, which is part of the text."""
    mistake = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    word = mistake.get("highlight")
    if not word:
        return ""
    place = f" (character {mistake['col'] - len(word) + 1})" if mistake["line"] == 1 else ""
    return f" at {shorten(word)}{place}"
