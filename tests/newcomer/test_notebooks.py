"""The notebooks run from top to bottom, and hold no outputs that could grow old."""

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def hook() -> Any:
    """Load the part of the documentation that runs notebooks."""
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "_hooks" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_tables(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    page = hook().shown(path)
    assert page.count('<div class="output">') >= 6
    assert "<table" in page
    assert "data:image/png" in page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_holds_no_outputs(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 6
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"] is not None] == []


def test_there_are_three_notebooks_and_each_has_a_page() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["first-release", "models", "restaurant-visits"]
    guides = ROOT / "docs" / "guides"
    assert all(
        f"<!-- notebook: {path.stem} -->" in (guides / f"notebook-{path.stem}.md").read_text() for path in NOTEBOOKS
    )
