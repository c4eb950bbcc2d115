"""Patterns: like and ilike, with a pattern that is written out. There are no regular expressions."""

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.accepting import constant, count, wanted
from privet.tables.expressions.node import Function, Nodes, Ranges
from privet.tables.expressions.ranges import Range, truth
from privet.tables.expressions.syntax import binary, call
from privet.tables.expressions.text import ascii_only, simple_lower

_ANY, _ONE = object(), object()
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
        _pieces(pattern, escape)
    return arguments


def _pieces(pattern: str, escape: str | None) -> list[object]:
    pieces: list[object] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            following = next(characters, None)
            if following is None:  # the engine would raise for some rows and not for others
                raise InvalidError("like: the pattern must not end with the escape character.")
            pieces.append(following)
        else:
            pieces.append({"%": _ANY, "_": _ONE}.get(character, character))
    return pieces


def like(text: str, pattern: str, escape: str | None = None) -> bool:
    """Match a text: ``%`` stands for any number of code points, ``_`` for one."""
    pieces = _pieces(pattern, escape)
    reached = {0}  # how many pieces may have been matched so far
    for character in text:
        reached = _closure(reached, pieces)
        reached = {place if pieces[place] is _ANY else place + 1 for place in reached
                   if place < len(pieces) and pieces[place] in (_ANY, _ONE, character)}  # fmt: skip
    return len(pieces) in _closure(reached, pieces)


def _closure(reached: set[int], pieces: list[object]) -> set[int]:
    wider = set(reached)
    for place in reached:
        while place < len(pieces) and pieces[place] is _ANY:
            place += 1  # noqa: PLW2901
            wider.add(place)
    return wider


def ilike(text: str, pattern: str, escape: str | None = None) -> bool:
    """Match in small letters."""
    return like(simple_lower(text), simple_lower(pattern), escape)


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
        evaluate=like if name == "like" else ilike,
        exact=(lambda _: True) if name == "like" else ascii_only,
        write=write,
    )


LIKE = _pattern("like", "whether s matches: % for any code points, _ for one; the pattern is written out", exp.Like)
ILIKE = _pattern("ilike", "the same in small letters", exp.ILike)

FUNCTIONS = (LIKE, ILIKE)
