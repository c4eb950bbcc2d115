"""One release of a session of its own process: seconds, memory and disk as JSON, for ``bench.engines``."""

import json
import os
import resource
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from bench.tables import codebook
from bench.tables_data import EPSILON
from privet.accounting.planning.budget import budget
from privet.tables.aggregates.count import count
from privet.tables.aggregates.sum import sum as total
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.session.session import Session

UNITS: dict[str, PrivacyUnit] = {
    "a row": Rows(),
    "a person with 1 row": Persons(id="user_id", groups=1, rows_per_group=1),
    "a person with 5 rows": Persons(id="user_id", rows=5),
    "a person with 10 rows in each of 3 groups": Persons(id="user_id", groups=3, rows_per_group=10),
}
_EVERY = 0.05  # seconds between two looks at the disk


class Disk(threading.Thread):
    """Notes the most that a folder held while it ran."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._folder, self._ended = folder, threading.Event()

    def run(self) -> None:
        """Look until it is stopped."""
        while not self._ended.wait(_EVERY):
            self.most = max(self.most, sum(map(_size, self._folder.rglob("*"))))

    def stop(self) -> int:
        """Give the bytes."""
        self._ended.set()
        self.join()
        return self.most


def _size(path: Path) -> int:
    try:
        return 0 if path.is_symlink() else path.stat().st_blocks * 512
    except OSError:  # removed meanwhile
        return 0


def _spent() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def measure(path: str, unit: str, memory: str, times: int) -> dict[str, Any]:
    """Open a session, and release a count and a sum of each group several times."""
    disk = Disk(Path(os.environ["TMPDIR"]))
    disk.start()
    begun = _spent()
    session = Session(path, codebook(UNITS[unit]), budget(epsilon=10**9), memory=memory)
    opened = _spent()
    releases = []
    for _ in range(times):
        before = _spent()
        session.query().group_by("grp").agg(count(), total=total("value")).release(epsilon=EPSILON)
        releases.append([after - start for after, start in zip(_spent(), before, strict=True)])
    session.close()
    return {
        "open": [after - start for after, start in zip(opened, begun, strict=True)],
        "releases": releases,  # pairs of wall and CPU seconds
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "disk": disk.stop(),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump(measure(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])), sys.stdout)
