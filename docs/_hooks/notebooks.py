"""Notebooks become pages: a page with the line ``<!-- notebook: NAME -->`` shows the cells and what they give.

The cells run when the site is built, so a page shows what this version prints. Released numbers differ at every build.
"""

import ast
import base64
import contextlib
import html
import io
import json
import re
import warnings
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
_MARK = re.compile(r"^<!-- notebook: ([\w-]+) -->$", flags=re.MULTILINE)


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the cells of a notebook in the place of its mark."""
    return _MARK.sub(lambda found: shown(NOTEBOOKS / f"{found[1]}.ipynb"), markdown)


def shown(path: Path) -> str:
    """Run a notebook and write its cells and their outputs in Markdown."""
    names: dict[str, Any] = {"__name__": "__main__"}
    parts = []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += run_cell(source, names)
    return "\n\n".join(parts)


def run_cell(source: str, names: dict[str, Any]) -> list[str]:
    """Run a cell and give its outputs: what it prints, then its last expression as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None
    parts = [_box(f"<pre>{html.escape(printed.getvalue())}</pre>")] if printed.getvalue() else []
    return parts if value is None else [*parts, _box(_displayed(value))]


def _displayed(value: Any) -> str:
    figure = getattr(value, "figure", value)
    if hasattr(figure, "savefig"):
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=100, bbox_inches="tight")
        return f'<img alt="plot" src="data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}">'
    if hasattr(value, "_repr_html_"):
        return str(value._repr_html_())
    return f"<pre>{html.escape(repr(value))}</pre>"


def _box(text: str) -> str:
    """Keep Markdown from reading an output: one HTML block without blank lines."""
    return '<div class="output">' + re.sub(r"\n\s*\n", "\n&#8203;\n", text.strip()) + "</div>"
