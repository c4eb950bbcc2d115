"""Something between a client and a server of PostgreSQL that breaks the connection at a commit."""

import select
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import final

SOCKET = ".s.PGSQL.5432"


@final
class Relay:
    """Passes bytes on, until it sees a commit.

    Args:
        server: The folder of the socket of the server.
    """

    def __init__(self, server: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="privet-relay-"))
        self.cut = ""  # "before" the server sees the commit, or "after" it has answered
        self._server = server
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(self.folder / SOCKET))
        self._listening.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Take no more connections."""
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        shutil.rmtree(self.folder)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        with suppress(OSError), client, socket.socket(socket.AF_UNIX) as server:
            server.connect(str(self._server / SOCKET))
            while True:
                for side in select.select([client, server], [], [])[0]:
                    data = side.recv(65536)
                    if not data or (self.cut and side is client and b"COMMIT\0" in data):
                        self._end(server, data)
                        return
                    (server if side is client else client).sendall(data)

    def _end(self, server: socket.socket, commit: bytes) -> None:
        """Let the server have the commit, and keep its answer; or let it have nothing."""
        if commit and self.cut == "after":
            server.sendall(commit)
            server.recv(65536)


@contextmanager
def relay(server: Path) -> Iterator[Relay]:
    """Open a relay, and close it at the end."""
    made = Relay(server)
    try:
        yield made
    finally:
        made.close()
