"""A unit has its source, its test, its page and its name: this test names what is missing."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from attrs import field, fields, frozen, has

import privet as pv
import privet.calculus as pc
from privet import _names, noise
from privet.accounting.losses.loss import Loss
from privet.accounting.losses.pure import PureLoss
from privet.chains.measurement import Measurement
from privet.chains.transformation import Transformation
from privet.tables.aggregates.aggregate import Aggregate
from tests.tables.aggregates.cases import aggregate_cases, aggregate_modules

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "privet"
FILES = sorted(PACKAGE.rglob("*.py"))
UNEXPORTED = {"SharedColumn"}  # made by the plan of a query, never by an analyst
LAWFUL = ("transforms", "mechanisms", "tables.nodes", "imputation")
LIMIT = 400
LONGEST_FUNCTION = 50


@frozen
class Unit:
    """Something that needs a test, a docs page and an export."""

    name: str
    module: str  # below the package, such as "mechanisms.laplace"
    public: bool

    @property
    def path(self) -> str:
        return self.module.replace(".", "/")

    def missing(self, root: Path) -> list[str]:
        """Say what this unit lacks."""
        layer, _, stem = self.path.rpartition("/")
        test, page = root / "tests" / layer / f"test_{stem}.py", root / "docs" / f"{self.path}.md"
        lacks = [f"{path.relative_to(root)} does not exist" for path in (test, page) if not path.is_file()]
        if not self.public:
            lacks.append(f"{self.name} is not exported")
        return lacks


def module_of(path: Path) -> ModuleType:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return import_module(".".join(part for part in parts if part != "__init__"))


def own(module: ModuleType, kind: Any) -> Iterator[tuple[str, Any]]:
    """Give the public classes or functions that a module defines itself."""
    for name, item in vars(module).items():
        if kind(item) and item.__module__ == module.__name__ and not name.startswith("_"):
            yield name, item


@cache
def units() -> list[Unit]:
    """Walk the package for everything that is a unit."""
    found: list[Unit] = []
    for path in FILES:
        module = module_of(path)
        where = module.__name__.partition(".")[2]
        layer = where.partition(".")[0]
        for name, item in own(module, inspect.isclass):
            of_calculus = issubclass(item, Transformation | Measurement) and is_final(item)
            is_loss = layer == "accounting" and issubclass(item, Loss) and is_final(item)
            if of_calculus or is_loss or layer == "combinators":
                found.append(Unit(name, where, name in (*pv.__all__, *pc.__all__)))
            if issubclass(item, Aggregate) and is_final(item):  # a function of the same module makes it
                found.append(Unit(name, where, module.__name__ in _names.ANALYST or name in UNEXPORTED))
        if layer == "noise":
            samplers = [name for name, item in own(module, inspect.isfunction) if is_sampler(item)]
            found.extend(Unit(name, where, name in noise.__all__) for name in samplers)
    return found


def is_final(item: type) -> bool:
    return bool(getattr(item, "__final__", False))


def is_sampler(function: Any) -> bool:
    """Tell a sampler by where its randomness comes from: a parameter that a test may replace, with a default."""
    entropy = inspect.signature(function).parameters.get("entropy")
    return entropy is not None and entropy.default is None


def test_a_unit_has_its_test_its_page_and_its_export() -> None:
    missing = {f"{unit.module}.{unit.name}": unit.missing(ROOT) for unit in units()}
    assert {name: lacks for name, lacks in missing.items() if lacks} == {}


def test_a_unit_is_under_the_laws() -> None:
    lawful = [unit.module.rpartition(".") for unit in units() if unit.module.startswith(LAWFUL)]
    tests = [import_module(f"tests.{layer}.test_{stem}") for layer, _, stem in lawful]
    lacks = [
        f"{test.__name__} lists no {needed}"
        for test in tests
        for needed in ("CASES", "TWINS")
        if not getattr(test, needed, [])
    ]
    assert lacks == []


@pytest.mark.parametrize("name", aggregate_modules())
def test_an_aggregate_is_under_the_laws(name: str) -> None:
    """The laws of aggregates run over ``CASES``: through the engine, by definition, and of what is released."""
    kinds = {type(case) for case in aggregate_cases()}
    missing = [each.__name__ for each in aggregate_modules()[name] if each not in kinds]
    assert missing == [], f"tests/tables/aggregates/test_{name}.py lists no CASES of it"


def test_the_walk_finds_units_of_every_kind() -> None:
    found = {unit.name for unit in units()}
    assert found >= {"Clamp", "Laplace", "PureLoss", "PrivacyFilter", "discrete_laplace", "MeanColumn"}


def test_a_missing_piece_is_named(tmp_path: Path) -> None:
    assert Unit("Staircase", "mechanisms.staircase", public=False).missing(tmp_path) == [
        "tests/mechanisms/test_staircase.py does not exist",
        "docs/mechanisms/staircase.md does not exist",
        "Staircase is not exported",
    ]


def faults(text: str, module: ModuleType) -> list[str]:
    """Say what is wrong with a file: its length, what it leaves unexplained, proofs that do not exist."""
    found = [f"it has more than {LIMIT} lines"] if len(text.splitlines()) > LIMIT else []
    if not module.__doc__:
        found.append("the module has no docstring")
    for name, item in (*own(module, inspect.isclass), *own(module, inspect.isfunction)):
        if not (vars(item)["__doc__"] if inspect.isclass(item) else item.__doc__):
            found.append(f"{name} has no docstring")
    pages = re.findall(r"docs/[\w/]+\.md", text)
    return found + [f"{page} does not exist" for page in pages if not (ROOT / page).is_file()]


def test_a_file_is_short_and_explained() -> None:
    found = {str(path): faults(path.read_text(encoding="utf-8"), module_of(path)) for path in FILES}
    assert {path: wrong for path, wrong in found.items() if wrong} == {}


def test_a_test_file_is_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "tests").rglob("*.py")}
    assert {str(path): length for path, length in lengths.items() if length > LIMIT} == {}


def test_a_file_that_is_long_or_unexplained_is_named() -> None:
    module = ModuleType("privet.planted")
    exec("class Bare: pass\ndef plain(): pass\ndef _own(): pass", vars(module))
    for item in (vars(module)["Bare"], vars(module)["plain"]):
        item.__module__ = module.__name__
    assert faults("# docs/nowhere.md and docs/index.md\n" * (LIMIT + 1), module)[:4] == [
        f"it has more than {LIMIT} lines",
        "the module has no docstring",
        "Bare has no docstring",
        "plain has no docstring",
    ]
    assert faults("# docs/nowhere.md and docs/index.md", module)[-1] == "docs/nowhere.md does not exist"


def long_functions(text: str) -> list[str]:
    """Name the functions with more lines than fit on a screen, decorators not counted."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [each.name for each in functions if (each.end_lineno or 0) - each.lineno + 1 > LONGEST_FUNCTION]


def test_a_function_fits_on_a_screen() -> None:
    found = {str(path): long_functions(path.read_text(encoding="utf-8")) for path in FILES}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_long_function_is_named() -> None:
    body = "    pass\n" * (LONGEST_FUNCTION - 1)
    assert long_functions(f"def short():\n{body}") == []
    assert long_functions(f"class A:\n  async def long(self):\n{body}    pass\n") == ["long"]


def concrete_bases(item: type) -> list[str]:
    """Name the bases of ours that are neither abstract nor exceptions."""
    ours = [base for base in item.__bases__ if base.__module__.startswith("privet.")]
    return [base.__name__ for base in ours if not (inspect.isabstract(base) or issubclass(base, Exception))]


def test_no_class_inherits_from_a_concrete_one() -> None:
    classes = [item for path in FILES for _, item in own(module_of(path), inspect.isclass)]
    found = {f"{item.__module__}.{item.__name__}": concrete_bases(item) for item in classes}
    assert {name: bases for name, bases in found.items() if bases} == {}


def test_a_concrete_base_is_named() -> None:
    assert concrete_bases(type("Odd", (PureLoss,), {})) == ["PureLoss"]
    assert concrete_bases(PureLoss) == []


def caches_that_are_arguments(kind: type[Any]) -> list[str]:
    """Name the fields of a class that fill up later and that a copy made by ``evolve`` would keep."""
    private = [each for each in fields(kind) if each.name.startswith("_") and hasattr(each.default, "factory")]
    return [f"{kind.__name__}.{each.name}" for each in private if each.init]


def test_a_copy_keeps_nothing_that_was_computed_for_other_arguments() -> None:
    found = (kind for path in FILES for kind in vars(module_of(path)).values())
    kinds = {kind for kind in found if inspect.isclass(kind) and has(kind) and kind.__module__.startswith("privet")}
    assert not [name for kind in kinds for name in caches_that_are_arguments(kind)]


def test_a_cache_that_is_an_argument_is_named() -> None:
    @frozen
    class Wrong:
        _held: dict[str, int] = field(factory=dict)

    @frozen
    class Right:
        _held: dict[str, int] = field(factory=dict, init=False)

    assert caches_that_are_arguments(Wrong) == ["Wrong._held"]
    assert not caches_that_are_arguments(Right)
