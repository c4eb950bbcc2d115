"""Centres of blobs and principal components of digits, relative to what is found without privacy."""

from typing import Any

import numpy as np
from sklearn.cluster import KMeans as PlainKMeans

from bench.models.known import DIGITS
from bench.models.shapes import AXES, CLUSTERS, COLUMNS, PIXEL, ROWS, SEEDS, SIDE, blobs, captured, digits, inertia
from bench.models.stored import DATA, prepared
from bench.models.task import DELTA, EPSILONS
from bench.models.values import keep, shown, summary
from bench.peers import DIFFPRIVLIB
from bench.report import show, write

Ratios = dict[str, dict[str, list[float]]]


def run() -> None:
    """Measure, print and write the table."""
    from privet.models.k_means import KMeans
    from privet.models.pca import PCA

    prepared(DIGITS)
    pictures = digits(DATA)
    _, _, axes = np.linalg.svd(pictures - pictures.mean(axis=0), full_matrices=False)
    best = captured(pictures, axes[:AXES])
    plain = [
        inertia(rows, PlainKMeans(CLUSTERS, n_init=10, random_state=0).fit(rows).cluster_centers_)
        for rows in map(blobs, range(SEEDS))
    ]
    ours: Ratios = {"k-means": {}, "PCA": {}}
    for epsilon in EPSILONS:
        budget = {"epsilon": epsilon, "delta": DELTA}
        ours["k-means"][f"{epsilon:g}"] = [
            inertia(rows, KMeans(n_clusters=CLUSTERS, bounds=(-SIDE, SIDE), **budget).fit(rows).cluster_centers_)
            for rows in map(blobs, range(SEEDS))
        ]
        ours["PCA"][f"{epsilon:g}"] = [
            captured(pictures, PCA(n_components=AXES, bounds=PIXEL, **budget).fit(pictures).components_)
            for _ in range(SEEDS)
        ]
    theirs: Ratios = DIFFPRIVLIB.run("bench.models.diffprivlib_shapes", str(DATA))
    bases = {"k-means": plain, "PCA": [best] * SEEDS}
    found = {
        (task, library): {
            epsilon: summary([value / base for value, base in zip(values, bases[task], strict=False)])
            for epsilon, values in ratios[task].items()
        }
        for task in bases
        for library, ratios in (("Privet", ours), ("diffprivlib", theirs))
    }
    keep("clusters", {f"{task}, {library}": ratios for (task, library), ratios in found.items()})
    named = {"k-means": "inertia of k-means", "PCA": "variance that PCA captures"}
    rows = [
        (named[task], library, "approximate" if library == "Privet" else "pure", *map(_cell, ratios.values()))
        for (task, library), ratios in found.items()
    ]
    heading = ("what", "library", "privacy", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))
    note = (
        f"Ratios to what is found without privacy, with standard errors over {SEEDS} seeds. k-means: {ROWS:,} rows "
        f"around {CLUSTERS} centres in {COLUMNS} dimensions, one is best and less is better. PCA: {AXES} axes of "
        f"the {len(pictures):,} digits, one is best and more is better; fits that do not end in ten seconds are left "
        f"out. delta = {DELTA:g} where privacy is approximate. Written by `python -m bench models_clusters`."
    )
    show("clusters and axes", heading, rows, note)
    write("clusters and axes", heading, rows, note)


def _cell(found: Any) -> str:
    if found["seeds"] == 0:
        return "none in 10 s"
    return shown(found) + ("" if found["seeds"] == SEEDS else f" ({found['seeds']} of {SEEDS} fits)")
