"""Formulas become MathML when the site is built: browsers draw it themselves, so no page loads a script for it."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

_FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', flags=re.DOTALL)
_LONG = 25  # characters of LaTeX that a phone may not hold on one line
_ESCAPED = re.compile(r"\\([{}_%&#])")  # signs that the converter leaves with their backslash


def on_page_content(content: str, **_: Any) -> str:
    """Replace every formula of a page."""
    return _FORMULA.sub(_drawn, content)


def _drawn(found: re.Match[str]) -> str:
    """Draw a formula within a box that scrolls by itself: MathML cannot, and no page should scroll sideways."""
    latex = html.unescape(found[3])
    if found[2] == "(":
        drawn = _mathml(latex, "inline")
        return f'<span class="formula">{drawn}</span>' if len(latex) > _LONG else drawn
    return f'<div class="formula">{_mathml(latex, "block")}</div>'


def _mathml(latex: str, display: str) -> str:
    return _ESCAPED.sub(r"\1", convert(latex, display=display))
