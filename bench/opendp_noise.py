"""Time OpenDP's noise; runs in OpenDP's own environment and prints JSON."""

import json

import opendp.prelude as dp

from bench.timing import cpu

INTEGERS = 100_000
REALS = 20_000
SCALARS = 2_000
TIMES = 5


def vector(mechanism: str, kind: type, scale: float, length: int) -> dict[str, float]:
    domain = dp.vector_domain(dp.atom_domain(T=int) if kind is int else dp.atom_domain(T=float, nan=False))
    if mechanism == "laplace":
        release = dp.m.make_laplace(domain, dp.l1_distance(T=kind), scale=scale)
    else:
        release = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=scale)
    data = [kind(0)] * length
    best, median = cpu(lambda: release(data), times=TIMES)
    return {"draws": length, "best": best, "median": median}


def scalar(mechanism: str) -> dict[str, float]:
    make = dp.m.make_laplace if mechanism == "laplace" else dp.m.make_gaussian
    distance = dp.absolute_distance(T=int if mechanism == "laplace" else float)
    release = make(dp.atom_domain(T=int), distance, scale=10.0)

    def work() -> None:
        for _ in range(SCALARS):
            release(0)

    best, median = cpu(work, times=TIMES)
    return {"draws": SCALARS, "best": best, "median": median}


def main() -> None:
    dp.enable_features("contrib")
    results = {}
    for mechanism in ("laplace", "gaussian"):
        for scale in (1, 10, 1000):
            results[f"integers {mechanism} {scale}"] = vector(mechanism, int, float(scale), INTEGERS)
        results[f"reals {mechanism} 1"] = vector(mechanism, float, 1.0, REALS)
        results[f"scalar {mechanism} 10"] = scalar(mechanism)
    print(json.dumps(results))


if __name__ == "__main__":
    main()
