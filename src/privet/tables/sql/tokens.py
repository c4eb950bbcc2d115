"""From the text of a statement to its words: comments are left out, and whatever some system would run is refused."""

from sqlglot.tokenizer_core import Token, TokenType

from privet._familiar import find_close
from privet.errors import InvalidError, WrongTypeError
from privet.tables.engines.grammar import Grammar, reader
from privet.tables.expressions import shorten

_LONGEST = 100_000
_EXECUTED = ("!", "+", "M!")  # MySQL and MariaDB run comments that begin so, and many systems read hints there


def check_text(text: object) -> str:
    """Refuse what is no text, too long a text, and signs that no statement holds."""
    if not isinstance(text, str):
        raise WrongTypeError(f"SQL must be a text, got {type(text).__name__}.")
    if len(text) > _LONGEST:
        raise InvalidError(f"SQL must have at most {_LONGEST} characters, got {len(text)}.")
    if any(0xD800 <= ord(sign) <= 0xDFFF or sign == "\0" for sign in text):
        raise InvalidError("SQL must be valid Unicode without NUL, got a lone surrogate or a NUL.")
    return text


def split_words(text: str, grammar: Grammar) -> list[Token]:
    """Split a statement into words, without its comments and its last semicolon."""
    try:
        tokens = list(reader(grammar).tokenize(text))
    except Exception:  # noqa: BLE001 - text that the tokenizer cannot split is no SQL
        raise InvalidError(
            f"SQL: the text cannot be split into words: {shorten(text)}. Is a quote left open?"
        ) from None
    for token in tokens:
        for comment in token.comments:
            _check_comment(comment, text)
    if tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens = tokens[:-1]
    return [_plain(tokens, at) for at in range(len(tokens))]


def _check_comment(comment: str, text: str) -> None:
    is_hint = f"/*+{comment}" in text or f"--+{comment}" in text  # some tokenizers leave the sign out
    if is_hint or comment.startswith(_EXECUTED):
        raise InvalidError(
            f"SQL: the comment {shorten(comment)} is not allowed: some systems run it. Leave it out, or begin it with "
            "a space."
        )
    if "/*" in comment or "*/" in comment:
        raise InvalidError(f"SQL: a comment within a comment is not allowed: {shorten(comment)}. Leave it out.")


def _plain(tokens: list[Token], at: int) -> Token:
    """Give a token without comments; TOP is a keyword where a number follows it."""
    token = tokens[at]
    before = tokens[at - 1].token_type if at else None
    number = at + 1 < len(tokens) and tokens[at + 1].token_type is TokenType.NUMBER
    is_top = token.text.upper() == "TOP" and before in (TokenType.SELECT, TokenType.DISTINCT) and number
    kind = TokenType.TOP if is_top else token.token_type
    return Token(kind, token.text, token.line, token.col, token.start, token.end)


def check_one(tokens: list[Token], text: str) -> None:
    """Refuse anything but one statement that begins with SELECT or WITH."""
    if any(token.token_type is TokenType.SEMICOLON for token in tokens):
        raise InvalidError(f"SQL: a second statement (;) is not allowed: {shorten(text)}. Write one SELECT.")
    if not tokens:
        raise InvalidError("SQL: the text is empty. Write SELECT ... FROM ....")
    if tokens[0].token_type not in (TokenType.SELECT, TokenType.WITH):
        close = " Did you mean SELECT?" if find_close(tokens[0].text.upper(), ["SELECT"]) else ""
        raise InvalidError(
            f"SQL: a statement that begins with {shorten(tokens[0].text)} is not allowed, only SELECT.{close}"
        )
