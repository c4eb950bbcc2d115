"""Examples are shown without the remarks that only the doctest runner reads, and without its closing blank line."""

import re
from typing import Any

_REMARK = re.compile(r"[ \t]*# doctest: \+[A-Z_]+(?:, \+[A-Z_]+)*$", flags=re.MULTILINE)
_END = re.compile(r"\n+(```)$", flags=re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Take the remarks out of a page."""
    return _END.sub(r"\n\1", _REMARK.sub("", markdown))
