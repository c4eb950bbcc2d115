"""From SQL text to a tree: one SELECT, in normal form. Functions here refuse the rest by name.

Scalars of a statement are those that docs/tables/expressions.md lists, in the grammar of the statement.
"""

import re
from collections.abc import Collection, Mapping
from typing import TypeGuard, final

from attrs import frozen
from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from privet._familiar import find_close
from privet.errors import InvalidError, PrivetError
from privet.tables.columns import Column
from privet.tables.engines.grammar import GRAMMARS, PLAIN, PRIVATE, Grammar, reader, translated
from privet.tables.engines.grammar import written as written_plainly
from privet.tables.expressions import Expression, Term, describe, parse, shorten, written
from privet.tables.sql.call_bounds import CallBounds, cut_bounds, unmarked
from privet.tables.sql.instead import LEVELS, ONE_LEVEL
from privet.tables.sql.normal_form import normal_form
from privet.tables.sql.options import PRIVATE_SELECT, Clause, find_clause
from privet.tables.sql.tokens import check_one, check_text, split_words
from privet.tables.sql.vendors import vendors_meaning

_KEYWORDS = ("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "JOIN", "BETWEEN", "DISTINCT")
_ALLOWED = "Allowed is one SELECT of keys and aggregates, with JOIN, WHERE, GROUP BY, HAVING, ORDER BY and LIMIT."
MOST_PARTS = 1000  # of quantiles
_PRIVATE = re.compile(r"differential|anonymization|aggregation_threshold", re.IGNORECASE)
_OTHER_NAMES: dict[str, Grammar] = {
    "postgresql": "postgres",
    "sqlserver": "tsql",
    "mssql": "tsql",
    "sparksql": "spark",
    "hive": "spark",
}
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
    "columns": "a list of column names after an alias",
    "limit_options": "PERCENT or WITH TIES",
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
    exp.Group: ("expressions", "all"),
    exp.Having: ("this",),
    exp.Identifier: ("this", "quoted"),
    exp.Limit: ("expression",),
    exp.Offset: ("expression",),
    exp.Order: ("this", "expressions"),  # the first is a value within an aggregate, which is refused
    exp.Ordered: ("this", "desc", "nulls_first"),
    exp.Paren: ("this",),
    exp.Star: (),
    exp.Subquery: ("this", "alias"),
    exp.Table: ("this", "alias", "joins", "db", "catalog"),
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
        tree: Its tree, in normal form.
        dialect: The grammar in which it is written.
        options: Options of ``WITH DIFFERENTIAL_PRIVACY``; None if the statement has no such clause.
        bounds: Bounds written within calls.
    """

    text: str
    tree: exp.Select
    dialect: Grammar
    options: Mapping[str, str] | None
    bounds: tuple[CallBounds, ...] = ()


def read_statement(text: str, dialect: object = None) -> Statement:
    """Parse one SELECT, or refuse the text.

    Args:
        text: The statement.
        dialect: Whose SQL it is; plain SQL if nothing is said, or BigQuery's if it has BigQuery's clause.
    """
    grammar = read_dialect(dialect)
    tokens, clause = _split(check_text(text), grammar)
    if grammar is None:
        grammar = PLAIN if clause is None else PRIVATE
    check_one(tokens, text)
    words, bounds = cut_bounds(tokens)
    tree = _parse(grammar, words, text)
    if type(tree) is not exp.Select:
        if isinstance(tree, exp.SetOperation):
            raise refuse(f"{tree.key.upper()} of released values", tree, "Release each SELECT by itself.")
        raise refuse(describe(tree).upper() if not isinstance(tree, exp.Query) else tree.key.upper(), tree)
    if clause is not None:
        mark_private(tree)
    _check_parts(tree)
    normal_form(tree, grammar)
    for node in tree.walk():
        if type(node) in _PARTS:
            columns = ("columns",) if isinstance(node.parent, exp.Unnest) else ()
            only(node, *_PARTS[type(node)], *columns)
    return Statement(text, tree, grammar, None if clause is None else clause.options, bounds)


def read_dialect(dialect: object) -> Grammar | None:
    """Read the name of a dialect; None if there is none."""
    if dialect is None:
        return None
    name = dialect.lower() if isinstance(dialect, str) else ""
    grammar = _OTHER_NAMES.get(name, next((each for each in GRAMMARS if each == name), None))
    if grammar is None:
        raise InvalidError(f"SQL: dialect must be one of {', '.join(GRAMMARS)}, got {shorten(str(dialect), 40)}.")
    return grammar


def _split(text: str, grammar: Grammar | None) -> tuple[list[Token], Clause | None]:
    """Split a text into words without the privacy clause, and give the clause."""
    if grammar is not None or not _PRIVATE.search(text):
        tokens = split_words(text, grammar or PLAIN)
        clause = find_clause(tokens) if _PRIVATE.search(text) else None
    else:
        try:
            tokens = split_words(text, PRIVATE)
        except InvalidError:  # the words of the clause stand within a text of another grammar
            return split_words(text, PLAIN), None
        clause = find_clause(tokens)
        tokens = split_words(text, PLAIN) if clause is None else tokens
    return (tokens, None) if clause is None else (clause.tokens, clause)


def mark_private(tree: exp.Expr) -> None:
    """Take the mark of the privacy clause out of its SELECT, and note that it is this one."""
    marked = [
        select
        for select in tree.find_all(exp.Select)
        for item in select.expressions[:1]
        if isinstance(item, exp.Anonymous) and item.name.lower() == PRIVATE_SELECT and not item.expressions
    ]
    if len(marked) != 1 or sum(1 for each in tree.find_all(exp.Anonymous) if each.name.lower() == PRIVATE_SELECT) != 1:
        raise InvalidError("SQL: WITH DIFFERENTIAL_PRIVACY must stand behind the SELECT whose aggregates are released.")
    marked[0].set("expressions", marked[0].expressions[1:])
    marked[0].meta["private"] = True


def _check_parts(tree: exp.Expr) -> None:
    """Refuse quantiles of many parts at once: the parser would write all of them out, if only in a message."""
    for call in tree.find_all(exp.ApproxQuantiles):
        parts = call.args.get("expression")
        if not is_whole_literal(parts) or not 1 <= int(parts.name) <= MOST_PARTS:
            raise InvalidError(f"SQL: APPROX_QUANTILES(x, n) takes a whole number from 1 to {MOST_PARTS}.")


def _parse(grammar: Grammar, tokens: list[Token], text: str) -> exp.Expr:
    try:
        trees = reader(grammar).parser().parse(tokens, text)
    except RecursionError:
        raise InvalidError(f"SQL: the statement is nested too deeply: {shorten(text)}.") from None
    except ParseError as error:
        word = error.errors[0].get("highlight") if error.errors else None
        at = f" at {shorten(word)}" if word else ""
        raise InvalidError(f"SQL cannot be read{at}: {shorten(text)}.{_misspelt(tokens)}") from None
    except Exception:  # noqa: BLE001 - a parser that fails in another way has not understood the text either
        raise InvalidError(f"SQL cannot be read: {shorten(text)}.") from None
    if len(trees) != 1 or trees[0] is None:
        raise InvalidError(f"SQL: exactly one SELECT is expected, got {shorten(text)}.")
    return trees[0]


def _misspelt(tokens: list[Token]) -> str:
    """Name a word that is nearly a keyword of SQL: FORM for FROM."""
    for token in tokens:
        close = find_close(token.text.upper(), _KEYWORDS) if token.token_type is TokenType.VAR else None
        if close is not None:
            return f" Did you mean {close} instead of {token.text}?"
    return ""


def refuse(what: str, node: exp.Expr, hint: str = "") -> InvalidError:
    """Make the error that refuses a part of a statement by name."""
    return InvalidError(f"SQL: {what} is not allowed: {shorten(written(unmarked(node)))}. {hint or _ALLOWED}")


def only(node: exp.Expr, *parts: str) -> None:
    """Refuse a node that has other parts than these."""
    for part, value in node.args.items():
        if part in parts or value is None or value is False or value == []:
            continue
        if isinstance(node, exp.Group) and part in LEVELS:
            raise refuse(f"GROUP BY with {LEVELS[part]}", node, ONE_LEVEL)
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


def is_star(node: exp.Expr) -> bool:
    """Tell whether an item of a SELECT list is ``*`` or ``t.*``."""
    return isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))


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
        if dialect != PLAIN:
            return parse(translated(vendors_meaning(tree, columns, dialect)), columns)
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


def free_name(name: str, taken: Collection[str]) -> str:
    """Give a name that is not taken yet, whatever its case; the taken ones are in lower case."""
    while name.lower() in taken:
        name += " "
    return name
