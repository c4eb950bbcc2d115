"""The targets of the Makefile select what they promise."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def dry_run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Print the commands of a target without running them."""
    return subprocess.run(
        ["make", "--dry-run", "--no-print-directory", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("layer", "paths"),
    [
        ("tables", "tests/tables src/privet/tables docs/tables"),
        ("mechanisms", "tests/mechanisms src/privet/mechanisms docs/mechanisms"),
        ("cli", "tests/cli src/privet/cli docs/cli.md"),
        ("accounting/losses", "tests/accounting/losses src/privet/accounting/losses docs/accounting/losses"),
        ("laws", "tests/laws"),
    ],
)
def test_a_layer_is_its_tests_its_doctests_and_its_pages(layer: str, paths: str) -> None:
    done = dry_run("test", f"LAYER={layer}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith(paths)


def test_without_a_layer_everything_runs() -> None:
    command = dry_run("test").stdout.splitlines()[-1]
    assert "-p tests.slowest" in command
    assert " tests/" not in command


def test_an_unknown_layer_is_refused_with_the_list() -> None:
    done = dry_run("test", "LAYER=kitchen")
    assert done.returncode != 0
    assert "there is no layer kitchen" in done.stderr
    assert all(layer in done.stderr for layer in ("tables", "mechanisms", "noise", "cli"))
