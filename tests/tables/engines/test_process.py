"""Real forks, each in a process of its own: what a child may do with a session that its parent has open."""

import os
import subprocess
import sys
import threading

import pytest

from privet.errors import UnavailableError
from privet.tables.engines.process import ProcessLock

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

OPEN = """
import gc, os, sys, threading
import privet as pv
import privet.calculus as pc
from privet.errors import UnavailableError
from privet.tables.columns.column import Column
book = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())
session = pv.Session([{"ward": "a"}] * 1000, book, pv.budget(epsilon=10))
query = session.query().group_by("ward").agg(pv.count())
query.release(epsilon=1)
engine = session._curator.tables.database.engine
placed = pc.vector(int, bounds=(0, 1)) >> pc.FilterCompositor(budget=pv.budget(epsilon=1), d_in=1)
queryable = placed([1, 0])

def refused(work):
    try:
        work()
    except UnavailableError as error:
        return "process" in str(error)
    return False

def status(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""

CLOSES = "session.close()"
RELEASES = "assert refused(lambda: query.release(epsilon=1))"


def run(program: str) -> list[str]:
    # Warnings are off because newer Pythons warn of every fork beside threads.
    command = [sys.executable, "-W", "ignore", "-c", OPEN + program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_child_ends_as_it_wants_to() -> None:
    children = (
        "pass",
        CLOSES,
        "session.close(); session.close()",
        "del session, query, engine",
        "session = query = engine = None; gc.collect()",
        "assert refused(lambda: session.spent)",
        RELEASES,
    )
    ends = ("sys.exit(5)", "os._exit(5)")
    program = "".join(
        f"child = os.fork()\nif child == 0:\n    {child}\n    {end}\nprint(status(child))\n"
        for child in children
        for end in ends
    )
    after = "print(os.path.isdir(engine._directory), len(query.release(epsilon=1).groups))"
    assert run(program + after) == ["5"] * len(children) * len(ends) + ["True 2"]  # the parent goes on


def test_a_child_of_a_closed_session_leaves_nothing_open() -> None:
    program = f"{CLOSES}\nchild = os.fork()\nif child == 0:\n    os.dup2(1, 2); sys.exit(5)\nprint(status(child))"
    assert run(program) == ["5"]


def test_no_child_waits_for_a_thread_of_its_parent() -> None:
    waits = (
        ("engine._turn", CLOSES),
        ("engine._turn", RELEASES),
        ("engine._turn", "assert refused(lambda: engine.load([], {'n': Column(kind='integer')}, 'n'))"),
        ("engine._turn", "assert refused(engine.lock)"),
        ("session._curator._charges._filter._total._lock", RELEASES),
        ("session._curator._charges._filter._total._lock", "repr(session); session.close()"),
        ("queryable._lock", "queryable.close()"),
        ("queryable._lock", "assert refused(lambda: queryable.ask('spent'))"),
    )
    program = """
def hold(lock):
    with lock:
        held.set()
        go.wait()
"""
    for lock, child in waits:
        program += f"""
held, go = threading.Event(), threading.Event()
thread = threading.Thread(target=hold, args=({lock},))
thread.start()
held.wait()
child = os.fork()
if child == 0:
    {child}
    os._exit(5)
print(status(child))
go.set()
thread.join()
"""
    assert run(program) == ["5"] * len(waits)


def test_children_of_multiprocessing_open_their_own() -> None:
    program = """
import multiprocessing
def work(n):
    with pv.Session([{"ward": "a"}] * 1000, book, pv.budget(epsilon=10)) as own:
        return len(own.query().group_by("ward").agg(pv.count()).release(epsilon=1).groups)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(work, range(4)))
"""
    assert run(program) == ["[2, 2, 2, 2]"]


def test_threads_take_turns() -> None:
    lock, inside, most = ProcessLock("a thing"), [0], [0]

    def work() -> None:
        for _ in range(200):
            with lock, lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_another_process_is_refused_before_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = ProcessLock("a thing")
    monkeypatch.setattr(os, "getpid", lambda: -1)
    with pytest.raises(UnavailableError, match="a thing cannot be used in a forked process"), lock:
        pass
