"""How long fits on Adult take, against scikit-learn without privacy in the same run, and how memory grows with rows."""

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

from sklearn.linear_model import LinearRegression as PlainLinear
from sklearn.linear_model import LogisticRegression as PlainLogistic
from threadpoolctl import threadpool_limits

from bench.models.known import ADULT, ADULT_EDUCATION
from bench.models.memory import COLUMNS
from bench.models.privet_fits import facts, rows_of
from bench.models.samples import load
from bench.models.stored import prepared
from bench.models.task import DELTA
from bench.models.values import keep
from bench.peers import ROOT, environment
from bench.report import show, write
from bench.timing import cpu
from privet.models.linear_regression import LinearRegression
from privet.models.logistic_regression import LogisticRegression

TIMES = 5
SIZES = (200_000, 800_000)


def run() -> None:
    """Measure, print and write both tables."""
    warnings.simplefilter("ignore")
    _times()
    _memory()


def _times() -> None:
    folder = prepared(ADULT)
    if folder is None or prepared(ADULT_EDUCATION) is None:
        return
    adult, education = load(folder, ADULT), load(folder, ADULT_EDUCATION)
    wide, wide_education = adult.scaled()[0], education.scaled()[0]
    work: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "linear": (
            lambda: LinearRegression(**facts(ADULT_EDUCATION, 1)).fit(rows_of(education), education.target),
            lambda: PlainLinear().fit(wide_education, education.target),
        ),
        "logistic": (
            lambda: LogisticRegression(**facts(ADULT, 1)).fit(rows_of(adult), adult.target),
            lambda: PlainLogistic(max_iter=1000).fit(wide, adult.target),
        ),
    }
    with threadpool_limits(1):  # threads that wait would count as CPU time
        found = {name: [cpu(each, times=TIMES)[0] for each in pair] for name, pair in work.items()}
    keep("times", {name: {"privet": own, "scikit-learn": plain} for name, (own, plain) in found.items()})
    lines = [(name, f"{own:.2f}", f"{plain:.2f}", f"{own / plain:.1f}") for name, (own, plain) in found.items()]
    heading = ("model", "Privet, s", "scikit-learn without privacy, s", "ratio")
    note = (
        f"CPU seconds of a fit on Adult, {len(wide):,} rows and {wide.shape[1]} columns after encoding (Privet encodes "
        f"within the fit), the best of {TIMES} with one thread; approximate privacy, epsilon = 1, delta = {DELTA:g}. "
        "Written by `python -m bench models_speed`."
    )
    show("times of fits", heading, lines, note)
    write("times of fits", heading, lines, note)


def _memory() -> None:
    lines, kept = [], {}
    for name in ("linear", "logistic"):
        extra = []
        for rows in SIZES:
            command = [sys.executable, "-m", "bench.models.memory", name, str(rows)]
            done = subprocess.run(
                command, check=True, stdout=subprocess.PIPE, cwd=ROOT, env=environment(PYTHONPATH=str(ROOT / "src"))
            )
            figures = json.loads(done.stdout)
            extra.append(figures["after"] - figures["before"])
            kept[f"{name}, {rows}"] = {**figures, "extra by row": extra[-1] / rows}
            megabytes = [f"{size / 1e6:.0f}" for size in (figures["table"], extra[-1])]
            lines.append((name, f"{rows:,}", *megabytes, f"{extra[-1] / rows:.0f}"))
        kept[f"{name}, growth"] = extra[1] / extra[0]
    keep("memory", kept)
    heading = ("model", "rows", "table, MB", "peak beyond the table, MB", "bytes a row")
    note = (
        f"Peak of memory of a fresh process that fits {COLUMNS} columns, beyond what it held before the fit. Written "
        "by `python -m bench models_speed`."
    )
    show("memory of fits", heading, lines, note)
    write("memory of fits", heading, lines, note)
