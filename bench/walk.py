"""The walk of a release through the layers of tables: which layer calls which, and whether any call goes back up.

``python -m bench.walk`` opens a CSV file, releases counts and means by group, prints them, and draws the calls.
"""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import privet as pv

LAYERS = (
    "columns",
    "codebook",
    "vocabulary",
    "engines",
    "expressions",
    "relations",
    "statistics",
    "nodes",
    "aggregates",
    "noise",
    "releases",
    "curator",
    "queries",
    "keys",
    "rollup",
    "impute",
    "sql",
    "session",
)
_PACKAGE = "privet.tables."


def layer_of(module: str) -> str | None:
    """Give the layer of a module of tables; None for all others."""
    return module.removeprefix(_PACKAGE).partition(".")[0] if module.startswith(_PACKAGE) else None


def trace(run: Callable[[], object]) -> list[tuple[str, str, str]]:
    """Run something and give every call from one layer to another: caller, callee, and the function."""
    calls: list[tuple[str, str, str]] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        callee = layer_of(str(frame.f_globals.get("__name__")))
        if event != "call" or callee is None or frame.f_code.co_name == "<module>":
            return
        back = frame.f_back
        while back is not None and layer_of(str(back.f_globals.get("__name__"))) is None:
            back = back.f_back
        caller = None if back is None else layer_of(str(back.f_globals.get("__name__")))
        if caller is not None and caller != callee:
            calls.append((caller, callee, frame.f_code.co_qualname))

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls


def upward(calls: list[tuple[str, str, str]]) -> Counter[tuple[str, str, str]]:
    """Give the calls that go from a lower layer to a higher one.

    Constructors do not count: a query makes another of its own class, which a higher layer defines.
    """
    higher = (call for call in calls if LAYERS.index(call[1]) > LAYERS.index(call[0]))
    return Counter(call for call in higher if not call[2].endswith("__init__"))


def release_and_print(path: Path) -> None:
    """Open a file, release, print."""
    columns = {
        "patient": pv.column("integer"),
        "ward": pv.column("text", categories=("a", "b", "c")),
        "minutes": pv.column("integer", bounds=(0, 600)),
    }
    book = pv.Codebook(table="visits", unit=pv.Persons(id="patient", rows=3), columns=columns)
    session = pv.Session(path, book, pv.budget(epsilon=1))
    query = session.query().filter("minutes > 0").group_by("ward").agg(pv.count(), pv.mean("minutes"))
    str(query.release(epsilon=1))
    session.close()


def walk() -> list[tuple[str, str, str]]:
    """Trace a whole release; once before to load all modules."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.csv"
        lines = [f"{n % 700},{'abc'[n % 3]},{n % 90}" for n in range(2_000)]
        path.write_text("\n".join(["patient,ward,minutes", *lines]) + "\n", encoding="utf-8")
        release_and_print(path)
        return trace(lambda: release_and_print(path))


def main() -> None:
    """Draw the walk."""
    calls = walk()
    counts = Counter((caller, callee) for caller, callee, _ in calls)
    for (caller, callee), often in sorted(counts.items(), key=lambda item: -LAYERS.index(item[0][0])):
        print(f"{caller:>12} -> {callee:<12} {often:>6} calls")
    back = upward(calls)
    print(f"calls back up: {sum(back.values())}")
    for (caller, callee, function), often in back.most_common():
        print(f"  {caller} -> {callee}.{function}: {often}")


if __name__ == "__main__":
    main()
