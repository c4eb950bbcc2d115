"""What the first release of a boosted model says, and random trees whose splits follow it."""

import math
from fractions import Fraction
from typing import final

import numpy as np
from attrs import frozen

from privet.core import Array, Bounds, sqrt_up
from privet.models.binning import Binning, groupings, private_rows
from privet.models.fit_job import FitJob
from privet.models.public_coins import Coins
from privet.transforms.oblivious_trees import Splits
from privet.transforms.sums_by_group import SumsByGroup

SLACK = 1 + Fraction(1, 2**16)  # a ball slightly wider than needed, so that no row lies on its edge
_FEWEST = 20.0  # rows; a noisy count below it is read as this many
_FLOOR = 0.05  # the weight of a feature without gain, relative to the best one
_GUIDED = 0.8  # how often the threshold of a number is a quantile of the first release
_JITTER = 0.15  # the random part of the order of categories


@final
@frozen(kw_only=True)
class Guide:
    """The target by bin of every feature, with noise, and what follows from it.

    Args:
        binning: The codes of the features.
        rows: The noisy number of rows.
        totals: The noisy number of rows of each class; for a number the number of rows and the sum of the target.
        spread: About the standard deviation of the noise of each total.
        base: The mean of the target, or the share of each class.
        counts: For each feature the rows of each code.
        means: For each feature the means of the target by code: a column, or one for each class but the first.
        noise: The noise scale of a sum.
        gains: For each feature how much of the target its codes explain, less what the noise explains.
    """

    binning: Binning
    rows: float
    totals: Array
    spread: float
    base: Array
    counts: tuple[Array, ...]
    means: tuple[Array, ...]
    noise: float
    gains: Array

    @property
    def importances(self) -> Array:
        """The gains as parts of their sum; zeros if there is none."""
        total = float(self.gains.sum())
        return self.gains / total if total > 0 else np.zeros(len(self.gains))

    def chances(self) -> Array:
        """Return how often each feature is used: in proportion to the root of its gain, and sometimes without gain."""
        roots = np.sqrt(self.gains)
        weights = roots + _FLOOR * float(roots.max()) + 1e-9
        return np.asarray(weights / weights.sum())


def release_guide(job: FitJob, binning: Binning, classes: int, share: Fraction) -> Guide:
    """Release the sums of the target by code, for all features at once.

    Args:
        job: The fit; its target is a class, or a number from -1 to 1.
        binning: The codes of the features.
        classes: How many classes there are; zero for a number.
        share: The part of the budget that the release costs.
    """
    codes, target = binning.codes(job.table.columns), np.asarray(job.target)
    if classes:  # a row is one in the group of its code and its class
        sizes = [size * classes for size in binning.sizes]
        rows = private_rows(job, codes * classes + target[:, None], groupings(sizes))
        unit = SumsByGroup(groups=sizes)
    else:
        vectors: list[Bounds] = [(Fraction(0), Fraction(1)), (Fraction(-1), Fraction(1))]
        table = np.concatenate([codes, np.ones((len(codes), 1)), target[:, None]], axis=1)
        rows = private_rows(job, table, [*groupings(binning.sizes), *vectors])
        unit = SumsByGroup(groups=binning.sizes, radius=sqrt_up(Fraction(2)) * SLACK)
    release = np.asarray(rows.release("target by bin", unit, share=share), dtype=np.float64)
    return _read_guide(release, binning, classes, rows.scale())


def _read_guide(release: Array, binning: Binning, classes: int, noise: float) -> Guide:
    width = classes or 2
    ends = np.cumsum([size * width for size in binning.sizes])
    sums = [part.reshape(-1, width) for part in np.split(release, ends[:-1])]
    counts = [part.sum(axis=1) if classes else part[:, 0] for part in sums]
    weights = 1 / np.array(binning.sizes)  # a total of more codes has more noise
    totals = sum(weight * part.sum(axis=0) for weight, part in zip(weights / weights.sum(), sums, strict=True))
    rows = max(float(np.sum(totals)) if classes else float(totals[0]), _FEWEST)
    base = np.clip(totals / rows, 0.01, 0.99) if classes else np.clip(totals[1:] / rows, -1.0, 1.0)
    centre = base[1:] if classes else base
    means = [part[:, 1:] / np.maximum(count, 3 * noise)[:, None] for part, count in zip(sums, counts, strict=True)]
    gains = [_gain(mean, count, centre, noise) for mean, count in zip(means, counts, strict=True)]
    return Guide(
        binning=binning,
        rows=rows,
        totals=np.asarray(totals),
        spread=noise / math.sqrt(weights.sum()),
        base=base,
        counts=tuple(counts),
        means=tuple(means),
        noise=noise,
        gains=np.array(gains),
    )


def _gain(means: Array, counts: Array, centre: Array, noise: float) -> float:
    """Return the sum of squares between codes, less a part of what the noise adds to it."""
    seen = counts > 3 * noise
    between = float((counts[seen][:, None] * (means[seen] - centre) ** 2).sum())
    by_noise: float = means.shape[1] * float((noise**2 / counts[seen]).sum())
    return max(between - 0.75 * by_noise, 0.0)


def random_splits(guide: Guide, depth: int, chances: Array, coins: Coins) -> Splits:
    """Draw the splits of a tree from the first release and coins; the data are not read.

    Args:
        guide: The first release.
        depth: How many splits.
        chances: How often each feature is used.
        coins: The coins.
    """
    ends = np.cumsum(chances)
    splits = []
    for draw in coins.uniforms(depth).tolist():
        feature = min(int(np.searchsorted(ends, draw * ends[-1], side="right")), len(ends) - 1)
        split = _threshold if guide.binning.numeric[feature] else _categories
        splits.append((feature, split(guide, feature, coins)))
    return tuple(splits)


def _threshold(guide: Guide, feature: int, coins: Coins) -> tuple[int, ...]:
    """Split numbers at a quantile of their noisy counts, or anywhere; missing ones go to a random side."""
    known = guide.binning.known[feature]
    level = 0.02 + 0.96 * coins.uniform()
    guided = guide.rows / known > 3 * guide.noise and coins.uniform() < _GUIDED
    if guided:
        below = np.cumsum(np.maximum(guide.counts[feature][:known], 0.0))
        place = int(np.searchsorted(below, level * below[-1]))
    else:
        place = int(level * (known - 1))
    sides = [int(code > min(place, known - 2)) for code in range(known)]
    return (*sides, coins.below(2))


def _categories(guide: Guide, feature: int, coins: Coins) -> tuple[int, ...]:
    """Split categories by their noisy mean of the target, or of one class, with a random part."""
    means, counts = guide.means[feature], guide.counts[feature]
    centre = float(np.mean(guide.base[1:] if len(guide.base) > 1 else guide.base))
    order = np.where(counts > 3 * guide.noise, means[:, coins.below(means.shape[1])], centre)
    order = order + _JITTER * coins.normals(len(order))
    at = np.quantile(order[:-1], 0.2 + 0.6 * coins.uniform())
    return tuple((order > at).astype(int).tolist())


def trees_for(strength: float) -> int:
    """Return the number of trees for so many rows times mu."""
    return int(min(max(strength / 20, 100), 200))


def depth_for(strength: float, trees: int) -> int:
    """Return the depth of trees, so that a leaf has more rows than noise."""
    return int(min(max(math.log2(max(strength / (8 * math.sqrt(trees)), 2.0)), 1), 4))
