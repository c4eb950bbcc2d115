"""Replacing what matches a pattern: ``regexp_replace``, with a pattern and a replacement that are written out."""

from functools import lru_cache
from typing import Any

from sqlglot import exp

from privet.errors import InvalidError
from privet.tables.expressions.accepting import check_kind, constant, count
from privet.tables.expressions.node import Expression, Function, Literal, Nodes
from privet.tables.expressions.pattern import Pattern, read_pattern, refused
from privet.tables.expressions.ranges import Range, texts
from privet.tables.vocabulary import bare, call

_NAME = "regexp_replace"
EVERY = "g"  # the option that replaces every match


def _accept(arguments: Nodes) -> Nodes:
    count(_NAME, arguments, 3, 4)
    for argument in arguments:
        check_kind(_NAME, argument, ["text"])
    written = constant(_NAME, "the pattern", arguments[1])
    replacement = constant(_NAME, "the replacement", arguments[2])
    option = constant(_NAME, "the option", arguments[3]) if len(arguments) == 4 else ""
    if option not in ("", EVERY):
        raise InvalidError(
            f"{_NAME}: the only option is 'g', which replaces every match, got {option[:20]!r}. Write lower(s) to "
            "match whatever the case."
        )
    pattern, _ = _read(written, replacement)
    if option and pattern.least == 0:
        raise refused(written, "it may match nothing, and engines differ in how often that is; leave 'g' out")
    return arguments


@lru_cache(maxsize=1_000)
def _read(written: str, replacement: str) -> tuple[Pattern, tuple[str | int, ...]]:
    """Read a pattern and a replacement: texts, and the numbers of the groups that stand between them."""
    parts = read_replacement(replacement)
    shown = {part for part in parts if isinstance(part, int)}
    pattern = read_pattern(written, shown)
    if max(shown, default=0) > pattern.groups:
        raise InvalidError(
            f"{_NAME}: the replacement has \\{max(shown)}, and the pattern has no such group, but {pattern.groups}."
        )
    return pattern, parts


def read_replacement(written: str) -> tuple[str | int, ...]:
    r"""Read a replacement: texts, and the numbers of groups; ``\0`` is the whole match and ``\\`` a backslash.

    >>> read_replacement(r"<\1>")
    ('<', 1, '>')
    """
    parts: list[str | int] = []
    signs = iter(written)
    for sign in signs:
        if sign != "\\":
            parts.append(sign)
            continue
        behind = next(signs, "")
        if behind == "\\":
            parts.append(behind)
        elif behind.isascii() and behind.isdigit():
            parts.append(int(behind))
        else:
            raise InvalidError(f"{_NAME}: in a replacement \\ stands before a digit or another \\, got \\{behind}.")
    joined: list[str | int] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)


def _constants(*arguments: Any) -> tuple[Pattern, tuple[str | int, ...], bool]:
    """Give what the arguments behind the first say: literals, or the ranges of literals."""
    values = [each.value if isinstance(each, Literal) else (each.categories or ("",))[0] for each in arguments]
    return *_read(values[0], values[1]), len(values) == 3


def _infer(known: Range, *others: Range) -> Range:
    r"""Bound the length: outside matches a text stays, and within each it becomes the replacement.

    A group is no longer than its match, so that n groups add n times the match at most.
    """
    pattern, parts, every = _constants(*others)
    added = sum(len(part) for part in parts if isinstance(part, str))
    groups = sum(isinstance(part, int) for part in parts)
    matches = 1 if not every else known.length // pattern.least  # such a pattern matches no empty text
    if groups:
        length = groups * known.length + matches * added
    else:
        length = known.length + max(matches * (added - pattern.least), 0)
    return texts(length, nullable=known.nullable)


def _compile(x: Expression, *others: Expression) -> exp.Expr:
    pattern, parts, every = _constants(*others)
    places = {0: 0, **{number: place for place, number in enumerate(pattern.kept, 1)}}
    rewrite = "".join(f"\\{places[part]}" if isinstance(part, int) else part.replace("\\", "\\\\") for part in parts)
    return call(_NAME, x.sql(), bare(pattern.text), bare(rewrite), *([bare(EVERY)] if every else []))


REGEXP_REPLACE = Function(
    name=_NAME,
    usage=r"regexp_replace(s, '[0-9]+', 'N'), regexp_replace(s, '^([a-z]+)-', '\1 ', 'g')",
    meaning="s with its first match of a [pattern](patterns.md) replaced, with 'g' every one; all else is written out",
    nulls="s is null",
    domain="the mapped categories; the largest length that the replacement makes possible",
    accept=_accept,
    infer=_infer,
    compile=_compile,
)

FUNCTIONS = (REGEXP_REPLACE,)
