"""Boosting with random trees that follow a first release; each tree releases its gradients by leaf."""

import math
from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from attrs import frozen

from privet.core import Array, read_number, read_whole, sqrt_up
from privet.errors import InvalidError
from privet.models.binning import (
    FEWEST_BINS,
    Binning,
    bins_for,
    groupings,
    needs_bins,
    private_rows,
    read_bins,
    read_edges,
    release_count,
)
from privet.models.boosting_trees import SLACK, Guide, depth_for, random_splits, release_guide, trees_for
from privet.models.fit_job import FitJob
from privet.models.private_rows import PrivateRows
from privet.models.public_coins import Coins
from privet.models.signal import Signal, rows_text
from privet.models.summed_trees import SummedTrees, Tree
from privet.models.target_range import TargetRange
from privet.transforms.add_tree import AddTree
from privet.transforms.append_constants import AppendConstants
from privet.transforms.leaf_gradients import LeafGradients
from privet.transforms.oblivious_trees import Splits
from privet.transforms.sums_by_group import SumsByGroup

_COUNT, _GUIDE = Fraction(1, 50), Fraction(3, 20)
RANGE = Fraction(1, 25)  # for the range of a target
_CLIP = Fraction(1, 2)
_RADIUS = sqrt_up(Fraction(5)) / 2 * _CLIP * SLACK  # a gradient up to the clip, a curvature up to half of it
_LARGEST = 2.0  # magnitude of a leaf before the learning rate
_ENOUGH = 40.0  # rows times mu; below it, trees found mostly noise on the data of the recipe


@final
@frozen(kw_only=True)
class Settings:
    """The public choices of a boosted model; None means a rule that reads the first releases.

    Args:
        classes: How many classes there are; zero for a number.
        trees: The number of trees.
        depth: Their depth.
        rate: The learning rate.
        bins: The number of bins of a column of numbers.
        edges: Inner edges of bins by column.
    """

    classes: int
    trees: int | None
    depth: int | None
    rate: float
    bins: int | None
    edges: Any


def read_settings(label: str, classes: int, estimator: Any) -> Settings:
    """Read the arguments that all boosted models share."""
    trees, depth = estimator.n_estimators, estimator.max_depth
    rate = float(read_number(f"{label}.learning_rate", estimator.learning_rate))
    if trees is not None:
        trees = _between(f"{label}.n_estimators", trees, 1000)
    if depth is not None:
        depth = _between(f"{label}.max_depth", depth, 10)
    if not 0 < rate <= 1:
        raise InvalidError(f"{label}.learning_rate must be above zero and at most 1, got {rate}.")
    return Settings(
        classes=classes,
        trees=trees,
        depth=depth,
        rate=rate,
        bins=read_bins(label, estimator.bins),
        edges=estimator.edges,
    )


def _between(label: str, value: Any, most: int) -> int:
    whole = read_whole(label, value)
    if not 1 <= whole <= most:
        raise InvalidError(f"{label} must be between 1 and {most}, got {whole}.")
    return whole


def boost(job: FitJob, settings: Settings, *, first: TargetRange | None = None) -> tuple[SummedTrees, Guide, Signal]:
    """Make all releases of a boosted model.

    Args:
        job: The fit.
        settings: The public choices.
        first: The range of the target, where it was released; the target of the fit is read in it.
    """
    edges = read_edges(job.label, settings.edges, job.features)
    left = 1 - _GUIDE - (RANGE if first is not None else 0)
    mu = math.sqrt(2 * float(job.account.spending.total)) / job.account.d_in
    bins = settings.bins
    if bins is None and not needs_bins(job.features, edges):
        bins = FEWEST_BINS  # of no column
    if bins is None and first is not None:
        bins = _bins(max(first.rows, 10.0), mu, len(edges), settings.classes)
    if bins is None:
        left -= _COUNT
        bins = _bins(release_count(job, _COUNT), mu, len(edges), settings.classes)
    binning = Binning(features=job.features, bins=bins, edges=edges)
    guide = release_guide(job, binning, settings.classes, _GUIDE)
    strength = guide.rows * mu
    trees = settings.trees or trees_for(strength)
    depth = settings.depth or depth_for(strength, trees)
    start = start_scores(guide.base, settings.classes)
    rows = _scored(job, binning, settings.classes, start)
    chances, coins = guide.chances(), Coins()
    grown: list[Tree] = []
    for _ in range(trees):
        splits = random_splits(guide, depth, chances, coins)
        values = _leaves(rows, splits, settings, len(start), left / trees)
        rows = rows.through(AddTree(splits=splits, values=values.tolist()))
        grown.append(Tree(splits=splits, values=values))
    return SummedTrees(binning=binning, start=start, trees=tuple(grown)), guide, _signal(guide.rows, strength)


def _bins(count: float, mu: float, features: int, classes: int) -> int:
    """Choose bins so that the rows of one of them are several times the noise of the first release."""
    noise = math.sqrt(features * (1 if classes else 2)) / (mu * math.sqrt(_GUIDE))
    return bins_for(count / (4 * max(classes, 1) * noise))


def log_odds(scores: Array) -> Array:
    """Return the logarithms of the odds of two classes, from scores whose gradients were clipped.

    Trees end where the clipped gradients add up to zero. Where a class has the share q and its score the probability p,
    that is ``q min(1 - p, clip) = (1 - q) min(p, clip)``: below a half the odds of q are p divided by the clip.

    Args:
        scores: The scores of the second class.

    >>> log_odds(np.array([0.0, -math.log(3)])).round(3).tolist()  # p = 1/4 is read as q = 1/3
    [0.0, -0.693]
    """
    return np.asarray(np.sign(scores) * (np.logaddexp(0, np.abs(scores)) + math.log(_CLIP)))


def start_scores(base: Array, classes: int) -> Array:
    """Return the scores that predict the mean, or the shares of the classes, for every row.

    >>> log_odds(start_scores(np.array([2 / 3, 1 / 3]), 2)).round(3).tolist()
    [-0.693]
    """
    if classes == 0:
        return base
    if classes > 2:
        return np.asarray(np.log(base))
    odds = math.log(base[1] / (1 - base[1]))
    return np.array([math.copysign(math.log(math.exp(abs(odds)) / _CLIP - 1), odds)])


def _scored(job: FitJob, binning: Binning, classes: int, start: Array) -> PrivateRows:
    """Return rows of codes, the target and the first scores."""
    side = (Fraction(0), Fraction(classes)) if classes else (Fraction(-1), Fraction(1))
    table = np.concatenate([binning.codes(job.table.columns), np.asarray(job.target)[:, None]], axis=1)
    rows = private_rows(job, table, [*groupings(binning.sizes), side])
    return rows.through(AppendConstants(values=start.tolist()))


def _leaves(rows: PrivateRows, splits: Splits, settings: Settings, scores: int, share: Fraction) -> Array:
    """Release the gradients and curvatures by leaf, and return a regularised Newton step for each leaf."""
    loss: Literal["squared", "logistic", "multinomial"] = (
        "squared" if settings.classes == 0 else "logistic" if settings.classes == 2 else "multinomial"
    )
    gradients = LeafGradients(splits=splits, loss=loss, scores=scores, clip=_CLIP)
    sums = SumsByGroup(groups=[2 ** len(splits)], radius=_RADIUS)
    release = np.asarray(rows.release("tree", gradients, sums, share=share), dtype=np.float64).reshape(-1, scores + 1)
    classes = settings.classes
    top = (1 - 1 / classes) / classes if classes else 1.0  # the largest curvature of a row
    curvature = np.maximum(release[:, -1:] * (top / float(_CLIP / 2)), 0.0)
    ridge = 8 * top * rows.scale() / float(_RADIUS)
    return np.asarray(settings.rate * np.clip(release[:, :-1] / (curvature + ridge), -_LARGEST, _LARGEST))


def _signal(rows: float, strength: float) -> Signal:
    if strength >= _ENOUGH:
        return Signal(expected=True, reason=f"{rows_text(rows)} are enough for boosted trees at this budget.")
    return Signal(
        expected=False,
        reason=f"{rows_text(rows)} are too few for boosted trees at this budget: the leaves are mostly noise. "
        "Use a linear model, more rows or a larger budget.",
    )
