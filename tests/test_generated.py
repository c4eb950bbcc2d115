"""Generated files are up to date, and nothing that they list is lost."""

import inspect
from pathlib import Path

import pytest

import privet.calculus as pc
from privet.chains.measurement import Measurement
from privet.chains.transformation import Transformation
from tests.generated import DOCS, GENERATED, ROOT, UNIT_TABLES, item_of, page_of


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_a_generated_file_is_up_to_date(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == GENERATED[path](), "run make names"


def test_every_unit_has_its_guarantee_in_the_table_of_units() -> None:
    text = (DOCS / "units.md").read_text(encoding="utf-8")
    final = [name for name in pc.__all__ if getattr(item_of(name), "__final__", False)]
    units = [
        name
        for name in final
        if inspect.isclass(item_of(name))
        and issubclass(item_of(name), Transformation | Measurement)
        and item_of(name).__module__.split(".")[1] in UNIT_TABLES
    ]
    assert len(units) > 80
    assert [name for name in units if f"| [{name}](" not in text] == []


def test_every_page_is_in_the_navigation_once() -> None:
    lines = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2].splitlines()
    listed = [line.split()[-1] for line in lines if line.endswith(".md")]
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def test_a_module_without_a_page_is_named() -> None:
    with pytest.raises(AssertionError, match=r"write docs/nowhere/staircase\.md"):
        page_of("privet.nowhere.staircase")
