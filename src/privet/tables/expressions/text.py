"""Texts: sequences of code points, compared and cut by them; case by the simple mappings of Unicode, one for one."""

import unicodedata
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from privet.errors import Invalid
from privet.tables.expressions.accepting import constant, count, of, wanted
from privet.tables.expressions.node import Function, Nodes, Ranges
from privet.tables.expressions.ranges import Range, anything, truth, within
from privet.tables.expressions.syntax import binary, call, literal

_LONGEST = 2**32  # bytes of a text in the engine


def ascii_only(values: tuple[Any, ...]) -> bool:
    """Whether the case of these texts does not depend on a version of Unicode."""
    return all(value.isascii() for value in values if isinstance(value, str))


def simple_lower(text: str) -> str:
    """Lower each code point to one code point."""
    return "".join(character.lower()[0] for character in text)


def simple_upper(text: str) -> str:
    """Raise each code point to one code point, if there is one."""
    return "".join(map(_upper, text))


def _upper(character: str) -> str:
    if character == "ß":
        return "ẞ"
    forms = (character.upper(), character.title(), character)
    return next(form for form in forms if len(form) == 1)


def _text(ranges: Ranges) -> Range:
    return anything("text", nullable=any(known.nullable for known in ranges))


def _condition(ranges: Ranges) -> Range:
    return truth(nullable=any(known.nullable for known in ranges))


def _engine(name: str) -> Callable[[Nodes], exp.Expr]:
    return lambda arguments: call(name, *(argument.sql() for argument in arguments))


def _case(name: str, meaning: str, apply: Callable[[str], str]) -> Function:
    return Function(
        name=name,
        usage=f"{name}(s)",
        meaning=meaning + ", one code point for one",
        nulls="s is null",
        domain="the mapped categories, if they are ASCII",
        accept=of(name, ["text"]),
        infer=_text,
        compile=_engine(name),
        evaluate=apply,
        exact=ascii_only,
    )


LOWER = _case("lower", "in small letters", simple_lower)
UPPER = _case("upper", "in capitals", simple_upper)


def _trim(text: str) -> str:
    kept = [place for place, character in enumerate(text) if unicodedata.category(character) != "Zs"]
    return text[kept[0] : kept[-1] + 1] if kept else ""


TRIM = Function(
    name="trim",
    usage="trim(s)",
    meaning="without the spaces (Unicode class Zs; no tabs or line ends) at both ends",
    nulls="s is null",
    domain="the mapped categories",
    accept=of("trim", ["text"]),
    infer=_text,
    compile=_engine("trim"),
    evaluate=_trim,
)

LENGTH = Function(
    name="length",
    usage="length(s)",
    meaning="the number of code points",
    nulls="s is null",
    domain="0 to 2^32, or the lengths of the categories",
    accept=of("length", ["text"]),
    infer=lambda ranges: within("integer", 0, _LONGEST, nullable=ranges[0].nullable),
    compile=_engine("length"),
    evaluate=len,
)


def _substr_accept(arguments: Nodes) -> Nodes:
    count("substr", arguments, 2, 3)
    wanted("substr", arguments[0], ["text"])
    names = ("the start", "the length")
    for what, least, argument in zip(names, (1, 0), arguments[1:], strict=False):
        number = constant("substr", what, wanted("substr", argument, ["integer"]))
        if not least <= number <= _LONGEST:
            raise Invalid(f"substr: {what} must be {least} or more (the first character is 1), got {number}.")
    return arguments


def _substr(text: str, start: int, length: int | None = None) -> str:
    return text[start - 1 :] if length is None else text[start - 1 : start - 1 + length]


SUBSTR = Function(
    name="substr",
    usage="substr(s, start), substr(s, start, length)",
    meaning="the code points from start on, the first being 1; start and length are written out",
    nulls="s is null",
    domain="the mapped categories",
    accept=_substr_accept,
    infer=_text,
    compile=lambda arguments: call("substr", arguments[0].sql(), *(literal(int(a.range.low)) for a in arguments[1:])),
    evaluate=_substr,
)


def _texts(name: str) -> Callable[[Nodes], Nodes]:
    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 2, 1_000)
        return tuple(wanted(name, argument, ["text"]) for argument in arguments)

    return accept


JOIN = Function(
    name="||",
    usage="s || t",
    meaning="s followed by t",
    nulls="s or t is null",
    domain="all pairs of categories, if few",
    accept=of("||", ["text"], ["text"]),
    infer=_text,
    compile=lambda arguments: binary(exp.DPipe, arguments[0].sql(), arguments[1].sql()),
    evaluate=lambda s, t: s + t,
    write=lambda texts: f"({texts[0]} || {texts[1]})",
)

CONCAT = Function(
    name="concat",
    usage="concat(s, t, ...)",
    meaning="one after another; nulls are passed over, as in DuckDB and PostgreSQL",
    nulls="never",
    domain="all combinations of categories, if few",
    accept=_texts("concat"),
    infer=lambda _: anything("text", nullable=False),
    compile=_engine("concat"),
    evaluate=lambda *values: "".join(value for value in values if value is not None),
    strict=False,
)


def _test(name: str, meaning: str, apply: Callable[[str, str], bool]) -> Function:
    return Function(
        name=name,
        usage=f"{name}(s, t)",
        meaning=meaning,
        nulls="s or t is null",
        domain="true, false",
        accept=of(name, ["text"], ["text"]),
        infer=_condition,
        compile=_engine(name),
        evaluate=apply,
    )


STARTS_WITH = _test("starts_with", "whether s begins with t", str.startswith)
ENDS_WITH = _test("ends_with", "whether s ends with t", str.endswith)
CONTAINS = _test("contains", "whether t occurs in s", str.__contains__)

FUNCTIONS = (LOWER, UPPER, TRIM, LENGTH, SUBSTR, JOIN, CONCAT, STARTS_WITH, ENDS_WITH, CONTAINS)
