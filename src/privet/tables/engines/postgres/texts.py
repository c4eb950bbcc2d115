"""Texts on PostgreSQL: case by the tables of the local engine, patterns of RE2 as those of PostgreSQL."""

import re
from functools import cache

from sqlglot import exp

from privet.tables.engines.default import evaluate
from privet.tables.engines.postgres.typed import Typed, by_code_points, call, convert, fill, let, literal, refused
from privet.tables.vocabulary import call as meaning
from privet.tables.vocabulary import column

_LARGEST_INT = 2**31 - 1
_CASED = (range(0x80, 0x3400), range(0xA000, 0xAC00), range(0xF900, 0x1F000))  # no other code points have a case
_CLASSES = {"s": r"\t\n\f\r ", "d": "0-9", "w": "0-9A-Za-z_"}
_WHITE_SPACES = " \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_IGNORING_CASE = re.compile(r"\(\?i:([a-z0-9|]*)\)")


@cache
def _mapping(name: str) -> tuple[str, str]:
    """Give the code points beyond ASCII that a change of case maps to others, and those others."""
    points = [chr(each) for part in _CASED for each in part]
    (mapped,) = evaluate([meaning(name, column("c"))], {"c": ("text", points)}, len(points))
    pairs = [(one, other) for one, other in zip(points, mapped, strict=True) if one != other]
    return "".join(one for one, _ in pairs), "".join(other for _, other in pairs)


def in_case(name: str, value: Typed) -> Typed:
    """Write a text in small letters or in capitals, one code point for one; "C" alone would change ASCII only."""
    before, after = (literal(each, "text").tree for each in _mapping(name))
    body = f"CASE WHEN OCTET_LENGTH(v) = LENGTH(v) THEN {name}(v) ELSE TRANSLATE({name}(v), b, a) END"
    return Typed(by_code_points(let(body, v=value.tree, b=before, a=after)), "text")


def trimmed(value: Typed) -> Typed:
    """Take the spaces off both ends."""
    return Typed(fill("BTRIM(v, s)", v=value.tree, s=literal(_WHITE_SPACES, "text").tree), "text")


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
    sign = exp.Literal.string("") if escape is None else escape.tree
    return Typed(exp.Escape(this=exp.Like(this=value.tree, expression=pattern.tree), expression=sign), "boolean")


def ilike(value: Typed, pattern: Typed, escape: Typed | None = None) -> Typed:
    """Match a pattern of SQL, both in small letters."""
    return like(in_case("lower", value), in_case("lower", pattern), escape)


def joined(*values: Typed) -> Typed:
    """Put texts one after another; nulls are passed over."""
    return Typed(by_code_points(call("concat", *(each.tree for each in values))), "text")


def parts(value: Typed, separator: Typed, most: Typed) -> Typed:
    """Give one row for each of the first parts of a text."""
    body = "UNNEST((CASE WHEN v = '' THEN ARRAY[v] ELSE STRING_TO_ARRAY(v, s) END)[1:LEAST(m, 2147483647)::int])"
    return Typed(by_code_points(fill(body, v=value.tree, s=separator.tree, m=most.tree)), "text")


def matches(value: Typed, pattern: Typed) -> Typed:
    """Tell whether a regular expression matches all of a text."""
    written = written_out(pattern)
    ignoring = _IGNORING_CASE.fullmatch(written)
    translated = literal(f"^(?:{ignoring[1] if ignoring else of_re2(written)})$", "text").tree
    sign = exp.RegexpILike if ignoring else exp.RegexpLike
    return Typed(exp.Paren(this=sign(this=exp.Paren(this=value.tree), expression=translated)), "boolean")


def written_out(pattern: Typed) -> str:
    """Give the text of a literal."""
    tree: exp.Expr = pattern.tree
    while isinstance(tree, exp.Paren | exp.Cast | exp.Collate):
        tree = tree.this
    if not isinstance(tree, exp.Literal):
        raise refused("a pattern must be written out", "write it as a text.")
    return str(tree.this)


def of_re2(written: str) -> str:
    """Translate a pattern: classes are those of ASCII, and nothing is allowed that the two read differently.

    Which texts match does not depend on whether a repetition is greedy.
    """
    found, at, inside = [], 0, False
    while at < len(written):
        sign = written[at]
        if sign == "\\":
            behind = written[at + 1 : at + 2]
            if behind in _CLASSES:
                found.append(_CLASSES[behind] if inside else f"[{_CLASSES[behind]}]")
            elif (behind and not behind.isalnum()) or behind in ("n", "r", "t", "f"):
                found.append(written[at : at + 2])
            else:
                raise refused(f"the pattern {written[:80]!r} has no counterpart", "use like, starts_with or contains.")
            at += 2
            continue
        if sign == "[" and not inside:
            inside = True
        elif sign == "]":
            inside = False
        elif sign == "(" and written.startswith("(?", at) and not written.startswith("(?:", at):
            raise refused(f"the pattern {written[:80]!r} has no counterpart", "use like, starts_with or contains.")
        found.append(sign)
        at += 1
    return "".join(found)
