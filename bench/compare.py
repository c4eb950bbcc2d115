"""Whether this tree is slower than an older one: the same work in turns, and an interval for the median ratio.

``python -m bench.compare REVISION [name ...]`` takes the older sources out of git, runs old and new by turns in fresh
processes, and gives for each piece of work the median of the ratios new / old with a 95 % interval of that median, from
order statistics: it needs no assumption about the law of the times.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path

from bench.own_times import WORK, prepare
from bench.peers import ROOT
from bench.report import show

ALLOWED = 1.05
Pairs = Sequence[tuple[dict[str, float], dict[str, float]]]  # seconds by name, of the old tree and of the new one


def sources(revision: str, place: Path) -> Path:
    """Take ``src`` and ``bench`` of a revision out of git: names may have changed, the work has not."""
    packed = subprocess.run(
        ["git", "archive", revision, "src", "bench"], check=True, stdout=subprocess.PIPE, cwd=ROOT
    ).stdout
    with tarfile.open(fileobj=BytesIO(packed)) as files:
        files.extractall(place, filter="data")
    return place / "src"


def times(src: Path, data: Path, names: Sequence[str]) -> dict[str, float]:
    """Run the work in a fresh process on the sources of a tree."""
    command = [sys.executable, "-m", "bench.own_times", str(data), *names]
    environment = {**os.environ, "PYTHONPATH": str(src)}
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=src.parent, env=environment)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """Give order statistics between which the median lies with 95 % or more, whatever the law.

    >>> interval([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0])
    (2.0, 8.0)
    """
    ordered, count = sorted(ratios), len(ratios)
    below, depth = 0.0, 0  # the chance that fewer than depth values lie below the median
    while 2 * (below + math.comb(count, depth) / 2**count) <= 0.05:
        below += math.comb(count, depth) / 2**count
        depth += 1
    return (ordered[depth - 1], ordered[-depth]) if depth else (-math.inf, math.inf)


def _milliseconds(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds) * 1e3:.2f}"


def _compared(name: str, pairs: Pairs) -> Iterator[tuple[str, ...]]:
    """Compare each piece of work of a benchmark, and all of them by the geometric mean of their ratios."""
    works = [what for what in pairs[0][0] if what.partition(":")[0] == name]
    for what in (*works, name) if len(works) > 1 else works:
        chosen = works if what == name else [what]
        ratios = [statistics.geometric_mean(new[each] / old[each] for each in chosen) for old, new in pairs]
        low, high = interval(ratios)
        verdict = "slower" if low > ALLOWED else "met" if high <= ALLOWED else "open"
        sides = zip(*pairs, strict=True)
        spent = ["" if what == name else _milliseconds([run[what] for run in side]) for side in sides]
        yield what, *spent, f"{statistics.median(ratios):.3f}", f"{low:.3f} to {high:.3f}", verdict


def main() -> int:
    """Read the arguments, measure, and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description="Compare the speed of two trees.")
    parser.add_argument("revision", help="the older one, as git names it")
    parser.add_argument("names", nargs="*", metavar="name", help=f"of {', '.join(WORK)}; all by default")
    parser.add_argument("--pairs", type=int, default=9)
    given = parser.parse_args()
    names = given.names or list(WORK)
    unknown = sorted(set(names) - set(WORK))
    if unknown:
        parser.error(f"no work named {', '.join(unknown)}; there are {', '.join(WORK)}")
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        old, new = sources(given.revision, place), ROOT / "src"
        prepare(place, names)
        pairs = []
        for number in range(given.pairs):  # which of the two begins changes, so that a drift hits both
            first = times(old if number % 2 else new, place, names)
            second = times(new if number % 2 else old, place, names)
            pairs.append((first, second) if number % 2 else (second, first))
    rows = [row for name in names for row in _compared(name, pairs)]
    heading = ("work", "old, ms", "new, ms", "median ratio", "95 % interval", f"at most {ALLOWED}")
    show(f"{given.revision} and this tree", heading, rows, f"{given.pairs} pairs of processes, in turns; CPU time.")
    return 1 if any(row[-1] == "slower" for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
