"""Imports stay light, point downward, and never reach for other randomness."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from privet.tables.queries import estimates_on_demand
from privet.tables.queries.two_stage import two_stage_query

ROOT = Path(__file__).parents[1]
HEAVY = (
    "matplotlib",
    "duckdb",
    "sqlglot",
    "pyarrow",
    "scipy",
    "sklearn",
    "pandas",
    "rich",
    "typer",
    "yaml",
    "flint",
    "cryptography",
    "hypothesis",
)


def run(*command: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=False)


def loaded_by(statement: str) -> set[str]:
    done = run(sys.executable, "-c", f"{statement}\nimport sys; print(*sorted(sys.modules))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_privet_loads_nothing_heavy() -> None:
    assert not loaded_by("import privet") & set(HEAVY)


def test_naming_the_models_loads_no_scikit_learn() -> None:
    assert "sklearn" not in loaded_by("import privet as pv; pv.models; dir(pv.models)")
    assert "sklearn" in loaded_by("import privet as pv; pv.models.PCA"), "the probe must see what is loaded"


@pytest.mark.parametrize("name", ["models.LinearRegression", "models.from_json", "calculus.Predict"])
def test_without_scikit_learn_a_model_names_the_extra(name: str) -> None:
    statement = f"import sys; sys.modules['sklearn'] = None; import privet; privet.{name}"
    done = run(sys.executable, "-c", statement)
    extra = "scikit-learn: pip install 'privet[models]'."
    assert done.stderr.splitlines()[-1] == f"privet.errors.UnavailableError: privet.{name} needs {extra}"


def test_without_scikit_learn_all_other_units_are_there() -> None:
    names = "for name in dir(pc): name == 'Predict' or getattr(pc, name)"
    loaded_by(f"import sys; sys.modules['sklearn'] = None; import privet.calculus as pc\n{names}")


def test_a_release_needs_no_terminal_library() -> None:
    chain = "pc.vector(int) >> pc.Clamp(bounds=(0, 1)) >> pc.Sum() >> pc.Laplace(scale=1)"
    loaded = loaded_by(f"import privet.calculus as pc; ({chain})([1])")
    assert "flint" in loaded, "the probe must see what is loaded"
    assert not loaded & (set(HEAVY) - {"flint", "cryptography"})


LATE = (
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow.compute",
    "pyarrow.dataset",
    "rich",
    "scipy",
    "sklearn",
    "typer",
    "yaml",
)
UNUSED = (  # what a first count has no use for
    "privet.imputation",
    "privet.tables.files.query_keys",
    "privet.tables.impute",
    "privet.tables.keys",
    "privet.tables.rollup",
    "privet.tables.sql",
)
FIRST = """
import privet as pv
book = pv.Codebook(columns={{"ward": pv.column("text", categories=["a", "b"])}}, unit=pv.Rows())
session = pv.Session({source}, book, pv.budget(epsilon=1))
{then}
"""
RELEASE = "str(session.query().group_by('ward').agg(pv.count()).release(epsilon=1))"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same small table in every form that needs no further library."""
    folder = tmp_path_factory.mktemp("sources")
    table = pa.table({"ward": ["a", "b", "a"]})
    csv.write_csv(table, folder / "wards.csv")
    parquet.write_table(table, folder / "wards.parquet")
    return {
        "list": "[{'ward': 'a'}]",
        "CSV": repr(str(folder / "wards.csv")),
        "Parquet": repr(str(folder / "wards.parquet")),
        "Arrow": f"__import__('pyarrow').ipc.open_stream({_stream(table)!r}).read_all()",
    }


def _stream(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("form", ["list", "CSV", "Parquet", "Arrow"])
def test_a_first_release_loads_no_library_that_it_has_no_use_for(form: str, sources: dict[str, str]) -> None:
    loaded = loaded_by(FIRST.format(source=sources[form], then=RELEASE))
    assert "duckdb" in loaded, "the probe must see what is loaded"
    assert not loaded & set(LATE)
    assert not {name for name in loaded if name.startswith(UNUSED)}


def test_a_session_opens_without_the_modules_of_queries(sources: dict[str, str]) -> None:
    loaded = loaded_by(FIRST.format(source=sources["list"], then=""))
    assert "privet.tables.session.session" in loaded
    assert not {name for name in loaded if name.startswith(("privet.tables.queries", "privet.tables.aggregates"))}


def test_a_codebook_of_a_file_loads_the_parser_of_yaml(tmp_path: Path) -> None:
    """The probe above must be able to see it."""
    (tmp_path / "book.yaml").write_text("privet: 1\n", encoding="utf-8")
    path = str(tmp_path / "book.yaml")
    read = f"try: pv.Codebook.read({path!r})\nexcept pv.CodebookError: pass"
    assert "yaml" in loaded_by(f"import privet as pv\n{read}")


DOORS = [path for path in sorted((ROOT / "src").rglob("*.py")) if "= on_demand(" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("path", DOORS, ids=lambda path: path.relative_to(ROOT / "src").as_posix())
def test_a_door_that_loads_late_shows_its_imports_to_the_checks_of_layers_and_cycles(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    shown = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    (call,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call))
    names = ast.literal_eval(call.args[1])
    assert shown == {(module, name) for module, each in names.items() for name in each}
    for module, name in shown:
        assert hasattr(import_module(str(module)), name)


def test_a_door_that_loads_late_gives_each_name_once() -> None:
    assert estimates_on_demand.two_stage_query is two_stage_query
    assert vars(estimates_on_demand)["two_stage_query"] is two_stage_query
    with pytest.raises(AttributeError, match="has no name 'three_stage_query'"):
        estimates_on_demand.three_stage_query


def test_the_rooms_import_downward_only() -> None:
    done = run(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "statement",
    ["import random", "from random import gauss", "import numpy.random", "import secrets", "from os import urandom"],
)
def test_other_randomness_is_banned_in_the_package(statement: str) -> None:
    done = lint(f'"""A module."""\n\n{statement}\n')
    assert "TID251" in done.stdout, done.stdout + done.stderr


def test_the_attribute_of_numpy_is_banned_too() -> None:
    done = lint('"""A module."""\n\nimport numpy as np\n\nnoise = np.random.normal()\n')
    assert "TID251" in done.stdout, done.stdout + done.stderr


def test_the_ban_lets_other_modules_pass() -> None:
    done = lint('"""A module."""\n\nimport math\n\ntwo = math.sqrt(4)\n')
    assert done.returncode == 0, done.stdout


def lint(source: str) -> subprocess.CompletedProcess[str]:
    """Check a source as if it were a file of the package."""
    return run(
        *(sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format", "concise"),
        *("--stdin-filename", "src/privet/x.py", "-"),
        text=source,
    )
