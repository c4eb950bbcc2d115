"""What functions accept: counts and kinds of arguments, conversions without loss of meaning, and their messages."""

from collections.abc import Callable, Sequence
from typing import Any

from attrs import evolve

from privet.errors import InvalidError
from privet.tables.columns import KINDS, NUMBERS, Kind
from privet.tables.expressions.node import Expression, Function, Literal, Nodes
from privet.tables.expressions.ranges import DAY, EPOCH, EPOCH_DAY, rounded, within
from privet.tables.vocabulary import cast

UNNEST = "Make a row for each of its items first, with unnest."
HINTS: dict[tuple[Kind, Kind], str] = {
    ("text", "date"): " Write dates as date '2024-01-31'.",
    ("text", "timestamp"): " Write timestamps as timestamp '2024-01-31 12:00:00'.",
}


def count(name: str, arguments: Nodes, least: int, most: int | None = None) -> None:
    """Refuse too few or too many arguments."""
    most = least if most is None else most
    if not least <= len(arguments) <= most:
        allowed = str(least) if least == most else f"{least} to {most}" if most < 1_000 else f"at least {least}"
        raise InvalidError(f"{name} takes {allowed} arguments, got {len(arguments)}.")


def check_kind(name: str, argument: Expression, kinds: Sequence[Kind]) -> Expression:
    """Refuse an argument of another kind, with the cast that would help."""
    if argument.kind not in kinds:
        listed = " or ".join(kinds)
        if argument.kind == "list":
            raise InvalidError(f"{name} takes {listed}, got the list {brief(argument)}. {UNNEST}")
        joined = " For one condition or another use or." if name == "||" else ""
        raise InvalidError(
            f"{name} takes {listed}, got {argument.kind}: {brief(argument)}. "
            f"Write cast(... as {kinds[0]}) if that is meant.{joined}"
        )
    return argument


def of(name: str, *kinds: Sequence[Kind]) -> Callable[[Nodes], Nodes]:
    """Accept one argument for each of these lists of kinds."""

    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, len(kinds))
        return tuple(check_kind(name, argument, listed) for argument, listed in zip(arguments, kinds, strict=True))

    return accept


def several_of(name: str, kinds: Sequence[Kind]) -> Callable[[Nodes], Nodes]:
    """Accept two or more arguments, all of these kinds."""

    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 2, 1_000)
        return tuple(check_kind(name, argument, kinds) for argument in arguments)

    return accept


def alike_of(name: str, kinds: Sequence[Kind] = KINDS, most: int = 1_000) -> Callable[[Nodes], Nodes]:
    """Accept two or more arguments that become one kind, which must be one of these."""

    def accept(arguments: Nodes) -> Nodes:
        count(name, arguments, 2, most)
        return tuple(check_kind(name, argument, kinds) for argument in alike(name, arguments))

    return accept


def reals(name: str, number: int) -> Callable[[Nodes], Nodes]:
    """Accept this many numbers and make them real."""

    def accept(arguments: Nodes) -> Nodes:
        return tuple(to_real(argument) for argument in of(name, *([NUMBERS] * number))(arguments))

    return accept


def constant(name: str, what: str, argument: Expression) -> Any:
    """Read an argument that must be written out."""
    if not isinstance(argument, Literal) or argument.value is None:
        raise InvalidError(f"{name}: {what} must be written out, got {brief(argument)}.")
    return argument.value


def brief(argument: Expression) -> str:
    """Write an argument of a message."""
    text = str(argument)
    return text if len(text) <= 60 else text[:57] + "..."


def alike(name: str, arguments: Nodes) -> Nodes:
    """Give all arguments one kind: integers beside reals become real, dates beside timestamps become midnights."""
    kinds = list(dict.fromkeys(argument.kind for argument in arguments))
    if len(kinds) == 1:
        return arguments
    if set(kinds) == {"integer", "real"}:
        return tuple(to_real(argument) for argument in arguments)
    if set(kinds) == {"date", "timestamp"}:
        return tuple(to_timestamp(argument) for argument in arguments)
    raise unlike(name, kinds[0], kinds[1])


def unlike(name: str, one: Kind, other: Kind) -> InvalidError:
    """Say that two kinds do not mix."""
    first, second = sorted((one, other), key=lambda kind: kind != "text")
    hint = HINTS.get((first, second), " Nothing is converted silently: write cast(... as ...).")
    return InvalidError(f"{name} does not mix {one} and {other}.{hint}")


def to_real(argument: Expression) -> Expression:
    """Make a number real."""
    return argument if argument.kind == "real" else REAL_OF_INTEGER(argument)


def to_timestamp(argument: Expression) -> Expression:
    """Make a date its midnight."""
    return argument if argument.kind == "timestamp" else MIDNIGHT(argument)


REAL_OF_INTEGER = Function(
    name="real of integer",
    usage="an integer beside a real",
    meaning="the nearest double; ties to even",
    nulls="x is null",
    domain="the bounds of x, rounded to doubles",
    accept=of("real of integer", ["integer"]),
    infer=lambda x: evolve(within("real", rounded(x.low), rounded(x.high), nullable=x.nullable), whole=True),
    compile=lambda x: cast(x.sql(), "real"),
    convert=float,
    write=lambda texts: texts[0],
)

MIDNIGHT = Function(
    name="midnight of date",
    usage="a date beside a timestamp",
    meaning="the first microsecond of the day",
    nulls="x is null",
    domain="the bounds of x",
    accept=of("midnight of date", ["date"]),
    infer=lambda x: within("timestamp", x.low * DAY, x.high * DAY, nullable=x.nullable),
    compile=lambda x: cast(x.sql(), "timestamp"),
    convert=lambda day: EPOCH + (day - EPOCH_DAY),
    write=lambda texts: texts[0],
)
