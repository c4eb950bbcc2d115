"""Bounds within a call, ``SUM(x, contribution_bounds_per_row => (0, 100))``, and the older names of ZetaSQL's calls."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeGuard, final

from attrs import frozen
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from privet.errors import InvalidError
from privet.tables.expressions import shorten

_MARK = "privet_bounds_"
_NAMES = ("contribution_bounds_per_row", "contribution_bounds_per_group")
_STANDARD = {
    "ANON_COUNT": "COUNT",
    "ANON_SUM": "SUM",
    "ANON_AVG": "AVG",
    "ANON_VAR_POP": "VAR_POP",
    "ANON_STDDEV_POP": "STDDEV_POP",
    "ANON_PERCENTILE_CONT": "PERCENTILE_CONT",
    "ANON_QUANTILES": "APPROX_QUANTILES",
}
_OF_PERSONS = ("COUNT", "SUM", "AVG")  # in these calls CLAMPED bounds a person's share of a group
_OPENING = {TokenType.L_PAREN, TokenType.L_BRACKET}
_CLOSING = {TokenType.R_PAREN, TokenType.R_BRACKET}


@final
@frozen
class CallBounds:
    """Bounds written within a call.

    Args:
        lower: The lower one, as it was written.
        upper: The upper one.
        per_group: Whether they bound what a person adds to a group, and not the value of a row.
        written: The keyword that introduced them, for messages.
    """

    lower: str
    upper: str
    per_group: bool
    written: str


def cut_bounds(tokens: Sequence[Token]) -> tuple[list[Token], tuple[CallBounds, ...]]:
    """Take the bounds out of every call and mark the call; give the ANON_ functions of ZetaSQL their usual names."""
    words: list[Token] = []
    opened: list[int] = []  # where the calls and parentheses around begin, in words
    bounds: list[CallBounds] = []
    marks: list[tuple[int, int, int]] = []  # where a marked call begins and ends, and the number of its bounds
    waiting: dict[int, int] = {}  # depths at which a call with bounds has to end now
    _refuse_report(tokens)
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if len(opened) in waiting and token.token_type not in _CLOSING:
            raise InvalidError(
                f"SQL: {bounds[-1].written} must stand at the end of a call, got {shorten(token.text)} after it."
            )
        bounds_and_end = _bounds(tokens, at, words, opened)
        if bounds_and_end is not None:
            limits, at = bounds_and_end
            waiting[len(opened)] = len(bounds)
            bounds.append(limits)
            continue
        if token.token_type in _OPENING:
            opened.append(len(words) - 1 if _names_call(words) else len(words))
        elif token.token_type in _CLOSING and opened:
            number = waiting.pop(len(opened), None)
            begin = opened.pop()
            if number is not None:
                marks.append((begin, len(words), number))
        words.append(_usual(token, tokens[at + 1] if at + 1 < len(tokens) else None))
        at += 1
    return _insert_marks(words, marks), tuple(bounds)


def _refuse_report(tokens: Sequence[Token]) -> None:
    """Refuse ``report_format => 'JSON'`` within a call."""
    pairs = pairwise(tokens)
    if any(name.text.lower() == "report_format" and arrow.token_type is TokenType.FARROW for name, arrow in pairs):
        raise InvalidError(
            "SQL: report_format is not allowed. Leave it out: every number of a release has its standard error and its "
            "interval beside it."
        )


def bounds_of(node: exp.Expr, bounds: Sequence[CallBounds]) -> tuple[CallBounds, exp.Expr] | None:
    """Give the bounds of a marked call, and the call; None if there is no mark."""
    if not is_marked(node):
        return None
    number = str(node.this).removeprefix(_MARK)
    if not number.isascii() or not number.isdigit() or int(number) >= len(bounds) or len(node.expressions) != 1:
        return None
    return bounds[int(number)], node.expressions[0]


def is_marked(node: object) -> TypeGuard[exp.Anonymous]:
    """Tell whether a node is a call with bounds."""
    return isinstance(node, exp.Anonymous) and str(node.this).startswith(_MARK)


def unmarked(node: exp.Expr) -> exp.Expr:
    """Give a tree as it was written, for a message: without marks, and without the bounds that they stand for."""
    whole = exp.Paren(this=node.copy())
    for each in list(whole.find_all(exp.Anonymous)):
        if is_marked(each) and len(each.expressions) == 1:
            each.replace(each.expressions[0])
    tree: exp.Expr = whole.this
    return tree


def _insert_marks(words: list[Token], marks: list[tuple[int, int, int]]) -> list[Token]:
    """Write a call of the mark around every marked call."""
    before: dict[int, list[Token]] = {}
    after: dict[int, list[Token]] = {}
    for begin, end, number in reversed(marks):  # inner calls end first: the outer mark stands before theirs
        place = words[begin]
        before.setdefault(begin, []).extend(
            [_word(TokenType.VAR, f"{_MARK}{number}", place), _word(TokenType.L_PAREN, "(", place)]
        )
        after.setdefault(end, []).append(_word(TokenType.R_PAREN, ")", place))
    return [each for at, word in enumerate(words) for each in (*before.get(at, ()), word, *after.get(at, ()))]


def _word(kind: TokenType, text: str, place: Token) -> Token:
    return Token(kind, text, place.line, place.col, place.start, place.end)


def _usual(token: Token, following: Token | None) -> Token:
    name = _STANDARD.get(token.text.upper()) if token.token_type is TokenType.VAR else None
    if name is None or following is None or following.token_type is not TokenType.L_PAREN:
        return token
    return _word(TokenType.VAR, name, token)


def _names_call(words: list[Token]) -> bool:
    """Tell whether the last word may be the name of a function."""
    return bool(words) and words[-1].token_type is TokenType.VAR


def _is_call(words: list[Token], begin: int) -> bool:
    return begin + 1 < len(words) and words[begin].token_type is TokenType.VAR and words[begin + 1].text == "("


def _bounds(tokens: Sequence[Token], at: int, words: list[Token], opened: list[int]) -> tuple[CallBounds, int] | None:
    """Read the bounds that begin here and where they end, None if none do; refuse bounds outside of a call."""
    function = words[opened[-1]].text if opened and opened[-1] < len(words) else ""
    bounds_and_end = _contribution_bounds(tokens, at) or _clamped_bounds(tokens, at, function)
    if bounds_and_end is not None and (not opened or not _is_call(words, opened[-1])):
        raise InvalidError(f"SQL: {bounds_and_end[0].written} is allowed within a call only.")
    return bounds_and_end


def _contribution_bounds(tokens: Sequence[Token], at: int) -> tuple[CallBounds, int] | None:
    """Read ``, contribution_bounds_per_row => (0, 100)`` and where it ends; None if it does not begin here."""
    name = tokens[at + 1].text.lower() if at + 1 < len(tokens) else ""
    if _kind(tokens, at) is not TokenType.COMMA or name not in _NAMES or _kind(tokens, at + 2) is not TokenType.FARROW:
        return None
    pair = _pair(tokens, at + 4, TokenType.COMMA) if _kind(tokens, at + 3) is TokenType.L_PAREN else None
    if pair is None or _kind(tokens, pair[2]) is not TokenType.R_PAREN:
        raise InvalidError(f"SQL: {name} must be written as {name} => (0, 100), with two numbers.")
    lower, upper, end = pair
    return CallBounds(lower, upper, name == _NAMES[1], name), end + 1


def _clamped_bounds(tokens: Sequence[Token], at: int, function: str) -> tuple[CallBounds, int] | None:
    """Read ``CLAMPED BETWEEN 0 AND 100`` and where it ends; None if it does not begin here."""
    is_clamped = _kind(tokens, at) is TokenType.VAR and tokens[at].text.upper() == "CLAMPED"
    if not is_clamped or _kind(tokens, at + 1) is not TokenType.BETWEEN:
        return None
    pair = _pair(tokens, at + 2, TokenType.AND)
    if pair is None:
        raise InvalidError("SQL: CLAMPED must be written as CLAMPED BETWEEN 0 AND 100, with two numbers.")
    lower, upper, end = pair
    return CallBounds(lower, upper, function.upper() in _OF_PERSONS, "CLAMPED BETWEEN"), end


def _pair(tokens: Sequence[Token], at: int, between: TokenType) -> tuple[str, str, int] | None:
    """Read two numbers with a token between them, and where they end; None if they do not stand here."""
    lower, middle = _number(tokens, at)
    upper, end = _number(tokens, middle + 1)
    return (lower, upper, end) if lower and upper and _kind(tokens, middle) is between else None


def _kind(tokens: Sequence[Token], at: int) -> TokenType | None:
    return tokens[at].token_type if at < len(tokens) else None


def _number(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Read a number with or without a sign, and where it ends; an empty text if there is none."""
    sign = "-" if _kind(tokens, at) is TokenType.DASH else ""
    digits, end = read_digits(tokens, at + bool(sign))
    return (sign + digits if digits else "", end)


def read_digits(tokens: Sequence[Token], at: int) -> tuple[str, int]:
    """Read a number without a sign, and where it ends; an empty text if there is none. ``.5`` is two tokens."""
    if _kind(tokens, at) is TokenType.NUMBER:
        return tokens[at].text, at + 1
    is_point = _kind(tokens, at) is TokenType.DOT and _kind(tokens, at + 1) is TokenType.NUMBER
    if is_point and tokens[at].end + 1 == tokens[at + 1].start and tokens[at + 1].text[0].isdigit():
        return f".{tokens[at + 1].text}", at + 2
    return "", at + 1
