"""Scores of models by data set: peers' are kept in a cache, so that they run once for each version of what they run."""

import hashlib
import json
from pathlib import Path
from typing import NamedTuple

from bench.models.samples import Scores, load
from bench.models.task import EPSILONS, Task
from bench.peers import DATA_SETS, DIFFPRIVLIB, INTERPRET, ROOT, Peer

_HOME = ROOT / ".bench" / "models"
DATA = _HOME / "data"
ADULT = ROOT / "bench" / "data" / "adult.csv"
WHERE = (
    "The data set Adult is not at bench/data/adult.csv. It is the UCI Adult census data (Becker and Kohavi 1996, CC BY "
    "4.0), with whole numbers for categories as in the repository private-pgm (data/adult.csv). Its tables are missing."
)


class Rival(NamedTuple):
    """Models of another library: where they run, the module that fits them, and at which epsilons."""

    name: str
    peer: Peer
    module: str
    epsilons: tuple[float, ...] = EPSILONS


RIVALS = (
    Rival("scikit-learn", DATA_SETS, "sklearn_fits", (0.0,)),
    Rival("diffprivlib", DIFFPRIVLIB, "diffprivlib_fits"),
    Rival("InterpretML", INTERPRET, "interpret_fits"),
    Rival("AdaSSP", DATA_SETS, "adassp_fits"),
)


def prepared(task: Task) -> Path | None:
    """Give the folder with the data set, reading it first where it is missing; none without Adult's file."""
    if "adult" in task.source and not ADULT.is_file():
        print(WHERE)
        return None
    if not (DATA / f"{task.name}.npz").is_file():
        DATA.mkdir(parents=True, exist_ok=True)
        DATA_SETS.run("bench.models.prepare", str(DATA), str(ADULT), task.name)
    return DATA


def rival_scores(rival: Rival, task: Task) -> dict[str, Scores]:
    """Give the scores of a rival's models by name, from the cache where nothing has changed."""
    here = Path(__file__).parent
    sources = [(here / f"{name}.py").read_text(encoding="utf-8") for name in (rival.module, "samples", "prepare")]
    key = hashlib.sha256(repr((rival.peer.pins, rival.epsilons, task, sources)).encode()).hexdigest()
    place = _HOME / "scores" / f"{rival.module}-{task.name}.json"
    if place.is_file():
        stored = json.loads(place.read_text(encoding="utf-8"))
        if stored["key"] == key:
            known: dict[str, Scores] = stored["scores"]
            return known
    epsilons = [f"{epsilon:g}" for epsilon in rival.epsilons]
    fresh: dict[str, Scores] = rival.peer.run(f"bench.models.{rival.module}", str(DATA), task.name, *epsilons)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps({"key": key, "scores": fresh}), encoding="utf-8")
    return fresh


__all__ = ["ADULT", "DATA", "RIVALS", "Rival", "load", "prepared", "rival_scores"]
