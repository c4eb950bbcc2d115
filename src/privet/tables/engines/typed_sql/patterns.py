"""Regular expressions of RE2 as those of another engine: only what both read alike."""

import re

from privet.tables.engines.typed_sql.trees import Typed, bare_literal
from privet.tables.engines.typed_sql.writer import refusal

_CLASSES = {"s": r"\t\n\f\r ", "d": "0-9", "w": "0-9A-Za-z_"}
_IGNORING_CASE = re.compile(r"\(\?i:([a-z0-9|]*)\)")


def written_out(engine: str, pattern: Typed) -> str:
    """Give the text of a literal, or refuse anything else."""
    found = bare_literal(pattern.tree)
    if found is None:
        raise refusal(engine, "a pattern must be written out", "write it as a text.")
    return str(found.this)


def words_in_any_case(written: str) -> str | None:
    """Give the words of a pattern that is made of words alone and ignores their case; None for any other pattern."""
    found = _IGNORING_CASE.fullmatch(written)
    return found[1] if found else None


def of_re2(engine: str, written: str, characters_within: str = "") -> str:
    """Translate a pattern: classes are those of ASCII, and nothing is allowed that the two read differently.

    Which texts match does not depend on whether a repetition is greedy.

    Args:
        engine: Whose pattern it becomes.
        written: The pattern of RE2.
        characters_within: Characters that mean something within a class there, and are escaped.
    """
    found, at, inside = [], 0, False
    while at < len(written):
        character = written[at]
        if character == "\\":
            found.append(_escaped(engine, written, at, inside=inside))
            at += 2
            continue
        if inside and character in characters_within:
            character = f"\\{character}"
        elif character == "[" and not inside:
            inside = True
        elif character == "]":
            inside = False
        elif character == "(" and written.startswith("(?", at) and not written.startswith("(?:", at):
            raise _no_counterpart(engine, written)
        found.append(character)
        at += 1
    return "".join(found)


def _escaped(engine: str, written: str, at: int, *, inside: bool) -> str:
    behind = written[at + 1 : at + 2]
    if behind in _CLASSES:
        return _CLASSES[behind] if inside else f"[{_CLASSES[behind]}]"
    if (behind and not behind.isalnum()) or behind in ("n", "r", "t", "f"):
        return written[at : at + 2]
    raise _no_counterpart(engine, written)


def _no_counterpart(engine: str, written: str) -> Exception:
    return refusal(engine, f"the pattern {written[:80]!r} has no counterpart", "use like, starts_with or contains.")
