"""A PostgreSQL server of the tests' own, in a temporary folder, reached by a Unix socket and by nothing else."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DEBIAN = Path("/usr/lib/postgresql")
UNPRIVILEGED = ("postgres", "nobody")
FLAGS = "-c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=20"


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


@contextmanager
def server() -> Iterator[str]:
    """Start a server and give its connection string; stop it at the end."""
    folder = programs()
    if folder is None:
        raise FileNotFoundError("PostgreSQL is not installed")
    user = _user()
    place = Path(tempfile.mkdtemp(prefix="privet-pg-"))  # short, since the path of a socket must be
    data = place / "data"
    if user is not None:
        entry = pwd.getpwnam(user)
        os.chown(place, entry.pw_uid, entry.pw_gid)

    def run(program: str, *arguments: str) -> None:
        command = [str(folder / program), *arguments]
        subprocess.run(command, check=True, user=user, cwd=place, stdout=subprocess.DEVNULL, timeout=120)

    try:
        options = ("--auth=trust", "--username=owner", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        try:  # a linguistic collation, which no comparison of ours may use
            run("initdb", f"--pgdata={data}", *options, "--locale-provider=icu", "--icu-locale=en-US")
        except subprocess.CalledProcessError:  # a server without ICU
            run("initdb", f"--pgdata={data}", *options)
        run("pg_ctl", "start", f"--pgdata={data}", "--wait", f"--log={place / 'log'}", "-o", f"-k {place} {FLAGS}")
        try:
            yield f"host={place} user=owner dbname=postgres"
        finally:
            run("pg_ctl", "stop", f"--pgdata={data}", "--mode=immediate", "--wait")
    finally:
        shutil.rmtree(place, ignore_errors=True)
