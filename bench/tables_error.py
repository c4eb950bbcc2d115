"""Errors of counts, sums and means by group at the same privacy, against other libraries, in one run.

The table has no rows beyond the caps, so that the error of each library is that of its noise alone.
"""

import math
import tempfile
from pathlib import Path
from typing import Any, final

import numpy as np
import pyarrow.parquet as pq
from attrs import frozen

from bench.peers import OPENDP_POLARS, PIPELINEDP, SMARTNOISE, TUMULT, Peer
from bench.report import show, write
from bench.tables import Found, codebook, peer
from bench.tables_data import BOUNDS, DELTA, EPSILON, RHO, names, visitors
from bench.tables_data import write as store
from privet.accounting.planning.budget import budget
from privet.tables.aggregates.count import count
from privet.tables.aggregates.mean import mean
from privet.tables.aggregates.sum import sum as total
from privet.tables.columns.unit import Persons, PrivacyUnit, Rows
from privet.tables.session.session import Session

ROWS, GROUPS, EACH = 200_000, 5_000, 10
OURS, RUNS, FEW = 5, 2, 1  # releases of Privet, of others, and of Tumult, which takes most of the time
ALLOWED = 1.05
KNOWN: dict[str, Any] = {"count": count(), "total": total("value"), "mean": mean("value")}
BOTH, MEAN, ALL = "count,total", "mean", "count,total,mean"


@final
@frozen
class Case:
    """What is compared.

    Args:
        what: The unit and the privacy, for the reader.
        unit: The privacy unit of Privet.
        lost: What its release may lose.
        each: The rows of a user, each in another group.
        peers: Who is compared, and what is asked of them.
    """

    what: str
    unit: PrivacyUnit
    lost: dict[str, float]
    each: int
    peers: dict[str, tuple[Peer, tuple[str, ...]]]


def _user(groups: int) -> PrivacyUnit:
    return Persons(id="user_id", groups=groups, rows_per_group=1)


CASES = (
    Case(
        "a row",
        Rows(),
        {"epsilon": EPSILON},
        1,
        {"OpenDP": (OPENDP_POLARS, (BOTH, MEAN, ALL)), "SmartNoise": (SMARTNOISE, (BOTH, MEAN, ALL))},
    ),
    Case(  # Tumult would answer all three as three queries, with a third of epsilon each
        "a user",
        _user(1),
        {"epsilon": EPSILON},
        1,
        {"PipelineDP": (PIPELINEDP, (BOTH, MEAN, ALL)), "Tumult": (TUMULT, (BOTH, MEAN))},
    ),
    Case(
        f"a user in {EACH} groups",
        _user(EACH),
        {"epsilon": EPSILON, "delta": DELTA},
        EACH,
        {"PipelineDP": (PIPELINEDP, (BOTH,))},
    ),
    Case(f"a user in {EACH} groups, rho", _user(EACH), {"rho": RHO}, EACH, {"Tumult": (TUMULT, (BOTH,))}),
)


def answers(path: Path, case: Case, asked: str) -> list[Found]:
    """Release with Privet, often."""
    whole = budget(rho=10**6) if "rho" in case.lost else budget(epsilon=10**6, delta=0.01)
    opened = Session(path, codebook(case.unit, GROUPS), whole)
    grouped = opened.query().group_by("grp")
    question = grouped.agg(**{name: KNOWN[name] for name in asked.split(",")})
    found = []
    for _ in range(OURS):
        answer = question.release(
            epsilon=case.lost.get("epsilon"), delta=case.lost.get("delta"), rho=case.lost.get("rho")
        )
        found.append({name: answer.values(name) for name in asked.split(",")})
    opened.close()
    return found


def squares(found: list[Found], path: Path, name: str) -> Any:
    """Give the squared errors, releases by groups."""
    table = pq.read_table(path)
    place = {key: at for at, key in enumerate(names(GROUPS))}
    at = np.array([place[key] for key in table["grp"].to_pylist()])
    counts = np.bincount(at, minlength=GROUPS)
    sums = np.bincount(at, weights=np.clip(table["value"].to_numpy(), *BOUNDS), minlength=GROUPS)
    truth = {"count": counts, "total": sums, "mean": sums / counts}[name]
    return np.stack([(np.asarray(one[name], dtype=float) - truth) ** 2 for one in found])


def line(what: list[str], mine: Any, theirs: Any) -> list[str]:
    """Compare mean squares; each has the standard error of its own draws."""
    ratio = mine.mean() / theirs.mean()
    unsure = ratio * math.sqrt(sum((part.std() / part.mean()) ** 2 / part.size for part in (mine, theirs)))
    verdict = "met" if ratio <= ALLOWED else "missed" if ratio > ALLOWED + 2 * unsure else "within chance"
    return [*what, f"{mine.mean():.4g}", f"{theirs.mean():.4g}", f"{ratio:.2f} ± {unsure:.2f}", verdict]


def compare(case: Case, asked: str, name: str, which: Peer, path: Path) -> list[list[str]]:
    """Let Privet and a library answer the same question."""
    shown = asked.replace(",", ", ")
    found = peer(which, path, GROUPS, runs=FEW if which is TUMULT else RUNS, asked=asked, each=case.each)
    if found is None:
        return [[shown, "", case.what, name, "", "did not run", "", ""]]
    mine = answers(path, case, asked)
    return [
        line([shown, each, case.what, name], squares(mine, path, each), squares(found["answers"], path, each))
        for each in asked.split(",")
    ]


def run() -> None:
    """Measure everything and write the table."""
    lines = []
    with tempfile.TemporaryDirectory() as directory:
        for case in CASES:
            path = store(visitors(ROWS // case.each, GROUPS, case.each), Path(directory) / f"{case.each}.parquet")
            for name, (which, questions) in case.peers.items():
                for asked in questions:
                    lines += compare(case, asked, name, which, path)
    heading = ["asked", "of it", "protected", "against", "Privet", "its", "ratio", f"at most {ALLOWED}"]
    note = (
        f"Mean squared errors over {GROUPS:,} groups of {ROWS // GROUPS} rows and {RUNS} releases ({OURS} of Privet, "
        f"{FEW} of Tumult); the ratio with its standard error; below one Privet is better. For all that is asked "
        f"together epsilon = {EPSILON:g}; for users with one row in each of {EACH} groups also delta = {DELTA:g}, "
        f"where PipelineDP adds Gaussian noise, or rho = {RHO:g}. Written by `python -m bench tables_error`."
    )
    show("errors of tables", heading, lines, note)
    write("table errors", heading, lines, note)
