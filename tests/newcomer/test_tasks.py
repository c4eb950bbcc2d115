"""Each task of a new user is a recipe: short, and what its page says is what it does."""

from pathlib import Path

import pytest

from tests.newcomer.recipes import RECIPES, agrees, examples, pages, run, visits_folder

LINES = 12
ROWS = 5_000
MORE_ROWS = {"frequent-visitors": 50_000, "unknown-groups": 50_000}  # caps and keys need enough persons


def lines_of_code(code: str) -> int:
    return sum(1 for line in code.splitlines() if line.strip() and not line.lstrip().startswith("#"))


@pytest.mark.parametrize("name", pages())
def test_a_recipe_runs_and_prints_what_its_page_says(name: str, tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    with visits_folder(tmp_path, MORE_ROWS.get(name, ROWS)):
        for each in examples(name):
            printed = run(each.code, names)
            if each.printed is not None:
                assert agrees(each.printed, printed), printed


@pytest.mark.parametrize("name", pages())
def test_a_recipe_has_at_most_twelve_lines(name: str) -> None:
    assert [lines_of_code(each.code) for each in examples(name) if lines_of_code(each.code) > LINES] == []


@pytest.mark.parametrize("name", pages())
def test_a_recipe_says_what_to_watch_for(name: str) -> None:
    text = (RECIPES / f"{name}.md").read_text(encoding="utf-8")
    assert "## Watch for\n" in text
    assert f"({name}.md)" in (RECIPES / "index.md").read_text(encoding="utf-8")


def test_there_is_a_recipe_for_each_of_the_23_tasks() -> None:
    assert len(pages()) == 23


def test_what_a_page_shows_is_compared_word_by_word() -> None:
    printed = "count\n12 (1 to 3)\nnote: a\nnote: b\nend"
    assert agrees("count\n99 (9 to 9)\n…\nend", printed)
    assert agrees("count\n99 (9 to 9)\n…", printed)
    assert not agrees("count\n99 (9 to 9)", printed)
    assert not agrees("sum\n99 (9 to 9)\n…", printed)
    assert not agrees("99 (9 to 9)\n…", printed)
