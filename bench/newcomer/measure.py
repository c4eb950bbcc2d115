"""Lines of code and seconds to a first answer: Privet, OpenDP, Tumult Analytics and diffprivlib side by side."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow.csv as csv
from attrs import field, frozen

import privet as pv
from bench.newcomer.lines import code_lines
from bench.peers import DIFFPRIVLIB, OPENDP_POLARS, TUMULT, Peer, environment
from bench.report import show, write

HERE = Path(__file__).parent
TASKS = {
    "count": "count",
    "sum_and_mean": "sum and mean",
    "by_restaurant": "counts by category",
    "mean_by_restaurant": "mean by group",
    "median": "median",
    "distinct_visitors": "distinct visitors",
    "filtered_count": "filtered count",
    "several": "three statistics, one budget",
}
TIMES = {"privet": 5, "opendp": 5, "tumult": 1, "diffprivlib": 5}
FEWEST = 6  # tasks of eight in which Privet needs no more lines than any other


@frozen
class Library:
    """A library, and what was measured.

    Args:
        folder: Where its programs are.
        name: What it is called.
        peer: Its environment; None for that of this process.
        seconds: The seconds of each program, in the order of the tasks; none where it cannot run.
        reason: Why it cannot run.
    """

    folder: str
    name: str
    peer: Peer | None
    seconds: dict[str, list[float]] = field(factory=dict)
    reason: list[str] = field(factory=list)

    def script(self, task: str) -> Path:
        """Give the program of a task."""
        return HERE / self.folder / f"{task}.py"

    def lines(self, task: str) -> int:
        """Count the lines of the program of a task."""
        return code_lines(self.script(task).read_text(encoding="utf-8"))

    def interpreter(self) -> str:
        """Give the interpreter, installing the library where it is missing."""
        return sys.executable if self.peer is None else str(self.peer.python())

    def best(self, task: str) -> float | None:
        """Give the median of the seconds of a task."""
        return statistics.median(self.seconds[task]) if task in self.seconds else None


def libraries() -> list[Library]:
    """Give the libraries, Privet first."""
    return [
        Library("privet", "Privet", None),
        Library("opendp", "OpenDP", OPENDP_POLARS),
        Library("tumult", "Tumult", TUMULT),
        Library("diffprivlib", "diffprivlib", DIFFPRIVLIB),
    ]


def answer(interpreter: str, script: Path, folder: Path) -> tuple[float, str]:
    """Run a program in a new process beside the file of visits.

    Returns:
        The seconds from its start to the last line that it printed, and these lines.

    Raises:
        RuntimeError: The program failed, with the last line that it wrote about that.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        start = end = time.perf_counter()
        command = [interpreter, "-P", "-u", str(script)]
        printed = []
        with subprocess.Popen(
            command, cwd=folder, env=_environment(interpreter), stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process:
            for line in process.stdout or ():
                end = time.perf_counter()
                printed.append(line)
        if process.returncode or not printed:
            errors.seek(0)
            raise RuntimeError((errors.read().strip().splitlines() or ["it printed nothing"])[-1])
    return end - start, "".join(printed)


def _environment(interpreter: str) -> Mapping[str, str]:
    """Let Privet be that of this process, and give Spark its libraries and settings for one small machine."""
    if interpreter == sys.executable:
        return environment(PYTHONPATH=str(Path(pv.__file__).parents[1]))
    return environment(PYSPARK_PYTHON=interpreter, SPARK_CONF_DIR=str(HERE / "spark"))


def measure(library: Library, folder: Path) -> None:
    """Run every program of a library, or note why it does not run."""
    try:
        interpreter = library.interpreter()
        for task in TASKS:
            if TIMES[library.folder] > 1:
                answer(interpreter, library.script(task), folder)  # compiled files are written once, and not counted
            taken = [answer(interpreter, library.script(task), folder)[0] for _ in range(TIMES[library.folder])]
            library.seconds[task] = taken
    except (RuntimeError, subprocess.CalledProcessError, OSError) as error:
        library.seconds.clear()
        library.reason.append(str(error))


def run() -> None:
    """Write the visits, run all programs, print and write the table."""
    found = libraries()
    with tempfile.TemporaryDirectory() as folder:
        csv.write_csv(pv.datasets.visits(), Path(folder) / "visits.csv")
        for library in found:
            measure(library, Path(folder))
    heading = ("task", *(f"{each.name}, lines" for each in found), *(f"{each.name}, s" for each in found), "ratio")
    rows = [(name, *_row(found, task)) for task, name in TASKS.items()]
    show("newcomer", heading, rows, _note(found))
    write("newcomer", heading, rows, _note(found))


def _row(found: list[Library], task: str) -> list[str]:
    taken = [each.best(task) for each in found]
    peers = [seconds for seconds in taken[1:] if seconds is not None]
    ratio = f"{min(peers) / taken[0]:.1f}x" if peers and taken[0] else ""
    return [
        *(str(each.lines(task)) for each in found),
        *("" if seconds is None else f"{seconds:.2f}" for seconds in taken),
        ratio,
    ]


def _note(found: list[Library]) -> str:
    own, *peers = found
    short = sum(own.lines(task) <= min(each.lines(task) for each in peers) for task in TASKS)
    fast = sum(
        (own.best(task) or 0) <= min((each.best(task) or float("inf") for each in peers), default=0) for task in TASKS
    )
    missing = "".join(f" {each.name} does not run here: {each.reason[0]}." for each in found if each.reason)
    return (
        "Lines of code, and seconds of wall time from the start of a new process to its printed answer, the median of "
        f"{TIMES['privet']} runs after a first one ({TIMES['tumult']} of Tumult); {os.cpu_count()} cores. The ratio "
        f"is that of the fastest peer to Privet. Privet has the fewest lines, or as few, in {short} of {len(TASKS)} "
        f"tasks ({FEWEST} were the aim) and is the fastest in {fast} ({len(TASKS)} wanted).{missing} Written by "
        "`python -m bench newcomer`."
    )
