"""What belongs to one process: a lock that refuses forked children, and connections that they must leave alone."""

import ctypes
import os
import threading
from typing import final

from privet.errors import UnavailableError


@final
class ProcessLock:
    """A lock for the threads of the process that made it.

    A forked child gets a copy that may be held by a thread that the child does not have, and would wait for ever. It is
    refused before it asks for the lock.

    >>> lock = ProcessLock("an engine")
    >>> with lock:
    ...     lock.at_home
    True
    """

    __slots__ = ("_holder", "_lock", "_process")

    def __init__(self, holder: str) -> None:
        self._holder = holder
        self._process = os.getpid()
        self._lock = threading.RLock()

    @property
    def at_home(self) -> bool:
        """Whether this is the process that made the lock."""
        return os.getpid() == self._process

    def __enter__(self) -> None:
        if not self.at_home:
            raise UnavailableError(f"{self._holder} cannot be used in a forked process; open one there.")
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def leave_open(connection: object) -> None:
    """Keep a parent's connection for as long as a forked child lives.

    To destroy a connection means to join its threads, which a child does not have: an embedded engine reads freed
    memory there. The reference that is taken here is never given back, so that not even the end of the interpreter
    destroys it.
    """
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
