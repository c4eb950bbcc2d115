"""The cases that Privet and dp_accounting both answer; imported by both, so it needs the standard library only.

A part is one mechanism between two neighbours at distance one, and how often it is used. Its parameters are decimal
strings, so that both sides read the same numbers:

- gaussian: noise of standard deviation ``scale`` on a real number that moves by one;
- laplace: noise of density proportional to ``exp(-|x| / scale)`` on a real number that moves by one;
- discrete_gaussian: mass proportional to ``exp(-x² / (2 scale²))`` on an integer that moves by one;
- discrete_laplace: mass proportional to ``exp(-rate |x|)`` on an integer that moves by ``distance``;
- randomized_response: with probability ``noise`` one of ``buckets`` answers, uniformly (the true one included), and
  else the true one; the neighbour has another true answer;
- pure and approximate: all that is known is ``epsilon``, or ``epsilon`` and ``delta``;
- a ``sample`` beside any of the first four: each record is kept with that probability, independently, and the
  neighbour has one record more or one less. The parts' losses are added up for either direction, then the worse counts.
"""

import math
import random
from typing import Any

Part = dict[str, str | int]

CASES = 1_000
SEED = 4
DELTAS = ("1e-4", "1e-5", "1e-6", "1e-7", "1e-8")
SAMPLED: Part = {"scale": "1", "sample": "0.01", "times": 1_000}
SAMPLED_DELTAS = ("1e-6", "1e-9", "1e-12")
LAPLACE_SCALES = tuple(5 + 45 * step / 99 for step in range(100))
DELTA = "1e-6"


def headline() -> dict[str, list[Part]]:
    """The compositions that are timed."""
    return {
        "1,000 sampled Gaussians": [{"kind": "gaussian", **SAMPLED}],
        "100 different Laplace": [{"kind": "laplace", "scale": repr(scale), "times": 1} for scale in LAPLACE_SCALES],
        "one Gaussian": [{"kind": "gaussian", "scale": "1", "times": 1}],
    }


def mixtures() -> list[dict[str, Any]]:
    """A thousand random mixtures of one to six parts, with two deltas each."""
    source = random.Random(SEED)
    return [_mixture(source) for _ in range(CASES)]


def _mixture(source: random.Random) -> dict[str, Any]:
    parts = [_part(source) for _ in range(source.randint(1, 6))]
    return {"parts": parts, "deltas": sorted(source.sample(DELTAS, 2), key=float)}


def _part(source: random.Random) -> Part:
    """Draw a mechanism, how often it is used, and noise for which the whole is neither nothing nor everything."""
    times = round(_spread(source, 1, 200))
    epsilon = _spread(source, 0.05, 3) / math.sqrt(times)
    kind = source.choice(("sampled", "sampled", *_PARAMETERS))
    if kind == "sampled":
        rate = _spread(source, 0.001, 0.3)
        inner = source.choice(_SAMPLED)
        sharper = min(epsilon / rate, _spread(source, 0.3, 3))
        return {"kind": inner, **_PARAMETERS[inner](source, sharper), "sample": _short(rate), "times": times}
    return {"kind": kind, **_PARAMETERS[kind](source, epsilon), "times": times}


def _noise(_: random.Random, epsilon: float) -> Part:
    return {"scale": _short(1 / epsilon)}


def _discrete_gaussian(_: random.Random, epsilon: float) -> Part:
    return {"scale": str(max(round(2 / epsilon), 1) / 2)}


def _discrete_laplace(source: random.Random, epsilon: float) -> Part:
    distance = source.randint(1, 4)
    return {"rate": _short(epsilon / distance), "distance": distance}


def _randomized_response(source: random.Random, epsilon: float) -> Part:
    buckets = source.randint(2, 10)
    return {"noise": _short(buckets / (math.expm1(epsilon) + buckets)), "buckets": buckets}


def _pure(_: random.Random, epsilon: float) -> Part:
    return {"epsilon": _short(epsilon)}


def _approximate(source: random.Random, epsilon: float) -> Part:
    return {"epsilon": _short(epsilon), "delta": f"1e-{source.randint(8, 13)}"}


_PARAMETERS = {
    "gaussian": _noise,
    "laplace": _noise,
    "discrete_gaussian": _discrete_gaussian,
    "discrete_laplace": _discrete_laplace,
    "randomized_response": _randomized_response,
    "pure": _pure,
    "approximate": _approximate,
}
_SAMPLED = ("gaussian", "gaussian", "laplace", "laplace", "discrete_gaussian", "discrete_laplace")


def _spread(source: random.Random, low: float, high: float) -> float:
    return math.exp(source.uniform(math.log(low), math.log(high)))


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1_000 else str(round(value))
