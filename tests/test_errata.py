"""The errata: every number stands once, what is cited exists, and so does what is said to catch a mistake."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([RKBD])(\d+) \| .* \|$", PAGE, re.MULTILINE)
LETTERS = "RKBD"
TESTS = " ".join(path.read_text(encoding="utf-8").lower() for path in sorted((ROOT / "tests").rglob("*.py")))
ONE_LINE = re.sub(r"\s+", " ", TESTS)
CITED = re.compile(r"\berrat(?:a|um)\b(?:\]\([^)]*\))?[ ,:(]*((?:[RKBD]\d+(?:, | and | to )?)+)", re.IGNORECASE)
PAGES = [
    path
    for folder, ending in (("docs", "*.md"), ("src", "*.py"), ("tests", "*.py"))
    for path in sorted((ROOT / folder).rglob(ending))
    if path.name not in ("errata.md", "test_errata.py")
]


def test_every_number_stands_once_without_gaps() -> None:
    for letter in LETTERS:
        numbers = sorted(int(number) for each, number in ROWS if each == letter)
        assert numbers == list(range(1, len(numbers) + 1)), letter
    lines = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| # ")]
    assert len(ROWS) == len(lines) > 70  # no line names two numbers


def test_they_are_in_order() -> None:
    for table in PAGE.split("\n## ")[1:3]:
        found = re.findall(r"^\| ([RKBD])(\d+) \|", table, re.MULTILINE)
        assert found == sorted(found, key=lambda row: (LETTERS.index(row[0]), int(row[1])))


def test_what_is_cited_exists() -> None:
    known = {f"{letter}{number}" for letter, number in ROWS}
    cited = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in PAGES
        for numbers in CITED.findall(path.read_text(encoding="utf-8"))
        for name in re.findall(r"[RKBD]\d+", numbers)
    }
    assert len(cited) > 30
    assert not {(path, name) for path, name in cited if name not in known}


def test_pages_link_to_what_they_cite() -> None:
    """A number means nothing without the page."""
    bare = re.compile(r"\b(?:errata|erratum) [RKBD]\d+", re.IGNORECASE)
    assert not [path for path in PAGES if path.suffix == ".md" and bare.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("row", re.findall(r"^\| ([RKBD]\d+ \| .* \|)$", PAGE.split("\n## ")[1], re.MULTILINE))
def test_what_catches_it_exists(row: str) -> None:
    caught_by = row.rsplit(" | ", 1)[1]
    for phrase in re.findall(r'"([^"]+)"', caught_by):
        assert phrase.lower() in ONE_LINE or phrase.lower().replace(" ", "_") in ONE_LINE, phrase
    for link in re.findall(r"\]\(([^)#]+)", row):
        assert (ROOT / "docs" / link).is_file(), link
