"""Texts on PostgreSQL: case by the tables of the local engine, patterns of RE2 as those of PostgreSQL."""

from sqlglot import exp

from privet.tables.engines.postgres.typed import ENGINE, by_code_points, convert, fill, let, literal
from privet.tables.engines.typed_sql.cases import WHITE_SPACES, mapping
from privet.tables.engines.typed_sql.patterns import of_re2, words_in_any_case, written_out
from privet.tables.engines.typed_sql.trees import Typed, call

_LARGEST_INT = 2**31 - 1


def in_case(name: str, value: Typed) -> Typed:
    """Write a text in small letters or in capitals, one code point for one; "C" alone would change ASCII only."""
    before, after = (literal(each, "text").tree for each in mapping(name))
    body = f"CASE WHEN OCTET_LENGTH(v) = LENGTH(v) THEN {name}(v) ELSE TRANSLATE({name}(v), b, a) END"
    return Typed(by_code_points(let(body, v=value.tree, b=before, a=after)), "text")


def trim(value: Typed) -> Typed:
    """Take the spaces off both ends."""
    return Typed(fill("BTRIM(v, s)", v=value.tree, s=literal(WHITE_SPACES, "text").tree), "text")


def cut(name: str, value: Typed, *places: Typed) -> Typed:
    """Take a part of a text; places beyond 32 bits are beyond the end of every text."""
    ends = [fill(f"LEAST(n, {_LARGEST_INT})::int", n=each.tree) for each in places]
    return Typed(by_code_points(call(name, value.tree, *ends)), "text")


def begins(value: Typed, start: Typed) -> Typed:
    """Tell whether a text begins with another."""
    return Typed(call("starts_with", value.tree, start.tree), "boolean")


def ends(value: Typed, end: Typed) -> Typed:
    """Tell whether a text ends with another."""
    return Typed(let("RIGHT(v, LENGTH(e)) = e", v=value.tree, e=end.tree), "boolean")


def place(value: Typed, part: Typed) -> Typed:
    """Tell where a text occurs in another."""
    return Typed(convert(call("strpos", value.tree, part.tree), "integer"), "integer")


def like(value: Typed, pattern: Typed, escape: Typed | None = None) -> Typed:
    """Match a pattern of SQL; without an escape character there is none."""
    character = exp.Literal.string("") if escape is None else escape.tree
    return Typed(exp.Escape(this=exp.Like(this=value.tree, expression=pattern.tree), expression=character), "boolean")


def ilike(value: Typed, pattern: Typed, escape: Typed | None = None) -> Typed:
    """Match a pattern of SQL, both in small letters."""
    return like(in_case("lower", value), in_case("lower", pattern), escape)


def concatenate(*values: Typed) -> Typed:
    """Put texts one after another; nulls are passed over."""
    return Typed(by_code_points(call("concat", *(each.tree for each in values))), "text")


def parts(value: Typed, separator: Typed, most: Typed) -> Typed:
    """Give one row for each of the first parts of a text."""
    body = "UNNEST((CASE WHEN v = '' THEN ARRAY[v] ELSE STRING_TO_ARRAY(v, s) END)[1:LEAST(m, 2147483647)::int])"
    return Typed(by_code_points(fill(body, v=value.tree, s=separator.tree, m=most.tree)), "text")


def matches(value: Typed, pattern: Typed) -> Typed:
    """Tell whether a regular expression matches all of a text."""
    written = written_out(ENGINE, pattern)
    words = words_in_any_case(written)
    translated = literal(f"^(?:{of_re2(ENGINE, written) if words is None else words})$", "text").tree
    operator = exp.RegexpLike if words is None else exp.RegexpILike
    return Typed(exp.Paren(this=operator(this=exp.Paren(this=value.tree), expression=translated)), "boolean")
