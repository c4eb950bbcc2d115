"""One list of public names: the doors, their stubs and the documentation agree."""

import ast
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import privet as pv
import privet.calculus as pc
from privet._lazy import homes_of
from privet._names import ANALYST, CALCULUS

ROOT = Path(__file__).parents[1]
INDEX = ROOT / "docs" / "names.md"
DOORS = {"privet": pv, "privet.calculus": pc}
HOMES = {"privet": homes_of(ANALYST), "privet.calculus": homes_of(CALCULUS)}
STUBS = {"privet": "__init__.pyi", "privet.calculus": "calculus.pyi"}
PACKAGES = {"calculus", "datasets", "errors", "models", "noise"}


def tabled() -> dict[str, tuple[str, str]]:
    """Read the tables of the docs: name, page, description."""
    text = INDEX.read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[`(\w+)`\]\(([^)#]+)[^)]*\) \| (.+?) \|$", text, flags=re.MULTILINE)
    return {name: (page, description) for name, page, description in rows}


def typed(stub: str) -> set[str]:
    """Read the names that a type checker sees."""
    tree = ast.parse((ROOT / "src" / "privet" / stub).read_text(encoding="utf-8"))
    return {alias.asname or "" for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_the_analysts_door_has_at_most_seventy_names() -> None:
    assert len(pv.__all__) <= 70


def test_no_name_stands_in_both_doors() -> None:
    assert not set(pv.__all__) & set(pc.__all__)


@pytest.mark.parametrize("door", DOORS)
def test_no_two_names_differ_in_a_capital_only(door: str) -> None:
    names = set(DOORS[door].__all__) - PACKAGES
    assert len({name.lower() for name in names}) == len(names)


def test_docs_list_every_public_name_and_no_other() -> None:
    assert sorted(tabled()) == sorted((*pv.__all__, *pc.__all__))


def test_every_name_in_the_docs_has_a_page_and_a_description() -> None:
    names = tabled()
    assert {name: page for name, (page, _) in names.items() if not (INDEX.parent / page).is_file()} == {}
    assert [name for name, (_, description) in names.items() if len(description.split()) < 3] == []


@pytest.mark.parametrize("door", DOORS)
def test_every_name_resolves_to_what_its_module_holds(door: str) -> None:
    module: ModuleType = DOORS[door]
    held = {name: getattr(import_module(home), name) for name, home in HOMES[door].items()}
    assert [name for name, item in held.items() if getattr(module, name) is not item] == []


@pytest.mark.parametrize("door", DOORS)
def test_type_checkers_see_the_same_names(door: str) -> None:
    assert typed(STUBS[door]) == set(DOORS[door].__all__)


def test_dir_lists_the_public_names() -> None:
    assert set(dir(pv)) == {*pv.__all__, "__version__"}
    assert set(dir(pc)) == set(pc.__all__)


def test_a_misspelt_name_is_met_with_the_nearest() -> None:
    with pytest.raises(AttributeError, match="Did you mean Laplace"):
        getattr(pc, "Laplce")  # noqa: B009


def test_a_name_of_the_other_door_is_shown_the_way() -> None:
    with pytest.raises(AttributeError, match="from privet.calculus import Laplace"):
        getattr(pv, "Laplace")  # noqa: B009


def test_the_version_is_that_of_the_project() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert pv.__version__ == project["version"]
