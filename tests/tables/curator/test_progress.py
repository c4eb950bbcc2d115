"""Progress: a phase and a time, after two seconds, where somebody watches; no thread is left behind."""

import io
import os
import re
import threading
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

import privet as pv
from privet.errors import UnavailableError
from privet.tables.curator import progress as module
from privet.tables.curator.progress import enter_phase, progress
from privet.tables.engines.duckdb.engine import DuckDBEngine

LINE = re.compile(r"privet: [a-z, ]+, \d+ s *")
BOOK = pv.Codebook(columns={"ward": pv.column("text", categories=("a", "b"))}, unit=pv.Rows())


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def stream(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """A terminal, and a clock that runs fifty times as fast."""
    terminal = Terminal()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=terminal))
    monkeypatch.setattr(module, "AFTER", 0.04)
    monkeypatch.setattr(module, "_EVERY", 0.02)
    monkeypatch.delenv("PRIVET_PROGRESS", raising=False)
    yield terminal
    assert threads() == [], "no thread stays"


def threads() -> list[str]:
    return [each.name for each in threading.enumerate() if each.name == "privet progress"]


def wait_for(stream: io.StringIO, text: str) -> None:
    """Wait until a text was written, however busy the machine is."""
    end = time.monotonic() + 30
    while text not in stream.getvalue() and time.monotonic() < end:
        time.sleep(0.005)


def lines(stream: io.StringIO) -> list[str]:
    return [line for line in re.split(r"[\r\n]", stream.getvalue()) if line.strip()]


def test_a_line_is_written_over_with_each_phase_and_taken_away_at_the_end(stream: Terminal) -> None:
    with progress("reading the data"):
        wait_for(stream, "reading")
        enter_phase("adding noise")
        wait_for(stream, "noise")
    shown = lines(stream)
    assert shown[0] == "privet: reading the data, 0 s"
    assert shown[-1].rstrip() == "privet: adding noise, 0 s"
    assert all(map(LINE.fullmatch, shown)), "nothing but a phase and a time"
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().endswith(" \r")


def test_what_is_fast_shows_nothing(stream: Terminal, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "AFTER", 30)
    with progress("reading the data"):
        pass
    assert stream.getvalue() == ""


def test_it_begins_after_two_seconds() -> None:
    assert module.AFTER == 2


def test_an_exception_ends_it(stream: Terminal) -> None:
    def work() -> None:
        with progress("reading the data"):
            wait_for(stream, "reading")
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert threads() == []
    enter_phase("nobody sees this")


def test_one_within_another_changes_the_phase_only(stream: Terminal) -> None:
    with progress("planning"), progress("reading"):
        assert len(threads()) == 1
        wait_for(stream, "reading")
    assert all(line.startswith("privet: reading, ") for line in lines(stream)[-2:])


def test_two_threads_have_a_phase_each(stream: Terminal) -> None:
    def work(phase: str) -> None:
        with progress(phase):
            wait_for(stream, phase)

    both = [threading.Thread(target=work, args=(phase,)) for phase in ("one", "two")]
    for each in both:
        each.start()
    for each in both:
        each.join()
    assert {"privet: one, 0 s", "privet: two, 0 s"} <= {line.rstrip() for line in lines(stream)}


@pytest.mark.parametrize("wish", ["", "0"])
def test_where_nobody_watches_there_is_no_thread(wish: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO() if wish == "" else Terminal()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(module, "AFTER", 0)
    monkeypatch.setenv("PRIVET_PROGRESS", wish)
    with progress("reading the data"):
        assert threads() == []
        time.sleep(0.02)
    assert stream.getvalue() == ""


def test_it_can_be_asked_for_in_a_file_with_a_line_for_each_phase(stream: Terminal, monkeypatch: Any) -> None:
    plain = io.StringIO()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=plain))
    monkeypatch.setenv("PRIVET_PROGRESS", "1")
    with progress("reading the data"):
        wait_for(plain, "reading")
        enter_phase("adding noise")
        wait_for(plain, "noise")
    assert plain.getvalue() == "privet: reading the data, 0 s\nprivet: adding noise, 0 s\n"
    assert stream.getvalue() == ""


@pytest.mark.parametrize("broken", [None, object(), "closed"])
def test_a_stream_that_cannot_be_written_is_left_alone(broken: Any, stream: Terminal, monkeypatch: Any) -> None:
    if broken == "closed":
        broken = Terminal()
        monkeypatch.setattr(broken, "isatty", lambda: True)
        broken.close()
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=broken))
    with progress("reading the data"):
        time.sleep(0.06)
    assert stream.getvalue() == ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_leaves_it_quietly(stream: Terminal) -> None:
    reader, writer = os.pipe()
    with progress("reading the data"):
        child = os.fork()
        if child == 0:
            enter_phase("in the child")
    if child == 0:
        os.write(writer, b"left")
        os._exit(0)
    assert os.read(reader, 4) == b"left"
    os.waitpid(child, 0)
    assert "child" not in stream.getvalue()


def test_work_goes_on_where_no_thread_can_be_started(stream: Terminal, monkeypatch: Any) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with progress("reading the data"):
        time.sleep(0.06)
    assert stream.getvalue() == ""


def slowly(function: Any) -> Any:
    def slow(*arguments: Any, **named: Any) -> Any:
        time.sleep(0.3)
        return function(*arguments, **named)

    return slow


def test_a_session_shows_its_phases_and_no_numbers_of_the_data(stream: Terminal, monkeypatch: Any) -> None:
    for name in ("load", "rehearse", "_read"):
        monkeypatch.setattr(DuckDBEngine, name, slowly(getattr(DuckDBEngine, name)))
    session = pv.Session([{"ward": "a"}] * 321, BOOK, pv.budget(epsilon=1))
    session.query().group_by("ward").agg(pv.count()).release(epsilon=0.5)
    assert all(map(LINE.fullmatch, lines(stream))), "nothing but a phase and a time"
    phases = list(dict.fromkeys(line.rpartition(", ")[0] for line in lines(stream)))
    expected = ["reading the source", "preparing the queries", "charged, reading the data"]
    assert [phase for phase in phases if phase.removeprefix("privet: ") in expected] == [
        f"privet: {e}" for e in expected
    ]


def test_a_release_that_fails_leaves_no_line(stream: Terminal, monkeypatch: Any) -> None:
    def fail(*_: object) -> None:
        wait_for(stream, "reading the data")
        raise UnavailableError("the disk is full.")

    session = pv.Session([], BOOK, pv.budget(epsilon=1))
    monkeypatch.setattr(DuckDBEngine, "_read", fail)
    with pytest.raises(UnavailableError):
        session.query().group_by("ward").agg(pv.count()).release(epsilon=0.5)
    assert threads() == []
    assert stream.getvalue().endswith(" \r")
