"""The recipes of docs/recipes: their code, what it prints, and the two files that it reads.

``python -m tests.newcomer.recipes NAME`` runs a recipe on all made-up visits and writes into its page what it prints.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path

from attrs import frozen
from pyarrow import csv

import privet as pv

RECIPES = Path(__file__).parents[2] / "docs" / "recipes"
_BLOCK = re.compile(r"^```(python|text|yaml)\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
_WIDTH = 110
_CUT = "…"
_WHOLE = ("count", "frequent-visitors")  # the notes below a table are the point of these
_NOTES = ("The 95 % interval", "privacy loss:", "protected:", "rows:", "caps of", "not covered", "note:", "A bin ")


@frozen
class Example:
    """One block of code of a page, and what the page says that it prints."""

    code: str
    printed: str | None


def pages() -> list[str]:
    """Name the recipes."""
    return sorted(path.stem for path in RECIPES.glob("*.md") if path.stem != "index")


def examples(name: str) -> list[Example]:
    """Read the blocks of code of a page."""
    blocks = [(found[1], found[2]) for found in _BLOCK.finditer(_text(name))]
    after = [*blocks[1:], ("", "")]
    return [
        Example(code, shown if kind == "text" else None)
        for (language, code), (kind, shown) in zip(blocks, after, strict=True)
        if language == "python"
    ]


def codebook() -> str:
    """Read visits.yaml as docs/recipes/index.md shows it."""
    return next(found[2] for found in _BLOCK.finditer(_text("index")) if found[1] == "yaml")


@contextlib.contextmanager
def visits_folder(folder: Path, rows: int) -> Iterator[None]:
    """Work in a folder with visits.csv and visits.yaml."""
    csv.write_csv(pv.datasets.visits(rows), folder / "visits.csv")
    (folder / "visits.yaml").write_text(codebook(), encoding="utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(code: str, names: dict[str, object]) -> str:
    """Run a block of code and give what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "recipe", "exec"), names)
    return printed.getvalue()


def masked(printed: str) -> list[str]:
    """Give the words of what was printed, without its numbers, which differ at every run, and their plurals."""
    text = re.sub(r"[─━═-]{2,}", " ", _NUMBER.sub("#", printed))
    return re.sub(r"\b(row|group|person|key)s\b", r"\1", text).split()


def agrees(shown: str, printed: str) -> bool:
    """Compare what a page shows with what was printed, but for numbers; "…" stands for any lines."""
    words, at = " ".join(masked(printed)), 0
    for chunk in (" ".join(masked(each)) for each in shown.split(_CUT)):
        found = words.find(chunk, at)
        if found < 0 or (at == 0 and found > 0):
            return False
        at = found + len(chunk)
    return shown.rstrip().endswith(_CUT) or at == len(words)


def fitted(name: str, printed: str) -> str:
    """Break lines that no page has room for, and cut the notes below a table where they are not the point."""
    lines: list[str] = []
    for line in printed.splitlines():
        if name not in _WHOLE and line.startswith(_NOTES):
            lines += [] if lines[-1:] == [_CUT] else [_CUT]
        elif len(line) <= _WIDTH or "  " in line.strip():  # a line of a table stays whole
            lines.append(line)
        else:
            lines += textwrap.wrap(line, _WIDTH, subsequent_indent="    ")
    return "\n".join(lines)


def _text(name: str) -> str:
    return (RECIPES / f"{name}.md").read_text(encoding="utf-8")


def rewrite(name: str) -> None:
    """Write into a page what its code prints now."""
    names: dict[str, object] = {"__name__": "__main__"}
    text = _text(name)
    with tempfile.TemporaryDirectory() as folder, visits_folder(Path(folder), 50_000):
        for each in examples(name):
            printed = run(each.code, names)
            if each.printed is not None:
                old = f"```python\n{each.code}```"
                head, _, tail = text.partition(old)
                before, _, rest = tail.partition("```text\n")
                text = head + old + before + "```text\n" + fitted(name, printed) + "\n```" + rest.partition("```")[2]
    (RECIPES / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for page in sys.argv[1:] or pages():
        rewrite(page)
