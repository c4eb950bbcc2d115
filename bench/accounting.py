"""How fast and how tightly losses are added up, against dp_accounting; and a thousand mixtures, none too low."""

import os
import statistics
import sys
import time
from collections.abc import Iterable
from fractions import Fraction
from functools import partial
from typing import Any, final

from attrs import frozen

from bench.accounting_losses import answers, composed, stored, too_high, too_low
from bench.dp_accounting_cases import DELTA, Part, headline
from bench.peers import DP_ACCOUNTING
from bench.report import show, write
from bench.timing import cpu

TIMES = 9
TARGETS = {"1,000 sampled Gaussians": 4, "100 different Laplace": 2}  # times dp_accounting's speed


@final
@frozen
class Checked:
    """A mixture at one delta: what Privet says, and how far it is from what dp_accounting says."""

    kinds: frozenset[str]
    excess: float  # of the upper bound over the pessimistic epsilon, relative to it
    width: float  # of Privet's interval, relative to the pessimistic epsilon
    seconds: float


def forget() -> None:
    """Empty the caches, so that every repetition starts from nothing."""
    modules = [module for name, module in sys.modules.items() if name.startswith("privet.accounting")]
    for item in [item for module in modules for item in vars(module).values()]:
        if hasattr(item, "cache_clear"):
            item.cache_clear()


def interval(parts: Iterable[Part], delta: str = DELTA) -> tuple[Any, Any]:
    """Both bounds, from the parameters."""
    forget()
    return composed(parts).interval(delta=Fraction(delta))


def run() -> None:
    """Measure, check, print and write the tables."""
    _speed(DP_ACCOUNTING.run("bench.dp_accounting_times"))
    _small_deltas()
    _mixtures()


def _speed(peer: dict[str, Any]) -> None:
    heading = ("composition", "Privet, s", "dp_accounting, s", "ratio", "Privet", "dp_accounting", "target")
    rows = []
    for name, parts in headline().items():
        ours, _ = cpu(partial(interval, parts), times=TIMES)
        low, high = interval(parts)
        optimistic, pessimistic = peer[name]["optimistic"], peer[name]["pessimistic"]
        theirs = optimistic["best"] + pessimistic["best"]
        tight = high <= Fraction(pessimistic["epsilon"]) and low >= Fraction(optimistic["epsilon"])
        target = TARGETS.get(name)
        met = tight and target is not None and theirs >= target * ours
        rows.append(
            (
                name,
                f"{ours:.3f}",
                f"{theirs:.3f}",
                f"{theirs / ours:.1f}x",
                _between(low, high),
                _between(optimistic["epsilon"], pessimistic["epsilon"]),
                "" if target is None else f"{target}x, no looser: {'met' if met else 'missed'}",
            )
        )
    note = (
        f"Epsilon at delta = {DELTA}: a lower and an upper bound, and the CPU seconds for both, from the parameters, "
        f"with empty caches; the best of {TIMES} runs (5 for dp_accounting, on its default grid of 1e-4; its two "
        f"answers are two computations). {os.cpu_count()} cores. Written by `python -m bench accounting`."
    )
    show("accounting", heading, rows, note)
    write("accounting", heading, rows, note)


def _small_deltas() -> None:
    name = "1,000 sampled Gaussians"
    parts, said = headline()[name], stored()[name]
    heading = (name, "Privet", "dp_accounting, grid 1e-4", "dp_accounting, grid 1e-5")
    rows = [
        (
            f"delta = {coarse['delta']}",
            _between(*interval(parts, coarse["delta"])),
            *(_between(answer["optimistic"], answer["pessimistic"]) for answer in (coarse, fine)),
        )
        for coarse, fine in zip(said["0.0001"], said["1e-05"], strict=True)
    ]
    note = "Lower and upper bounds of epsilon; dp_accounting's are those of bench/values/dp_accounting.json."
    show("deltas", heading, rows, note)
    write("deltas", heading, rows, note)


def _between(low: Any, high: Any) -> str:
    return f"{float(low):.5f} to {float(high):.5f}"


def _mixtures() -> None:
    checked, wrong = check(stored()["mixtures"])
    if wrong:
        shown = "\n".join(wrong[:20])
        raise SystemExit(f"{len(wrong)} answers contradict dp_accounting:\n{shown}")
    kinds = sorted({kind for item in checked for kind in item.kinds})
    groups = {f"with {kind}": [item for item in checked if kind in item.kinds] for kind in kinds}
    heading = ("mixtures", "answers", "median", "worst", "median width", "median ms")
    rows = [_summary(name, items) for name, items in {"all": checked, **groups}.items()]
    note = (
        "Privet's upper bound against dp_accounting's pessimistic answer, as a relative difference (below zero: Privet "
        "is tighter), the width of Privet's interval relative to it, and the CPU time for both bounds. No upper bound "
        "is below an optimistic answer, no lower one above a pessimistic. Written by `python -m bench accounting`."
    )
    show("mixtures", heading, rows, note)
    write("mixtures", heading, rows, note)


def _summary(name: str, items: list[Checked]) -> tuple[str, ...]:
    excesses = [item.excess for item in items]
    return (
        name.replace("_", " "),
        f"{len(items):,}",
        f"{statistics.median(excesses):+.3%}",
        f"{max(excesses):+.3%}",
        f"{statistics.median(item.width for item in items):.3%}",
        f"{statistics.median(item.seconds for item in items) * 1e3:.0f}",
    )


def check(cases: list[dict[str, Any]]) -> tuple[list[Checked], list[str]]:
    """Compare every finite answer, and say what contradicts dp_accounting."""
    checked, wrong = [], []
    for number, case in enumerate(cases):
        loss = composed(case["parts"])
        for delta, optimistic, pessimistic in answers(case):
            start = time.process_time()
            low, high = loss.interval(delta=Fraction(delta))
            seconds = time.process_time() - start
            if too_low(high, optimistic):
                wrong.append(f"{number}, delta {delta}: upper bound {float(high)} below {float(optimistic)}")
            if too_high(low, pessimistic):
                wrong.append(f"{number}, delta {delta}: lower bound {float(low)} above {float(pessimistic)}")
            if pessimistic not in (0, float("inf")):
                excess, width = (float(value / pessimistic) for value in (high - pessimistic, high - low))
                checked.append(Checked(_kinds(case["parts"]), excess, width, seconds))
    return checked, wrong


def _kinds(parts: list[Part]) -> frozenset[str]:
    return frozenset(f"sampled {part['kind']}" if "sample" in part else str(part["kind"]) for part in parts)
