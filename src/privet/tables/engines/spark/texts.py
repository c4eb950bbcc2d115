"""Texts on Spark: case by the tables of the local engine, patterns of RE2 as those of Java."""

import re

from sqlglot import exp

from privet.tables.engines.spark.typed import ENGINE, convert, fill, let, literal, refused
from privet.tables.engines.typed_sql.cases import WHITE_SPACES, mapping
from privet.tables.engines.typed_sql.patterns import of_re2, words_in_any_case, written_out
from privet.tables.engines.typed_sql.trees import Typed, call

_LARGEST_INT = 2**31 - 1
_WITHIN = "[&"  # Java reads classes within a class, and intersections


def in_case(name: str, value: Typed) -> Typed:
    """Write a text in small letters or in capitals, one code point for one."""
    before, after = (exp.Literal.string(each) for each in mapping(name))
    latin = "abcdefghijklmnopqrstuvwxyz"
    ends = (latin.upper(), latin) if name == "lower" else (latin, latin.upper())
    body = f"""CASE WHEN OCTET_LENGTH(v) = LENGTH(v) THEN {name}(v)
        ELSE TRANSLATE(v, CONCAT('{ends[0]}', b), CONCAT('{ends[1]}', a)) END"""
    return Typed(let(body, v=value.tree, b=before, a=after), "text")


def trim(value: Typed) -> Typed:
    """Take the spaces off both ends."""
    return Typed(fill("TRIM(BOTH s FROM v)", v=value.tree, s=literal(WHITE_SPACES, "text").tree), "text")


def cut(name: str, value: Typed, *places: Typed) -> Typed:
    """Take a part of a text; places beyond 32 bits are beyond the end of every text."""
    ends = [fill(f"CAST(LEAST(n, {_LARGEST_INT}) AS INT)", n=convert(each.tree, "integer")) for each in places]
    return Typed(call(name, value.tree, *ends), "text")


def begins(value: Typed, start: Typed) -> Typed:
    """Tell whether a text begins with another."""
    return Typed(call("startswith", value.tree, start.tree), "boolean")


def ends(value: Typed, end: Typed) -> Typed:
    """Tell whether a text ends with another."""
    return Typed(call("endswith", value.tree, end.tree), "boolean")


def place(value: Typed, part: Typed) -> Typed:
    """Tell where a text occurs in another."""
    return Typed(convert(call("instr", value.tree, part.tree), "integer"), "integer")


def like(value: Typed, pattern: Typed, escape: Typed | None = None) -> Typed:
    """Match a pattern of SQL, in which a backslash is Spark's escape character and nobody else's."""
    written, escaping = written_out(ENGINE, pattern), "" if escape is None else written_out(ENGINE, escape)
    made, at = [], 0
    while at < len(written):
        character = written[at]
        if escaping and character == escaping:
            at += 1
            if at == len(written):
                raise refused("a pattern of like ends with its escape character", "take it off.")
            character = written[at]
            made.append(f"\\{character}" if character in "%_\\" else character)
        else:
            made.append("\\\\" if character == "\\" else character)
        at += 1
    return Typed(exp.Paren(this=exp.Like(this=value.tree, expression=exp.Literal.string("".join(made)))), "boolean")


def ilike(value: Typed, pattern: Typed, escape: Typed | None = None) -> Typed:
    """Match a pattern of SQL, both in small letters."""
    before, after = mapping("lower")
    small = written_out(ENGINE, pattern).translate(str.maketrans(before, after))
    ascii_small = "".join(each.lower() if each.isascii() else each for each in small)
    return like(in_case("lower", value), literal(ascii_small, "text"), escape)


def concatenate(*values: Typed) -> Typed:
    """Put texts one after another; nulls are passed over."""
    return Typed(call("concat_ws", exp.Literal.string(""), *(convert(each.tree, "text") for each in values)), "text")


def parts(value: Typed, separator: Typed, most: Typed) -> Typed:
    """Give one row for each of the first parts of a text."""
    written = written_out(ENGINE, separator)
    if not written:
        raise refused("texts are split at a separator that has characters", "give one.")
    pattern = exp.Literal.string(re.sub(r"([^0-9A-Za-z\x80-\U0010ffff])", r"\\\1", written))
    count = fill(f"CAST(LEAST(m, {_LARGEST_INT}) AS INT)", m=most.tree)
    return Typed(fill("EXPLODE(SLICE(SPLIT(v, p, -1), 1, n))", v=value.tree, p=pattern, n=count), "text")


def matches(value: Typed, pattern: Typed) -> Typed:
    """Tell whether a regular expression matches all of a text."""
    written = written_out(ENGINE, pattern)
    words = words_in_any_case(written)
    flags, body = ("(?s)", of_re2(ENGINE, written, _WITHIN)) if words is None else ("(?iu)", words)
    made = exp.RegexpLike(this=value.tree, expression=exp.Literal.string(f"{flags}^(?:{body})\\z"))
    return Typed(exp.Paren(this=made), "boolean")
