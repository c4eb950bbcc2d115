"""How fast noise is drawn: us, OpenDP, and plain numpy floats (which are not private), in one run."""

import os
from collections.abc import Callable
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import frozen

import privet.calculus as pc
from bench.peers import OPENDP
from bench.report import show, write
from bench.timing import cpu

INTEGERS = 1_000_000
REALS = 100_000
SCALARS = 20_000
GRID = Fraction(1, 2**32)
TIMES = 9
TARGETS = {"integers": 300, "reals": 100, "scalar": 1}  # times OpenDP's throughput
MECHANISMS: dict[str, Callable[[int], Any]] = {
    "laplace": lambda scale: pc.Laplace(scale=scale),
    "gaussian": lambda scale: pc.Gaussian(scale=scale),
}


@final
@frozen
class Rate:
    """Draws per CPU second, from the best run and from the median one."""

    best: float
    median: float

    @staticmethod
    def of(draws: float, seconds: tuple[float, float]) -> "Rate":
        """Divide draws by seconds."""
        return Rate(draws / seconds[0], draws / seconds[1])


def ours() -> dict[str, Rate]:
    """Release zeros through built mechanisms, as a user would."""
    rates = {}
    for name, mechanism in MECHANISMS.items():
        for scale in (1, 10, 1000):
            rates[f"integers {name} {scale}"] = _rate(pc.numbers(INTEGERS), mechanism(scale), np.zeros(INTEGERS, int))
        reals = pc.numbers(REALS, float, grid=GRID)
        rates[f"reals {name} 1"] = _rate(reals, mechanism(1), np.zeros(REALS))
        rates[f"scalar {name} 10"] = _scalars(pc.scalar() >> mechanism(10))
    return rates


def _rate(space: pc.Space, mechanism: Any, data: Any) -> Rate:
    release = space >> mechanism
    return Rate.of(len(data), cpu(lambda: release(data), times=TIMES))


def _scalars(release: Callable[[int], Any]) -> Rate:
    def work() -> None:
        for _ in range(SCALARS):
            release(0)

    return Rate.of(SCALARS, cpu(work, times=TIMES))


def theirs() -> dict[str, Rate]:
    """Ask OpenDP, in its own environment; fewer draws, so that the run stays short."""
    found = OPENDP.run("bench.opendp_noise")
    return {name: Rate.of(item["draws"], (item["best"], item["median"])) for name, item in found.items()}


def plain() -> dict[str, Rate]:
    """Floats from numpy's generator added to floats: not private, but what speed costs without privacy."""
    generator = np.random.default_rng()
    draw: dict[str, Callable[..., Any]] = {"laplace": generator.laplace, "gaussian": generator.normal}
    rates = {}
    for name, sample in draw.items():
        for scale in (1, 10, 1000):
            rates[f"integers {name} {scale}"] = _floats(sample, scale, np.zeros(INTEGERS))
        rates[f"reals {name} 1"] = _floats(sample, 1, np.zeros(REALS))
    return rates


def _floats(sample: Callable[..., Any], scale: int, data: Any) -> Rate:
    return Rate.of(len(data), cpu(lambda: data + sample(scale=scale, size=len(data)), times=TIMES))


def run() -> None:
    """Measure, print and write the table."""
    us, peer, floats = ours(), theirs(), plain()
    heading = ("draws", "Privet", "OpenDP", "numpy", "ratio", "medians", "target")
    rows = [_row(name, us[name], peer[name], floats.get(name)) for name in us]
    note = (
        f"Millions of draws per CPU second, the best of {TIMES} runs (5 for OpenDP); the ratio of Privet to OpenDP, of "
        f"the best and of the medians. {os.cpu_count()} cores, all work on one. Written by `python -m bench noise`."
    )
    show("noise", heading, rows, note)
    write("noise", heading, rows, note)


def _row(name: str, us: Rate, peer: Rate, floats: Rate | None) -> tuple[str, ...]:
    ratio, median = us.best / peer.best, us.median / peer.median
    target = TARGETS[name.partition(" ")[0]]
    return (
        _described(name),
        _millions(us.best),
        _millions(peer.best),
        "" if floats is None else _millions(floats.best),
        f"{ratio:,.0f}x",
        f"{median:,.0f}x",
        f"{target}x {'met' if ratio >= target else 'missed'}",
    )


def _described(name: str) -> str:
    what, mechanism, scale = name.split()
    counts = {"integers": f"{INTEGERS:,} int", "reals": f"{REALS:,} real", "scalar": "one int"}
    return f"{counts[what]}, {mechanism.capitalize()}({scale})"


def _millions(rate: float) -> str:
    return f"{rate / 1e6:.3g}"
