"""Results as figures that pages quote: means with standard errors, kept in bench/values/models.json."""

import json
import math
from collections.abc import Sequence
from typing import Any

from bench.peers import ROOT

PLACE = ROOT / "bench" / "values" / "models.json"


def summary(values: Sequence[float]) -> dict[str, float]:
    """Give the mean, its standard error, and how many values there are.

    >>> summary([1.0, 2.0, 3.0])
    {'mean': 2.0, 'se': 0.57735, 'seeds': 3}
    """
    count = len(values)
    if count == 0:
        return {"mean": 0.0, "se": 0.0, "seeds": 0}
    mean = math.fsum(values) / count
    spread = math.fsum((value - mean) ** 2 for value in values) / max(count - 1, 1)
    return {"mean": round(mean, 6), "se": round(math.sqrt(spread / count), 6), "seeds": count}


def shown(found: dict[str, float], digits: int = 3) -> str:
    """Write a mean and its standard error."""
    if abs(found["mean"]) >= 100:
        return f"{found['mean']:.2g}"
    return f"{found['mean']:.{digits}f} ± {found['se']:.{digits}f}"


def keep(part: str, found: Any) -> None:
    """Write the results of a part; those of the other parts stay."""
    stored = json.loads(PLACE.read_text(encoding="utf-8")) if PLACE.is_file() else {}
    stored[part] = found
    PLACE.write_text(json.dumps(dict(sorted(stored.items())), indent=1) + "\n", encoding="utf-8")
