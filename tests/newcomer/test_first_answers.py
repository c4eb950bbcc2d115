"""The programs of ``python -m bench newcomer``: those of Privet run and answer, and lines are counted alike."""

from pathlib import Path

import pyarrow.csv as csv
import pytest
from bench.newcomer.lines import code_lines
from bench.newcomer.measure import HERE, TASKS, answer, libraries

import privet as pv


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small file of visits."""
    place = tmp_path_factory.mktemp("visits")
    csv.write_csv(pv.datasets.visits(500), place / "visits.csv")
    return place


@pytest.mark.parametrize("task", TASKS)
def test_a_program_of_privet_answers(task: str, folder: Path) -> None:
    own = libraries()[0]
    _, printed = answer(own.interpreter(), own.script(task), folder)
    assert "visitor_id" in printed, "the answer says who is protected"


def test_every_library_has_a_program_for_every_task() -> None:
    for library in libraries():
        assert {path.stem for path in (HERE / library.folder).glob("*.py")} == {*TASKS, "__init__"}


def test_a_program_that_fails_says_why(folder: Path) -> None:
    (folder / "broken.py").write_text("raise ValueError('no such statistic')", encoding="utf-8")
    with pytest.raises(RuntimeError, match="ValueError: no such statistic"):
        answer(libraries()[0].interpreter(), folder / "broken.py", folder)


def test_blank_lines_comments_and_docstrings_are_no_lines_of_code() -> None:
    assert code_lines('"""What it does."""\n\n# why\nx = 1  # one\n\ny = """a\nb"""\n') == 3


def test_privet_needs_no_more_lines_than_any_other_in_six_tasks() -> None:
    own, *peers = libraries()
    short = [task for task in TASKS if own.lines(task) <= min(each.lines(task) for each in peers)]
    assert len(short) >= 6, {task: [each.lines(task) for each in (own, *peers)] for task in TASKS}
