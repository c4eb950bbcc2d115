"""Store what dp_accounting says about the shared cases, in bench/values/dp_accounting.json.

Runs in dp_accounting's own environment, about four minutes on two cores, and only when the cases change:
``.bench/dp_accounting/bin/python -m bench.dp_accounting_values``. What the parameters mean is said in
bench/dp_accounting_cases.py.

dp_accounting computes in floats and does not bound their errors (where a loss lies on its grid, its pessimistic answer
can be 2e-9 too low), and adds 1e-15 of delta at each composition to optimistic answers too. So the answers of mixtures
are taken at ``delta + GUARD`` and ``delta - GUARD``: a little further apart than it says, and then really on either
side of the truth. Null stands for infinity.
"""

import json
import math
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from bench.dp_accounting_cases import DELTA, SAMPLED_DELTAS, Part, headline, mixtures
from bench.dp_accounting_plds import composed

STORE = Path(__file__).parent / "values" / "dp_accounting.json"
GUARD = 1e-13
GRIDS = (5e-5, 5e-4)  # the finest and the coarsest for a mixture
SLACK = 0.005  # of epsilon, wanted between the two answers


def answers(parts: list[Part], deltas: tuple[str, ...], *, grid: float) -> list[dict[str, Any]]:
    """Give both answers at each delta as dp_accounting gives them."""
    low, high = (composed(parts, grid=grid, pessimistic=pessimistic) for pessimistic in (False, True))
    return [
        {
            "delta": delta,
            "optimistic": low.get_epsilon_for_delta(float(delta)),
            "pessimistic": high.get_epsilon_for_delta(float(delta)),
        }
        for delta in deltas
    ]


def mixture(case: dict[str, Any]) -> dict[str, Any]:
    """Answer one mixture, on a grid that is fine enough to say something and coarse enough to be quick."""
    parts, largest = case["parts"], float(case["deltas"][-1])
    rough = composed(parts, grid=GRIDS[1], pessimistic=True).get_epsilon_for_delta(largest)
    uses = sum(part["times"] for part in parts)
    wanted = SLACK * min(rough, 100) / uses
    grid = float(f"{min(max(wanted, GRIDS[0]), GRIDS[1]):.0e}")
    low, high = (composed(parts, grid=grid, pessimistic=pessimistic) for pessimistic in (False, True))
    return {
        "parts": parts,
        "grid": grid,
        "answers": [
            [
                delta,
                _finite(low.get_epsilon_for_delta(float(delta) + GUARD)),
                _finite(high.get_epsilon_for_delta(float(delta) - GUARD)),
            ]
            for delta in case["deltas"]
        ],
    }


def _finite(epsilon: float) -> float | None:
    return None if epsilon == math.inf else float(f"{epsilon:.12g}")


def main() -> None:
    sampled, laplace, one = headline().values()
    stored: dict[str, Any] = {
        "about": "dp-accounting 0.6.0; written by bench/dp_accounting_values.py, which explains it",
        "1,000 sampled Gaussians": {str(grid): answers(sampled, SAMPLED_DELTAS, grid=grid) for grid in (1e-4, 1e-5)},
        "100 different Laplace": {"0.0001": answers(laplace, (DELTA,), grid=1e-4)},
        "one Gaussian": {"0.0001": answers(one, (DELTA,), grid=1e-4)},
    }
    with Pool(2) as pool:
        found = pool.map(mixture, mixtures(), chunksize=10)
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in found)
    opening = json.dumps(stored, indent=1)[:-2]
    STORE.parent.mkdir(exist_ok=True)
    STORE.write_text(f'{opening},\n "mixtures": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
