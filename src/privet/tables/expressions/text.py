"""Texts: sequences of code points, compared and cut by them; case by the simple mappings of Unicode, one for one."""

from collections.abc import Callable
from typing import Any

from attrs import evolve
from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.accepting import constant, count, of, wanted
from privet.tables.expressions.node import Function, Nodes, Ranges
from privet.tables.expressions.ranges import Range, texts, truth, within
from privet.tables.expressions.syntax import binary
from privet.tables.vocabulary import bare, call

_FURTHEST = 2**32  # places of a text that may be written out


def ascii_only(values: tuple[Any, ...]) -> bool:
    """Whether the case of these texts does not depend on a version of Unicode."""
    return all(value.isascii() for value in values if isinstance(value, str))


def _as_long(ranges: Ranges) -> Range:
    """Infer a text that is no longer than its argument."""
    return texts(ranges[0].length, nullable=ranges[0].nullable)


def _joined(ranges: Ranges) -> Range:
    return texts(sum(known.length for known in ranges), nullable=any(known.nullable for known in ranges))


def _condition(ranges: Ranges) -> Range:
    return truth(nullable=any(known.nullable for known in ranges))


def _engine(name: str) -> Callable[[Nodes], exp.Expr]:
    return lambda arguments: call(name, *(argument.sql() for argument in arguments))


def _case(name: str, meaning: str) -> Function:
    return Function(
        name=name,
        usage=f"{name}(s)",
        meaning=meaning + ", one code point for one",
        nulls="s is null",
        domain="the mapped categories, if they are ASCII; no longer than s",
        accept=of(name, ["text"]),
        infer=_as_long,  # one for one: ß becomes one capital letter, not SS
        compile=_engine(name),
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
    compile=_engine("trim"),
)

LENGTH = Function(
    name="length",
    usage="length(s)",
    meaning="the number of code points",
    nulls="s is null",
    domain="0 to the largest length of s, or the lengths of the categories",
    accept=of("length", ["text"]),
    infer=lambda ranges: within("integer", 0, ranges[0].length, nullable=ranges[0].nullable),
    compile=_engine("length"),
)


def _substr_accept(arguments: Nodes) -> Nodes:
    count("substr", arguments, 2, 3)
    wanted("substr", arguments[0], ["text"])
    names = ("the start", "the length")
    for what, least, argument in zip(names, (1, 0), arguments[1:], strict=False):
        number = constant("substr", what, wanted("substr", argument, ["integer"]))
        if not least <= number <= _FURTHEST:
            raise InvalidError(f"substr: {what} must be {least} or more (the first character is 1), got {number}.")
    return arguments


def _substr_infer(ranges: Ranges) -> Range:
    known, start = ranges[0], int(ranges[1].low)
    rest = max(known.length - start + 1, 0)
    return texts(min([rest, *(int(each.low) for each in ranges[2:])]), nullable=known.nullable)


SUBSTR = Function(
    name="substr",
    usage="substr(s, start), substr(s, start, length)",
    meaning="the code points from start on, the first being 1; start and length are written out",
    nulls="s is null",
    domain="the mapped categories; no longer than length, or than what s leaves",
    accept=_substr_accept,
    infer=_substr_infer,
    compile=lambda arguments: call("substr", arguments[0].sql(), *(bare(int(a.range.low)) for a in arguments[1:])),
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
    domain="all pairs of categories, if few; the sum of the largest lengths",
    accept=of("||", ["text"], ["text"]),
    infer=_joined,
    compile=lambda arguments: binary(exp.DPipe, arguments[0].sql(), arguments[1].sql()),
    write=lambda texts: f"({texts[0]} || {texts[1]})",
)

CONCAT = Function(
    name="concat",
    usage="concat(s, t, ...)",
    meaning="one after another; nulls are passed over, as in DuckDB and PostgreSQL",
    nulls="never",
    domain="all combinations of categories, if few; the sum of the largest lengths",
    accept=_texts("concat"),
    infer=lambda ranges: evolve(_joined(ranges), nullable=False),
    compile=_engine("concat"),
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
        infer=_condition,
        compile=_engine(name),
    )


STARTS_WITH = _test("starts_with", "whether s begins with t")
ENDS_WITH = _test("ends_with", "whether s ends with t")
CONTAINS = _test("contains", "whether t occurs in s")

FUNCTIONS = (LOWER, UPPER, TRIM, LENGTH, SUBSTR, JOIN, CONCAT, STARTS_WITH, ENDS_WITH, CONTAINS)
