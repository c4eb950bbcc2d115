"""Texts: sequences of code points, compared and cut by them; case by the simple mappings of Unicode, one for one.

Patterns are those of ``like``, and are written out; those of ``regexp_replace`` have a file of their own.
"""

from typing import Any

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.accepting import check_kind, constant, count, of
from privet.tables.expressions.casts import convert
from privet.tables.expressions.node import Expression, Function, Nodes, by_engine
from privet.tables.expressions.ranges import Range, texts, truth, truth_of, within
from privet.tables.expressions.syntax import binary
from privet.tables.vocabulary import bare, call

_FURTHEST = 2**32 - 1  # places of a text that may be written out; engines know no further one
_LONGEST_PATTERN = 1_000  # characters: matching takes the product of both lengths


def ascii_only(values: tuple[Any, ...]) -> bool:
    """Whether the case of these texts does not depend on a version of Unicode."""
    return all(value.isascii() for value in values if isinstance(value, str))


def _as_long(known: Range) -> Range:
    """Infer a text that is no longer than its argument."""
    return texts(known.length, nullable=known.nullable)


def _joined(*ranges: Range) -> Range:
    return texts(sum(known.length for known in ranges), nullable=any(known.nullable for known in ranges))


def _case(name: str, meaning: str) -> Function:
    return Function(
        name=name,
        usage=f"{name}(s)",
        meaning=meaning + ", one code point for one",
        nulls="s is null",
        domain="the mapped categories, if they are ASCII; no longer than s",
        accept=of(name, ["text"]),
        infer=_as_long,  # one for one: ß becomes one capital letter, not SS
        compile=by_engine(name),
        foldable=ascii_only,
    )


LOWER = _case("lower", "in small letters")
UPPER = _case("upper", "in capitals")


TRIM = Function(
    name="trim",
    usage="trim(s)",
    meaning="without the spaces (Unicode class Zs; no tabs or line ends) at both ends",
    nulls="s is null",
    domain="the mapped categories; no longer than s",
    accept=of("trim", ["text"]),
    infer=_as_long,
    compile=by_engine("trim"),
)

LENGTH = Function(
    name="length",
    usage="length(s)",
    meaning="the number of code points",
    nulls="s is null",
    domain="0 to the largest length of s, or the lengths of the categories",
    accept=of("length", ["text"]),
    infer=lambda known: within("integer", 0, known.length, nullable=known.nullable),
    compile=by_engine("length"),
)


STRLEN = Function(
    name="strlen",
    usage="strlen(s), octet_length(s)",
    meaning="the number of bytes in UTF-8",
    nulls="s is null",
    domain="0 to four times the largest length of s, or the lengths of the categories",
    accept=of("strlen", ["text"]),
    infer=lambda known: within("integer", 0, 4 * known.length, nullable=known.nullable),
    compile=by_engine("byte_length"),
)

STRPOS = Function(
    name="strpos",
    usage="strpos(s, t), position(t in s), instr(s, t)",
    meaning="where t begins in s, in code points, the first being 1; 0 if it does not occur, 1 if it is empty",
    nulls="s or t is null",
    domain="0 to the largest length of s, at least 1",
    accept=of("strpos", ["text"], ["text"]),
    infer=lambda s, t: within("integer", 0, max(s.length, 1), nullable=s.nullable or t.nullable),
    compile=by_engine("position"),
)


def _substr_accept(arguments: Nodes) -> Nodes:
    count("substr", arguments, 2, 3)
    check_kind("substr", arguments[0], ["text"])
    names = ("the start", "the length")
    for what, least, argument in zip(names, (1, 0), arguments[1:], strict=False):
        number = constant("substr", what, check_kind("substr", argument, ["integer"]))
        if not least <= number <= _FURTHEST:
            raise InvalidError(f"substr: {what} must be {least} or more (the first character is 1), got {number}.")
    return arguments


def _substr_infer(known: Range, start: Range, *length: Range) -> Range:
    rest = max(known.length - int(start.low) + 1, 0)
    return texts(min([rest, *(int(each.low) for each in length)]), nullable=known.nullable)


SUBSTR = Function(
    name="substr",
    usage="substr(s, start), substr(s, start, length), left(s, length)",
    meaning="the code points from start on, the first being 1; start and length are written out",
    nulls="s is null",
    domain="the mapped categories; no longer than length, or than what s leaves",
    accept=_substr_accept,
    infer=_substr_infer,
    compile=lambda x, *places: call("substr", x.sql(), *(bare(int(each.range.low)) for each in places)),
)


def _right_accept(arguments: Nodes) -> Nodes:
    count("right", arguments, 2)
    check_kind("right", arguments[0], ["text"])
    number = constant("right", "the length", check_kind("right", arguments[1], ["integer"]))
    if not 0 <= number <= _FURTHEST:
        raise InvalidError(f"right: the length must be 0 or more, got {number}.")
    return arguments


RIGHT = Function(
    name="right",
    usage="right(s, length)",
    meaning="the last code points; length is written out",
    nulls="s is null",
    domain="the mapped categories; no longer than length, or than s",
    accept=_right_accept,
    infer=lambda known, most: texts(min(known.length, int(most.low)), nullable=known.nullable),
    compile=lambda x, most: call("right", x.sql(), bare(int(most.range.low))),
)


def _replace_infer(s: Range, t: Range, other: Range) -> Range:
    """Bound the length: the shorter t is, the more often it occurs, and the more each occurrence adds."""
    shortest = max(min(map(len, t.categories or ("",)), default=0), 1)  # an empty t replaces nothing
    added = s.length // shortest * max(other.length - shortest, 0)
    return texts(s.length + added, nullable=any(known.nullable for known in (s, t, other)))


REPLACE = Function(
    name="replace",
    usage="replace(s, t, other)",
    meaning="s with other in the place of every t, from left to right; s itself if t is empty",
    nulls="s, t or other is null",
    domain="the mapped categories; the largest length that the replacement makes possible",
    accept=of("replace", ["text"], ["text"], ["text"]),
    infer=_replace_infer,
    compile=by_engine("replace"),
)

JOIN = Function(
    name="||",
    usage="s || t",
    meaning="s followed by t",
    nulls="s or t is null",
    domain="all pairs of categories, if few; the sum of the largest lengths",
    accept=of("||", ["text"], ["text"]),
    infer=_joined,
    compile=lambda x, y: binary(exp.DPipe, x.sql(), y.sql()),
    write=lambda texts: f"({texts[0]} || {texts[1]})",
)


def _concat_accept(arguments: Nodes) -> Nodes:
    """Accept two or more arguments; what every engine writes alike becomes a text."""
    count("concat", arguments, 2, 1_000)
    written = (convert(each, "text") if each.kind in ("integer", "boolean", "date") else each for each in arguments)
    return tuple(check_kind("concat", each, ["text"]) for each in written)


CONCAT = Function(
    name="concat",
    usage="concat(s, t, ...)",
    meaning="one after another, whole numbers, truth values and dates as texts; nulls are passed over, "
    "as in DuckDB and PostgreSQL",
    nulls="never",
    domain="all combinations of categories, if few; the sum of the largest lengths",
    accept=_concat_accept,
    infer=lambda *ranges: evolve(_joined(*ranges), nullable=False),
    compile=by_engine("concat"),
    strict=False,
)


def _test(name: str, meaning: str) -> Function:
    return Function(
        name=name,
        usage=f"{name}(s, t)",
        meaning=meaning,
        nulls="s or t is null",
        domain="true, false",
        accept=of(name, ["text"], ["text"]),
        infer=truth_of,
        compile=by_engine(name),
    )


STARTS_WITH = _test("starts_with", "whether s begins with t")
ENDS_WITH = _test("ends_with", "whether s ends with t")
CONTAINS = _test("contains", "whether t occurs in s")


def _like_accept(arguments: Nodes) -> Nodes:
    count("like", arguments, 2, 3)
    for argument in arguments:
        check_kind("like", argument, ["text"])
    pattern = constant("like", "the pattern", arguments[1])
    if len(pattern) > _LONGEST_PATTERN:
        raise InvalidError(f"like: the pattern must have at most {_LONGEST_PATTERN} characters, got {len(pattern)}.")
    if len(arguments) == 3:
        escape = constant("like", "the escape character", arguments[2])
        if len(escape) != 1 or not escape.isascii() or not escape.isprintable() or escape.isalnum() or escape in "%_ ":
            raise InvalidError(
                "like: the escape character must be one sign such as '!', not a letter, a digit, % or _."
            )
        _check_end(pattern, escape)
    return arguments


def _check_end(pattern: str, escape: str) -> None:
    """Refuse an escape character without one behind it: the engine would raise for some rows and not for others."""
    characters = iter(pattern)
    for character in characters:
        if character == escape and next(characters, None) is None:
            raise InvalidError("like: the pattern must not end with the escape character.")


def _pattern(name: str, meaning: str, tree: type[exp.Binary]) -> Function:
    def compiled(*arguments: Expression) -> exp.Expr:
        trees = [argument.sql() for argument in arguments]
        return call(f"{name}_escape", *trees) if len(trees) == 3 else binary(tree, *trees)

    def write(texts: tuple[str, ...]) -> str:
        return f"({texts[0]} {name} {texts[1]}" + (f" escape {texts[2]})" if len(texts) == 3 else ")")

    return Function(
        name=name,
        usage=f"s {name} 'a%', s not {name} 'a!%' escape '!'",
        meaning=meaning,
        nulls="s is null",
        domain="true, false",
        accept=_like_accept,
        infer=lambda x, *_: truth(nullable=x.nullable),
        compile=compiled,
        foldable=(lambda _: True) if name == "like" else ascii_only,
        write=write,
    )


LIKE = _pattern("like", "whether s matches: % for any code points, _ for one; the pattern is written out", exp.Like)
ILIKE = _pattern("ilike", "the same in small letters", exp.ILike)

FUNCTIONS = (
    *(LOWER, UPPER, TRIM, LENGTH, STRLEN, STRPOS, SUBSTR, RIGHT, REPLACE, JOIN, CONCAT, STARTS_WITH, ENDS_WITH),
    *(CONTAINS, LIKE, ILIKE),
)
