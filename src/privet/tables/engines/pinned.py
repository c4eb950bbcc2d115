"""Files that are read again by every query: what they were at loading, and whether they are that still."""

import hashlib
import os
from pathlib import Path
from typing import final

from attrs import frozen

from privet.errors import UnavailableError

_TAIL = 2**16  # bytes at the end of a file, where Parquet says what it holds and where


@final
@frozen
class PinnedFile:
    """A file as it was when it was loaded.

    Args:
        path: Where it is.
        identity: Device, inode, size, and the times of the last change of its content and of its inode.
        tail: A digest of its last bytes.
    """

    path: str
    identity: tuple[int, ...]
    tail: bytes

    def check(self) -> None:
        """Refuse to go on where the file is another one now, was changed, or is gone."""
        try:
            same = pin(self.path) == self
        except OSError:
            same = False
        if not same:
            raise UnavailableError(
                f"{self.path!r} changed since it was loaded, so that nothing more is answered about it. Open a new "
                "session; with snapshot=True it copies the file and sees no later change."
            )


def pin(path: str) -> PinnedFile:
    """Note what a file is now.

    Raises:
        OSError: It cannot be read.
    """
    with Path(path).open("rb") as file:
        there = os.fstat(file.fileno())
        file.seek(max(there.st_size - _TAIL, 0))
        tail = hashlib.sha256(file.read(_TAIL)).digest()
    identity = (there.st_dev, there.st_ino, there.st_size, there.st_mtime_ns, there.st_ctime_ns)
    return PinnedFile(path, identity, tail)
