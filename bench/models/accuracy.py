"""Accuracy and R² of private models on public data, against other libraries on the same splits."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from bench.models.fresh import FRESH
from bench.models.held_out import HELD_OUT
from bench.models.known import LARGE, SMALL
from bench.models.privet_fits import fits
from bench.models.samples import Scores, load, measure
from bench.models.stored import RIVALS, prepared, rival_scores
from bench.models.task import DELTA, EPSILONS, Task
from bench.models.untouched import UNTOUCHED
from bench.models.values import keep, shown, summary
from bench.report import show, write

PRIVACY = {
    "Privet": "approximate",
    "scikit-learn": "none",
    "diffprivlib": "pure",
    "InterpretML": "approximate",
    "AdaSSP": "approximate",
}
Found = dict[str, dict[str, Scores]]  # by library, then by model


def run_adult() -> None:
    """Adult, and wages of two surveys: tens of thousands of rows."""
    _part("adult", "models on large data", LARGE)


def run_small() -> None:
    """Data of scikit-learn: hundreds of rows."""
    _part("small", "models on small data", SMALL)


def run_fresh() -> None:
    """Data on which nothing was tuned, and who is better in each cell."""
    found = _part("fresh", "models on fresh data", FRESH)
    _cells("fresh_cells", "cells of fresh data", "bench/models/fresh.py", found)


def run_held_out() -> None:
    """Four data sets more, listed before the first run on them, and who is better in each cell."""
    found = _part("held_out", "models on held-out data", HELD_OUT)
    _cells("held_out_cells", "cells of held-out data", "bench/models/held_out.py", found)


def run_untouched() -> None:
    """Five data sets more, listed and committed after every default, and who is better in each cell."""
    found = _part("untouched", "models on untouched data", UNTOUCHED)
    _cells("untouched_cells", "cells of untouched data", "bench/models/untouched.py", found)


def _part(part: str, title: str, tasks: Sequence[Task]) -> dict[str, Found]:
    found = {task.name: scores for task in tasks if (scores := _found(task)) is not None}
    keep(part, {name: _summaries(scores) for name, scores in found.items()})
    rows = [row for name, scores in found.items() for row in _rows(name, scores)]
    heading = ("data", "library", "model", "privacy", "score", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))
    note = (
        "Scores on the fifth of the rows that no model saw, with standard errors over 10 splits (30 below 2,500 rows); "
        f"in brackets the area under the ROC curve. delta = {DELTA:g} where privacy is approximate. Every library gets "
        "the same public bounds, categories and classes and keeps its defaults otherwise; predictions are clamped to "
        "the bounds of the target. AdaSSP is a reference implementation in numpy. Written by "
        f"`python -m bench models_{part}`."
    )
    show(title, heading, rows, note)
    write(title, heading, rows, note)
    return found


def _found(task: Task) -> Found | None:
    folder = prepared(task)
    if folder is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # models say when the data are too few
        own = measure(fits(task), load(folder, task), EPSILONS)
    return {"Privet": own, **{rival.name: rival_scores(rival, task) for rival in RIVALS}}


def _summaries(found: Found) -> Any:
    return {
        library: {
            model: {
                epsilon: {kind: summary(values) for kind, values in kinds.items()} for epsilon, kinds in scores.items()
            }
            for model, scores in models.items()
        }
        for library, models in found.items()
        if models
    }


def _rows(name: str, found: Found) -> Iterator[tuple[str, ...]]:
    for library, models in found.items():
        for model, scores in models.items():
            kinds = [scores.get(f"{epsilon:g}", scores.get("0", {})) for epsilon in EPSILONS]
            kind = "R²" if "r2" in kinds[0] else "accuracy"
            yield name, library, model, PRIVACY[library], kind, *(_cell(each) for each in kinds)


def _cell(kinds: dict[str, list[float]]) -> str:
    if "r2" in kinds:
        return shown(summary(kinds["r2"]))
    area = f" ({summary(kinds['auc'])['mean']:.3f})" if "auc" in kinds else ""
    return shown(summary(kinds["accuracy"])) + area


def _best(models: dict[str, dict[str, Scores]], epsilon: str) -> tuple[str, list[float]]:
    """Give the private model with the best mean."""
    known = {
        f"{library} {model}": scores[epsilon].get("r2") or scores[epsilon]["accuracy"]
        for library, each in models.items()
        for model, scores in each.items()
        if epsilon in scores
    }
    return max(known.items(), key=lambda item: sum(item[1]))


def _cells(key: str, title: str, listed: str, found: dict[str, Found]) -> None:
    """Compare the best of our models with the best of the others in each cell, split by split."""
    rows, kept = [], {}
    for name, scores in found.items():
        rivals = {library: models for library, models in scores.items() if library not in ("Privet", "scikit-learn")}
        for epsilon in (f"{each:g}" for each in EPSILONS):
            ours, own = _best({"Privet": scores["Privet"]}, epsilon)
            theirs, other = _best(rivals, epsilon)
            gap = summary([mine - their for mine, their in zip(own, other, strict=True)])
            better = gap["mean"] > 2 * gap["se"]
            verdict = "better" if better else "worse" if gap["mean"] < -2 * gap["se"] else "level"
            kept[f"{name}, {epsilon}"] = {"ours": ours, "theirs": theirs, "difference": gap, "verdict": verdict}
            rows.append((name, epsilon, ours, theirs, shown(gap), verdict))
    keep(key, kept)
    verdicts = [row[-1] for row in rows]
    heading = ("data", "epsilon", "best of Privet", "best of the others", "difference", "verdict")
    note = (
        f"{verdicts.count('better')} of {len(rows)} cells are better by more than two standard errors of the "
        f"difference on the same splits, {verdicts.count('level')} level, {verdicts.count('worse')} worse. The data "
        f"sets were fixed before the first run ({listed}). Written by `python -m bench models`."
    )
    show(title, heading, rows, note)
    write(title, heading, rows, note)
