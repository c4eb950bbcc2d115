"""Public trees whose leaves add up to the scores of a row: boosted ones and forests."""

from typing import Any, final

import numpy as np
from attrs import field, frozen

from privet.core import Array
from privet.models.binning import Binning
from privet.transforms.oblivious_trees import Splits, leaves_of


@final
@frozen(kw_only=True)
class Tree:
    """A tree in which all nodes of a level have the same split.

    Args:
        splits: For each level a column and the side of each code; the first one gives the lowest bit of the leaf.
        values: What each leaf adds to the scores.
    """

    splits: Splits
    values: Array = field(eq=False)


@final
@frozen(kw_only=True)
class SummedTrees:
    """A public sum of trees.

    Args:
        binning: The codes of the features.
        start: The scores before the first tree.
        trees: The trees.
    """

    binning: Binning
    start: Array = field(eq=False)
    trees: tuple[Tree, ...]

    def scores(self, table: Any) -> Array:
        """Return the scores of rows, every row by itself."""
        codes = self.binning.codes(table)
        total = np.tile(self.start, (len(codes), 1))
        for tree in self.trees:
            total += tree.values[leaves_of(codes, tree.splits)]
        return np.asarray(total)
