"""One list of public names: the package, its lazy table, its typed imports and the documentation agree."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import privet as pv

ROOT = Path(__file__).parents[1]
INDEX = ROOT / "docs" / "index.md"
SOURCE = ROOT / "src" / "privet" / "_public.py"


def tabled() -> dict[str, tuple[str, str]]:
    """Read the docs' table: name, page, description."""
    section = INDEX.read_text(encoding="utf-8").partition("## Public names")[2]
    rows = re.findall(r"^\| \[`(\w+)`\]\(([^)#]+)[^)]*\) \| (.+?) \|$", section, flags=re.MULTILINE)
    return {name: (page, told) for name, page, told in rows}


def typed() -> dict[str, str]:
    """Read the names that a type checker sees, with their modules."""
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name: node.module or ""
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_docs_list_every_public_name_and_no_other() -> None:
    assert sorted(tabled()) == sorted(pv.__all__)


@pytest.mark.parametrize("name", sorted(tabled()))
def test_every_name_in_the_docs_has_a_page_and_a_description(name: str) -> None:
    page, told = tabled()[name]
    assert (INDEX.parent / page).is_file(), f"docs/index.md sends {name} to {page}, which does not exist"
    assert len(told.split()) >= 3


@pytest.mark.parametrize("name", pv.__all__)
def test_every_name_resolves_to_what_its_module_holds(name: str) -> None:
    home = typed()[name]
    found = getattr(pv, name)
    expected = import_module(f"privet.{name}") if home == "privet" else getattr(import_module(home), name)
    assert found is expected


def test_type_checkers_see_the_same_names() -> None:
    assert sorted(typed()) == sorted(pv.__all__)


def test_dir_lists_the_public_names() -> None:
    assert set(dir(pv)) == {*pv.__all__, "__version__"}


def test_a_misspelt_name_is_met_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match="Did you mean Laplace"):
        _ = pv.Laplce


def test_the_version_is_that_of_the_project() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert pv.__version__ == project["version"]
