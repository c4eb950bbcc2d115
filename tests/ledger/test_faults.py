"""Errors of the system at every call of a commit: no charge is reported that is not durable, and the chain stays valid.

``strace`` makes the calls fail; without it the tests are skipped. A first run counts the calls on the file, its journal
and its folder, by name. Then each of them fails once, in a run of its own.
"""

import os
import re
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from privet.errors import LedgerError
from privet.ledger.ledger import Ledger
from tests.ledger.files import charge, filled, fork, wait

REFUSED = 3
SYNCHRONISED = {"fsync", "fdatasync"}
NEEDED = {"pwrite64", "unlink", "openat", "pread64", "fcntl"}  # calls without which no commit is made
CANNOT = {"close"}  # the kernel closes the file whatever it answers, and so does SQLite
ERRORS = ("EIO", "EINTR", "ENOSPC")
pytestmark = [
    pytest.mark.engines,
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace, a package of Debian"),
]


def run(path: Path, *options: str) -> tuple[int, list[str]]:
    """Charge and store in a process under strace; give its status and what it did."""
    said, log = path.parent / "said", path.parent / "trace"
    said.unlink(missing_ok=True)
    account = Ledger(path).account("visits", "ann")
    gate, opening = os.pipe()

    def work() -> None:
        os.close(opening)
        os.read(gate, 1)  # until the parent closes its end
        try:
            claim = charge(account, "fault")
            with said.open("a") as file:
                file.write("charged ")
            account.store(claim, "release")
            with said.open("a") as file:
                file.write("stored ")
        except LedgerError as error:
            os._exit(REFUSED if "nothing was released" in str(error) else 1)

    child = fork(work)
    files = [part for name in (path, f"{path}-journal", path.parent) for part in ("-P", str(name))]
    tracer = subprocess.Popen(["strace", "-qq", "-o", str(log), *files, *options, "-p", str(child)])
    attached = wait_until_attached(tracer, child)
    os.close(gate)
    os.close(opening)
    status = wait(child)
    if not attached:
        tracer.kill()
        tracer.wait()
        pytest.fail("strace did not attach")
    tracer.wait()
    assert status in (0, REFUSED)
    return status, said.read_text().split() if said.exists() else []


def wait_until_attached(tracer: subprocess.Popen[bytes], child: int) -> bool:
    """Wait until a process is traced; give up after 60 seconds, or where strace has ended."""
    deadline = time.monotonic() + 60
    while tracer.poll() is None and time.monotonic() < deadline:
        if "TracerPid:\t0" not in Path(f"/proc/{child}/status").read_text():
            return True
        time.sleep(0.005)
    return False


def calls(path: Path) -> Counter[str]:
    """Count the system calls on the ledger, by name."""
    filled(path)
    assert run(path)[0] == 0
    found = re.findall(r"^(\w+)\(", (path.parent / "trace").read_text(), flags=re.MULTILINE)
    path.unlink()
    return Counter(name for name in found if name not in CANNOT)


@pytest.mark.parametrize("error", ERRORS)
def test_every_call_that_fails_releases_nothing_without_a_charge(error: str, tmp_path: Path) -> None:
    path = tmp_path / "budget.db"
    counted = calls(path)
    assert counted.keys() >= NEEDED
    assert counted.keys() & SYNCHRONISED
    refused: Counter[str] = Counter()
    filled(path)
    whole = path.read_bytes()
    for name, when in ((name, when) for name, times in counted.items() for when in range(1, times + 1)):
        Path(f"{path}-journal").unlink(missing_ok=True)
        path.write_bytes(whole)
        status, said = run(path, "-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={when}")
        found = {each.key: each.state for each in Ledger(path).charges("visits")}  # the chain is valid
        assert "(INJECTED)" in (tmp_path / "trace").read_text(), f"{name} {when}"
        assert "charged" not in said or "fault" in found, f"{name} {when}"
        assert "stored" not in said or found["fault"] == "stored", f"{name} {when}"
        assert (status == 0) == ("stored" in said), f"{name} {when}"
        refused[name] += status == REFUSED
    assert error == "EINTR" or refused["pwrite64"] > 0, "SQLite tries again only what was interrupted"
