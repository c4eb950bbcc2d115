"""Privet's losses of the cases that dp_accounting answered, and what is wrong with them, if anything."""

import json
import math
from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from operator import add
from typing import Any

import privet as pv
import privet.calculus as pc
from bench.dp_accounting_cases import Part
from bench.peers import ROOT

Amount = Fraction | float
STORE = ROOT / "bench" / "values" / "dp_accounting.json"
TOLERANCE = Fraction("1e-9")


def stored() -> Any:
    """Read what dp_accounting said."""
    return json.loads(STORE.read_text(encoding="utf-8"))


def loss_of(part: Part) -> pv.Loss:
    """Give the loss of one use of a part."""
    numbers = {name: Fraction(value) for name, value in part.items() if name not in ("kind", "times")}
    one = _loss(str(part["kind"]), numbers)
    return one.amplify(pv.Poisson(numbers["sample"])) if "sample" in numbers else one


def _loss(kind: str, of: dict[str, Fraction]) -> pv.Loss:
    if kind == "gaussian":
        return pc.GaussianLoss(distance=1, scale=of["scale"])
    if kind == "laplace":
        return pc.LaplaceLoss(distance=1, scale=of["scale"])
    if kind == "discrete_gaussian":
        return pc.GaussianLoss(distance=1, scale=of["scale"], step=1)
    if kind == "discrete_laplace":
        return pc.LaplaceLoss(distance=of["distance"], scale=1 / of["rate"], step=1)
    if kind == "randomized_response":
        other = of["noise"] / of["buckets"]
        return pc.RandomizedResponseLoss(truth=1 - of["noise"] + other, other=other)
    if kind == "approximate":
        return pc.ApproximateLoss(of["epsilon"], of["delta"])
    if kind == "pure":
        return pc.PureLoss(of["epsilon"])
    raise ValueError(f"no kind of part is called {kind}")


def composed(parts: Iterable[Part]) -> pv.Loss:
    """Give the loss of all parts together."""
    return reduce(add, (loss_of(part) * int(part["times"]) for part in parts))


def answers(case: dict[str, Any]) -> list[tuple[str, Amount, Amount]]:
    """Give each delta of a case with the peer's optimistic and pessimistic epsilon."""
    return [(delta, _amount(low), _amount(high)) for delta, low, high in case["answers"]]


def _amount(value: float | None) -> Amount:
    return math.inf if value is None else Fraction(str(value))


def too_low(epsilon: Amount, optimistic: Amount) -> bool:
    """Tell whether a claimed upper bound lies below what is certain to be lost."""
    return epsilon < optimistic - TOLERANCE if optimistic != math.inf else epsilon != math.inf


def too_high(epsilon: Amount, pessimistic: Amount) -> bool:
    """Tell whether a claimed lower bound lies above what is certain to suffice."""
    return pessimistic != math.inf and epsilon > pessimistic + TOLERANCE
