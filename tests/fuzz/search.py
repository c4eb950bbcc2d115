"""Tries fresh seeds in several processes until the time is over, and prints what was wrong."""

import contextlib
import multiprocessing
import os
import sys
import time
import traceback
from collections import Counter
from queue import Empty
from typing import Any

from tests.fuzz.defects import DEFECTS
from tests.fuzz.kinds import KINDS

SHOWN = 3  # findings of one kind and message that are written out


def tried(kind: str, seed: int) -> str | None:
    """Try one seed; give what is wrong, or nothing."""
    try:
        KINDS[kind](seed)
    except KeyboardInterrupt:
        raise
    except BaseException:  # noqa: BLE001 - an exception that nobody expected, sys.exit too, is a finding
        return traceback.format_exc()
    return None


def work(kinds: list[str], until: float, defect: str | None, found: Any) -> None:
    """Try fresh seeds, kind by kind, and report findings; at the end, how often each kind was tried."""
    counts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    with DEFECTS[defect].planted() if defect else contextlib.nullcontext():
        while time.monotonic() < until:
            kind = min(kinds, key=lambda name: seconds[name])  # each kind gets the same time
            seed = int.from_bytes(os.urandom(6))
            start = time.process_time()
            problem = tried(kind, seed)
            seconds[kind] += time.process_time() - start + 1e-6  # type: ignore[assignment]
            counts[kind] += 1
            if problem is not None:
                found.put((kind, seed, problem))
    found.put((None, dict(counts), dict(seconds)))


def repeat(kind: str, seed: int, defect: str | None) -> int:
    """Try one seed and print what is wrong."""
    with DEFECTS[defect].planted() if defect else contextlib.nullcontext():
        problem = tried(kind, seed)
    sys.stdout.write(problem or f"{kind} with seed {seed}: nothing found\n")
    return 1 if problem else 0


def run(kinds: list[str], minutes: float, workers: int, defect: str | None) -> int:
    """Start the workers, print what they find, and sum up."""
    start, until = time.monotonic(), time.monotonic() + 60 * minutes
    context = multiprocessing.get_context("spawn")
    found = context.Queue()
    started = [context.Process(target=work, args=(kinds, until, defect, found)) for _ in range(workers)]
    for process in started:
        process.start()
    counts: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    findings: Counter[str] = Counter()
    waiting = len(started)
    while waiting and (any(process.is_alive() for process in started) or not found.empty()):
        with contextlib.suppress(Empty):
            kind, seed, rest = found.get(timeout=1)
            if kind is None:
                waiting -= 1
                counts.update(seed)
                seconds.update(rest)
                continue
            findings[kind] += 1
            if findings[kind] <= SHOWN:
                again = f"python -m tests.fuzz --kind {kind} --seed {seed}" + (f" --defect {defect}" if defect else "")
                sys.stdout.write(f"\nFOUND after {time.monotonic() - start:.0f} s\n{rest}repeat with: {again}\n")
                sys.stdout.flush()
    for name in kinds:
        sys.stdout.write(f"{name:10} {counts[name]:8} tried  {seconds[name]:7.0f} CPU s  {findings[name]} found\n")
    if waiting:
        sys.stdout.write(f"{waiting} workers died\n")
    return 1 if findings or waiting else 0
