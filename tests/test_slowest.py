"""The slowest files are printed, on one process and on several."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_slow_files_come_first(tmp_path: Path, workers: str) -> None:
    (tmp_path / "test_quick.py").write_text("def test_nothing(): pass\n")
    (tmp_path / "test_slow.py").write_text("import time\n\n\ndef test_nap():\n    time.sleep(0.3)\n" * 2)
    plugins = ["-p", "xdist", "-p", "tests.slowest"]  # no others: loading them takes longer than the tests
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", workers, *plugins, "-c", "/dev/null", str(tmp_path)],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    listed = [line.split()[-1].rpartition("/")[2] for line in done.stdout.splitlines() if " s  " in line]
    assert "slowest 10 files" in done.stdout
    assert listed == ["test_slow.py", "test_quick.py"]
