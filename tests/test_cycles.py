"""No module imports itself by a detour, and nothing of ours is imported inside a function."""

import ast
from pathlib import Path

import pytest

from tests.imports import Import, cycles, imports, modules

SOURCE = Path(__file__).parents[1] / "src"
GRAPH = imports(modules(SOURCE, "privet"), "privet")
COMMANDS = ("privet.cli",)  # the command line starts fast: a command loads what it needs


def test_no_module_imports_itself_by_a_detour() -> None:
    assert cycles(GRAPH) == []


def test_nothing_of_ours_is_imported_inside_a_function() -> None:
    """Late imports are for packages that are slow to load or optional, not for ways around a cycle."""
    late = {name: [each.target for each in found if each.late] for name, found in GRAPH.items()}
    assert {name: found for name, found in late.items() if found and not name.startswith(COMMANDS)} == {}


def test_the_graph_is_read() -> None:
    assert Import("privet.accounting.losses.answers", late=False) in GRAPH["privet.accounting.losses.loss"]
    assert len(GRAPH) > 400


@pytest.mark.parametrize(
    "back",
    [
        "from privet.above import Thing",
        "import privet.above",
        "from privet import above",
        "if TYPE_CHECKING:\n    from privet.above import Thing",
        "def late():\n    from privet.above import Thing",
        "def late():\n    return importlib.import_module('privet.above')",
        "def late(name):\n    return import_module(f'privet.{name}')",
    ],
)
def test_a_planted_cycle_is_found(back: str) -> None:
    """A detour of three modules, closed by every kind of import."""
    texts = {
        "privet": "",
        "privet.above": "from privet.middle import thing",
        "privet.middle": "import privet.below",
        "privet.below": back,
        "privet.aside": "import privet.above",
    }
    graph = imports({name: ast.parse(text) for name, text in texts.items()}, "privet")
    (loop,) = cycles(graph)
    assert {"privet.above", "privet.middle", "privet.below"} <= set(loop)
    assert any(each.late for each in graph["privet.below"]) == back.startswith("def")


def test_modules_without_a_cycle_pass() -> None:
    texts = {"privet": "", "privet.above": "import privet.below", "privet.below": "import math"}
    assert cycles(imports({name: ast.parse(text) for name, text in texts.items()}, "privet")) == []


DOORS = [
    "privet.core",
    "privet.noise.drawing",
    "privet.accounting.numerics",
    "privet.tables.columns",
    "privet.tables.vocabulary",
    "privet.tables.expressions",
    "privet.tables.statistics",
]


@pytest.mark.parametrize("door", DOORS)
def test_a_folder_with_a_door_is_entered_by_it(door: str) -> None:
    """One import says all that a file takes from the folder; noise takes the exact numbers and nothing else of core."""
    inside = {name for name in GRAPH if name.startswith(f"{door}.")}
    exempt = (door, "privet.noise") if door == "privet.core" else (door,)
    outside = {name for name in GRAPH if not name.startswith(exempt)}
    trees = modules(SOURCE, "privet")
    around = {
        name: node.module
        for name in outside
        for node in ast.walk(trees[name])
        if isinstance(node, ast.ImportFrom) and node.module in inside
    }
    assert around == {}


def test_what_transformations_share_is_imported_through_their_folder() -> None:
    """The folder also holds the units, which are named by their modules; its door gives what units build on."""
    shared = {each.target for each in GRAPH["privet.transforms"]}
    users = {name for name in GRAPH if name not in shared and name != "privet.transforms"}
    around = {name: [each.target for each in GRAPH[name] if each.target in shared] for name in users}
    assert "privet.transforms.columns" in shared
    assert {name: targets for name, targets in around.items() if targets} == {}
