"""``python -m tests.fuzz`` tries random inputs against the laws until the time is over.

``python -m tests.fuzz --kind chains --seed 17`` repeats one finding. ``--defect NAME`` puts a known mistake back first,
to see that the fuzzer finds it.
"""

import argparse
import os
import sys

from tests.fuzz.defects import DEFECTS
from tests.fuzz.kinds import KINDS
from tests.fuzz.search import repeat, run


def main() -> int:
    """Read the arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Try random inputs against the laws.")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--kind", action="append", choices=list(KINDS), help="one of several kinds; all by default")
    parser.add_argument("--seed", type=int, help="repeat one finding; needs one --kind")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--defect", choices=list(DEFECTS), help="put a known mistake back first")
    given = parser.parse_args()
    if given.seed is not None:
        if not given.kind or len(given.kind) != 1:
            parser.error("--seed needs one --kind")
        return repeat(given.kind[0], given.seed, given.defect)
    kinds = given.kind or ([DEFECTS[given.defect].kind] if given.defect else list(KINDS))
    return run(kinds, given.minutes, given.workers, given.defect)


if __name__ == "__main__":
    sys.exit(main())
