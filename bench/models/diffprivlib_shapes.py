"""k-means and principal components of diffprivlib; runs in an environment of its own, prints JSON."""

import json
import math
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

from diffprivlib import models

from bench.models.shapes import AXES, CLUSTERS, PIXEL, SEEDS, SIDE, blobs, captured, digits, inertia
from bench.models.task import EPSILONS

LIMIT = 10  # seconds; some fits of PCA do not end in hours


def axes_of(pictures: Any, epsilon: float, seed: int, norm: float) -> Any:
    """Fit components within the limit; None if there are none by then."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    try:
        model = models.PCA(AXES, epsilon=epsilon, bounds=PIXEL, data_norm=norm, random_state=seed)
        return model.fit(pictures).components_
    except TimeoutError:
        return None
    finally:
        signal.alarm(0)


def main() -> None:
    warnings.simplefilter("ignore")
    pictures = digits(Path(sys.argv[1]))
    norm = math.sqrt(pictures.shape[1]) * PIXEL[1]
    found: dict[str, dict[str, list[float]]] = {"k-means": {}, "PCA": {}}
    for epsilon in EPSILONS:
        name = f"{epsilon:g}"
        found["k-means"][name], found["PCA"][name] = [], []
        for seed in range(SEEDS):
            rows = blobs(seed)
            means = models.KMeans(CLUSTERS, epsilon=epsilon, bounds=(-SIDE, SIDE), random_state=seed).fit(rows)
            found["k-means"][name].append(inertia(rows, means.cluster_centers_))
            axes = axes_of(pictures, epsilon, seed, norm)
            if axes is not None:
                found["PCA"][name].append(captured(pictures, axes))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
