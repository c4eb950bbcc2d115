"""How long `import privet` takes in a fresh process, against numpy alone."""

import os
import statistics
import subprocess
import sys

from bench.report import show, write

TIMES = 9
LIMIT = 0.3  # seconds, or twice numpy's own import
_PROGRAM = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds(statement: str) -> float:
    """Time an import in a new interpreter."""
    done = subprocess.run([sys.executable, "-c", _PROGRAM.format(statement)], check=True, stdout=subprocess.PIPE)
    return float(done.stdout)


def run() -> None:
    """Measure in turns, print and write the table."""
    work = {
        "numpy": "numpy",
        "privet": "privet",
        "privet, and a chain": "privet.calculus as pc; pc.Clamp; pc.Sum; pc.Laplace",
    }
    for statement in work.values():
        seconds(statement)  # compiled files are written once, and not counted
    found: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(TIMES):
        for name, statement in work.items():
            found[name].append(seconds(statement))
    medians = {name: statistics.median(times) for name, times in found.items()}
    limit = max(LIMIT, 2 * medians["numpy"])
    heading = ("import", "seconds", "times numpy", "target")
    rows = [
        (
            name,
            f"{median:.3f}",
            f"{median / medians['numpy']:.2f}",
            "" if name == "numpy" else f"{limit:.2f} s, {'met' if median <= limit else 'missed'}",
        )
        for name, median in medians.items()
    ]
    note = (
        f"Seconds of wall time in a new process, the median of {TIMES} taken in turns; {os.cpu_count()} cores. The "
        f"target is {LIMIT} s or twice numpy, whichever is more. Written by `python -m bench imports`."
    )
    show("imports", heading, rows, note)
    write("imports", heading, rows, note)
