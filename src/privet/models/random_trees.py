"""Random public trees."""

import numpy as np

from privet.models.binning import Binning
from privet.models.public_coins import Coins
from privet.transforms.oblivious_trees import Splits


def random_tree(binning: Binning, depth: int, coins: Coins) -> Splits:
    """Draw the splits of a tree by coins, on different columns as far as there are enough; no data are read."""
    count = len(binning.sizes)
    order: list[int] = []
    while len(order) < depth:
        order += np.argsort(coins.uniforms(count), kind="stable").tolist()
    return tuple((column, _random_sides(binning, column, coins)) for column in order[:depth])


def _random_sides(binning: Binning, column: int, coins: Coins) -> tuple[int, ...]:
    """Split numbers at a random bin, missing ones to a random side; split categories into random halves."""
    known = binning.known[column]
    if binning.numeric[column]:
        place = coins.below(known - 1)
        return (*(int(code > place) for code in range(known)), coins.below(2))
    order = np.argsort(coins.uniforms(known + 1), kind="stable")
    half = (known + 1 + coins.below(2)) // 2
    return tuple((order < half).astype(int).tolist())
