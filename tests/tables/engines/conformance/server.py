"""A PostgreSQL server of the tests' own, in a temporary folder, reached by a Unix socket and by nothing else."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import final

from attrs import frozen

DEBIAN = Path("/usr/lib/postgresql")
UNPRIVILEGED = ("postgres", "nobody")
FAST = "-c fsync=off -c full_page_writes=off -c max_connections=20"  # it may lose everything, and is quick
DURABLE = "-c max_connections=60 -c recovery_init_sync_method=syncfs"  # as servers are by default, but quick to restart


def programs() -> Path | None:
    """Find the folder of PostgreSQL's programs; None where it is not installed."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    versions = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda path: int(path.parent.parent.name))
    return versions[-1].parent if versions else None


def _user() -> str | None:
    """Choose whom the server runs as: not the administrator, whom it refuses."""
    if os.getuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in UNPRIVILEGED if name in known)


@final
@frozen
class Server:
    """A server that runs.

    Args:
        folder: Where its files and its socket are.
        flags: With which settings it runs.
    """

    folder: Path
    flags: str

    @property
    def address(self) -> str:
        """The connection string of its owner."""
        return f"host={self.folder} user=owner dbname=postgres"

    def run(self, program: str, *arguments: str) -> None:
        """Run a program of PostgreSQL as the user of the server."""
        command = [str((programs() or Path()) / program), *arguments]
        subprocess.run(command, check=True, user=_user(), cwd=self.folder, stdout=subprocess.DEVNULL, timeout=120)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        flags = f"-k {self.folder} -c listen_addresses= {self.flags}"
        self.run(
            "pg_ctl", "start", f"--pgdata={self.folder / 'data'}", "--wait", f"--log={self.folder / 'log'}", "-o", flags
        )

    def crash(self) -> None:
        """Stop it as a crash does: nothing is written any more, and what was synchronised is all it finds later."""
        self.run("pg_ctl", "stop", f"--pgdata={self.folder / 'data'}", "--mode=immediate", "--wait")


@contextmanager
def running(flags: str) -> Iterator[Server]:
    """Make a server and start it; stop it at the end, and delete its files."""
    if programs() is None:
        raise FileNotFoundError("PostgreSQL is not installed")
    user = _user()
    place = Path(tempfile.mkdtemp(prefix="privet-pg-"))  # short, since the path of a socket must be
    if user is not None:
        entry = pwd.getpwnam(user)
        os.chown(place, entry.pw_uid, entry.pw_gid)
    made = Server(place, flags)
    data = f"--pgdata={place / 'data'}"
    try:
        options = ("--auth=trust", "--username=owner", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        try:  # a linguistic collation, which no comparison of ours may use
            made.run("initdb", data, *options, "--locale-provider=icu", "--icu-locale=en-US")
        except subprocess.CalledProcessError:  # a server without ICU
            made.run("initdb", data, *options)
        made.start()
        try:
            yield made
        finally:
            made.crash()
    finally:
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def server() -> Iterator[str]:
    """Start a quick server and give its connection string; stop it at the end."""
    with running(FAST) as made:
        yield made.address
