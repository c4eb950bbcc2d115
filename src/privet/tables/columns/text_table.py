"""Tables of text, in columns of equal width."""

from collections.abc import Sequence


def text_table(lines: Sequence[Sequence[str]]) -> str:
    """Align cells in columns.

    >>> print(text_table([["ward", "count"], ["surgery", "12"]]))
    ward     count
    surgery  12
    """
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
