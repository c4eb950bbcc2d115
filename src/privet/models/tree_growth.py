"""A private decision tree: a selection of splits for each level, then sums in the leaves."""

import math
from fractions import Fraction
from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array, Bounds, read_whole
from privet.errors import InvalidError
from privet.mechanisms.select_each import SelectEach
from privet.models.binning import Binning, bins_for, groupings, private_rows, read_bins, read_edges
from privet.models.fit_job import FitJob
from privet.models.leaf_shares import tree_shares
from privet.models.leaf_sums import Rows, weighted_rows
from privet.models.private_rows import PrivateRows
from privet.models.signal import Signal, rows_text
from privet.transforms.assign_nodes import AssignNodes, Levels, nodes_of
from privet.transforms.split_criteria import CRITERIA
from privet.transforms.split_scores import Split, SplitScores

COUNT = Fraction(1, 20)
_LEAVES = Fraction(1, 4)  # of what the count leaves
_DEEPEST = 10
_ENOUGH = 100.0  # rows times epsilon; below it, trees found mostly noise on made-up data
_SOME = 2**14  # a guess of the rows where none are counted


@final
@frozen(kw_only=True)
class Settings:
    """The public choices of a tree; None means a rule that reads the first release.

    Args:
        criterion: The score of splits.
        depth: The depth.
        bins: The number of bins of a column of numbers.
        edges: Inner edges of bins by column.
    """

    criterion: str
    depth: int | None
    bins: int | None
    edges: tuple[tuple[float, ...] | None, ...]

    @property
    def counts(self) -> bool:
        """Whether the choices need the number of rows."""
        return self.depth is None or self.bins is None or self.criterion == "gain"


@final
@frozen(kw_only=True)
class Labels:
    """The classes by which the splits of a tree are chosen.

    Args:
        values: The class of each row.
        classes: How many classes there are.
    """

    values: Array = field(repr=False)
    classes: int


@final
@frozen(kw_only=True)
class DecisionTree:
    """A public tree.

    Args:
        binning: The codes of the features.
        levels: For each level a column and the side of each code, node by node.
        rows: The noisy number of rows in each leaf.
        shares: For each leaf the share of each class.
    """

    binning: Binning
    levels: Levels
    rows: Array = field(eq=False)
    shares: Array = field(eq=False)

    def predict(self, table: Any) -> Array:
        """Return the shares of the classes in the leaf of each row, every row by itself."""
        return np.asarray(self.shares[nodes_of(self.binning.codes(table), self.levels)])


def read_settings(job: FitJob, estimator: Any) -> Settings:
    """Read the arguments that both trees share."""
    label, criterion = job.label, estimator.criterion
    if criterion not in CRITERIA:
        listed = ", ".join(repr(name) for name in CRITERIA)
        raise InvalidError(f"{label}.criterion must be one of {listed}, got {criterion!r}.")
    return Settings(
        criterion=criterion,
        depth=read_depth(label, estimator.max_depth),
        bins=read_bins(label, estimator.bins),
        edges=read_edges(label, estimator.edges, job.features),
    )


def read_depth(label: str, depth: Any) -> int | None:
    """Read a depth; None stays None."""
    if depth is None:
        return None
    whole = read_whole(f"{label}.max_depth", depth)
    if not 1 <= whole <= _DEEPEST:
        raise InvalidError(f"{label}.max_depth must be between 1 and {_DEEPEST}, got {whole}.")
    return whole


def strength_of(job: FitJob, count: float) -> float:
    """Return the number of rows times the epsilon of the fit; with rho, times an epsilon of the same worth."""
    spending = job.account.spending
    total = float(spending.total)
    epsilon = total if spending.form == "pure" else 4 * math.sqrt(2 * total)
    return count * epsilon / job.account.d_in


def signal_of(job: FitJob, rows: Rows) -> Signal:
    """Judge whether there are enough rows for a tree, whatever the noise of their number."""
    if strength_of(job, rows.count - 2 * rows.noise) >= _ENOUGH:
        return Signal(expected=True, reason=f"{rows_text(rows.count)} are enough for a tree at this budget.")
    return Signal(
        expected=False,
        reason=f"{rows_text(rows.count)} are too few for a tree at this budget: its splits and leaves "
        "are mostly noise. Use more rows or a larger budget.",
    )


def depth_for(strength: float, classes: int) -> int:
    """Return the depth of a tree: deeper with more rows, and at least so deep that all classes can have a leaf."""
    least = math.ceil(math.log2(max(classes, 2)))
    return int(min(max(math.log2(max(strength / 150, 1.0)), least), 8))


def grow(
    job: FitJob, settings: Settings, labels: Labels, weights: Array, first: Rows | None, share: Fraction
) -> tuple[DecisionTree, Rows]:
    """Make the releases of a tree, after the first one; return the tree and the number of rows.

    Args:
        job: The fit.
        settings: The public choices.
        labels: By what splits are chosen.
        weights: What is added up in the leaves: how much each row is of each class.
        first: The noisy number of rows, if it was released.
        share: The part of the budget that is left.
    """
    count = None if first is None else max(first.count, 10.0)
    strength = strength_of(job, count or 0.0)
    bins = settings.bins or bins_for(strength / 50)
    binning = Binning(features=job.features, bins=bins, edges=settings.edges)
    depth = settings.depth or depth_for(strength, labels.classes)
    codes = binning.codes(job.table.columns)
    sides: list[Bounds] = [*groupings(binning.sizes), (Fraction(0), Fraction(labels.classes))]
    rows = private_rows(job, np.concatenate([codes, labels.values[:, None]], axis=1), sides)
    levels: Levels = ()
    for at, part in enumerate(level_shares(depth, pure=job.account.spending.form == "pure")):
        guess = int(min(max((count or _SOME) / 2**at, 2), 2**24))
        unit = SplitScores(
            nodes=2**at,
            sizes=binning.sizes,
            classes=labels.classes,
            unordered=[column for column, numeric in enumerate(binning.numeric) if not numeric],
            criterion=settings.criterion,
            rows=guess,
        )
        levels = (*levels, _next_level(rows, levels, unit, part * share * (1 - _LEAVES)))
    (leaves,), noise = weighted_rows(job, binning, codes, weights).release("leaves", [levels], share=share * _LEAVES)
    shares = tree_shares(leaves, noise)[-1]
    tree = DecisionTree(binning=binning, levels=levels, rows=leaves.sum(axis=1), shares=shares)
    rows_in_leaves = Rows(count=float(leaves.sum()), noise=noise * math.sqrt(leaves.size))
    return tree, rows_in_leaves if first is None else rows_in_leaves.pooled(first)


def level_shares(depth: int, *, pure: bool) -> list[Fraction]:
    """Return the part of each level: more for deeper ones, whose nodes have fewer rows.

    With l levels above it, a node has about a part 2^-l of the rows. The rows that all selections of a level lose
    are least if epsilon grows as 2^(l/2), and rho as 2^(2l/3).
    """
    weights = [round(1000 * 2 ** (level * (1 / 2 if pure else 2 / 3))) for level in range(depth)]
    return [Fraction(weight, sum(weights)) for weight in weights]


def _next_level(rows: PrivateRows, levels: Levels, unit: SplitScores, share: Fraction) -> Any:
    """Select a split for every node of a level."""
    scores = rows.space >> AssignNodes(trees=[levels]) >> unit
    selection = rows.account.spending.selection(scores.map(rows.account.d_in), share)
    chosen = rows.measure(f"splits of level {len(levels) + 1}", scores >> SelectEach(each=selection))
    return tuple(_table(unit, unit.all_splits[int(position)]) for position in chosen)


def _table(unit: SplitScores, split: Split) -> tuple[int, tuple[int, ...]]:
    """Return the column of a split and the side of each of its codes."""
    column, code = split
    codes = range(unit.sizes[column])
    if column in unit.unordered:
        return column, tuple(int(item != code) for item in codes)
    return column, tuple(int(item > code) for item in codes)
