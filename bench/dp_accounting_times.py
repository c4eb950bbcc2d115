"""Time dp_accounting on the headline compositions; runs in its own environment and prints JSON."""

import json
from functools import partial
from typing import Any

from bench.dp_accounting_cases import DELTA, Part, headline
from bench.dp_accounting_plds import composed
from bench.timing import cpu

GRID = 1e-4  # dp_accounting's own choice
TIMES = 5


def measured(parts: list[Part]) -> dict[str, Any]:
    """Time both answers, each from nothing, as a user would ask."""
    found: dict[str, Any] = {}
    for name, pessimistic in (("optimistic", False), ("pessimistic", True)):
        work = partial(answer, parts, pessimistic=pessimistic)
        best, median = cpu(work, times=TIMES)
        found[name] = {"epsilon": work(), "best": best, "median": median}
    return found


def answer(parts: list[Part], *, pessimistic: bool) -> float:
    found: float = composed(parts, grid=GRID, pessimistic=pessimistic).get_epsilon_for_delta(float(DELTA))
    return found


def main() -> None:
    print(json.dumps({name: measured(parts) for name, parts in headline().items()}))


if __name__ == "__main__":
    main()
