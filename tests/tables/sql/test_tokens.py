"""The words of a statement: comments are left out, unless some system would run them."""

import pytest
from sqlglot.tokenizer_core import TokenType

from privet.errors import InvalidError, WrongTypeError
from privet.tables.engines.grammar import GRAMMARS, Grammar
from privet.tables.sql.tokens import check_one, check_text, split_words


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize(
    "text",
    [
        "SELECT 1 -- x",
        "SELECT /* x; DROP TABLE y */ 1",
        "/* SELECT 2 */ SELECT 1;",
        "SELECT 1; -- SELECT 2",
        "SELECT\n-- x\n1\n/* y */ ;",
    ],
)
def test_comments_are_left_out_in_every_grammar(grammar: Grammar, text: str) -> None:
    tokens = split_words(text, grammar)
    assert [token.text for token in tokens] == ["SELECT", "1"]
    assert not any(token.comments for token in tokens)


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize(
    "comment", ["/*! x */", "/*!50000 x */", "/*M! x */", "/*+ x */", "/* a /* b */ c */", "/* a /* b */"]
)
@pytest.mark.parametrize("shape", ["SELECT {} 1", "SELECT 1 {}", "{} SELECT 1"])
def test_comments_that_some_system_runs_or_ends_elsewhere_are_refused(
    grammar: Grammar, comment: str, shape: str
) -> None:
    with pytest.raises(InvalidError):
        check_one(split_words(shape.format(comment), grammar), "")


def test_a_text_that_looks_like_a_comment_is_a_text() -> None:
    for grammar in GRAMMARS:
        (_, literal) = split_words("SELECT '/*! x */ -- y'", grammar)
        assert (literal.token_type, literal.text) == (TokenType.STRING, "/*! x */ -- y")


def test_top_is_a_keyword_only_before_a_number() -> None:
    kinds = [token.token_type for token in split_words("SELECT TOP 3 top, a.top FROM top", "duckdb")]
    assert kinds.count(TokenType.TOP) == 1
    assert [token.token_type for token in split_words("SELECT top FROM t", "duckdb")].count(TokenType.TOP) == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [(3, WrongTypeError), ("x" * 100_001, InvalidError), ("\ud800", InvalidError), ("a\0b", InvalidError)],
)
def test_what_is_no_text_is_refused(text: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        check_text(text)


@pytest.mark.parametrize("text", ["SELECT 1; SELECT 2", ";;", "", "DROP TABLE x", "SELECT 1;;"])
def test_anything_but_one_select_is_refused(text: str) -> None:
    with pytest.raises(InvalidError):
        check_one(split_words(text, "duckdb"), text)
