"""Formulas become MathML when the site is built: browsers draw it themselves, so no page loads a script for it."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', flags=re.DOTALL)


def on_page_content(content: str, **_: Any) -> str:
    """Replace every formula of a page."""
    return _FORMULA.sub(_drawn, content)


def _drawn(found: re.Match[str]) -> str:
    return convert(html.unescape(found[3]), display="inline" if found[2] == "(" else "block")
