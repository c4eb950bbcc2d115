"""Progress of what takes longer than two seconds: the phase and the elapsed time, and nothing else.

Numbers of rows, bytes or tasks, and percentages, depend on the data; how long a call takes, its caller knows anyway.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, final

AFTER = 2.0  # seconds before the first line
_EVERY = 1.0  # seconds between two lines
_SWITCH = "PRIVET_PROGRESS"


@final
class _Running:
    """The progress that a thread shows now, if any."""

    by_thread = threading.local()


@final
class _Line:
    """One line on a stream, written anew every second from a thread of its own.

    Args:
        stream: Where to write.
        phase: What happens first.
        updates: Whether a line can be written over; otherwise each phase has a line of its own.
    """

    def __init__(self, stream: IO[str], phase: str, *, updates: bool) -> None:
        self.phase = phase
        self._stream, self._updates = stream, updates
        self._start, self._process = time.monotonic(), os.getpid()
        self._done, self._width = threading.Event(), 0
        self._last = ""
        self._thread = threading.Thread(target=self._run, name="privet progress", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        wait = AFTER
        while not self._done.wait(wait):
            self._write()
            wait = _EVERY

    def _write(self) -> None:
        if not self._updates and self.phase == self._last:
            return
        self._last = self.phase
        text = f"privet: {self.phase}, {time.monotonic() - self._start:.0f} s"
        end = f"{' ' * (self._width - len(text))}\r" if self._updates else "\n"
        self._width = max(self._width, len(text))
        self._print(f"{text}{end}")

    def _print(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # a stream that was closed shows nothing
            self._done.set()

    def close(self) -> None:
        """Stop, and take the line away."""
        if os.getpid() != self._process:  # the thread stayed in the parent, perhaps with a lock that it held
            return
        self._done.set()
        self._thread.join()
        if self._updates and self._width:
            self._print(f"{' ' * self._width}\r")


@contextmanager
def progress(phase: str) -> Iterator[None]:
    """Show what happens, if it takes longer than two seconds and somebody watches.

    A terminal and a notebook are watched; otherwise ``PRIVET_PROGRESS=1`` asks for it, and ``PRIVET_PROGRESS=0``
    switches it off everywhere. Within another one, only the phase changes.

    Args:
        phase: What happens first, such as ``reading``.
    """
    if getattr(_Running.by_thread, "line", None) is not None:
        enter_phase(phase)
        yield
        return
    line = _begin(phase)
    if line is None:
        yield
        return
    _Running.by_thread.line = line
    try:
        yield
    finally:
        _Running.by_thread.line = None
        line.close()


def enter_phase(phase: str) -> None:
    """Say what happens now; nothing where no progress is shown."""
    line = getattr(_Running.by_thread, "line", None)
    if line is not None:
        line.phase = phase


def _begin(phase: str) -> _Line | None:
    """Begin to show a phase; nothing where nobody watches, or where no thread can be started."""
    stream = _watched()
    try:
        return None if stream is None else _Line(stream, phase, updates=_updates(stream))
    except RuntimeError:  # too many threads, or the interpreter ends: the work goes on without a line
        return None


def _watched() -> IO[str] | None:
    """Give the stream on which somebody watches, if there is one."""
    wish, stream = os.environ.get(_SWITCH, ""), sys.stderr
    if wish == "0" or stream is None:
        return None
    return stream if wish == "1" or _updates(stream) else None


def _updates(stream: IO[str]) -> bool:
    """Say whether a line on a stream can be written over: on a terminal, and in a notebook."""
    if type(stream).__module__.startswith("ipykernel"):
        return True
    try:
        return stream.isatty()
    except (AttributeError, ValueError):  # a stand-in for a stream, or a closed one
        return False
