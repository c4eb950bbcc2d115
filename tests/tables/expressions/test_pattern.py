"""Patterns: those that are accepted find in DuckDB what Python's regular expressions find; all others are refused."""

import random

import duckdb
import pytest

from privet.errors import InvalidError
from privet.tables.engines.dialect import write
from privet.tables.engines.duckdb.dialect import DIALECT
from privet.tables.expressions import parse
from privet.tables.expressions.pattern import MOST_CHARACTERS, read_pattern
from tests.tables.expressions.formats import replaced
from tests.tables.expressions.generate import COLUMNS

ATOMS = ["a", "b", "ab", r"\.", ".", "[ab]", "[^a]", r"\d", r"\W", r"[\w-]", "é", r"\s", "^", "$", r"[^\d\n]", "-", " "]
QUANTIFIERS = ["", "", "", "*", "+", "?", "??", "*?", "+?", "{2}", "{1,2}", "{0,3}?", "{2,}"]
SIGNS = "aab1 .-é\n_\x0b\x00ß☃"


def drawn(dice: random.Random, depth: int) -> str:
    """Draw a pattern; some are not allowed."""
    parts = []
    for _ in range(dice.randint(1, 3)):
        if depth and dice.random() < 0.45:
            inner = drawn(dice, depth - 1)
            atom = dice.choice((f"({inner})", f"(?:{inner})", f"({inner}|{drawn(dice, depth - 1)})"))
        else:
            atom = dice.choice(ATOMS)
        parts.append(atom + dice.choice(QUANTIFIERS))
    return "".join(parts)


def test_the_engine_finds_what_python_finds() -> None:
    dice = random.Random(11)
    connection, accepted = duckdb.connect(), 0
    for _ in range(4000):
        pattern, option = drawn(dice, 3), dice.choice(("", "g"))
        replacement = dice.choice(("", "x", r"<\0>", r"\1", r"[\1|\2]", r"\2\1\\"))
        texts = ["".join(dice.choices(SIGNS, k=dice.randint(0, 9))) for _ in range(8)]
        written = [f"'{each}'" for each in (pattern, replacement, *([option] if option else []))]
        try:
            value = parse(f"regexp_replace(s, {', '.join(written)})", COLUMNS)
        except InvalidError:
            continue
        accepted += 1
        connection.execute("create or replace table t (n integer, s varchar)")
        connection.executemany("insert into t values (?, ?)", list(enumerate(texts)))
        sql = write(value.sql(), DIALECT)
        got = [each for (each,) in connection.execute(f"select {sql} from t order by n").fetchall()]
        meant = [replaced(each, pattern, replacement, option) for each in texts]
        assert got == meant, (pattern, replacement, option, texts)
        assert all(len(each) <= value.range.length for each in got)
    assert accepted > 700


def test_lengths_are_inferred_as_they_can_be() -> None:
    column = {"s": COLUMNS["s"]}

    def length(arguments: str) -> int:
        return parse(f"regexp_replace(substr(s, 1, 10), {arguments})", column).range.length

    assert length("'ab', 'xyz'") == 11
    assert length("'ab', 'xyz', 'g'") == 15
    assert length("'ab', 'x', 'g'") == 10
    assert length(r"'a(.)', '\1\1-', 'g'") == 25
    assert length("'$', '!'") == 11


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a*)*", "a part that may match nothing is repeated"),
        ("(a|b*)+", "a part that may match nothing is repeated"),
        ("^*", "a part that may match nothing is repeated"),
        ("(?i)a", "only (?:...) is a group"),
        ("(?=a)", "only (?:...) is a group"),
        ("(?P<x>a)", "only (?:...) is a group"),
        (r"(a)\1", "there is no \\1"),
        (r"\pL", "there is no \\p"),
        (r"\bword", "there is no \\b"),
        (r"a\z", "there is no \\z"),
        (r"\é", "there is no \\é"),
        ("a|", "one side of | is empty"),
        ("()", None),
        ("a**", "two repetitions follow each other"),
        ("a*+", "two repetitions follow each other"),
        ("a{2}{3}", "two repetitions follow each other"),
        ("a{3,2}", "from its smaller number to its larger one"),
        ("a{0}", "from its smaller number to its larger one"),
        ("a{2000}", "from its smaller number to its larger one"),
        ("(a{100}){100}", "it is too large"),
        ("a{x}", "{ stands where no repetition can"),
        ("*a", "* stands where no repetition can"),
        ("a)", "closes nothing"),
        ("(a", "a group is not closed"),
        ("[a", "a set is not closed"),
        ("[]a]", "a set is empty"),
        ("[[:alpha:]]", "a set is not closed, or has a ["),
        ("[z-a]", "from a character to a later one"),
        (r"[\S]", "\\S stands within a set"),
        ("(" * 21 + "a" + ")" * 21, "more than 20 groups"),
        ("a\0", "NUL"),
        ("a" * (MOST_CHARACTERS + 1), "at most 1000 characters"),
        ("\\", "there is no \\"),
    ],
)
def test_what_engines_could_read_in_two_ways_is_refused(pattern: str, why: str | None) -> None:
    if why is None:
        assert read_pattern(pattern).least == 0
        return
    with pytest.raises(InvalidError) as error:
        read_pattern(pattern)
    assert why in str(error.value)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("regexp_replace(s, s, 'a')", "the pattern must be written out"),
        ("regexp_replace(s, 'a', s)", "the replacement must be written out"),
        ("regexp_replace(s, 'a', 'b', 'i')", "Write lower(s) to match whatever the case."),
        ("regexp_replace(s, 'a', '\\1')", "the pattern has no such group, but 0"),
        ("regexp_replace(s, 'a', '\\x')", "\\ stands before a digit or another \\"),
        ("regexp_replace(s, 'a', 'b\\')", "\\ stands before a digit or another \\"),
        ("regexp_replace(s, '(a)+', '\\1')", "repeat within the group: ([0-9]+)"),
        ("regexp_replace(s, 'a*', 'b', 'g')", "leave 'g' out"),
        ("regexp_replace(i, 'a', 'b')", "regexp_replace takes text, got integer"),
        ("regexp_replace(s, 'a', '0123456789', 'g')", None),
        ("regexp_replace(s, 'a', '01234567890', 'g')", "may give a text of 11,000 characters"),
    ],
)
def test_calls_that_are_refused(call: str, why: str | None) -> None:
    if why is None:
        assert parse(call, COLUMNS).range.length == 10_000
        return
    with pytest.raises(InvalidError) as error:
        parse(call, COLUMNS)
    assert why in str(error.value)
