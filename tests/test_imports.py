"""Imports stay light, point downward, and never reach for other randomness."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = (
    "matplotlib",
    "duckdb",
    "sqlglot",
    "pyarrow",
    "scipy",
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
    done = run(sys.executable, "-c", f"{statement}; import sys; print(*sorted(sys.modules))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_privet_loads_nothing_heavy() -> None:
    assert not loaded_by("import privet") & set(HEAVY)


def test_a_release_needs_no_terminal_library() -> None:
    chain = "pc.vector(int) >> pc.Clamp(bounds=(0, 1)) >> pc.Sum() >> pc.Laplace(scale=1)"
    loaded = loaded_by(f"import privet.calculus as pc; ({chain})([1])")
    assert "flint" in loaded, "the probe must see what is loaded"
    assert not loaded & (set(HEAVY) - {"flint", "cryptography"})


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
