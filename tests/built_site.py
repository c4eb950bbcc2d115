"""The documentation, built for the tests that look at it."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def build(target: Path) -> Path:
    """Build the site strictly, in a process of its own: the theme warns in ways that are not ours to mend."""
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(target)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return target
