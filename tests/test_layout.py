"""A unit has its source, its test, its page and its name: this test names what is missing."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from attrs import frozen

import privet as pv
import privet.calculus as pc
from privet import _names, noise
from privet.accounting.losses.loss import Loss
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


def units() -> list[Unit]:
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


UNITS = units()


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: f"{unit.module}.{unit.name}")
def test_a_unit_has_its_test_its_page_and_its_export(unit: Unit) -> None:
    assert unit.missing(ROOT) == []


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.module.startswith(LAWFUL)], ids=lambda unit: unit.name)
def test_a_unit_is_under_the_laws(unit: Unit) -> None:
    layer, _, stem = unit.module.rpartition(".")
    module = import_module(f"tests.{layer}.test_{stem}")
    assert getattr(module, "CASES", []), f"{module.__name__} lists no CASES"
    assert getattr(module, "TWINS", []), f"{module.__name__} lists no TWINS"


@pytest.mark.parametrize("name", aggregate_modules())
def test_an_aggregate_is_under_the_laws(name: str) -> None:
    """The laws of aggregates run over ``CASES``: through the engine, by definition, and of what is released."""
    kinds = {type(case) for case in aggregate_cases()}
    missing = [each.__name__ for each in aggregate_modules()[name] if each not in kinds]
    assert missing == [], f"tests/tables/aggregates/test_{name}.py lists no CASES of it"


def test_the_walk_finds_units_of_every_kind() -> None:
    found = {unit.name for unit in UNITS}
    assert found >= {"Clamp", "Laplace", "PureLoss", "PrivacyFilter", "discrete_laplace", "MeanColumn"}


def test_a_missing_piece_is_named(tmp_path: Path) -> None:
    assert Unit("Staircase", "mechanisms.staircase", public=False).missing(tmp_path) == [
        "tests/mechanisms/test_staircase.py does not exist",
        "docs/mechanisms/staircase.md does not exist",
        "Staircase is not exported",
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_short_and_explained(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= LIMIT
    module = module_of(path)
    assert module.__doc__, "the module has no docstring"
    for name, item in (*own(module, inspect.isclass), *own(module, inspect.isfunction)):
        assert vars(item)["__doc__"] if inspect.isclass(item) else item.__doc__, f"{name} has no docstring"
    pages = re.findall(r"docs/[\w/]+\.md", text)
    assert [page for page in pages if not (ROOT / page).is_file()] == [], "a proof that does not exist"


def long_functions(text: str) -> list[str]:
    """Name the functions with more lines than fit on a screen, decorators not counted."""
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [each.name for each in functions if (each.end_lineno or 0) - each.lineno + 1 > LONGEST_FUNCTION]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_function_fits_on_a_screen(path: Path) -> None:
    assert long_functions(path.read_text(encoding="utf-8")) == []


def test_a_long_function_is_named() -> None:
    body = "    pass\n" * (LONGEST_FUNCTION - 1)
    assert long_functions(f"def short():\n{body}") == []
    assert long_functions(f"class A:\n  async def long(self):\n{body}    pass\n") == ["long"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_class_inherits_from_a_concrete_one(path: Path) -> None:
    for name, item in own(module_of(path), inspect.isclass):
        ours = [base for base in item.__bases__ if base.__module__.startswith("privet.")]
        concrete = [base.__name__ for base in ours if not (inspect.isabstract(base) or issubclass(base, Exception))]
        assert concrete == [], f"{name} inherits from a class that is not abstract"
