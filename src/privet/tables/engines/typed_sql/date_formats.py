"""Formats of strptime as regular expressions of an engine, whose groups are the parts of a date."""

import re

from privet.tables.columns import format_pattern
from privet.tables.engines.typed_sql.patterns import of_re2, written_out
from privet.tables.engines.typed_sql.trees import Typed

_PART = re.compile(r"%(.)")


def format_groups(engine: str, written: Typed, group: str) -> tuple[str, dict[str, str]]:
    """Give the pattern of a format, and how the engine writes the group of each part, such as ``d`` or ``Y``.

    Args:
        engine: Whose pattern it becomes.
        written: The format, which is written out.
        group: The SQL of a group; ``{}`` stands for its number.
    """
    form = written_out(engine, written)
    named = [part for part in _PART.findall(form) if part != "%"]
    return of_re2(engine, format_pattern(form)), {part: group.format(at) for at, part in enumerate(named, start=1)}
