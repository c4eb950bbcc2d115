"""Patterns: like and ilike, with a pattern that is written out. There are no regular expressions."""

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.accepting import constant, count, wanted
from privet.tables.expressions.node import Function, Nodes, Ranges
from privet.tables.expressions.ranges import Range, truth
from privet.tables.expressions.syntax import binary
from privet.tables.expressions.text import ascii_only
from privet.tables.vocabulary import call

_LONGEST = 1_000  # matching takes the product of both lengths


def _accept(arguments: Nodes) -> Nodes:
    count("like", arguments, 2, 3)
    for argument in arguments:
        wanted("like", argument, ["text"])
    pattern = constant("like", "the pattern", arguments[1])
    if len(pattern) > _LONGEST:
        raise InvalidError(f"like: the pattern must have at most {_LONGEST} characters, got {len(pattern)}.")
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


def _infer(ranges: Ranges) -> Range:
    return truth(nullable=ranges[0].nullable)


def _pattern(name: str, meaning: str, tree: type[exp.Binary]) -> Function:
    def compiled(arguments: Nodes) -> exp.Expr:
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
        accept=_accept,
        infer=_infer,
        compile=compiled,
        foldable=(lambda _: True) if name == "like" else ascii_only,
        write=write,
    )


LIKE = _pattern("like", "whether s matches: % for any code points, _ for one; the pattern is written out", exp.Like)
ILIKE = _pattern("ilike", "the same in small letters", exp.ILike)

FUNCTIONS = (LIKE, ILIKE)
