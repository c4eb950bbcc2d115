"""Every exercise of chapters 1 to 7 has a solution of at most fifteen lines; the lines themselves run as doctests."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "docs" / "exercises"
EXERCISES = {1: 5, 2: 4, 3: 8, 4: 4, 5: 5, 6: 4, 7: 3}
MOST_LINES = 15
WITHOUT_CODE = {(1, 4), (3, 8)}  # solved together with the next one; a question about the reader's own data


def sections(chapter: int) -> dict[int, str]:
    """Give the solutions of a chapter by their number."""
    text = (PAGES / f"chapter_{chapter}.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (\d+)\. .*$", text, flags=re.MULTILINE)
    return {int(number): body for number, body in zip(parts[1::2], parts[2::2], strict=True)}


@pytest.mark.parametrize("chapter", EXERCISES)
def test_every_exercise_is_solved(chapter: int) -> None:
    assert list(sections(chapter)) == list(range(1, EXERCISES[chapter] + 1))


@pytest.mark.parametrize(
    ("chapter", "number"), [(chapter, at) for chapter, count in EXERCISES.items() for at in range(1, count + 1)]
)
def test_a_solution_is_short_and_runs(chapter: int, number: int) -> None:
    body = sections(chapter)[number]
    blocks = re.findall(r"```python\n(.*?)```", body, flags=re.DOTALL)
    lines = sum(len(re.findall(r"^(?:>>>|\.\.\.) ", block, flags=re.MULTILINE)) for block in blocks)
    assert lines > 0 or (chapter, number) in WITHOUT_CODE
    assert lines <= MOST_LINES


def test_the_index_names_every_chapter() -> None:
    text = (PAGES / "index.md").read_text(encoding="utf-8")
    assert all(f"(chapter_{chapter}.md)" in text for chapter in EXERCISES)
