"""A private random forest: random public trees, the sums in all their leaves, and one factor for their scores."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, Bounds, read_whole
from privet.errors import InvalidError
from privet.models.binning import Binning, bins_for, groupings, private_rows, read_bins, read_edges
from privet.models.fit_job import FitJob
from privet.models.forest_scores import Loss, leaf_scores, length_of, release_factor, start_scores
from privet.models.leaf_shares import class_weights, number_weights, overall
from privet.models.leaf_sums import Rows, WeightedRows, deviation, weighted_rows
from privet.models.private_rows import PrivateRows
from privet.models.public_coins import Coins
from privet.models.random_trees import random_tree
from privet.models.signal import Signal, rows_text
from privet.models.summed_trees import SummedTrees, Tree
from privet.models.target_range import TargetRange
from privet.models.tree_growth import read_depth
from privet.transforms.add_tree import AddTree
from privet.transforms.append_constants import AppendConstants
from privet.transforms.assign_nodes import Levels
from privet.transforms.oblivious_trees import Splits
from privet.transforms.sums_by_group import SumsByGroup

FIRST, _FACTOR = Fraction(1, 20), Fraction(1, 10)
_BLOCK = 25  # trees in one release, so that the leaves of all rows fit into memory
_MOST = 1000  # trees
_FEWEST, _MANY = 30, 100  # trees by default
_ENOUGH = 40.0  # rows in units of noise; below it, forests found mostly noise on made-up data


@final
@frozen(kw_only=True)
class Settings:
    """The public choices of a forest; None means a rule that reads the first release.

    Args:
        trees: The number of trees.
        depth: Their depth.
        bins: The number of bins of a column of numbers.
        edges: Inner edges of bins by column.
    """

    trees: int | None
    depth: int | None
    bins: int | None
    edges: tuple[tuple[float, ...] | None, ...]

    @property
    def counts(self) -> bool:
        """Whether the choices need the number of rows."""
        return None in (self.trees, self.depth, self.bins)


@final
@frozen(kw_only=True)
class ForestTarget:
    """What a forest predicts.

    Args:
        loss: What the factor of the scores minimises.
        target: The class of each row, or a number from -1 to 1.
        weights: How much each row is of each class.
        rows: The noisy number of rows, or zero if it was not released.
        share: The part of the budget that the first release cost.
        totals: The noisy number of rows of each class, if it was released.
    """

    loss: Loss
    target: Array = field(repr=False)
    weights: Array = field(repr=False)
    rows: float = 0.0
    share: Fraction = Fraction(0)
    totals: tuple[Rows, ...] | None = None


def read_settings(job: FitJob, estimator: Any) -> Settings:
    """Read the arguments that both forests share."""
    trees = estimator.n_estimators
    if trees is not None:
        trees = read_whole(f"{job.label}.n_estimators", trees)
        if not 1 <= trees <= _MOST:
            raise InvalidError(f"{job.label}.n_estimators must be between 1 and {_MOST}, got {trees}.")
    return Settings(
        trees=trees,
        depth=read_depth(job.label, estimator.max_depth),
        bins=read_bins(job.label, estimator.bins),
        edges=read_edges(job.label, estimator.edges, job.features),
    )


def strength_of(job: FitJob, count: float, trees: int) -> float:
    """Return the number of rows in units of the noise of an average over all trees."""
    spending = job.account.spending
    total = float(spending.total)
    one = total / math.sqrt(2 * trees) if spending.form == "pure" else math.sqrt(2 * total)
    return count * one / job.account.d_in


def trees_for(job: FitJob, count: float) -> int:
    """Return the number of trees; with Laplace noise each tree makes the noise of an average larger."""
    if job.account.spending.form == "pure":
        return _FEWEST
    return int(min(max(strength_of(job, count, 1) / 2, _FEWEST), _MANY))


def depth_for(strength: float, classes: int) -> int:
    """Return the depth of the trees for so many rows in units of noise."""
    return int(min(max(4 + math.log2(max(strength / (32 * max(classes, 2)), 0.25)) / 2, 3), 8))


def grow(job: FitJob, settings: Settings, aim: ForestTarget) -> tuple[SummedTrees, float, Signal]:
    """Make all releases of a forest, after the first; return it, the noisy number of rows, and a judgement.

    Args:
        job: The fit.
        settings: The public choices.
        aim: What is predicted.
    """
    share = 1 - aim.share
    trees = settings.trees or trees_for(job, aim.rows)
    strength = strength_of(job, aim.rows, trees)
    depth = settings.depth or depth_for(strength, aim.weights.shape[1])
    binning = Binning(features=job.features, bins=settings.bins or bins_for(strength / 8), edges=settings.edges)
    coins = Coins()
    splits = [random_tree(binning, depth, coins) for _ in range(trees)]
    codes = binning.codes(job.table.columns)
    sums, noise = _all_leaves(weighted_rows(job, binning, codes, aim.weights), splits, share - _FACTOR)
    totals = _totals(sums, noise, aim)
    base = overall(np.array([item.count for item in totals]))
    values = leaf_scores(sums, base, noise, aim.loss)
    start = start_scores(base, aim.loss)
    rows = _scored(job, binning, codes, aim, start)
    for tree, leaf in zip(splits, values, strict=True):
        rows = rows.through(AddTree(splits=tree, values=leaf.tolist()))
    factor = release_factor(rows, start, aim.loss, length_of(sums, values), _FACTOR)
    grown = tuple(Tree(splits=tree, values=factor * leaf) for tree, leaf in zip(splits, values, strict=True))
    count, spread = sum(item.count for item in totals), math.sqrt(sum(item.noise**2 for item in totals))
    sure = strength_of(job, count - 2 * spread, trees) >= _ENOUGH
    return SummedTrees(binning=binning, start=start, trees=grown), max(count, 1.0), _signal(count, sure=sure)


def _signal(rows: float, *, sure: bool) -> Signal:
    if sure:
        return Signal(expected=True, reason=f"{rows_text(rows)} are enough for a forest at this budget.")
    return Signal(
        expected=False,
        reason=f"{rows_text(rows)} are too few for a forest at this budget: the leaves are mostly "
        "noise. Use more rows or a larger budget.",
    )


def by_class(job: FitJob, settings: Settings, classes: int) -> ForestTarget:
    """Release the rows of each class if something depends on the number of rows.

    Args:
        job: The fit; its target is a class.
        settings: The public choices.
        classes: How many classes there are.
    """
    target = np.asarray(job.target)
    weights = class_weights(target, classes)
    loss: Loss = "logistic" if classes == 2 else "multinomial"
    if not settings.counts:
        return ForestTarget(loss=loss, target=target, weights=weights)
    rows = private_rows(job, target[:, None], [job.target_bounds])
    release = np.asarray(rows.release("rows by class", SumsByGroup(groups=[classes]), share=FIRST), dtype=np.float64)
    totals = tuple(Rows(count=item, noise=deviation(rows)) for item in release.tolist())
    count = max(float(release.sum()), 10.0)
    return ForestTarget(loss=loss, target=target, weights=weights, rows=count, share=FIRST, totals=totals)


def by_number(found: TargetRange, target: Array) -> ForestTarget:
    """Return what a regression predicts, after the release of the range of its target.

    Args:
        found: The range.
        target: The numbers from -1 to 1.
    """
    narrow = found.narrowed(target)
    rows = max(found.rows, 10.0)
    return ForestTarget(loss="squared", target=narrow, weights=number_weights(narrow), rows=rows, share=FIRST)


def _totals(sums: Array, noise: float, aim: ForestTarget) -> tuple[Rows, ...]:
    """Return the weights of the classes over all rows: the mean over trees, and the first release by its variance."""
    trees, leaves, _ = sums.shape
    means = [
        Rows(count=item, noise=noise * math.sqrt(leaves / trees)) for item in sums.sum(axis=1).mean(axis=0).tolist()
    ]
    if aim.totals is None:
        return tuple(means)
    return tuple(mean.pooled(first) for mean, first in zip(means, aim.totals, strict=True))


def _all_leaves(rows: WeightedRows, splits: list[Splits], share: Fraction) -> tuple[Array, float]:
    """Release the sums in the leaves of all trees, block by block; the axes are tree, leaf and class."""
    parts: list[Array] = []
    noise = 0.0
    for first in range(0, len(splits), _BLOCK):
        # a node has the last split in its lowest bit, and a leaf the first one
        trees: list[Levels] = [tuple((split,) for split in reversed(tree)) for tree in splits[first : first + _BLOCK]]
        part = share * Fraction(len(trees), len(splits))
        sums, noise = rows.release("leaves of trees", trees, share=part)
        parts += sums
    return np.stack(parts), noise


def _scored(job: FitJob, binning: Binning, codes: Array, aim: ForestTarget, start: Array) -> PrivateRows:
    """Return rows of codes, the target, and scores of zero."""
    table = np.concatenate([codes, aim.target[:, None]], axis=1)
    sides: list[Bounds] = [*groupings(binning.sizes), job.target_bounds]
    return private_rows(job, table, sides).through(AppendConstants(values=[0] * len(start)))
