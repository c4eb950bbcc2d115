"""Rows of a data set as models take them, splits, and scores. Every environment imports it: numpy is all it needs."""

import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.models.fresh import FRESH
from bench.models.held_out import HELD_OUT
from bench.models.known import LARGE, SMALL
from bench.models.task import Task
from bench.models.untouched import UNTOUCHED

TASKS = {task.name: task for task in (*SMALL, *LARGE, *FRESH, *HELD_OUT, *UNTOUCHED)}
Array = Any  # peers' environments have several versions of numpy
Scores = dict[str, dict[str, list[float]]]  # by epsilon, then by what is scored


class Sample(NamedTuple):
    """Rows of a data set: numbers, codes of categories (one column each) and the target."""

    task: Task
    numbers: Array
    codes: Array
    target: Array

    def rows(self, chosen: Array) -> "Sample":
        """Keep some rows."""
        return Sample(self.task, self.numbers[chosen], self.codes[chosen], self.target[chosen])

    @property
    def sizes(self) -> list[int]:
        """How many categories each column of codes has."""
        return [len(values) for values in self.task.categories.values()]

    def unit(self) -> Array:
        """Numbers clamped to their bounds and moved to [-1, 1]."""
        low, high = np.array(list(self.task.numbers.values()), dtype=float).reshape(-1, 2).T
        return 2 * (np.clip(self.numbers, low, high) - low) / (high - low) - 1

    def squares(self) -> Array:
        """The squares that linear models get too; they lie in [0, 1]."""
        places = list(self.task.numbers)
        return self.unit()[:, [places.index(name) for name in self.task.squares]] ** 2

    def hot(self) -> Array:
        """One column for each category."""
        blocks = [self.codes[:, [at]] == np.arange(size) for at, size in enumerate(self.sizes)]
        return np.column_stack([np.empty((len(self.target), 0)), *blocks]).astype(float)

    def scaled(self) -> tuple[Array, float]:
        """Numbers and squares in [-1, 1], one column for each category; and the public bound of the length of a row."""
        rows = np.column_stack([self.unit(), 2 * self.squares() - 1, self.hot()])
        return rows, math.sqrt(len(self.task.numbers) + len(self.task.squares) + len(self.sizes))

    def coded(self) -> Array:
        """Numbers as they are, then the codes of categories."""
        return np.column_stack([self.numbers, self.codes]).astype(float)

    def coded_bounds(self) -> list[tuple[float, float]]:
        """Bounds of the columns of `coded`."""
        return [*self.task.numbers.values(), *[(0.0, size - 1.0) for size in self.sizes]]


def load(folder: Path, task: Task) -> Sample:
    """Read what `bench.models.prepare` wrote."""
    with np.load(folder / f"{task.name}.npz") as stored:
        return Sample(task, stored["numbers"], stored["codes"].T, stored["target"])


def split(rows: int, seed: int) -> tuple[Array, Array]:
    """Give the rows of the training part (80 %) and of the test part."""
    order = np.random.default_rng(seed).permutation(rows)
    return order[: rows * 4 // 5], order[rows * 4 // 5 :]


def auc(score: Array, positive: Array) -> float:
    """The chance that a positive row scores higher than a negative one; ties count half."""
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(counts) - (counts - 1) / 2)[place]
    many = int(positive.sum())
    if many in (0, len(positive)):
        return 0.5
    return float((rank[positive].sum() - many * (many + 1) / 2) / (many * (len(positive) - many)))


def scores(sample: Sample, predicted: Array) -> dict[str, float]:
    """Score predictions: numbers for regression, one column of scores for each class otherwise.

    Numbers are clamped to the public bounds of the target, whichever library gave them.
    """
    if sample.task.classes is None:
        predicted = np.clip(np.nan_to_num(predicted), *(sample.task.target_bounds or (-math.inf, math.inf)))
        spread = ((sample.target - sample.target.mean()) ** 2).sum()
        return {"r2": 1 - float(((sample.target - predicted) ** 2).sum() / spread)}
    found = {"accuracy": float((predicted.argmax(axis=1) == sample.target).mean())}
    if predicted.shape[1] == 2:
        found["auc"] = auc(predicted[:, 1] - predicted[:, 0], sample.target == 1)
    return found


Fit = Callable[[Sample, Sample, float, int], Array]  # training part, test part, epsilon, seed: predictions


def measure(fits: Mapping[str, Fit], sample: Sample, epsilons: Sequence[float]) -> dict[str, Scores]:
    """Fit each model on each split at each epsilon, and score it; seconds of the fit are kept too."""
    found: dict[str, Scores] = {name: {} for name in fits}
    for seed in range(sample.task.seeds):
        train, test = (sample.rows(chosen) for chosen in split(len(sample.target), seed))
        for name, fit in fits.items():
            for epsilon in epsilons:
                start = time.perf_counter()
                predicted = fit(train, test, epsilon, seed)
                scored = {**scores(test, predicted), "seconds": time.perf_counter() - start}
                lists = found[name].setdefault(f"{epsilon:g}", {})
                for kind, value in scored.items():
                    lists.setdefault(kind, []).append(value)
    return found


def main(fits_of: Callable[[Task], Mapping[str, Fit]]) -> None:
    """Measure the data set that the arguments name: a folder, a name, and epsilons; print JSON."""
    warnings.simplefilter("ignore")
    folder, name, *epsilons = sys.argv[1:]
    task = TASKS[name]
    print(json.dumps(measure(fits_of(task), load(Path(folder), task), [float(each) for each in epsilons])))
