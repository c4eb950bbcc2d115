"""Errors of the system at every call of a commit: no charge is reported that is not durable, and the chain stays valid.

``strace`` makes the calls fail; without it the tests are skipped.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from privet.ledger.ledger import Ledger
from tests.ledger.files import filled

CALLS = ("pwrite64", "fsync", "fdatasync", "unlink", "ftruncate", "openat", "fcntl", "pread64")
ERRORS = ("EIO", "ENOSPC", "EINTR")
MOST = 12  # calls of one kind in a charge and a stored release
REFUSED = 3
SEEN = {("pwrite64", "EIO"), ("pwrite64", "ENOSPC"), ("unlink", "EIO"), ("pread64", "EIO")}  # SQLite tries others again
PROGRAM = """
import sys
from privet.accounting.losses.pure import PureLoss
from privet.errors import LedgerError
from privet.ledger.ledger import Ledger
try:
    account = Ledger(sys.argv[1]).account("visits", "ann")
    claim = account.charge(PureLoss(0.1), key="fault", digest="d")
    print("charged", flush=True)
    account.store(claim, "release")
    print("stored", flush=True)
except LedgerError as error:
    assert "nothing was released" in str(error), error
    sys.exit(3)
"""
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace, a package of Debian"),
]


def run_with(path: Path, call: str, error: str, when: int) -> tuple[int, list[str]]:
    """Run a charge of which one system call on the ledger fails; give its status and what it said."""
    files = [part for name in (path, f"{path}-journal", path.parent) for part in ("-P", str(name))]
    inject = f"inject={call}:error={error}:when={when}"
    trace = ["strace", "-f", "-qq", "-o", "/dev/null", *files, "-e", f"trace={call}", "-e", inject]
    done = subprocess.run(
        [*trace, sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode in (0, REFUSED), done.stderr
    return done.returncode, done.stdout.split()


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", CALLS)
def test_a_call_that_fails_releases_nothing_without_a_charge(call: str, error: str, tmp_path: Path) -> None:
    refused = 0
    for when in range(1, MOST + 1):
        path = tmp_path / f"{when}.db"
        filled(path)
        status, said = run_with(path, call, error, when)
        found = {each.key: each.state for each in Ledger(path).charges("visits")}  # the chain is valid
        assert "charged" not in said or "fault" in found
        assert "stored" not in said or found["fault"] == "stored"
        assert (status == 0) == ("stored" in said)
        refused += status == REFUSED
        path.unlink()
    assert refused or (call, error) not in SEEN, "no call was met"
